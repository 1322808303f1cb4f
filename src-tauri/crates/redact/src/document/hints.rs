//! Places in a document that are worth a closer look: trigger words, `@` and configured values.
//!
//! The whole document is searched at once, which is faster than searching string by string.

use crate::Redactor;
use crate::edits::Span;

/// Places that are worth a closer look, in order.
pub(crate) struct Hints {
    places: Vec<usize>,
    /// Index of the first place that the walk has not passed.
    next: usize,
}

impl Hints {
    /// Finds all places outside of a span.
    pub(crate) fn outside(redactor: &Redactor, json: &str, skipped: Span) -> Self {
        let mut places = Vec::new();
        for part in [0..skipped.start, skipped.end..json.len()] {
            let text = &json[part.clone()];
            let from = places.len();
            places.extend(redactor.trigger_words.find_iter(text).map(|found| found.start()));
            places.extend(memchr::memchr_iter(b'@', text.as_bytes()));
            places.extend(redactor.configured.find(text).map(|span| span.start));
            places[from..].iter_mut().for_each(|at| *at += part.start);
        }
        places.sort_unstable();
        Self { places, next: 0 }
    }

    /// Whether a span contains such a place. Most spans are asked for in order; going back is slower.
    pub(crate) fn any_in(&mut self, span: &Span) -> bool {
        if self.next.checked_sub(1).is_some_and(|before| self.places[before] >= span.start) {
            self.next = self.places.partition_point(|&place| place < span.start);
        }
        while self.places.get(self.next).is_some_and(|&place| place < span.start) {
            self.next += 1;
        }
        self.places.get(self.next).is_some_and(|&place| place < span.end)
    }
}
