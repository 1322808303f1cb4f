//! A decision: what it means and what it would have made of the latest results are shown before it can be taken,
//! and a reason is asked for.

use leptos::prelude::*;
use schemascope_api::{Decide, Decision};

use super::impact::{asked, impact};
use super::wish;
use crate::app::App;
use crate::cells::{Memo, RwSignal};
use crate::door;
use crate::parts::{Signature, SignedDialog, Signing};

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
    let signing = Signing::new();
    let wanted = version.map(|version| (tool_id.clone(), version));
    let shown = asked(move || wanted.clone());
    let waits = Memo::new(move || version.is_some() && shown.with(Option::is_none));
    let name = tool_id.clone();
    let take = move || {
        let Some(Signature { reason, person }) = signing.sign() else { return };
        let decision = match decision {
            Decision::Pin { version, .. } => Decision::Pin { version, enforced: enforced.get_untracked() },
            other => other,
        };
        let command = Decide { tool_id: tool_id.clone(), decision, reason, person };
        leptos::task::spawn_local(async move {
            match door::call(&command).await {
                Ok(decided) => {
                    let clients = if decided.list_changed { "; clients are told" } else { "" };
                    app.close_dialog();
                    app.decided.update(|decided| *decided += 1);
                    app.say(format!("{}: done{clients}", wish(command.decision)));
                }
                Err(error) => signing.fail(error.to_string()),
            }
        });
    };
    view! {
        <SignedDialog title=title.clone() tool_id=name act=title signing waits=Box::new(move || waits.get()) take=Box::new(take)>
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
        </SignedDialog>
    }
}
