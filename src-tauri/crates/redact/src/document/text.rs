//! Edits of a text that is not JSON: its secrets, and markers that are forged.

use schemascope_model::Marker;

use super::embedded;
use crate::edits::{Edit, Span, marker_edits, merged};
use crate::{Redactor, Trust, finders};

/// What a search over the whole document has shown for a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Expected {
    /// The text may contain secrets beside tokens.
    pub(crate) hinted: bool,
    /// The text may contain something that looks like a marker.
    pub(crate) marked: bool,
}

impl Expected {
    /// Nothing is known, so everything is searched for.
    pub(crate) const ANYTHING: Self = Self { hinted: true, marked: true };
}

/// Edits of a text that is not JSON. Markers in text of our own stay, those in foreign text are replaced.
pub(crate) fn edits_of_plain_text(
    redactor: &Redactor,
    text: &str,
    trust: Trust,
    expected: Expected,
    nesting: usize,
) -> Vec<Edit> {
    let mut found = finders::find(redactor, text, expected.hinted, nesting);
    let marked = if expected.marked { markers_in(redactor, text) } else { Vec::new() };
    match trust {
        Trust::Foreign => found.extend(marked),
        Trust::Own => {
            found.retain(|span| !marked.iter().any(|mark| mark.start < span.end && span.start < mark.end));
        }
    }
    let edits = if found.is_empty() { Vec::new() } else { marker_edits(text, found) };
    let inside = match expected.hinted {
        true => embedded::edits(redactor, text, trust, nesting),
        false => Vec::new(),
    };
    if inside.is_empty() { edits } else { merged(text, inside.into_iter().chain(edits).collect()) }
}

/// Finds everything that looks like a marker.
fn markers_in(redactor: &Redactor, text: &str) -> Vec<Span> {
    let starts = redactor.marker.find_iter(text.as_bytes());
    let marker = |start: usize| {
        let near = &text.as_bytes()[start..text.len().min(start + 64)];
        let end = start + memchr::memmem::find(near, "⟧".as_bytes())? + '⟧'.len_utf8();
        text.get(start..end)?.parse::<Marker>().is_ok().then_some(start..end)
    };
    starts.filter_map(marker).collect()
}
