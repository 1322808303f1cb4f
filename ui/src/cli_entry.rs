//! Entries of `ai-tools.json` as a form collects them, and the parameters they offer.

use std::collections::BTreeSet;

use schemascope_api::CliParameter;
use serde_json::{Map, Value};

use crate::wire;

/// Reason for which a parameter is withheld that a person can overrule.
pub const RUNS_PROGRAMS: &str = "runs programs";

/// An entry that is being filled in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Draft {
    /// Name of the program in PATH, or its path.
    pub command: String,
    /// The only subcommand to offer; all if empty.
    pub subcommand: String,
    /// Name of the server; that of [`default_alias`] if empty.
    pub alias: String,
    /// What the tool is for; what its help says if empty.
    pub description: String,
    /// Flags that are offered although they run programs.
    pub allow: BTreeSet<String>,
    /// Time limit of a call in seconds; the usual one if empty.
    pub timeout: String,
    /// Folders in which paths must lie, one per line.
    pub roots: String,
}

impl Draft {
    /// The entry without the keys that were left empty, or what is wrong with it.
    pub fn entry(&self) -> Result<Map<String, Value>, String> {
        let text = |text: &str| Some(text.trim()).filter(|text| !text.is_empty()).map(Value::from);
        let list = |items: Vec<String>| (!items.is_empty()).then(|| Value::from(items));
        let words = self.subcommand.split_whitespace().collect::<Vec<_>>().join(" ");
        let keys = [
            ("command", text(&self.command)),
            ("alias", text(&self.alias)),
            ("description", text(&self.description)),
            ("subcommands", list(lines(&words))),
            ("allow", list(self.allow.iter().cloned().collect())),
            ("roots", list(lines(&self.roots))),
            ("timeoutSeconds", seconds(&self.timeout)?),
        ];
        let mut entry = Map::new();
        for (key, value) in keys {
            if let Some(value) = value {
                entry.insert(key.to_owned(), value);
            }
        }
        Ok(entry)
    }
}

fn seconds(text: &str) -> Result<Option<Value>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let number: Result<u64, _> = text.trim().parse();
    number.map(|number| Some(number.into())).map_err(|_| {
        format!("the time limit is {:?}; enter a whole number of seconds, or nothing", text.trim())
    })
}

/// Lines with text.
fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// The alias of an entry that names none, as the engine makes it.
pub fn default_alias(command: &str) -> String {
    let name = command.trim().rsplit(['/', '\\']).next().unwrap_or_default();
    if name.is_empty() {
        return "ask-PROGRAM".to_owned();
    }
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') { c } else { '-' };
    format!("ask-{}", name.chars().map(plain).collect::<String>())
}

/// The arguments of a call, as JSON; none if the text is empty.
pub fn arguments(text: &str) -> Result<Map<String, Value>, String> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    wire::read(text).map_err(|error| format!("the arguments are not a JSON object: {error}"))
}

/// Why a parameter is withheld, without the advice for the terminal.
pub fn withheld(parameter: &CliParameter) -> Option<&str> {
    let reason = parameter.withheld.as_deref()?;
    Some(reason.split(';').next().unwrap_or(reason).trim())
}

/// The name under which a parameter is allowed: its long flag if it has one, else its first spelling.
pub fn allow_name(parameter: &CliParameter) -> &str {
    let flags = &parameter.flags;
    let long = flags.iter().find(|flag| flag.starts_with("--") && !flag.starts_with("--no-"));
    long.or_else(|| flags.first()).unwrap_or(&parameter.property)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parameter(flags: &[&str], withheld: Option<&str>) -> CliParameter {
        CliParameter {
            property: "p".into(),
            flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
            value_name: String::new(),
            description: String::new(),
            effects: Vec::new(),
            withheld: withheld.map(str::to_owned),
        }
    }

    #[test]
    fn entry_contains_what_was_filled_in() {
        let draft = Draft { command: " sort ".into(), ..Draft::default() };
        assert_eq!(Value::from(draft.entry().unwrap()), json!({"command": "sort"}));
        let full = Draft {
            subcommand: " remote  add ".into(),
            alias: "s".into(),
            description: "Sorts".into(),
            allow: ["--compress-program".to_owned()].into(),
            timeout: " 30 ".into(),
            roots: "/a\n\n /b \n".into(),
            ..draft.clone()
        };
        let expected = json!({
            "command": "sort", "alias": "s", "description": "Sorts", "subcommands": ["remote add"],
            "allow": ["--compress-program"], "roots": ["/a", "/b"], "timeoutSeconds": 30,
        });
        assert_eq!(Value::from(full.entry().unwrap()), expected);
        let wrong = Draft { timeout: "soon".into(), ..draft };
        assert!(wrong.entry().unwrap_err().contains("whole number"));
    }

    #[test]
    fn alias_follows_the_program() {
        assert_eq!(default_alias("/usr/bin/qwen"), "ask-qwen");
        assert_eq!(default_alias("g++"), "ask-g--");
        assert_eq!(default_alias(" "), "ask-PROGRAM");
    }

    #[test]
    fn arguments_must_be_an_object() {
        assert!(arguments(" ").unwrap().is_empty());
        assert_eq!(Value::from(arguments(r#"{"reverse": true}"#).unwrap()), json!({"reverse": true}));
        assert!(arguments("[1]").unwrap_err().contains("JSON object"));
    }

    #[test]
    fn withheld_parameter_is_allowed_by_its_long_flag() {
        let runs = parameter(&["-e", "--rsh"], Some("runs programs; allow it with --allow FLAG"));
        assert_eq!(withheld(&runs), Some(RUNS_PROGRAMS));
        assert_eq!(allow_name(&runs), "--rsh");
        assert_eq!(allow_name(&parameter(&["-x", "--no-x"], None)), "-x");
        assert_eq!(allow_name(&parameter(&[], None)), "p");
        assert_eq!(withheld(&parameter(&["-h"], Some("needs a terminal"))), Some("needs a terminal"));
    }
}
