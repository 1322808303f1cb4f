//! The tree of fields: which lines are visible, and how each is written.

use std::collections::BTreeSet;
use std::sync::Arc;

use schemascope_api::FieldRow;

/// A visible line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The field.
    pub field: Arc<FieldRow>,
    /// Other fields are below it, visible or not.
    pub parent: bool,
}

/// The lines that are not below a collapsed field.
pub fn open_lines(fields: &[Arc<FieldRow>], closed: &BTreeSet<String>) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut hidden_below: Option<usize> = None;
    for (at, field) in fields.iter().enumerate() {
        if hidden_below.is_some_and(|depth| field.depth > depth) {
            continue;
        }
        let parent = fields.get(at + 1).is_some_and(|next| next.depth > field.depth);
        hidden_below = (parent && closed.contains(&field.path)).then_some(field.depth);
        lines.push(Line { field: Arc::clone(field), parent });
    }
    lines
}

/// Position of a field. Its previous position is tried first, since most fields stay.
pub fn find(lines: &[Line], path: &str, before: usize) -> Option<usize> {
    let is_it = |line: &Line| line.field.path == path;
    if lines.get(before).is_some_and(is_it) { Some(before) } else { lines.iter().position(is_it) }
}

/// The brackets between a field and its parent, which indentation does not show: `[]`, `{}`.
pub fn brackets(field: &FieldRow) -> &str {
    let above = field.path.strip_suffix(&field.name).unwrap_or_default();
    let own = above.rsplit(|c: char| !matches!(c, '[' | ']' | '{' | '}' | '.')).next();
    own.unwrap_or_default().trim_matches('.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::tests::field;

    fn fields(paths: &[(&str, &str, usize)]) -> Vec<Arc<FieldRow>> {
        paths
            .iter()
            .map(|(path, name, depth)| Arc::new(FieldRow { depth: *depth, ..field(path, name) }))
            .collect()
    }

    #[test]
    fn collapsed_fields_hide_those_below() {
        let fields =
            fields(&[("", "", 0), ("a", "a", 0), ("a[].b", "b", 1), ("a[].b.c", "c", 2), ("d", "d", 0)]);
        let paths = |closed: &[&str]| -> Vec<String> {
            let closed = closed.iter().map(|path| (*path).to_owned()).collect();
            open_lines(&fields, &closed).iter().map(|line| line.field.path.clone()).collect()
        };
        assert_eq!(paths(&[]), ["", "a", "a[].b", "a[].b.c", "d"]);
        assert_eq!(paths(&["a[].b"]), ["", "a", "a[].b", "d"]);
        assert_eq!(paths(&["a", "a[].b", "d"]), ["", "a", "d"]);
        let lines = open_lines(&fields, &BTreeSet::new());
        assert!(lines.iter().map(|line| line.parent).eq([false, true, true, false, false]));
        assert_eq!(find(&lines, "d", 4), Some(4));
        assert_eq!(find(&lines, "d", 1), Some(4));
        assert_eq!(find(&lines, "e", 9), None);
    }

    #[test]
    fn brackets_are_those_between_field_and_parent() {
        let brackets = |path, name| brackets(&field(path, name)).to_owned();
        assert_eq!(brackets("a", "a"), "");
        assert_eq!(brackets("a.b", "b"), "");
        assert_eq!(brackets("a[].b", "b"), "[]");
        assert_eq!(brackets("a{}[].b", "b"), "{}[]");
        assert_eq!(brackets("[].b", "b"), "[]");
        assert_eq!(brackets("", ""), "");
    }
}
