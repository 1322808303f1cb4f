//! What the marks and lines of the picture mean, in words.

pub use schemascope_api::shown_confidence as confidence;
use schemascope_api::{Edge, EdgeCoverage, EdgeEvidence, EdgeField, EdgeState, EdgeTotals, How};

use crate::numbers::count;
use crate::text::visible;

/// Mark of what is known of an edge.
pub fn mark(edge: &Edge) -> &'static str {
    match edge.state {
        EdgeState::Seen => "●",
        EdgeState::Possible => "○",
        EdgeState::Broken => "✕",
    }
}

/// Class of an edge in the stylesheet.
pub fn class(edge: &Edge) -> &'static str {
    match edge.state {
        _ if !edge.threatened_by.is_empty() => "threatened",
        EdgeState::Seen => "seen",
        EdgeState::Possible => "possible",
        EdgeState::Broken => "broken",
    }
}

/// What is known of an edge.
pub fn state(state: EdgeState) -> &'static str {
    match state {
        EdgeState::Seen => "seen in use",
        EdgeState::Possible => "possible",
        EdgeState::Broken => "broken",
    }
}

/// Dashes of the line of an edge: solid, long or short.
pub fn dashes(coverage: EdgeCoverage) -> Option<&'static str> {
    match coverage {
        EdgeCoverage::Strict => None,
        EdgeCoverage::Partial => Some("8 4"),
        EdgeCoverage::Optional => Some("2 4"),
    }
}

/// Coverage in one word.
pub fn coverage(coverage: EdgeCoverage) -> &'static str {
    match coverage {
        EdgeCoverage::Strict => "strict",
        EdgeCoverage::Partial => "partial",
        EdgeCoverage::Optional => "optional",
    }
}

/// What an edge gives and what remains.
pub fn covers(edge: &Edge) -> String {
    let needs = || edge.needs.iter().map(|path| visible(path, 60)).collect::<Vec<_>>().join(", ");
    match edge.coverage {
        EdgeCoverage::Strict if edge.needs.is_empty() => "strict: gives every required input".to_owned(),
        EdgeCoverage::Strict => format!("strict, but {} still needed", needs()),
        EdgeCoverage::Partial => format!("partial: {} still needed", needs()),
        EdgeCoverage::Optional if edge.needs.is_empty() => "optional: gives no required input".to_owned(),
        EdgeCoverage::Optional => format!("optional: {} still needed", needs()),
    }
}

/// The form in which a value is taken.
pub fn how(how: How) -> &'static str {
    match how {
        How::Same => "the value itself",
        How::NumberText => "a number as text, or text as a number",
        How::Key => "a key of a map",
        How::Item => "an item of a list",
        How::Part => "a part of the value",
        How::Contains => "a text that contains the value",
        How::Joined => "joined with another value",
    }
}

/// The name of a path: the whole value has none.
pub fn path(path: &str, whole: &str) -> String {
    if path.is_empty() { whole.to_owned() } else { visible(path, 300) }
}

/// How often values were seen to flow.
pub fn evidence(evidence: &EdgeEvidence) -> String {
    let many = |number: u64, one: &str, more: &str| {
        format!("{} {}", count(number), if number == 1 { one } else { more })
    };
    if evidence.flows == 0 {
        return "never seen in use".to_owned();
    }
    format!(
        "{}, {}, {}",
        many(evidence.flows, "call", "calls"),
        many(evidence.values, "value", "different values"),
        many(evidence.sessions, "session", "sessions"),
    )
}

/// A tool: `server / name`.
pub fn tool(id: &str) -> String {
    match id.split_once("__") {
        Some((server, name)) => format!("{} / {}", visible(server, 64), visible(name, 160)),
        None => visible(id, 200),
    }
}

/// Which field feeds which.
pub fn field(field: &EdgeField) -> String {
    format!("{} → {}", path(&field.output, "whole result"), path(&field.input, "all arguments"))
}

/// An edge in one sentence, for screen readers.
pub fn sentence(edge: &Edge) -> String {
    let mut text = format!("{} feeds {}", tool(&edge.from), tool(&edge.to));
    if let Some(best) = edge.fields.first() {
        text +=
            &format!(": {} to {}", path(&best.output, "whole result"), path(&best.input, "all arguments"));
        if edge.fields.len() > 1 {
            text += &format!(" and {} more", edge.fields.len() - 1);
        }
    }
    text += &format!(", confidence {}, {}", confidence(edge.confidence), state(edge.state));
    if edge.evidence.flows > 0 {
        text += &format!(", {}", evidence(&edge.evidence));
    }
    text += &format!(", {}", covers(edge));
    if edge.echo {
        text += ", echo";
    }
    if let Some(change) = edge.threatened_by.first() {
        text += &format!(", threatened by {}", visible(change, 120));
    }
    text
}

/// Numbers of edges: `3 seen · 2 possible`.
pub fn totals(totals: &EdgeTotals) -> String {
    let kinds = [(totals.seen, "seen"), (totals.possible, "possible"), (totals.broken, "broken")];
    let shown: Vec<String> =
        kinds.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{} {word}", count(*n))).collect();
    if shown.is_empty() { "no edges".to_owned() } else { shown.join(" · ") }
}

/// Numbers of edges with marks: `●3 ○2`.
pub fn marked_totals(totals: &EdgeTotals) -> String {
    let kinds = [(totals.seen, "●"), (totals.possible, "○"), (totals.broken, "✕")];
    let shown: Vec<String> =
        kinds.iter().filter(|(n, _)| *n > 0).map(|(n, mark)| format!("{mark} {}", count(*n))).collect();
    shown.join("  ")
}

#[cfg(test)]
mod tests {
    use super::super::scene::samples::edge;
    use super::*;

    #[test]
    fn sentence_says_what_the_picture_shows() {
        let mut seen = edge("shop__list_orders", "shop__get_order", 0.987, "seen");
        assert_eq!(
            sentence(&seen),
            "shop / list_orders feeds shop / get_order: id to id, confidence 0.98, seen in use, \
             3 calls, 2 different values, 1 session, strict: gives every required input"
        );
        seen.threatened_by = vec!["v5".into()];
        seen.needs = vec!["reason".into()];
        seen.coverage = EdgeCoverage::Partial;
        assert!(sentence(&seen).ends_with("partial: reason still needed, threatened by v5"));
    }

    #[test]
    fn names_are_made_visible() {
        let hostile = edge("s__<b>\u{202E}", "s__b", 0.5, "possible");
        assert!(sentence(&hostile).contains("<b>U+202E"));
    }
}
