//! What a change of a tool's schema does to the edges from it.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemascope_api::{
    ApiError, ChangeRow, ChangedEdge, DiffEdges, Edge, EdgeDiff, EdgeState, ErrorKind, SchemaChoice,
};
use schemascope_compare::compare;
use schemascope_compose::is_within;
use schemascope_model::ToolId;
use serde_json::Value;

use super::versions::change_row;
use super::{Handle, internal};
use crate::engine::Engine;
use crate::knowledge::edge_graph::USUAL_CONFIDENCE;

handlers![DiffEdges];

/// Difference of confidence that counts as a change.
const CHANGE: f64 = 0.05;

impl Handle<DiffEdges> for Engine {
    async fn handle(&self, command: DiffEdges) -> Result<EdgeDiff, ApiError> {
        let (id, tool) = self.known_tool(&command.tool_id).await?;
        let schema = |word: &str| Ok::<_, ApiError>(self.choose(&id, &tool, choice(word)?)?.schema);
        let (old, new) = (schema(&command.a)?, schema(&command.b)?);
        self.edge_diff(&id, old, new).await
    }
}

/// Reads which schema is meant.
fn choice(word: &str) -> Result<SchemaChoice, ApiError> {
    Ok(match word {
        "effective" => SchemaChoice::Effective,
        "inferred" => SchemaChoice::Inferred,
        "declared" => SchemaChoice::Declared,
        number => SchemaChoice::Version(number.parse().map_err(|_| {
            let message = format!(
                "{word:?} is not a schema; expected a version number, effective, inferred or declared"
            );
            ApiError::new(ErrorKind::Invalid, message)
        })?),
    })
}

impl Engine {
    /// What happens to the edges from a tool if its results have another schema.
    pub(super) async fn edge_diff(
        &self,
        id: &ToolId,
        old: Arc<Value>,
        new: Arc<Value>,
    ) -> Result<EdgeDiff, ApiError> {
        let (edges, id) = (Arc::clone(&self.knowledge.edges), id.clone());
        let comparing = move || {
            let (before, after) = edges.under(&id, &old, &new);
            let changes: Vec<ChangeRow> = compare(&old, &new).changes.into_iter().map(change_row).collect();
            diff(before, after, &changes)
        };
        tokio::task::spawn_blocking(comparing).await.map_err(internal)
    }
}

/// Sorts edges of any confidence by what becomes of them. Those that are not listed before or after do not count.
fn diff(before: Vec<Edge>, after: Vec<Edge>, changes: &[ChangeRow]) -> EdgeDiff {
    let alive = |edge: &Edge| edge.state != EdgeState::Broken;
    let is_listed = |edge: &Edge| edge.confidence >= USUAL_CONFIDENCE;
    let mut later: BTreeMap<Box<str>, Edge> =
        after.into_iter().filter(alive).map(|edge| (edge.to.clone(), edge)).collect();
    let mut diff = EdgeDiff::default();
    for edge in before.into_iter().filter(alive) {
        let was = edge.confidence;
        if !is_listed(&edge) {
            // One that only just passes the bound now is not new.
            later.retain(|to, now| *to != edge.to || now.confidence > was + CHANGE);
            continue;
        }
        match later.remove(&edge.to) {
            None => {
                let changes = of(changes, &edge);
                diff.broken.push(ChangedEdge { edge, before: Some(was), after: None, changes });
            }
            Some(now) if now.confidence < was - CHANGE || lost(&edge, &now) => {
                let (changes, after) = (of(changes, &edge), Some(now.confidence));
                diff.weakened.push(ChangedEdge { edge: now, before: Some(was), after, changes });
            }
            Some(_) => {}
        }
    }
    for edge in later.into_values().filter(is_listed) {
        let (changes, after) = (of(changes, &edge), Some(edge.confidence));
        diff.new.push(ChangedEdge { edge, before: None, after, changes });
    }
    for edges in [&mut diff.broken, &mut diff.weakened, &mut diff.new] {
        let key = |one: &ChangedEdge| (one.edge.evidence.flows, one.before.or(one.after).unwrap_or(0.0));
        edges.sort_by(|a, b| {
            let ((flows_a, sure_a), (flows_b, sure_b)) = (key(a), key(b));
            flows_b.cmp(&flows_a).then(sure_b.total_cmp(&sure_a)).then_with(|| a.edge.to.cmp(&b.edge.to))
        });
    }
    diff
}

/// Whether a field that was used does not exist any more.
fn lost(before: &Edge, after: &Edge) -> bool {
    let broken = |edge: &Edge| edge.fields.iter().filter(|field| field.broken).count();
    broken(after) > broken(before)
}

/// The changes at the outputs of an edge, at what contains them or at what they contain, the most particular first.
fn of(changes: &[ChangeRow], edge: &Edge) -> Vec<ChangeRow> {
    let touches = |change: &&ChangeRow| {
        let path = change.path.strip_prefix('$').unwrap_or(&change.path);
        let path = path.strip_prefix('.').unwrap_or(path);
        edge.fields.iter().any(|field| is_within(&field.output, path) || is_within(path, &field.output))
    };
    let mut touching: Vec<ChangeRow> = changes.iter().filter(touches).cloned().collect();
    touching.sort_by_key(|change| std::cmp::Reverse(change.path.len()));
    touching
}
