//! A small validator with three answers: accepted, rejected, unknown.
//!
//! It answers "accepted" or "rejected" only where every validator does, whether it asserts formats
//! or not.

use serde_json::{Map, Value};

use crate::document::Place;
use crate::fuel::Fuel;
use crate::keyword::{
    Understanding, additional, entries, further, is_entangled, list, names, type_names, understanding,
};
use crate::number::{Num, count, equal, every, some};
use crate::regular::is_match;
use crate::sample::is_sample;
use crate::sealed::{sealed, surely_evaluated};

/// Returns whether the schema accepts the value; `None` if that is unknown.
pub(crate) fn accepts(value: &Value, schema: Place<'_>, fuel: &mut Fuel) -> Option<bool> {
    let map = match schema.value {
        Value::Bool(verdict) => return Some(*verdict),
        Value::Object(map) => map,
        _ => return None,
    };
    if !fuel.enter() {
        return None;
    }
    let verdict = all_keywords(value, schema, map, fuel);
    fuel.leave();
    verdict
}

fn all_keywords(value: &Value, schema: Place<'_>, map: &Map<String, Value>, fuel: &mut Fuel) -> Option<bool> {
    let mut sum = Some(true);
    for (key, argument) in map {
        let verdict = match understanding(key, argument) {
            Understanding::Annotation => continue,
            Understanding::Uncertain => return None,
            Understanding::Unknown => None,
            Understanding::Understood => keyword(value, schema, map, key, argument, fuel),
        };
        match verdict {
            Some(true) => {}
            None => sum = None,
            // A neighbouring keyword that is not understood could reverse the meaning of this one.
            Some(false)
                if map.iter().any(|(key, value)| understanding(key, value) == Understanding::Uncertain) =>
            {
                return None;
            }
            Some(false) => return Some(false),
        }
    }
    sum
}

fn keyword(
    value: &Value,
    schema: Place<'_>,
    map: &Map<String, Value>,
    key: &str,
    argument: &Value,
    fuel: &mut Fuel,
) -> Option<bool> {
    match key {
        "type" => Some(has_type(value, argument)),
        "const" => equal(value, argument),
        "enum" => {
            let listed = list(map, "enum");
            // A value that is one of the listed entries need not be compared with each of them.
            if listed.as_ptr_range().contains(&std::ptr::from_ref(value)) {
                return Some(true);
            }
            if !fuel.spend(listed.len() / 16) {
                return None;
            }
            some(listed.iter().map(|one| equal(value, one)))
        }
        "$ref" => accepts(value, schema.target()?, fuel),
        "allOf" => every(list(map, key).iter().map(|one| accepts(value, schema.at(one), fuel))),
        "anyOf" => some(list(map, key).iter().map(|one| accepts(value, schema.at(one), fuel))),
        "oneOf" => exactly_one(list(map, key).iter().map(|one| accepts(value, schema.at(one), fuel))),
        "not" => accepts(value, schema.at(argument), fuel).map(|verdict| !verdict),
        "if" => conditional(value, schema, fuel),
        "unevaluatedProperties" if is_entangled(map) && !map.contains_key("additionalProperties") => {
            unevaluated(value, schema, argument)
        }
        "unevaluatedItems" if is_entangled(map) => (!value.is_array()).then_some(true),
        _ => match value {
            Value::Number(_) | Value::String(_) => of_scalar(value, key, argument),
            Value::Array(items) => of_array(items, schema, map, key, argument, fuel),
            Value::Object(fields) => of_object(fields, schema, map, key, argument, fuel),
            Value::Null | Value::Bool(_) => Some(true),
        },
    }
}

fn has_type(value: &Value, argument: &Value) -> bool {
    match value {
        Value::Number(number) => {
            type_names(argument, "number")
                || (type_names(argument, "integer") && Num::of(number).is_some_and(Num::is_whole))
        }
        _ => type_names(argument, super::keyword::Kind::of(value).name()),
    }
}

fn exactly_one(verdicts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let (mut yes, mut unknown) = (0, 0);
    for verdict in verdicts {
        match verdict {
            Some(true) => yes += 1,
            Some(false) => {}
            None => unknown += 1,
        }
        if yes > 1 {
            return Some(false);
        }
    }
    (unknown == 0).then_some(yes == 1)
}

fn conditional(value: &Value, schema: Place<'_>, fuel: &mut Fuel) -> Option<bool> {
    let mut branch = |key| schema.under(key).map_or(Some(true), |place| accepts(value, place, fuel));
    match branch("if") {
        Some(true) => branch("then"),
        Some(false) => branch("else"),
        None => match (branch("then"), branch("else")) {
            (Some(one), Some(two)) if one == two => Some(one),
            _ => None,
        },
    }
}

/// Returns whether one keyword for numbers or strings accepts a value.
pub(crate) fn of_scalar(value: &Value, key: &str, argument: &Value) -> Option<bool> {
    match value {
        Value::Number(number) => of_number(Num::of(number)?, key, argument),
        Value::String(text) => of_text(text, key, argument),
        _ => Some(true),
    }
}

fn of_number(number: Num, key: &str, argument: &Value) -> Option<bool> {
    let limit = || Num::from_value(argument);
    Some(match key {
        "minimum" => number.order(limit()?).is_ge(),
        "maximum" => number.order(limit()?).is_le(),
        "exclusiveMinimum" => number.order(limit()?).is_gt(),
        "exclusiveMaximum" => number.order(limit()?).is_lt(),
        "multipleOf" => match (number, limit()?) {
            (Num::Whole(0), _) => true,
            (Num::Whole(one), Num::Whole(two)) if number.is_precise() => one.checked_rem(two)? == 0,
            (Num::Real(_), Num::Whole(_)) if number.is_precise() => false,
            _ => return None,
        },
        _ => true,
    })
}

fn of_text(text: &str, key: &str, argument: &Value) -> Option<bool> {
    let length = || u64::try_from(text.chars().count()).ok();
    Some(match key {
        "minLength" => length()? >= count(argument)?,
        "maxLength" => length()? <= count(argument)?,
        "pattern" => return is_match(argument.as_str()?, text),
        "format" => return is_sample(argument.as_str()?, text).then_some(true),
        _ => true,
    })
}

fn of_array(
    items: &[Value],
    schema: Place<'_>,
    map: &Map<String, Value>,
    key: &str,
    argument: &Value,
    fuel: &mut Fuel,
) -> Option<bool> {
    let length = u64::try_from(items.len()).ok()?;
    match key {
        "minItems" => Some(length >= count(argument)?),
        "maxItems" => Some(length <= count(argument)?),
        "uniqueItems" if argument == &Value::Bool(true) => distinct(items, fuel),
        "prefixItems" => {
            let pairs = items.iter().zip(list(map, "prefixItems"));
            every(pairs.map(|(item, one)| accepts(item, schema.at(one), fuel)))
        }
        "items" | "unevaluatedItems" => {
            let Some(rest) = further(map) else { return Some(true) };
            let start = list(map, "prefixItems").len();
            every(items.iter().skip(start).map(|item| accepts(item, schema.at(rest), fuel)))
        }
        "contains" => contains(items, schema.at(argument), map, fuel),
        _ => Some(true),
    }
}

fn distinct(items: &[Value], fuel: &mut Fuel) -> Option<bool> {
    let mut sum = Some(true);
    for (position, one) in items.iter().enumerate() {
        for two in items.iter().skip(position + 1) {
            match fuel.spend(1).then(|| equal(one, two))? {
                Some(true) => return Some(false),
                Some(false) => {}
                None => sum = None,
            }
        }
    }
    sum
}

fn contains(items: &[Value], wanted: Place<'_>, map: &Map<String, Value>, fuel: &mut Fuel) -> Option<bool> {
    let (mut sure, mut possible) = (0, 0);
    for item in items {
        match accepts(item, wanted, fuel) {
            Some(true) => sure += 1,
            None => possible += 1,
            Some(false) => {}
        }
    }
    let least = map.get("minContains").map_or(Some(1), count)?;
    let most = map.get("maxContains").map_or(Some(u64::MAX), count)?;
    if sure > most || sure + possible < least {
        return Some(false);
    }
    (sure >= least && sure + possible <= most).then_some(true)
}

fn of_object(
    fields: &Map<String, Value>,
    schema: Place<'_>,
    map: &Map<String, Value>,
    key: &str,
    argument: &Value,
    fuel: &mut Fuel,
) -> Option<bool> {
    let length = u64::try_from(fields.len()).ok()?;
    match key {
        "minProperties" => Some(length >= count(argument)?),
        "maxProperties" => Some(length <= count(argument)?),
        "required" => Some(names(map, "required").all(|name| fields.contains_key(name))),
        "properties" => every(entries(map, key).map(|(name, one)| match fields.get(name) {
            Some(value) => accepts(value, schema.at(one), fuel),
            None => Some(true),
        })),
        "patternProperties" => every(entries(map, key).flat_map(|(pattern, one)| {
            fields
                .iter()
                .map(|(name, value)| match is_match(pattern, name) {
                    Some(true) => accepts(value, schema.at(one), fuel),
                    Some(false) => Some(true),
                    None => accepts(value, schema.at(one), fuel).filter(|verdict| *verdict),
                })
                .collect::<Vec<_>>()
        })),
        "additionalProperties" | "unevaluatedProperties" => {
            let Some(rest) = additional(map) else { return Some(true) };
            every(fields.iter().map(|(name, value)| match evaluated(map, name) {
                Some(true) => Some(true),
                Some(false) => accepts(value, schema.at(rest), fuel),
                None => accepts(value, schema.at(rest), fuel).filter(|verdict| *verdict),
            }))
        }
        "propertyNames" => {
            let name = |name: &String| Value::String(name.clone());
            every(fields.keys().map(|key| accepts(&name(key), schema.at(argument), fuel)))
        }
        "dependentRequired" => {
            let mut present = entries(map, key).filter(|(name, _)| fields.contains_key(*name));
            let there = |name: &Value| name.as_str().is_some_and(|name| fields.contains_key(name));
            Some(present.all(|(_, wanted)| wanted.as_array().is_some_and(|wanted| wanted.iter().all(there))))
        }
        "dependentSchemas" => {
            let present = entries(map, key).filter(|(name, _)| fields.contains_key(*name));
            let whole = Value::Object(fields.clone());
            every(present.map(|(_, one)| accepts(&whole, schema.at(one), fuel)))
        }
        _ => Some(true),
    }
}

/// Returns whether a value is accepted by `unevaluatedProperties` that depends on neighbouring
/// keywords.
fn unevaluated(value: &Value, schema: Place<'_>, argument: &Value) -> Option<bool> {
    let Some(fields) = value.as_object() else { return Some(true) };
    if argument == &Value::Bool(true) {
        return Some(true);
    }
    let sure = surely_evaluated(schema);
    if fields.keys().all(|name| sure.contains(name.as_str())) {
        return Some(true);
    }
    let possible = sealed(schema, schema.value.as_object()?)?;
    if fields.keys().all(|name| possible.contains(name.as_str())) { None } else { Some(false) }
}

/// Returns whether `properties` or `patternProperties` cover this name.
fn evaluated(map: &Map<String, Value>, name: &str) -> Option<bool> {
    if map.get("properties").is_some_and(|fields| fields.get(name).is_some()) {
        return Some(true);
    }
    some(entries(map, "patternProperties").map(|(pattern, _)| is_match(pattern, name)))
}
