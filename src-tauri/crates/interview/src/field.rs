//! Fields of an example that a question can ask for, in the example's order.

use serde_json::{Map, Value};

use crate::example::{annotated, choices, plain};
use crate::limits::{MAX_DEPTH, MAX_FIELDS};
use crate::pointer;

/// Columns of a table.
const MAX_COLUMNS: usize = 40;
/// Key of the unit of a quantity.
pub(crate) const UNITS_KEY: &str = "units";
/// Key of the number, or the words, of a quantity.
pub(crate) const VALUE_KEY: &str = "value-string";

/// A field that a question can ask for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    /// Its place in the example, or within an item of a table.
    pub(crate) pointer: String,
    /// The form of its value.
    pub(crate) kind: FieldKind,
    /// What the file says of it; empty if nothing.
    pub(crate) comment: String,
    /// The example without annotations.
    pub(crate) example: Value,
}

/// The form of a field's value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FieldKind {
    /// Text.
    Text,
    /// A number.
    Number,
    /// Yes or no.
    Boolean,
    /// One of some values.
    Choice {
        /// The values.
        values: Vec<String>,
        /// Whether several may be given.
        is_many: bool,
        /// Whether other values are rejected.
        is_closed: bool,
    },
    /// A list of texts or numbers.
    List {
        /// Whether the items are numbers.
        is_numbers: bool,
    },
    /// A number or words with a unit: an object with `units` and `value-string`.
    Quantity {
        /// Units that are allowed; empty if any is.
        units: Vec<String>,
    },
    /// A list of objects with two texts, written as `first = second`.
    Pairs {
        /// Keys of the two.
        keys: [String; 2],
    },
    /// A list of objects.
    Table(Table),
    /// A value that can only be given as JSON.
    Structure,
}

/// The form of a list of objects.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    /// The key that identifies an item.
    pub(crate) id_key: Option<String>,
    /// Fields of an item that fit into a cell.
    pub(crate) columns: Vec<Field>,
    /// Lists of objects within an item.
    pub(crate) nested: Vec<Field>,
    /// Whether an item may also be plain text.
    pub(crate) takes_text: bool,
}

impl Field {
    /// Returns the last key of its place, as words.
    pub(crate) fn label(&self) -> String {
        let segments = pointer::segments(&self.pointer).unwrap_or_default();
        segments.last().map_or_else(String::new, |key| words(key))
    }

    /// Returns the heading of its column: its place within the item.
    pub(crate) fn heading(&self) -> String {
        self.pointer.trim_start_matches('/').replace("~1", "/").replace("~0", "~")
    }
}

/// Returns a key as words.
pub(crate) fn words(key: &str) -> String {
    key.trim_end_matches('?').replace(['-', '_'], " ")
}

/// Lists the fields of an example, in its order.
pub(crate) fn fields(example: &Value) -> Vec<Field> {
    let mut found = Vec::new();
    walk(example, "", "", "", 0, &mut found);
    found
}

fn walk(example: &Value, place: &str, key: &str, above: &str, depth: usize, found: &mut Vec<Field>) {
    if depth > MAX_DEPTH || found.len() >= MAX_FIELDS {
        return;
    }
    let (value, comment) = annotated(example);
    if let Some(Value::Object(members)) = value {
        let own: Vec<(&String, &Value)> =
            members.iter().filter(|(key, _)| key.as_str() != "comment").collect();
        if !own.is_empty() && !is_quantity(members) {
            for (key, member) in own {
                let inner = pointer::join(place, key);
                walk(member, &inner, key, comment.unwrap_or_default(), depth + 1, found);
            }
            return;
        }
    }
    found.push(Field {
        pointer: place.to_owned(),
        kind: kind(key, value, comment, depth),
        comment: comment.unwrap_or(above).to_owned(),
        example: plain(example, depth),
    });
}

fn kind(key: &str, value: Option<&Value>, comment: Option<&str>, depth: usize) -> FieldKind {
    if key.ends_with('?') {
        return FieldKind::Boolean;
    }
    match value {
        Some(Value::Bool(_)) => FieldKind::Boolean,
        Some(Value::Number(_)) => FieldKind::Number,
        Some(Value::Object(members)) if is_quantity(members) => {
            let (example, comment) = members.get(UNITS_KEY).map_or((None, None), annotated);
            let named = choices(comment, example);
            FieldKind::Quantity { units: if named.is_closed { named.values } else { Vec::new() } }
        }
        Some(Value::Object(_)) => FieldKind::Structure,
        Some(Value::Array(items)) => list_kind(items, comment, depth),
        other => {
            let named = choices(comment, other);
            if named.values.is_empty() || !named.is_closed {
                return FieldKind::Text;
            }
            FieldKind::Choice { values: named.values, is_many: false, is_closed: true }
        }
    }
}

/// Returns whether an object is a number or words with a unit.
fn is_quantity(members: &Map<String, Value>) -> bool {
    let mut keys = members.keys().filter(|key| key.as_str() != "comment");
    members.contains_key(UNITS_KEY)
        && members.contains_key(VALUE_KEY)
        && keys.all(|key| key == UNITS_KEY || key == VALUE_KEY)
}

fn list_kind(items: &[Value], comment: Option<&str>, depth: usize) -> FieldKind {
    let plain_items: Vec<&Value> = items.iter().filter_map(|item| annotated(item).0).collect();
    if plain_items.iter().any(|item| item.is_object()) {
        return FieldKind::Table(table(&plain_items, depth));
    }
    if plain_items.iter().any(|item| item.is_array()) {
        return FieldKind::Structure;
    }
    let named = choices(comment, None);
    if named.values.is_empty() {
        let is_numbers = !plain_items.is_empty() && plain_items.iter().all(|item| item.is_number());
        return FieldKind::List { is_numbers };
    }
    FieldKind::Choice { values: named.values, is_many: true, is_closed: named.is_closed }
}

fn table(items: &[&Value], depth: usize) -> Table {
    // The keys of all examples, each with the first example that has it.
    let mut item = Map::new();
    for members in items.iter().filter_map(|item| item.as_object()) {
        for (key, member) in members {
            if key != "comment" && !item.contains_key(key) {
                item.insert(key.clone(), member.clone());
            }
        }
    }
    let id_key = item.keys().find(|key| key.ends_with("-id")).cloned();
    let mut parts = Vec::new();
    walk(&Value::Object(item), "", "", "", depth + 1, &mut parts);
    let mut columns = Vec::new();
    let mut nested = Vec::new();
    for mut part in parts {
        if let FieldKind::Table(inner) = &part.kind {
            match cell_kind(inner) {
                Some(kind) => part.kind = kind,
                None => {
                    nested.push(part);
                    continue;
                }
            }
        }
        // An empty list takes the form of the surrounding list of the same name, which does not fit into a cell.
        let is_empty_list = part.example.as_array().is_some_and(Vec::is_empty);
        if part.kind != FieldKind::Structure && !is_empty_list && columns.len() < MAX_COLUMNS {
            columns.push(part);
        }
    }
    Table { id_key, columns, nested, takes_text: items.iter().any(|item| item.is_string()) }
}

/// Returns the form in which a list of objects fits into a cell, if it does.
fn cell_kind(table: &Table) -> Option<FieldKind> {
    if table.takes_text {
        return Some(FieldKind::List { is_numbers: false });
    }
    let is_plain = table.id_key.is_none() && table.nested.is_empty();
    match table.columns.as_slice() {
        [first, second] if is_plain && first.kind == FieldKind::Text && second.kind == FieldKind::Text => {
            Some(FieldKind::Pairs { keys: [first.heading(), second.heading()] })
        }
        _ => None,
    }
}

/// Finds the field that describes a place of an aggregate. Items of lists are named in the place, not in the fields. A
/// list inside an item may have the form of a surrounding list of the same name.
pub(crate) fn field_at<'f>(fields: &'f [Field], place: &str) -> Option<&'f Field> {
    find_in(fields, &pointer::segments(place)?, &[])
}

fn find_in<'f>(fields: &'f [Field], rest: &[String], enclosing: &[&'f Field]) -> Option<&'f Field> {
    for field in fields {
        let own = pointer::segments(&field.pointer)?;
        if !rest.starts_with(&own) {
            continue;
        }
        // What follows is the name of an item, and a place within it.
        let within = rest.get(own.len() + 1..).unwrap_or_default();
        let Some((key, below)) = within.split_first() else { return Some(field) };
        let FieldKind::Table(table) = &field.kind else { return None };
        let mut lists = enclosing.to_vec();
        lists.push(field);
        let inside =
            find_in(&table.nested, within, &lists).or_else(|| find_in(&table.columns, within, &lists));
        if inside.is_some() {
            return inside;
        }
        for outer in lists.iter().rev() {
            let mut path = pointer::segments(&outer.pointer)?;
            if path.last() == Some(key) {
                path.extend_from_slice(below);
                return find_in(std::slice::from_ref(*outer), &path, enclosing);
            }
        }
        return None;
    }
    None
}

#[cfg(test)]
mod tests;
