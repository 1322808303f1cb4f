//! The retry ladder: from a result to the one its client expects.
//!
//! Owns: the order of the rungs. Refuses to know: bytes ([`Reading`]), text ([`Text`]), schemas as text
//! ([`super::form`]).
//!
//! | upstream's result | effective schema | rung | client gets |
//! |---|---|---|---|
//! | error, question, task | any | – | unchanged |
//! | structure | none, declared | pass-through | unchanged |
//! | structure | promoted, pinned | pass-through | unchanged; enforced and violated: an error |
//! | text that is JSON | none | declared | the object, or `{"result": value}` |
//! | text that is JSON and fits, or fits as text | any | declared | the value |
//! | text; one string field is required | any | declared | that field |
//! | `METADATA: {…}`, blank line, body; fields for both | any | declared | both fields |
//! | other text, or none | any | generic | `{"result": text}`; enforced: an error |
//! | other text, or none | none | – | unchanged; mode `All`: generic |
//!
//! A structure that is no object cannot reach a client with sessions; it gets `{"result": value}`.

use std::borrow::Cow;

use bytes::Bytes;
use schemascope_judge::Judge;
use schemascope_model::Rung;

use super::Told;
use super::effective::{Effective, Mode, Schema};
use super::form::{Form, field_type, fields_of_type, in_result, is_object, sole_required};
use super::reading::Reading;
use super::text::Text;

/// What became of a result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Adapted {
    /// How far down the ladder it went; none where it was left alone.
    pub(crate) rung: Option<Rung>,
    /// What the client gets instead; none for the result itself.
    pub(crate) result: Option<Bytes>,
    /// Whether it became an error because it violates a schema that is enforced.
    pub(crate) refused: bool,
}

/// About how many steps adapting a result takes. Structure that only passes is asked nothing.
pub(crate) fn work(result: &Bytes, effective: &Effective, judge: &Judge) -> u64 {
    let enforced = matches!(effective, Effective::Enforced(_));
    let passes = !enforced && memchr::memmem::find(result, b"\"structuredContent\"").is_some();
    if passes { result.len() as u64 } else { judge.work(result.len()) }
}

/// Takes a result as far down the ladder as it must go.
pub(crate) fn adapt(result: &Bytes, told: &Told<'_>, mode: Mode) -> Adapted {
    let schema = told.effective.schema();
    if mode == Mode::Off || (mode == Mode::Advertised && schema.is_none()) {
        return Adapted::default();
    }
    let Some(reading) = Reading::of(result).filter(Reading::is_answer) else { return Adapted::default() };
    // Some write null for what they do not have.
    let is_there = |value: &&str| *value != "null" || told.judge.fits("null") == Some(true);
    if let Some(value) = reading.structured().filter(is_there) {
        return structured(&reading, value, told);
    }
    let text = reading.text();
    let found = match schema {
        None => text.as_ref().and_then(Text::json).map(|json| Form::Object.present(&json).into_owned()),
        Some(schema) => text.as_ref().and_then(|text| fitting(text, schema, told)),
    };
    let structure = |rung, value: &str| {
        let result = Some(reading.with_structured(value));
        Adapted { rung: Some(rung), result, refused: false }
    };
    match (found, told.effective) {
        (Some(value), _) => structure(Rung::Declared, &value),
        (None, Effective::Enforced(_)) if told.judge.is_usable() => refused(
            &reading,
            Rung::Generic,
            "the result has no structure, and none of its text fits the schema",
        ),
        (None, Effective::None) if mode != Mode::All => Adapted::default(),
        (None, _) => {
            let text = text.as_ref().map_or(Cow::Borrowed("\"\""), Text::quoted);
            structure(Rung::Generic, &in_result(&text))
        }
    }
}

/// A result that came with structure.
fn structured(reading: &Reading<'_>, value: &str, told: &Told<'_>) -> Adapted {
    let form = told.form();
    let shown = match told.effective {
        Effective::None | Effective::Declared(_) if told.modern => Cow::Borrowed(value),
        Effective::Enforced(_) if told.judge.is_usable() => {
            if form == Form::Object && !is_object(value) {
                return refused(reading, Rung::PassThrough, "the result is no object");
            }
            if told.judge.fits(value) == Some(false) {
                let reason = told.judge.violation(value).unwrap_or_default();
                return refused(reading, Rung::PassThrough, &reason);
            }
            form.present(value)
        }
        // Objects pass as they are, even where others would stand in a field.
        _ if is_object(value) => Cow::Borrowed(value),
        _ => form.present(value),
    };
    let result = (shown != value).then(|| reading.with_structured(&shown));
    Adapted { rung: Some(Rung::PassThrough), result, refused: false }
}

fn refused(reading: &Reading<'_>, rung: Rung, reason: &str) -> Adapted {
    Adapted { rung: Some(rung), result: Some(reading.as_violation(reason)), refused: true }
}

/// The structure a text holds that fits the schema, in the form for the client.
fn fitting(text: &Text<'_>, schema: &Schema, told: &Told<'_>) -> Option<String> {
    let (form, schema) = (told.form(), schema.schema.as_ref());
    let fits = |value: &str| told.judge.fits(value);
    if let Some(json) = text.json() {
        let shown = form.present(&json);
        // Where only objects count, what is none may be meant as the field it will stand in.
        let judged = if form == Form::Object { shown.as_ref() } else { &json };
        // A schema that cannot be asked stops nobody.
        if fits(judged).unwrap_or(true) {
            return Some(shown.into_owned());
        }
    }
    if form != Form::Object {
        let quoted = text.quoted();
        return (fits(&quoted) == Some(true)).then(|| form.present(&quoted).into_owned());
    }
    let one = || {
        let name = sole_required(schema).filter(|name| field_type(schema, name) == Some("string"))?;
        Some(format!("{{{}:{}}}", quoted(name), text.quoted()))
    };
    let two = || {
        let (object, body) = text.metadata()?;
        let (object_field, body_field) = metadata_fields(schema)?;
        Some(format!("{{{}:{object},{}:{body}}}", quoted(object_field), quoted(body_field)))
    };
    let fits = |value: &String| fits(value) == Some(true);
    two().filter(fits).or_else(|| one().filter(fits))
}

/// The fields for a text's metadata and its body: the only ones of their kind, or those with the usual names.
fn metadata_fields(schema: &serde_json::Value) -> Option<(&str, &str)> {
    let pick = |kind, usual: &[&str]| {
        let fields = fields_of_type(schema, kind);
        match fields.as_slice() {
            [only] => Some(*only),
            _ => usual.iter().find_map(|name| fields.iter().find(|field| *field == name).copied()),
        }
    };
    Some((pick("object", &["metadata", "meta"])?, pick("string", &["content", "body", "text", "result"])?))
}

fn quoted(name: &str) -> String {
    serde_json::Value::from(name).to_string()
}
