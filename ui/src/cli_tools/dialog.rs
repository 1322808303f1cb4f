//! The dialogs about command-line tools.

use leptos::prelude::*;

use super::add::AddDialog;
use super::decide::{CliDecision, DecideDialog};

/// What a dialog about command-line tools is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CliAsking {
    /// Adding one.
    Add,
    /// A decision about one.
    Decide(CliDecision),
}

/// The dialog.
#[component]
pub fn CliDialog(
    /// What it is for.
    asking: CliAsking,
) -> impl IntoView {
    match asking {
        CliAsking::Add => view! { <AddDialog /> }.into_any(),
        CliAsking::Decide(decision) => view! { <DecideDialog decision=decision /> }.into_any(),
    }
}
