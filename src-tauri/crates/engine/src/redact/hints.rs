//! Where a look is worth while: words that tell of secrets, `@`, values known beforehand.
//!
//! Looked for in all of a document at once, which is quicker than in string after string. Owns: these places.
//! Refuses to know: what is there.

use super::Redactor;
use super::spans::Span;

/// Places of hints, in order.
pub(super) struct Hints {
    places: Vec<usize>,
    /// The first that is not passed yet.
    next: usize,
}

impl Hints {
    /// All there are around a place that is not looked into.
    pub(super) fn around(redactor: &Redactor, json: &str, skipped: Span) -> Self {
        let mut places = Vec::new();
        for part in [0..skipped.start, skipped.end..json.len()] {
            let text = &json[part.clone()];
            let from = places.len();
            places.extend(redactor.words.find_iter(text).map(|found| found.start()));
            places.extend(memchr::memchr_iter(b'@', text.as_bytes()));
            places.extend(redactor.known.find(text).map(|span| span.start));
            places[from..].iter_mut().for_each(|at| *at += part.start);
        }
        places.sort_unstable();
        Self { places, next: 0 }
    }

    /// Whether there is one in a place. Places are asked for in order, but for some that come late.
    pub(super) fn are_in(&mut self, span: &Span) -> bool {
        if self.next.checked_sub(1).is_some_and(|before| self.places[before] >= span.start) {
            self.next = self.places.partition_point(|&place| place < span.start);
        }
        while self.places.get(self.next).is_some_and(|&place| place < span.start) {
            self.next += 1;
        }
        self.places.get(self.next).is_some_and(|&place| place < span.end)
    }
}
