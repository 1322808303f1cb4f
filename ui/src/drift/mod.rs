//! What pages show of drift: what changed, how sure that is, the calls behind it, and that somebody has seen it.
//!
//! Owns: the words for drift on the screen. Refuses to know: which page asks.

mod acknowledge;
mod list;

use std::sync::Arc;

use schemascope_api::{DriftRow, ListDrift};

use crate::app::{App, Dialog};
use crate::cells::{Memo, RwSignal, StoredValue, effect};
use crate::door;
use crate::live::Connection;

pub use acknowledge::{AcknowledgeDialog, Seen};
pub use list::{Drifted, sentence};

/// A tool's drifts as signals, those that are over too.
#[derive(Clone, Copy)]
pub struct Drifts {
    id: StoredValue<String>,
    known: RwSignal<Option<Arc<Vec<DriftRow>>>>,
}

impl Drifts {
    /// Keeps them up to date.
    pub fn follow(id: String) -> Self {
        let app = App::get();
        let drifts = Self { id: StoredValue::new(id.clone()), known: RwSignal::new(None) };
        let standing = {
            let id = id.clone();
            Memo::new(move || {
                let row = app.live.tools(|tools| tools.get(&id).cloned());
                let row = row.map(|row| (row.drift_count, row.drift_waiting, row.effective_version));
                (row, app.live.snapshots.get(), app.live.connection.get() == Connection::Live)
            })
        };
        effect(move || {
            app.decided.track();
            if !standing.get().2 {
                return;
            }
            let command = ListDrift { tool_id: Some(id.clone()), all: true };
            leptos::task::spawn_local(async move {
                // What is known stays, when the engine is away for a moment.
                if let Ok(rows) = door::call(&command).await {
                    drifts.known.set(Some(Arc::new(rows)));
                }
            });
        });
        drifts
    }

    fn rows(&self, wanted: impl Fn(&DriftRow) -> bool) -> Vec<DriftRow> {
        self.known.with(|known| {
            known.iter().flat_map(|rows| rows.iter()).filter(|row| wanted(row)).cloned().collect()
        })
    }

    /// Those that go on.
    pub fn open(&self) -> Vec<DriftRow> {
        self.rows(|row| row.resolved.is_none())
    }

    /// Those that are over.
    pub fn over(&self) -> Vec<DriftRow> {
        self.rows(|row| row.resolved.is_some())
    }

    /// Asks whether somebody has seen these: all that wait, or one.
    pub fn ask(&self, app: App, one: Option<u64>) {
        let waits = |row: &DriftRow| row.resolved.is_none() && row.acknowledged.is_none();
        let rows = self.rows(|row| waits(row) && one.is_none_or(|one| one == row.drift));
        if !rows.is_empty() {
            app.dialog.set(Some(Dialog::Acknowledge(Seen { tool_id: self.id.get_value(), rows })));
        }
    }
}
