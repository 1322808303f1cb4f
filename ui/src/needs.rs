//! The list of what needs attention, as a signal that every page reads.

use std::sync::Arc;

use schemascope_api::{Need, NeedKind, Place, RecorderReport, Situation, attention};

use crate::cells::Memo;
use crate::live::Live;

/// Versions that are listed one by one.
const APART: usize = 3;

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
        let needs = live.servers(|servers| {
            live.tools(|tools| {
                attention(situation, servers.values().map(Arc::as_ref), tools.values().map(Arc::as_ref))
            })
        });
        together(needs)
    })
}

/// Versions that wait, of which there may be hundreds, as one entry.
fn together(mut needs: Vec<Need>) -> Vec<Need> {
    // They stand together, because the list is in order of their kind.
    let is_waiting = |need: &Need| need.kind == NeedKind::Candidate;
    let number = needs.iter().filter(|need| is_waiting(need)).count();
    if let Some(first) = needs.iter().position(is_waiting)
        && number > APART
    {
        needs.drain(first + 1..first + number);
        needs[first].subject = format!("{number} tools");
        needs[first].text = "Versions wait for a decision.".to_owned();
        needs[first].since = None;
        needs[first].place = Place::Requests;
    }
    needs
}
