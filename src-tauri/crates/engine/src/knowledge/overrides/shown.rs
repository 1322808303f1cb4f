//! How tools are shown to clients, for the call path: the overrides in effect, and each server's latest listing.

use parking_lot::RwLock;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use schemascope_model::{Presented, ToolId};
use schemascope_overrides::Overrides;
use schemascope_proxy::ListedTool;

/// Overrides in effect and the latest listings.
#[derive(Debug, Default)]
pub(crate) struct ShownTools {
    now: RwLock<Arc<ActiveOverrides>>,
    listed: RwLock<HashMap<String, Arc<[ListedTool]>>>,
}

/// The overrides in effect, without output schemas, which are decided about.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ActiveOverrides {
    pub(super) overrides: Overrides,
    /// Tools by the new names that are valid.
    pub(super) names: BTreeMap<Box<str>, ToolId>,
}

impl ShownTools {
    pub(crate) fn presented(&self, tool: &ToolId) -> Presented {
        let now = self.now();
        let mut presented = now.overrides.presented(tool);
        presented.name.take_if(|name| now.names.get(name).is_none_or(|owner| owner != tool));
        presented
    }

    pub(crate) fn is_hidden(&self, tool: &ToolId) -> bool {
        self.now().overrides.is_hidden(tool)
    }

    pub(crate) fn named(&self, name: &str) -> Option<ToolId> {
        self.now().names.get(name).cloned()
    }

    /// Replaces a server's listing.
    pub(crate) fn listed(&self, server: &str, tools: &[ListedTool]) {
        let mut listed = self.listed.write();
        listed.insert(server.to_owned(), tools.into());
    }

    /// A tool as its server lists it; none when the server has not listed its tools yet.
    pub(super) fn definition(&self, tool: &ToolId) -> Option<Option<ListedTool>> {
        let listed = self.listed.read();
        let tools = listed.get(tool.server())?;
        Some(tools.iter().find(|listed| listed.name == tool.tool()).cloned())
    }

    /// Replaces the overrides. Returns whether anything changed.
    pub(super) fn set(&self, now: ActiveOverrides) -> bool {
        let mut known = self.now.write();
        let is_new = **known != now;
        *known = Arc::new(now);
        is_new
    }

    pub(super) fn now(&self) -> Arc<ActiveOverrides> {
        Arc::clone(&self.now.read())
    }
}
