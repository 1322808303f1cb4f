//! The input schema of a tool.

use serde_json::{Map, Value, json};

use super::STDIN;
use super::argv::can_replace;
use super::offer::Tool;
use crate::definition::{OptionDefinition, Positional, Value as Takes, ValueType};
use crate::effects::Effect;

/// Longest description of a property, in characters.
const MAX_DESCRIPTION: usize = 500;
/// Most occurrences of an option without a value: `-vvv`.
pub(super) const MAX_COUNT: u64 = 10;

impl Tool {
    /// A JSON Schema 2020-12 of the arguments.
    pub fn input_schema(&self) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for positional in self.positionals.iter().filter(|positional| positional.withheld.is_none()) {
            properties.insert(positional.property.clone(), of_positional(&positional.part));
            let can_be_replaced = || {
                let mut offered = self.options.iter().filter(|option| option.withheld.is_none());
                offered.any(|option| can_replace(&option.part, &positional.part))
            };
            if positional.part.required && !can_be_replaced() {
                required.push(Value::from(positional.property.clone()));
            }
        }
        for option in self.options.iter().filter(|option| option.withheld.is_none()) {
            properties.insert(option.property.clone(), of_option(&option.part));
            if option.part.required {
                required.push(Value::from(option.property.clone()));
            }
        }
        if self.reads_stdin {
            let about = json!({"type": "string", "description": "Text for the program's standard input."});
            properties.insert(STDIN.to_owned(), about);
        }
        let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
        if !required.is_empty() {
            schema["required"] = required.into();
        }
        schema
    }
}

fn of_positional(positional: &Positional) -> Value {
    let one = with_choices("string", &positional.choices);
    let mut schema = match positional.repeated {
        true => json!({"type": "array", "items": one, "minItems": usize::from(positional.required)}),
        false => one,
    };
    describe(&mut schema, &positional.description, &positional.effects, None);
    schema
}

fn of_option(option: &OptionDefinition) -> Value {
    let one = || with_choices(json_type(option.kind), &option.choices);
    let mut schema = match option.value {
        Takes::None if option.repeated => json!({"type": "integer", "minimum": 0, "maximum": MAX_COUNT}),
        Takes::None => json!({"type": "boolean"}),
        Takes::Required if option.value_count > 1 => {
            let row = json!({"type": "array", "items": {"type": "string"}, "minItems": option.value_count, "maxItems": option.value_count});
            match option.repeated {
                true => json!({"type": "array", "items": row}),
                false => row,
            }
        }
        Takes::Required if option.list => json!({"type": "array", "items": one(), "minItems": 1}),
        _ if option.list => json!({"type": "array", "items": one()}),
        Takes::Required if option.repeated => json!({"type": "array", "items": one()}),
        Takes::Required => one(),
        Takes::Optional if option.kind == ValueType::Boolean => json!({"type": "boolean"}),
        // Alone or with a value.
        Takes::Optional | Takes::Unknown => json!({"anyOf": [{"type": "boolean"}, one()]}),
    };
    describe(&mut schema, &option.description, &option.effects, Some(option));
    schema
}

fn json_type(kind: ValueType) -> &'static str {
    match kind {
        ValueType::Integer => "integer",
        ValueType::Number => "number",
        ValueType::Boolean => "boolean",
        ValueType::String | ValueType::Path => "string",
    }
}

fn with_choices(kind: &str, choices: &[String]) -> Value {
    match choices {
        [] => json!({"type": kind}),
        choices => json!({"enum": choices}),
    }
}

fn describe(schema: &mut Value, says: &str, effects: &[Effect], option: Option<&OptionDefinition>) {
    let mut text = option.map(|option| option.flags.join(", ")).unwrap_or_default();
    let name = option.map(|option| option.value_name.as_str()).unwrap_or_default();
    if !name.is_empty() {
        text = format!("{text} {name}");
    }
    if !says.is_empty() {
        text = if text.is_empty() { says.to_owned() } else { format!("{text}: {says}") };
    }
    if !effects.is_empty() {
        let words: Vec<&str> = effects.iter().map(|effect| effect.words()).collect();
        text = format!("{text} ({})", words.join(", "));
    }
    if !text.is_empty() {
        let cut: String = text.chars().take(MAX_DESCRIPTION).collect();
        schema["description"] = cut.into();
    }
    let default = option.and_then(|option| option.default.clone().zip(Some(option.kind)));
    if let Some((default, kind)) = default {
        let value = match kind {
            ValueType::Integer => default.parse::<i64>().ok().map(Value::from),
            ValueType::Number => default.parse::<f64>().ok().map(Value::from),
            ValueType::Boolean => None,
            ValueType::String | ValueType::Path => Some(Value::from(default)),
        };
        let fits = value.as_ref().is_some_and(|value| {
            schema.get("enum").and_then(Value::as_array).is_none_or(|choices| choices.contains(value))
        });
        // Of several values or none, the text's default says little.
        let is_one = schema.get("type").is_some_and(|kind| kind != "array" && kind != "boolean");
        if fits && (is_one || schema.get("enum").is_some()) {
            schema["default"] = value.unwrap_or_default();
        }
    }
}
