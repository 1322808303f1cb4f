//! Checking traces against a bundle. Needs no store, and records nothing.

use schemascope_model::{CallId, CallRecord, IdSource, Timestamp, ToolId};
use schemascope_registry::check::{Checking, Checks, Finding};
use schemascope_registry::exchange::{Bundle, WrongFile};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::recording::trace;

/// Why a check cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The baseline is not a valid bundle.
    #[error(transparent)]
    Baseline(#[from] WrongFile),
    /// A line describes no call.
    #[error("{0}")]
    Line(String),
}

/// A check under way.
pub struct Checker {
    checking: Checking,
    ids: IdSource,
    tools: Vec<ToolId>,
    latest: Option<Timestamp>,
    declared: Vec<Finding>,
}

impl Checker {
    /// Begins a check against a bundle, given as its text.
    pub fn against(bundle: &str) -> Result<Self, CheckError> {
        let bundle = Bundle::read(bundle)?;
        let latest = bundle.nodes.values().filter_map(|node| node.position.latest).max();
        Ok(Self {
            checking: Checking::against(&bundle),
            ids: IdSource::new(0, 0),
            tools: bundle.tools.into_keys().collect(),
            latest,
            declared: Vec::new(),
        })
    }

    /// Tools of the baseline.
    pub fn tools(&self) -> &[ToolId] {
        &self.tools
    }

    /// Time of the latest call that the baseline counts.
    pub fn latest(&self) -> Option<Timestamp> {
        self.latest
    }

    /// Checks a line of a trace.
    pub fn add_line(&mut self, line: &str) -> Result<(), CheckError> {
        let id = |at: Timestamp| -> Result<CallId, String> { Ok(self.ids.at(at)) };
        let (record, _) = trace::read(line, id).map_err(CheckError::Line)?;
        self.checking.add(&record);
        Ok(())
    }

    /// Checks a call.
    pub fn add(&mut self, call: &CallRecord) {
        self.checking.add(call);
    }

    /// Checks a call made just now: its result, or none if it ended with an error.
    pub fn add_made(&mut self, tool: &ToolId, result: Option<Box<RawValue>>) {
        self.checking.made(tool, result.is_none());
        let Some(result) = result else { return };
        let (at, outcome) = (Timestamp::now(), schemascope_model::Outcome::Ok);
        let origin = schemascope_model::Origin::Terminal;
        let record = CallRecord::new(self.ids.at(at), at, tool.clone(), outcome, origin);
        self.checking.add(&CallRecord { result: Some(result), ..record });
    }

    /// Checks what an upstream declares now.
    pub fn declare(&mut self, tool: &ToolId, schema: Option<Value>) {
        self.declared.extend(self.checking.declare(tool, schema).unwrap_or_default());
    }

    /// Notes that an upstream no longer lists a tool.
    pub fn removed(&mut self, tool: &ToolId) {
        self.declared.extend(self.checking.removed(tool));
    }

    /// All findings.
    pub fn finish(self) -> Checks {
        self.checking.finish(self.declared)
    }
}
