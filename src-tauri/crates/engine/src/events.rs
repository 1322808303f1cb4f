//! What happened lately, for fronts that show it as it happens.
//!
//! Events are numbered; the newest calls are kept, of tools and upstreams only *that* they changed. A
//! follower collects what is new since its cursor into a frame, ten a second at most, so that the cost of
//! a follower does not grow with the traffic. Owns: numbering, coalescing, falling behind. Refuses to
//! know: how frames travel.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use schemascope_api::{CallRow, Cursor, Frame, Pulse, Snapshot};
use schemascope_model::{CallRecord, Origin, Timestamp, ToolId};
use schemascope_registry::{Registry, Tool};
use tokio::sync::watch;

use crate::engine::Engine;
use crate::views;

/// Calls kept for followers. At 200 a second a follower may be away for ten seconds.
const CALLS: usize = 2_000;
/// Calls a snapshot brings.
pub(crate) const SNAPSHOT_CALLS: usize = 200;
/// Time between two frames.
const FRAME: Duration = Duration::from_millis(100);
/// A frame comes at least so often, so that a reader knows that the stream lives.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// Seconds over which the rate of calls is taken.
const RATE: usize = 5;

/// What happened since the engine started.
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
    window: u64,
    /// When what every frame rests on became another.
    renewed: u64,
    /// Calls in each of the last seconds; the first is the current one.
    rate: [u64; RATE + 1],
    second: u64,
}

/// What is new since some number.
struct News {
    latest: u64,
    behind: bool,
    calls: Vec<CallRow>,
    tools: Vec<ToolId>,
    servers: Vec<String>,
    show_window: bool,
    calls_per_second: f64,
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

    /// Told whenever something happened.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.sequence.subscribe()
    }

    /// Takes the latest calls of before the start, newest first, for who asks for everything.
    pub(crate) fn remember(&self, calls: &[CallRecord]) {
        let mut recent = self.recent();
        for call in calls {
            recent.calls.push_front((0, views::call_row(call)));
        }
    }

    /// Calls were recorded and counted.
    pub(crate) fn recorded<'a>(&self, calls: impl Iterator<Item = &'a CallRecord>) {
        self.happened(|recent, sequence, second| {
            recent.turn_to(second);
            for call in calls {
                *sequence += 1;
                recent.tools.insert(call.tool_id.clone(), *sequence);
                if call.origin == Origin::Backfill {
                    // It happened at another time.
                    continue;
                }
                recent.rate[0] += 1;
                recent.calls.push_back((*sequence, views::call_row(call)));
                if recent.calls.len() > CALLS
                    && let Some((number, _)) = recent.calls.pop_front()
                {
                    recent.forgotten = number;
                }
            }
        });
    }

    /// Upstreams list these tools otherwise than before, or something was decided about them.
    pub(crate) fn declared<'a>(&self, tools: impl Iterator<Item = &'a ToolId>) {
        self.happened(|recent, sequence, _| {
            *sequence += 1;
            recent.tools.extend(tools.map(|tool| (tool.clone(), *sequence)));
        });
    }

    /// An upstream's state changed.
    pub(crate) fn server_changed(&self, server: &str) {
        self.happened(|recent, sequence, _| {
            *sequence += 1;
            recent.servers.insert(server.to_owned(), *sequence);
        });
    }

    /// What every frame rests on is another: everybody gets a snapshot.
    pub(crate) fn renewed(&self) {
        self.happened(|recent, sequence, _| {
            *sequence += 1;
            recent.renewed = *sequence;
        });
    }

    /// A window should come to the front.
    pub(crate) fn show_window(&self) {
        self.happened(|recent, sequence, _| {
            *sequence += 1;
            recent.window = *sequence;
        });
    }

    fn happened(&self, note: impl FnOnce(&mut Recent, &mut u64, u64)) {
        let mut recent = self.recent();
        let second = self.began.elapsed().as_secs();
        self.sequence.send_modify(|sequence| note(&mut recent, sequence, second));
    }

    /// Of everything kept when nothing was seen.
    fn since(&self, seen: Option<u64>) -> News {
        let mut recent = self.recent();
        recent.turn_to(self.began.elapsed().as_secs());
        // Under the lock, so that nothing comes in between.
        let latest = *self.sequence.borrow();
        let behind = seen.is_some_and(|seen| recent.forgotten.max(recent.renewed) > seen);
        // A snapshot tells everything.
        let seen = seen.filter(|_| !behind);
        let new = |number: &u64| seen.is_none_or(|seen| *number > seen);
        News {
            latest,
            behind,
            calls: recent.calls.iter().filter(|(n, _)| new(n)).map(|(_, row)| row.clone()).collect(),
            tools: recent.tools.iter().filter(|(_, n)| new(n)).map(|(tool, _)| tool.clone()).collect(),
            servers: recent.servers.iter().filter(|(_, n)| new(n)).map(|(name, _)| name.clone()).collect(),
            show_window: new(&recent.window),
            calls_per_second: recent.rate[1..].iter().sum::<u64>() as f64 / RATE as f64,
        }
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
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

/// One reader of the events.
pub struct Follower {
    engine: Arc<Engine>,
    sequence: watch::Receiver<u64>,
    /// The last event seen; none when everything is to be told anew.
    seen: Option<u64>,
    last: Option<Instant>,
}

impl Follower {
    pub(crate) fn new(engine: Arc<Engine>, since: Option<Cursor>) -> Self {
        let sequence = engine.events.sequence.subscribe();
        let latest = *sequence.borrow();
        let seen = since
            .filter(|cursor| cursor.engine == engine.events.engine && cursor.sequence <= latest)
            .map(|cursor| cursor.sequence);
        Self { engine, sequence, seen, last: None }
    }

    /// The next frame: at once for the first, then when something happened, at least every second.
    pub async fn next(&mut self) -> Frame {
        if let Some(last) = self.last {
            let seen = self.seen.unwrap_or(0);
            let something = self.sequence.wait_for(|latest| *latest > seen);
            // The sender lives in the engine we hold.
            let _ = tokio::time::timeout_at((last + HEARTBEAT).into(), something).await;
            tokio::time::sleep_until((last + FRAME).into()).await;
        }
        self.last = Some(Instant::now());
        self.frame()
    }

    fn frame(&mut self) -> Frame {
        let engine = &self.engine;
        let mut news = engine.events.since(self.seen);
        let is_snapshot = self.seen.is_none() || news.behind;
        self.seen = Some(news.latest);
        let (redactor, config) = (engine.redaction.now(), engine.config());
        let servers = engine.hub.status().into_iter().map(|status| views::server_row(status, &redactor));
        let pulse_of = |registry: &Registry| {
            let tools = registry.tools().values();
            let (call_count, failure_count) =
                tools.fold((0, 0), |(calls, failures), tool| (calls + tool.calls, failures + tool.failures));
            Pulse {
                calls_per_second: news.calls_per_second,
                call_count,
                failure_count,
                latency: engine.recorder.call_latency(),
                recorder: engine.recorder.report(),
            }
        };
        let (mut tools, mut gone) = (Vec::new(), Vec::new());
        let pulse = {
            let registry = engine.registry();
            let mut show = |id: &ToolId, tool: &Tool| {
                if tool.exists() {
                    tools.push(views::tool_row(id, tool, engine.decisions.numbers(id, tool)));
                } else {
                    gone.push(id.to_string());
                }
            };
            if is_snapshot {
                registry.tools().iter().for_each(|(id, tool)| show(id, tool));
            } else {
                for id in &news.tools {
                    if let Some(tool) = registry.tool(id) {
                        show(id, tool);
                    }
                }
            }
            pulse_of(&registry)
        };
        if is_snapshot {
            gone.clear();
            let too_many = news.calls.len().saturating_sub(SNAPSHOT_CALLS);
            news.calls.drain(..too_many);
        }
        Frame {
            cursor: Cursor { engine: engine.events.engine, sequence: news.latest },
            snapshot: is_snapshot.then(|| Snapshot {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                config: config.path.display().to_string(),
                problem: config.problem.clone(),
                overrides: (engine.overrides.path.display().to_string(), engine.overrides.problems()),
                mcp_url: engine.mcp_url.get().cloned(),
                recovery: engine.recovery.clone(),
            }),
            pulse,
            calls: news.calls,
            tools,
            gone,
            servers: servers.filter(|row| is_snapshot || news.servers.contains(&row.server_name)).collect(),
            // Whoever comes later has just been started.
            show_window: news.show_window && !is_snapshot,
        }
    }
}

#[cfg(test)]
mod tests {
    use schemascope_model::{IdSource, Outcome};

    use super::*;

    fn call(ids: &IdSource, tool: &str) -> CallRecord {
        let at = Timestamp::from_millis(1);
        CallRecord::new(ids.at(at), at, tool.parse().unwrap(), Outcome::Ok, Origin::Proxy)
    }

    #[test]
    fn news_are_what_came_since() {
        let events = Events::new(Timestamp::from_millis(7));
        let ids = IdSource::new(0, 0);
        let calls = [call(&ids, "s__a"), call(&ids, "s__b")];
        events.recorded(calls.iter());
        let news = events.since(Some(0));
        assert_eq!((news.latest, news.calls.len(), news.tools.len(), news.behind), (2, 2, 2, false));
        events.server_changed("s");
        events.recorded(calls[..1].iter());
        let news = events.since(Some(2));
        assert_eq!((news.latest, news.calls.len(), news.tools.len()), (4, 1, 1));
        assert_eq!(news.servers, ["s"]);
        let news = events.since(Some(4));
        assert!(news.calls.is_empty() && news.tools.is_empty() && news.servers.is_empty());
    }

    #[test]
    fn who_is_too_far_behind_is_told() {
        let events = Events::new(Timestamp::from_millis(7));
        let ids = IdSource::new(0, 0);
        let calls: Vec<CallRecord> = (0..CALLS + 3).map(|_| call(&ids, "s__a")).collect();
        events.recorded(calls.iter());
        assert!(events.since(Some(2)).behind);
        let news = events.since(Some(3));
        assert!(!news.behind);
        assert_eq!(news.calls.len(), CALLS);
    }

    #[test]
    fn the_rate_forgets() {
        let mut recent = Recent { rate: [4, 3, 0, 0, 0, 0], ..Recent::default() };
        recent.turn_to(1);
        assert_eq!(recent.rate, [0, 4, 3, 0, 0, 0]);
        recent.turn_to(1);
        assert_eq!(recent.rate, [0, 4, 3, 0, 0, 0]);
        recent.turn_to(1_000_000);
        assert_eq!(recent.rate, [0; RATE + 1]);
    }
}
