//! Effective schemas, for the call path: versions decided on, else what upstreams declare in their latest listing.
//!
//! Answers without the registry, which may be busy learning.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use parking_lot::{Mutex, RwLock, RwLockReadGuard};
use schemascope_model::{Timestamp, ToolId};
use schemascope_proxy::{Effective, ListedTool, Schema};
use schemascope_registry::{Declaration, begins_with};
use serde_json::value::RawValue;

use crate::interviews::describe::describe;

/// Descriptions of fields by tool and path.
pub(crate) type Descriptions = HashMap<ToolId, BTreeMap<String, String>>;

/// Effective schemas by tool. Tools without a schema are left out.
#[derive(Debug, Default)]
pub(crate) struct EffectiveSchemas {
    schemas: RwLock<Schemas>,
    /// Held while descriptions are read elsewhere, so that later ones are not replaced by earlier ones.
    describing: Mutex<()>,
}

#[derive(Debug, Default)]
struct Schemas {
    declared: HashMap<ToolId, Effective>,
    decided: HashMap<ToolId, Effective>,
    descriptions: Descriptions,
    /// How texts of tools begin that are failures.
    failing_texts: HashMap<ToolId, Box<[Box<str>]>>,
    /// Decided versions of tools with descriptions, described.
    described: HashMap<ToolId, Effective>,
}

impl EffectiveSchemas {
    /// The effective schema of a tool.
    pub(crate) fn of(&self, tool: &ToolId) -> Effective {
        let known = self.read();
        let decided = known.described.get(tool).or_else(|| known.decided.get(tool));
        decided.or_else(|| known.declared.get(tool)).cloned().unwrap_or_default()
    }

    /// Replaces everything a server declares.
    pub(crate) fn listed(&self, server: &str, tools: &[ListedTool], at: Timestamp) {
        let declared: Vec<_> = tools.iter().filter_map(|tool| declared(server, tool, at)).collect();
        let mut known = self.schemas.write();
        known.declared.retain(|tool, _| tool.server() != server);
        known.declared.extend(declared);
    }

    /// Replaces the decision about a tool: a version, or none.
    pub(crate) fn decide(&self, tool: &ToolId, decided: Option<Effective>) {
        let mut known = self.schemas.write();
        match decided {
            Some(decided) => drop(known.decided.insert(tool.clone(), decided)),
            None => drop(known.decided.remove(tool)),
        }
        known.describe(tool);
    }

    /// Replaces the decision about which texts of a tool are failures.
    pub(crate) fn decide_texts(&self, tool: &ToolId, failing: Box<[Box<str>]>) {
        let mut known = self.schemas.write();
        match failing.is_empty() {
            true => drop(known.failing_texts.remove(tool)),
            false => drop(known.failing_texts.insert(tool.clone(), failing)),
        }
    }

    /// Whether a result of a tool is a text that is a failure.
    pub(crate) fn is_failing_text(&self, tool: &ToolId, result: &[u8]) -> bool {
        let known = self.read();
        let Some(failing) = known.failing_texts.get(tool) else { return false };
        serde_json::from_slice(result).is_ok_and(|result: &RawValue| begins_with(result, failing))
    }

    /// Replaces the descriptions of all tools. They are added to versions decided on; what an upstream declares stays
    /// as it is. Returns whether they differ from before.
    pub(crate) fn describe(&self, read: impl FnOnce() -> Descriptions) -> bool {
        let _turn = self.describing.lock();
        let descriptions = read();
        let mut known = self.schemas.write();
        if known.descriptions == descriptions {
            return false;
        }
        known.descriptions = descriptions;
        known.described.clear();
        let tools: Vec<_> = known.descriptions.keys().cloned().collect();
        for tool in &tools {
            known.describe(tool);
        }
        true
    }

    fn read(&self) -> RwLockReadGuard<'_, Schemas> {
        self.schemas.read()
    }
}

impl Schemas {
    fn describe(&mut self, tool: &ToolId) {
        self.described.remove(tool);
        let Some((descriptions, decided)) = self.descriptions.get(tool).zip(self.decided.get(tool)) else {
            return;
        };
        let mut described = decided.clone();
        if let Some(schema) = described.schema_mut() {
            describe(Arc::make_mut(&mut schema.schema), descriptions);
        }
        self.described.insert(tool.clone(), described);
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
    let schema = Schema { digest: (*schema.digest).into(), schema: schema.schema.clone(), inferred: false };
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
        let schema = Schema { digest: "d".into(), schema: Arc::new(true.into()), inferred: false };
        schemas.decide(&id, Some(Effective::Promoted(schema)));
        assert!(matches!(schemas.of(&id), Effective::Promoted(_)));
        schemas.listed("a", &[], Timestamp::from_millis(1));
        assert!(matches!(schemas.of(&id), Effective::Promoted(_)));
        schemas.decide(&id, None);
        assert!(matches!(schemas.of(&id), Effective::None));
    }

    #[test]
    fn descriptions_are_added_to_decided_versions_only() {
        let schemas = EffectiveSchemas::default();
        let id: ToolId = "a__x".parse().unwrap();
        let text = |schemas: &EffectiveSchemas| {
            let effective = schemas.of(&id);
            let schema = effective.schema().unwrap();
            schema.schema["properties"]["total"]["description"].clone()
        };
        let definition =
            r#"{"name":"x","outputSchema":{"type":"object","properties":{"total":{"type":"number"}}}}"#;
        let tool = ListedTool { name: "x".to_owned(), definition: definition.into() };
        schemas.listed("a", &[tool], Timestamp::from_millis(1));
        let descriptions = |text: &str| {
            HashMap::from([(id.clone(), BTreeMap::from([("total".to_owned(), text.to_owned())]))])
        };
        assert!(schemas.describe(|| descriptions("What is paid")));
        assert!(!schemas.describe(|| descriptions("What is paid")));
        assert_eq!(text(&schemas), serde_json::Value::Null, "an upstream's own schema stays as it is");

        let decided = serde_json::json!({"type": "object", "properties": {"total": {"type": "number"}}});
        let decided =
            Effective::Pinned(Schema { digest: "d".into(), schema: Arc::new(decided), inferred: false });
        schemas.decide(&id, Some(decided));
        assert_eq!(text(&schemas), "What is paid");
        assert!(schemas.describe(|| descriptions("Paid in euros")));
        assert_eq!(text(&schemas), "Paid in euros", "the earlier words leave nothing behind");
        assert!(schemas.describe(Descriptions::new));
        assert_eq!(text(&schemas), serde_json::Value::Null);
    }
}
