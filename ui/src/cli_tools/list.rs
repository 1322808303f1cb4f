//! The list of command-line tools and of requests for further ones, kept up to date.

use std::sync::Arc;

use schemascope_api::{CliOrigin, CliRequest, CliState, CliToolRow, CliTools, ListCliTools};

use crate::app::App;
use crate::cells::{Memo, RwSignal};
use crate::door;
use crate::live::Connection;
use crate::throttle::throttled;

/// Shortest time between two updates, in milliseconds.
const UPDATE_INTERVAL_MS: i32 = 500;

/// The list, as the engine last sent it.
#[derive(Clone, Copy)]
pub struct CliList(RwSignal<Option<Result<Arc<CliTools>, String>>>);

/// A tool as the table shows it.
#[derive(Clone, PartialEq)]
pub struct Line {
    pub alias: String,
    pub command: String,
    pub state: CliState,
    pub reason: Option<String>,
    pub origin: CliOrigin,
    pub tools: usize,
    pub offered: usize,
    pub withheld: usize,
}

impl Line {
    fn new(row: &CliToolRow) -> Self {
        Self {
            alias: row.alias.clone(),
            command: row.command.clone(),
            state: row.state,
            reason: row.reason.clone(),
            origin: row.origin,
            tools: row.tools.len(),
            offered: row.offered,
            withheld: row.withheld,
        }
    }
}

impl CliList {
    /// Loads the list, again after decisions and when the engine sends everything again.
    pub fn follow() -> Self {
        let app = App::get();
        let list = Self(RwSignal::new(None));
        let is_wanted = move || {
            app.decided.track();
            app.live.snapshots.track();
            app.live.connection.get() == Connection::Live
        };
        throttled(UPDATE_INTERVAL_MS, is_wanted, move || async move {
            let reply = door::call(&ListCliTools {}).await;
            let is_known = list.0.try_with_untracked(|known| matches!(known, Some(Ok(_)))).unwrap_or(false);
            match reply {
                // The known list stays while the engine does not respond.
                Err(_) if is_known => {}
                reply => list.0.set(Some(reply.map(Arc::new).map_err(|error| error.to_string()))),
            }
        });
        list
    }

    /// A part of the list; none until it is loaded.
    fn part<T: PartialEq + Send + Sync + 'static>(
        self,
        read: impl Fn(&CliTools) -> T + Send + Sync + 'static,
    ) -> Memo<Option<T>> {
        Memo::new(move || {
            self.0.with(|known| match known {
                Some(Ok(tools)) => Some(read(tools)),
                _ => None,
            })
        })
    }

    /// The tools, by alias.
    pub fn lines(self) -> Memo<Option<Vec<Line>>> {
        self.part(|tools| tools.tools.iter().map(Line::new).collect())
    }

    /// Path of `ai-tools.json`, and why it cannot be used.
    pub fn file(self) -> Memo<Option<(String, Option<String>)>> {
        self.part(|tools| (tools.file.clone(), tools.problem.clone()))
    }

    /// Why the list cannot be loaded.
    pub fn failure(self) -> Memo<Option<String>> {
        Memo::new(move || self.0.with(|known| known.as_ref()?.as_ref().err().cloned()))
    }

    /// Requests that await a decision, oldest first.
    pub fn requests(self) -> Memo<Vec<CliRequest>> {
        let requests = self.part(|tools| tools.requests.clone());
        Memo::new(move || requests.get().unwrap_or_default())
    }

    /// Whether a tool belongs to a command-line tool that is ready.
    pub fn contains(self, tool_id: String) -> Memo<bool> {
        let found = self.part(move |tools| tools.tools.iter().any(|row| row.tools.contains(&tool_id)));
        Memo::new(move || found.get() == Some(true))
    }
}
