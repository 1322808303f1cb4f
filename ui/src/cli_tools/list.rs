//! The list of command-line tools and of requests for further ones, kept up to date.

use schemascope_api::{CliOrigin, CliRequest, CliState, CliToolRow, CliTools, ListCliTools};

use crate::cells::Memo;
use crate::loaded::Loaded;

/// Shortest time between two updates, in milliseconds.
const UPDATE_INTERVAL_MS: i32 = 500;

/// The list, as the engine last sent it.
#[derive(Clone, Copy)]
pub struct CliList(Loaded<CliTools>);

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
    /// Loads the list.
    pub fn follow() -> Self {
        Self(Loaded::follow(|| ListCliTools {}, UPDATE_INTERVAL_MS, || {}))
    }

    /// The tools, by alias.
    pub fn lines(self) -> Memo<Option<Vec<Line>>> {
        self.0.part(|tools| tools.tools.iter().map(Line::new).collect())
    }

    /// Path of `ai-tools.json`, and why it cannot be used.
    pub fn file(self) -> Memo<Option<(String, Option<String>)>> {
        self.0.part(|tools| (tools.file.clone(), tools.problem.clone()))
    }

    /// Why the list cannot be loaded.
    pub fn failure(self) -> Memo<Option<String>> {
        self.0.failure()
    }

    /// Requests that await a decision, oldest first.
    pub fn requests(self) -> Memo<Vec<CliRequest>> {
        let requests = self.0.part(|tools| tools.requests.clone());
        Memo::new(move || requests.get().unwrap_or_default())
    }

    /// Whether a tool belongs to a command-line tool that is ready.
    pub fn contains(self, tool_id: String) -> Memo<bool> {
        let found = self.0.part(move |tools| tools.tools.iter().any(|row| row.tools.contains(&tool_id)));
        Memo::new(move || found.get() == Some(true))
    }
}
