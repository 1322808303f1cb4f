//! Finds the upstream of a tool, prompt or resource on `/mcp`, and its name there.

use std::cmp::Reverse;
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

/// How long resources are not listed again to find an unknown one.
const RELIST: Duration = Duration::from_secs(5);

/// Owners of the items of aggregated lists: the server, and its own name for the item.
#[derive(Debug, Default)]
pub(super) struct Directory {
    pub(super) prompts: HashMap<String, (String, String)>,
    pub(super) resources: HashMap<String, String>,
    /// The part before the first variable of each template, with its server.
    pub(super) templates: Vec<(String, String)>,
}

impl Directory {
    /// The server that lists a resource, or has a template that begins like it.
    fn server_of(&self, uri: &str) -> Option<String> {
        let begins = |(prefix, _): &&(String, String)| !prefix.is_empty() && uri.starts_with(prefix.as_str());
        let template = || self.templates.iter().filter(begins).max_by_key(|(prefix, _)| prefix.len());
        self.resources.get(uri).or_else(|| template().map(|(_, server)| server)).cloned()
    }

    /// The server of the resource that is most like an unlisted one, of those with its scheme.
    fn likely_server_of(&self, uri: &str) -> Option<String> {
        let (scheme, _) = uri.split_once("://")?;
        let common =
            |known: &str| known.bytes().zip(uri.bytes()).take_while(|(one, other)| one == other).count();
        let alike = self.resources.iter().map(|(known, server)| (common(known), Reverse(known), server));
        let (length, _, server) = alike.max()?;
        (length >= scheme.len() + "://".len()).then(|| server.clone())
    }
}

impl Hub {
    /// The upstream of a prompt on `/mcp`, and its name there.
    pub(crate) async fn prompt(&self, name: &str) -> Option<(Arc<Upstream>, String)> {
        let mut known = self.directory().prompts.get(name).cloned();
        // The client may know an alias from before this process was started.
        if known.is_none() && may_be_alias(name) {
            self.prompts(&Who::unknown()).await;
            known = self.directory().prompts.get(name).cloned();
        }
        let (server, prompt) = known.or_else(|| {
            let (server, prompt) = name.split_once(SEPARATOR)?;
            Some((server.to_owned(), prompt.to_owned()))
        })?;
        Some((self.upstream(&server)?, prompt))
    }

    /// The upstream of a resource: the one that lists it, else one with a template that begins like it, else one
    /// with other resources of its scheme.
    pub(crate) async fn resource(&self, uri: &str) -> Option<Arc<Upstream>> {
        let mut server = self.directory().server_of(uri);
        if server.is_none() {
            // One at a time, and not for every unknown address.
            let mut listed = self.listed.lock().await;
            if listed.is_none_or(|at| at.elapsed() > RELIST) {
                *listed = Some(Instant::now());
                let unknown_client = Who::unknown();
                self.resources(&unknown_client).await;
                self.templates(&unknown_client).await;
            }
            drop(listed);
            let directory = self.directory();
            server = directory.server_of(uri).or_else(|| directory.likely_server_of(uri));
        }
        self.upstream(&server?)
    }

    pub(super) fn directory(&self) -> MutexGuard<'_, Directory> {
        self.directory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tool with this name on `/mcp`. A renamed tool can still be called by its original name.
    pub(crate) fn resolve(&self, name: &str) -> Result<ToolId, RpcError> {
        let unknown =
            || RpcError::invalid_params(format!("Unknown tool: {name}; tools/list shows the current tools"));
        let schemas = self.adapter.schemas();
        let tool = match schemas.named(name) {
            Some(tool) => tool,
            None => self.own_name(name).ok_or_else(unknown)?,
        };
        if schemas.is_hidden(&tool) { Err(unknown()) } else { Ok(tool) }
    }

    /// A tool's definition with the user's overrides.
    pub(crate) fn presented(&self, tool: &ToolId, definition: Bytes) -> Bytes {
        adapt::present(definition, &self.adapter.schemas().presented(tool))
    }

    /// The tool with this original name.
    fn own_name(&self, name: &str) -> Option<ToolId> {
        let Some((server, tool)) = name.split_once(SEPARATOR) else {
            // A command-line tool without subcommands is also called by the name of its server.
            return ToolId::new(name, &self.upstream(name)?.only_tool()?).ok();
        };
        let upstream = self.upstream(server)?;
        let listed = upstream.known_tools();
        // Few tools need an alias, so aliases are only computed for those.
        let as_it_is = is_public(server, tool) && listed.iter().any(|listed| listed.name == tool);
        let mut odd = listed.iter().filter(|listed| !as_it_is && !is_public(server, &listed.name));
        let aliased = odd.find(|listed| public_name(server, &listed.name) == name);
        ToolId::new(server, aliased.map_or(tool, |listed| &listed.name)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unlisted_resource_belongs_to_the_most_similar_one() {
        let of = |name: &str, server: &str| (name.to_owned(), server.to_owned());
        let directory = Directory {
            resources: HashMap::from([
                of("file:///a/notes.md", "a"),
                of("file:///b/notes.md", "b"),
                of("ui://b/chart", "b"),
            ]),
            templates: vec![of("memo:", "m"), of("file:///c/", "c"), of("", "all")],
            ..Directory::default()
        };
        for (uri, listed, likely) in [
            ("file:///a/notes.md", Some("a"), None),
            ("file:///b/other.md", None, Some("b")),
            ("file:///c/x", Some("c"), None),
            ("memo:1", Some("m"), None),
            ("ui://b/table", None, Some("b")),
            ("http://b/chart", None, None),
            ("nothing", None, None),
        ] {
            assert_eq!(directory.server_of(uri).as_deref(), listed, "{uri}");
            if listed.is_none() {
                assert_eq!(directory.likely_server_of(uri).as_deref(), likely, "{uri}");
            }
        }
    }
}
