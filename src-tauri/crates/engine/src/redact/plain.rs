//! Texts that are no JSON: their secrets, and what looks like a marker of ours.
//!
//! Owns: whose markers are believed. Refuses to know: how secrets are found (see `text`), where texts stand.

use schemascope_model::Marker;

use super::spans::{Edit, Span, markers};
use super::{Redactor, Trust, text};

/// What is known of a text before it is looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    /// Something may be there beside tokens.
    pub(super) hinted: bool,
    /// Something may be there that looks like a marker.
    pub(super) marked: bool,
}

impl Look {
    pub(super) const WHOLE: Self = Self { hinted: true, marked: true };
}

/// The secrets of a text that is no JSON, and what looks like a marker of ours.
pub(super) fn plain(redactor: &Redactor, text: &str, trust: Trust, look: Look, nesting: usize) -> Vec<Edit> {
    let mut found = text::find(redactor, text, look.hinted, nesting);
    let marked = if look.marked { marked(redactor, text) } else { Vec::new() };
    match trust {
        Trust::Foreign => found.extend(marked),
        Trust::Own => {
            found.retain(|span| !marked.iter().any(|mark| mark.start < span.end && span.start < mark.end));
        }
    }
    if found.is_empty() { Vec::new() } else { markers(text, found) }
}

/// What looks like a marker.
fn marked(redactor: &Redactor, text: &str) -> Vec<Span> {
    let starts = redactor.marker.find_iter(text.as_bytes());
    let marker = |start: usize| {
        let near = &text.as_bytes()[start..text.len().min(start + 64)];
        let end = start + memchr::memmem::find(near, "⟧".as_bytes())? + '⟧'.len_utf8();
        text.get(start..end)?.parse::<Marker>().is_ok().then_some(start..end)
    };
    starts.filter_map(marker).collect()
}
