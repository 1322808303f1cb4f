//! Whose a name or an address on `/mcp` is.
//!
//! Owns: finding the upstream, and what it calls the thing. Refuses to know: what is done with it there.

use std::collections::HashMap;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use schemascope_model::{SEPARATOR, ToolId};

use super::Hub;
use super::names::{is_public, may_be_alias, public_name};
use crate::adapt;
use crate::upstream::Upstream;
use crate::wire::{RpcError, Who};

/// How long it is remembered that nobody lists a resource.
const RELIST: Duration = Duration::from_secs(5);

/// Where things of aggregated lists are: the server, and what it calls them.
#[derive(Debug, Default)]
pub(super) struct Directory {
    pub(super) prompts: HashMap<String, (String, String)>,
    pub(super) resources: HashMap<String, String>,
    /// What stands before the first variable of each template.
    pub(super) templates: Vec<(String, String)>,
}

impl Directory {
    fn server_of(&self, uri: &str) -> Option<String> {
        if let Some(server) = self.resources.get(uri) {
            return Some(server.clone());
        }
        let begins = |(prefix, _): &&(String, String)| !prefix.is_empty() && uri.starts_with(prefix.as_str());
        let template = self.templates.iter().filter(begins).max_by_key(|(prefix, _)| prefix.len());
        let scheme = uri.split_once("://").map(|(scheme, _)| format!("{scheme}://"))?;
        let alike = || self.resources.iter().filter(|(known, _)| known.starts_with(&scheme)).min();
        template.map(|(_, server)| server.clone()).or_else(|| alike().map(|(_, server)| server.clone()))
    }
}

impl Hub {
    /// The upstream of a prompt as `/mcp` names it, and its name there.
    pub(crate) async fn prompt(&self, name: &str) -> Option<(Arc<Upstream>, String)> {
        let mut known = self.directory().prompts.get(name).cloned();
        // Whoever knows an alias may have been told it before we were started.
        if known.is_none() && may_be_alias(name) {
            self.prompts(&Who::nobody()).await;
            known = self.directory().prompts.get(name).cloned();
        }
        let (server, prompt) = known.or_else(|| {
            let (server, prompt) = name.split_once(SEPARATOR)?;
            Some((server.to_owned(), prompt.to_owned()))
        })?;
        Some((self.upstream(&server)?, prompt))
    }

    /// The upstream that has a resource: the one that lists it, else whose template begins like it, else
    /// that has others of its scheme.
    pub(crate) async fn resource(&self, uri: &str) -> Option<Arc<Upstream>> {
        // One at a time, and not for every address that is not there.
        let mut listed = self.listed.lock().await;
        let stale = listed.is_none_or(|at| at.elapsed() > RELIST);
        if stale && self.directory().server_of(uri).is_none() {
            *listed = Some(Instant::now());
            let nobody = Who::nobody();
            self.resources(&nobody).await;
            self.templates(&nobody).await;
        }
        drop(listed);
        let server = self.directory().server_of(uri)?;
        self.upstream(&server)
    }

    pub(super) fn directory(&self) -> MutexGuard<'_, Directory> {
        self.directory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tool that is called `name` on `/mcp`. One that has been given a name is still called by its own too.
    pub(crate) fn resolve(&self, name: &str) -> Result<ToolId, RpcError> {
        let unknown = || RpcError::invalid_params(format!("Unknown tool: {name}"));
        let schemas = self.adapter.schemas();
        let tool = match schemas.named(name) {
            Some(tool) => tool,
            None => self.own_name(name).ok_or_else(unknown)?,
        };
        if schemas.is_hidden(&tool) { Err(unknown()) } else { Ok(tool) }
    }

    /// A tool's definition as people want it shown.
    pub(crate) fn presented(&self, tool: &ToolId, definition: Bytes) -> Bytes {
        adapt::present(definition, &self.adapter.schemas().presented(tool))
    }

    /// The tool whose own name this is.
    fn own_name(&self, name: &str) -> Option<ToolId> {
        let (server, tool) = name.split_once(SEPARATOR)?;
        let upstream = self.upstream(server)?;
        let listed = upstream.listed();
        // Nearly all are called as they are; only the others' aliases have to be made to be compared.
        let as_it_is = is_public(server, tool) && listed.iter().any(|listed| listed.name == tool);
        let mut odd = listed.iter().filter(|listed| !as_it_is && !is_public(server, &listed.name));
        let aliased = odd.find(|listed| public_name(server, &listed.name) == name);
        ToolId::new(server, aliased.map_or(tool, |listed| &listed.name)).ok()
    }
}
