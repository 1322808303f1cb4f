//! How much work a schema makes, before anybody works with it.
//!
//! Owns: the bounds. A validator asks alternatives of alternatives, of one value and again of what is in it, so
//! that a small schema can keep it busy for ever or take it deeper than its stack. Where it cannot be said where
//! a reference leads, all places it may lead to count. Refuses to know: what a schema says.

use std::collections::HashMap;

use serde_json::Value;

use crate::keywords::references;
use crate::places::Places;

/// Times a schema may be asked of one value, over all alternatives and references.
const MAX_WEIGHT: u64 = 10_000;
/// Levels that may be asked of one value.
const MAX_HEIGHT: usize = 64;
/// Levels of the whole with every reference followed once: so deep may compiling it go.
const MAX_LEVELS: usize = 10_000;
/// Levels of documents; readers take no more.
const DOCUMENT_LEVELS: usize = 128;
/// Entries of a list that are looked through in the time one schema is asked.
const ENTRIES: usize = 16;

/// Why a schema is not worked with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hopeless {
    /// A reference leads out of the schema, nowhere, or back to where it came from without a step into the value.
    Broken,
    /// It would take too long, or too deep.
    TooMuch,
}

/// What asking a schema takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Effort {
    /// How often a value may be asked something, by how deep it is in the document: grows with each level. Deeper
    /// ones like the last.
    asked: Vec<u64>,
    /// Levels it goes on the stack for one level of the document.
    pub(crate) height: usize,
}

impl Effort {
    /// How often any value of a document with so many levels may be asked something.
    pub(crate) fn asked(&self, levels: usize) -> u64 {
        let last = self.asked.len().saturating_sub(1);
        self.asked.get(levels.min(last)).copied().unwrap_or(1).max(1)
    }

    /// The same for the deepest document.
    pub(crate) fn most(&self) -> u64 {
        self.asked(DOCUMENT_LEVELS)
    }
}

/// What asking one value takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cost {
    weight: u64,
    height: usize,
}

/// The schemas asked when one is.
#[derive(Debug, Default)]
struct Asks {
    /// Steps of its own.
    own: u64,
    /// Of the same value.
    here: Vec<usize>,
    /// Of values in it, one of them each.
    one_of: Vec<usize>,
    /// Of values in it, all of each.
    all_of: Vec<usize>,
    /// Whether what was evaluated is found out by asking again.
    twice: bool,
}

struct Survey<'a> {
    places: Places<'a>,
    asks: Vec<Asks>,
    /// By place: what is known of it; none while it is being looked at.
    costs: HashMap<usize, Option<Cost>>,
    /// Those whose costs are known, each behind all it asks of the same value.
    order: Vec<usize>,
}

/// What working with a schema takes.
pub(crate) fn effort(schema: &Value) -> Result<Effort, Hopeless> {
    let places = Places::of(schema).ok_or(Hopeless::TooMuch)?;
    let mut targets = Vec::new();
    for (_, map) in places.all() {
        for reference in references(map) {
            targets.extend(places.targets(reference).ok_or(Hopeless::Broken)?);
        }
    }
    targets.sort_unstable();
    targets.dedup();
    let mut levels = levels(schema);
    for target in targets {
        levels += self::levels(places.all()[target].0);
        if levels > MAX_LEVELS {
            return Err(Hopeless::TooMuch);
        }
    }
    let asks = (0..places.all().len()).map(|place| asks(&places, place)).collect();
    let mut survey = Survey { places, asks, costs: HashMap::new(), order: Vec::new() };
    let mut height = 1;
    for place in 0..survey.asks.len() {
        height = height.max(survey.cost(place, 0)?.height);
    }
    Ok(Effort { asked: survey.asked(), height })
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

fn asks(places: &Places<'_>, place: usize) -> Asks {
    let map = places.all()[place].1;
    let under = |keys: &[&str]| -> Vec<usize> {
        let values = keys.iter().filter_map(|key| map.get(*key));
        // A schema, a list of them, or an object of them.
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
    let mut here =
        under(&["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"]);
    here.extend(references(map).filter_map(|reference| places.targets(reference)).flatten());
    let listed = ["enum", "required", "properties"].map(entries).iter().sum::<usize>() / ENTRIES;
    Asks {
        own: (1 + listed + entries("patternProperties")) as u64,
        here,
        one_of: under(&["properties", "additionalProperties", "prefixItems", "items", "additionalItems"]),
        all_of: under(&[
            "patternProperties",
            "contains",
            "propertyNames",
            "unevaluatedProperties",
            "unevaluatedItems",
        ]),
        twice: map.contains_key("unevaluatedProperties") || map.contains_key("unevaluatedItems"),
    }
}

impl Survey<'_> {
    /// What asking a place of one value takes; `depth` counts the levels on the way here.
    fn cost(&mut self, place: usize, depth: usize) -> Result<Cost, Hopeless> {
        match self.costs.get(&place) {
            Some(Some(known)) => return Ok(*known),
            Some(None) => return Err(Hopeless::Broken),
            None if depth > MAX_HEIGHT => return Err(Hopeless::TooMuch),
            None => {}
        }
        self.costs.insert(place, None);
        let mut cost = Cost { weight: self.asks[place].own, height: 1 };
        for at in 0..self.asks[place].here.len() {
            let one = self.cost(self.asks[place].here[at], depth + 1)?;
            cost.weight = cost.weight.saturating_add(one.weight);
            cost.height = cost.height.max(one.height + 1);
        }
        if self.asks[place].twice {
            cost.weight = cost.weight.saturating_mul(2);
        }
        self.costs.insert(place, Some(cost));
        self.order.push(place);
        if cost.weight <= MAX_WEIGHT && cost.height <= MAX_HEIGHT { Ok(cost) } else { Err(Hopeless::TooMuch) }
    }

    /// How often values are asked something when the root is asked of a document, level by level.
    fn asked(&self) -> Vec<u64> {
        let root = self.places.root();
        let mut above = vec![0; self.asks.len()];
        for (place, cost) in &self.costs {
            above[*place] = cost.map_or(0, |cost| cost.weight);
        }
        let mut asked = vec![root.map_or(1, |root| above[root])];
        for _ in 0..DOCUMENT_LEVELS {
            let mut level = vec![0_u64; above.len()];
            for place in &self.order {
                let asks = &self.asks[*place];
                let one_of = asks.one_of.iter().map(|one| above[*one]).max().unwrap_or(0);
                let all_of = asks.all_of.iter().map(|one| above[*one]);
                let here = asks.here.iter().map(|one| level[*one]);
                let sum = all_of.chain(here).fold(one_of, u64::saturating_add);
                level[*place] = if asks.twice { sum.saturating_mul(2) } else { sum };
            }
            if level == above {
                break;
            }
            let so_far = asked.last().copied().unwrap_or(1);
            asked.push(root.map_or(1, |root| level[root]).max(so_far));
            above = level;
        }
        asked
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

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
        assert_eq!(effort(&json!(true)).map(|effort| effort.most()), Ok(1));
        let plain = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        assert_eq!(effort(&plain).map(|effort| effort.most()), Ok(1));
        for good in
            [chain(20, 1, false), chain(10, 2, false), json!({"anyOf": vec![json!({"type": "string"}); 300]})]
        {
            assert!(effort(&good).is_ok_and(|effort| effort.most() < MAX_WEIGHT));
        }
        for bad in
            [chain(40, 2, false), chain(200, 1, false), chain(20_000, 1, false), chain(20_000, 1, true)]
        {
            assert_eq!(effort(&bad), Err(Hopeless::TooMuch));
        }
    }

    /// Twice as often with each level of the document.
    #[test]
    fn what_depends_on_the_document_is_told_by_its_levels() {
        let effort = effort(&chain(500, 2, true)).unwrap();
        assert!(effort.asked(3) <= 64 && effort.asked(40) > 1 << 38 && effort.most() == u64::MAX);
        let tree = json!({"properties": {"children": {"items": {"$ref": "#"}}}});
        assert_eq!(self::effort(&tree).map(|effort| effort.most()), Ok(2));
    }

    #[test]
    fn references_must_lead_somewhere() {
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
            assert_eq!(effort(&schema).err(), (!works).then_some(Hopeless::Broken), "{schema}");
        }
    }

    /// Where a name means different things at different places, no way through it may be left out.
    #[test]
    fn circles_do_not_hide_behind_names() {
        let dynamic = json!({"$id": "https://a/root", "$dynamicAnchor": "x", "$ref": "https://a/sub", "$defs": {
            "sub": {"$id": "https://a/sub", "allOf": [{"$dynamicRef": "#x"}],
                "$defs": {"leaf": {"$dynamicAnchor": "x", "type": "string"}}}}});
        let pointer = json!({"$id": "https://a/root", "$ref": "https://a/sub", "$defs": {"x": true,
            "sub": {"$id": "https://a/sub", "$ref": "#/$defs/x", "$defs": {"x": {"$ref": "https://a/sub"}}}}});
        let relative = json!({"$id": "https://a/b/root", "$ref": "sub", "$defs": {
            "one": {"$id": "https://a/b/sub", "$ref": "root"}, "other": {"$id": "sub", "$anchor": "y"}}});
        for schema in [dynamic, pointer, relative] {
            assert_eq!(effort(&schema).err(), Some(Hopeless::Broken), "{schema}");
        }
    }
}
