//! The value that a call asks for by its name: `get {"key": "db_password"}` answers with nothing but the secret.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use schemascope_json::{Cursor, splice_text};
use schemascope_model::{Marker, Redacted};
use serde_json::Value;

use crate::keys::is_sensitive_key;

/// Longest arguments that are looked at, in bytes.
const MAX_ARGUMENTS: usize = 4_096;
/// Shortest and longest answer that is taken for a secret, in characters.
const LENGTHS: RangeInclusive<usize> = 4..=512;
/// Longest string that is unescaped to see whether it is one, in bytes.
const MAX_WRITTEN: usize = 8 * 512;
/// Arguments that name what is asked for.
const NAMING: &[&str] = &[
    "arg",
    "args",
    "env",
    "env_var",
    "field",
    "key",
    "key_name",
    "keys",
    "name",
    "names",
    "option",
    "parameter",
    "path",
    "property",
    "setting",
    "var",
    "variable",
    "variable_name",
];
/// Programs that print a variable, and those that keep secrets only.
const PRINTING: &[&str] = &["echo", "getenv", "printenv", "printf"];
const KEEPING: &[&str] = &["bw", "gopass", "op", "pass", "secret-tool"];
/// Answers that are no values: outcomes, and the types of what is stored.
const NO_VALUES: &[&str] = &[
    "true",
    "false",
    "null",
    "none",
    "undefined",
    "string",
    "hash",
    "list",
    "zset",
    "stream",
    "json",
    "integer",
    "number",
    "boolean",
    "object",
    "array",
    "missing",
    "absent",
    "deleted",
    "done",
    "success",
    "failed",
    "error",
];

/// Whether arguments ask for something by the name of a secret.
pub fn asks_for_secret(arguments: &str) -> bool {
    if arguments.len() > MAX_ARGUMENTS {
        return false;
    }
    let Ok(Value::Object(members)) = serde_json::from_str(arguments) else { return false };
    members.iter().any(|(argument, asked)| {
        let argument = argument.to_ascii_lowercase();
        let texts = || {
            let items = asked.as_array().into_iter().flatten();
            items.chain(asked.as_str().map(|_| asked)).filter_map(Value::as_str)
        };
        let names = |text: &str| text.rsplit([':', '/', '.']).next().is_some_and(is_sensitive_key);
        match argument.as_str() {
            "secret_id" | "secretid" | "secret_name" | "secretname" => texts().next().is_some(),
            "command" | "cmd" => texts().any(prints_secret),
            "sql" | "query" | "statement" => texts().any(selects_secret),
            argument => NAMING.contains(&argument) && texts().any(names),
        }
    })
}

/// Whether a command prints nothing but a secret: `printenv DB_PASSWORD`, `echo $GITHUB_TOKEN`, `pass show db`.
fn prints_secret(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let Some(program) = words.next().map(|program| program.rsplit('/').next().unwrap_or(program)) else {
        return false;
    };
    let is_secret = |word: &str| is_sensitive_key(word.trim_matches(['$', '{', '}', '"', '\'']));
    KEEPING.contains(&program) || PRINTING.contains(&program) && words.any(is_secret)
}

/// Whether a statement asks for a sensitive column: `select password from users where id = 1`.
fn selects_secret(statement: &str) -> bool {
    let lower = statement.trim_start().to_ascii_lowercase();
    let columns = lower.strip_prefix("select ").and_then(|rest| rest.split_once(" from "));
    let bare = |column: &str| {
        let name = column.trim().rsplit('.').next().unwrap_or_default();
        name.trim_matches(['"', '`', '[', ']']).to_owned()
    };
    columns.is_some_and(|(columns, _)| columns.split(',').any(|column| is_sensitive_key(&bare(column))))
}

/// A result without the value that was asked for, and the number of places where it stood; `None` if it is not one value
/// that stands alone.
pub fn without_answer(result: &str) -> Option<(String, u64)> {
    let (blocks, structured) = strings(result)?;
    // Of several strings in structured content, only the text says which is the answer.
    let only = if structured.len() == 1 { &structured[..] } else { &[] };
    let said = if blocks.is_empty() { only } else { &blocks };
    let values: BTreeSet<String> = said.iter().filter_map(|written| alone(written)).collect();
    let value = values.first().filter(|_| values.len() == 1)?;
    let marker = Value::from(Marker(Redacted::String(value.chars().count())).to_string()).to_string();
    let is_answer = |written: &&&str| alone(written).as_ref() == Some(value);
    let edit = |written: &&str| {
        // All strings are parts of the result.
        let start = written.as_ptr().addr() - result.as_ptr().addr();
        (start..start + written.len(), marker.as_str())
    };
    let mut edits: Vec<_> = blocks.iter().chain(&structured).filter(is_answer).map(edit).collect();
    let count = edits.len() as u64;
    Some((splice_text(result, &mut edits), count))
}

/// The texts of a result's blocks, and the strings of its structured content, as they are written.
fn strings(result: &str) -> Option<(Vec<&str>, Vec<&str>)> {
    let (mut blocks, mut structured) = (Vec::new(), Vec::new());
    Cursor::of(result).members(|key, cursor| match key {
        r#""content""# => texts(cursor, &mut blocks),
        r#""structuredContent""# if cursor.is_object() => cursor.members(|_, member| {
            if member.is_array() {
                return texts(member, &mut structured);
            }
            structured.extend(Some(member.value()?).filter(|value| value.starts_with('"')));
            Some(())
        }),
        r#""structuredContent""# => {
            structured.push(cursor.value()?);
            Some(())
        }
        _ => cursor.value().map(drop),
    })?;
    Some((blocks, structured))
}

/// The texts of content blocks.
fn texts<'r>(list: &mut Cursor<'r>, found: &mut Vec<&'r str>) -> Option<()> {
    if !list.is_array() {
        return list.value().map(drop);
    }
    list.items(|block| {
        if !block.is_object() {
            return block.value().map(drop);
        }
        block.members(|key, member| {
            let value = member.value()?;
            found.extend(Some(value).filter(|_| key == r#""text""#));
            Some(())
        })
    })
}

/// What a string says, if it is one value and nothing else.
fn alone(written: &str) -> Option<String> {
    let text: String =
        (written.len() <= MAX_WRITTEN).then(|| serde_json::from_str(written).ok()).flatten()?;
    let value = text.trim();
    let is_value = LENGTHS.contains(&value.chars().count())
        && !value.contains(char::is_whitespace)
        && !value.starts_with(['{', '['])
        && Redacted::of(value).is_none()
        && !NO_VALUES.contains(&&*value.to_ascii_lowercase());
    is_value.then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_in_arguments_that_name_something() {
        for arguments in [
            r#"{"key": "prod_db_password"}"#,
            r#"{"name": "user:1", "key": "password"}"#,
            r#"{"variable": "GITHUB_TOKEN"}"#,
            r#"{"Key": "app/api_key"}"#,
            r#"{"keys": ["db_password", "x"]}"#,
            r#"{"secret_id": "prod/db"}"#,
            r#"{"command": "printenv DB_PASSWORD"}"#,
            r#"{"command": "echo ${GITHUB_TOKEN}"}"#,
            r#"{"command": "pass show db"}"#,
            r#"{"sql": "SELECT u.password FROM users u"}"#,
        ] {
            assert!(asks_for_secret(arguments), "{arguments}");
        }
        for arguments in [
            r#"{"key": "user:1"}"#,
            r#"{"query": "password"}"#,
            r#"{"key": 7}"#,
            "[]",
            "{",
            r#"{"key": "next_page_token"}"#,
            r#"{"command": "grep password notes.txt"}"#,
            r#"{"sql": "SELECT name FROM users WHERE password = 'x'"}"#,
        ] {
            assert!(!asks_for_secret(arguments), "{arguments}");
        }
    }

    #[test]
    fn answer_that_stands_alone_is_replaced_wherever_it_is() {
        let marker = "\"⟦redacted string 7⟧\"";
        for (result, count) in [
            (
                r#"{"content":[{"type":"text","text":"hunter2"}],"structuredContent":{"result":"hunter2","n":1.0}}"#,
                2,
            ),
            (r#"{"content":[{"type":"text","text":"hunter2"}],"structuredContent":"hunter2"}"#, 2),
            (
                r#"{"content":[{"type":"text","text":"hunter2"}],"structuredContent":{"value":"hunter2","status":"found"}}"#,
                2,
            ),
            (r#"{"structuredContent":{"result":[{"type":"text","text":"hunter2"}]}}"#, 1),
        ] {
            let redacted = result.replace("\"hunter2\"", marker);
            assert_eq!(without_answer(result), Some((redacted.clone(), count)), "{result}");
            assert_eq!(without_answer(&redacted), None);
        }
        // However it is written.
        let (redacted, _) = without_answer(r#"{"content":[{"type":"text","text":"p\u0026ss\/w"}]}"#).unwrap();
        assert!(redacted.contains("⟦redacted string 6⟧") && !redacted.contains("0026"), "{redacted}");
        // Names of members and types of blocks are none.
        let (redacted, count) = without_answer(r#"{"content":[{"type":"text","text":"text"}]}"#).unwrap();
        assert_eq!(
            (redacted.as_str(), count),
            (r#"{"content":[{"type":"text","text":"⟦redacted string 4⟧"}]}"#, 1)
        );
    }

    #[test]
    fn what_is_not_one_value_stays() {
        for text in ["OK", "There is no such key.", "string", "None", r#"{\"a\":1}"#] {
            let result = format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#);
            assert_eq!(without_answer(&result), None, "{text}");
        }
        for result in [
            "{",
            "[]",
            r#"{"content":[{"type":"text","text":"first1"},{"type":"text","text":"second2"}]}"#,
            r#"{"structuredContent":{"name":"password_hash","type":"varchar"}}"#,
        ] {
            assert_eq!(without_answer(result), None, "{result}");
        }
    }
}
