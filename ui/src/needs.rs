//! The list of what needs attention, as a signal that every page reads.

use std::sync::Arc;

use schemascope_api::{Need, RecorderReport, Situation, attention};

use crate::cells::Memo;
use crate::live::Live;

/// Returns the list for the engine that is followed.
pub fn needs(live: Live) -> Memo<Vec<Need>> {
    // Counts that change with every call matter only where they lead to another list.
    let recorder = Memo::new(move || {
        live.pulse.with(|pulse| RecorderReport {
            stalled: pulse.recorder.stalled.clone(),
            dropped: pulse.recorder.dropped,
            waiting: pulse.recorder.waiting / 100 * 100,
            low_disk_bytes: pulse.recorder.low_disk_bytes,
            index_behind: pulse.recorder.index_behind,
            ..RecorderReport::default()
        })
    });
    Memo::new(move || {
        let Some(about) = live.about() else { return Vec::new() };
        let recorder = recorder.get();
        let (overrides, problems) = &about.overrides;
        let situation = Situation {
            config: (&about.config, about.problem.as_deref()),
            overrides: (overrides, problems),
            recovery: &about.recovery,
            requests: &about.requests,
            proposals: &about.proposals,
            recorder: &recorder,
        };
        live.servers(|servers| {
            live.tools(|tools| {
                attention(situation, servers.values().map(Arc::as_ref), tools.values().map(Arc::as_ref))
            })
        })
    })
}
