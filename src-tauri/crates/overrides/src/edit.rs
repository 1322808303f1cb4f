//! Changing a text in few places.
//!
//! Owns: where a member goes and what goes with it when it is removed: everything else stays byte for byte, comments
//! and order included; what comes in is laid out as its surroundings are. Refuses to know: what members mean.

use std::ops::Range;

use jsonc_parser::ast::{Object, Value as Node};
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::Token;
use serde::Serialize as _;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Map, Value};

use crate::document::{Tree, is_comment, line, name, with_tree};
use crate::problem::Problem;

/// Sets members of the object at a path, and makes the objects on the way.
pub(crate) fn set(text: &str, path: &[&str], members: Vec<(&str, Value)>) -> Result<String, Problem> {
    with_tree(text, |tree| {
        let at = Place { text, tree };
        let Some(root) = &tree.root else {
            let whole = nested(path, members);
            let before = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
            return Ok(format!("{text}{before}{}\n", at.laid_out(&whole, "")));
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
                                at.laid_out(&value, indent)
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
        Ok(splice(text, splices))
    })?
}

/// Removes the member at a path, and the objects around it, below the first `keep` keys, that are empty then.
pub(crate) fn remove(text: &str, path: &[&str], keep: usize) -> Result<String, Problem> {
    let (mut text, mut path) = (text.to_owned(), path);
    loop {
        let (removed, is_empty) = with_tree(&text, |tree| Place { text: &text, tree }.remove(path))??;
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

fn splice(text: &str, mut splices: Vec<(Range<usize>, String)>) -> String {
    // Those at one place stay in their order.
    splices.sort_by_key(|(range, _)| range.start);
    let mut spliced = String::with_capacity(text.len());
    let mut done = 0;
    for (range, new) in splices {
        spliced.push_str(&text[done..range.start]);
        spliced.push_str(&new);
        done = range.end;
    }
    spliced + &text[done..]
}

/// A tree in its text.
struct Place<'t> {
    text: &'t str,
    tree: &'t Tree<'t>,
}

impl<'t> Place<'t> {
    fn object(&self, node: &'t Node<'t>) -> Result<&'t Object<'t>, Problem> {
        let line = || line(self.text, node.start());
        let wrong = || Problem::Type { line: line(), place: "what is edited".into(), expected: "an object" };
        node.as_object().ok_or_else(wrong)
    }

    /// Puts members behind those an object has.
    fn insert(
        &self,
        object: &Object<'_>,
        members: &[(String, Value)],
        splices: &mut Vec<(Range<usize>, String)>,
    ) {
        let lines = !self.is_one_line(object);
        let written = |indent: &str| -> Vec<String> {
            let member = |(key, value): &(String, Value)| {
                let value = if lines { self.laid_out(value, indent) } else { value.to_string() };
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
        // What is said about the last one on its line stays with it.
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

    /// The text without the member at a path, and whether the object it was in has nothing left.
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
            // A comment stands in between, and stays.
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
        Ok((splice(self.text, splices), is_empty))
    }

    /// The comma in a range, if there is one outside of comments.
    fn comma(&self, from: usize, to: usize) -> Option<Range<usize>> {
        let tokens = self.tokens(from, to);
        let comma = tokens.iter().find(|token| token.token == Token::Comma)?;
        Some(comma.range.start..comma.range.end)
    }

    fn comments(&self, from: usize, to: usize) -> impl Iterator<Item = Range<usize>> {
        let comments = self.tokens(from, to).iter().filter(|token| is_comment(token));
        comments.map(|token| token.range.start..token.range.end)
    }

    fn tokens(&self, from: usize, to: usize) -> &'t [jsonc_parser::tokens::TokenAndRange<'t>] {
        let tokens = &self.tree.tokens;
        let first = tokens.partition_point(|token| token.range.start < from);
        let end = tokens.partition_point(|token| token.range.start < to);
        &tokens[first..end.max(first)]
    }

    /// Whether what comes into an object stands on its line too.
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

    /// The white space a place's line begins with.
    fn indent(&self, at: usize) -> &'t str {
        let line = &self.text[self.line_start(at)..at];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// What one level more is, as the file has it.
    fn unit(&self) -> &'t str {
        let root = self.tree.root.as_ref().and_then(Node::as_object);
        let first = root.and_then(|root| root.properties.first()).map(|first| self.indent(first.start()));
        first.filter(|unit| !unit.is_empty()).unwrap_or("  ")
    }

    fn newline(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// A value over several lines, all but the first indented.
    fn laid_out(&self, value: &Value, indent: &str) -> String {
        let mut bytes = Vec::new();
        let formatter = PrettyFormatter::with_indent(self.unit().as_bytes());
        let written = value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter));
        // A value always has a text.
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
    fn a_member_goes_in_as_its_surroundings_are() {
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
    fn a_member_goes_with_its_comma_and_line() {
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
