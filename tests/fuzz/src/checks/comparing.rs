//! Comparisons: a change called safe is safe, a schema does not differ from itself, and comparing any two ends.

use jsonschema::Validator;
use schemascope_compare::{Change, Class, Comparison, compare};
use serde_json::Value;

use super::Round;
use super::judging::validator;
use super::merging::Merged;
use crate::counts::Tried;
use crate::input::Input;
use crate::mutate::parts::parts;

/// Values tried on each pair of schemas.
const MOST: usize = 120;

/// Documents that are values of schemas only.
const PLAIN: &str = r#"[null,true,false,0,-0.0,1,-1,2,1.5,0.1,1e300,18446744073709551615,"","a","b","ab","é","2026-11-21",
    "ada@example.org",[],[1],["a"],["a","a"],[null,"b",2],{},{"a":1},{"a":"a"},{"a":null},{"b":1},{"a":"a","b":2},
    {"kind":"a"},{"kind":"b","a":1},{"a":{"a":"a"}},{"":0},[[]],[{"a":1}]]"#;

/// Compares the schemas of some documents and of all.
pub fn check(round: &Round<'_>, merged: &Merged, values: &[Value]) -> Result<(), String> {
    let policy = round.choices.policy;
    let (old, new) = (merged.part.schema(&policy), merged.whole.schema(&policy));
    pair(&old, &new, values)
}

/// Checks all that must hold of any two schemas, the first two documents of an input. All others and all parts
/// of all of them are tried as their values.
pub fn schemas(bytes: &[u8]) -> Result<Tried, String> {
    let input = Input::new(bytes);
    let read: Vec<Value> =
        input.documents.iter().filter_map(|text| serde_json::from_slice(text).ok()).collect();
    let refused = input.documents.len() - read.len();
    if let [old, new, ..] = read.as_slice() {
        let inner = input.documents.iter().flat_map(|text| {
            parts(text).into_iter().filter_map(|part| serde_json::from_slice(&text[part.value]).ok())
        });
        let mut values: Vec<Value> = serde_json::from_str(PLAIN).map_err(|error| error.to_string())?;
        values.extend(inner.take(MOST - values.len()));
        pair(old, new, &values)?;
    }
    Ok(Tried { documents: input.documents.len(), refused })
}

fn pair(old: &Value, new: &Value, values: &[Value]) -> Result<(), String> {
    let same = compare(new, &new.clone());
    if !same.changes.is_empty() || (same.output, same.input) != (Class::Safe, Class::Safe) {
        return Err(format!("differs from itself: {new}: {same:?}"));
    }
    let found = compare(old, new);
    worst(&found, |change| change.output, found.output)?;
    worst(&found, |change| change.input, found.input)?;
    if old == new || (found.output != Class::Safe && found.input != Class::Safe) {
        return Ok(());
    }
    // Two ways to judge: formats are assertions for some and not for others.
    for formats in [true, false] {
        let (Ok(of_old), Ok(of_new)) = (validator(old, formats), validator(new, formats)) else {
            return Ok(());
        };
        if found.output == Class::Safe {
            within("output", (new, &of_new), (old, &of_old), values)?;
        }
        if found.input == Class::Safe {
            within("input", (old, &of_old), (new, &of_new), values)?;
        }
    }
    Ok(())
}

/// The worst change makes the class of all.
fn worst(found: &Comparison, class: fn(&Change) -> Class, said: Class) -> Result<(), String> {
    let worst = found.changes.iter().map(class).max().unwrap_or(Class::Safe);
    if worst == said { Ok(()) } else { Err(format!("{said:?} as a whole, {worst:?} in part: {found:?}")) }
}

/// Fails if a value of the one is none of the other.
fn within(
    what: &str,
    (sub, of_sub): (&Value, &Validator),
    (sup, of_sup): (&Value, &Validator),
    values: &[Value],
) -> Result<(), String> {
    match values.iter().find(|value| of_sub.is_valid(value) && !of_sup.is_valid(value)) {
        Some(value) => Err(format!("{what} is not safe: {value} is of {sub}, but not of {sup}")),
        None => Ok(()),
    }
}
