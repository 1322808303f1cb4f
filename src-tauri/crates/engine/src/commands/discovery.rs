//! Planning, making and proposing calls for discovery.

use schemascope_api::{
    ApiError, DiscoveryCall, DiscoveryPlan, DiscoverySuggestion, DiscoverySuggestions, ErrorKind,
    KeepDiscovery, KeptDiscovery, PlanDiscovery, RunDiscovery, SuggestDiscovery,
};
use schemascope_discovery::{Listed, Proposal, propose};
use schemascope_model::{InvalidName, ToolId};
use schemascope_proxy::OWN_SERVER;
use serde_json::value::RawValue;

use super::{Handle, internal};
use crate::discovery::check;
use crate::discovery::list::{DiscoveryList, DiscoveryListError};
use crate::engine::Engine;

handlers![PlanDiscovery, RunDiscovery, SuggestDiscovery, KeepDiscovery];

impl Handle<PlanDiscovery> for Engine {
    async fn handle(&self, command: PlanDiscovery) -> Result<DiscoveryPlan, ApiError> {
        let (file, exists) = self.discovery_file(command.file)?;
        if !exists {
            return Ok(DiscoveryPlan { file: file.path, exists, calls: Vec::new() });
        }
        let entries = self.discovery_entries(&file, command.server_name.as_deref())?;
        let calls = self.discovery_calls(&file, entries).await?;
        Ok(DiscoveryPlan { file: file.path, exists, calls })
    }
}

impl Handle<RunDiscovery> for Engine {
    async fn handle(&self, command: RunDiscovery) -> Result<DiscoveryCall, ApiError> {
        let tool = called(&command)?;
        self.discover(tool, command.arguments).await
    }
}

/// The tool of a call with arguments that can be sent.
fn called(command: &RunDiscovery) -> Result<ToolId, ApiError> {
    if !command.arguments.get().trim_start().starts_with('{') {
        return Err(ApiError::new(ErrorKind::Invalid, "the arguments must be a JSON object"));
    }
    command.tool_id.parse().map_err(|error: InvalidName| {
        ApiError::new(ErrorKind::Invalid, format!("{:?}: {error}", command.tool_id))
    })
}

impl Handle<KeepDiscovery> for Engine {
    async fn handle(&self, command: KeepDiscovery) -> Result<KeptDiscovery, ApiError> {
        let path = self.discovery_path();
        let invalid = |error: DiscoveryListError| ApiError::new(ErrorKind::Invalid, error.to_string());
        let mut list = DiscoveryList::read(&path).map_err(invalid)?;
        let mut added = 0;
        for call in command.calls {
            let tool = called(&call)?;
            self.known_server(tool.server())?;
            if !list.has(tool.server(), tool.tool()) {
                list = list.with(tool.server(), tool.tool(), &call.arguments).map_err(invalid)?;
                added += 1;
            }
        }
        let file = path.display().to_string();
        if added > 0 {
            let written = list.write(&path);
            written.map_err(|error| {
                ApiError::new(ErrorKind::Unavailable, format!("cannot write {file}: {error}"))
            })?;
        }
        Ok(KeptDiscovery { file, added })
    }
}

impl Handle<SuggestDiscovery> for Engine {
    async fn handle(&self, command: SuggestDiscovery) -> Result<DiscoverySuggestions, ApiError> {
        let servers = match command.server_name {
            Some(server) => {
                self.known_server(&server)?;
                vec![server]
            }
            None => {
                let all = self.upstreams.hub.status().into_iter().map(|server| server.name);
                all.filter(|name| name != OWN_SERVER).collect()
            }
        };
        self.records.recorder.settle().await;
        let (mut tools, mut unavailable) = (Vec::new(), Vec::new());
        for (server, listed) in self.listed_tools(&servers).await {
            let listed = match listed {
                Ok(listed) => listed,
                Err(reason) => {
                    unavailable.push((server, reason));
                    continue;
                }
            };
            for (name, definition) in &listed {
                let Ok(tool) = ToolId::new(&server, name) else { continue };
                let earlier = self.earlier_arguments(&tool).await?;
                let listed = Listed { definition, earlier: &earlier };
                let fits = |arguments: &str| check(definition, arguments).is_ok();
                let Some(proposal) = propose(listed, fits) else { continue };
                tools.push(suggestion(&tool, proposal)?);
            }
        }
        tools.sort_by(|a, b| a.tool_id.cmp(&b.tool_id));
        unavailable.sort();
        let file = self.discovery_path().display().to_string();
        Ok(DiscoverySuggestions { file, tools, unavailable })
    }
}

fn suggestion(tool: &ToolId, proposal: Proposal) -> Result<DiscoverySuggestion, ApiError> {
    let earlier = matches!(proposal, Proposal::Earlier(_));
    let arguments = match proposal {
        Proposal::Earlier(arguments) => Some(RawValue::from_string(arguments).map_err(internal)?),
        Proposal::NoArguments => Some(RawValue::from_string("{}".to_owned()).map_err(internal)?),
        Proposal::UnknownArguments => None,
    };
    let (server_name, tool_name) = (tool.server().to_owned(), tool.tool().to_owned());
    Ok(DiscoverySuggestion { tool_id: tool.to_string(), server_name, tool_name, arguments, earlier })
}
