//! Discovery: calling tools that the user lists, to learn what they return.
//!
//! Only what the file lists is called, with the arguments it lists. Arguments are checked first, one call at a time
//! reaches a server, and a call that succeeded is not repeated within a day.

mod checks;
pub(crate) mod list;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use parking_lot::Mutex;
use schemascope_api::{ApiError, DiscoveryCall, DiscoveryFile, DiscoveryState, ErrorKind};
use schemascope_discovery::{SafeTool, is_destructive};
use schemascope_model::{CallRecord, Client, Origin, Outcome, Timestamp, ToolId};
use schemascope_proxy::{CallFailed, Caller, ListedTool};
use schemascope_redact::Trust;
use schemascope_registry::is_error;
use schemascope_store::CallQuery;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::engine::Engine;
use crate::errors::internal;
use crate::{files, nearest};
pub(crate) use checks::check;
use checks::{answer_text, ended, error_message};

/// Longest time of a call.
const CALL_TIMEOUT: Duration = Duration::from_secs(30);
/// Longest time that servers may take to start and list their tools.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// Interval at which servers that are still starting are looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Time within which a call is not repeated, in milliseconds.
const REPEAT_AFTER: u64 = 24 * 60 * 60 * 1_000;
/// Calls of a tool read at a time.
const PAGE: usize = 500;
/// Earlier calls of a tool whose arguments may be proposed.
const EARLIER: usize = 20;

/// Turns of the servers, so that discovery makes one call at a time to each.
pub(crate) type Turns = Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>;

/// The tools of a server: their definitions by name, or why they are unknown.
type Tools = Result<HashMap<String, String>, String>;

impl Engine {
    /// The file that a command means, and whether it exists.
    pub(crate) fn discovery_file(
        &self,
        given: Option<DiscoveryFile>,
    ) -> Result<(DiscoveryFile, bool), ApiError> {
        if let Some(given) = given {
            return Ok((given, true));
        }
        let path = self.discovery_path();
        let shown = path.display().to_string();
        let text = files::read_text(&path).map_err(|error| {
            ApiError::new(ErrorKind::Invalid, format!("cannot read {shown}: {error}; nothing was called"))
        })?;
        let exists = text.is_some();
        Ok((DiscoveryFile { path: shown, text: text.unwrap_or_default() }, exists))
    }

    /// `discovery_config.json` beside the `mcp.json` in use.
    pub(crate) fn discovery_path(&self) -> PathBuf {
        self.config().path.with_file_name(schemascope_discovery::FILE_NAME)
    }

    /// The entries of a file, of one server or all. Unknown names of servers are errors.
    pub(crate) fn discovery_entries(
        &self,
        file: &DiscoveryFile,
        server: Option<&str>,
    ) -> Result<Vec<SafeTool>, ApiError> {
        let nothing = |problem: String| {
            let message = format!("{}: {problem} Nothing was called.", file.path);
            ApiError::new(ErrorKind::Invalid, message)
        };
        let mut entries =
            schemascope_discovery::parse(&file.text).map_err(|error| nothing(format!("{error}.")))?;
        let known: Vec<String> = self.server_names();
        let unknown = |entry: &&SafeTool| !known.contains(&entry.server);
        if let Some(entry) = entries.iter().find(unknown) {
            let hint = nearest::suggestion(&entry.server, known.iter().map(String::as_str));
            let (line, name) = (entry.server_line, &entry.server);
            return Err(nothing(format!("line {line}: there is no server {name:?}{}", ended(hint))));
        }
        if let Some(server) = server {
            self.known_server(server)?;
            entries.retain(|entry| entry.server == server);
        }
        Ok(entries)
    }

    /// Rejects the name of a server that the configuration does not have.
    pub(crate) fn known_server(&self, server: &str) -> Result<(), ApiError> {
        let known = self.server_names();
        if known.iter().any(|name| name == server) {
            return Ok(());
        }
        let hint = nearest::suggestion(server, known.iter().map(String::as_str));
        let config = self.config();
        let message = format!("{} names no server {server:?}{hint}", config.path.display());
        Err(ApiError::new(ErrorKind::NotFound, message))
    }

    fn server_names(&self) -> Vec<String> {
        self.upstreams.hub.status().into_iter().map(|server| server.name).collect()
    }

    /// The calls of entries, each with its state before it is made. Unknown names of tools are errors.
    pub(crate) async fn discovery_calls(
        &self,
        file: &DiscoveryFile,
        entries: Vec<SafeTool>,
    ) -> Result<Vec<DiscoveryCall>, ApiError> {
        let servers = entries.iter().map(|entry| entry.server.clone()).collect::<Vec<_>>();
        let tools = self.listed_tools(&servers).await;
        let mut calls = Vec::new();
        for entry in entries {
            let tool = ToolId::new(&entry.server, &entry.tool);
            let known = tools.get(&entry.server);
            if let Some(Ok(known)) = known
                && !known.contains_key(&entry.tool)
            {
                let hint = nearest::suggestion(&entry.tool, known.keys().map(String::as_str));
                let SafeTool { server, tool, line, .. } = &entry;
                let message = format!(
                    "{}: line {line}: server {server:?} has no tool {tool:?}{} Nothing was called.",
                    file.path,
                    ended(hint)
                );
                return Err(ApiError::new(ErrorKind::NotFound, message));
            }
            let tool =
                tool.map_err(|error| ApiError::new(ErrorKind::Invalid, format!("{}: {error}", file.path)))?;
            let arguments = RawValue::from_string(entry.arguments).map_err(internal)?;
            calls.push(self.discovery_call(tool, arguments, known).await?);
        }
        Ok(calls)
    }

    /// A call with its state before it is made.
    async fn discovery_call(
        &self,
        tool: ToolId,
        arguments: Box<RawValue>,
        tools: Option<&Tools>,
    ) -> Result<DiscoveryCall, ApiError> {
        let definition = match tools {
            Some(Ok(tools)) => tools.get(tool.tool()).map(String::as_str),
            _ => None,
        };
        let mut last = None;
        let (state, reason) = match (definition, tools) {
            (Some(definition), _) => match check(definition, arguments.get()) {
                Err(reason) => (DiscoveryState::Invalid, Some(reason)),
                Ok(()) => {
                    last = self.same_call(&tool, &arguments).await?;
                    (if last.is_some() { DiscoveryState::Recent } else { DiscoveryState::Ready }, None)
                }
            },
            (None, Some(Ok(_))) => (DiscoveryState::Unavailable, Some("its server does not list it".into())),
            (None, Some(Err(reason))) => (DiscoveryState::Unavailable, Some(reason.clone())),
            (None, None) => (DiscoveryState::Unavailable, None),
        };
        Ok(DiscoveryCall {
            server_name: tool.server().to_owned(),
            tool_name: tool.tool().to_owned(),
            destructive: definition.is_some_and(is_destructive),
            tool_id: tool.to_string(),
            arguments,
            state,
            reason,
            last,
            total_us: None,
        })
    }

    /// Makes a call, unless something stands against it.
    pub(crate) async fn discover(
        &self,
        tool: ToolId,
        arguments: Box<RawValue>,
    ) -> Result<DiscoveryCall, ApiError> {
        if self.records.recorder.report().off {
            let message = "the running Schemascope does not record calls, so it would learn nothing; start it without --record off";
            return Err(ApiError::new(ErrorKind::Unavailable, message));
        }
        self.known_server(tool.server())?;
        let turn = Arc::clone(self.discovering.lock().entry(tool.server().to_owned()).or_default());
        let _turn = turn.lock().await;
        let tools = self.listed_tools(&[tool.server().to_owned()]).await;
        let mut call = self.discovery_call(tool.clone(), arguments, tools.get(tool.server())).await?;
        if call.state != DiscoveryState::Ready {
            return Ok(call);
        }
        let caller = Caller {
            origin: Origin::Discovery,
            session: None,
            client: Some(Client { name: "schemascope".into(), version: env!("CARGO_PKG_VERSION").into() }),
            protocol_version: None,
        };
        let arguments = Bytes::from(call.arguments.get().to_owned());
        let began = Instant::now();
        // Dropping the call at the limit cancels it at the server.
        let answered = tokio::time::timeout(CALL_TIMEOUT, self.upstreams.hub.call(&tool, arguments, caller));
        let (state, reason) = match answered.await {
            Err(_) => {
                (DiscoveryState::TimedOut, Some(format!("no answer within {} s", CALL_TIMEOUT.as_secs())))
            }
            Ok(Ok(answer)) => {
                let result = std::str::from_utf8(&answer.result).ok();
                let result = result.and_then(|text| serde_json::from_str::<&RawValue>(text).ok());
                match result.is_some_and(is_error) {
                    true => (DiscoveryState::ToolError, answer_text(&answer.result)),
                    false => (DiscoveryState::Ok, None),
                }
            }
            Ok(Err(CallFailed::Error(error))) => (DiscoveryState::Error, error_message(&error)),
            Ok(Err(error @ CallFailed::BrokenOff)) => (DiscoveryState::Error, Some(error.to_string())),
        };
        // The next call in turn must find this one.
        self.records.recorder.settle().await;
        let redactor = self.files.redaction.now();
        call.state = state;
        call.reason = reason.map(|reason| redactor.text(&reason).into_owned());
        call.total_us = u64::try_from(began.elapsed().as_micros()).ok();
        Ok(call)
    }

    /// Starts servers, all at once, and has them list their tools. Waits for those that are slow to start, as they are
    /// while they are installed.
    pub(crate) async fn list_servers(&self, is_wanted: impl Fn(&str) -> bool) {
        let began = Instant::now();
        let hub = &self.upstreams.hub;
        loop {
            hub.list(&is_wanted).await;
            let status = hub.status();
            let mut wanted = status.iter().filter(|server| is_wanted(&server.name));
            let is_starting = wanted.any(|server| server.is_starting);
            if !is_starting || began.elapsed() > START_TIMEOUT {
                break;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Definitions of the tools that servers list now.
    pub(crate) async fn listed_tools(&self, servers: &[String]) -> HashMap<String, Tools> {
        self.list_servers(|name| servers.iter().any(|server| server == name)).await;
        let hub = &self.upstreams.hub;
        let redactor = self.files.redaction.now();
        let wanted = hub.status().into_iter().filter(|server| servers.contains(&server.name));
        let listed = wanted.map(|server| {
            let tools = if server.lists_tools() {
                let listed = hub.listed(&server.name);
                let definition = |tool: &ListedTool| String::from_utf8_lossy(&tool.definition).into_owned();
                Ok(listed.iter().map(|tool| (tool.name.clone(), definition(tool))).collect())
            } else {
                Err(server.reason.map_or_else(
                    || format!("the server is {}", server.state),
                    |reason| redactor.text(&reason).into_owned(),
                ))
            };
            (server.name, tools)
        });
        listed.collect()
    }

    /// Time of the newest call for discovery with the same arguments that succeeded within a day. Stored arguments are
    /// redacted, so redacted ones are compared.
    async fn same_call(&self, tool: &ToolId, arguments: &RawValue) -> Result<Option<Timestamp>, ApiError> {
        self.records.recorder.settle().await;
        let redacted = self.files.redaction.now().redact(arguments.get(), Trust::Foreign);
        let wanted = redacted.map_or_else(|| arguments.get().to_owned(), |(redacted, _)| redacted);
        let wanted: Value = serde_json::from_str(&wanted).map_err(internal)?;
        let earliest = Timestamp::from_millis(Timestamp::now().as_millis().saturating_sub(REPEAT_AFTER));
        let reader = self.records.reader.clone();
        let mut query = CallQuery { tool: Some(tool.clone()), limit: PAGE, ..CallQuery::default() };
        let found = tokio::task::spawn_blocking(move || {
            let wants = |call: &CallRecord| {
                call.origin == Origin::Discovery && call.outcome == Outcome::Ok && call.at >= earliest
            };
            loop {
                let page = reader.records(&query, wants)?;
                for call in page.calls {
                    // Large bodies are in the journal only.
                    let call = if call.arguments.is_some() { Some(call) } else { reader.call(call.id)? };
                    let same = |call: &CallRecord| {
                        let arguments = call.arguments.as_deref().map(RawValue::get);
                        arguments.and_then(|text| serde_json::from_str::<Value>(text).ok()).as_ref()
                            == Some(&wanted)
                    };
                    if let Some(call) = call.filter(same) {
                        return Ok(Some(call.at));
                    }
                }
                match page.next.filter(|next| next.time() >= earliest) {
                    Some(next) => query.before = Some(next),
                    None => return Ok::<_, schemascope_store::Error>(None),
                }
            }
        });
        found.await.map_err(internal)?.map_err(internal)
    }

    /// Arguments of earlier calls of a tool that succeeded, newest first.
    pub(crate) async fn earlier_arguments(&self, tool: &ToolId) -> Result<Vec<String>, ApiError> {
        let reader = self.records.reader.clone();
        let query = CallQuery { tool: Some(tool.clone()), limit: EARLIER, ..CallQuery::default() };
        let found = tokio::task::spawn_blocking(move || {
            let page = reader.records(&query, |call| call.outcome == Outcome::Ok)?;
            let arguments = page.calls.into_iter().filter_map(|call| call.arguments);
            Ok::<_, schemascope_store::Error>(arguments.map(|raw| raw.get().to_owned()).collect())
        });
        found.await.map_err(internal)?.map_err(internal)
    }
}
