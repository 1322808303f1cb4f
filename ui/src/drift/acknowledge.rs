//! The dialog that acknowledges drift.

use leptos::prelude::*;
use schemascope_api::{AcknowledgeDrift, Change, DriftRow, LearnFrom, Relearn};

use super::sentence;
use crate::app::{App, Undoing};
use crate::cells::RwSignal;
use crate::door;
use crate::parts::{Signature, SignedDialog, Signing, Views};

/// Drift that is being acknowledged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acknowledging {
    /// `server__tool`.
    pub tool_id: String,
    /// The drifts.
    pub rows: Vec<DriftRow>,
}

/// The dialog.
#[component]
pub fn AcknowledgeDialog(
    /// The drift.
    asking: Acknowledging,
) -> impl IntoView {
    let app = App::get();
    let signing = Signing::new();
    let title = match asking.rows.len() {
        1 => "Acknowledge drift".to_owned(),
        n => format!("Acknowledge {n} changes"),
    };
    let lines = asking.rows.iter().map(|row| view! { <li>{sentence(row)}</li> }.into_any()).views();
    let name = asking.tool_id.clone();
    let relearns = RwSignal::new(false);
    // Broken rules stay broken, whatever is learned.
    let can_relearn = asking.rows.iter().any(|row| row.change != Change::Violated);
    let submit = move || {
        let Some(Signature { reason, no_reason, person }) = signing.begin() else { return };
        let Acknowledging { tool_id, rows } = asking.clone();
        leptos::task::spawn_local(async move {
            let (mut undo, mut problem) = (Vec::new(), None);
            let latest = rows.iter().max_by_key(|row| row.since).map(|row| row.drift);
            for row in rows {
                let command = AcknowledgeDrift {
                    tool_id: tool_id.clone(),
                    drift: row.drift,
                    reason: reason.clone(),
                    no_reason,
                    person: person.clone(),
                    undo: false,
                };
                // One that was settled elsewhere does not keep the others from being acknowledged.
                match door::call(&command).await {
                    Ok(_) => undo.push(Undoing::Acknowledgement(tool_id.clone(), row.drift)),
                    Err(error) => problem = Some(error.to_string()),
                }
            }
            if let Some(drift) = latest.filter(|_| relearns.get_untracked()) {
                let from = LearnFrom::Drift(drift);
                match door::call(&Relearn { tool_id: tool_id.clone(), from, reason, no_reason, person }).await
                {
                    Ok(decided) => undo.push(Undoing::Decision(tool_id.clone(), decided.entry.id)),
                    Err(error) => problem = Some(error.to_string()),
                }
            }
            if let (Some(problem), true) = (&problem, undo.is_empty()) {
                app.decided.update(|decided| *decided += 1);
                return signing.fail(problem.clone());
            }
            signing.close();
            app.notify_decided("Drift acknowledged", undo);
            if let Some(problem) = problem {
                app.report_error(problem);
            }
        });
    };
    view! {
        <SignedDialog title tool_id=name act="Acknowledge".to_owned() signing disabled=Box::new(|| false) submit=Box::new(submit)>
            <p class="dim">"Marks what changed as known. It stays on the tool's page until results return to normal or a newer version becomes active."</p>
            <ul class="scrolls listed" tabindex="0" aria-label="What changed">{lines}</ul>
            {can_relearn.then(|| view! {
                <label class="check">
                    <input type="checkbox" id="relearn" on:input:target=move |event| relearns.set(event.target().checked()) />
                    <span>"Learn the schema from results since the change only"</span>
                </label>
            }.into_any())}
        </SignedDialog>
    }
}
