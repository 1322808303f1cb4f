//! A decision: what it means and what it would have made of the latest results are shown before it can be taken,
//! and a reason is asked for.

use leptos::prelude::*;
use schemascope_api::{Decide, Decision};

use super::impact::{asked, impact};
use super::wish;
use crate::app::App;
use crate::cells::{Memo, RwSignal, StoredValue, click, effect};
use crate::parts::{Icon, ToolName};
use crate::{browser, door};

/// Longest reason the engine takes, in bytes.
const REASON: &str = "1000";
/// Under which the name is kept for the next time.
const PERSON: &str = "person";

/// What is to be decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asking {
    /// `server__tool`.
    pub tool_id: String,
    /// What.
    pub decision: Decision,
    /// The version whose impact is shown: the one that comes into force, or the one that is not wanted.
    pub version: Option<u32>,
}

/// What it means, in words.
fn meaning(decision: Decision) -> &'static str {
    match decision {
        Decision::Promote { .. } => {
            "Holds for this tool from now on: clients of /mcp are told of it, and results are fitted to it. They may still differ: that is counted, not refused."
        }
        Decision::Pin { .. } => "Stays in force whatever comes later, until it is unpinned.",
        Decision::Unpin {} => "What was promoted before comes into force again, or what its server declares.",
        Decision::Reject { .. } => "Is not offered again, nor is another version like it.",
        Decision::Rollback { to: Some(_) } => {
            "Comes into force again, in place of the one now; its pin goes with that."
        }
        Decision::Rollback { to: None } => {
            "No version is in force any more: what its server declares holds, or nothing."
        }
        Decision::Undo {} => "The latest decision is taken back; everything is as it was before it.",
    }
}

/// The dialog.
#[component]
pub fn DecisionDialog(
    /// What is to be decided.
    asking: Asking,
) -> impl IntoView {
    let app = App::get();
    let Asking { tool_id, decision, version } = asking;
    let title = wish(decision);
    let is_pin = matches!(decision, Decision::Pin { .. });
    let enforced = RwSignal::new(matches!(decision, Decision::Pin { enforced: true, .. }));
    let reason = RwSignal::new(String::new());
    let person = RwSignal::new(browser::kept(PERSON).unwrap_or_default());
    let busy = RwSignal::new(false);
    let problem = RwSignal::new(None::<String>);
    let wanted = version.map(|version| (tool_id.clone(), version));
    let shown = asked(move || wanted.clone());
    let waits = Memo::new(move || version.is_some() && shown.with(Option::is_none));
    let id = StoredValue::new(tool_id.clone());
    let take = move |_| {
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        problem.set(None);
        let given = |text: String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let decision = match decision {
            Decision::Pin { version, .. } => Decision::Pin { version, enforced: enforced.get_untracked() },
            other => other,
        };
        let person = given(person.get_untracked());
        browser::keep(PERSON, person.as_deref());
        let command =
            Decide { tool_id: id.get_value(), decision, reason: given(reason.get_untracked()), person };
        leptos::task::spawn_local(async move {
            match door::call(&command).await {
                Ok(decided) => {
                    let clients = if decided.list_changed { "; clients are told" } else { "" };
                    app.close_dialog();
                    app.decided.update(|decided| *decided += 1);
                    app.say(format!("{}: done{clients}", wish(command.decision)));
                }
                Err(error) => {
                    busy.set(false);
                    problem.set(Some(error.to_string()));
                }
            }
        });
    };
    effect(move || browser::focus("#reason"));
    view! {
        <div class="inside decide">
            <div class="head">
                <h2>{title.clone()} <span class="dim">" · "<ToolName id=tool_id /></span></h2>
                <button class="button bare" aria-label="Close" on:click=click(move |_| app.close_dialog())><Icon name="x" /></button>
            </div>
            <p class="dim">{meaning(decision)}</p>
            <div class="scrolls" tabindex="0" role="region" aria-label="Impact">
                {version.is_some().then(|| impact(shown, true))}
            </div>
            {is_pin.then(|| view! {
                <label class="check">
                    <input type="checkbox" prop:checked=move || enforced.get()
                        on:input:target=move |event| enforced.set(event.target().checked()) />
                    <span>"Enforce: results that do not fit become errors for clients of /mcp"</span>
                </label>
            }.into_any())}
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
                <button class="button primary" id="decide" prop:disabled=move || busy.get() || waits.get() on:click=click(take)>
                    {title}
                </button>
            </div>
        </div>
    }
}
