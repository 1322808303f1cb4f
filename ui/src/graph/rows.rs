//! The fields of a tool, as rows below its name.

use std::collections::BTreeSet;

use schemascope_api::Edge;

use super::scene::SceneTool;

/// Height of a tool's name, in pixels.
pub const HEAD: f64 = 32.0;
/// Height of a row.
pub const ROW: f64 = 20.0;
/// Space below the last row.
const FOOT: f64 = 6.0;
/// Height of a tool without rows.
pub const COMPACT: f64 = 28.0;
/// Most inputs, and most outputs, of one tool.
const MAX_FIELDS: usize = 7;

/// What a row shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowKind {
    /// An input.
    Input {
        /// Whether the tool requires it.
        required: bool,
    },
    /// A field of the result.
    Output,
    /// A title above fields.
    Title,
    /// The fields without a row.
    More,
}

/// A row of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// What it shows.
    pub kind: RowKind,
    /// Path of the field, or the row's text.
    pub text: Box<str>,
}

/// Rows of a tool, from the edges that lead to it and from it.
pub fn rows(tool: &SceneTool, into: &[&Edge], out: &[&Edge]) -> Vec<Row> {
    // The best field of every edge comes first, so that each line has a row.
    let inputs = fields(into, |field| &field.input);
    let outputs = fields(out, |field| &field.output);
    let is_required = |path: &str| tool.required.iter().any(|required| **required == *path);
    let mut shown: Vec<&str> = inputs.iter().copied().take(MAX_FIELDS).collect();
    let rest = tool.required.iter().map(|path| &**path).filter(|path| !inputs.contains(path));
    let room = MAX_FIELDS - shown.len();
    // A tool that only feeds others shows no inputs.
    if !into.is_empty() {
        shown.extend(rest.take(room));
    }
    shown.sort_by_key(|path| (!is_required(path), *path));
    let mut rows: Vec<Row> = shown
        .iter()
        .map(|path| Row { kind: RowKind::Input { required: is_required(path) }, text: (*path).into() })
        .collect();
    more(&mut rows, inputs.len().saturating_sub(MAX_FIELDS));
    let mut shown: Vec<&str> = outputs.iter().copied().take(MAX_FIELDS).collect();
    shown.sort_unstable();
    if !rows.is_empty() && !shown.is_empty() {
        rows.push(Row { kind: RowKind::Title, text: "results".into() });
    }
    rows.extend(shown.iter().map(|path| Row { kind: RowKind::Output, text: (*path).into() }));
    more(&mut rows, outputs.len().saturating_sub(MAX_FIELDS));
    rows
}

/// The different paths of some edges' fields, the best fields of all edges first.
fn fields<'a>(edges: &[&'a Edge], path: fn(&schemascope_api::EdgeField) -> &str) -> Vec<&'a str>
where
    schemascope_api::EdgeField: 'a,
{
    let mut known = BTreeSet::new();
    let best = edges.iter().filter_map(|edge| edge.fields.first());
    let rest = edges.iter().flat_map(|edge| edge.fields.iter().skip(1));
    best.chain(rest).map(path).filter(|path| known.insert(*path)).collect()
}

fn more(rows: &mut Vec<Row>, count: usize) {
    if count > 0 {
        let text = format!("{count} more {}", if count == 1 { "field" } else { "fields" });
        rows.push(Row { kind: RowKind::More, text: text.into() });
    }
}

/// Height of a tool with these rows, in pixels.
pub fn height(rows: &[Row]) -> f64 {
    if rows.is_empty() { COMPACT } else { HEAD + rows.len() as f64 * ROW + FOOT }
}

/// Height at which lines touch a field, from the top of its tool.
pub fn port(rows: &[Row], is_output: bool, path: &str) -> f64 {
    let side = |row: &Row| matches!(row.kind, RowKind::Output) == is_output;
    let is_field = |row: &Row| matches!(row.kind, RowKind::Output | RowKind::Input { .. });
    let own = rows.iter().position(|row| is_field(row) && side(row) && *row.text == *path);
    let last = rows.iter().rposition(|row| row.kind == RowKind::More);
    match own.or(last) {
        Some(row) => middle(row),
        None if rows.is_empty() => COMPACT / 2.0,
        None => HEAD / 2.0,
    }
}

/// Height of the middle of a row, from the top of its tool.
pub fn middle(row: usize) -> f64 {
    HEAD + (row as f64 + 0.5) * ROW
}

#[cfg(test)]
mod tests {
    use super::super::scene::samples::edge;
    use super::*;

    fn tool(required: &[&str]) -> SceneTool {
        let required = required.iter().map(|path| (*path).into()).collect();
        SceneTool { id: "s__t".into(), read_only: Some(true), required, hidden: 0, is_open: false }
    }

    #[test]
    fn inputs_come_first_and_missing_required_inputs_are_shown() {
        let edge = edge("s__a", "s__t", 0.9, "seen");
        let rows = rows(&tool(&["reason", "id"]), &[&edge], &[&edge]);
        let texts: Vec<&str> = rows.iter().map(|row| &*row.text).collect();
        assert_eq!(texts, ["id", "reason", "results", "id"]);
        assert!(port(&rows, true, "id") > port(&rows, false, "id"));
    }

    #[test]
    fn fields_beyond_the_limit_share_a_row() {
        let edges: Vec<Edge> = (0..9)
            .map(|n| {
                let mut edge = edge("s__a", "s__t", 0.9, "seen");
                edge.fields[0].input = format!("f{n}").into();
                edge
            })
            .collect();
        let rows = rows(&tool(&[]), &edges.iter().collect::<Vec<_>>(), &[]);
        assert_eq!(&*rows[MAX_FIELDS].text, "2 more fields");
        assert!((port(&rows, false, "f8") - middle(MAX_FIELDS)).abs() < 0.1);
    }

    #[test]
    fn tool_that_only_feeds_shows_its_outputs() {
        let edge = edge("s__t", "s__a", 0.9, "seen");
        let rows = rows(&tool(&["id"]), &[], &[&edge]);
        assert_eq!(rows, [Row { kind: RowKind::Output, text: "id".into() }]);
    }
}
