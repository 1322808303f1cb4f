//! What the sessions in progress have seen: keyed hashes of values with the calls that gave them,
//! bounded in memory. It turns each call into its [`Flow`].

use std::collections::BTreeMap;

use schemascope_model::{CallId, Flow};
use serde_json::Value;

use crate::session::{Body, Session};

/// Number of values that are read of one result or of one call's arguments.
pub const MAX_VALUES: usize = 4_096;
/// Number of sessions that are followed at once.
pub const MAX_SESSIONS: usize = 1_000;
/// Memory of all sessions, in bytes.
pub const MAX_BYTES: usize = 32 << 20;
/// Unread results of a session, and values, that stay while others have more, in bytes.
const MIN_KEPT: usize = 256 << 10;
/// Quiet time after which a client without a session starts a new one, and for which its values count, in milliseconds.
pub const STATELESS_WINDOW: u64 = 600_000;

/// One call as the engine saw it, before redaction.
#[derive(Debug, Clone, Copy)]
pub struct Observed<'a> {
    /// Id of the call.
    pub id: CallId,
    /// Session of the client; the client itself if it has no session.
    pub session: &'a str,
    /// Whether the client has no session, so that only its last ten minutes count.
    pub stateless: bool,
    /// Tool as `server__tool`.
    pub tool: &'a str,
    /// Time at which the call began, in milliseconds.
    pub start: u64,
    /// Time at which its answer was out.
    pub end: u64,
    /// Arguments.
    pub arguments: &'a Value,
    /// The observed value of a successful result; text as a JSON string, and null if nothing was observed. `None`
    /// for a call that failed.
    pub result: Option<&'a Value>,
}

/// What was evicted so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Evicted {
    /// Sessions that were dropped while they may still have been in use.
    pub sessions: u64,
    /// Values that were dropped from sessions, or not read because a result has more. An item or member of the text of a
    /// result counts as one behind the first 16,384 nodes.
    pub values: u64,
}

/// The sessions in progress.
#[derive(Debug)]
pub struct Windows {
    key: (u64, u64),
    sessions: BTreeMap<Box<str>, Session>,
    bytes: usize,
    tick: u64,
    evicted: Evicted,
}

impl Windows {
    /// Creates an empty window. Hashes use the key of the data directory.
    pub fn new(key: (u64, u64)) -> Self {
        Self { key, sessions: BTreeMap::new(), bytes: 0, tick: 0, evicted: Evicted::default() }
    }

    /// Returns what was evicted so far.
    pub fn evicted(&self) -> Evicted {
        self.evicted
    }

    /// Returns the memory of all sessions, in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes a call and returns what it took from earlier results. Calls of a session come in the
    /// order of their ends; an old trace is sorted first.
    pub fn observe(&mut self, call: &Observed<'_>) -> Flow {
        self.take(call, call.result.map(Body::Read))
    }

    /// The same for a successful call whose observed value is given as JSON text. The text is read only once a later
    /// call has one of its values.
    pub fn observe_text(&mut self, call: &Observed<'_>, result: &str) -> Flow {
        self.take(call, Some(Body::Text(result)))
    }

    fn take(&mut self, call: &Observed<'_>, result: Option<Body<'_>>) -> Flow {
        self.tick += 1;
        let key = self.key;
        let session = self.sessions.entry(call.session.into()).or_default();
        session.last = self.tick;
        let before = session.bytes();
        session.begin(call);
        self.evicted.values += session.read_for(call, key);
        let mut flow = session.links(call, key);
        let own = session.take_arguments(call, key);
        if let Some(result) = result {
            let (echoes, dropped) = session.take_result(call, result, &own, key);
            flow.echoes = echoes;
            self.evicted.values += dropped;
        }
        self.evicted.values += session.turn();
        self.bytes = (self.bytes + session.bytes()).saturating_sub(before);
        self.evict(call);
        flow
    }

    /// Drops sessions that are over, then the oldest results of those that have most, then the oldest values of those that
    /// have most, then the sessions that were quiet for longest, until the bounds hold.
    fn evict(&mut self, call: &Observed<'_>) {
        let keep = call.session;
        while self.sessions.len() > MAX_SESSIONS || self.bytes > MAX_BYTES {
            let is_over = |session: &Session| session.until.saturating_add(STATELESS_WINDOW) < call.end;
            if self.sessions.len() <= MAX_SESSIONS
                && !self.sessions.values().any(is_over)
                && (self.reduce(Session::unread_bytes, Session::drop_half_unread)
                    || self.reduce(Session::given_bytes, Session::drop_given))
            {
                continue;
            }
            let oldest = self
                .sessions
                .iter()
                .filter(|(name, _)| &***name != keep)
                .min_by_key(|(_, session)| session.last)
                .map(|(name, _)| name.clone());
            let Some(session) = oldest.and_then(|name| self.sessions.remove(&name)) else {
                if let Some(session) = self.sessions.get_mut(keep) {
                    self.evicted.values += session.restart();
                    self.bytes = session.bytes();
                }
                break;
            };
            self.bytes = self.bytes.saturating_sub(session.bytes());
            self.evicted.sessions += 1;
        }
    }

    /// Lets the session that has most of something drop a part of it. Returns whether it had more than it may keep.
    fn reduce(&mut self, has: fn(&Session) -> usize, drop: fn(&mut Session) -> u64) -> bool {
        let largest = self.sessions.values_mut().max_by_key(|session| has(session));
        let Some(session) = largest.filter(|session| has(session) > MIN_KEPT) else { return false };
        let before = session.bytes();
        self.evicted.values += drop(session);
        self.bytes = (self.bytes + session.bytes()).saturating_sub(before);
        true
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Calls of some sessions, each with a result of its own.
    fn observe(windows: &mut Windows, calls: u64, result: impl Fn(u64) -> Value) {
        for number in 0..calls {
            windows.observe(&Observed {
                id: CallId::from_bytes(u128::from(number).to_be_bytes()),
                session: &format!("s{}", number % 7),
                stateless: false,
                tool: "s__noise",
                start: number,
                end: number,
                arguments: &json!({"n": format!("argument-{number}")}),
                result: Some(&result(number)),
            });
        }
    }

    fn content(windows: &Windows) -> usize {
        windows.sessions.values().map(Session::content).sum()
    }

    #[test]
    fn windows_stay_bounded_under_long_keys() {
        let mut windows = Windows::new((1, 2));
        let fields = |number: u64| -> serde_json::Map<String, Value> {
            (0..4_096).map(|field| (format!("field_{number}_{field}"), json!(format!("v{field}")))).collect()
        };
        observe(&mut windows, 3, |number| json!({"x": 1, ("k".repeat(1 << 20)): fields(number)}));
        assert!(content(&windows) < 1 << 20, "{}", content(&windows));
        // Keys that are just short enough, and many levels of them.
        let key = "k".repeat(250);
        observe(
            &mut windows,
            40,
            |number| json!({"x": 1, (key.clone()): {"y": 1, (key.clone()): fields(number)}}),
        );
        observe(&mut windows, 200, |number| json!({"x": 1, (key.clone()): fields(number)}));
        assert!(content(&windows) <= windows.bytes(), "{} {}", content(&windows), windows.bytes());
        assert!(windows.bytes() <= MAX_BYTES, "{}", windows.bytes());
        assert!(windows.evicted().values + windows.evicted().sessions > 0);
    }

    #[test]
    fn values_that_are_not_read_are_counted() {
        let list = |length: usize| json!({"v": (0..length).map(|n| format!("v{n}")).collect::<Vec<_>>()});
        for (length, left_out) in [(MAX_VALUES, 0), (MAX_VALUES + 1, 1), (3 * MAX_VALUES, 2 * MAX_VALUES)] {
            let mut windows = Windows::new((1, 2));
            observe(&mut windows, 1, |_| list(length));
            assert_eq!(windows.evicted(), Evicted { sessions: 0, values: left_out as u64 });
        }
    }

    /// Sessions whose values did not fit together were dropped whole. They then read every result again for values that they
    /// had looked for before, which filled the memory again.
    #[test]
    fn sessions_that_go_on_are_kept_when_their_values_do_not_fit() {
        let mut windows = Windows::new((1, 2));
        let mut links = 0;
        for number in 0..2_000_u64 {
            let rows: Vec<String> = (0..1_000).map(|row| format!("row-{number}-{row}")).collect();
            let known = number.checked_sub(40).map(|earlier| format!("row-{earlier}-7"));
            let flow = windows.observe(&Observed {
                id: CallId::from_bytes(u128::from(number).to_be_bytes()),
                session: &format!("s{}", number % 40),
                stateless: false,
                tool: "s__rows",
                start: number,
                end: number,
                arguments: &json!({ "row": known }),
                result: Some(&json!({ "rows": rows })),
            });
            links += flow.links.len();
        }
        assert_eq!(windows.evicted().sessions, 0);
        assert_eq!(links, 2_000 - 40);
        assert!(windows.evicted().values > 0 && windows.bytes() <= MAX_BYTES);
    }

    #[test]
    fn memory_of_windows_is_that_of_their_sessions() {
        let mut windows = Windows::new((1, 2));
        observe(
            &mut windows,
            300,
            |number| json!({"v": (0..1_000).map(|value| format!("v{number}x{value}")).collect::<Vec<_>>()}),
        );
        assert_eq!(windows.bytes(), windows.sessions.values().map(Session::bytes).sum::<usize>());
        assert!((content(&windows)..=MAX_BYTES).contains(&windows.bytes()));
    }
}
