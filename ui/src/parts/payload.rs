//! JSON to be read: in colours, cut where it is long, to be copied or saved whole.

use leptos::prelude::*;

use super::Icon;
use super::foreign::shown;
use crate::app::App;
use crate::cells::{StoredValue, click};
use crate::json::{self, Kind};
use crate::numbers::bytes;
use crate::{browser, text};

/// Bytes from which on a preview is cut, and what is shown then.
const LONG: usize = 100_000;
const PREVIEW: usize = 20_000;
/// Bytes up to which colours are worth their elements.
const COLOURED: usize = 40_000;

/// JSON in colours, or plain when it is long.
#[component]
pub fn Json(
    /// The document; what is no JSON comes out as text.
    #[prop(into)]
    json: String,
) -> impl IntoView {
    let pieces = json::pieces(&json);
    let content = if json.len() > COLOURED {
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

/// One body of a call.
#[component]
pub fn Payload(
    /// What it is.
    title: &'static str,
    /// Name of the file it is saved as.
    file: String,
    /// The body, as stored.
    body: String,
    /// To be shown as text rather than as JSON.
    #[prop(optional)]
    plain: bool,
) -> impl IntoView {
    let app = App::get();
    let size = body.len();
    let preview = if size > LONG { text::head(&body, PREVIEW).to_owned() } else { body.clone() };
    let body = StoredValue::new(body);
    let copy = move |_| {
        leptos::task::spawn_local(async move {
            if browser::copy(&body.get_value()).await {
                app.say("Copied");
            } else {
                app.complain("The browser did not allow copying; save it instead");
            }
        });
    };
    let save = move |_| {
        if browser::download(&file, &body.get_value()).is_err() {
            app.complain("The browser did not allow saving");
        }
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
            {(size > LONG).then(|| view! {
                <p class="cut-note">{format!("Cut after {} of {}. Save it to see all.", bytes(PREVIEW as u64), bytes(size as u64))}</p>
            }.into_any())}
        </section>
    }
}
