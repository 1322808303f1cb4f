//! Edits of a JSON text with comments: setting and removing members of objects.
//!
//! Everything else stays byte for byte, including comments and order. New members are formatted like their
//! surroundings.

use std::ops::Range;

use schemascope_json::jsonc::{Node, Object, Ranged, Token, TokenAndRange, Tree};
use schemascope_json::splice_text;
use serde::Serialize as _;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Map, Value};

use crate::problem::Problem;
use crate::tree::{is_comment, line, name, with_tree};

/// Sets members of the object at a path, and creates the objects on the way. For any file of JSON with comments.
pub fn set(text: &str, path: &[&str], members: Vec<(&str, Value)>) -> Result<String, Problem> {
    with_tree(text, |tree| {
        let at = Source { text, tree };
        let Some(root) = &tree.root else {
            let whole = nested(path, members);
            let before = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
            return Ok(format!("{text}{before}{}\n", at.formatted(&whole, "")));
        };
        let mut object = at.object(root)?;
        let mut rest = path;
        while let Some((key, below)) = rest.split_first() {
            let Some(property) = object.properties.iter().find(|property| name(property) == *key) else {
                break;
            };
            object = at.object(&property.value)?;
            rest = below;
        }
        let (mut splices, mut new) = (Vec::new(), Vec::new());
        match rest.split_first() {
            Some((key, below)) => new.push(((*key).to_owned(), nested(below, members))),
            None => {
                for (key, value) in members {
                    match object.properties.iter().find(|property| name(property) == key) {
                        Some(known) => {
                            let indent = at.indent(known.start());
                            let value = if at.is_one_line(object) {
                                value.to_string()
                            } else {
                                at.formatted(&value, indent)
                            };
                            splices.push((known.value.start()..known.value.end(), value));
                        }
                        None => new.push((key.to_owned(), value)),
                    }
                }
            }
        }
        if !new.is_empty() {
            at.insert(object, &new, &mut splices);
        }
        Ok(splice_text(text, &mut splices))
    })?
}

/// Removes the member at a path, and the objects around it that are empty afterwards. Objects at the first `keep` keys
/// stay.
pub(crate) fn remove(text: &str, path: &[&str], keep: usize) -> Result<String, Problem> {
    let (mut text, mut path) = (text.to_owned(), path);
    loop {
        let (removed, is_empty) = with_tree(&text, |tree| Source { text: &text, tree }.remove(path))??;
        text = removed;
        path = &path[..path.len().saturating_sub(1)];
        if !is_empty || path.len() <= keep {
            return Ok(text);
        }
    }
}

/// Members inside the objects of a path.
fn nested(path: &[&str], members: Vec<(&str, Value)>) -> Value {
    let inner = members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    path.iter()
        .rev()
        .fold(Value::Object(inner), |inner, key| Value::Object(Map::from_iter([((*key).to_owned(), inner)])))
}

/// A text with its tree.
struct Source<'t> {
    text: &'t str,
    tree: &'t Tree<'t>,
}

impl<'t> Source<'t> {
    fn object(&self, node: &'t Node<'t>) -> Result<&'t Object<'t>, Problem> {
        let line = || line(self.text, node.start());
        let wrong =
            || Problem::Type { line: line(), place: "the edited value".into(), expected: "an object" };
        node.as_object().ok_or_else(wrong)
    }

    /// Inserts members after the existing ones of an object.
    fn insert(
        &self,
        object: &Object<'_>,
        members: &[(String, Value)],
        splices: &mut Vec<(Range<usize>, String)>,
    ) {
        let lines = !self.is_one_line(object);
        let written = |indent: &str| -> Vec<String> {
            let member = |(key, value): &(String, Value)| {
                let value = if lines { self.formatted(value, indent) } else { value.to_string() };
                format!("{}: {value}", Value::from(key.as_str()))
            };
            members.iter().map(member).collect()
        };
        let close = object.end() - 1;
        let (newline, base) = (self.newline(), self.indent(object.start()));
        let Some(last) = object.properties.last() else {
            let from =
                self.comments(object.start() + 1, close).last().map_or(object.start() + 1, |range| range.end);
            if !lines {
                splices.push((from..from, written("").join(", ")));
                return;
            }
            let indent = format!("{base}{}", self.unit());
            let between = format!("{newline}{indent}");
            let mut new = format!("{between}{}", written(&indent).join(&format!(",{between}")));
            if !self.text[from..close].contains('\n') {
                new += newline;
                new += base;
            }
            splices.push((from..from, new));
            return;
        };
        let comma = self.comma(last.end(), close);
        if comma.is_none() {
            splices.push((last.end()..last.end(), ",".to_owned()));
        }
        // A comment on the line of the last member stays with it.
        let mut from = comma.as_ref().map_or(last.end(), |comma| comma.end);
        for comment in self.comments(from, close) {
            if self.text[from..comment.start].contains('\n') {
                break;
            }
            from = comment.end;
        }
        let new = if lines {
            let first = object.properties.first().map_or(base, |first| self.indent(first.start()));
            let own_line = object.properties.first().is_some_and(|first| self.begins_line(first.start()));
            let indent = if own_line { first.to_owned() } else { format!("{base}{}", self.unit()) };
            let between = format!("{newline}{indent}");
            format!("{between}{}", written(&indent).join(&format!(",{between}")))
        } else {
            format!(" {}", written("").join(", "))
        };
        let end = if comma.is_some() { "," } else { "" };
        splices.push((from..from, new + end));
    }

    /// Removes the member at a path. Returns the new text, and whether the object around it is empty now.
    fn remove(&self, path: &[&str]) -> Result<(String, bool), Problem> {
        let unchanged = || Ok((self.text.to_owned(), false));
        let (Some((key, parents)), Some(root)) = (path.split_last(), &self.tree.root) else {
            return unchanged();
        };
        let mut object = self.object(root)?;
        for parent in parents {
            let Some(found) = object.properties.iter().find(|property| name(property) == *parent) else {
                return unchanged();
            };
            object = self.object(&found.value)?;
        }
        let Some(at) = object.properties.iter().position(|property| name(property) == *key) else {
            return unchanged();
        };
        let (property, close) = (&object.properties[at], object.end() - 1);
        let next = object.properties.get(at + 1).map_or(close, Ranged::start);
        let mut splices = Vec::new();
        let (mut start, mut end) = (property.start(), property.end());
        match (self.comma(end, next), at.checked_sub(1).map(|before| &object.properties[before])) {
            (Some(comma), _) if self.text[end..comma.start].trim().is_empty() => end = comma.end,
            // The comment between member and comma stays.
            (Some(comma), _) => splices.push((comma, String::new())),
            (None, Some(before)) => {
                splices.extend(self.comma(before.end(), start).map(|comma| (comma, String::new())));
            }
            (None, None) => {}
        }
        let rest = &self.text[end..];
        let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
        if self.begins_line(start) && rest[blank..].starts_with('\n') {
            start = self.line_start(start);
            end += blank + 1;
        } else if next != close {
            end += blank;
        } else {
            start = self.text[..start].trim_end_matches([' ', '\t']).len();
        }
        splices.push((start..end, String::new()));
        let is_empty = object.properties.len() == 1 && self.comments(object.start(), close).next().is_none();
        Ok((splice_text(self.text, &mut splices), is_empty))
    }

    /// Range of the first comma between two offsets that is not in a comment.
    fn comma(&self, from: usize, to: usize) -> Option<Range<usize>> {
        let tokens = self.tokens(from, to);
        let comma = tokens.iter().find(|token| token.token == Token::Comma)?;
        Some(comma.range.start..comma.range.end)
    }

    fn comments(&self, from: usize, to: usize) -> impl Iterator<Item = Range<usize>> {
        let comments = self.tokens(from, to).iter().filter(|token| is_comment(token));
        comments.map(|token| token.range.start..token.range.end)
    }

    fn tokens(&self, from: usize, to: usize) -> &'t [TokenAndRange<'t>] {
        let tokens = &self.tree.tokens;
        let first = tokens.partition_point(|token| token.range.start < from);
        let end = tokens.partition_point(|token| token.range.start < to);
        &tokens[first..end.max(first)]
    }

    /// Whether new members of an object go on the same line.
    fn is_one_line(&self, object: &Object<'_>) -> bool {
        let is_root = self.tree.root.as_ref().is_some_and(|root| root.start() == object.start());
        match object.properties.is_empty() {
            true => !is_root && !self.text.trim_end().contains('\n'),
            false => !self.text[object.start()..object.end()].contains('\n'),
        }
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |newline| newline + 1)
    }

    fn begins_line(&self, at: usize) -> bool {
        self.text[self.line_start(at)..at].trim().is_empty()
    }

    /// White space at the beginning of the line of an offset.
    fn indent(&self, at: usize) -> &'t str {
        let line = &self.text[self.line_start(at)..at];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// Indentation of one level in this file.
    fn unit(&self) -> &'t str {
        let root = self.tree.root.as_ref().and_then(Node::as_object);
        let first = root.and_then(|root| root.properties.first()).map(|first| self.indent(first.start()));
        first.filter(|unit| !unit.is_empty()).unwrap_or("  ")
    }

    fn newline(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// Formats a value over several lines, all but the first indented.
    fn formatted(&self, value: &Value, indent: &str) -> String {
        let mut bytes = Vec::new();
        let formatter = PrettyFormatter::with_indent(self.unit().as_bytes());
        let written = value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter));
        // Serializing a value does not fail.
        let text =
            written.ok().and_then(|()| String::from_utf8(bytes).ok()).unwrap_or_else(|| value.to_string());
        text.replace('\n', &format!("{}{indent}", self.newline()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn sets(before: &str, path: &[&str], after: &str) {
        assert_eq!(set(before, path, vec![("x", json!({"k": 1}))]).unwrap(), after);
    }

    #[test]
    fn set_formats_new_members_like_their_surroundings() {
        sets("{\n\t\"a\": 1 // one\n}\n", &[], "{\n\t\"a\": 1, // one\n\t\"x\": {\n\t\t\"k\": 1\n\t}\n}\n");
        sets("{\"a\": 1 /* c */}", &[], "{\"a\": 1, /* c */ \"x\": {\"k\":1}}");
        sets("{\n  \"a\": {},\n}", &["a"], "{\n  \"a\": {\n    \"x\": {\n      \"k\": 1\n    }\n  },\n}");
        sets("{\n  \"a\": 1,\n}", &[], "{\n  \"a\": 1,\n  \"x\": {\n    \"k\": 1\n  },\n}");
        sets(
            "{\n  \"a\": { // why\n  }\n}",
            &["a"],
            "{\n  \"a\": { // why\n    \"x\": {\n      \"k\": 1\n    }\n  }\n}",
        );
        sets("{\r\n  \"x\": [] // c\r\n}", &[], "{\r\n  \"x\": {\r\n    \"k\": 1\r\n  } // c\r\n}");
        sets("// nothing yet", &[], "// nothing yet\n{\n  \"x\": {\n    \"k\": 1\n  }\n}\n");
        sets("{}", &["a"], "{\n  \"a\": {\n    \"x\": {\n      \"k\": 1\n    }\n  }\n}");
    }

    #[track_caller]
    fn removes(before: &str, path: &[&str], after: &str) {
        assert_eq!(remove(before, path, 0).unwrap(), after);
    }

    #[test]
    fn remove_takes_comma_and_line_along() {
        removes("{\n  \"a\": 1,\n  \"b\": 2\n}", &["b"], "{\n  \"a\": 1\n}");
        removes("{\n  \"a\": 1, // one\n  \"b\": 2\n}", &["a"], "{\n  // one\n  \"b\": 2\n}");
        removes("{\"a\": 1, \"b\": 2}", &["a"], "{\"b\": 2}");
        removes("{\"a\": 1, \"b\": 2}", &["b"], "{\"a\": 1}");
        removes("{\"a\": 1 /* , */ , \"b\": 2}", &["a"], "{/* , */  \"b\": 2}");
        removes(
            "{\n  \"a\": {\n    \"b\": {\n      \"c\": 1\n    }\n  },\n  \"d\": 1\n}",
            &["a", "b", "c"],
            "{\n  \"d\": 1\n}",
        );
        removes("{\"a\": {\"b\": 1 /* why */}}", &["a", "b"], "{\"a\": { /* why */}}");
        removes("{\"a\": 1}", &["b", "c"], "{\"a\": 1}");
    }
}
