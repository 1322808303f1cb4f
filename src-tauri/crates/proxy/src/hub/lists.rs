//! The aggregated lists of `/mcp`: all items of all upstreams that are ready in time, without pages.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use bytes::Bytes;
use schemascope_model::ToolId;

use super::names::{public_name, renamed};
use super::{ANSWER_TIMEOUT, Hub, Source};
use crate::adapt;
use crate::listed::ListedSchemas;
use crate::observer::ListedTool;
use crate::upstream::handshake::{self, SessionError};
use crate::wire::{Who, params};

impl Hub {
    /// The tools of all upstreams that are ready in time, and the expected ones of those that are starting, as `/mcp`
    /// lists them, with the schemas that the client thereby knows. A client with an own session at an upstream gets the
    /// tools of that session.
    pub(crate) async fn tools(&self, who: &Who) -> (Vec<Bytes>, ListedSchemas) {
        let asked: Vec<_> = self
            .ready_or_expected(|known| Some(Arc::clone(&known.tools)))
            .await
            .into_iter()
            .map(|(upstream, source)| {
                let own = upstream.serving_now(who);
                let known = match source {
                    Source::Live(live) => {
                        if own.is_none() {
                            live.look_again();
                        }
                        live.tools()
                    }
                    Source::Expected(tools) => tools,
                };
                let listing = tokio::spawn(async move {
                    let own = own?;
                    let listed = handshake::list_tools(&own.link, own.hello.era);
                    tokio::time::timeout(ANSWER_TIMEOUT, listed).await.ok()?.ok()
                });
                (upstream, known, listing)
            })
            .collect();
        let mut tools = Vec::new();
        for (upstream, known, listing) in asked {
            let own = listing.await.ok().flatten().map(Arc::<[ListedTool]>::from);
            let listed = own.unwrap_or(known);
            tools.extend(listed.iter().filter_map(|tool| {
                let definition = renamed(upstream.name(), &tool.name, &tool.definition)?;
                let Ok(id) = ToolId::new(upstream.name(), &tool.name) else {
                    return Some((None, definition));
                };
                let presented = self.adapter.schemas().presented(&id);
                (!presented.hidden).then(|| (Some(id), adapt::present(definition, &presented)))
            }));
        }
        self.adapter.advertised(tools, who.era).await
    }

    /// The prompts of all upstreams, as `/mcp` lists them.
    pub(crate) async fn prompts(&self, who: &Who) -> Vec<Bytes> {
        let mut listed = Vec::new();
        let mut known = HashMap::new();
        for (server, prompt) in self.items("prompts/list", "prompts", "prompts", who).await {
            if let Some(name) = params::text(&prompt, "name")
                && let Some(definition) = renamed(&server, &name, &prompt)
            {
                known.insert(public_name(&server, &name), (server, name));
                listed.push(definition);
            }
        }
        self.directory().prompts = known;
        listed
    }

    /// The resources of all upstreams. If two have the same address, the first is listed.
    pub(crate) async fn resources(&self, who: &Who) -> Vec<Bytes> {
        let mut listed = Vec::new();
        let mut known = HashMap::new();
        for (server, resource) in self.items("resources/list", "resources", "resources", who).await {
            if let Some(uri) = params::text(&resource, "uri")
                && let Entry::Vacant(vacant) = known.entry(uri)
            {
                vacant.insert(server);
                listed.push(resource);
            }
        }
        self.directory().resources = known;
        listed
    }

    /// The resource templates of all upstreams.
    pub(crate) async fn templates(&self, who: &Who) -> Vec<Bytes> {
        let found = self.items("resources/templates/list", "resourceTemplates", "resources", who).await;
        let prefixes = found.iter().filter_map(|(server, template)| {
            let template = params::text(template, "uriTemplate")?;
            Some((template.split('{').next().unwrap_or_default().to_owned(), server.clone()))
        });
        self.directory().templates = prefixes.collect();
        found.into_iter().map(|(_, template)| template).collect()
    }

    /// The items of a list of all upstreams with this capability, each with its server.
    pub(crate) async fn items(
        &self,
        method: &'static str,
        items: &'static str,
        capability: &'static str,
        who: &Who,
    ) -> Vec<(String, Bytes)> {
        let ready = self.ready_or_expected(|known| known.items(method, capability)).await;
        let asked: Vec<_> = ready
            .into_iter()
            .map(|(upstream, source)| {
                let own = upstream.serving_now(who);
                let is_shared = own.is_none();
                let live = match (own, source) {
                    (Some(live), _) | (None, Source::Live(live)) => Ok(live),
                    (None, Source::Expected(items)) => Err(items),
                };
                tokio::spawn(async move {
                    let live = match live {
                        Ok(live) if live.hello.has(capability) => live,
                        Ok(_) => return (upstream.name().to_owned(), Vec::new()),
                        Err(expected) => {
                            upstream.note_sent_expected();
                            return (upstream.name().to_owned(), expected.to_vec());
                        }
                    };
                    let listed = handshake::list(&live.link, live.hello.era, method, items);
                    let listed = tokio::time::timeout(ANSWER_TIMEOUT, listed).await;
                    let listed = match listed {
                        Ok(listed) => listed.map_err(SessionError::reason),
                        Err(_) => Err(format!("it did not answer within {} s", ANSWER_TIMEOUT.as_secs())),
                    };
                    let listed = listed.inspect_err(|reason| {
                        tracing::warn!(upstream = %upstream.name(), %reason, "{method} failed; its items are missing from the list");
                    });
                    // What a session of a client lists may depend on the client.
                    if let Ok(items) = &listed
                        && is_shared
                    {
                        upstream.note_items(&live, method, items);
                    }
                    (upstream.name().to_owned(), listed.unwrap_or_default())
                })
            })
            .collect();
        let mut found = Vec::new();
        for answer in asked {
            if let Ok((server, listed)) = answer.await {
                found.extend(listed.into_iter().map(|item| (server.clone(), item)));
            }
        }
        found
    }
}
