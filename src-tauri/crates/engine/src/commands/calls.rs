//! Listing and making calls.

use bytes::Bytes;
use schemascope_api::{
    ApiError, BrowseCalls, CallReply, CallTool, CallsPage, ErrorKind, Filter, GetCall, ListCalls,
    ListRunning, RowsPage, RunningCalls, Subject,
};
use schemascope_model::{CallId, CallRecord, Client, Origin, ToolId};
use schemascope_proxy::{CallFailed, Caller};
use schemascope_registry::is_error;
use schemascope_store::{CallQuery, Page, Passes};
use serde_json::value::RawValue;

use super::{Handle, internal, nearest};
use crate::engine::Engine;
use crate::recording::events::call_row;

handlers![ListCalls, BrowseCalls, ListRunning, GetCall, CallTool];

/// Calls in one reply at most; the store bounds the bytes of their bodies.
const MAX_CALLS: usize = 1_000;
/// Tools whose lists of calls are merged for a page, at most. If a filter leaves more tools, enough of all calls match
/// it.
const MAX_TOOLS: usize = 64;

impl Handle<ListCalls> for Engine {
    async fn handle(&self, command: ListCalls) -> Result<CallsPage, ApiError> {
        let filter = filter(&command.filter)?;
        let tool = match &command.tool_id {
            Some(written) => Some(self.find(written)?),
            None => None,
        };
        let Some(among) = self.tools_of(&filter) else { return Ok(CallsPage::default()) };
        let query =
            CallQuery { tool, among, since: command.since, ..query(&filter, command.before, command.limit) };
        let page = self.search(filter, query, true).await?;
        Ok(CallsPage { calls: page.calls, next: page.next })
    }
}

impl Handle<BrowseCalls> for Engine {
    async fn handle(&self, command: BrowseCalls) -> Result<RowsPage, ApiError> {
        let filter = filter(&command.filter)?;
        let Some(among) = self.tools_of(&filter) else { return Ok(RowsPage::default()) };
        let query =
            CallQuery { among, since: command.since, ..query(&filter, command.before, command.limit) };
        let page = self.search(filter, query, false).await?;
        Ok(RowsPage { rows: page.calls.iter().map(call_row).collect(), next: page.next })
    }
}

fn filter(text: &str) -> Result<Filter, ApiError> {
    Filter::parse(text, Subject::Calls).map_err(|error| ApiError::new(ErrorKind::Invalid, error.to_string()))
}

/// What the store looks for; the filter decides about each call.
fn query(filter: &Filter, before: Option<CallId>, limit: usize) -> CallQuery {
    let (failures, limit) = (filter.is_of_failures(), limit.min(MAX_CALLS));
    CallQuery { failures, before, limit, ..CallQuery::default() }
}

/// The arguments, the result and the error of a call, as JSON.
fn bodies(call: &CallRecord) -> Vec<&str> {
    [&call.arguments, &call.result, &call.error].into_iter().flatten().map(|body| body.get()).collect()
}

impl Engine {
    /// Reads calls that pass a filter, on a thread of its own, because sled reads from disk. Large bodies are left out
    /// if neither the reply nor the filter needs them.
    async fn search(&self, filter: Filter, query: CallQuery, needs_bodies: bool) -> Result<Page, ApiError> {
        self.records.recorder.settle().await;
        let reader = self.records.reader.clone();
        // A search through all calls takes a while, so only one runs at a time.
        let _turn = if filter.is_empty() { None } else { Some(self.searching.lock().await) };
        let listed = tokio::task::spawn_blocking(move || {
            let record = |call: &CallRecord| filter.is_empty() || filter.call(&call_row(call));
            let bodies = |call: &CallRecord| filter.bodies(&bodies(call));
            let bodies: Option<&dyn Fn(&CallRecord) -> bool> =
                if filter.needs_bodies() { Some(&bodies) } else { None };
            if needs_bodies || bodies.is_some() {
                reader.calls_that(&query, Passes { record: &record, bodies })
            } else {
                reader.records(&query, record)
            }
        });
        listed.await.map_err(internal)?.map_err(internal)
    }

    /// The tools whose calls can pass a filter; empty if they are too many to list; none if no call can pass.
    fn tools_of(&self, filter: &Filter) -> Option<Vec<ToolId>> {
        if !filter.is_of_tools() {
            return Some(Vec::new());
        }
        let registry = self.registry();
        let may_pass = registry.tools().keys().filter(|id| filter.may_be_of(&id.to_string()));
        let tools: Vec<ToolId> = may_pass.take(MAX_TOOLS + 1).cloned().collect();
        match tools.len() {
            0 => None,
            1..=MAX_TOOLS => Some(tools),
            _ => Some(Vec::new()),
        }
    }
}

impl Handle<ListRunning> for Engine {
    async fn handle(&self, ListRunning {}: ListRunning) -> Result<RunningCalls, ApiError> {
        Ok(self.upstreams.running(&self.files.redaction.now()))
    }
}

impl Handle<GetCall> for Engine {
    async fn handle(&self, command: GetCall) -> Result<CallRecord, ApiError> {
        self.records.recorder.settle().await;
        let reader = self.records.reader.clone();
        let found = tokio::task::spawn_blocking(move || reader.call(command.id)).await;
        found
            .map_err(internal)?
            .map_err(internal)?
            .ok_or_else(|| ApiError::new(ErrorKind::NotFound, format!("there is no call {}", command.id)))
    }
}

impl Handle<CallTool> for Engine {
    async fn handle(&self, command: CallTool) -> Result<CallReply, ApiError> {
        let invalid = |message: String| ApiError::new(ErrorKind::Invalid, message);
        // A tool that was never listed can be called.
        let tool = self.find(&command.tool_id);
        let tool = tool.or_else(|unknown| command.tool_id.parse().map_err(|_| unknown))?;
        if !command.arguments.get().trim_start().starts_with('{') {
            return Err(invalid(
                "the arguments must be a JSON object such as {\"path\": \"README.md\"}".into(),
            ));
        }
        let servers = self.upstreams.hub.status();
        if !servers.iter().any(|server| server.name == tool.server()) {
            let hint = nearest::suggestion(tool.server(), servers.iter().map(|server| server.name.as_str()));
            let message =
                format!("{} names no server {:?}{hint}", self.config().path.display(), tool.server());
            return Err(ApiError::new(ErrorKind::NotFound, message));
        }
        let caller = Caller {
            origin: Origin::Terminal,
            session: None,
            client: Some(Client { name: "schemascope".into(), version: env!("CARGO_PKG_VERSION").into() }),
            protocol_version: None,
        };
        let arguments = Bytes::from(command.arguments.get().to_owned());
        let called = self.upstreams.hub.call(&tool, arguments, caller).await;
        match called {
            Ok(answer) => {
                let result = raw(&answer.result)?;
                Ok(CallReply { is_error: is_error(&result), result: Some(result), error: None })
            }
            Err(CallFailed::Error(error)) => {
                Ok(CallReply { result: None, error: Some(raw(&error)?), is_error: true })
            }
            Err(error @ CallFailed::BrokenOff) => {
                Err(ApiError::new(ErrorKind::Unavailable, error.to_string()))
            }
        }
    }
}

fn raw(bytes: &Bytes) -> Result<Box<RawValue>, ApiError> {
    let text = String::from_utf8(bytes.to_vec()).map_err(internal)?;
    RawValue::from_string(text).map_err(internal)
}
