//! That somebody has seen drift: what it means is said before, and a reason is asked for.

use leptos::prelude::*;
use schemascope_api::{AcknowledgeDrift, DriftRow};

use super::sentence;
use crate::app::App;
use crate::cells::{RwSignal, StoredValue, click, effect};
use crate::parts::{Icon, ToolName, Views};
use crate::{browser, door};

/// Longest reason the engine takes, in bytes.
const REASON: &str = "1000";
/// Under which the name is kept for the next time.
const PERSON: &str = "person";

/// What somebody may have seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// `server__tool`.
    pub tool_id: String,
    /// The drifts.
    pub rows: Vec<DriftRow>,
}

/// The dialog.
#[component]
pub fn AcknowledgeDialog(
    /// What may have been seen.
    seen: Seen,
) -> impl IntoView {
    let app = App::get();
    let reason = RwSignal::new(String::new());
    let person = RwSignal::new(browser::kept(PERSON).unwrap_or_default());
    let busy = RwSignal::new(false);
    let problem = RwSignal::new(None::<String>);
    let name = seen.tool_id.clone();
    let title = match seen.rows.len() {
        1 => "Acknowledge drift".to_owned(),
        n => format!("Acknowledge {n} changes"),
    };
    let lines = seen.rows.iter().map(|row| view! { <li>{sentence(row)}</li> }.into_any()).views();
    let seen = StoredValue::new(seen);
    let take = move |_| {
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        problem.set(None);
        let given = |text: String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let (person, reason) = (given(person.get_untracked()), given(reason.get_untracked()));
        browser::keep(PERSON, person.as_deref());
        let Seen { tool_id, rows } = seen.get_value();
        leptos::task::spawn_local(async move {
            for row in rows {
                let command = AcknowledgeDrift {
                    tool_id: tool_id.clone(),
                    drift: row.drift,
                    reason: reason.clone(),
                    person: person.clone(),
                };
                if let Err(error) = door::call(&command).await {
                    app.decided.update(|decided| *decided += 1);
                    busy.set(false);
                    problem.set(Some(error.to_string()));
                    return;
                }
            }
            app.close_dialog();
            app.decided.update(|decided| *decided += 1);
            app.say("Acknowledged: it goes on, and waits for nobody");
        });
    };
    effect(move || browser::focus("#reason"));
    view! {
        <div class="inside decide">
            <div class="head">
                <h2>{title} <span class="dim">" · "<ToolName id=name /></span></h2>
                <button class="button bare" aria-label="Close" on:click=click(move |_| app.close_dialog())><Icon name="x" /></button>
            </div>
            <p class="dim">"You have seen it. It goes on until results are as they were, or a version that was cut since comes into force; it no longer waits for anybody."</p>
            <ul class="scrolls listed" tabindex="0" aria-label="What changed">{lines}</ul>
            <div class="ask">
                <label>"Why"
                    <textarea id="reason" rows="2" maxlength=REASON placeholder="kept in the history, for whoever asks later"
                        on:input:target=move |event| reason.set(event.target().value())></textarea>
                </label>
                <label>"Who"
                    <input type="text" maxlength="60" autocomplete="name" placeholder="your name" prop:value=person.get_untracked()
                        on:input:target=move |event| person.set(event.target().value()) />
                </label>
            </div>
            {move || problem.get().map(|text| view! { <p class="bad" role="alert">{crate::text::visible(&text, 600)}</p> }.into_any())}
            <div class="buttons">
                <button class="button" on:click=click(move |_| app.close_dialog())>"Cancel"</button>
                <button class="button primary" id="decide" prop:disabled=move || busy.get() on:click=click(take)>"Acknowledge"</button>
            </div>
        </div>
    }
}
