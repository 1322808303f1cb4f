//! Edges as text for programs that draw graphs.

use std::collections::BTreeMap;
use std::fmt::Write;

use schemascope_api::{Edge, EdgeState, shown_confidence};

use crate::output;

/// A graph in the DOT language.
pub(super) fn dot(edges: &[Edge]) -> String {
    let mut text = "digraph edges {\n  rankdir=LR;\n  node [shape=box];\n".to_owned();
    for edge in edges {
        let style = match edge.state {
            EdgeState::Seen => "solid",
            EdgeState::Possible => "dashed",
            EdgeState::Broken => "dotted",
        };
        let [from, to, label] = [&*edge.from, &*edge.to, &label(edge)].map(quoted);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {from} -> {to} [label={label}, style={style}];");
    }
    text.push('}');
    text
}

/// A Mermaid flowchart.
pub(super) fn mermaid(edges: &[Edge]) -> String {
    let mut text = "flowchart LR".to_owned();
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    for edge in edges {
        for tool in [&*edge.from, &*edge.to] {
            let next = numbers.len();
            if !numbers.contains_key(tool) {
                numbers.insert(tool, next);
                let _ = write!(text, "\n  t{next}[\"{}\"]", entities(tool));
            }
        }
    }
    for edge in edges {
        let arrow = match edge.state {
            EdgeState::Seen => "-->",
            EdgeState::Possible => "-.->",
            EdgeState::Broken => "--x",
        };
        let number = |tool: &str| numbers.get(tool).copied().unwrap_or_default();
        let (from, to) = (number(&edge.from), number(&edge.to));
        let _ = write!(text, "\n  t{from} {arrow}|\"{}\"| t{to}", entities(&label(edge)));
    }
    text
}

/// The best field of an edge.
fn label(edge: &Edge) -> String {
    let best = edge.fields.first().map(|field| {
        let output = if field.output.is_empty() { "(whole result)" } else { &field.output };
        format!("{output} → {} ", field.input)
    });
    let broken = if edge.state == EdgeState::Broken { "broken " } else { "" };
    format!("{}{broken}{}", best.unwrap_or_default(), shown_confidence(edge.confidence))
}

/// A string of the DOT language.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in output::harmless(text).chars() {
        if matches!(c, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted.push('"');
    quoted
}

/// Text in which Mermaid finds no markup: everything but plain characters as numbered entities.
fn entities(text: &str) -> String {
    let mut escaped = String::new();
    for c in output::harmless(text).chars() {
        if c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '[' | ']' | '{' | '}' | '→' | '(' | ')')
        {
            escaped.push(c);
        } else {
            let _ = write!(escaped, "#{};", u32::from(c));
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(from: &str, to: &str) -> Edge {
        let edge = serde_json::json!({
            "from": from, "to": to, "coverage": "strict", "confidence": 0.9, "state": "seen", "echo": false,
            "fields": [{"output": "a\"]; <b>", "input": "x\ny\u{202e}", "how": "same", "confidence": 0.9,
                "echo": false, "broken": false,
                "evidence": {"flows": 1, "values": 1, "sessions": 1, "last_at": null}}],
            "needs": [], "evidence": {"flows": 1, "values": 1, "sessions": 1, "last_at": null},
            "threatened_by": [],
        });
        serde_json::from_value(edge).unwrap()
    }

    #[test]
    fn markup_and_quotes_of_servers_stay_text() {
        let edges = [edge("s__a\"]", "s__b`<script>\\")];
        let dot = dot(&edges);
        assert!(dot.contains(r#""s__a\"]" -> "s__b`<script>\\""#), "{dot}");
        assert_eq!(dot.lines().count(), 5, "{dot}");
        let mermaid = mermaid(&edges);
        for wrong in ["<", "\"]\"", "`", "\u{202e}", "\\"] {
            assert!(!mermaid.contains(wrong), "{wrong}: {mermaid}");
        }
        assert_eq!(mermaid.lines().count(), 4, "{mermaid}");
    }
}
