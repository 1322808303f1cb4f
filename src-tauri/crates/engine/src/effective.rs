//! The schemas in force, at hand for the call path.
//!
//! Owns: what upstreams declare, as they listed it last, and the versions decided on, which come before it. It
//! answers without asking the registry, which may be busy learning. Refuses to know: why a schema is in force.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use schemascope_model::{Timestamp, ToolId};
use schemascope_proxy::{Effective, ListedTool, Schema};
use schemascope_registry::Declaration;
use serde_json::value::RawValue;

/// By tool. Tools without a schema are left out.
#[derive(Debug, Default)]
pub(crate) struct EffectiveSchemas(RwLock<Schemas>);

#[derive(Debug, Default)]
struct Schemas {
    declared: HashMap<ToolId, Effective>,
    decided: HashMap<ToolId, Effective>,
}

impl EffectiveSchemas {
    /// What is held true of a tool's output.
    pub(crate) fn of(&self, tool: &ToolId) -> Effective {
        let known = self.read();
        known.decided.get(tool).or_else(|| known.declared.get(tool)).cloned().unwrap_or_default()
    }

    /// Takes what a server declares, all of it.
    pub(crate) fn listed(&self, server: &str, tools: &[ListedTool], at: Timestamp) {
        let declared: Vec<_> = tools.iter().filter_map(|tool| declared(server, tool, at)).collect();
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known.declared.retain(|tool, _| tool.server() != server);
        known.declared.extend(declared);
    }

    /// Takes what was decided about a tool: a version, or none.
    pub(crate) fn decide(&self, tool: &ToolId, decided: Option<Effective>) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        match decided {
            Some(decided) => drop(known.decided.insert(tool.clone(), decided)),
            None => drop(known.decided.remove(tool)),
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Schemas> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

fn declared(server: &str, tool: &ListedTool, at: Timestamp) -> Option<(ToolId, Effective)> {
    let id = ToolId::new(server, &tool.name).ok()?;
    // Most declare none, and reading a definition is work.
    if !tool.definition.windows(14).any(|text| text == b"\"outputSchema\"") {
        return None;
    }
    let definition = RawValue::from_string(String::from_utf8(tool.definition.to_vec()).ok()?).ok()?;
    let declaration = Declaration::new(definition, at);
    let schema = declaration.output_schema()?;
    let schema = Schema { digest: (*schema.digest).into(), schema: schema.schema.clone() };
    Some((id, Effective::Declared(schema)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_replaces_what_its_server_declared() {
        let schemas = EffectiveSchemas::default();
        let tool = |name: &str, more: &str| ListedTool {
            name: name.to_owned(),
            definition: format!("{{\"name\":\"{name}\"{more}}}").into(),
        };
        let with = r#","outputSchema":{"type":"object"}"#;
        let at = Timestamp::from_millis(1);
        schemas.listed("a", &[tool("x", with), tool("y", ""), tool("z", r#","outputSchema":null"#)], at);
        schemas.listed("b", &[tool("x", with)], at);
        let has = |id: &str| schemas.of(&id.parse().unwrap()).schema().is_some();
        assert!(has("a__x") && !has("a__y") && !has("a__z") && has("b__x"));
        schemas.listed("a", &[tool("y", with)], at);
        assert!(!has("a__x") && has("a__y") && has("b__x"));
    }

    #[test]
    fn what_was_decided_comes_before_what_is_declared() {
        let schemas = EffectiveSchemas::default();
        let id: ToolId = "a__x".parse().unwrap();
        let schema = Schema { digest: "d".into(), schema: std::sync::Arc::new(true.into()) };
        schemas.decide(&id, Some(Effective::Promoted(schema)));
        assert!(matches!(schemas.of(&id), Effective::Promoted(_)));
        schemas.listed("a", &[], Timestamp::from_millis(1));
        assert!(matches!(schemas.of(&id), Effective::Promoted(_)));
        schemas.decide(&id, None);
        assert!(matches!(schemas.of(&id), Effective::None));
    }
}
