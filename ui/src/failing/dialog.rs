//! The dialog that decides whether texts are failures.

use leptos::prelude::*;
use schemascope_api::{FailingTextRow, JudgeText};

use crate::app::{App, Undoing};
use crate::door;
use crate::numbers::number_of;
use crate::parts::{Foreign, Signature, SignedDialog, Signing};

/// A decision about texts that begin alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judging {
    /// The texts.
    pub row: FailingTextRow,
    /// Whether they are to count as failures.
    pub fails: bool,
}

/// The dialog.
#[component]
pub fn JudgeDialog(
    /// The decision.
    asking: Judging,
) -> impl IntoView {
    let app = App::get();
    let signing = Signing::new();
    let Judging { row, fails } = asking;
    let (title, act, effect) = match fails {
        true => (
            "Count as failures",
            "Count as failures",
            "Results that begin so count as failed calls and teach no schema. Calls that are stored are counted again; the results that agents get stay the same.",
        ),
        false if row.fails => (
            "Count as results",
            "Count as results",
            "Results that begin so count as results again. Calls that are stored are counted again.",
        ),
        false => (
            "Keep as results",
            "Keep as results",
            "Results that begin so keep counting as results, and are not shown here again.",
        ),
    };
    let FailingTextRow { tool_id, starts, results, .. } = row;
    let name = tool_id.clone();
    let shown = starts.clone();
    let submit = move || {
        let Some(Signature { reason, no_reason, person }) = signing.begin() else { return };
        let command =
            JudgeText { tool_id: tool_id.clone(), starts: starts.clone(), fails, reason, no_reason, person };
        leptos::task::spawn_local(async move {
            match door::call(&command).await {
                Err(error) => signing.fail(error.to_string()),
                Ok(decided) => {
                    signing.close();
                    let said = if fails { "Texts count as failures" } else { "Texts count as results" };
                    app.notify_decided(said, vec![Undoing::Decision(command.tool_id, decided.entry.id)]);
                    decided.warnings.into_iter().for_each(|warning| app.report_error(warning));
                }
            }
        });
    };
    view! {
        <SignedDialog title=title.to_owned() tool_id=name act=act.to_owned() signing disabled=Box::new(|| false) submit=Box::new(submit)>
            <p class="dim">{effect}</p>
            <ul class="listed"><li><b class="mono"><Foreign text=shown limit=200 /></b>{format!(" · {} so far", number_of(results as usize, "result", "results"))}</li></ul>
        </SignedDialog>
    }
}
