//! Descriptions of fields, found out by interviews, in a JSON Schema.

use std::collections::BTreeMap;

use serde_json::Value;

/// Longest path that is followed.
const MAX_STEPS: usize = 64;

/// A step of a path such as `orders[].customer`, `meta{}.x` or `["odd key"]`.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PathStep {
    Member(String),
    Item,
    MapValue,
}

/// Adds descriptions to the places of a schema that have none. A path that the schema does not have is left out.
pub(crate) fn describe(schema: &mut Value, descriptions: &BTreeMap<String, String>) {
    let whole = schema.clone();
    for (path, text) in descriptions {
        if let Some(steps) = steps(path) {
            at(&whole, schema, &steps, text, 0);
        }
    }
}

/// Describes what is `steps` below a schema, which is part of `whole` or was copied from it.
fn at(whole: &Value, schema: &mut Value, steps: &[PathStep], text: &str, depth: usize) {
    if depth > MAX_STEPS {
        return;
    }
    if let Some(target) = target(whole, schema) {
        if steps.is_empty() {
            let is_described = target.get("description").is_some();
            if let Value::Object(schema) = schema
                && !is_described
            {
                schema.entry("description").or_insert_with(|| text.into());
            }
            return;
        }
        // A copy takes the place of what is shared, which can stand for other fields too.
        let mut copy = target.clone();
        at(whole, &mut copy, steps, text, depth + 1);
        if copy != *target
            && let (Value::Object(schema), Value::Object(copy)) = (schema, copy)
        {
            schema.shift_remove("$ref");
            for (key, value) in copy {
                schema.entry(key).or_insert(value);
            }
        }
        return;
    }
    let Some((step, rest)) = steps.split_first() else {
        if let Value::Object(schema) = schema {
            schema.entry("description").or_insert_with(|| text.into());
        }
        return;
    };
    let direct = match step {
        PathStep::Member(name) => {
            schema.get_mut("properties").and_then(|properties| properties.get_mut(name))
        }
        PathStep::Item => schema.get_mut("items"),
        PathStep::MapValue => schema.get_mut("additionalProperties"),
    };
    if let Some(next) = direct.filter(|next| next.is_object()) {
        at(whole, next, rest, text, depth + 1);
    }
    // Alternatives that have the field are described alike.
    for keyword in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        let is_tuple = keyword == "prefixItems";
        if is_tuple != (*step == PathStep::Item) && is_tuple {
            continue;
        }
        for alternative in schema.get_mut(keyword).and_then(Value::as_array_mut).into_iter().flatten() {
            at(whole, alternative, if is_tuple { rest } else { steps }, text, depth + 1);
        }
    }
}

/// What a schema refers to with `$ref`, if that is in the same document.
fn target<'s>(whole: &'s Value, schema: &Value) -> Option<&'s Value> {
    let place = schema.get("$ref")?.as_str()?.strip_prefix('#')?;
    whole.pointer(place).filter(|target| target.is_object())
}

fn steps(path: &str) -> Option<Vec<PathStep>> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() && steps.len() < MAX_STEPS {
        if let Some(after) = rest.strip_prefix("[]") {
            steps.push(PathStep::Item);
            rest = after;
        } else if let Some(after) = rest.strip_prefix("{}") {
            steps.push(PathStep::MapValue);
            rest = after;
        } else if rest.starts_with("[\"") {
            // A JSON string up to its closing quote and bracket.
            let end = rest.match_indices("\"]").map(|(at, _)| at).find(|at| {
                rest.get(1..=*at).is_some_and(|text| serde_json::from_str::<String>(text).is_ok())
            })?;
            steps.push(PathStep::Member(serde_json::from_str(rest.get(1..=end)?).ok()?));
            rest = rest.get(end + 2..)?;
        } else {
            rest = rest.strip_prefix('.').unwrap_or(rest);
            let end = rest.find(['.', '[', '{']).unwrap_or(rest.len());
            let name = rest.get(..end).filter(|name| !name.is_empty())?;
            steps.push(PathStep::Member(name.to_owned()));
            rest = rest.get(end..)?;
        }
    }
    rest.is_empty().then_some(steps)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// pydantic: models are definitions, and an optional one is an alternative.
    #[test]
    fn shared_definitions_are_described_where_they_are_used() {
        let mut schema = json!({
            "type": "object",
            "properties": {
                "orders": {"type": "array", "items": {"$ref": "#/$defs/Order"}},
                "last": {"anyOf": [{"$ref": "#/$defs/Order"}, {"type": "null"}]},
                "loop": {"$ref": "#/$defs/Loop"}
            },
            "$defs": {
                "Order": {"type": "object", "properties": {"id": {"type": "string"}}},
                "Loop": {"$ref": "#/$defs/Loop"}
            }
        });
        let before = schema["$defs"].clone();
        let texts = [
            ("orders[].id", "of the shop"),
            ("orders[]", "an order"),
            ("last.id", "of the last"),
            ("loop.x", "no"),
        ];
        describe(&mut schema, &texts.map(|(path, text)| (path.to_owned(), text.to_owned())).into());
        let of = |pointer: &str| schema.pointer(pointer).cloned();
        assert_eq!(of("/properties/orders/items/properties/id/description"), Some(json!("of the shop")));
        assert_eq!(of("/properties/orders/items/description"), Some(json!("an order")));
        assert_eq!(of("/properties/last/anyOf/0/properties/id/description"), Some(json!("of the last")));
        assert_eq!(schema["$defs"], before);
    }

    #[test]
    fn descriptions_reach_their_places_and_replace_none() {
        let mut schema = json!({"type": "object", "properties": {
            "orders": {"type": "array", "items": {"anyOf": [
                {"type": "object", "properties": {"id": {"type": "string"}, "total": {"type": "number"}}},
                {"type": "null"}]}},
            "meta": {"type": "object", "additionalProperties": {"type": "integer"}},
            "odd \"key\".x": {"type": "string", "description": "its own"},
        }});
        let descriptions = [
            ("", "All orders."),
            ("orders[].id", "Number of the order."),
            ("meta{}", "A count."),
            ("[\"odd \\\"key\\\".x\"]", "Not used."),
            ("gone", "Nowhere."),
        ];
        let descriptions = descriptions.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
        describe(&mut schema, &descriptions);
        assert_eq!(schema["description"], "All orders.");
        let order = &schema["properties"]["orders"]["items"]["anyOf"][0]["properties"];
        assert_eq!(order["id"]["description"], "Number of the order.");
        assert!(order["total"].get("description").is_none());
        assert_eq!(schema["properties"]["meta"]["additionalProperties"]["description"], "A count.");
        assert_eq!(schema["properties"]["odd \"key\".x"]["description"], "its own");
    }
}
