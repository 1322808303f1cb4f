//! Which fields of an object come together: those seen with a field, and those that always were.
//!
//! Both are sets that only grow or only shrink, so the same object counts once or often alike, and merging is exact
//! in every order. Fields are numbered by their place among the object's fields, one bit each.

use serde::{Deserialize, Serialize};

/// Most sets of fields that are remembered as known.
const KNOWN: usize = 4;

/// Companions of each field.
#[derive(Debug, Clone, Default)]
pub(crate) struct Companions {
    /// Empty once an object was not counted.
    fields: Vec<Companion>,
    /// Whether an object was not counted, so nothing is known, and never will be.
    lost: bool,
    /// Some sets of fields that would change nothing. Never part of the state.
    known: [u64; KNOWN],
}

/// Fields seen in an object with a field, and fields in all of these objects, itself among both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Companion {
    #[serde(rename = "w")]
    pub(crate) with: u64,
    #[serde(rename = "a")]
    pub(crate) always: u64,
}

impl Companion {
    /// That of a field not seen so far.
    const UNSEEN: Self = Self { with: 0, always: u64::MAX };

    fn merge(&mut self, theirs: Self) {
        self.with |= theirs.with;
        self.always &= theirs.always;
    }

    /// Returns the same with fields at other places.
    fn moved(self, place: impl Fn(usize) -> Option<usize>) -> Self {
        let moved = |set: u64| bits(set).filter_map(&place).fold(0, |set, place| set | 1 << place);
        if self == Self::UNSEEN { self } else { Self { with: moved(self.with), always: moved(self.always) } }
    }
}

/// Returns where a set of fields is remembered.
fn place_of(fields: u64) -> usize {
    (fields.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 62) as usize
}

/// Returns the places in a set.
fn bits(set: u64) -> impl Iterator<Item = usize> {
    (0..u64::BITS as usize).filter(move |at| set >> at & 1 == 1)
}

impl Companions {
    /// Returns those of objects that were not counted.
    pub(crate) fn lost() -> Self {
        Self { lost: true, ..Self::default() }
    }

    /// Returns what is known of a field; `None` if not all objects were counted.
    pub(crate) fn of(&self, place: usize) -> Option<Companion> {
        (!self.lost).then(|| self.at(place))
    }

    fn at(&self, place: usize) -> Companion {
        self.fields.get(place).copied().unwrap_or(Companion::UNSEEN)
    }

    /// Returns whether an object with these fields was seen lately.
    #[inline]
    fn remember(&self, fields: u64) -> bool {
        self.known[place_of(fields)] == fields
    }

    /// Returns whether an object with these fields would change nothing.
    #[inline]
    pub(crate) fn know(&self, fields: u64) -> bool {
        self.remember(fields) || self.lost || self.know_all(fields)
    }

    #[cold]
    fn know_all(&self, fields: u64) -> bool {
        let knows = |place| {
            let Companion { with, always } = self.at(place);
            fields & !with == 0 && always & !fields == 0
        };
        bits(fields).all(knows)
    }

    /// Adds an object with these fields.
    #[inline]
    pub(crate) fn add(&mut self, fields: u64) {
        if !self.remember(fields) && !self.lost {
            self.add_new(fields);
        }
    }

    #[cold]
    fn add_new(&mut self, fields: u64) {
        self.known[place_of(fields)] = fields;
        if !self.know_all(fields) {
            bits(fields)
                .for_each(|place| self.merge_field(place, Companion { with: fields, always: fields }));
        }
    }

    /// Adds those of other objects. `place` maps their places to ours.
    pub(crate) fn merge(&mut self, theirs: &Self, place: impl Fn(usize) -> Option<usize>) {
        if theirs.lost || self.lost {
            *self = Self::lost();
            return;
        }
        for (at, companion) in theirs.fields.iter().enumerate() {
            if let Some(ours) = place(at) {
                self.merge_field(ours, companion.moved(&place));
            }
        }
    }

    fn merge_field(&mut self, place: usize, companion: Companion) {
        if place >= self.fields.len() {
            self.fields.reserve_exact(place + 1 - self.fields.len());
            self.fields.resize(place + 1, Companion::UNSEEN);
        }
        self.fields[place].merge(companion);
    }

    /// Returns the companions in the order of a list of places; none if they are not known.
    pub(super) fn write(&self, places: &[u32]) -> Vec<Companion> {
        if self.lost {
            return Vec::new();
        }
        let at = |place: usize| places.iter().position(|written| *written as usize == place);
        places.iter().map(|place| self.at(*place as usize).moved(at)).collect()
    }

    /// Reads the written form for so many fields.
    pub(super) fn read(written: Vec<Companion>, fields: usize) -> Self {
        if written.len() != fields {
            return Self::lost();
        }
        let within = |at: usize| Some(at).filter(|at| *at < fields);
        let fields = written.into_iter().map(|companion| companion.moved(within)).collect();
        Self { fields, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_change_nothing_once_they_are_known() {
        let mut companions = Companions::default();
        for object in [0b0011, 0b0101, 0b1000] {
            assert!(!companions.know(object));
            companions.add(object);
            assert!(companions.know(object));
        }
        let of = |place| companions.of(place).unwrap();
        assert_eq!(of(0), Companion { with: 0b0111, always: 0b0001 });
        assert_eq!(of(1), Companion { with: 0b0011, always: 0b0011 });
        assert_eq!(of(3), Companion { with: 0b1000, always: 0b1000 });
        assert_eq!(of(4), Companion::UNSEEN);
        assert!(companions.know(0b0011) && companions.know(0) && !companions.know(0b0111));
    }

    #[test]
    fn merging_maps_places_and_nothing_is_known_once_an_object_was_not_counted() {
        let (mut ours, mut theirs) = (Companions::default(), Companions::default());
        ours.add(0b011);
        theirs.add(0b101);
        // Their fields 0 and 2 are our fields 1 and 3.
        ours.merge(&theirs, |at| Some(at + 1));
        assert_eq!(ours.of(1), Some(Companion { with: 0b1011, always: 0b0010 }));
        assert_eq!(ours.of(3), Some(Companion { with: 0b1010, always: 0b1010 }));
        assert_eq!(
            Companions::read(ours.write(&[3, 1, 0]), 3).of(0),
            Some(Companion { with: 0b011, always: 0b011 })
        );
        ours.merge(&Companions::lost(), Some);
        ours.add(0b1000);
        assert_eq!((ours.of(3), ours.know(0b1111), ours.write(&[0]).len()), (None, true, 0));
    }
}
