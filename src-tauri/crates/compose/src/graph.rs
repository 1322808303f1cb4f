//! The graph: tools, evidence, and the edges that follow from both.
//!
//! Nothing that is derived is stored except scores that are computed again as soon as something they
//! depend on changes. That makes a changed graph equal to one that was built from the start.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::candidates::Candidates;
use crate::evidence::Evidence;
use crate::model::Model;
use crate::tool::{Known, Tool};

/// Tools and evidence, with the edges between them.
#[derive(Debug, Clone)]
pub struct Graph {
    pub(crate) tools: BTreeMap<Arc<str>, Arc<Known>>,
    pub(crate) candidates: Candidates,
    evidence: Evidence,
    pub(crate) model: Model,
}

impl Graph {
    /// Creates an empty graph.
    pub fn new(model: Model) -> Self {
        Self {
            tools: BTreeMap::new(),
            candidates: Candidates::default(),
            evidence: Evidence::default(),
            model,
        }
    }

    /// Returns the evidence.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// Returns the evidence for changes. Edges follow at once.
    pub fn evidence_mut(&mut self) -> &mut Evidence {
        &mut self.evidence
    }

    /// Adds a tool or replaces it.
    pub fn set(&mut self, tool: Tool) {
        if self.tools.get(&*tool.id).is_some_and(|known| known.tool == tool) {
            return;
        }
        self.remove(&tool.id);
        let known = Arc::new(Known::new(tool));
        self.candidates.add(&known);
        self.tools.insert(known.id.clone(), known);
    }

    /// Removes a tool. Its evidence stays, and its edges are broken until it is back.
    pub fn remove(&mut self, id: &str) {
        if let Some(known) = self.tools.remove(id) {
            self.candidates.remove(&known);
        }
    }

    /// Returns the ids of all tools.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(|id| &**id)
    }

    /// Returns a tool.
    pub fn tool(&self, id: &str) -> Option<&Tool> {
        self.tools.get(id).map(|known| &known.tool)
    }

    /// Returns the paths of a tool's result, as far as they are known.
    pub fn outputs(&self, id: &str) -> impl Iterator<Item = &str> {
        let outputs = self.tools.get(id).into_iter().flat_map(|known| &known.outputs);
        outputs.map(|place| &*place.path)
    }

    /// Returns the paths of the inputs that a tool requires.
    pub fn required(&self, id: &str) -> Vec<Box<str>> {
        let known = self.tools.get(id).into_iter();
        known.flat_map(|known| known.required()).map(|input| (&*input.path).into()).collect()
    }

    pub(crate) fn known(&self, id: &str) -> Option<&Arc<Known>> {
        self.tools.get(id)
    }
}
