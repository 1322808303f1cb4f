//! Checking an answer in the form of a Discovery Schema against the example: keys, types and bounds.

use serde_json::{Map, Value};

use crate::example::{annotated, plain};
use crate::limits::{MAX_DEPTH, is_deeper_than, kind, quoted};
use crate::merge::{Conflict, INVENTED_KEY, contradictions, tidied};
use crate::names::suggestion;
use crate::pointer;
use crate::schema::DiscoverySchema;
use crate::shape::{Shape, add_alternative};

/// Key of the places that an answer retracts.
const RETRACT_KEY: &str = "retract";
/// Problems that one message lists.
const MAX_PROBLEMS: usize = 5;
/// Places that one answer can retract.
pub(crate) const MAX_RETRACTIONS: usize = 200;

/// An answer that fits the Discovery Schema.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Checked {
    /// What it says, with what goes beyond the schema under `invented`.
    pub(crate) scr: Value,
    /// JSON pointers that it retracts.
    pub(crate) retract: Vec<String>,
}

/// Checks an answer. On failure, says what is wrong and what to do.
pub(crate) fn check(schema: &DiscoverySchema, answer: &Map<String, Value>) -> Result<Checked, String> {
    let whole = Value::Object(answer.clone());
    if is_deeper_than(&whole, MAX_DEPTH) {
        return Err(format!("the answer has more than {MAX_DEPTH} levels of objects and lists"));
    }
    let mut members = answer.clone();
    if let Some(Value::Object(inner)) = annotated(&whole).0
        && !answer.is_empty()
        && answer.contains_key("val")
    {
        members = inner.clone();
    }
    take_id(schema, &mut members)?;
    let mut checker = Checker { problems: Vec::new(), invented: Map::new(), lists: Vec::new() };
    let retract = checker.retractions(schema, &mut members);
    if let Some(Value::Object(invented)) = members.shift_remove(INVENTED_KEY) {
        checker.invented = invented;
    }
    let scr = checker.value("", &Value::Object(members), &schema.shape, "", 0);
    for Conflict { path, earlier, later, .. } in scr.iter().flat_map(contradictions) {
        let reason = format!("the answer says {earlier} and {later}; say which is right");
        checker.problem(&path, &reason);
    }
    if !checker.problems.is_empty() {
        let count = checker.problems.len();
        let more = if count > MAX_PROBLEMS {
            format!("; {} more problems", count - MAX_PROBLEMS)
        } else {
            String::new()
        };
        checker.problems.truncate(MAX_PROBLEMS);
        return Err(format!("{}{more}", checker.problems.join("; ")));
    }
    let mut scr = tidied(&scr.unwrap_or_else(|| Value::Object(Map::new())));
    if scr.is_null() {
        scr = Value::Object(Map::new());
    }
    if let Value::Object(members) = &mut scr
        && !checker.invented.is_empty()
    {
        members.insert(INVENTED_KEY.to_owned(), Value::Object(checker.invented));
    }
    Ok(Checked { scr, retract })
}

/// Removes the id of the Discovery Schema from an answer. It must be the right one.
fn take_id(schema: &DiscoverySchema, members: &mut Map<String, Value>) -> Result<(), String> {
    for key in ["DS-id", "EADS-id"] {
        let Some(id) = members.shift_remove(key) else { continue };
        if id.as_str() != Some(schema.id.as_str()) {
            return Err(format!(
                "the answer names the schema {}, but {} is asked about",
                quoted(&id.to_string()),
                schema.id
            ));
        }
    }
    Ok(())
}

struct Checker {
    problems: Vec<String>,
    /// Values beyond the schema: at the top by key, below it by place.
    invented: Map<String, Value>,
    /// Lists around the value, with what their items may be.
    lists: Vec<(String, Vec<Shape>)>,
}

impl Checker {
    fn problem(&mut self, place: &str, reason: &str) {
        let place = if place.is_empty() { "the answer" } else { place };
        self.problems.push(format!("{}: {reason}", crate::limits::shortened(place, 200)));
    }

    /// Takes the places that an answer retracts, unless the schema has a field of that name.
    fn retractions(&mut self, schema: &DiscoverySchema, members: &mut Map<String, Value>) -> Vec<String> {
        if schema.shape.member(RETRACT_KEY).is_some() {
            return Vec::new();
        }
        let items = match members.shift_remove(RETRACT_KEY) {
            None | Some(Value::Null) => return Vec::new(),
            Some(Value::Array(items)) if items.len() <= MAX_RETRACTIONS => items,
            Some(_) => {
                let reason = format!("a list of at most {MAX_RETRACTIONS} JSON pointers is expected");
                self.problem("/retract", &reason);
                return Vec::new();
            }
        };
        let mut pointers = Vec::new();
        for item in items {
            match item.as_str().filter(|text| is_retractable(text)) {
                Some(text) => pointers.push(text.to_owned()),
                None => {
                    self.problem("/retract", "every entry has to be a JSON pointer that starts with \"/\"");
                }
            }
        }
        pointers
    }

    /// Returns a value without annotations. `None` if it says nothing.
    fn value(&mut self, key: &str, value: &Value, shape: &Shape, place: &str, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        if let Some(invented) = value.get(INVENTED_KEY)
            && !place.is_empty()
        {
            self.invented.insert(place.to_owned(), invented.clone());
        }
        let value = annotated(value).0.filter(|value| !value.is_null())?;
        match (shape, value) {
            (Shape::Any, value) => Some(plain(value, depth)),
            (Shape::Choice(values), Value::String(text)) => {
                let chosen = values.iter().find(|known| known.eq_ignore_ascii_case(text.trim()));
                if chosen.is_none() && !text.trim().is_empty() {
                    let known: Vec<&str> = values.iter().map(String::as_str).collect();
                    let hint = suggestion(text, &known);
                    let reason = format!("{} is not one of {}{hint}", quoted(text), values.join(", "));
                    self.problem(place, &reason);
                }
                chosen.map(|chosen| Value::from(chosen.as_str()))
            }
            (Shape::Text, Value::String(_))
            | (Shape::Number, Value::Number(_))
            | (Shape::Boolean, Value::Bool(_)) => Some(value.clone()),
            (Shape::List(alternatives), Value::Array(items)) => {
                Some(self.list(key, items, alternatives, place, depth))
            }
            (Shape::Object(_), Value::Object(members)) => Some(self.object(members, shape, place, depth)),
            (shape, value) => {
                let reason = format!("{} is expected, not {}", shape.words(), kind(value));
                self.problem(place, &reason);
                None
            }
        }
    }

    /// Returns an object with its keys in the order of the example.
    fn object(&mut self, members: &Map<String, Value>, shape: &Shape, place: &str, depth: usize) -> Value {
        let mut own = Map::new();
        for member in shape.members() {
            if let Some(value) = members.get(&member.key) {
                let inner = pointer::join(place, &member.key);
                if let Some(value) = self.value(&member.key, value, &member.shape, &inner, depth + 1) {
                    own.insert(member.key.clone(), value);
                }
            }
        }
        for (key, value) in members {
            if shape.member(key).is_some() || key == "comment" || key == INVENTED_KEY {
                continue;
            }
            // A list inside an item may have the form of a surrounding list of the same name.
            let outer =
                self.lists.iter().rev().find(|(name, _)| name == key).map(|(_, shapes)| shapes.clone());
            match outer {
                Some(shapes) => {
                    let inner = pointer::join(place, key);
                    if let Some(value) = self.value(key, value, &Shape::List(shapes), &inner, depth + 1) {
                        own.insert(key.clone(), value);
                    }
                }
                None => self.unknown_key(key, shape, place),
            }
        }
        Value::Object(own)
    }

    fn unknown_key(&mut self, key: &str, shape: &Shape, place: &str) {
        let known: Vec<&str> = shape.members().iter().map(|member| member.key.as_str()).collect();
        let reason = format!(
            "unknown key {}{}; put what the schema has no field for under \"{INVENTED_KEY}\"",
            quoted(key),
            suggestion(key, &known)
        );
        self.problem(place, &reason);
    }

    fn list(&mut self, key: &str, items: &[Value], local: &[Shape], place: &str, depth: usize) -> Value {
        let mut alternatives = local.to_vec();
        if !key.is_empty() {
            for (_, shapes) in self.lists.iter().filter(|(name, _)| name == key) {
                for shape in shapes {
                    add_alternative(&mut alternatives, shape.clone());
                }
            }
        }
        self.lists.push((key.to_owned(), alternatives.clone()));
        let mut own = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let inner = pointer::join(place, &at.to_string());
            if let Some(item) = self.item(item, &alternatives, &inner, depth) {
                own.push(item);
            }
        }
        self.lists.pop();
        Value::Array(own)
    }

    fn item(&mut self, item: &Value, alternatives: &[Shape], place: &str, depth: usize) -> Option<Value> {
        let plain_item = annotated(item).0.filter(|item| !item.is_null())?;
        let shape =
            alternatives.iter().find(|shape| is_of_kind(shape, plain_item)).or_else(|| alternatives.first());
        let Some(shape) = shape else { return Some(plain(item, depth)) };
        let value = self.value("", item, shape, place, depth + 1)?;
        if let (Some(id_key), Value::Object(members)) = (shape.id_key(), &value) {
            let has_id = members.get(id_key).is_some_and(|id| match id {
                Value::String(text) => !text.trim().is_empty(),
                other => other.is_number(),
            });
            if !has_id {
                let reason = format!("the item has no {}, which identifies it", quoted(id_key));
                self.problem(place, &reason);
            }
        }
        Some(value)
    }
}

/// Returns whether a pointer names a place below the top.
pub(crate) fn is_retractable(text: &str) -> bool {
    text.len() > 1 && pointer::segments(text).is_some()
}

fn is_of_kind(shape: &Shape, value: &Value) -> bool {
    match shape {
        Shape::Any => true,
        Shape::Text | Shape::Choice(_) => value.is_string(),
        Shape::Number => value.is_number(),
        Shape::Boolean => value.is_boolean(),
        Shape::List(_) => value.is_array(),
        Shape::Object(_) => value.is_object(),
    }
}

#[cfg(test)]
mod tests;
