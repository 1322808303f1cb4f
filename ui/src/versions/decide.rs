//! The dialog of a decision. It shows what the decision does and its impact on recent results, and asks for a
//! reason.

use leptos::prelude::*;
use schemascope_api::{Decide, Decision, Source};

use super::action;
use super::impact::{Parts, impact, request_impact};
use super::readiness::reasons;
use crate::app::{App, Undoing};
use crate::cells::{Memo, RwSignal};
use crate::door;
use crate::parts::{Signature, SignedDialog, Signing};

/// A decision that is being considered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deciding {
    /// `server__tool`.
    pub tool_id: String,
    /// The decision.
    pub decision: Decision,
    /// The version that becomes active, or the one that is rejected.
    pub version: Option<u32>,
    /// The version that is active now.
    pub active: Option<u32>,
}

/// What a decision does. `declares` tells whether the server declares a schema.
fn meaning(asking: &Deciding, declares: bool) -> String {
    let becomes = |version: Option<u32>| match (version, declares) {
        (Some(version), _) => format!("v{version} becomes active again."),
        (None, true) => "No version will be active: clients get the schema that the server declares.".into(),
        (None, false) => {
            "No version will be active: clients get no schema, as the server declares none.".into()
        }
    };
    let Deciding { decision, version, active, .. } = asking;
    match decision {
        Decision::Promote { .. } => {
            "Clients of /mcp will see this schema, and results are converted to match it. Results that do not match still pass and are counted.".into()
        }
        Decision::Pin { .. } => {
            "This version stays active until it is unpinned, whatever is learned later.".into()
        }
        Decision::Unpin {} if version == active => {
            "The version stays active until another one is promoted.".into()
        }
        Decision::Unpin {} => becomes(*version),
        Decision::Reject { .. } => "This version and equal ones will not be suggested again.".into(),
        Decision::Rollback { to: Some(_) } => {
            "This version becomes active again in place of the current one, and a pin of the current one is removed.".into()
        }
        Decision::Rollback { to: None } => becomes(None),
        Decision::Undo { .. } if version == active => {
            "The latest decision is reversed. The active schema stays the same.".into()
        }
        Decision::Undo { .. } => format!("The latest decision is reversed. {}", becomes(*version)),
    }
}

/// A decision as a report: `v5 promoted`.
fn done(decision: Decision) -> String {
    let with = |version: Option<u32>, word: &str| match version {
        Some(version) => format!("v{version} {word}"),
        None => word.to_owned(),
    };
    match decision {
        Decision::Promote { version } => with(version, "promoted"),
        Decision::Pin { version, enforced: true } => with(version, "pinned and enforced"),
        Decision::Pin { version, .. } => with(version, "pinned"),
        Decision::Unpin {} => "Unpinned".into(),
        Decision::Reject { version } => with(version, "rejected"),
        Decision::Rollback { to: Some(to) } => format!("Rolled back to v{to}"),
        Decision::Rollback { to: None } => "Rolled back".into(),
        Decision::Undo { .. } => "Decision undone".into(),
    }
}

/// The dialog.
#[component]
pub fn DecisionDialog(
    /// The decision.
    asking: Deciding,
) -> impl IntoView {
    let app = App::get();
    let source = app.live.tools(|tools| tools.get(&asking.tool_id).map(|row| row.source));
    let meaning = meaning(&asking, matches!(source, Some(Source::Declared | Source::Hybrid)));
    let Deciding { tool_id, decision, version, active } = asking;
    // What is active already has no impact.
    let version = version.filter(|version| {
        active != Some(*version) || !matches!(decision, Decision::Unpin {} | Decision::Undo { .. })
    });
    let title = action(decision);
    let is_undo = matches!(decision, Decision::Undo { .. });
    let is_pin = matches!(decision, Decision::Pin { .. });
    let is_reject = matches!(decision, Decision::Reject { .. });
    let enforced = RwSignal::new(matches!(decision, Decision::Pin { enforced: true, .. }));
    let signing = Signing::new();
    let wanted = version.map(|version| (tool_id.clone(), version));
    let shown = request_impact(move || wanted.clone(), || 0);
    // What takes effect is decided with its impact in view.
    let needs_impact = matches!(decision, Decision::Promote { .. } | Decision::Pin { .. });
    let disabled = Memo::new(move || {
        version.is_some()
            && shown.with(|shown| match shown {
                None => true,
                Some(known) => needs_impact && known.is_err(),
            })
    });
    let name = tool_id.clone();
    let submit = move || {
        let Some(Signature { reason, no_reason, person }) = signing.begin() else { return };
        let decision = match decision {
            Decision::Pin { version, .. } => Decision::Pin { version, enforced: enforced.get_untracked() },
            other => other,
        };
        let command = Decide { tool_id: tool_id.clone(), decision, reason, no_reason, person };
        leptos::task::spawn_local(async move {
            match door::call(&command).await {
                Ok(decided) => {
                    let clients = if decided.list_changed { ", clients notified" } else { "" };
                    signing.close();
                    if let (Decision::Promote { .. } | Decision::Reject { .. }, Some(version)) =
                        (command.decision, decided.entry.version)
                    {
                        app.settle(command.tool_id.clone(), version);
                    }
                    let undo = match command.decision {
                        Decision::Undo { .. } => Vec::new(),
                        _ => vec![Undoing::Decision(command.tool_id.clone(), decided.entry.id)],
                    };
                    app.notify_decided(format!("{}{clients}", done(command.decision)), undo);
                }
                Err(error) => signing.fail(error.to_string()),
            }
        });
    };
    view! {
        <SignedDialog title=title.clone() tool_id=name optional=is_undo act=title signing disabled=Box::new(move || disabled.get()) submit=Box::new(submit)>
            <p class="dim">{meaning}</p>
            {matches!(decision, Decision::Promote { .. }).then(|| view! {
                <p>{move || shown.with(|shown| match shown {
                    Some(Ok(impact)) => Some(reasons(&impact.readiness)),
                    _ => None,
                })}</p>
            }.into_any())}
            <div class="scrolls" tabindex="0" role="region" aria-label="Impact">
                {version.is_some().then(|| impact(shown, Parts { clients: !is_reject, changes: true }))}
            </div>
            {is_pin.then(|| view! {
                <label class="check">
                    <input type="checkbox" prop:checked=move || enforced.get()
                        on:input:target=move |event| enforced.set(event.target().checked()) />
                    <span>"Enforce: clients of /mcp get an error instead of a result that does not match"</span>
                </label>
            }.into_any())}
        </SignedDialog>
    }
}
