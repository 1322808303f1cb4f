//! Reading an answer without a model: exactly, or not at all.
//!
//! An answer may be JSON in the form of the Discovery Schema, the value of the field that was asked for as JSON, a
//! choice, a table, or prose. Prose is read for fields that hold text.

use serde_json::{Map, Value};

use crate::answer::{Checked, check};
use crate::duplicates::duplicate_key;
use crate::field::{Field, FieldKind, Table, field_at};
use crate::limits::quoted;
use crate::names::suggestion;
use crate::plain_text;
use crate::pointer;
use crate::question::FACT_HEADINGS;
use crate::record::Question;
use crate::schema::{DiscoverySchema, json_reason};
use crate::table;

/// Confidence in prose that was taken over as it is, from 0 to 1.
const PROSE_CONFIDENCE: f64 = 0.7;

/// An answer as a caller gives it.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerInput {
    /// Text, which may contain JSON.
    Text(String),
    /// An object in the form of the Discovery Schema, without envelope.
    Object(Map<String, Value>),
}

impl AnswerInput {
    /// Returns the answer as text.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Object(members) => Value::Object(members.clone()).to_string(),
        }
    }
}

/// What was read from an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Read {
    /// The answer was read.
    Understood {
        /// What it says.
        checked: Checked,
        /// How sure the reading is.
        confidence: f64,
        /// Whether it is prose that was taken over as it is.
        is_prose: bool,
    },
    /// The answer cannot be used. The question is closed and asked in other words.
    Unclear(String),
    /// The answer does not fit the Discovery Schema. The question stays open.
    Rejected(String),
}

/// Reads the answer to a question.
pub(crate) fn read(
    schema: &DiscoverySchema,
    question: &Question,
    aggregate: &Value,
    input: &AnswerInput,
) -> Read {
    let text = match input {
        AnswerInput::Object(members) => return checked(check(schema, members), 1.0, false),
        AnswerInput::Text(text) => text.trim_start_matches('\u{feff}').trim(),
    };
    if text.is_empty() {
        return Read::Unclear("the answer is empty".to_owned());
    }
    let place = Place { schema, question, aggregate };
    if text.starts_with(['{', '[', '"']) {
        if let Some(key) = duplicate_key(text) {
            return Read::Rejected(format!("the answer has {key:?} twice in one object; give it once"));
        }
        match serde_json::from_str::<Value>(text) {
            Ok(Value::Object(members)) => return checked(check(schema, &members), 1.0, false),
            Ok(Value::String(inner)) => return place.plain(inner.trim()),
            Ok(value) => return place.value(value, 1.0, false),
            Err(error) => {
                let reason = json_reason(&error);
                if reason.contains("recursion limit") {
                    return Read::Rejected("the answer has too many levels of objects and lists".to_owned());
                }
                let is_json = ["{", "[[", "[{", "[\""].iter().any(|start| text.starts_with(start));
                if is_json {
                    let (line, column) = (error.line(), error.column());
                    return Read::Unclear(format!(
                        "the answer is not valid JSON: line {line}, column {column}: {reason}"
                    ));
                }
            }
        }
    }
    place.plain(text)
}

/// Looks at an answer that was checked.
fn checked(result: Result<Checked, String>, confidence: f64, is_prose: bool) -> Read {
    match result {
        Ok(checked) if is_silent(&checked) => Read::Unclear("the answer contains no value".to_owned()),
        Ok(checked) => Read::Understood { checked, confidence, is_prose },
        Err(problem) => Read::Rejected(problem),
    }
}

fn is_silent(checked: &Checked) -> bool {
    checked.retract.is_empty() && !crate::completeness::is_filled(Some(&checked.scr))
}

/// What a question asks about.
struct Place<'p> {
    schema: &'p DiscoverySchema,
    question: &'p Question,
    aggregate: &'p Value,
}

impl Place<'_> {
    /// Takes a value of the field that was asked for.
    fn value(&self, value: Value, confidence: f64, is_prose: bool) -> Read {
        let segments = pointer::segments(&self.question.place).unwrap_or_default();
        if segments.is_empty() {
            return Read::Unclear("the answer has to be an object with the keys of the schema".to_owned());
        }
        match wrapped(Some(self.aggregate), &segments, value) {
            Value::Object(members) => checked(check(self.schema, &members), confidence, is_prose),
            _ => Read::Unclear("the answer has to be an object with the keys of the schema".to_owned()),
        }
    }

    /// Reads plain text.
    fn plain(&self, text: &str) -> Read {
        let is_choice = self.question.choices.iter().any(|choice| choice.eq_ignore_ascii_case(text.trim()));
        if !is_choice && plain_text::is_no_answer(text) {
            return Read::Unclear(format!("{} says nothing that can be used", quoted(text)));
        }
        let Some(field) = field_at(&self.schema.fields, &self.question.place) else {
            return Read::Unclear("the answer has to be JSON with the keys of the schema".to_owned());
        };
        if let FieldKind::Table(form) = &field.kind
            && let Some(rows) = table::rows(text)
        {
            // The first may be the headings.
            if rows.len() > table::MAX_ROWS + 1 {
                let (rows, most) = (rows.len(), table::MAX_ROWS);
                return Read::Unclear(format!(
                    "the table has {rows} rows; answer in parts of at most {most}"
                ));
            }
            match read_rows(form, &rows) {
                Rows::Value(value) => return self.value(value, 1.0, false),
                Rows::Rejected(problem) => return Read::Rejected(problem),
                Rows::Unclear(problem) if !form.takes_text => return Read::Unclear(problem),
                Rows::Unclear(_) => {}
            }
        }
        let is_prose = matches!(field.kind, FieldKind::Text | FieldKind::List { .. } | FieldKind::Table(_));
        match plain_text::read(field, text) {
            Ok(value) => self.value(value, if is_prose { PROSE_CONFIDENCE } else { 1.0 }, is_prose),
            Err(problem) => Read::Unclear(problem),
        }
    }
}

/// Puts a value at a place. Items of lists are named by their ids, as in the aggregate.
fn wrapped(known: Option<&Value>, place: &[String], value: Value) -> Value {
    let Some((first, rest)) = place.split_first() else { return value };
    if let Some(Value::Array(items)) = known {
        let item = pointer::position(items, first).and_then(|at| items.get(at));
        let mut inner = wrapped(item, rest, value);
        if let (Some((key, id)), Value::Object(members)) = (item.and_then(pointer::identity), &mut inner) {
            members.entry(key).or_insert_with(|| id.clone());
        }
        return Value::Array(vec![inner]);
    }
    let inner = wrapped(known.and_then(|known| known.get(first)), rest, value);
    let mut members = Map::new();
    members.insert(first.clone(), inner);
    Value::Object(members)
}

/// What was read from the rows of a table.
enum Rows {
    Value(Value),
    Unclear(String),
    Rejected(String),
}

/// Reads the rows of a table, the first of which may be the headings.
fn read_rows(form: &Table, rows: &[Vec<String>]) -> Rows {
    let Some((first, rest)) = rows.split_first() else {
        return Rows::Unclear("the table is empty".to_owned());
    };
    let known: Vec<Heading<'_>> = first.iter().map(|heading| find_column(form, heading)).collect();
    let matched = known.iter().filter(|heading| matches!(heading, Heading::Column(_))).count();
    let (columns, rest) = if matched > 0 {
        let unknown = first.iter().zip(&known).find(|(_, heading)| matches!(heading, Heading::Unknown));
        if let Some((heading, _)) = unknown {
            let headings: Vec<String> = form.columns.iter().map(Field::heading).collect();
            let names: Vec<&str> = headings.iter().map(String::as_str).collect();
            let hint = suggestion(heading, &names);
            return Rows::Rejected(format!(
                "unknown column {}{hint}; the columns are: {}",
                quoted(heading),
                names.join(", ")
            ));
        }
        (known, rest)
    } else if first.len() == form.columns.len() && first.len() > 1 {
        (form.columns.iter().map(Heading::Column).collect(), rows)
    } else {
        return Rows::Unclear(
            "the first row of the table has to contain the headings of the columns".to_owned(),
        );
    };
    let mut items = Vec::new();
    for (at, row) in rest.iter().enumerate() {
        match read_row(&columns, row) {
            Ok(item) => items.push(item),
            Err(problem) => return Rows::Unclear(format!("row {}: {problem}", at + 1)),
        }
    }
    if items.is_empty() {
        Rows::Unclear("the table has no rows".to_owned())
    } else {
        Rows::Value(Value::Array(items))
    }
}

/// Meaning of a heading.
enum Heading<'f> {
    Column(&'f Field),
    /// A column that only informs, or has no heading.
    Ignored,
    Unknown,
}

fn find_column<'f>(form: &'f Table, heading: &str) -> Heading<'f> {
    let wanted = normal(heading);
    let found = form.columns.iter().find(|column| normal(&column.heading()) == wanted);
    let found = found.or_else(|| form.columns.iter().find(|column| normal(&column.label()) == wanted));
    match found {
        Some(column) => Heading::Column(column),
        None if wanted.is_empty() || FACT_HEADINGS.contains(&wanted.as_str()) => Heading::Ignored,
        None => Heading::Unknown,
    }
}

/// Returns a heading in lower case with letters and digits only.
fn normal(heading: &str) -> String {
    heading.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn read_row(columns: &[Heading<'_>], row: &[String]) -> Result<Value, String> {
    let surplus = row.iter().skip(columns.len()).filter(|cell| !cell.trim().is_empty()).count();
    if surplus > 0 {
        return Err(format!(
            "it has {} cells, and the table has {} columns; put a cell with a separator in it into quotes",
            columns.len() + surplus,
            columns.len()
        ));
    }
    let mut item = Value::Object(Map::new());
    for (column, cell) in columns.iter().zip(row) {
        let Heading::Column(field) = column else { continue };
        if cell.trim().is_empty() || matches!(cell.trim(), "-" | "–" | "?" | "n/a") {
            continue;
        }
        let value =
            plain_text::read(field, cell).map_err(|problem| format!("{}: {problem}", field.heading()))?;
        let segments = pointer::segments(&field.pointer).unwrap_or_default();
        put(&mut item, &segments, value);
    }
    Ok(item)
}

/// Puts a value into nested objects, which are created.
fn put(target: &mut Value, place: &[String], value: Value) {
    let Some((first, rest)) = place.split_first() else { return };
    let Value::Object(members) = target else { return };
    if rest.is_empty() {
        members.insert(first.clone(), value);
        return;
    }
    let inner = members.entry(first.as_str()).or_insert_with(|| Value::Object(Map::new()));
    put(inner, rest, value);
}

#[cfg(test)]
mod tests;
