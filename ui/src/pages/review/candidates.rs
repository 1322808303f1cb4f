//! The candidates of all tools with their readiness, kept up to date.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemascope_api::{CandidateRow, ChangeClass, ListCandidates};

use crate::app::App;
use crate::cells::{Memo, RwSignal};
use crate::door;
use crate::live::Connection;
use crate::picture::needs_review;
use crate::throttle::throttled;

/// Shortest time between two updates, in milliseconds.
const UPDATE_INTERVAL_MS: i32 = 2_000;

/// Candidates by tool; none until they are loaded.
pub type Candidates = RwSignal<Option<Arc<BTreeMap<String, CandidateRow>>>>;

/// Loads the candidates, again after decisions and as results arrive.
pub fn follow() -> Candidates {
    let app = App::get();
    let known: Candidates = RwSignal::new(None);
    // Everything that readiness depends on.
    let state = Memo::new(move || {
        let rows = app.live.tools(|tools| {
            let waiting = tools.values().filter(|row| needs_review(row));
            let facts = waiting.map(|row| {
                let versions = (row.candidate_version, row.effective_version);
                (row.tool_id.clone(), versions, row.drift_waiting, row.observation_count)
            });
            facts.collect::<Vec<_>>()
        });
        (rows, app.live.connection.get() == Connection::Live)
    });
    let is_wanted = move || {
        app.decided.track();
        state.get().1
    };
    throttled(UPDATE_INTERVAL_MS, is_wanted, move || async move {
        // Known candidates stay while the engine does not respond.
        if let Ok(rows) = door::call(&ListCandidates {}).await {
            let rows = rows.into_iter().map(|row| (row.tool_id.clone(), row)).collect();
            known.set(Some(Arc::new(rows)));
        }
    });
    known
}

/// How urgent a candidate that is not ready is; lower is more severe.
pub fn severity(row: Option<&CandidateRow>, drift_waiting: bool) -> u8 {
    let readers = row.and_then(|row| row.readiness.readers);
    match readers {
        Some(ChangeClass::Breaking) => 0,
        _ if drift_waiting => 1,
        Some(ChangeClass::Risky) => 2,
        _ => 3,
    }
}
