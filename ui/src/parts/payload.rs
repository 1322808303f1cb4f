//! JSON in colours: shortened where it is long, with buttons that copy and save all of it.

use leptos::prelude::*;

use super::Icon;
use super::foreign::shown;
use crate::app::App;
use crate::cells::{StoredValue, click};
use crate::json::{self, Kind};
use crate::numbers::bytes;
use crate::{browser, saving, text};

/// Largest body in bytes that is shown whole, and what is shown of larger ones.
const MAX_SHOWN: usize = 100_000;
const PREVIEW: usize = 20_000;
/// Largest document in bytes that is coloured; each piece costs an element.
const MAX_COLOURED: usize = 40_000;

/// JSON in colours, or plain if it is long.
#[component]
pub fn Json(
    /// The document; other text is shown as it is.
    #[prop(into)]
    json: String,
) -> impl IntoView {
    let pieces = json::pieces(&json);
    let content = if json.len() > MAX_COLOURED {
        let plain: String = pieces.into_iter().map(|(_, text)| text).collect();
        shown(&plain)
    } else {
        let piece = |(kind, text): (Kind, String)| {
            let class = match kind {
                Kind::Mark => "p",
                Kind::Key => "k",
                Kind::Text => "s",
                Kind::Number => "n",
                Kind::Word => "w",
            };
            view! { <span class=class>{shown(&text)}</span> }.into_any()
        };
        pieces.into_iter().map(piece).collect()
    };
    view! { <pre class="json" tabindex="0" dir="ltr">{content}</pre> }
}

/// A document with its title, size and buttons.
#[component]
pub fn Payload(
    /// Its title.
    title: &'static str,
    /// Name of the saved file.
    file: String,
    /// The body, as stored.
    body: String,
    /// Shown as text rather than as JSON.
    #[prop(optional)]
    plain: bool,
) -> impl IntoView {
    let app = App::get();
    let size = body.len();
    let preview = if size > MAX_SHOWN { text::head(&body, PREVIEW).to_owned() } else { body.clone() };
    let body = StoredValue::new(body);
    let copy = move |_| {
        leptos::task::spawn_local(async move {
            if browser::copy(&body.get_value()).await {
                app.notify("Copied");
            } else {
                app.report_error("The browser does not allow copying. Save the file instead.");
            }
        });
    };
    let save = move |_| {
        saving::save(app, file.clone(), body.get_value());
    };
    let content = if plain {
        view! { <pre class="json" tabindex="0" dir="ltr">{shown(&preview)}</pre> }.into_any()
    } else {
        view! { <Json json=preview /> }.into_any()
    };
    view! {
        <section class="payload">
            <header>
                <h3>{title}</h3>
                <span class="num">{bytes(size as u64)}</span>
                <button class="button bare small" on:click=click(copy) title="Copy"><Icon name="copy" /><span class="hidden">"Copy " {title}</span></button>
                <button class="button bare small" on:click=click(save) title="Save as a file"><Icon name="download" /><span class="hidden">"Save " {title}</span></button>
            </header>
            {content}
            {(size > MAX_SHOWN).then(|| view! {
                <p class="cut-note">{format!("First {} of {}. Save the file to see all of it.", bytes(PREVIEW as u64), bytes(size as u64))}</p>
            }.into_any())}
        </section>
    }
}
