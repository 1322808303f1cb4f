//! A file made from nothing but schemas.
//!
//! Owns: that form. Refuses to know: which schemas, and a file that is there already (see [`crate::Document`]).

use std::collections::BTreeMap;

use schemascope_model::ToolId;
use serde_json::{Map, Value, json};

/// A file that says of these tools what is held true of their output, by server and tool.
pub fn write<'s>(schemas: impl IntoIterator<Item = (&'s ToolId, &'s Value)>) -> String {
    let mut servers: BTreeMap<&str, BTreeMap<&str, Value>> = BTreeMap::new();
    for (id, schema) in schemas {
        servers.entry(id.server()).or_default().insert(id.tool(), json!({"outputSchema": schema}));
    }
    let servers: Map<String, Value> =
        servers.into_iter().map(|(name, tools)| (name.to_owned(), json!({"tools": tools}))).collect();
    let document = json!({"schemaVersion": 2, "servers": servers});
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Document, Field};

    #[test]
    fn what_is_written_is_read() {
        let ids: Vec<ToolId> =
            ["git__log", "git__status", "shop__get"].iter().map(|id| id.parse().unwrap()).collect();
        let schema = json!({"type": "object"});
        let document = Document::parse(write(ids.iter().map(|id| (id, &schema)))).unwrap();
        assert!(document.problems().is_empty());
        for id in &ids {
            let entry = document.says().entry(id.server(), id.tool()).unwrap();
            assert_eq!(entry.overriding(Field::Output), Some(&schema));
        }
    }
}
