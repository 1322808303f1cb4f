//! How tools are shown, at hand for the call path, and what upstreams list.
//!
//! Owns: the overrides in force with the names that can be used, and each server's latest list. Refuses to know: files
//! and decisions.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

use schemascope_model::{Presented, ToolId};
use schemascope_overrides::Overrides;
use schemascope_proxy::ListedTool;

/// Overrides in force.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    now: RwLock<Arc<InForce>>,
    listed: RwLock<HashMap<String, Arc<[ListedTool]>>>,
}

/// What is in force of the file, output schemas aside.
#[derive(Debug, Default, PartialEq)]
pub(super) struct InForce {
    pub(super) overrides: Overrides,
    /// Tools by the names that can be used.
    pub(super) names: BTreeMap<Box<str>, ToolId>,
}

impl Shown {
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

    /// Takes a server's list.
    pub(crate) fn listed(&self, server: &str, tools: &[ListedTool]) {
        let mut listed = self.listed.write().unwrap_or_else(PoisonError::into_inner);
        listed.insert(server.to_owned(), tools.into());
    }

    /// A tool as its server lists it; none when that list is not known.
    pub(super) fn definition(&self, tool: &ToolId) -> Option<Option<ListedTool>> {
        let listed = self.listed.read().unwrap_or_else(PoisonError::into_inner);
        let tools = listed.get(tool.server())?;
        Some(tools.iter().find(|listed| listed.name == tool.tool()).cloned())
    }

    /// Puts others in force; whether anything is shown otherwise than before.
    pub(super) fn set(&self, now: InForce) -> bool {
        let mut known = self.now.write().unwrap_or_else(PoisonError::into_inner);
        let is_new = **known != now;
        *known = Arc::new(now);
        is_new
    }

    pub(super) fn now(&self) -> Arc<InForce> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }
}
