//! The argument vector that a call of a command-line tool makes, without running it.

use leptos::prelude::*;
use schemascope_api::{CliCallPreview, PreviewCliCall};

use super::list::CliList;
use crate::cells::{RwSignal, StoredValue, click};
use crate::cli_entry::arguments;
use crate::door;
use crate::parts::{Foreign, Views, shown};

/// The part of a tool's page; nothing for tools of other servers.
#[component]
pub fn ArgumentVector(
    /// `server__tool`.
    id: String,
) -> impl IntoView {
    let is_here = CliList::follow().contains(id.clone());
    move || is_here.get().then(|| view! { <Card id=id.clone() /> }.into_any())
}

#[component]
fn Card(
    /// `server__tool`.
    id: String,
) -> impl IntoView {
    let id = StoredValue::new(id);
    let text = RwSignal::new("{}".to_owned());
    let reply = RwSignal::new(None::<Result<CliCallPreview, String>>);
    let busy = RwSignal::new(false);
    let show = move |_| {
        if busy.get_untracked() {
            return;
        }
        let arguments = match text.with_untracked(|text| arguments(text)) {
            Ok(arguments) => arguments,
            Err(problem) => return reply.set(Some(Err(problem))),
        };
        busy.set(true);
        let command = PreviewCliCall { tool_id: id.get_value(), arguments };
        leptos::task::spawn_local(async move {
            let made = door::call(&command).await.map_err(|error| error.to_string());
            busy.set(false);
            reply.set(Some(made));
        });
    };
    view! {
        <section class="card" id="argument-vector">
            <header><h2>"Argument vector"</h2><span>"nothing is run"</span></header>
            <div class="cli-vector">
                <label>"Arguments of a call, as JSON"
                    <textarea id="call-arguments" rows="4" spellcheck="false" prop:value=move || text.get()
                        on:input:target=move |event| text.set(event.target().value())></textarea>
                </label>
                <button class="button small" prop:disabled=move || busy.get() on:click=click(show)>"Show the argument vector"</button>
                <div aria-live="polite">
                    {move || reply.get().map(|reply| match reply {
                        Ok(made) => draw(&made),
                        Err(error) => view! { <p class="bad"><Foreign text=error limit=1_000 /></p> }.into_any(),
                    })}
                </div>
            </div>
        </section>
    }
}

fn draw(made: &CliCallPreview) -> AnyView {
    let word = |word: &String| {
        let content = match word.is_empty() {
            true => view! { <span class="faint">"(empty)"</span> }.into_any(),
            false => view! { <code>{shown(word)}</code> }.into_any(),
        };
        view! { <li>{content}</li> }.into_any()
    };
    view! {
        <ol aria-label="Argument vector">{made.argv.iter().map(word).views()}</ol>
        {made.stdin.as_deref().map(|text| view! {
            <p class="dim">"Standard input"</p>
            <pre class="json" tabindex="0">{shown(text)}</pre>
        }.into_any())}
    }
    .into_any()
}
