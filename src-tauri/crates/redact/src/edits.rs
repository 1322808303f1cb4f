//! Edits of a text: spans and their replacements, how overlapping edits are merged, and how edits are applied.

use std::borrow::Cow;
use std::ops::Range;

use schemascope_json::splice_text;
use schemascope_model::{Marker, Redacted};

/// Range of bytes in a text, at character boundaries.
pub(crate) type Span = Range<usize>;

/// A span and its replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) span: Span,
    pub(crate) with: String,
    /// Number of values replaced. It is more than one where the span is JSON inside a string.
    pub(crate) values: u64,
}

impl Edit {
    /// Replaces a span by the marker of a string of its length.
    pub(crate) fn marker(text: &str, span: Span) -> Self {
        let length = text.get(span.clone()).map_or(span.len(), |part| part.chars().count());
        Self { with: Marker(Redacted::String(length)).to_string(), span, values: 1 }
    }
}

/// Sorts edits and merges those that overlap. An edit inside another one is dropped.
pub(crate) fn merged(text: &str, mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|edit| (edit.span.start, usize::MAX - edit.span.end));
    let mut merged: Vec<Edit> = Vec::with_capacity(edits.len());
    for edit in edits {
        match merged.last_mut() {
            Some(last) if edit.span.start < last.span.end => {
                if edit.span.end > last.span.end {
                    *last = Edit::marker(text, last.span.start..edit.span.end);
                }
            }
            _ => merged.push(edit),
        }
    }
    merged
}

/// Edits that replace each span by a marker.
pub(crate) fn marker_edits(text: &str, spans: Vec<Span>) -> Vec<Edit> {
    merged(text, spans.into_iter().map(|span| Edit::marker(text, span)).collect())
}

/// Applies edits that are sorted and do not overlap.
pub(crate) fn apply<'t>(text: &'t str, edits: &[Edit]) -> Cow<'t, str> {
    if edits.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut edits: Vec<(Span, &str)> =
        edits.iter().map(|edit| (edit.span.clone(), edit.with.as_str())).collect();
    Cow::Owned(splice_text(text, &mut edits))
}
