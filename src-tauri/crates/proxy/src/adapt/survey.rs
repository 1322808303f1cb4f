//! Whether a schema can be worked with at all, and how much work it makes.
//!
//! Owns: references that lead nowhere, and schemas that would keep a validator busy for ever (alternatives of
//! alternatives, doubling at each step) or take it deeper than its stack. Refuses to know: what a schema says.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::keywords::{reference, schemas};

/// Times a schema may be asked of one value, over all alternatives and references.
const MAX_WEIGHT: u64 = 10_000;
/// Levels that may be asked of one value. A document has 128 levels of its own, and they multiply.
const MAX_HEIGHT: usize = 64;
/// Schemas in a schema.
const MAX_PLACES: usize = 50_000;
/// Levels of the whole with every reference followed once: so deep may compiling it go.
const MAX_LEVELS: usize = 10_000;

/// Why a schema is not worked with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hopeless {
    /// A reference leads out of the schema, nowhere, or back to where it came from without a step into the value.
    Broken,
    /// It would take too long, or too deep.
    TooMuch,
}

/// What asking a schema of one value takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cost {
    weight: u64,
    height: usize,
}

/// The places of a schema by the names references use.
struct Survey<'a> {
    root: &'a Value,
    /// By anchor.
    anchors: HashMap<&'a str, &'a Value>,
    /// By `$id`.
    ids: HashMap<&'a str, &'a Value>,
    /// By place: what is known of it; none while it is being looked at.
    costs: HashMap<*const Value, Option<Cost>>,
}

/// How often a validator may have to ask something of one value.
pub(super) fn weight(schema: &Value) -> Result<u64, Hopeless> {
    let mut survey =
        Survey { root: schema, anchors: HashMap::new(), ids: HashMap::new(), costs: HashMap::new() };
    let places = schemas(schema);
    if places.len() > MAX_PLACES {
        return Err(Hopeless::TooMuch);
    }
    for (place, map) in &places {
        let named = |key| map.get(key).and_then(Value::as_str);
        for anchor in [named("$anchor"), named("$dynamicAnchor")].into_iter().flatten() {
            survey.anchors.insert(anchor, place);
        }
        if let Some(id) = named("$id") {
            survey.ids.insert(id, place);
        }
    }
    let targets =
        places.iter().filter_map(|(_, map)| reference(map)).map(|reference| survey.target(reference));
    let mut targets = targets.collect::<Option<Vec<_>>>().ok_or(Hopeless::Broken)?;
    targets.sort_unstable_by_key(|target| std::ptr::from_ref(*target));
    targets.dedup_by_key(|target| std::ptr::from_ref(*target));
    let mut levels = levels(schema);
    for target in targets {
        levels += self::levels(target);
        if levels > MAX_LEVELS {
            return Err(Hopeless::TooMuch);
        }
    }
    let mut most = 1;
    for (place, _) in places {
        most = most.max(survey.cost(place, 0)?.weight);
    }
    Ok(most)
}

/// Levels of nesting: bounded by what JSON readers take.
fn levels(value: &Value) -> usize {
    let below = match value {
        Value::Object(map) => map.values().map(levels).max(),
        Value::Array(items) => items.iter().map(levels).max(),
        _ => None,
    };
    1 + below.unwrap_or(0)
}

impl<'a> Survey<'a> {
    /// `depth` counts the levels on the way here.
    fn cost(&mut self, place: &'a Value, depth: usize) -> Result<Cost, Hopeless> {
        let mut cost = Cost { weight: 1, height: 1 };
        let Value::Object(map) = place else { return Ok(cost) };
        match self.costs.get(&std::ptr::from_ref(place)) {
            Some(Some(known)) => return Ok(*known),
            Some(None) => return Err(Hopeless::Broken),
            None if depth > MAX_HEIGHT => return Err(Hopeless::TooMuch),
            None => {}
        }
        self.costs.insert(place, None);
        let mut asked: Vec<&Value> = Vec::new();
        for key in ["allOf", "anyOf", "oneOf"] {
            asked.extend(map.get(key).and_then(Value::as_array).into_iter().flatten());
        }
        asked.extend(["not", "if", "then", "else"].iter().filter_map(|key| map.get(*key)));
        asked
            .extend(map.get("dependentSchemas").and_then(Value::as_object).into_iter().flat_map(Map::values));
        asked.extend(reference(map).and_then(|target| self.target(target)));
        for one in asked {
            let one = self.cost(one, depth + 1)?;
            cost.weight = cost.weight.saturating_add(one.weight);
            cost.height = cost.height.max(one.height + 1);
        }
        // What was evaluated is found out by asking again.
        if map.contains_key("unevaluatedProperties") || map.contains_key("unevaluatedItems") {
            cost.weight = cost.weight.saturating_mul(2);
        }
        self.costs.insert(place, Some(cost));
        if cost.weight <= MAX_WEIGHT && cost.height <= MAX_HEIGHT { Ok(cost) } else { Err(Hopeless::TooMuch) }
    }

    fn target(&self, reference: &str) -> Option<&'a Value> {
        let (base, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let base = if base.is_empty() { self.root } else { self.ids.get(base)? };
        if fragment.is_empty() {
            return Some(base);
        }
        if !fragment.starts_with('/') {
            return self.anchors.get(fragment).copied();
        }
        // A resource of its own inside has pointers of its own: they are found from there or from the root.
        let pointer = decoded(fragment);
        let embedded = || self.ids.values().find_map(|place| place.pointer(&pointer));
        base.pointer(&pointer).or_else(embedded)
    }
}

/// A pointer without the percent signs URIs need.
fn decoded(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Each definition asks the next one `times` times, beneath a field or of the value itself.
    fn chain(length: usize, times: usize, field: bool) -> Value {
        let mut defs = Map::new();
        for n in 0..length {
            let next = json!({"$ref": format!("#/$defs/d{}", n + 1)});
            let next = json!({"anyOf": vec![next; times]});
            defs.insert(format!("d{n}"), if field { json!({"properties": {"a": next}}) } else { next });
        }
        defs.insert(format!("d{length}"), json!({"type": "string"}));
        json!({"$ref": "#/$defs/d0", "$defs": defs})
    }

    #[test]
    fn what_would_take_for_ever_is_not_worked_with() {
        assert_eq!(weight(&json!(true)), Ok(1));
        assert_eq!(weight(&json!({"type": "object", "properties": {"a": {"type": "string"}}})), Ok(1));
        for good in [
            chain(20, 1, false),
            chain(10, 2, false),
            chain(500, 2, true),
            json!({"anyOf": vec![json!({"type": "string"}); 300]}),
        ] {
            assert!(weight(&good).is_ok());
        }
        for bad in
            [chain(40, 2, false), chain(200, 1, false), chain(30_000, 1, false), chain(30_000, 1, true)]
        {
            assert_eq!(weight(&bad), Err(Hopeless::TooMuch));
        }
    }

    #[test]
    fn references_must_lead_somewhere() {
        for (schema, works) in [
            (json!({"$ref": "#"}), false),
            (json!({"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"not": {"$ref": "#"}}}}), false),
            (json!({"properties": {"next": {"$ref": "#"}}}), true),
            (json!({"$ref": "#/$defs/a~1b%25", "$defs": {"a/b%": true}}), true),
            (json!({"$ref": "#here", "$defs": {"a": {"$anchor": "here"}}}), true),
            (json!({"$id": "https://x/y", "$ref": "https://x/y#/$defs/a", "$defs": {"a": {}}}), true),
            (json!({"const": {"$ref": "#/nowhere"}}), true),
            (json!({"properties": {"$ref": {"type": "string"}}}), true),
            (json!({"properties": {"const": {"$ref": "#/nowhere"}}}), false),
            (json!({"items": {"$ref": "#/$defs/none"}}), false),
            (json!({"$ref": "https://example.org/schema.json"}), false),
            (json!({"$ref": "file:///etc/passwd"}), false),
        ] {
            assert_eq!(weight(&schema).err(), (!works).then_some(Hopeless::Broken), "{schema}");
        }
    }
}
