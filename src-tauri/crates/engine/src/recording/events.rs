//! The latest events, for fronts that show them as they happen.
//!
//! Events are numbered. The newest calls are kept; of tools and upstreams only *that* they changed. A follower
//! collects what is new since its cursor (see [`crate::follower`]).

use parking_lot::{Mutex, MutexGuard};
use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use schemascope_api::{CallRow, WrapperEvent};
use schemascope_model::{CallRecord, Origin, Timestamp, ToolId};
use tokio::sync::watch;

/// Calls kept for followers. At 200 a second a follower may be away for ten seconds.
const CALLS: usize = 2_000;
/// Changes of wrappers kept for followers.
const WRAPPERS: usize = 100;
/// Calls in a snapshot.
pub(crate) const SNAPSHOT_CALLS: usize = 200;
/// Seconds over which the rate of calls is averaged.
const RATE_SECONDS: usize = 5;

/// Events since the engine started.
pub(crate) struct Events {
    engine: u64,
    began: Instant,
    recent: Mutex<Recent>,
    /// The latest number.
    sequence: watch::Sender<u64>,
}

#[derive(Default)]
struct Recent {
    /// With their numbers, oldest first.
    calls: VecDeque<(u64, CallRow)>,
    /// The number of the last call that is not kept any more.
    forgotten: u64,
    tools: HashMap<ToolId, u64>,
    servers: HashMap<String, u64>,
    /// Changes of wrappers with their numbers, oldest first.
    wrappers: VecDeque<(u64, WrapperEvent)>,
    window: u64,
    /// Number of the latest event that made every earlier frame out of date.
    renewed: u64,
    /// Calls in each of the last seconds; the first is the current one.
    rate: [u64; RATE_SECONDS + 1],
    second: u64,
}

/// Everything new since some event.
pub(crate) struct Update {
    pub(crate) latest: u64,
    pub(crate) behind: bool,
    pub(crate) calls: Vec<CallRow>,
    pub(crate) tools: Vec<ToolId>,
    pub(crate) servers: Vec<String>,
    pub(crate) wrappers: Vec<WrapperEvent>,
    pub(crate) show_window: bool,
    pub(crate) calls_per_second: f64,
}

impl Events {
    pub(crate) fn new(now: Timestamp) -> Self {
        Self {
            engine: now.as_millis(),
            began: Instant::now(),
            recent: Mutex::default(),
            sequence: watch::Sender::new(0),
        }
    }

    /// Numbers of the latest event, as they come.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.sequence.subscribe()
    }

    /// Adds the latest calls before the start, newest first, for snapshots.
    pub(crate) fn remember(&self, calls: &[CallRecord]) {
        let mut recent = self.recent();
        for call in calls {
            recent.calls.push_front((0, call_row(call)));
        }
    }

    /// Adds calls that were recorded and counted.
    pub(crate) fn recorded<'a>(&self, calls: impl Iterator<Item = &'a CallRecord>) {
        self.add(|recent, sequence, second| {
            recent.turn_to(second);
            for call in calls {
                *sequence += 1;
                recent.tools.insert(call.tool_id.clone(), *sequence);
                if call.origin == Origin::Backfill {
                    // The call of a trace happened at another time.
                    continue;
                }
                recent.rate[0] += 1;
                recent.calls.push_back((*sequence, call_row(call)));
                if recent.calls.len() > CALLS
                    && let Some((number, _)) = recent.calls.pop_front()
                {
                    recent.forgotten = number;
                }
            }
        });
    }

    /// Notes that upstreams list these tools differently, or that something was decided about them.
    pub(crate) fn declared<'a>(&self, tools: impl Iterator<Item = &'a ToolId>) {
        self.add(|recent, sequence, _| {
            *sequence += 1;
            recent.tools.extend(tools.map(|tool| (tool.clone(), *sequence)));
        });
    }

    /// Notes that an upstream's state changed.
    pub(crate) fn server_changed(&self, server: &str) {
        self.add(|recent, sequence, _| {
            *sequence += 1;
            recent.servers.insert(server.to_owned(), *sequence);
        });
    }

    /// Notes that everything may have changed, so that every follower gets a snapshot.
    pub(crate) fn renewed(&self) {
        self.add(|recent, sequence, _| {
            *sequence += 1;
            recent.renewed = *sequence;
        });
    }

    /// Adds changes of wrappers.
    pub(crate) fn wrappers_changed(&self, changes: impl Iterator<Item = WrapperEvent>) {
        self.add(|recent, sequence, _| {
            for change in changes {
                *sequence += 1;
                recent.wrappers.push_back((*sequence, change));
                if recent.wrappers.len() > WRAPPERS {
                    recent.wrappers.pop_front();
                }
            }
        });
    }

    /// Asks windows to come to the front.
    pub(crate) fn show_window(&self) {
        self.add(|recent, sequence, _| {
            *sequence += 1;
            recent.window = *sequence;
        });
    }

    fn add(&self, event: impl FnOnce(&mut Recent, &mut u64, u64)) {
        let mut recent = self.recent();
        let second = self.began.elapsed().as_secs();
        self.sequence.send_modify(|sequence| event(&mut recent, sequence, second));
    }

    /// Everything new since an event; everything kept if none was seen.
    pub(crate) fn since(&self, seen: Option<u64>) -> Update {
        let mut recent = self.recent();
        recent.turn_to(self.began.elapsed().as_secs());
        // Read under the lock, so that it matches what is kept.
        let latest = *self.sequence.borrow();
        let behind = seen.is_some_and(|seen| recent.forgotten.max(recent.renewed) > seen);
        // A snapshot contains everything.
        let seen = seen.filter(|_| !behind);
        let new = |number: &u64| seen.is_none_or(|seen| *number > seen);
        Update {
            latest,
            behind,
            calls: recent.calls.iter().filter(|(n, _)| new(n)).map(|(_, row)| row.clone()).collect(),
            tools: recent.tools.iter().filter(|(_, n)| new(n)).map(|(tool, _)| tool.clone()).collect(),
            servers: recent.servers.iter().filter(|(_, n)| new(n)).map(|(name, _)| name.clone()).collect(),
            wrappers: recent
                .wrappers
                .iter()
                .filter(|(n, _)| new(n))
                .map(|(_, event)| event.clone())
                .collect(),
            show_window: new(&recent.window),
            calls_per_second: recent.rate[1..].iter().sum::<u64>() as f64 / RATE_SECONDS as f64,
        }
    }

    /// Tools that changed since an event, and the latest number. `None` stands for every tool.
    pub(crate) fn tools_since(&self, seen: Option<u64>) -> (Option<Vec<ToolId>>, u64) {
        let recent = self.recent();
        let latest = *self.sequence.borrow();
        let seen = seen.filter(|seen| recent.renewed <= *seen);
        let changed = |seen: u64| {
            let tools = recent.tools.iter().filter(|(_, number)| **number > seen);
            tools.map(|(tool, _)| tool.clone()).collect()
        };
        (seen.map(changed), latest)
    }

    /// The number of the engine's run, which cursors carry.
    pub(crate) fn engine(&self) -> u64 {
        self.engine
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock()
    }
}

/// A call as lists show it.
pub(crate) fn call_row(call: &CallRecord) -> CallRow {
    CallRow {
        id: call.id,
        at: call.at,
        tool_id: call.tool_id.to_string(),
        outcome: call.outcome,
        carrier: call.carrier,
        fits: call.fit.as_ref().map(|fit| fit.fits),
        total_us: call.total_us,
        result_bytes: call.result_bytes,
        client: call.client.as_ref().map(|client| client.name.to_string()),
    }
}

impl Recent {
    /// Makes `second` the current one.
    fn turn_to(&mut self, second: u64) {
        let passed = usize::try_from(second.saturating_sub(self.second)).unwrap_or(usize::MAX);
        let passed = passed.min(self.rate.len());
        self.rate.rotate_right(passed);
        self.rate[..passed].fill(0);
        self.second = self.second.max(second);
    }
}

#[cfg(test)]
mod tests {
    use schemascope_api::WrapperChange;
    use schemascope_model::{IdSource, Outcome};

    use super::*;

    fn call(ids: &IdSource, tool: &str) -> CallRecord {
        let at = Timestamp::from_millis(1);
        CallRecord::new(ids.at(at), at, tool.parse().unwrap(), Outcome::Ok, Origin::Proxy)
    }

    #[test]
    fn update_holds_events_since_the_cursor() {
        let events = Events::new(Timestamp::from_millis(7));
        let ids = IdSource::new(0, 0);
        let calls = [call(&ids, "s__a"), call(&ids, "s__b")];
        events.recorded(calls.iter());
        let update = events.since(Some(0));
        assert_eq!((update.latest, update.calls.len(), update.tools.len(), update.behind), (2, 2, 2, false));
        events.server_changed("s");
        events.recorded(calls[..1].iter());
        let update = events.since(Some(2));
        assert_eq!((update.latest, update.calls.len(), update.tools.len()), (4, 1, 1));
        assert_eq!(update.servers, ["s"]);
        let update = events.since(Some(4));
        assert!(update.calls.is_empty() && update.tools.is_empty() && update.servers.is_empty());
    }

    #[test]
    fn changes_of_wrappers_are_shown_once_and_the_latest_in_a_snapshot() {
        let events = Events::new(Timestamp::from_millis(7));
        let change = WrapperChange {
            tool_id: "s__a".to_owned(),
            lang: "python".to_owned(),
            file: "servers/s/a.py".to_owned(),
            why: "first written".to_owned(),
            edited: false,
        };
        let event = WrapperEvent { at: Timestamp::from_millis(8), folder: "/w".to_owned(), change };
        events.wrappers_changed(std::iter::repeat_n(event, WRAPPERS + 1));
        let update = events.since(Some(0));
        assert_eq!(update.wrappers.len(), WRAPPERS);
        assert!(events.since(Some(update.latest)).wrappers.is_empty());
        assert_eq!(events.since(None).wrappers.len(), WRAPPERS);
    }

    #[test]
    fn follower_too_far_behind_is_reported() {
        let events = Events::new(Timestamp::from_millis(7));
        let ids = IdSource::new(0, 0);
        let calls: Vec<CallRecord> = (0..CALLS + 3).map(|_| call(&ids, "s__a")).collect();
        events.recorded(calls.iter());
        assert!(events.since(Some(2)).behind);
        let update = events.since(Some(3));
        assert!(!update.behind);
        assert_eq!(update.calls.len(), CALLS);
    }

    #[test]
    fn rate_covers_the_last_seconds_only() {
        let mut recent = Recent { rate: [4, 3, 0, 0, 0, 0], ..Recent::default() };
        recent.turn_to(1);
        assert_eq!(recent.rate, [0, 4, 3, 0, 0, 0]);
        recent.turn_to(1);
        assert_eq!(recent.rate, [0, 4, 3, 0, 0, 0]);
        recent.turn_to(1_000_000);
        assert_eq!(recent.rate, [0; RATE_SECONDS + 1]);
    }
}
