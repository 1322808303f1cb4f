//! The text blocks of one result, searched one by one and joined, because readers join them.
//!
//! A secret that is split over several blocks leaves its marker in the first of them.

use std::borrow::Cow;

use crate::edits::{Edit, merged};
use schemascope_json::Quoted;

/// The strings with the texts of the blocks.
#[derive(Debug, Default)]
pub(crate) struct Blocks(Vec<Quoted>);

impl Blocks {
    pub(crate) fn push(&mut self, text: Quoted) {
        self.0.push(text);
    }

    pub(crate) fn into_texts(self) -> Vec<Quoted> {
        self.0
    }
}

/// Edits of each text: those found in it alone, and its part of those found in the joined text.
pub(crate) fn edits(texts: &[Cow<'_, str>], find: impl Fn(&str) -> Vec<Edit>) -> Vec<Vec<Edit>> {
    let all = texts.concat();
    let mut edits = Vec::new();
    let mut start = 0;
    for text in texts {
        edits.extend(find(text).into_iter().map(|edit| shifted(edit, start)));
        start += text.len();
    }
    edits.extend(find(&all));
    split(texts, &merged(&all, edits))
}

/// The part of each text in edits of the joined text.
pub(crate) fn split(texts: &[Cow<'_, str>], edits: &[Edit]) -> Vec<Vec<Edit>> {
    let mut end = 0;
    let parts = texts.iter().map(|text| {
        let start = end;
        end += text.len();
        part(edits, start, end)
    });
    parts.collect()
}

fn shifted(edit: Edit, by: usize) -> Edit {
    Edit { span: edit.span.start + by..edit.span.end + by, ..edit }
}

/// The part of the joined text's edits that lies between `start` and `end`.
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
