//! Exporting schemas and counts to files.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use schemascope_api::{ApiError, ErrorKind, Export, ExportReply, ExportedFile, Form, glob};
use schemascope_compose::{Evidence, Shareable, names};
use schemascope_model::{CallId, Timestamp, ToolId};
use schemascope_overrides::{Field, Overrides, WILDCARD};
use schemascope_registry::Tool;
use schemascope_registry::exchange::{Bundle, DecidedThere, RegistryRow, Team, write_type_registry};
use schemascope_registry::versions::AuditEvent;
use schemascope_shape::{HashKey, Policy, looks_like_data};
use serde_json::Value;

use super::decide::undoes;
use super::schema_files::schema_file;
use super::{Handle, internal, nearest};
use crate::engine::Engine;

handlers![Export];

impl Handle<Export> for Engine {
    async fn handle(&self, command: Export) -> Result<ExportReply, ApiError> {
        self.settled().await?;
        // Before the registry, so that it has no call that the registry lacks.
        let evidence = self.records.flows.lock().evidence().clone();
        let own = self.registry().tools().clone();
        let key = self.data.hash_key().map_err(internal)?;
        // Reads files and merges shapes.
        tokio::task::block_in_place(|| self.export(&command, &own, &evidence, key))
    }
}

impl Engine {
    fn export(
        &self,
        command: &Export,
        own: &BTreeMap<ToolId, Tool>,
        evidence: &Evidence,
        key: HashKey,
    ) -> Result<ExportReply, ApiError> {
        let others = self.knowledge.team.read(key).map_err(internal)?;
        let with_others = command.team || command.form == Form::Bundle;
        let others: Vec<&Bundle> = others.values().filter(|_| with_others).collect();
        let mut ids: Vec<&ToolId> = own
            .iter()
            .filter(|(id, tool)| self.upstreams.own_tools.counts(id, tool))
            .map(|(id, _)| id)
            .collect();
        ids.extend(others.iter().flat_map(|bundle| bundle.tools.keys()));
        ids.sort();
        ids.dedup();
        let wanted = chosen(&ids, &command.tools)?;
        let node = self.data.node().map_err(internal)?;
        let mut tools: BTreeMap<ToolId, Tool> = BTreeMap::new();
        for id in &wanted {
            let tool = match own.get(*id) {
                Some(tool) if others.iter().all(|bundle| !bundle.tools.contains_key(*id)) => tool.clone(),
                own => together(id, own.map(|own| (own, node)), &others, key)?,
            };
            tools.insert((*id).clone(), tool);
        }
        let in_force = |id: &ToolId| -> Option<Value> {
            self.knowledge.decisions.tool(id).in_force().map(|in_force| (*in_force.version().schema).clone())
        };
        let named = |name: &str, text: String| vec![ExportedFile { name: name.to_owned(), text }];
        let mut tool_count = tools.len() as u64;
        let files = match command.form {
            Form::Registry => {
                let rows: Vec<RegistryRow> =
                    tools.iter().map(|(id, tool)| RegistryRow::of(id, tool, in_force(id).as_ref())).collect();
                named("type_registry.json", write_type_registry(&rows))
            }
            Form::Overrides => {
                let schemas = tools.keys().filter_map(|id| Some((id.clone(), in_force(id)?))).collect();
                let is_wanted = |id: &ToolId| command.tools.is_empty() || tools.contains_key(id);
                let overrides = effective_overrides(self.services.overrides.in_effect(), schemas, is_wanted);
                tool_count = overrides.tools().count() as u64;
                named("tool_overrides.json", schemascope_overrides::write(&overrides))
            }
            Form::Schemas => {
                let schemas = tools.iter().filter_map(|(id, tool)| {
                    let schema = in_force(id).or_else(|| best(tool))?;
                    let (name, schema) = schema_file(id, schema);
                    let text = serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n";
                    Some(ExportedFile { name, text })
                });
                let files: Vec<ExportedFile> = schemas.collect();
                tool_count = files.len() as u64;
                files
            }
            Form::Bundle => {
                let mut bundle = Bundle::new(key, command.with_values);
                for other in &others {
                    if other.values && !command.with_values {
                        bundle.add_veiled(other, key).map_err(internal)?;
                    } else {
                        bundle.nodes.extend(other.nodes.clone());
                    }
                }
                bundle.keep(|id| tools.contains_key(id));
                bundle.add_machines(node, own, self.revised()?, |id| tools.contains_key(id));
                add_edges(&mut bundle, node, &tools, own, evidence);
                let mut decided = self.decided()?;
                for (id, tool) in &tools {
                    let versions = self.knowledge.decisions.tool(id);
                    let effective = versions.decided().in_force();
                    let there = effective.and_then(|version| decided.remove(&(id.clone(), version)));
                    bundle.add_tool(id, tool, Some(&versions), there);
                }
                let count = bundle.nodes.len() as u64;
                let files = named("bundle.json", bundle.write_signed(key));
                return Ok(ExportReply { files, tool_count: tools.len() as u64, machine_count: count });
            }
        };
        let machine_count = 1 + others.len() as u64;
        Ok(ExportReply { files, tool_count, machine_count })
    }

    /// When counts that were made before were changed last.
    fn revised(&self) -> Result<Option<Timestamp>, ApiError> {
        let entries = self.knowledge.decisions.entries().map_err(internal)?;
        let learned_again = entries.iter().filter(|entry| {
            let event = &entry.event;
            matches!(
                event,
                AuditEvent::LearnSince { .. } | AuditEvent::FailingText { .. } | AuditEvent::Undo { .. }
            )
        });
        let redacted = self.data.redacted().map_err(internal)?;
        Ok(learned_again.map(|entry| entry.at).max().max(redacted))
    }

    /// The latest decision that made each version effective and was not undone, by tool and version.
    fn decided(&self) -> Result<BTreeMap<(ToolId, u32), DecidedThere>, ApiError> {
        let entries = self.knowledge.decisions.entries().map_err(internal)?;
        let undone: HashSet<CallId> = entries.iter().filter_map(|entry| undoes(&entry.event)).collect();
        let effective = entries.into_iter().filter(|entry| !undone.contains(&entry.id)).filter_map(|entry| {
            let (AuditEvent::Promote { version }
            | AuditEvent::Pin { version, .. }
            | AuditEvent::Rollback { to: Some(version) }) = entry.event
            else {
                return None;
            };
            let there = DecidedThere { at: entry.at, actor: entry.actor, reason: entry.reason };
            Some(((entry.tool_id, version), there))
        });
        Ok(effective.collect())
    }
}

/// Everything that agents see differently from what upstreams say: the overrides in effect of the wanted tools, with the
/// schemas of effective versions. Defaults for several tools are part of it.
fn effective_overrides(
    mut overrides: Overrides,
    schemas: BTreeMap<ToolId, Value>,
    is_wanted: impl Fn(&ToolId) -> bool,
) -> Overrides {
    for (name, server) in &mut overrides.servers {
        let keeps = |tool: &str| ToolId::new(name, tool).is_ok_and(|id| is_wanted(&id));
        server.tools.retain(|tool, _| **tool == *WILDCARD || keeps(tool));
    }
    for (id, schema) in schemas {
        let server = overrides.servers.entry(id.server().into()).or_default();
        let entry = server.tools.entry(id.tool().into()).or_default();
        entry.output_schema = Some(schema);
        entry.follows.remove(&Field::Output);
    }
    overrides.servers.retain(|_, server| server.enabled.is_some() || !server.tools.is_empty());
    overrides
}

/// A tool with the counts of all machines. `own` is what this machine knows, with its number.
fn together(
    id: &ToolId,
    own: Option<(&Tool, u64)>,
    others: &[&Bundle],
    key: HashKey,
) -> Result<Tool, ApiError> {
    let mut team = Team::with_key(key);
    if let Some((own, node)) = own {
        team.add_own(own, node);
    }
    others.iter().for_each(|other| other.add_to(id, &mut team));
    team.tool().map_err(internal)
}

/// Adds the evidence of edges of the machines whose calls were counted here. Later counts of another machine, from its
/// own bundle, have theirs already.
fn add_edges(
    bundle: &mut Bundle,
    node: u64,
    tools: &BTreeMap<ToolId, Tool>,
    own: &BTreeMap<ToolId, Tool>,
    evidence: &Evidence,
) {
    let shared = SharedNames::of(tools);
    for (id, tool) in own.iter().filter(|(id, _)| tools.contains_key(*id)) {
        for (machine, json) in evidence.shares(&id.to_string(), node, &shared) {
            bundle.add_edges(id, machine, tool.position_of(machine), json);
        }
    }
}

/// Names of the fields that a bundle shows anyway: its schemas and shapes have them.
struct SharedNames {
    /// Paths of results without keys that are data, by tool.
    outputs: BTreeMap<String, BTreeSet<String>>,
    /// What servers say of their tools, where the names of arguments are.
    definitions: BTreeMap<String, String>,
}

impl SharedNames {
    fn of(tools: &BTreeMap<ToolId, Tool>) -> Self {
        let outputs = tools.iter().map(|(id, tool)| {
            let fields = tool.shape.veiled().fields(&Policy::default()).into_iter();
            // The name of a key that was veiled has such a bracket.
            let paths = fields.map(|field| field.path).filter(|path| !path.contains('⟦'));
            (id.to_string(), paths.collect())
        });
        let definitions = tools.iter().filter_map(|(id, tool)| {
            Some((id.to_string(), tool.declaration.as_ref()?.definition.get().to_owned()))
        });
        Self { outputs: outputs.collect(), definitions: definitions.collect() }
    }
}

impl Shareable for SharedNames {
    fn is_tool(&self, tool: &str) -> bool {
        self.outputs.contains_key(tool)
    }

    fn is_output(&self, tool: &str, path: &str) -> bool {
        let Some(paths) = self.outputs.get(tool) else { return false };
        let of_values = |path: &str| paths.iter().any(|known| known.starts_with(path));
        // The keys of a map have no path of their own.
        path.is_empty() || paths.contains(path) || path.strip_suffix("{key}").is_some_and(of_values)
    }

    fn is_input(&self, tool: &str, path: &str) -> bool {
        let definition = self.definitions.get(tool);
        names(path).iter().all(|name| match definition {
            Some(definition) => definition.contains(&Value::from(name.as_str()).to_string()),
            None => !looks_like_data(name),
        })
    }
}

/// The declared schema, else the inferred one.
fn best(tool: &Tool) -> Option<Value> {
    let declared = tool.declaration.as_ref().and_then(|declaration| declaration.output_schema());
    let inferred = || (tool.shape.observations() > 0).then(|| tool.inferred_schema());
    declared.map(|declared| (*declared.schema).clone()).or_else(inferred)
}

/// The tools that match any pattern; an error if a pattern matches none.
fn chosen<'t>(known: &[&'t ToolId], patterns: &[String]) -> Result<Vec<&'t ToolId>, ApiError> {
    if patterns.is_empty() {
        return Ok(known.to_vec());
    }
    let written: Vec<String> = known.iter().map(ToString::to_string).collect();
    let mut wanted = vec![false; known.len()];
    for pattern in patterns {
        let mut any = false;
        // A tool whose name contains `*` or `?` can be named exactly.
        let is_id = written.contains(pattern);
        for (wanted, id) in wanted.iter_mut().zip(&written) {
            if id == pattern || (!is_id && glob(pattern, id)) {
                (*wanted, any) = (true, true);
            }
        }
        if !any {
            let hint = nearest::suggestion(pattern, written.iter().map(String::as_str));
            let message = format!("no tool is called {pattern:?}{hint}");
            return Err(ApiError::new(ErrorKind::NotFound, message));
        }
    }
    Ok(known.iter().zip(wanted).filter(|(_, wanted)| *wanted).map(|(id, _)| *id).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn export_of_overrides_contains_everything_agents_see_of_the_wanted_tools() {
        let text = r#"{"schemaVersion": 2,
            "master": {"tools": {"*": {"annotations": {"openWorldHint": false}}}},
            "servers": {
                "git": {"tools": {"log": {"name": "history", "enabled": false}, "diff": {"description": "d"}}},
                "shop": {"tools": {"get": {"inputSchema": {"type": "object"}}}}}}"#;
        let read = schemascope_overrides::Document::parse(text.to_owned()).unwrap();
        let wanted: BTreeMap<ToolId, Value> =
            BTreeMap::from([("shop__get".parse().unwrap(), json!({"a": 1}))]);
        let all = effective_overrides(read.overrides().clone(), wanted.clone(), |_| true);
        assert_eq!((all.tools().count(), all.master.len()), (3, 1));
        assert_eq!(all.entry("git", "log").unwrap().enabled, Some(false));
        let get = all.entry("shop", "get").unwrap();
        assert!(get.input_schema.is_some() && get.output_schema == Some(json!({"a": 1})));
        let one = effective_overrides(read.overrides().clone(), wanted, |id| id.server() == "shop");
        assert_eq!((one.tools().count(), one.master.len(), one.servers.len()), (1, 1, 1));
    }
}
