//! Drift as pages show it: what changed, the evidence, the calls, and its acknowledgement.

mod acknowledge;
mod list;

use std::sync::Arc;

use schemascope_api::{DriftRow, ListDrift};

use crate::app::{App, Dialog};
use crate::cells::{Memo, RwSignal, StoredValue};
use crate::door;
use crate::live::Connection;
use crate::throttle::throttled;

pub use acknowledge::{AcknowledgeDialog, Acknowledging};
pub use list::{DriftList, sentence};

/// Pause between two loads of a tool's drifts, in milliseconds.
const UPDATE_INTERVAL_MS: i32 = 500;

/// A tool's drifts as signals, including resolved ones.
#[derive(Clone, Copy)]
pub struct Drifts {
    id: StoredValue<String>,
    known: RwSignal<Option<Arc<Vec<DriftRow>>>>,
}

impl Drifts {
    /// Loads the drifts of a tool and keeps them up to date.
    pub fn follow(id: String) -> Self {
        let app = App::get();
        let drifts = Self { id: StoredValue::new(id.clone()), known: RwSignal::new(None) };
        let standing = {
            let id = id.clone();
            Memo::new(move || {
                let row = app.live.tools(|tools| tools.get(&id).cloned());
                // Each result counts for the shares of the drifts that are open.
                let row = row.map(|row| {
                    let results = if row.drift_count > 0 { row.observation_count } else { 0 };
                    (row.drift_count, row.drift_waiting, row.effective_version, results)
                });
                (row, app.live.snapshots.get(), app.live.connection.get() == Connection::Live)
            })
        };
        let is_wanted = move || {
            app.decided.track();
            standing.get().2
        };
        throttled(UPDATE_INTERVAL_MS, is_wanted, move || {
            let command = ListDrift { tool_id: Some(id.clone()), all: true };
            async move {
                // Known drifts stay while the engine does not respond.
                if let Ok(rows) = door::call(&command).await {
                    drifts.known.set(Some(Arc::new(rows)));
                }
            }
        });
        drifts
    }

    fn rows(&self, wanted: impl Fn(&DriftRow) -> bool) -> Vec<DriftRow> {
        self.known.with(|known| {
            known.iter().flat_map(|rows| rows.iter()).filter(|row| wanted(row)).cloned().collect()
        })
    }

    /// Drifts that continue.
    pub fn open(&self) -> Vec<DriftRow> {
        self.rows(|row| row.resolved.is_none())
    }

    /// Resolved drifts.
    pub fn resolved(&self) -> Vec<DriftRow> {
        self.rows(|row| row.resolved.is_some())
    }

    /// Opens the dialog that acknowledges one drift, or all that need it.
    pub fn acknowledge(&self, app: App, one: Option<u64>) {
        let needed = |row: &DriftRow| row.resolved.is_none() && row.acknowledged.is_none();
        let rows = self.rows(|row| needed(row) && one.is_none_or(|one| one == row.drift));
        if !rows.is_empty() {
            app.dialog.set(Some(Dialog::Acknowledge(Acknowledging { tool_id: self.id.get_value(), rows })));
        }
    }
}
