//! That somebody has seen drift: what it means is said before, and a reason is asked for.

use leptos::prelude::*;
use schemascope_api::{AcknowledgeDrift, DriftRow};

use super::sentence;
use crate::app::App;
use crate::door;
use crate::parts::{Signature, SignedDialog, Signing, Views};

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
    let signing = Signing::new();
    let title = match seen.rows.len() {
        1 => "Acknowledge drift".to_owned(),
        n => format!("Acknowledge {n} changes"),
    };
    let lines = seen.rows.iter().map(|row| view! { <li>{sentence(row)}</li> }.into_any()).views();
    let name = seen.tool_id.clone();
    let take = move || {
        let Some(Signature { reason, person }) = signing.sign() else { return };
        let Seen { tool_id, rows } = seen.clone();
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
                    return signing.fail(error.to_string());
                }
            }
            app.close_dialog();
            app.decided.update(|decided| *decided += 1);
            app.say("Acknowledged: it goes on, and waits for nobody");
        });
    };
    view! {
        <SignedDialog title tool_id=name act="Acknowledge".to_owned() signing waits=Box::new(|| false) take=Box::new(take)>
            <p class="dim">"You have seen it. It goes on until results are as they were, or a version that was cut since comes into force; it no longer waits for anybody."</p>
            <ul class="scrolls listed" tabindex="0" aria-label="What changed">{lines}</ul>
        </SignedDialog>
    }
}
