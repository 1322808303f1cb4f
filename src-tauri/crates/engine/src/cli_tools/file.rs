//! The file `ai-tools.json`. What Schemascope does not know in it stays as it is.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::entry::{CliEntry, Confine};
use super::list_edit::with_list;
use crate::files;

/// Name of the file in the data directory.
pub const FILE: &str = "ai-tools.json";
/// Most entries that are used.
const MAX_ENTRIES: usize = 500;

/// Why the file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// It cannot be read or written.
    #[error("{0}")]
    Io(String),
    /// It is no JSON, or has another form.
    #[error("{0}")]
    Form(String),
}

/// An entry of the file, or why it cannot be used.
pub(crate) type Read = Result<CliEntry, (String, String)>;

/// Reads the file. None if there is no file. An entry that cannot be used hides no other.
pub(crate) fn read(path: &Path) -> Result<Vec<Read>, FileError> {
    let Some(document) = document(path)? else { return Ok(Vec::new()) };
    entries(&document)
}

pub(crate) fn entries(document: &Value) -> Result<Vec<Read>, FileError> {
    let tools = match document.get("tools") {
        None => {
            return Err(FileError::Form(
                "has no \"tools\"; expected {\"version\": \"1.0\", \"tools\": [{\"command\": \"…\"}]}".into(),
            ));
        }
        Some(Value::Array(tools)) => tools,
        Some(_) => {
            return Err(FileError::Form("\"tools\" has to be an array of {\"command\": \"…\"}".into()));
        }
    };
    let mut read: Vec<Read> = Vec::new();
    for (at, tool) in tools.iter().take(MAX_ENTRIES).enumerate() {
        read.push(entry(tool).map_err(|problem| (name_of(tool, at), problem)));
    }
    Ok(read)
}

fn entry(tool: &Value) -> Result<CliEntry, String> {
    let mut entry: CliEntry =
        serde_json::from_value(tool.clone()).map_err(|error| wrong_form(tool, &error.to_string()))?;
    entry.complete();
    Ok(entry)
}

/// Says which key of an entry has a wrong value.
fn wrong_form(tool: &Value, error: &str) -> String {
    let Some(members) = tool.as_object() else {
        return "it has to be an object, such as {\"command\": \"jq\"}".to_owned();
    };
    let problem = |(key, value): (&String, &Value)| {
        let alone = match key.as_str() {
            "command" => serde_json::json!({"command": value}),
            _ => serde_json::json!({"command": "x", key: value}),
        };
        let error = serde_json::from_value::<CliEntry>(alone).err()?;
        Some(format!("{key:?}: {}", without_values(&error.to_string())))
    };
    members.iter().find_map(problem).unwrap_or_else(|| without_values(error))
}

/// An error of serde without the value that it quotes, which may be a secret: ``invalid type: integer `4711`, expected …``.
fn without_values(error: &str) -> String {
    let Some((before, rest)) =
        error.split_once("invalid type: ").or_else(|| error.split_once("invalid value: "))
    else {
        return error.to_owned();
    };
    let kind = match rest.split([' ', ',']).next().unwrap_or_default() {
        "integer" | "floating" => "number",
        "sequence" => "list",
        "map" => "object",
        "unit" => "null",
        other => other,
    };
    let expected = rest.rsplit_once(", expected ").map_or("something else", |(_, expected)| expected);
    let expected = match expected {
        "u64" | "u32" | "usize" | "u16" => "a whole number, 0 or more,",
        "a sequence" => "a list",
        "a map" => "an object",
        "a boolean" => "true or false",
        other => other,
    };
    format!("{before}it is a {kind} where {expected} is expected")
}

fn name_of(tool: &Value, at: usize) -> String {
    let text = |key: &str| tool.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    text("alias").or_else(|| text("command")).map_or_else(|| format!("entry {}", at + 1), str::to_owned)
}

fn document(path: &Path) -> Result<Option<Value>, FileError> {
    let text = files::read_text(path).map_err(|error| FileError::Io(format!("cannot be read: {error}")))?;
    let Some(text) = text else { return Ok(None) };
    let text = text.trim_start_matches('\u{feff}');
    let document: Value = serde_json::from_str(text).map_err(|error| {
        FileError::Form(format!(
            "is not valid JSON: line {}, column {}: {error}",
            error.line(),
            error.column()
        ))
    })?;
    if document.is_object() {
        Ok(Some(document))
    } else {
        Err(FileError::Form("has to be a JSON object".into()))
    }
}

/// Adds an entry, or replaces the one of the same alias. Everything else stays.
pub(crate) fn put(path: &Path, entry: &CliEntry) -> Result<(), FileError> {
    edit(path, |tools| {
        let Ok(Value::Object(new)) = serde_json::to_value(entry) else { return };
        match tools.iter_mut().find(|tool| alias_of(tool) == entry.alias) {
            Some(Value::Object(known)) => {
                // Keys of ours that are gone are defaults now; unknown ones stay.
                let ours: Map<String, Value> = new;
                let all = serde_json::to_value(full()).ok();
                let is_ours = |key: &String| all.as_ref().is_some_and(|all| all.get(key).is_some());
                known.retain(|key, _| !is_ours(key) || ours.contains_key(key));
                known.extend(ours);
            }
            _ => tools.push(Value::Object(new)),
        }
    })
}

/// An entry with every key, to know which keys are ours.
fn full() -> CliEntry {
    CliEntry {
        description: Some(String::new()),
        system_prompt: Some(String::new()),
        provider_type: Some(String::new()),
        definition: Some(schemascope_helptext::Definition::default()),
        default_args: [("x".to_owned(), Value::Null)].into_iter().collect(),
        args: vec![String::new()],
        env: [(String::new(), String::new())].into(),
        cwd: Some("/".into()),
        subcommands: vec![String::new()],
        allow: [String::new()].into(),
        interpreter: true,
        roots: vec!["/".into()],
        confine: Some(Confine::WherePossible(true)),
        network: Some(true),
        timeout_seconds: Some(1),
        max_output_bytes: Some(1),
        max_memory_bytes: Some(1),
        max_file_bytes: Some(1),
        concurrency: Some(1),
        ok_exit_codes: vec![0],
        // As they are left out where they say nothing.
        command: String::new(),
        alias: String::new(),
        enabled: false,
    }
}

/// Removes the entry of an alias. Whether there was one.
pub(crate) fn remove(path: &Path, alias: &str) -> Result<bool, FileError> {
    let mut had = false;
    edit(path, |tools| {
        let before = tools.len();
        tools.retain(|tool| alias_of(tool) != alias);
        had = tools.len() < before;
    })?;
    Ok(had)
}

/// The alias of an entry, also of one that cannot be used.
fn alias_of(tool: &Value) -> String {
    let text = |key: &str| tool.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let written = || match (text("alias"), text("command")) {
        (Some(alias), _) => alias.to_owned(),
        (None, Some(command)) => CliEntry::of_command(command).alias,
        (None, None) => String::new(),
    };
    entry(tool).map_or_else(|_| written(), |entry| entry.alias)
}

fn edit(path: &Path, change: impl FnOnce(&mut Vec<Value>)) -> Result<(), FileError> {
    let mut document = document(path)?.unwrap_or_else(|| json!({"version": "1.0", "tools": []}));
    let before = document.clone();
    // Checks the form before anything is written.
    entries(&document)?;
    if let Some(Value::Array(tools)) = document.get_mut("tools") {
        change(tools);
    }
    if document == before {
        return Ok(());
    }
    let text = match rewritten(path, &before, &document) {
        Some(text) => text,
        None => {
            serde_json::to_string_pretty(&document).map_err(|error| FileError::Form(error.to_string()))?
                + "\n"
        }
    };
    files::replace(path, &text).map_err(|error| FileError::Io(format!("cannot be written: {error}")))
}

/// The text of the file with another list of entries. `None` if there is no file.
fn rewritten(path: &Path, before: &Value, after: &Value) -> Option<String> {
    let text = files::read_text(path).ok().flatten()?;
    let bare = text.trim_start_matches('\u{feff}');
    let list = |document: &Value| document.get("tools").and_then(Value::as_array).cloned();
    let new = with_list(bare, "tools", &list(before)?, &list(after)?)?;
    let mark = &text[..text.len() - bare.len()];
    // What was written must be what is meant.
    let is_meant = serde_json::from_str::<Value>(&new).is_ok_and(|read| read == *after);
    is_meant.then(|| format!("{mark}{new}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_one_by_one() {
        let document = json!({"version": "1.0", "tools": [
            {"command": "git", "alias": "repo", "subcommands": ["log"], "okExitCodes": [0, 1], "mine": 1},
            {"command": 3}, {"alias": "x"}, {"command": "ls", "enabled": false},
        ], "security": {}});
        let read = entries(&document).unwrap();
        assert_eq!(read[0].as_ref().unwrap().alias, "repo");
        assert_eq!(read[1].as_ref().unwrap_err().0, "entry 2");
        assert!(read[2].as_ref().unwrap_err().1.contains("command"));
        assert_eq!(read[3].as_ref().unwrap().alias, "ask-ls");
        assert!(entries(&json!({})).is_err() && entries(&json!({"tools": {}})).is_err());
    }

    #[test]
    fn edits_keep_what_is_not_ours() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join(FILE);
        std::fs::write(&path, r#"{"tools": [{"command": "git", "alias": "repo", "mine": 1, "args": ["-P"]}], "security": {"x": 1}}"#).unwrap();
        let mut entry = CliEntry::of_command("git");
        entry.alias = "repo".into();
        entry.timeout_seconds = Some(5);
        put(&path, &entry).unwrap();
        put(&path, &CliEntry::of_command("ls")).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            document["tools"][0],
            json!({"command": "git", "alias": "repo", "mine": 1, "timeoutSeconds": 5})
        );
        assert_eq!(document["security"]["x"], 1);
        // A limit that is not given any more is the usual one, and an entry that cannot be used can be replaced.
        let limited = CliEntry { max_memory_bytes: Some(1 << 26), ..CliEntry::of_command("ls") };
        put(&path, &limited).unwrap();
        put(&path, &CliEntry::of_command("ls")).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replace("\"ask-ls\"", "\"ask-ls\", \"timeoutSeconds\": \"20\"")).unwrap();
        put(&path, &CliEntry::of_command("ls")).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains("maxMemoryBytes") && !text.contains("\"20\""), "{text}");
        assert_eq!(text.matches("ask-ls").count(), 1, "{text}");
        assert!(remove(&path, "repo").unwrap() && !remove(&path, "repo").unwrap());
        assert_eq!(read(&path).unwrap().len(), 1);
        std::fs::write(&path, "{\"tools\": [\n  oops]}").unwrap();
        let problem = put(&path, &entry).unwrap_err().to_string();
        assert!(problem.contains("line 2, column 3"), "{problem}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"tools\": [\n  oops]}");
    }
}
