//! Undoing decisions from the message that reports them.

use std::pin::Pin;

use schemascope_api::{AcknowledgeDrift, CallId, Decide, Decision};

use super::App;
use crate::interviews::decide_descriptions;
use crate::{door, text};

/// A decision that can be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undoing {
    /// A decision about versions: the tool, and the entry in the audit log.
    Decision(String, CallId),
    /// An acknowledgement: the tool, and the number of the drift.
    Acknowledgement(String, u64),
    /// A decision about descriptions: the tool, the project and the proposal.
    Descriptions(String, String, String),
    /// A change of a setting.
    Setting(OldSetting),
}

/// A setting as it was before a change.
#[derive(Debug, Clone)]
pub struct OldSetting {
    /// Its name.
    pub name: &'static str,
    /// The value; none for the default.
    pub value: Option<String>,
    /// Restores it. A pointer, because the code belongs to a page that is not part of the first load.
    pub restore: fn(&'static str, Option<String>) -> Restoring,
}

/// A setting that is being restored, or why it could not be.
pub type Restoring = Pin<Box<dyn Future<Output = Result<(), String>>>>;

impl PartialEq for OldSetting {
    fn eq(&self, other: &Self) -> bool {
        (self.name, &self.value) == (other.name, &other.value)
    }
}

impl Eq for OldSetting {}

/// Undoes decisions, the last one first, and reports what failed.
pub fn undo(app: App, decisions: Vec<Undoing>) {
    leptos::task::spawn_local(async move {
        let is_setting = matches!(decisions.as_slice(), [Undoing::Setting(..)]);
        let (all, mut failed) = (decisions.len(), 0);
        for decision in decisions.into_iter().rev() {
            if let Err(error) = undo_one(decision).await {
                failed += 1;
                app.report_error(error);
            }
        }
        app.settled.set(Vec::new());
        app.decided.update(|decided| *decided += 1);
        match all - failed {
            0 => {}
            1 if is_setting => app.notify("Setting restored"),
            1 => app.notify("Decision undone"),
            undone => app.notify(format!("{undone} decisions undone")),
        }
    });
}

async fn undo_one(decision: Undoing) -> Result<(), String> {
    let failed = |tool: &str, error: &dyn std::fmt::Display| format!("{}: {error}", text::visible(tool, 80));
    match decision {
        Undoing::Decision(tool_id, entry) => {
            let decision = Decision::Undo { entry: Some(entry) };
            let command = Decide { tool_id, decision, reason: None, no_reason: true, person: None };
            let done = door::call(&command).await;
            done.map(drop).map_err(|error| failed(&command.tool_id, &error))
        }
        Undoing::Acknowledgement(tool_id, drift) => {
            let (reason, person) = (None, None);
            let command = AcknowledgeDrift { tool_id, drift, reason, no_reason: true, person, undo: true };
            let done = door::call(&command).await;
            done.map(drop).map_err(|error| failed(&command.tool_id, &error))
        }
        Undoing::Descriptions(tool_id, project_id, proposal_id) => {
            let done = door::call(&decide_descriptions(project_id, proposal_id, None)).await;
            done.map(drop).map_err(|error| failed(&tool_id, &error))
        }
        Undoing::Setting(OldSetting { name, value, restore }) => restore(name, value).await,
    }
}
