//! Frames for fronts: everything that is new since a cursor, ten times a second at most, so that the cost of a follower
//! does not grow with the traffic.

use std::sync::Arc;
use std::time::{Duration, Instant};

use schemascope_api::{Cursor, Frame, Pulse, Snapshot};
use schemascope_model::ToolId;
use schemascope_registry::{Registry, Tool};
use tokio::sync::watch;

use crate::config::UserFiles;
use crate::data::DataDir;
use crate::knowledge::Knowledge;
use crate::knowledge::overrides::OverrideFile;
use crate::recording::Records;
use crate::recording::events::SNAPSHOT_CALLS;
use crate::upstreams::Upstreams;
use crate::user::system_user;
use crate::views;

/// Time between two frames.
const FRAME_INTERVAL: Duration = Duration::from_millis(100);
/// Longest time between two frames, so that a reader knows that the stream is alive.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);

/// Parts of an engine that frames are made from.
pub(crate) struct Picture {
    pub(crate) files: UserFiles,
    pub(crate) records: Records,
    pub(crate) knowledge: Knowledge,
    pub(crate) upstreams: Upstreams,
    pub(crate) overrides: Arc<OverrideFile>,
    pub(crate) recovery: Arc<[String]>,
    /// Locked as long as any of these parts is in use.
    pub(crate) _data: Arc<DataDir>,
}

/// One reader of the events.
pub struct Follower {
    picture: Picture,
    sequence: watch::Receiver<u64>,
    /// The last event seen; none before the first snapshot.
    seen: Option<u64>,
    last: Option<Instant>,
}

impl Follower {
    pub(crate) fn new(picture: Picture, since: Option<Cursor>) -> Self {
        let events = &picture.records.events;
        let sequence = events.changes();
        let latest = *sequence.borrow();
        let seen = since
            .filter(|cursor| cursor.engine == events.engine() && cursor.sequence <= latest)
            .map(|cursor| cursor.sequence);
        Self { picture, sequence, seen, last: None }
    }

    /// The next frame: at once for the first, then when something happened, at least every second.
    pub async fn next(&mut self) -> Frame {
        if let Some(last) = self.last {
            let seen = self.seen.unwrap_or(0);
            let something = self.sequence.wait_for(|latest| *latest > seen);
            // The sender lives in the parts held here.
            let _ = tokio::time::timeout_at((last + HEARTBEAT_INTERVAL).into(), something).await;
            tokio::time::sleep_until((last + FRAME_INTERVAL).into()).await;
        }
        self.last = Some(Instant::now());
        self.frame()
    }

    fn frame(&mut self) -> Frame {
        let Picture { files, records, knowledge, upstreams, overrides, recovery, .. } = &self.picture;
        let mut update = records.events.since(self.seen);
        let is_snapshot = self.seen.is_none() || update.behind;
        self.seen = Some(update.latest);
        let config = files.config.now();
        let servers = upstreams.server_rows(files).into_iter();
        let pulse_of = |registry: &Registry| {
            let tools = registry.tools().values();
            let (call_count, failure_count) =
                tools.fold((0, 0), |(calls, failures), tool| (calls + tool.calls, failures + tool.failures));
            Pulse {
                calls_per_second: update.calls_per_second,
                call_count,
                failure_count,
                latency: records.recorder.call_latency(),
                recorder: records.recorder.report(),
                running: upstreams.running(&files.redaction.now()),
            }
        };
        let (mut tools, mut gone) = (Vec::new(), Vec::new());
        let pulse = {
            let registry = records.registry();
            let mut show = |id: &ToolId, tool: &Tool| {
                if upstreams.own_tools.counts(id, tool) {
                    tools.push(views::tool_row(id, tool, knowledge.decisions.summary(id, tool)));
                } else {
                    gone.push(id.to_string());
                }
            };
            if is_snapshot {
                registry.tools().iter().for_each(|(id, tool)| show(id, tool));
            } else {
                for id in &update.tools {
                    if let Some(tool) = registry.tool(id) {
                        show(id, tool);
                    }
                }
            }
            pulse_of(&registry)
        };
        if is_snapshot {
            gone.clear();
            let too_many = update.calls.len().saturating_sub(SNAPSHOT_CALLS);
            update.calls.drain(..too_many);
        }
        Frame {
            cursor: Cursor { engine: records.events.engine(), sequence: update.latest },
            snapshot: is_snapshot.then(|| Snapshot {
                user: system_user(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                config: config.path.display().to_string(),
                problem: config.problem.clone(),
                overrides: (overrides.path.display().to_string(), overrides.problems()),
                mcp_url: upstreams.mcp_url.get().cloned(),
                recovery: recovery.to_vec(),
                requests: files.cli.requests.all(),
                proposals: upstreams.interviews.open_proposals(),
            }),
            pulse,
            calls: update.calls,
            tools,
            gone,
            servers: servers.filter(|row| is_snapshot || update.servers.contains(&row.server_name)).collect(),
            wrappers: update.wrappers,
            // A front that begins with a snapshot has just been started.
            show_window: update.show_window && !is_snapshot,
        }
    }
}
