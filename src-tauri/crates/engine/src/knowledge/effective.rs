//! Effective schemas, for the call path: versions decided on, else what upstreams declare in their latest listing.
//!
//! Answers without the registry, which may be busy learning.

use parking_lot::{RwLock, RwLockReadGuard};
use std::collections::HashMap;

use schemascope_model::{Timestamp, ToolId};
use schemascope_proxy::{Effective, ListedTool, Schema};
use schemascope_registry::Declaration;
use serde_json::value::RawValue;

/// Effective schemas by tool. Tools without a schema are left out.
#[derive(Debug, Default)]
pub(crate) struct EffectiveSchemas(RwLock<Schemas>);

#[derive(Debug, Default)]
struct Schemas {
    declared: HashMap<ToolId, Effective>,
    decided: HashMap<ToolId, Effective>,
}

impl EffectiveSchemas {
    /// The effective schema of a tool.
    pub(crate) fn of(&self, tool: &ToolId) -> Effective {
        let known = self.read();
        known.decided.get(tool).or_else(|| known.declared.get(tool)).cloned().unwrap_or_default()
    }

    /// Replaces everything a server declares.
    pub(crate) fn listed(&self, server: &str, tools: &[ListedTool], at: Timestamp) {
        let declared: Vec<_> = tools.iter().filter_map(|tool| declared(server, tool, at)).collect();
        let mut known = self.0.write();
        known.declared.retain(|tool, _| tool.server() != server);
        known.declared.extend(declared);
    }

    /// Replaces the decision about a tool: a version, or none.
    pub(crate) fn decide(&self, tool: &ToolId, decided: Option<Effective>) {
        let mut known = self.0.write();
        match decided {
            Some(decided) => drop(known.decided.insert(tool.clone(), decided)),
            None => drop(known.decided.remove(tool)),
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Schemas> {
        self.0.read()
    }
}

fn declared(server: &str, tool: &ListedTool, at: Timestamp) -> Option<(ToolId, Effective)> {
    let id = ToolId::new(server, &tool.name).ok()?;
    // Most tools declare none, and parsing a definition takes time.
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
    fn listing_replaces_earlier_declarations_of_its_server() {
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
    fn decided_version_precedes_declared_schema() {
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
