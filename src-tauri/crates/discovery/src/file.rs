//! Reading the file with the places of its entries, and adding entries to its text.

use schemascope_json::jsonc::{self, Node, Object, ObjectProp, Ranged as _};
use serde_json::Value;

/// A tool that may be called, with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SafeTool {
    /// The server, as in `mcp.json`.
    pub server: String,
    /// The tool, by its name at the server.
    pub tool: String,
    /// The arguments: a JSON object whose numbers are written as in the file.
    pub arguments: String,
    /// Line of the server's name, from 1.
    pub server_line: usize,
    /// Line of the tool's name, from 1.
    pub line: usize,
}

/// Why a file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {reason}")]
pub struct Problem {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// The problem.
    pub reason: String,
}

/// Levels of objects and arrays in arguments; calls with more cannot be checked.
const MAX_LEVELS: usize = 100;

/// Reads the entries of a file, in its order. Keys that are not known are ignored.
pub fn parse(text: &str) -> Result<Vec<SafeTool>, Problem> {
    let text = text.trim_start_matches('\u{feff}');
    let tree = jsonc::parse(text).map_err(|error| Problem {
        line: error.line,
        column: error.column,
        reason: error.reason,
    })?;
    let source = Source(text);
    let Some(root) = &tree.root else {
        return Err(source.problem(0, "the file is empty; expected {\"servers\": {…}}"));
    };
    let mut tools = Vec::new();
    let Some(servers) = source.member(source.object(root, "the file")?, "servers")? else {
        return Ok(tools);
    };
    let servers = source.object(&servers.value, "\"servers\"")?;
    source.distinct(servers)?;
    for server in &servers.properties {
        let entry = source.object(&server.value, "a server's entry")?;
        let Some(safe) = source.member(entry, "safeTools")? else { continue };
        let safe = source.object(&safe.value, "\"safeTools\"")?;
        source.distinct(safe)?;
        for tool in &safe.properties {
            source.object(&tool.value, "a tool's arguments")?;
            let mut arguments = String::new();
            source.write(&tool.value, &mut arguments, 0)?;
            tools.push(SafeTool {
                server: server.name.as_str().to_owned(),
                tool: tool.name.as_str().to_owned(),
                arguments,
                server_line: source.place(server.start()).0,
                line: source.place(tool.start()).0,
            });
        }
    }
    Ok(tools)
}

/// Adds an entry to a file's text, or replaces the one of the same tool. Everything else stays byte for byte.
pub fn add(text: &str, server: &str, tool: &str, arguments: Value) -> Result<String, Problem> {
    // Places are reported for what the edit below would reject.
    parse(text)?;
    let (mark, text) = text.split_at(text.len() - text.trim_start_matches('\u{feff}').len());
    let path = ["servers", server, "safeTools"];
    let added = schemascope_overrides::set_members(text, &path, vec![(tool, arguments)])
        .map_err(|problem| Problem { line: 1, column: 1, reason: problem.to_string() })?;
    Ok(format!("{mark}{added}"))
}

/// A text, for the places of what is in it.
struct Source<'t>(&'t str);

impl Source<'_> {
    /// Line and column of a byte offset, from 1.
    fn place(&self, at: usize) -> (usize, usize) {
        let before = &self.0[..at.min(self.0.len())];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (1 + before.matches('\n').count(), 1 + before[line_start..].chars().count())
    }

    fn problem(&self, at: usize, reason: impl Into<String>) -> Problem {
        let (line, column) = self.place(at);
        Problem { line, column, reason: reason.into() }
    }

    fn object<'n>(&self, node: &'n Node<'n>, what: &str) -> Result<&'n Object<'n>, Problem> {
        node.as_object().ok_or_else(|| self.problem(node.start(), format!("{what} must be an object")))
    }

    /// The member with a key, which must not occur twice.
    fn member<'n>(&self, object: &'n Object<'n>, key: &str) -> Result<Option<&'n ObjectProp<'n>>, Problem> {
        let mut members = object.properties.iter().filter(|property| property.name.as_str() == key);
        let first = members.next();
        match members.next() {
            Some(second) => Err(self.duplicate(second)),
            None => Ok(first),
        }
    }

    fn distinct(&self, object: &Object<'_>) -> Result<(), Problem> {
        let mut names = std::collections::BTreeSet::new();
        let twice = object.properties.iter().find(|property| !names.insert(property.name.as_str()));
        twice.map_or(Ok(()), |property| Err(self.duplicate(property)))
    }

    fn duplicate(&self, property: &ObjectProp<'_>) -> Problem {
        let name = property.name.as_str();
        self.problem(property.start(), format!("{name:?} is duplicated; remove one of the two"))
    }

    /// Writes a value as JSON without comments. Numbers stay as they are written.
    fn write(&self, node: &Node<'_>, out: &mut String, levels: usize) -> Result<(), Problem> {
        if levels > MAX_LEVELS {
            return Err(self.problem(node.start(), format!("arguments have at most {MAX_LEVELS} levels")));
        }
        match node {
            Node::NullKeyword(_) => out.push_str("null"),
            Node::BooleanLit(literal) => out.push_str(if literal.value { "true" } else { "false" }),
            Node::NumberLit(literal) => out.push_str(literal.value),
            Node::StringLit(literal) => out.push_str(&Value::from(literal.value.as_ref()).to_string()),
            Node::Array(array) => {
                out.push('[');
                for (at, element) in array.elements.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    self.write(element, out, levels + 1)?;
                }
                out.push(']');
            }
            Node::Object(object) => {
                self.distinct(object)?;
                out.push('{');
                for (at, property) in object.properties.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    out.push_str(&Value::from(property.name.as_str()).to_string());
                    out.push(':');
                    self.write(&property.value, out, levels + 1)?;
                }
                out.push('}');
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const FILE: &str = r#"{
  // what may be called
  "servers": {
    "git": {
      "safeTools": {
        "git_log": {"repo_path": ".", "max_count": 1E1}, // a few
        "git_status": {"repo_path": "."},
      },
      "note": "ours",
    },
    "wiki": {},
  },
  "metadata": {"by": "Ann"},
}
"#;

    #[test]
    fn entries_keep_order_places_and_numbers_as_written() {
        let tools = parse(FILE).unwrap();
        let seen: Vec<_> = tools.iter().map(|one| (one.tool.as_str(), one.line, one.server_line)).collect();
        assert_eq!(seen, [("git_log", 6, 4), ("git_status", 7, 4)]);
        assert_eq!(tools[0].arguments, r#"{"repo_path":".","max_count":1E1}"#);
        assert_eq!(parse("{}"), Ok(Vec::new()));
    }

    #[test]
    fn problems_name_line_and_column() {
        for (text, line, column, words) in [
            ("", 1, 1, "empty"),
            ("{\n  \"servers\": {\n    \"a\" 1}}", 3, 9, ""),
            ("{\n \"servers\": [] }", 2, 13, "must be an object"),
            ("{\"servers\": {\"s\": {\"safeTools\": {\"t\": 1}}}}", 1, 39, "arguments must be an object"),
            ("{\"servers\": {\"é\": {},\n \"é\": {}}}", 2, 2, "\"é\" is duplicated"),
            ("{\"servers\": {\"s\": {\"safeTools\": {\"t\": {\"a\": 1, \"a\": 2}}}}}", 1, 48, "duplicated"),
        ] {
            let problem = parse(text).unwrap_err();
            assert_eq!((problem.line, problem.column), (line, column), "{text}: {problem}");
            assert!(problem.reason.contains(words), "{problem}");
        }
        let deep = format!("{}{}", "[".repeat(MAX_LEVELS + 1), "]".repeat(MAX_LEVELS + 1));
        let text = format!("{{\"servers\": {{\"s\": {{\"safeTools\": {{\"t\": {{\"a\": {deep}}}}}}}}}}}");
        assert!(parse(&text).unwrap_err().reason.contains("levels"));
    }

    #[test]
    fn add_keeps_everything_else() {
        let added = add(FILE, "git", "git_diff", json!({"repo_path": "."})).unwrap();
        let expected = FILE.replace(
            "{\"repo_path\": \".\"},\n      }",
            "{\"repo_path\": \".\"},\n        \"git_diff\": {\n          \"repo_path\": \".\"\n        },\n      }",
        );
        assert_eq!(added, expected);
        assert_eq!(add(&format!("\u{feff}{FILE}"), "git", "git_log", json!({})).unwrap().find('{'), Some(3));
        let text = add(crate::NEW_FILE, "s", "t", json!({})).unwrap();
        assert_eq!(parse(&text).unwrap()[0].tool, "t");
        assert!(text.starts_with("{\n  \"servers\": {\n    \"s\": {\n"), "{text}");
        assert_eq!(add("{\"servers\": 1}", "s", "t", json!({})).unwrap_err().column, 13);
    }
}
