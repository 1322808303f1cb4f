//! Writing what is known for others.

use std::collections::BTreeMap;

use schemascope_api::{ApiError, ErrorKind, Export, ExportReply, ExportedFile, Form};
use schemascope_model::ToolId;
use schemascope_registry::Tool;
use schemascope_registry::exchange::{Bundle, DecidedThere, RegistryRow, Share, Team, write_type_registry};
use schemascope_registry::versions::AuditEvent;
use schemascope_shape::{HashKey, Policy};
use serde_json::Value;

use super::{Handle, internal, nearest};
use crate::engine::Engine;

impl Handle<Export> for Engine {
    async fn handle(&self, command: Export) -> Result<ExportReply, ApiError> {
        self.settled().await?;
        let own = self.registry().tools().clone();
        let key = self.data.hash_key().map_err(internal)?;
        // Files are read, and shapes put together.
        tokio::task::block_in_place(|| self.export(&command, &own, key))
    }
}

impl Engine {
    fn export(
        &self,
        command: &Export,
        own: &BTreeMap<ToolId, Tool>,
        key: HashKey,
    ) -> Result<ExportReply, ApiError> {
        let others = self.team.read().map_err(internal)?;
        let with_others = command.team || command.form == Form::Bundle;
        let others: Vec<&Bundle> = others.values().filter(|_| with_others).collect();
        let mut ids: Vec<&ToolId> = own.iter().filter(|(_, tool)| tool.exists()).map(|(id, _)| id).collect();
        ids.extend(others.iter().flat_map(|bundle| bundle.tools.keys()));
        ids.sort();
        ids.dedup();
        let wanted = chosen(&ids, &command.tools)?;
        let mut tools: BTreeMap<ToolId, Tool> = BTreeMap::new();
        for id in &wanted {
            let tool = match own.get(*id) {
                Some(tool) if others.iter().all(|bundle| !bundle.tools.contains_key(*id)) => tool.clone(),
                own => together(id, own, &others, key)?,
            };
            tools.insert((*id).clone(), tool);
        }
        let in_force = |id: &ToolId| -> Option<Value> {
            self.decisions.tool(id).in_force().map(|in_force| (*in_force.version().schema).clone())
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
                let schemas: Vec<(&ToolId, Value)> =
                    tools.keys().filter_map(|id| Some((id, in_force(id)?))).collect();
                tool_count = schemas.len() as u64;
                let text = schemascope_overrides::write(schemas.iter().map(|(id, schema)| (*id, schema)));
                named("tool_overrides.json", text)
            }
            Form::Schemas => {
                let schemas = tools.iter().filter_map(|(id, tool)| {
                    let schema = in_force(id).or_else(|| best(tool))?;
                    let text = serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n";
                    Some(ExportedFile { name: file_name(id), text })
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
                let node = format!("{:012x}", self.data.node().map_err(internal)?);
                bundle.add_node(&node, own, |id| tools.contains_key(id));
                for (id, tool) in &tools {
                    let versions = self.decisions.tool(id);
                    bundle.add_tool(id, tool, Some(&versions), self.decided(id)?);
                }
                let count = bundle.nodes.len() as u64;
                let files = named("bundle.json", bundle.write());
                return Ok(ExportReply { files, tool_count: tools.len() as u64, machine_count: count });
            }
        };
        let machine_count = 1 + others.len() as u64;
        Ok(ExportReply { files, tool_count, machine_count })
    }

    /// Who put in force what is.
    fn decided(&self, id: &ToolId) -> Result<Option<DecidedThere>, ApiError> {
        let entries = self.decisions.entries().map_err(internal)?;
        let latest = entries.into_iter().rev().find(|entry| {
            let puts = matches!(
                entry.event,
                AuditEvent::Promote { .. } | AuditEvent::Pin { .. } | AuditEvent::Rollback { to: Some(_) }
            );
            entry.tool_id == *id && puts
        });
        Ok(latest.map(|entry| DecidedThere { at: entry.at, actor: entry.actor, reason: entry.reason }))
    }
}

/// What all machines know of a tool together.
fn together(id: &ToolId, own: Option<&Tool>, others: &[&Bundle], key: HashKey) -> Result<Tool, ApiError> {
    let mut team = Team::with_key(key);
    if let Some(own) = own {
        team.declare(own.declaration.as_ref());
        team.add(&Share::of(own, true)).map_err(internal)?;
    }
    for other in others {
        other.add_to(id, &mut team).map_err(internal)?;
    }
    Ok(team.tool())
}

/// What is declared, else inferred.
fn best(tool: &Tool) -> Option<Value> {
    let declared = tool.declaration.as_ref().and_then(|declaration| declaration.output_schema());
    let inferred = || (tool.shape.observations() > 0).then(|| tool.shape.schema(&Policy::default()));
    declared.map(|declared| (*declared.schema).clone()).or_else(inferred)
}

/// A tool's id as the name of a file: what file systems may not take is written as `%` and two digits.
fn file_name(id: &ToolId) -> String {
    let mut name = String::new();
    for byte in id.to_string().bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.' => name.push(char::from(byte)),
            _ => name.push_str(&format!("%{byte:02X}")),
        }
    }
    name + ".json"
}

/// The tools that are wanted; an error where a pattern fits none.
fn chosen<'t>(known: &[&'t ToolId], patterns: &[String]) -> Result<Vec<&'t ToolId>, ApiError> {
    if patterns.is_empty() {
        return Ok(known.to_vec());
    }
    let written: Vec<String> = known.iter().map(ToString::to_string).collect();
    let mut wanted = vec![false; known.len()];
    for pattern in patterns {
        let mut any = false;
        for (wanted, id) in wanted.iter_mut().zip(&written) {
            if fits(pattern.as_bytes(), id.as_bytes()) {
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

/// Whether a text has the form of a pattern, in which `*` is anything and `?` one byte.
fn fits(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    // Where to go on when what came after the last `*` does not fit.
    let mut back = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                back = Some((p, t));
                p += 1;
            }
            Some(one) if *one == b'?' || *one == text[t] => (p, t) = (p + 1, t + 1),
            _ => {
                let Some((star, from)) = back else { return false };
                back = Some((star, from + 1));
                (p, t) = (star + 1, from + 1);
            }
        }
    }
    pattern[p..].iter().all(|rest| *rest == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_name_tools() {
        for (pattern, text, fit) in [
            ("git__*", "git__git_log", true),
            ("*log", "git__git_log", true),
            ("g?t__*_l*g", "git__git_log", true),
            ("git", "git__git_log", false),
            ("*", "", true),
            ("a*b*c", "abcb", false),
        ] {
            assert_eq!(fits(pattern.as_bytes(), text.as_bytes()), fit, "{pattern} {text}");
        }
        assert_eq!(file_name(&"s__a/b é".parse().unwrap()), "s__a%2Fb%20%C3%A9.json");
    }
}
