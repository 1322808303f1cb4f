//! `type_registry.json`: one row for each tool, in the format that other programs read.
//!
//! Types are written as in Python's `typing`; fields are those of the root.

use std::collections::BTreeMap;

use schemascope_model::{Quality, Source, TextForm, Timestamp, ToolId};
use schemascope_shape::Policy;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::text::{WrongFile, read_json, without_place};
use crate::tool::Tool;

/// What is known of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RegistryRow {
    /// `server__tool`.
    pub tool_id: ToolId,
    /// Its upstream.
    pub server_name: String,
    /// Its name there.
    pub tool_name: String,
    /// Where its schema comes from.
    pub source: Source,
    /// How far it can be trusted.
    pub quality: Quality,
    /// Form of its results, if all of them are text without structure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<TextForm>,
    /// JSON Schema of its arguments, as its upstream declares it.
    pub input_schema: Option<Value>,
    /// JSON Schema of its output: the schema in effect, else declared.
    pub output_schema: Option<Value>,
    /// JSON Schema that its results taught.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inferred_schema: Option<Value>,
    /// Observations it rests on.
    pub observation_count: u64,
    /// The latest.
    pub last_observed: Option<Timestamp>,
    /// Fields and what is in them: `List[Dict[str, Any]]`.
    pub inferred_fields: BTreeMap<String, String>,
    /// Share of the objects in which a field is there with its usual type, 0 to 1.
    pub field_consistency: BTreeMap<String, f64>,
}

impl RegistryRow {
    /// Makes the row of a tool, with its schema in effect.
    pub fn of(id: &ToolId, tool: &Tool, in_force: Option<&Value>) -> Self {
        #[derive(Default, Deserialize)]
        struct Definition {
            #[serde(rename = "inputSchema")]
            input: Option<Value>,
        }
        let declaration = tool.declaration.as_ref();
        let definition: Definition = declaration
            .and_then(|declaration| serde_json::from_str(declaration.definition.get()).ok())
            .unwrap_or_default();
        let declared = || Some((*declaration?.output_schema()?.schema).clone());
        let is_learned = tool.carriers.text_form().is_none() && tool.shape.observations() > 0;
        let inferred = || is_learned.then(|| tool.inferred_schema());
        let fields = tool.shape.fields(&Policy::default());
        let told = || fields.iter().filter(|field| field.depth == 0 && !field.path.contains('⟦'));
        let standing = tool.standing();
        let kinds = |kinds: &[String]| in_python(kinds);
        Self {
            tool_id: id.clone(),
            server_name: id.server().to_owned(),
            tool_name: id.tool().to_owned(),
            source: standing.source,
            quality: standing.quality,
            form: standing.form,
            input_schema: definition.input,
            output_schema: in_force.cloned().or_else(declared),
            inferred_schema: inferred(),
            observation_count: tool.shape.observations(),
            last_observed: tool.last_observed,
            inferred_fields: told().map(|field| (field.path.clone(), kinds(&field.kinds))).collect(),
            field_consistency: told().map(|field| (field.path.clone(), rounded(field.consistency))).collect(),
        }
    }
}

/// To millionths, so that it is written the same wherever it was divided.
fn rounded(share: f64) -> f64 {
    (share * 1e6).round() / 1e6
}

/// Types of a field in Python's words.
fn in_python(kinds: &[String]) -> String {
    let mut words: Vec<String> = kinds.iter().filter(|kind| *kind != "null").map(|kind| word(kind)).collect();
    words.dedup();
    let nullable = kinds.iter().any(|kind| kind == "null");
    let all = match words.as_slice() {
        [] => return "None".to_owned(),
        [only] => only.clone(),
        _ => format!("Union[{}]", words.join(", ")),
    };
    if nullable { format!("Optional[{all}]") } else { all }
}

fn word(kind: &str) -> String {
    if let Some(inner) = kind.strip_prefix("array of ") {
        return format!("List[{}]", word(inner));
    }
    if let Some(inner) = kind.strip_prefix("map of ") {
        return format!("Dict[str, {}]", word(inner));
    }
    match kind {
        "boolean" => "bool",
        "integer" => "int",
        "number" => "float",
        "object" | "map" => "Dict[str, Any]",
        "array" => "List[Any]",
        "any" => "Any",
        "null" => "None",
        // Formats are those of strings.
        _ => "str",
    }
    .to_owned()
}

/// Writes rows.
pub fn write_type_registry(rows: &[RegistryRow]) -> String {
    let rows: BTreeMap<&ToolId, &RegistryRow> = rows.iter().map(|row| (&row.tool_id, row)).collect();
    serde_json::to_string_pretty(&rows).unwrap_or_default() + "\n"
}

/// What a row of such a file tells: a tool, its output schema if there is one, else the inferred one, and what that
/// rests on. Rows may be by tool id or in a list.
pub fn read_type_registry(text: &str) -> Result<Vec<(ToolId, Option<Value>, u64)>, WrongFile> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Rows<'a> {
        #[serde(borrow)]
        Named(BTreeMap<String, &'a RawValue>),
        #[serde(borrow)]
        Listed(Vec<&'a RawValue>),
    }
    #[derive(Deserialize)]
    #[serde(expecting = "an object")]
    struct Row<'a> {
        tool_id: ToolId,
        #[serde(borrow, default)]
        output_schema: Option<&'a RawValue>,
        #[serde(borrow, default)]
        inferred_schema: Option<&'a RawValue>,
        #[serde(default)]
        observation_count: u64,
    }
    read_json::<serde::de::IgnoredAny>(text)?;
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let named: Result<BTreeMap<String, &RawValue>, _> = serde_json::from_str(body);
    let rows = match (named, serde_json::from_str::<Vec<&RawValue>>(body)) {
        (Ok(named), _) => Rows::Named(named),
        (_, Ok(listed)) => Rows::Listed(listed),
        _ => return Err(WrongFile::whole("it is neither an object of tools by id nor a list of them")),
    };
    let rows: Vec<(Option<String>, &RawValue)> = match rows {
        Rows::Named(named) => named.into_iter().map(|(name, row)| (Some(name), row)).collect(),
        Rows::Listed(rows) => rows.into_iter().map(|row| (None, row)).collect(),
    };
    let mut read = Vec::with_capacity(rows.len());
    for (name, raw) in rows {
        let wrong = |error: serde_json::Error| {
            WrongFile::at(body, raw.get(), format!("no tool's row: {}", without_place(&error)))
        };
        let row: Row<'_> = serde_json::from_str(raw.get()).map_err(wrong)?;
        if name.is_some_and(|name| name != row.tool_id.to_string()) {
            return Err(WrongFile::at(body, raw.get(), "its \"tool_id\" is not the name it stands under"));
        }
        let known = [row.output_schema, row.inferred_schema].into_iter().flatten();
        let output = known.into_iter().find(|raw| raw.get() != "null");
        let output = output.map(|raw| schema(body, raw, &row.tool_id)).transpose()?;
        read.push((row.tool_id, output, row.observation_count));
    }
    Ok(read)
}

/// A schema that stands in a file, which must be one.
fn schema(text: &str, raw: &RawValue, tool: &ToolId) -> Result<Value, WrongFile> {
    let wrong = |reason: String| WrongFile::at(text, raw.get(), format!("the schema of {tool} {reason}"));
    let schema: Value =
        serde_json::from_str(raw.get()).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    if !(schema.is_object() || schema.is_boolean()) {
        return Err(wrong("is no JSON Schema: that is an object, or true or false".into()));
    }
    if schemascope_judge::Judge::new(&schema).is_broken() {
        return Err(wrong("is no valid JSON Schema (draft 2020-12)".into()));
    }
    Ok(schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told_in_pythons_words() {
        let told =
            |kinds: &[&str]| in_python(&kinds.iter().map(|kind| (*kind).to_owned()).collect::<Vec<_>>());
        assert_eq!(told(&["array of object"]), "List[Dict[str, Any]]");
        assert_eq!(told(&["date-time", "null"]), "Optional[str]");
        assert_eq!(told(&["map of number", "string"]), "Union[Dict[str, float], str]");
        assert_eq!(told(&["null"]), "None");
    }

    #[test]
    fn rows_are_read_in_either_layout_or_refused_with_their_place() {
        let row = r#"{"tool_id": "git__log", "output_schema": {"type": "object"}, "observation_count": 3}"#;
        for text in [format!("{{\"git__log\": {row}}}"), format!("[{row}]")] {
            let rows = read_type_registry(&text).unwrap();
            assert_eq!((rows[0].0.to_string().as_str(), rows[0].2), ("git__log", 3));
        }
        let wrong = read_type_registry(&format!("{{\n \"git__other\": {row}}}")).unwrap_err();
        assert_eq!(wrong.place, Some((2, 16)));
        let wrong = row.replace("{\"type\": \"object\"}", "[]");
        assert!(read_type_registry(&format!("[{wrong}]")).unwrap_err().reason.contains("git__log"));
        assert!(read_type_registry("7").is_err() && read_type_registry("{\"a\": 1}").is_err());
    }
}
