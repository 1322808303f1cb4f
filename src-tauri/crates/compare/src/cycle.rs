//! Cycles of references that never go into the value.
//!
//! `{"not": {"$ref": "#"}}` rejects what it accepts. The standard leaves the meaning of such a
//! schema open, and validators differ.

use std::collections::HashMap;

use serde_json::Value;

use crate::keyword::{entries, list};

/// Returns whether any path from these schemas returns to itself while it stays at the same value.
pub(crate) fn has_cycle<'a>(from: &[&'a Value], target: impl Fn(&str) -> Option<&'a Value>) -> bool {
    // Schemas by address; `true` once all paths from the schema have been followed.
    let mut known: HashMap<usize, bool> = HashMap::new();
    let address = |schema: &Value| std::ptr::from_ref(schema).addr();
    for start in from {
        let mut way: Vec<(usize, Vec<&Value>)> = Vec::new();
        let mut next = Some(*start);
        loop {
            if let Some(schema) = next {
                match known.get(&address(schema)) {
                    Some(false) => return true,
                    Some(true) => {}
                    None => {
                        known.insert(address(schema), false);
                        way.push((address(schema), asked(schema, &target)));
                    }
                }
            }
            let Some((at, open)) = way.last_mut() else { break };
            next = open.pop();
            if next.is_none() {
                known.insert(*at, true);
                way.pop();
            }
        }
    }
    false
}

/// Returns the subschemas that apply to the same value.
fn asked<'a>(schema: &'a Value, target: impl Fn(&str) -> Option<&'a Value>) -> Vec<&'a Value> {
    let Some(map) = schema.as_object() else { return Vec::new() };
    let lists = ["allOf", "anyOf", "oneOf"].into_iter().flat_map(|key| list(map, key));
    let single = ["not", "if", "then", "else"].into_iter().filter_map(|key| map.get(key));
    let dependent = entries(map, "dependentSchemas").map(|(_, schema)| schema);
    let referenced = map.get("$ref").and_then(Value::as_str).and_then(target);
    lists.chain(single).chain(dependent).chain(referenced).collect()
}
