//! Places in a text and what is put there.
//!
//! Owns: edits, how overlapping ones become one, and applying them. Refuses to know: why a place is secret.

use std::borrow::Cow;
use std::ops::Range;

use schemascope_model::{Marker, Redacted};

/// A place in a text, in bytes, at character boundaries.
pub(super) type Span = Range<usize>;

/// A place in a text and what goes there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) span: Span,
    pub(super) with: String,
    /// Values replaced by it: several where JSON inside the place was redacted.
    pub(super) values: u64,
}

impl Edit {
    /// The marker of the characters at a place.
    pub(super) fn marker(text: &str, span: Span) -> Self {
        let length = text.get(span.clone()).map_or(span.len(), |part| part.chars().count());
        Self { with: Marker(Redacted::String(length)).to_string(), span, values: 1 }
    }
}

/// In order, overlapping ones as one. Of one inside another the outer one stays.
pub(super) fn merged(text: &str, mut edits: Vec<Edit>) -> Vec<Edit> {
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

/// The edits of secret places.
pub(super) fn markers(text: &str, spans: Vec<Span>) -> Vec<Edit> {
    merged(text, spans.into_iter().map(|span| Edit::marker(text, span)).collect())
}

/// A text with edits made that are in order and do not overlap.
pub(super) fn apply<'t>(text: &'t str, edits: &[Edit]) -> Cow<'t, str> {
    if edits.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        out.push_str(text.get(at..edit.span.start).unwrap_or_default());
        out.push_str(&edit.with);
        at = edit.span.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    Cow::Owned(out)
}
