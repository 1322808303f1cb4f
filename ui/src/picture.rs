//! The engine's state as the dashboard knows it: a fold of the frames it sends, of bounded size.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use schemascope_api::{CallRow, Cursor, Frame, Pulse, ServerRow, Snapshot, Standings, ToolRow};

/// Number of calls kept.
pub const CALLS: usize = 2_000;

/// Tools, servers and latest calls.
#[derive(Debug, Clone, Default)]
pub struct Picture {
    /// Position of the last frame; none before the first.
    pub cursor: Option<Cursor>,
    /// About the engine.
    pub snapshot: Option<Arc<Snapshot>>,
    /// Current totals and rates.
    pub pulse: Pulse,
    /// Tools by id.
    pub tools: BTreeMap<String, Arc<ToolRow>>,
    /// Upstreams by name.
    pub servers: BTreeMap<String, Arc<ServerRow>>,
    /// The latest calls, newest first.
    pub calls: VecDeque<Arc<CallRow>>,
    /// The latest calls in order of arrival, the last one first.
    pub arrivals: VecDeque<Arc<CallRow>>,
    /// Number of calls that ever arrived.
    pub arrived: u64,
}

/// What a frame changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Changed {
    /// The engine sent everything again.
    pub snapshot: bool,
    /// Calls between the known ones and those of the snapshot may be missing.
    pub gap: bool,
    /// Some tools.
    pub tools: bool,
    /// Some servers.
    pub servers: bool,
    /// There are new calls.
    pub calls: bool,
    /// Wrappers were kept current.
    pub wrappers: bool,
}

impl Changed {
    /// Both changes.
    pub fn add(&mut self, other: Self) {
        self.snapshot |= other.snapshot;
        self.gap |= other.gap;
        self.tools |= other.tools;
        self.servers |= other.servers;
        self.calls |= other.calls;
        self.wrappers |= other.wrappers;
    }
}

impl Picture {
    /// Applies a frame.
    pub fn apply(&mut self, frame: Frame) -> Changed {
        let snapshot = frame.snapshot.is_some();
        let is_known = |call: &CallRow| self.calls.iter().any(|known| known.id == call.id);
        // The latest calls of a snapshot that are partly known follow the known ones without a gap.
        let gap = snapshot
            && (self.cursor.is_none_or(|cursor| cursor.engine != frame.cursor.engine)
                || !frame.calls.iter().any(is_known));
        if let Some(about) = frame.snapshot {
            let Self { calls, arrivals, arrived, .. } = std::mem::take(self);
            let (calls, arrivals) = if gap { Default::default() } else { (calls, arrivals) };
            *self = Self { snapshot: Some(Arc::new(about)), calls, arrivals, arrived, ..Self::default() };
        }
        let changed = Changed {
            snapshot,
            gap,
            tools: snapshot || !frame.tools.is_empty() || !frame.gone.is_empty(),
            servers: snapshot || !frame.servers.is_empty(),
            calls: snapshot || !frame.calls.is_empty(),
            wrappers: snapshot || !frame.wrappers.is_empty(),
        };
        self.cursor = Some(frame.cursor);
        self.pulse = frame.pulse;
        self.tools.extend(frame.tools.into_iter().map(|row| (row.tool_id.clone(), Arc::new(row))));
        self.servers.extend(frame.servers.into_iter().map(|row| (row.server_name.clone(), Arc::new(row))));
        for id in &frame.gone {
            self.tools.remove(id);
        }
        for call in frame.calls {
            let call = Arc::new(call);
            if insert(&mut self.calls, Arc::clone(&call)) {
                self.arrived += 1;
                self.arrivals.push_front(call);
            }
        }
        self.calls.truncate(CALLS);
        self.arrivals.truncate(CALLS);
        changed
    }

    /// The calls that arrived after the first `arrived`, the last one first; none when some of them are no longer
    /// kept.
    pub fn since(&self, arrived: u64) -> Option<impl Iterator<Item = &Arc<CallRow>>> {
        let new = usize::try_from(self.arrived.saturating_sub(arrived)).ok()?;
        (new <= self.arrivals.len()).then(|| self.arrivals.iter().take(new))
    }

    /// Number of tools by the state of their schema.
    pub fn standings(&self) -> Standings {
        let mut standings = Standings::default();
        for tool in self.tools.values() {
            standings.add(tool.source, tool.quality, tool.violated, tool.unjudged, tool.form);
        }
        standings
    }
}

/// Whether a version or drift of a tool needs a decision.
pub fn needs_review(row: &ToolRow) -> bool {
    row.candidate_version.is_some() || row.drift_waiting > 0
}

/// Inserts a call in order of time, which is nearly always in front. Returns false if it is known.
pub fn insert(calls: &mut VecDeque<Arc<CallRow>>, call: Arc<CallRow>) -> bool {
    let newer = calls.iter().position(|known| known.id <= call.id).unwrap_or(calls.len());
    let is_new = calls.get(newer).is_none_or(|known| known.id != call.id);
    if is_new {
        calls.insert(newer, call);
    }
    is_new
}

#[cfg(test)]
mod tests {
    use schemascope_api::{CallId, Outcome, Timestamp};

    use super::*;

    fn call(id: u32) -> CallRow {
        let id: CallId = format!("{id:032x}").parse().unwrap();
        CallRow {
            id,
            at: Timestamp::from_millis(0),
            tool_id: "s__t".into(),
            outcome: Outcome::Ok,
            carrier: None,
            fits: None,
            total_us: None,
            result_bytes: 0,
            client: None,
        }
    }

    fn frame(snapshot: bool, calls: &[u32]) -> Frame {
        Frame {
            cursor: Cursor { engine: 1, sequence: 1 },
            snapshot: snapshot.then(|| Snapshot {
                version: String::new(),
                user: None,
                config: String::new(),
                problem: None,
                overrides: Default::default(),
                mcp_url: None,
                recovery: Vec::new(),
                requests: Vec::new(),
                proposals: Vec::new(),
            }),
            pulse: Pulse::default(),
            calls: calls.iter().map(|id| call(*id)).collect(),
            tools: Vec::new(),
            gone: Vec::new(),
            servers: Vec::new(),
            wrappers: Vec::new(),
            show_window: false,
        }
    }

    fn ids(picture: &Picture) -> Vec<String> {
        picture.calls.iter().map(|call| call.id.to_string().trim_start_matches('0').to_owned()).collect()
    }

    #[test]
    fn calls_are_sorted_and_unique() {
        let mut picture = Picture::default();
        assert!(picture.apply(frame(true, &[1, 2])).snapshot);
        assert_eq!(picture.apply(frame(false, &[4, 3, 2])), Changed { calls: true, ..Changed::default() });
        assert_eq!(ids(&picture), ["4", "3", "2", "1"]);
        picture.apply(frame(true, &[9]));
        assert_eq!(ids(&picture), ["9"]);
        assert!(!picture.apply(frame(true, &[9, 10])).gap);
        assert_eq!((ids(&picture), picture.arrived), (vec!["a".to_owned(), "9".to_owned()], 6));
        assert!(picture.apply(frame(true, &[12])).gap);
        let many: Vec<u32> = (10..3_000).collect();
        picture.apply(frame(false, &many));
        assert_eq!(picture.calls.len(), CALLS);
        assert!(picture.since(0).is_none());
        assert_eq!(picture.since(picture.arrived - 3).unwrap().count(), 3);
        assert_eq!(picture.calls.front().map(|call| call.id), Some(call(2_999).id));
    }
}
