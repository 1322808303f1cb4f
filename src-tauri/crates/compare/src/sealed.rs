//! Fields that a schema evaluates, for `unevaluatedProperties: false` beside keywords that combine
//! schemas. There are two sets: fields certainly evaluated, and fields possibly evaluated.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::document::Place;
use crate::keyword::{entries, is_entangled, is_uncertain, list};

/// Most schemas examined.
const MAX_SCHEMAS: usize = 500;

/// Returns the fields that can be present, if `unevaluatedProperties` depends on neighbouring
/// keywords and rejects all others. Returns `None` otherwise, or if the fields cannot be
/// determined.
pub(crate) fn sealed<'a>(place: Place<'a>, map: &'a Map<String, Value>) -> Option<BTreeSet<&'a str>> {
    let rejects = map.get("unevaluatedProperties") == Some(&Value::Bool(false));
    if !rejects || !is_entangled(map) || map.contains_key("additionalProperties") {
        return None;
    }
    let mut names = BTreeSet::new();
    let mut open = vec![place];
    let mut met = BTreeSet::new();
    while let Some(inner) = open.pop() {
        if !met.insert(inner.address()) {
            continue;
        }
        let Some(map) = inner.value.as_object() else { continue };
        let own = std::ptr::eq(inner.value, place.value);
        let endless = ["patternProperties", "additionalProperties", "unevaluatedProperties"];
        let endless =
            !own && endless.iter().any(|key| map.get(*key).is_some_and(|rest| rest != &Value::Bool(false)));
        let endless = endless || map.contains_key("patternProperties");
        if endless || is_uncertain(map) || met.len() > MAX_SCHEMAS {
            return None;
        }
        names.extend(entries(map, "properties").map(|(name, _)| name));
        for key in ["allOf", "anyOf", "oneOf"] {
            open.extend(list(map, key).iter().map(|schema| inner.at(schema)));
        }
        for key in ["if", "then", "else", "not"] {
            open.extend(inner.under(key));
        }
        open.extend(entries(map, "dependentSchemas").map(|(_, schema)| inner.at(schema)));
        if map.contains_key("$ref") {
            open.push(inner.target()?);
        }
    }
    Some(names)
}

/// Returns the fields that are evaluated for every value.
pub(crate) fn surely_evaluated(place: Place<'_>) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    let mut open = vec![place];
    let mut met = BTreeSet::new();
    while let Some(inner) = open.pop() {
        if !met.insert(inner.address()) || met.len() > MAX_SCHEMAS {
            continue;
        }
        let Some(map) = inner.value.as_object().filter(|map| !is_uncertain(map)) else { continue };
        names.extend(entries(map, "properties").map(|(name, _)| name));
        open.extend(list(map, "allOf").iter().map(|schema| inner.at(schema)));
        open.extend(inner.target());
    }
    names
}
