//! GitHub's webhook payloads with their published schemas, from the npm packages of Octokit.

use std::fs;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use crate::places::octokit;

/// One event: real payloads, and the schema published for it (draft 7).
#[derive(Debug)]
pub struct Event {
    /// Its name, such as `issues`.
    pub name: String,
    /// Different payloads, in the package's order.
    pub examples: Vec<Value>,
    /// Its schema, self-contained.
    pub schema: Value,
}

/// All events that have both payloads and a schema.
pub fn events() -> Result<Vec<Event>> {
    let read = |package, file| -> Result<Value> {
        let path = octokit(package, file)?;
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(serde_json::from_slice(&bytes)?)
    };
    let examples = read("webhooks-examples", "api.github.com/index.json")?;
    let mut schemas = read("webhooks-schemas", "schema.json")?;
    let definitions = schemas["definitions"].take();
    let mut events = Vec::new();
    for event in examples.as_array().context("the examples are a list")? {
        let name = event["name"].as_str().context("an event has a name")?;
        let named = [format!("{name}_event"), format!("{name}$event")];
        let Some(schema) = named.into_iter().find(|named| definitions.get(named).is_some()) else { continue };
        let mut different: Vec<Value> = Vec::new();
        for example in event["examples"].as_array().context("an event has examples")? {
            if !different.contains(example) {
                different.push(example.clone());
            }
        }
        events.push(Event {
            name: name.to_owned(),
            examples: different,
            schema: json!({
                "$schema": "http://json-schema.org/draft-07/schema#",
                // What stands beside a reference counts for nothing in draft 7.
                "allOf": [{"$ref": format!("#/definitions/{schema}")}],
                "definitions": reachable(&definitions, &schema),
            }),
        });
    }
    Ok(events)
}

/// The definitions a definition needs: compiling all of them for each event takes long.
fn reachable(definitions: &Value, from: &str) -> Value {
    let mut found = Map::new();
    let mut open = vec![from.to_owned()];
    while let Some(name) = open.pop() {
        if found.contains_key(&name) {
            continue;
        }
        let definition = &definitions[&name];
        references(definition, &mut open);
        found.insert(name, definition.clone());
    }
    Value::Object(found)
}

fn references(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            let reference = object.get("$ref").and_then(Value::as_str);
            into.extend(
                reference.and_then(|reference| reference.strip_prefix("#/definitions/")).map(str::to_owned),
            );
            object.values().for_each(|value| references(value, into));
        }
        Value::Array(items) => items.iter().for_each(|value| references(value, into)),
        _ => {}
    }
}
