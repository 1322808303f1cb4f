//! Creates a new file from overrides. To edit an existing file, see [`crate::Document`].

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::entry::{Entry, Field, Overrides, Server};
use crate::read::FOLLOWS;

/// Text of a file with these overrides.
pub fn write(overrides: &Overrides) -> String {
    let mut document = Map::from_iter([("schemaVersion".to_owned(), json!(2))]);
    let mut master = Map::new();
    set(&mut master, "enabled", overrides.enabled);
    if !overrides.master.is_empty() {
        master.insert("tools".to_owned(), entries(&overrides.master));
    }
    if !master.is_empty() {
        document.insert("master".to_owned(), master.into());
    }
    let servers = overrides.servers.iter().map(|(name, of)| (name.to_string(), server(of)));
    document.insert("servers".to_owned(), servers.collect::<Map<_, _>>().into());
    serde_json::to_string_pretty(&Value::from(document)).unwrap_or_default() + "\n"
}

fn server(server: &Server) -> Value {
    let mut written = Map::new();
    set(&mut written, "enabled", server.enabled);
    written.insert("tools".to_owned(), entries(&server.tools));
    written.into()
}

fn entries(tools: &BTreeMap<Box<str>, Entry>) -> Value {
    tools.iter().map(|(name, of)| (name.to_string(), entry(of))).collect::<Map<_, _>>().into()
}

fn entry(entry: &Entry) -> Value {
    let mut written = Map::new();
    set(&mut written, "enabled", entry.enabled);
    set(&mut written, "name", entry.name.as_deref());
    set(&mut written, "description", entry.description.as_deref());
    set(&mut written, "annotations", entry.annotations.clone());
    for field in Field::ALL {
        set(&mut written, field.key(), entry.schema(field).cloned());
    }
    let follows: Vec<&str> = entry.follows.iter().map(|field| field.key()).collect();
    set(&mut written, FOLLOWS, (!follows.is_empty()).then_some(follows));
    written.into()
}

fn set(object: &mut Map<String, Value>, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        object.insert(key.to_owned(), value.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    #[test]
    fn parse_reads_what_write_creates() {
        let text = json!({
            "schemaVersion": 2,
            "master": {"enabled": true, "tools": {"*": {"annotations": {"readOnlyHint": true}}}},
            "servers": {
                "git": {"enabled": false, "tools": {"*": {"enabled": true}, "log": {
                    "enabled": false,
                    "name": "history",
                    "description": "the \"log\"",
                    "annotations": {"title": "Log"},
                    "inputSchema": {"type": "object"},
                    "outputSchema": {"type": "object", "required": ["a"]},
                    "followsUpstream": ["inputSchema"],
                }}},
                "shop": {"tools": {"get": {"outputSchema": true}}},
            },
        });
        let given = Document::parse(text.to_string()).unwrap();
        assert!(given.problems().is_empty());
        let written = Document::parse(write(given.overrides())).unwrap();
        assert!(written.problems().is_empty());
        assert_eq!(written.overrides(), given.overrides());
        assert_eq!(Document::parse(write(&Overrides::default())).unwrap().overrides(), &Overrides::default());
    }
}
