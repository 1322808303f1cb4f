//! How far an aggregate fills its Discovery Schema.
//!
//! A Discovery Schema asks for *places*: those that its file lists as `required`, else every top-level key except
//! `exhausted?`. A place counts 1 if it is filled. A place with `*` or `**` counts as the share of its items that are
//! filled, and 0 while the list is empty. Completeness is the mean over the places, rounded down to thousandths.
//! It is at most 0.999 while a place is not filled entirely. It is 1 if all are, or if `exhausted?` is true. A pursuit
//! keeps the highest value it has reached until something is retracted.

use serde_json::Value;

use crate::limits::MAX_DEPTH;
use crate::pointer;
use crate::schema::{DiscoverySchema, EXHAUSTED_KEY};

/// Completeness of a complete aggregate, in thousandths.
pub const COMPLETE: u32 = 1_000;
/// Missing places that are listed.
const MAX_MISSING: usize = 2_000;

/// How far an aggregate fills its Discovery Schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// Top-level keys that are filled.
    pub completed: Vec<String>,
    /// Top-level keys that are not filled.
    pub remaining: Vec<String>,
    /// Places that are asked for and not filled.
    pub missing: Vec<String>,
    /// Completeness in thousandths.
    pub thousandths: u32,
}

impl Progress {
    /// Returns whether the aggregate is complete.
    pub fn is_complete(&self) -> bool {
        self.thousandths == COMPLETE
    }
}

/// Measures how far an aggregate fills a Discovery Schema.
pub fn progress(schema: &DiscoverySchema, aggregate: &Value) -> Progress {
    let is_key_filled = |key: &str| is_filled(aggregate.get(key));
    let keys = schema.top_keys();
    let named = |filled: bool| -> Vec<String> {
        keys.iter().filter(|key| is_key_filled(key) == filled).map(|key| (*key).to_owned()).collect()
    };
    let places = places(schema);
    let mut missing = Vec::new();
    let mut sum = 0_u64;
    for place in &places {
        let mut count = Count { filled: 0, total: 0 };
        let segments = pointer::segments(place).unwrap_or_default();
        measure(
            Some(aggregate),
            &segments,
            Spot { path: String::new(), list: "" },
            &mut count,
            &mut missing,
            0,
        );
        sum += count.filled * u64::from(COMPLETE) / count.total.max(1);
    }
    let is_exhausted = schema.has_exhausted_key() && aggregate.get(EXHAUSTED_KEY) == Some(&Value::Bool(true));
    let thousandths = if is_exhausted || (missing.is_empty() && !places.is_empty()) {
        COMPLETE
    } else {
        let mean = sum / (places.len() as u64).max(1);
        (mean as u32).min(COMPLETE - 1)
    };
    if is_exhausted {
        missing.clear();
    }
    Progress { completed: named(true), remaining: named(false), missing, thousandths }
}

/// Returns whether a value says something: not null, not blank, not an empty list or object.
pub(crate) fn is_filled(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => false,
        Some(Value::String(text)) => !text.trim().is_empty(),
        Some(Value::Array(items)) => items.iter().any(|item| is_filled(Some(item))),
        Some(Value::Object(members)) => members.values().any(|member| is_filled(Some(member))),
        Some(Value::Bool(_) | Value::Number(_)) => true,
    }
}

/// Lists the places that a Discovery Schema asks for.
fn places(schema: &DiscoverySchema) -> Vec<String> {
    if !schema.required.is_empty() {
        return schema.required.clone();
    }
    let keys = schema.top_keys();
    keys.into_iter().filter(|key| *key != EXHAUSTED_KEY).map(|key| pointer::join("", key)).collect()
}

/// Items of a place.
struct Count {
    filled: u64,
    total: u64,
}

/// Where measuring is: the path so far, and the key of the innermost list.
struct Spot<'k> {
    path: String,
    list: &'k str,
}

impl Spot<'_> {
    fn item(&self, item: &Value, at: usize) -> String {
        let segment =
            pointer::identity(item).map_or_else(|| at.to_string(), |(_, id)| pointer::id_segment(id));
        pointer::join(&self.path, &segment)
    }
}

fn measure(
    value: Option<&Value>,
    place: &[String],
    spot: Spot<'_>,
    count: &mut Count,
    missing: &mut Vec<String>,
    depth: usize,
) {
    if depth > MAX_DEPTH {
        return;
    }
    let Some((first, rest)) = place.split_first() else {
        count.total += 1;
        if is_filled(value) {
            count.filled += 1;
        } else if missing.len() < MAX_MISSING {
            missing.push(spot.path);
        }
        return;
    };
    match value {
        Some(Value::Array(items)) if (first == "*" || first == "**") && !items.is_empty() => {
            for (at, item) in items.iter().enumerate() {
                let path = spot.item(item, at);
                let inner = Spot { path: path.clone(), list: spot.list };
                measure(Some(item), rest, inner, count, missing, depth + 1);
                let deeper = item.get(spot.list).filter(|list| is_filled(Some(list)));
                if first == "**" && deeper.is_some() {
                    let inner = Spot { path: pointer::join(&path, spot.list), list: spot.list };
                    measure(deeper, place, inner, count, missing, depth + 1);
                }
            }
        }
        Some(Value::Object(members)) => {
            let inner = Spot { path: pointer::join(&spot.path, first), list: first };
            measure(members.get(first), rest, inner, count, missing, depth + 1);
        }
        _ => {
            count.total += 1;
            if missing.len() < MAX_MISSING {
                missing.push(unfilled_path(spot.path, place));
            }
        }
    }
}

/// Returns the path of an unfilled place: up to the list that has no items yet.
fn unfilled_path(path: String, place: &[String]) -> String {
    let keys = place.iter().take_while(|segment| *segment != "*" && *segment != "**");
    keys.fold(path, |path, key| pointer::join(&path, key))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema::read_schema;

    fn schema(required: &Value) -> DiscoverySchema {
        let file = json!({"required": required, "DS": {
            "DS-id": "a/b", "duration": {"units": "h"}, "exhausted?": true, "steps": [{
                "step-id": "x", "duration": {"units": "h"}, "steps": []}]}});
        read_schema(&file.to_string()).unwrap()
    }

    #[test]
    fn completeness_without_required_counts_top_level_keys() {
        let schema = schema(&json!([]));
        assert_eq!(progress(&schema, &json!({})).thousandths, 0);
        let half = progress(&schema, &json!({"duration": {"units": "h"}, "steps": []}));
        assert_eq!((half.thousandths, half.missing), (500, vec!["/steps".to_owned()]));
        assert_eq!(half.completed, ["duration"]);
        assert_eq!(half.remaining, ["exhausted?", "steps"]);
        assert!(progress(&schema, &json!({"exhausted?": true})).is_complete());
        assert!(!progress(&schema, &json!({"exhausted?": false})).is_complete());
    }

    #[test]
    fn required_place_with_stars_asks_for_every_item_at_any_depth() {
        let schema = schema(&json!(["/steps/**/duration"]));
        assert_eq!(progress(&schema, &json!({})).missing, ["/steps"]);
        let part = json!({"steps": [
            {"step-id": "x", "duration": {"units": "h"}, "steps": [{"step-id": "y"}]},
            {"step-id": "z", "duration": {"units": "h"}},
        ]});
        let part = progress(&schema, &part);
        assert_eq!((part.missing, part.thousandths), (vec!["/steps/x/steps/y/duration".to_owned()], 666));
        let whole = json!({"steps": [{"step-id": "x", "duration": {"units": "h"}}]});
        assert!(progress(&schema, &whole).is_complete());
    }

    #[test]
    fn required_member_that_is_missing_names_its_place() {
        let schema = schema(&json!(["/duration/units"]));
        assert_eq!(progress(&schema, &json!({})).missing, ["/duration/units"]);
    }
}
