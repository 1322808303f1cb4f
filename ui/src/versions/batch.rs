//! The dialog of one decision about several tools, with their joint impact.

use leptos::prelude::*;
use schemascope_api::{CandidateRow, ChangeClass, Decide, Decision};

use super::readiness::reasons;
use crate::app::{App, Undoing};
use crate::cells::RwSignal;
use crate::door;
use crate::numbers::count;
use crate::parts::{Signature, SignedDialog, Signing, ToolName, Views};

/// What is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Promotes the candidates.
    Promote,
    /// Rejects them.
    Reject,
}

/// A decision about the candidates of several tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// What is decided.
    pub verb: Verb,
    /// The candidates.
    pub rows: Vec<CandidateRow>,
}

impl Verb {
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Promote => ("Promote", "promoted"),
            Self::Reject => ("Reject", "rejected"),
        }
    }

    fn decision(self, version: u32) -> Decision {
        match self {
            Self::Promote => Decision::Promote { version: Some(version) },
            Self::Reject => Decision::Reject { version: Some(version) },
        }
    }
}

/// A number of versions in words.
fn versions(number: usize) -> String {
    if number == 1 { "1 version".to_owned() } else { format!("{} versions", count(number as u64)) }
}

/// The dialog.
#[component]
pub fn BatchDialog(
    /// The decision.
    batch: Batch,
) -> impl IntoView {
    let app = App::get();
    let Batch { verb, rows } = batch;
    let (act, done) = verb.words();
    let title = format!("{act} {}", versions(rows.len()));
    let signing = Signing::new();
    let shown = joint(verb, &rows);
    let (progress, all) = (RwSignal::new(None::<usize>), rows.len());
    let submit = move || {
        let Some(Signature { reason, no_reason, person }) = signing.begin() else { return };
        let rows = rows.clone();
        leptos::task::spawn_local(async move {
            let mut undo = Vec::new();
            let mut problem = None;
            for CandidateRow { tool_id, version, .. } in rows {
                // Closing the dialog stops it; what was decided until then can be undone.
                if progress.try_update(|number| *number = Some(undo.len())).is_none() {
                    break;
                }
                let (reason, person) = (reason.clone(), person.clone());
                let decision = verb.decision(version);
                let command = Decide { tool_id: tool_id.clone(), decision, reason, no_reason, person };
                match door::call(&command).await {
                    Ok(decided) => {
                        app.settle(tool_id.clone(), version);
                        undo.push(Undoing::Decision(tool_id, decided.entry.id));
                    }
                    Err(error) => {
                        problem = Some(error.to_string());
                        break;
                    }
                }
            }
            signing.close();
            if !undo.is_empty() {
                app.notify_decided(format!("{} {done}", versions(undo.len())), undo);
            }
            if let Some(problem) = problem {
                app.report_error(problem);
            }
        });
    };
    view! {
        <SignedDialog title=title act=act.to_owned() signing disabled=Box::new(|| false) submit=Box::new(submit)>
            {shown}
            <p class="quiet" aria-live="polite">{move || progress.get().map(|number| {
                format!("{} of {} {done}. Cancel stops here.", count(number as u64), count(all as u64))
            })}</p>
        </SignedDialog>
    }
}

/// The impact of all versions together, then of each.
fn joint(verb: Verb, rows: &[CandidateRow]) -> AnyView {
    let (fits, all) = rows.iter().fold((0, 0), |(fits, all), row| {
        let since = row.readiness.since;
        (fits + since.fits, all + since.fits + since.violates)
    });
    let clients = rows.iter().filter(|row| row.list_changed).count();
    let breaking = rows
        .iter()
        .filter(|row| row.readiness.readers.is_some_and(|class| class != ChangeClass::Safe))
        .count();
    let line = |row: &CandidateRow| {
        let since = row.readiness.since;
        let after =
            row.effective_version.map_or(" · first".to_owned(), |active| format!(" after v{active}"));
        view! {
            <li>
                <span class="cut"><ToolName id=row.tool_id.clone() /></span>
                <span class="mono">{format!("v{}", row.version)}<span class="faint">{after}</span></span>
                <span class="num">{match since.fits + since.violates {
                    0 => "no result yet".to_owned(),
                    results => format!("{} of {} match", count(since.fits), count(results)),
                }}</span>
                <span>{reasons(&row.readiness)}</span>
            </li>
        }
        .into_any()
    };
    let effect = match verb {
        Verb::Promote => {
            "Clients of /mcp will see these schemas. Results that do not match still pass and are counted."
        }
        Verb::Reject => "These versions and equal ones will not be suggested again.",
    };
    view! {
        <p class="dim">{effect}</p>
        <div class="figures">
            {match all {
                0 => view! { <div><b class="warn">"None"</b><small>"results since their creation"</small></div> }.into_any(),
                _ => view! {
                    <div><b class=if fits == all { "good" } else { "warn" }>{format!("{} of {}", count(fits), count(all))}</b><small>"results since their creation match"</small></div>
                }.into_any(),
            }}
            <div><b class=if breaking == 0 { "good" } else { "warn" }>{if breaking == 0 { "None".to_owned() } else { count(breaking as u64) }}</b><small>"may break readers"</small></div>
            {(verb == Verb::Promote).then(|| view! {
                <div><b>{count(clients as u64)}</b><small>{if clients == 1 { "schema changes for clients of /mcp" } else { "schemas change for clients of /mcp" }}</small></div>
            }.into_any())}
        </div>
        <ul class="scrolls joint" tabindex="0" aria-label="Versions">{rows.iter().map(line).views()}</ul>
    }
    .into_any()
}
