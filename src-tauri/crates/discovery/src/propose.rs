//! Proposals for the file: tools that their server declares to be read-only, with arguments that worked before.

use schemascope_model::Redacted;
use serde_json::{Map, Value};

/// A tool as its server lists it.
#[derive(Debug, Clone, Copy)]
pub struct Listed<'a> {
    /// Its object in `tools/list`.
    pub definition: &'a str,
    /// Arguments of previous calls that succeeded, newest first.
    pub earlier: &'a [String],
}

/// What a server declares of a tool, and arguments for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proposal {
    /// Arguments of the newest earlier call that can be repeated.
    Earlier(String),
    /// The tool needs no arguments.
    NoArguments,
    /// The tool is declared to be read-only, but needs arguments that no earlier call shows.
    UnknownArguments,
}

/// Longest arguments that are proposed, in bytes.
const MAX_ARGUMENTS: usize = 16 << 10;

/// What is proposed for a tool: nothing, unless its server declares that the tool only reads and is not destructive.
/// `fits` checks arguments against the tool's input schema.
pub fn propose(tool: Listed<'_>, fits: impl Fn(&str) -> bool) -> Option<Proposal> {
    let definition: Value = serde_json::from_str(tool.definition).ok()?;
    let hint = |name: &str| definition["annotations"][name].as_bool();
    if hint("readOnlyHint") != Some(true) || hint("destructiveHint") == Some(true) {
        return None;
    }
    let repeatable = tool.earlier.iter().find(|arguments| is_repeatable(arguments) && fits(arguments));
    Some(match repeatable {
        Some(arguments) => Proposal::Earlier(arguments.clone()),
        None if fits("{}") => Proposal::NoArguments,
        None => Proposal::UnknownArguments,
    })
}

/// Whether a tool's definition says that the tool may destroy something.
pub fn is_destructive(definition: &str) -> bool {
    let definition: Map<String, Value> = serde_json::from_str(definition).unwrap_or_default();
    definition.get("annotations").and_then(|hints| hints["destructiveHint"].as_bool()) == Some(true)
}

/// Whether stored arguments are those that were sent: values that were redacted are lost.
fn is_repeatable(arguments: &str) -> bool {
    arguments.len() <= MAX_ARGUMENTS
        && serde_json::from_str(arguments).is_ok_and(|value: Value| value.is_object() && !has_marker(&value))
}

/// The depth is bounded by what serde_json reads (128 levels).
fn has_marker(value: &Value) -> bool {
    match value {
        Value::String(text) => Redacted::of(text).is_some(),
        Value::Array(items) => items.iter().any(has_marker),
        Value::Object(members) => {
            members.iter().any(|(key, value)| Redacted::of(key).is_some() || has_marker(value))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposed(annotations: &str, earlier: &[&str], fits: impl Fn(&str) -> bool) -> Option<Proposal> {
        let definition = format!("{{\"name\": \"get_all_and_read\", \"annotations\": {annotations}}}");
        let earlier: Vec<String> = earlier.iter().map(|one| (*one).to_owned()).collect();
        propose(Listed { definition: &definition, earlier: &earlier }, fits)
    }

    #[test]
    fn only_declared_read_only_tools_are_proposed() {
        let any = |_: &str| true;
        for annotations in [
            "null",
            "{}",
            "{\"readOnlyHint\": false}",
            "{\"readOnlyHint\": \"true\"}",
            "{\"readOnlyHint\": true, \"destructiveHint\": true}",
            "[]",
        ] {
            assert_eq!(proposed(annotations, &["{}"], any), None, "{annotations}");
        }
        let declared = "{\"readOnlyHint\": true, \"destructiveHint\": false}";
        assert_eq!(proposed(declared, &[], any), Some(Proposal::NoArguments));
    }

    #[test]
    fn newest_arguments_that_were_not_redacted_are_proposed() {
        let declared = "{\"readOnlyHint\": true}";
        let has_path = |arguments: &str| arguments.contains("\"path\"");
        let earlier = [
            "{\"path\": \"⟦redacted string 8⟧\"}",
            "{\"path\": [\"a ⟦redacted string 2⟧ b\"]}",
            "{\"other\": 1}",
            "not JSON",
            "{\"path\": \"a\"}",
            "{\"path\": \"b\"}",
        ];
        let found = proposed(declared, &earlier, has_path);
        assert_eq!(found, Some(Proposal::Earlier("{\"path\": \"a\"}".into())));
        assert_eq!(proposed(declared, &earlier[..4], has_path), Some(Proposal::UnknownArguments));
    }

    #[test]
    fn destructive_tools_are_those_that_say_so() {
        assert!(is_destructive("{\"annotations\": {\"destructiveHint\": true}}"));
        for definition in
            ["{}", "{\"annotations\": {\"destructiveHint\": false}}", "{\"annotations\": 1}", "["]
        {
            assert!(!is_destructive(definition), "{definition}");
        }
    }
}
