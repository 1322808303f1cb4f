//! The retry ladder: turns a result into the one that its client expects. The first rung that fits is taken.
//!
//! | upstream's result | effective schema | rung | client gets |
//! |---|---|---|---|
//! | error, question, task | any | – | unchanged |
//! | structure | none, declared | pass-through | unchanged |
//! | structure | promoted, pinned | pass-through | unchanged; enforced and violated: an error |
//! | `{"result": text}` whose text has structure that fits; if the schema was not inferred, and the whole does not | promoted, pinned | declared | the value |
//! | text that is JSON | none | declared | the object, or `{"result": value}` |
//! | text that is JSON and fits, or fits as text | any | declared | the value |
//! | text with other structure, such as YAML, that fits | promoted, pinned | declared | the value |
//! | text that is JSON, or nothing; as a list of one or none it fits an inferred schema | promoted, pinned | declared | the list |
//! | text; one string field is required | any | declared | that field; of inferred schemas, one for text, and no JSON |
//! | `METADATA: {…}`, blank line, body; fields for both | any | declared | both fields |
//! | text that is a JSON object or list and does not fit | promoted, pinned | pass-through | the value |
//! | other text, or none | any | generic | `{"result": text}`; enforced: an error |
//! | other text, or none | none | – | unchanged; mode `All`: generic |
//!
//! A text above 8 MB, which would double a message that is large already, gets an empty object where a promoted or
//! pinned schema is advertised, and else nothing. Clients of the
//! session era get structure that is not an object as `{"result": value}`.

use std::borrow::Cow;

use bytes::Bytes;
use schemascope_judge::Judge;
use schemascope_model::Rung;
use schemascope_textform::wrapped;

use super::ToolContext;
use super::effective::{Effective, Mode, Schema};
use super::form::{Form, field_type, fields_of_type, in_result, is_object, sole_required};
use super::reading::ToolResult;
use super::text::{Text, is_json as is_sound};

/// Longest text, in bytes, to which structure is added.
pub(super) const MAX_TEXT_BYTES: usize = 8 << 20;

/// Names of fields that hold text, whatever it says.
const TEXT_FIELDS: [&str; 7] = ["body", "content", "markdown", "message", "output", "result", "text"];

/// The outcome of adapting a result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Adaptation {
    /// The rung that was taken; `None` if the result was not adapted.
    pub(crate) rung: Option<Rung>,
    /// The result for the client; `None` for the original.
    pub(crate) result: Option<Bytes>,
    /// Whether the result became an error because it violates an enforced schema.
    pub(crate) rejected: bool,
}

/// Approximate number of steps that adapting a result takes. Structure that only passes is not judged.
pub(crate) fn work(result: &Bytes, effective: &Effective, judge: &Judge) -> u64 {
    let enforced = matches!(effective, Effective::Enforced(_));
    let has = |key: &[u8]| memchr::memmem::find(result, key).is_some();
    // Structure may be a wrapped text that is read.
    let is_read = effective.is_promoted() && has(b"\"result\"");
    let passes = !enforced && !is_read && has(b"\"structuredContent\"");
    if passes { result.len() as u64 } else { judge.max_steps(result.len()) }
}

/// Adapts a result.
pub(crate) fn adapt(result: &Bytes, context: &ToolContext<'_>, mode: Mode) -> Adaptation {
    let schema = context.effective.schema();
    if mode == Mode::Off || (mode == Mode::Advertised && schema.is_none()) {
        return Adaptation::default();
    }
    let Some(reading) = ToolResult::of(result).filter(ToolResult::is_answer) else {
        return Adaptation::default();
    };
    // Some servers write null for a missing structure.
    let is_present = |value: &&str| *value != "null" || context.judge.fits("null") == Some(true);
    if let Some(value) = reading.structured().filter(is_present) {
        return match unwrapped(value, context) {
            Some(inner) => Adaptation {
                rung: Some(Rung::Declared),
                result: Some(reading.with_structured(&inner)),
                rejected: false,
            },
            None => structured(&reading, value, context),
        };
    }
    let text = reading.text();
    let is_long = text.as_ref().is_some_and(|text| text.bytes() > MAX_TEXT_BYTES);
    let found = match schema {
        _ if is_long => None,
        None => text
            .as_ref()
            .and_then(|text| text.list().or_else(|| text.json()))
            .map(|json| Form::Object.present(&json).into_owned()),
        Some(schema) => text.as_ref().and_then(|text| fitting(text, schema, context)).or_else(|| {
            let json = text.as_ref().and_then(Text::json);
            let is_empty = text.as_ref().map_or_else(|| reading.is_empty(), Text::is_blank);
            list(json.as_deref(), is_empty, context)
        }),
    };
    let enforced_reason = || {
        if is_long {
            let reason =
                "the result has no structuredContent, and its text is above 8 MB, where it is not checked";
            return reason.to_owned();
        }
        let json = text.as_ref().and_then(Text::json);
        let broken = json.and_then(|json| context.judge.violation(&presented(&json, context).0));
        let broken = broken.map(|rule| format!(": {rule}")).unwrap_or_default();
        format!("the result has no structuredContent, and its text does not fit the enforced schema{broken}")
    };
    let structure = |rung, value: &str| {
        let result = Some(reading.with_structured(value));
        Adaptation { rung: Some(rung), result, rejected: false }
    };
    match (found, context.effective) {
        (Some(value), _) => structure(Rung::Declared, &value),
        (None, Effective::Enforced(_)) if context.judge.is_usable() => {
            rejected(&reading, Rung::Generic, &enforced_reason())
        }
        // It was not read, so it is no sign that results lack structure.
        (None, _) if is_long => without_structure(result, context.effective),
        (None, Effective::Promoted(_) | Effective::Pinned(_))
            if let Some(json) = text.as_ref().and_then(|text| misfit(text, context)) =>
        {
            structure(Rung::PassThrough, &json)
        }
        (None, Effective::None) if mode != Mode::All => Adaptation::default(),
        (None, _) => {
            let text = text.as_ref().map_or(Cow::Borrowed("\"\""), Text::quoted);
            structure(Rung::Generic, &in_result(&text))
        }
    }
}

/// A result to which no structure is added, for clients that know a schema which any object satisfies.
pub(crate) fn without_structure(result: &Bytes, effective: &Effective) -> Adaptation {
    let is_tolerant = matches!(effective, Effective::Promoted(_) | Effective::Pinned(_));
    let reading = ToolResult::of(result).filter(|reading| is_tolerant && reading.is_answer());
    let lacking = reading.filter(|reading| reading.structured().is_none_or(|value| value == "null"));
    Adaptation { result: lacking.map(|reading| reading.with_structured("{}")), ..Adaptation::default() }
}

/// Adapts a result that has structure.
fn structured(reading: &ToolResult<'_>, value: &str, context: &ToolContext<'_>) -> Adaptation {
    let form = context.form();
    let shown = match context.effective {
        Effective::None | Effective::Declared(_) if context.modern => Cow::Borrowed(value),
        Effective::Enforced(_) if context.judge.is_usable() => {
            if form == Form::Object && !is_object(value) {
                return rejected(
                    reading,
                    Rung::PassThrough,
                    "the result's structuredContent is not an object",
                );
            }
            match context.judge.fits(value) {
                Some(false) => {
                    let reason = context.judge.violation(value).unwrap_or_default();
                    return rejected(reading, Rung::PassThrough, &reason);
                }
                // What no judge can read, such as 1e999, would pass any schema.
                None if !is_sound(value) => {
                    let reason = "the result's structuredContent has a number or a text that is not valid in JSON, \
                                  or is nested too deeply";
                    return rejected(reading, Rung::PassThrough, reason);
                }
                _ => {}
            }
            form.present(value)
        }
        // Objects pass unchanged, even where other values are wrapped.
        _ if is_object(value) => Cow::Borrowed(value),
        _ => form.present(value),
    };
    let result = (shown != value).then(|| reading.with_structured(&shown));
    Adaptation { rung: Some(Rung::PassThrough), result, rejected: false }
}

/// The structure inside `{"result": text}`, if a version was promoted that it fits. A schema that was not learned from what
/// is inside may mean the whole, if that fits.
fn unwrapped(value: &str, context: &ToolContext<'_>) -> Option<String> {
    let schema = context.effective.schema().filter(|_| context.effective.is_promoted())?;
    if !schema.inferred && context.judge.fits(value) != Some(false) {
        return None;
    }
    let text = wrapped(value)?;
    let json = schemascope_textform::read(&text).map(|found| found.json).filter(|json| is_sound(json));
    let fitting =
        json.as_deref().map(|json| presented(json, context)).filter(|(_, fits)| *fits == Some(true));
    fitting
        .map(|(shown, _)| shown.into_owned())
        .or_else(|| list(json.as_deref(), text.trim().is_empty(), context))
}

/// A value in the form for the client, and whether it fits, if that can be judged. If the schema describes objects,
/// another value may be meant as the field `result` of one.
fn presented<'v>(json: &'v str, context: &ToolContext<'_>) -> (Cow<'v, str>, Option<bool>) {
    let form = context.form();
    let shown = form.present(json);
    let fits = context.judge.fits(if form == Form::Object { &shown } else { json });
    (shown, fits)
}

fn rejected(reading: &ToolResult<'_>, rung: Rung, reason: &str) -> Adaptation {
    Adaptation { rung: Some(rung), result: Some(reading.as_violation(reason)), rejected: true }
}

/// The structure in a text that fits the schema, in the form for the client.
fn fitting(text: &Text<'_>, schema: &Schema, context: &ToolContext<'_>) -> Option<String> {
    let (form, inferred, schema) = (context.form(), schema.inferred, schema.schema.as_ref());
    let fits = |value: &str| context.judge.fits(value);
    // A server that declares a schema may describe its first block only.
    for json in text.list().into_iter().chain(std::iter::once_with(|| text.json()).flatten()) {
        let (shown, fits) = presented(&json, context);
        // A schema that cannot be judged rejects nothing.
        if fits.unwrap_or(true) {
            return Some(shown.into_owned());
        }
    }
    if context.effective.is_promoted()
        && let Some(json) = text.structure().filter(|json| is_sound(json))
        && let (shown, Some(true)) = presented(&json, context)
    {
        return Some(shown.into_owned());
    }
    if form != Form::Object {
        let quoted = text.quoted();
        return (fits(&quoted) == Some(true)).then(|| form.present(&quoted).into_owned());
    }
    let one = || {
        let name = sole_required(schema)
            // A text that no result of an inferred schema looked like may be anything, an error included.
            .filter(|name| !inferred || TEXT_FIELDS.contains(name) && text.json().is_none())
            .filter(|name| field_type(schema, name) == Some("string"))?;
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

/// The list of the only item, or of none, in the form for the client: some servers send each item of a list in a text of
/// its own.
fn list(item: Option<&str>, is_empty: bool, context: &ToolContext<'_>) -> Option<String> {
    context.effective.schema().filter(|schema| schema.inferred && context.effective.is_promoted())?;
    let list = match item {
        Some(item) => format!("[{item}]"),
        None if is_empty => "[]".to_owned(),
        None => return None,
    };
    (context.judge.fits(&list) == Some(true)).then(|| context.form().present(&list).into_owned())
}

/// The value of a text that is JSON and does not fit, in the form for the client. What is advertised allows any.
fn misfit(text: &Text<'_>, context: &ToolContext<'_>) -> Option<String> {
    let form = context.form();
    let is_value =
        |json: &str| is_object(json) || (form != Form::Object && json.trim_ascii_start().starts_with('['));
    let json = text.list().or_else(|| text.json()).filter(|json| is_value(json))?;
    Some(form.present(&json).into_owned())
}

/// The fields for a text's metadata and its body: the only ones of their type, or those with the usual names.
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
