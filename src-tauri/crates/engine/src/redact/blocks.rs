//! The text blocks of one result, which readers join.
//!
//! Owns: finding what is secret in them together, and giving each block its part. A secret over several blocks
//! leaves its marker in the first. Refuses to know: where the blocks were.

use std::borrow::Cow;

use super::json::Quoted;
use super::spans::{Edit, merged};

/// Where the texts of the blocks are.
#[derive(Debug, Default)]
pub(super) struct Blocks(Vec<Quoted>);

impl Blocks {
    pub(super) fn push(&mut self, text: Quoted) {
        self.0.push(text);
    }

    pub(super) fn into_texts(self) -> Vec<Quoted> {
        self.0
    }
}

/// The edits of each text: those it needs by itself and those all need together.
pub(super) fn edits(texts: &[Cow<'_, str>], find: impl Fn(&str) -> Vec<Edit>) -> Vec<Vec<Edit>> {
    let mut starts = Vec::with_capacity(texts.len());
    let mut all = String::new();
    let mut edits = Vec::new();
    for text in texts {
        let start = all.len();
        starts.push(start);
        edits.extend(find(text).into_iter().map(|edit| shifted(edit, start)));
        all.push_str(text);
    }
    edits.extend(find(&all));
    let edits = merged(&all, edits);
    let ends = starts.iter().skip(1).copied().chain([all.len()]);
    starts.iter().zip(ends).map(|(&start, end)| part(&edits, start, end)).collect()
}

fn shifted(edit: Edit, by: usize) -> Edit {
    Edit { span: edit.span.start + by..edit.span.end + by, ..edit }
}

/// What edits of the whole do between two places of it.
fn part(edits: &[Edit], start: usize, end: usize) -> Vec<Edit> {
    let first = edits.partition_point(|edit| edit.span.end <= start);
    let touching = edits[first..].iter().take_while(|edit| edit.span.start < end);
    let cut = |edit: &Edit| {
        let begins = edit.span.start >= start;
        Edit {
            span: edit.span.start.max(start) - start..edit.span.end.min(end) - start,
            with: if begins { edit.with.clone() } else { String::new() },
            values: if begins { edit.values } else { 0 },
        }
    };
    touching.map(cut).collect()
}
