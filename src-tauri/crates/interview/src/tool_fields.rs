//! Interviews about a tool: what is known of its fields before the first question, and descriptions from the answers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::field::FieldKind;
use crate::limits::shortened;
use crate::schema::DiscoverySchema;

/// Fields of a tool that one pursuit asks about.
pub const MAX_TOOL_FIELDS: usize = 500;
/// Longest description, in characters.
const MAX_DESCRIPTION_CHARS: usize = 2_000;

/// What is known of a field of a tool's result.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolField {
    /// Path of the field.
    pub path: String,
    /// Its types.
    #[serde(rename = "type")]
    pub types: String,
    /// How often it occurs.
    pub presence: String,
    /// An example, redacted.
    pub example: String,
    /// Its description, if it has one already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Keeps the fields that have no description yet.
pub(crate) fn undescribed(fields: &[ToolField]) -> Vec<ToolField> {
    let open =
        fields.iter().filter(|field| field.description.as_deref().unwrap_or_default().trim().is_empty());
    open.filter(|field| !field.path.is_empty()).take(MAX_TOOL_FIELDS).cloned().collect()
}

/// Returns the rows of a Discovery Schema about fields: one item for each field, with its path as the id. `None` if the
/// schema has no list of fields.
pub(crate) fn seed(schema: &DiscoverySchema, fields: &[ToolField]) -> Option<Value> {
    if fields.is_empty() {
        return None;
    }
    let (key, id_key) = list_of_fields(schema)?;
    let mut rows = Vec::new();
    for field in fields {
        let mut row = Map::new();
        row.insert(id_key.clone(), Value::from(field.path.as_str()));
        rows.push(Value::Object(row));
    }
    let mut seed = Map::new();
    seed.insert(key, Value::Array(rows));
    Some(Value::Object(seed))
}

/// Finds the list whose items are fields: its id key and a text `meaning`.
fn list_of_fields(schema: &DiscoverySchema) -> Option<(String, String)> {
    schema.fields.iter().find_map(|field| {
        let FieldKind::Table(table) = &field.kind else { return None };
        let has_meaning = table.columns.iter().any(|column| column.heading() == "meaning");
        let key = field.heading();
        let id_key = table.id_key.clone()?;
        (has_meaning && !key.contains('/')).then_some((key, id_key))
    })
}

/// Turns the aggregate of a finished pursuit into descriptions: of fields by their paths, and of the tool itself under
/// the empty path.
pub fn descriptions(schema: &DiscoverySchema, aggregate: &Value) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    if let Some((key, id_key)) = list_of_fields(schema) {
        let rows = aggregate.get(&key).and_then(Value::as_array);
        for row in rows.into_iter().flatten() {
            if let (Some(path), Some(text)) =
                (row.get(&id_key).and_then(Value::as_str), field_description(row))
            {
                found.insert(path.to_owned(), text);
            }
        }
    }
    if let Some(text) = tool_description(aggregate) {
        found.insert(String::new(), text);
    }
    found
}

/// Describes one field: its meaning, its unit, the meanings of its values, and whether it may be shown.
fn field_description(row: &Value) -> Option<String> {
    let meaning = text(row, "meaning")?;
    let mut parts = vec![sentence(&meaning)];
    if let Some(unit) = text(row, "unit") {
        parts.push(format!("Unit: {}", sentence(&unit)));
    }
    let values = row.get("values-meaning").and_then(Value::as_array);
    let pairs: Vec<String> = values.into_iter().flatten().filter_map(value_meaning).collect();
    if !pairs.is_empty() {
        parts.push(format!("Values: {}.", pairs.join("; ")));
    }
    if row.get("may-be-shown?") == Some(&Value::Bool(false)) {
        parts.push("Do not show the value to the end user.".to_owned());
    }
    Some(shortened(&visible(&parts.join(" ")), MAX_DESCRIPTION_CHARS))
}

fn value_meaning(pair: &Value) -> Option<String> {
    let value = match pair.get("value")? {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let meaning = text(pair, "meaning")?;
    Some(format!("{value} = {}", meaning.trim_end_matches('.')))
}

/// Describes the tool: its purpose, when to use it and when not, and what surprises people.
fn tool_description(aggregate: &Value) -> Option<String> {
    let purpose = text(aggregate, "purpose")?;
    let mut parts = vec![sentence(&purpose)];
    // Without the label, a model takes what speaks against the tool for what speaks for it.
    for (key, label) in
        [("when-to-use", "When to use"), ("when-not-to-use", "When not to use"), ("caveats", "Caveats")]
    {
        let items = aggregate.get(key).and_then(Value::as_array);
        let texts = items.into_iter().flatten().filter_map(Value::as_str).map(line);
        let texts: Vec<String> =
            texts.map(|text| text.trim_end_matches('.').to_owned()).filter(|text| !says_none(text)).collect();
        if !texts.is_empty() {
            parts.push(format!("{label}: {}", sentence(&texts.join("; "))));
        }
    }
    Some(shortened(&visible(&parts.join(" ")), MAX_DESCRIPTION_CHARS))
}

/// Whether an entry of a list says that there is none.
fn says_none(text: &str) -> bool {
    let words =
        ["", "-", "–", "—", "n/a", "na", "never", "no", "none", "not applicable", "nothing", "nothing known"];
    words.contains(&text.trim().trim_end_matches('!').to_lowercase().as_str())
}

fn text(object: &Value, key: &str) -> Option<String> {
    let text = object.get(key)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Leaves out characters that a person who accepts a description does not see, and a model reads: controls, changes of
/// direction, zero-width spaces and tags.
fn visible(text: &str) -> String {
    let is_hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
    };
    text.chars().filter(|c| !is_hidden(*c)).collect()
}

/// Returns a text on one line that ends with a full stop.
fn sentence(text: &str) -> String {
    let line = line(text);
    if line.ends_with(['.', '!', '?']) { line } else { format!("{line}.") }
}

fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema::read_schema;

    fn schema() -> DiscoverySchema {
        let file = json!({"required": ["/fields/*/meaning"], "DS": {"DS-id": "tool/output-fields", "fields": [{
            "field-id": "a.b", "meaning": "x", "unit": "g", "values-meaning": [{"value": "0", "meaning": "none"}],
            "may-be-shown?": true}]}});
        read_schema(&file.to_string()).unwrap()
    }

    #[test]
    fn descriptions_have_nothing_that_people_do_not_see() {
        let hidden: String = "ignore".chars().filter_map(|c| char::from_u32(0xe0000 + c as u32)).collect();
        let row = json!({"meaning": format!("The \u{202e}total\u{200b}{hidden},\nin euros")});
        assert_eq!(field_description(&row).unwrap(), "The total, in euros.");
        assert_eq!(
            tool_description(&json!({"purpose": format!("List{hidden} orders")})).unwrap(),
            "List orders."
        );
    }

    /// Regression: agents read "The user wants to cancel" as a reason to call the tool.
    #[test]
    fn description_says_what_speaks_against_the_tool() {
        let aggregate = json!({
            "purpose": "Finds flights", "when-to-use": ["The user names two airports."],
            "when-not-to-use": ["To cancel a booking", "prices older than a day"], "caveats": ["None."]});
        assert_eq!(
            tool_description(&aggregate).unwrap(),
            "Finds flights. When to use: The user names two airports. When not to use: To cancel a booking; prices \
             older than a day."
        );
    }

    #[test]
    fn described_fields_are_not_asked_about() {
        let field = |path: &str, description: Option<&str>| ToolField {
            path: path.to_owned(),
            description: description.map(str::to_owned),
            ..ToolField::default()
        };
        let open = undescribed(&[field("a", None), field("b", Some("known")), field("c", Some(" "))]);
        let seed = seed(&schema(), &open).unwrap();
        assert_eq!(seed, json!({"fields": [{"field-id": "a"}, {"field-id": "c"}]}));
    }

    #[test]
    fn descriptions_join_meaning_unit_and_values() {
        let aggregate = json!({"fields": [
            {"field-id": "w", "meaning": "Weight of the parcel", "unit": "grams",
             "values-meaning": [{"value": "0", "meaning": "Not weighed."}], "may-be-shown?": false},
            {"field-id": "open"},
        ], "purpose": "Returns orders", "caveats": ["Slow."]});
        let found = descriptions(&schema(), &aggregate);
        assert_eq!(
            found.get("w").unwrap(),
            "Weight of the parcel. Unit: grams. Values: 0 = Not weighed. Do not show the value to the end user."
        );
        assert_eq!(found.get("").unwrap(), "Returns orders. Caveats: Slow.");
        assert_eq!(found.len(), 2);
    }
}
