//! Estimate of the cost of a schema, before it is compiled.
//!
//! A validator applies alternatives of alternatives to a value, and again to the values inside it,
//! so a small schema can occupy it forever or exhaust its stack. Where the target of a reference is
//! uncertain, all possible targets count.

use std::collections::HashMap;

use serde_json::Value;

use crate::judge::PATTERN_STEPS;
use crate::keywords::references;
use crate::places::Places;

/// Most schemas applied to one value, over all alternatives and references.
const MAX_WEIGHT: u64 = 10_000;
/// Most levels of schemas applied to one value.
const MAX_HEIGHT: usize = 64;
/// Most levels of the whole schema with every reference followed once, which bounds the recursion
/// of compiling it.
const MAX_LEVELS: usize = 10_000;
/// Most levels of a document. Readers accept no more.
const DOCUMENT_LEVELS: usize = 128;
/// What a pattern that backtracks may cost, in schemas applied.
const PATTERN_COST: u64 = PATTERN_STEPS as u64 / 64;
/// Entries of a list that are compared in the time of applying one schema.
const ENTRIES_PER_STEP: usize = 16;

/// Reason why a schema is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unusable {
    /// A reference leads out of the schema, to no target, or back to its origin without a step into
    /// the value.
    Broken,
    /// Validation would take too long or recurse too deeply.
    TooMuch,
}

/// Cost of validating with a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Effort {
    /// Number of schemas applied to one value, by the value's depth in the document. Deeper levels cost as much as the
    /// last one.
    applications: Vec<u64>,
    /// Levels of recursion for one level of the document.
    pub(crate) height: usize,
    /// Number of names in the longest list of required ones, for each list that may hold for one object.
    pub(crate) required: u64,
    /// Whether it has alternatives.
    pub(crate) has_alternatives: bool,
}

impl Effort {
    /// Returns the most schemas applied to any value of a document with this many levels.
    pub(crate) fn applications(&self, levels: usize) -> u64 {
        self.applications.iter().take(levels.saturating_add(1)).copied().max().unwrap_or(1).max(1)
    }

    /// Returns the number of schemas applied to the values of a document, of which there are so many at each level.
    pub(crate) fn steps(&self, values: &[u64]) -> u64 {
        let last = self.applications.last().copied().unwrap_or(1);
        let applied = self.applications.iter().copied().chain(std::iter::repeat(last));
        let steps = values.iter().zip(applied).map(|(count, applied)| count.saturating_mul(applied.max(1)));
        steps.fold(0, u64::saturating_add)
    }

    /// Returns the same for the deepest document.
    pub(crate) fn max_applications(&self) -> u64 {
        self.applications(DOCUMENT_LEVELS)
    }
}

/// Cost of applying a schema to one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cost {
    weight: u64,
    height: usize,
}

/// Subschemas that a schema applies.
#[derive(Debug, Default)]
struct Applicators {
    /// Steps of the schema itself.
    own: u64,
    /// Subschemas applied to the same value.
    in_place: Vec<usize>,
    /// Subschemas applied to child values, each child getting one of them.
    one_of_children: Vec<usize>,
    /// Subschemas applied to child values, each child getting all of them.
    all_of_children: Vec<usize>,
    /// Whether a keyword such as `unevaluatedProperties` makes the validator apply subschemas
    /// twice.
    applies_twice: bool,
}

struct Survey<'a> {
    places: Places<'a>,
    applicators: Vec<Applicators>,
    /// Cost by place; `None` while it is being computed.
    costs: HashMap<usize, Option<Cost>>,
    /// Places with known cost, each after all the subschemas it applies to the same value.
    order: Vec<usize>,
}

/// Estimates the cost of a schema.
pub(crate) fn effort(schema: &Value) -> Result<Effort, Unusable> {
    let places = Places::of(schema).ok_or(Unusable::TooMuch)?;
    let mut targets = Vec::new();
    for (_, map) in places.all() {
        for reference in references(map) {
            targets.extend(places.targets(reference).ok_or(Unusable::Broken)?);
        }
    }
    targets.sort_unstable();
    targets.dedup();
    let mut levels = levels(schema);
    for target in targets {
        levels += self::levels(places.all()[target].0);
        if levels > MAX_LEVELS {
            return Err(Unusable::TooMuch);
        }
    }
    let maps = || places.all().iter().map(|(_, map)| *map);
    let lists = || maps().filter_map(|map| map.get("required")?.as_array()).map(|names| names.len() as u64);
    let (longest, lists_of_required) = (lists().max().unwrap_or(0), lists().count() as u64);
    let has_alternatives = maps().any(|map| map.contains_key("anyOf") || map.contains_key("oneOf"));
    let mut applicators: Vec<Applicators> =
        (0..places.all().len()).map(|place| applicators(&places, place)).collect();
    // Each name of an object is matched with all patterns.
    for (_, map) in places.all() {
        let named = map.get("patternProperties").and_then(Value::as_object).into_iter().flatten();
        for (_, value) in named.filter(|(pattern, _)| backtracks(pattern)) {
            match places.index(value).and_then(|place| applicators.get_mut(place)) {
                Some(applicators) => applicators.own += PATTERN_COST,
                // Of `true` and `false` there is no place.
                None => return Err(Unusable::TooMuch),
            }
        }
    }
    let mut survey = Survey { places, applicators, costs: HashMap::new(), order: Vec::new() };
    let mut height = 1;
    for place in 0..survey.applicators.len() {
        height = height.max(survey.cost(place, 0)?.height);
    }
    let applications = survey.applications();
    // Of several lists that hold for one object, each schema has one.
    let most = applications.iter().copied().max().unwrap_or(1).min(lists_of_required);
    let required = longest.saturating_mul(most.max(1));
    Ok(Effort { applications, height, required, has_alternatives })
}

/// Returns the levels of nesting. Recursion is bounded by the depth that JSON readers accept.
fn levels(value: &Value) -> usize {
    let below = match value {
        Value::Object(map) => map.values().map(levels).max(),
        Value::Array(items) => items.iter().map(levels).max(),
        _ => None,
    };
    1 + below.unwrap_or(0)
}

fn applicators(places: &Places<'_>, place: usize) -> Applicators {
    let map = places.all()[place].1;
    let under = |keys: &[&str]| -> Vec<usize> {
        let values = keys.iter().filter_map(|key| map.get(*key));
        // The value is a schema, a list of schemas, or an object of schemas.
        let each = values.flat_map(|value| match value {
            Value::Array(list) => list.iter().collect(),
            Value::Object(named) if places.index(value).is_none() => named.values().collect(),
            one => vec![one],
        });
        each.filter_map(|value| places.index(value)).collect()
    };
    let entries = |key: &str| match map.get(key) {
        Some(Value::Array(list)) => list.len(),
        Some(Value::Object(named)) => named.len(),
        _ => 0,
    };
    let mut in_place =
        under(&["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"]);
    in_place.extend(references(map).filter_map(|reference| places.targets(reference)).flatten());
    let pattern = map.get("pattern").and_then(Value::as_str);
    let backtracking = u64::from(pattern.is_some_and(backtracks));
    let listed = ["enum", "required", "properties"].map(entries).iter().sum::<usize>() / ENTRIES_PER_STEP;
    Applicators {
        own: (1 + listed + entries("patternProperties")) as u64 + backtracking * PATTERN_COST,
        in_place,
        one_of_children: under(&[
            "properties",
            "additionalProperties",
            "prefixItems",
            "items",
            "additionalItems",
        ]),
        all_of_children: under(&[
            "patternProperties",
            "contains",
            "propertyNames",
            "unevaluatedProperties",
            "unevaluatedItems",
        ]),
        applies_twice: map.contains_key("unevaluatedProperties") || map.contains_key("unevaluatedItems"),
    }
}

/// Whether matching a pattern may try over and over: with look-around, back references and the like. Others take a time
/// that is linear in the text.
fn backtracks(pattern: &str) -> bool {
    const SIGNS: &[&str] =
        &["(?=", "(?!", "(?<=", "(?<!", "(?>", "(?(", "(?~", "(?P=", "++", "*+", "?+", "}+"];
    let refers = |pair: &[u8]| matches!(pair, [b'\\', b'1'..=b'9' | b'k' | b'g' | b'G' | b'K']);
    SIGNS.iter().any(|sign| pattern.contains(sign)) || pattern.as_bytes().windows(2).any(refers)
}

impl Survey<'_> {
    /// Returns the cost of applying the schema at a place to one value. `depth` counts the levels
    /// above it.
    fn cost(&mut self, place: usize, depth: usize) -> Result<Cost, Unusable> {
        match self.costs.get(&place) {
            Some(Some(known)) => return Ok(*known),
            Some(None) => return Err(Unusable::Broken),
            None if depth > MAX_HEIGHT => return Err(Unusable::TooMuch),
            None => {}
        }
        self.costs.insert(place, None);
        let mut cost = Cost { weight: self.applicators[place].own, height: 1 };
        for at in 0..self.applicators[place].in_place.len() {
            let one = self.cost(self.applicators[place].in_place[at], depth + 1)?;
            cost.weight = cost.weight.saturating_add(one.weight);
            cost.height = cost.height.max(one.height + 1);
        }
        if self.applicators[place].applies_twice {
            cost.weight = cost.weight.saturating_mul(2);
        }
        self.costs.insert(place, Some(cost));
        self.order.push(place);
        if cost.weight <= MAX_WEIGHT && cost.height <= MAX_HEIGHT { Ok(cost) } else { Err(Unusable::TooMuch) }
    }

    /// Returns how many schemas are applied to values when the root is applied to a document, level
    /// by level.
    fn applications(&self) -> Vec<u64> {
        let root = self.places.root();
        let mut above = vec![0; self.applicators.len()];
        for (place, cost) in &self.costs {
            above[*place] = cost.map_or(0, |cost| cost.weight);
        }
        let mut applications = vec![root.map_or(1, |root| above[root])];
        for _ in 0..DOCUMENT_LEVELS {
            let mut level = vec![0_u64; above.len()];
            for place in &self.order {
                let applicators = &self.applicators[*place];
                let one_of_children =
                    applicators.one_of_children.iter().map(|one| above[*one]).max().unwrap_or(0);
                let all_of_children = applicators.all_of_children.iter().map(|one| above[*one]);
                let in_place = applicators.in_place.iter().map(|one| level[*one]);
                let sum = all_of_children.chain(in_place).fold(one_of_children, u64::saturating_add);
                level[*place] = if applicators.applies_twice { sum.saturating_mul(2) } else { sum };
            }
            if level == above {
                break;
            }
            applications.push(root.map_or(1, |root| level[root]));
            above = level;
        }
        applications
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    /// Chain in which each definition applies the next one `times` times, to a field or to the same
    /// value.
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
    fn schemas_of_unbounded_cost_are_rejected() {
        assert_eq!(effort(&json!(true)).map(|effort| effort.max_applications()), Ok(1));
        let plain = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        assert_eq!(effort(&plain).map(|effort| effort.max_applications()), Ok(1));
        for good in
            [chain(20, 1, false), chain(10, 2, false), json!({"anyOf": vec![json!({"type": "string"}); 300]})]
        {
            assert!(effort(&good).is_ok_and(|effort| effort.max_applications() < MAX_WEIGHT));
        }
        for bad in
            [chain(40, 2, false), chain(200, 1, false), chain(20_000, 1, false), chain(20_000, 1, true)]
        {
            assert_eq!(effort(&bad), Err(Unusable::TooMuch));
        }
    }

    /// The cost doubles with each level of the document.
    #[test]
    fn cost_is_stated_per_level_of_the_document() {
        let effort = effort(&chain(500, 2, true)).unwrap();
        assert!(
            effort.applications(3) <= 64
                && effort.applications(40) > 1 << 38
                && effort.max_applications() == u64::MAX
        );
        let tree = json!({"properties": {"children": {"items": {"$ref": "#"}}}});
        assert_eq!(self::effort(&tree).map(|effort| effort.max_applications()), Ok(2));
    }

    #[test]
    fn references_must_have_a_target_in_the_schema() {
        for (schema, works) in [
            (json!({"$ref": "#"}), false),
            (json!({"$dynamicRef": "#a", "$dynamicAnchor": "a"}), false),
            (
                json!({"$dynamicRef": "#a", "$defs": {"a": {"$dynamicAnchor": "a", "$dynamicRef": "#a"}}}),
                false,
            ),
            (json!({"dependencies": {"a": {"$ref": "#"}}}), false),
            (json!({"$ref": "#/$defs/a", "$dynamicRef": "#", "$defs": {"a": true}}), false),
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
            assert_eq!(effort(&schema).err(), (!works).then_some(Unusable::Broken), "{schema}");
        }
    }

    /// Where a name has several meanings, every path through it counts.
    #[test]
    fn circular_references_are_found_behind_any_name() {
        let dynamic = json!({"$id": "https://a/root", "$dynamicAnchor": "x", "$ref": "https://a/sub", "$defs": {
            "sub": {"$id": "https://a/sub", "allOf": [{"$dynamicRef": "#x"}],
                "$defs": {"leaf": {"$dynamicAnchor": "x", "type": "string"}}}}});
        let pointer = json!({"$id": "https://a/root", "$ref": "https://a/sub", "$defs": {"x": true,
            "sub": {"$id": "https://a/sub", "$ref": "#/$defs/x", "$defs": {"x": {"$ref": "https://a/sub"}}}}});
        let relative = json!({"$id": "https://a/b/root", "$ref": "sub", "$defs": {
            "one": {"$id": "https://a/b/sub", "$ref": "root"}, "other": {"$id": "sub", "$anchor": "y"}}});
        for schema in [dynamic, pointer, relative] {
            assert_eq!(effort(&schema).err(), Some(Unusable::Broken), "{schema}");
        }
    }
}
