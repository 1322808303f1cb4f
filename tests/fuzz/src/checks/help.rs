//! Whatever a help text says: reading it ends, its definition is bounded and consistent, and no value of a call becomes
//! an option.

use std::collections::BTreeSet;

use schemascope_helptext::{Policy, Tool, read};
use serde_json::{Map, Value, json};

use crate::counts::Tried;

/// Most options of a definition.
const MAX_OPTIONS: usize = 2_000;

/// Checks a help text. Its first line is the command, its last one a value for every argument.
pub fn help(bytes: &[u8]) -> Result<Tried, String> {
    let text = String::from_utf8_lossy(bytes);
    let (command, rest) = text.split_once('\n').unwrap_or(("", &text));
    let value = rest.lines().next_back().unwrap_or_default();
    let definition = read(rest, command);
    if definition.options.len() > MAX_OPTIONS {
        return Err(format!("{} options", definition.options.len()));
    }
    let mut seen = BTreeSet::new();
    for option in &definition.options {
        if option.flags.is_empty() || !seen.insert(&option.property) {
            return Err(format!("{:?} is without flags or duplicated", option.property));
        }
        if !option
            .flags
            .iter()
            .chain(&option.negated)
            .all(|flag| flag.starts_with(['-', '+']) && flag.len() > 1)
        {
            return Err(format!("{:?} {:?} are no flags", option.flags, option.negated));
        }
    }
    let text = serde_json::to_string(&definition).map_err(|error| error.to_string())?;
    if serde_json::from_str(&text).ok().as_ref() != Some(&definition) {
        return Err("the definition is not the same after it was written and read".to_owned());
    }
    let policy = Policy { interpreter: true, ..Policy::default() };
    let flags = definition.options.iter().flat_map(|option| option.flags.iter().chain(&option.negated));
    let has_plus = flags.into_iter().any(|flag| flag.starts_with('+'));
    let tool = Tool::new(definition, &policy);
    let schema = tool.input_schema();
    let Some(properties) = schema["properties"].as_object() else { return Err("no properties".to_owned()) };
    let arguments: Map<String, Value> = properties
        .iter()
        .map(|(name, schema)| {
            let is_list = schema["type"] == "array";
            (name.clone(), if is_list { json!([value]) } else { json!(value) })
        })
        .collect();
    // One at a time: most of them are rejected for one reason or another.
    let mut refused = 0;
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for name in properties.keys() {
        let given = arguments.iter().filter(|(key, _)| *key == name || required.contains(&key.as_str()));
        let given: Map<String, Value> = given.map(|(key, value)| (key.clone(), value.clone())).collect();
        match tool.invocation(&given) {
            Ok(made) => check(&made.arguments, value, has_plus)?,
            Err(_) => refused += 1,
        }
    }
    Ok(Tried { documents: 1, refused })
}

/// A value that begins with `-` stands behind `--`, or in one word with its flag. So does one with `+`, if there are
/// options with it.
fn check(arguments: &[String], value: &str, has_plus: bool) -> Result<(), String> {
    if has_plus && value.starts_with('+') && arguments.iter().filter(|word| *word == value).count() > 1 {
        return Err(format!("{value:?} became an option: {arguments:?}"));
    }
    let is_option = value.len() > 1 && value.starts_with('-');
    let end = arguments.iter().position(|word| word == "--").unwrap_or(arguments.len());
    let before = arguments.get(..end).unwrap_or_default();
    if is_option && value != "--" && before.iter().any(|word| word == value) {
        // A flag of the text itself can have the same spelling as the value.
        let count = before.iter().filter(|word| *word == value).count();
        if count > 1 || before.len() > 1 && before.last().is_some_and(|word| word == value) {
            return Err(format!("{value:?} became an option: {arguments:?}"));
        }
    }
    Ok(())
}
