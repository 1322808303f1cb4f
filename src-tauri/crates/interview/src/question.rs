//! Questions without a model: the words, the form and the template of a question about a place.

use serde_json::Value;

use crate::field::{Field, FieldKind, Table, field_at, words};
use crate::limits::shortened;
use crate::pointer;
use crate::pursuit::Pursuit;
use crate::record::{Question, QuestionType};
use crate::schema::{DiscoverySchema, EXHAUSTED_KEY};
use crate::slots::{Slot, open_columns};
use crate::tool_fields::ToolField;

/// Characters of an example or a value that a question quotes.
const QUOTED_CHARS: usize = 200;
/// Headings of columns that only inform.
pub(crate) const FACT_HEADINGS: [&str; 3] = ["type", "presence", "example"];

/// Words the question about a place.
pub(crate) fn question(schema: &DiscoverySchema, pursuit: &Pursuit, slot: &Slot, id: &str) -> Question {
    let field = field_at(&schema.fields, &slot.place);
    let top = pointer::top_key(&slot.place).unwrap_or_default();
    let label = label(&slot.place, field);
    let question_type = match field.map(|field| &field.kind) {
        Some(FieldKind::Table(_)) => QuestionType::Table,
        Some(FieldKind::Boolean | FieldKind::Choice { .. }) => QuestionType::Choice,
        _ => QuestionType::Text,
    };
    Question {
        question_id: id.to_owned(),
        text: text(pursuit, slot, field, &label),
        question_type,
        table_template: field.and_then(|field| template(pursuit, slot, field)),
        choices: field.map(choices).unwrap_or_default(),
        help_text: help(field, slot),
        rationale: rationale(slot, &label),
        expected_info: vec![top],
        place: slot.place.clone(),
        items: slot.items.clone(),
        is_review: slot.is_review,
        cost: schema.cost,
    }
}

/// Names a place for people: the key, and the item it is in.
fn label(place: &str, field: Option<&Field>) -> String {
    let segments = pointer::segments(place).unwrap_or_default();
    let last = segments.last().map_or_else(String::new, |key| words(key));
    let Some(field) = field else { return last };
    let own = pointer::segments(&field.pointer).map_or(0, |own| own.len());
    // Whatever precedes the field's own keys ends with the item that it is in.
    match segments.len().checked_sub(own + 1).and_then(|at| segments.get(at)) {
        Some(item) => format!("{} of {item}", field.label()),
        None if own > 1 => segments.iter().map(|key| words(key)).collect::<Vec<String>>().join(", "),
        None => last,
    }
}

/// Returns a comment without the values it names; they are the choices of the question.
fn prompt(comment: &str) -> &str {
    let lower = comment.to_ascii_lowercase();
    let end = ["one of:", "any of:"].iter().filter_map(|words| lower.find(words)).min();
    comment.get(..end.unwrap_or(comment.len())).unwrap_or_default().trim()
}

fn text(pursuit: &Pursuit, slot: &Slot, field: Option<&Field>, label: &str) -> String {
    let comment = field.map(|field| prompt(&field.comment)).unwrap_or_default();
    if slot.is_review {
        let known = pointer::get(pursuit.aggregate(), &slot.place).map_or_else(String::new, |value| {
            format!(" So far: {}", shortened(&value.to_string(), QUOTED_CHARS))
        });
        return format!("What has to be added to or changed in the {label}?{known}");
    }
    if !slot.items.is_empty() {
        let items = shortened(&slot.items.join(", "), QUOTED_CHARS);
        return format!("Some of the {label} are incomplete. Please fill in what is missing for: {items}.");
    }
    let first = match (comment.contains('?'), comment.is_empty()) {
        (true, _) => comment.to_owned(),
        (false, true) => format!("What is the {label}?"),
        (false, false) => format!("What is the {label}? {comment}"),
    };
    match slot.attempts {
        0 => first,
        1 => {
            let example =
                field.and_then(|field| example(&field.example)).map_or_else(String::new, |example| {
                    format!(" An answer for another case could be: {example}")
                });
            format!("Let me ask about the {label} in other words. {first}{example}")
        }
        _ => format!("The {label} is still open. A short answer helps, even a rough one. {first}"),
    }
}

fn example(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(shortened(text, QUOTED_CHARS)),
        Value::Bool(_) => None,
        Value::Array(items) if items.iter().all(Value::is_string) => {
            let texts: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            Some(shortened(&texts.join("; "), QUOTED_CHARS))
        }
        other => Some(shortened(&other.to_string(), QUOTED_CHARS)),
    }
}

fn choices(field: &Field) -> Vec<String> {
    match &field.kind {
        FieldKind::Boolean => vec!["yes".to_owned(), "no".to_owned()],
        FieldKind::Choice { values, .. } => values.clone(),
        _ => Vec::new(),
    }
}

fn help(field: Option<&Field>, slot: &Slot) -> String {
    let form = match field.map(|field| &field.kind) {
        None | Some(FieldKind::Structure) => "Answer as JSON in the form of the schema.",
        Some(FieldKind::Text) => "Answer in your own words.",
        Some(FieldKind::Number) => "Answer with a number.",
        Some(FieldKind::Boolean) => "Answer yes or no.",
        Some(FieldKind::Choice { is_many: false, .. }) => {
            "Answer with one of the values, or with its number."
        }
        Some(FieldKind::Choice { .. }) => {
            "Answer with the values that apply, or their numbers, separated by commas."
        }
        Some(FieldKind::List { .. }) => "Write one entry per line, or separate entries with semicolons.",
        Some(FieldKind::Quantity { .. }) => "Answer with a number and a unit, for example: 20 hours.",
        Some(FieldKind::Pairs { .. }) => "Write one entry per line, in the form: value = meaning.",
        Some(FieldKind::Table(_)) => {
            "Fill in one row per entry. Markdown, HTML, CSV and tab-separated tables are read. Leave a cell empty if \
             you do not know it. Separate several entries of a cell with semicolons."
        }
    };
    let top = pointer::top_key(&slot.place).unwrap_or_default();
    format!("{form} JSON in the form of the schema is read, too: an object with the key {top:?}.")
}

fn rationale(slot: &Slot, label: &str) -> String {
    let is_exhausted = slot.place == pointer::join("", EXHAUSTED_KEY);
    if is_exhausted {
        return "Every field has been asked for. This says whether the interview is done.".to_owned();
    }
    if slot.is_review {
        return format!("Something is said to be missing; the {label} was reviewed least often.");
    }
    if !slot.items.is_empty() {
        return format!("Required values are missing in {} entries.", slot.items.len());
    }
    match slot.attempts {
        0 => format!("The {label} is the next field that is not filled."),
        count => format!("The {label} was asked for {count} times without a usable answer."),
    }
}

/// Returns the table to fill in, as Markdown.
fn template(pursuit: &Pursuit, slot: &Slot, field: &Field) -> Option<String> {
    let FieldKind::Table(table) = &field.kind else { return None };
    let list = pointer::get(pursuit.aggregate(), &slot.place);
    if slot.items.is_empty() {
        let columns: Vec<&Field> = table.columns.iter().collect();
        return Some(markdown(&headings(&columns, false), &[Vec::new()]));
    }
    let columns = open_columns(table, list, &slot.items);
    let facts = pursuit.run().map(|record| record.run.facts.as_slice()).unwrap_or_default();
    let has_facts = !facts.is_empty() && table.id_key.is_some();
    let rows: Vec<Vec<String>> = slot.items.iter().map(|item| row(table, item, has_facts, facts)).collect();
    Some(markdown(&headings(&columns, has_facts), &rows))
}

fn row(table: &Table, item: &str, has_facts: bool, facts: &[ToolField]) -> Vec<String> {
    let mut cells = vec![if table.id_key.is_some() { item.to_owned() } else { String::new() }];
    if has_facts {
        match facts.iter().find(|fact| fact.path == item) {
            Some(fact) => cells.extend([fact.types.clone(), fact.presence.clone(), fact.example.clone()]),
            None => cells.extend([String::new(), String::new(), String::new()]),
        }
    }
    cells
}

fn headings(columns: &[&Field], has_facts: bool) -> Vec<String> {
    let mut headings: Vec<String> = columns.iter().map(|column| column.heading()).collect();
    if has_facts && !headings.is_empty() {
        for (at, heading) in FACT_HEADINGS.iter().enumerate() {
            headings.insert(at + 1, (*heading).to_owned());
        }
    }
    headings
}

fn markdown(headings: &[String], rows: &[Vec<String>]) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut table = line(headings.to_vec());
    table.push_str(&line(headings.iter().map(|_| "---".to_owned()).collect()));
    for row in rows {
        let cell = |at: usize| row.get(at).map(|cell| escaped(cell)).unwrap_or_default();
        table.push_str(&line((0..headings.len()).map(cell).collect()));
    }
    table
}

fn escaped(cell: &str) -> String {
    cell.replace('\\', "\\\\").replace('|', "\\|").replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn template_has_a_column_for_each_field_of_a_row() {
        let file = json!({"DS": {"DS-id": "a/b", "steps": {"val": [{"step-id": "x", "duration": {"units": "h",
            "value-string": "2"}, "resources": ["r"]}], "comment": "Which steps are there?"}}});
        let schema = crate::schema::read_schema(&file.to_string()).unwrap();
        let slot = crate::slots::next_slot(&schema, &Pursuit::new("a/b", None)).unwrap();
        let asked = question(&schema, &Pursuit::new("a/b", None), &slot, "q1");
        assert_eq!(asked.text, "Which steps are there?");
        assert_eq!(asked.question_type, QuestionType::Table);
        let template = asked.table_template.unwrap();
        assert_eq!(template, "| step-id | duration | resources |\n| --- | --- | --- |\n|  |  |  |\n");
    }

    #[test]
    fn prompt_leaves_out_the_choices() {
        assert_eq!(prompt("Which kind? One of: a, b."), "Which kind?");
        assert_eq!(prompt("Name."), "Name.");
    }
}
