//! The fields of an object, by name.
//!
//! Fields mostly arrive in the same order, so the next one is guessed, and names are compared by
//! their fingerprints.

use crate::distinct::written_length;
use crate::fingerprint::Fingerprint;
use crate::keys::looks_like_data;
use crate::node::Id;
use crate::tree::reserve;

/// Number of fields after the guess that are examined before the search by name.
const NEAR_FIELDS: usize = 12;

/// Fields of an object. The place of a field stays the same while no field is removed. Most nodes
/// have no fields.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fields(Option<Box<Names>>);

#[derive(Debug, Clone, Default)]
struct Names {
    /// Fields in order of arrival.
    list: Vec<Field>,
    /// Concatenated names of the fields.
    text: String,
    /// Places in the list, ordered by name.
    sorted: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Field {
    fingerprint: Fingerprint,
    id: Id,
    /// End of its name.
    end: u32,
    /// Place of the field that followed it last time.
    next: u16,
    /// Whether its key looks like data.
    data: bool,
    /// Whether it may be expected: its key does not look like data, and JSON writes it without
    /// escapes.
    known: bool,
}

/// A field that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FoundField {
    pub(crate) place: u32,
    pub(crate) id: Id,
    /// Whether its key looks like data.
    pub(crate) data: bool,
    /// Place of the field that followed it last time.
    pub(crate) next: usize,
}

impl Field {
    #[inline(always)]
    fn at(self, place: usize) -> FoundField {
        FoundField { place: place as u32, id: self.id, data: self.data, next: usize::from(self.next) }
    }
}

impl Names {
    fn text(&self, place: usize) -> &str {
        &self.text[self.range(place)]
    }

    #[inline(always)]
    fn bytes(&self, place: usize) -> &[u8] {
        &self.text.as_bytes()[self.range(place)]
    }

    #[inline(always)]
    fn range(&self, place: usize) -> std::ops::Range<usize> {
        let start = place.checked_sub(1).map_or(0, |before| self.list[before].end);
        start as usize..self.list[place].end as usize
    }

    #[inline(always)]
    fn is(&self, place: usize, field: &Field, fingerprint: Fingerprint, name: &str) -> bool {
        field.fingerprint == fingerprint && (fingerprint.is_whole() || self.text(place) == name)
    }

    fn search(&self, name: &str) -> Result<usize, usize> {
        let found = self.sorted.binary_search_by(|place| self.text(*place as usize).cmp(name));
        found.map(|at| self.sorted[at] as usize)
    }

    fn find(&self, name: &str, guess: usize) -> Option<FoundField> {
        let fingerprint = Fingerprint::of(name);
        for (place, field) in self.list.iter().enumerate().skip(guess).take(NEAR_FIELDS) {
            if self.is(place, field, fingerprint, name) {
                return Some(field.at(place));
            }
        }
        self.search(name).ok().map(|place| self.list[place].at(place))
    }

    fn push(&mut self, name: &str, id: Id) {
        if self.text.capacity() - self.text.len() < name.len() {
            self.text.reserve_exact(name.len() + self.text.len() / 8);
        }
        self.text.push_str(name);
        reserve(&mut self.list);
        let data = looks_like_data(name);
        self.list.push(Field {
            fingerprint: Fingerprint::of(name),
            id,
            end: self.text.len() as u32,
            next: (self.list.len() + 1) as u16,
            data,
            known: !data && written_length(name) == name.len(),
        });
    }
}

impl Fields {
    pub(crate) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |names| names.list.len())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the nodes of the fields, in order of arrival.
    pub(crate) fn ids(&self) -> impl Iterator<Item = Id> {
        self.0.iter().flat_map(|names| &names.list).map(|field| field.id)
    }

    /// Returns the field at the place `guess` and the length of its name, if `written` begins with
    /// the name as JSON writes it, followed by a quote and a colon. Never succeeds for keys that
    /// look like data, nor at the end of a document.
    #[inline(always)]
    pub(crate) fn expected(&self, guess: usize, written: &[u8]) -> Option<(FoundField, usize)> {
        let names = self.0.as_ref()?;
        let field = names.list.get(guess)?;
        let length = if field.fingerprint.is_whole() {
            field.fingerprint.begins(written, *b"\":")?
        } else {
            let name = names.bytes(guess);
            written.strip_prefix(name)?.strip_prefix(b"\":")?;
            name.len()
        };
        field.known.then(|| (field.at(guess), length))
    }

    /// Finds a field by name, beginning at `guess`, and remembers that it followed the field at
    /// `last`.
    pub(crate) fn find(&mut self, name: &str, guess: usize, last: u32) -> Option<FoundField> {
        let names = self.0.as_mut()?;
        let found = names.find(name, guess)?;
        if let Some(last) = names.list.get_mut(last as usize) {
            last.next = found.place as u16;
        }
        Some(found)
    }

    pub(crate) fn get(&self, name: &str) -> Option<Id> {
        self.place(name).map(|place| self.at(place).1)
    }

    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.0.as_ref()?.search(name).ok()
    }

    /// Returns the field at a place.
    pub(crate) fn at(&self, place: usize) -> (&str, Id) {
        self.0.as_ref().map_or(("", 0), |names| (names.text(place), names.list[place].id))
    }

    /// Adds a field that does not exist yet. Returns its place.
    pub(crate) fn insert(&mut self, name: &str, id: Id) -> u32 {
        let names = self.0.get_or_insert_default();
        let place = names.list.len() as u32;
        if let Err(at) = names.search(name) {
            reserve(&mut names.sorted);
            names.sorted.insert(at, place);
            names.push(name, id);
        }
        place
    }

    /// Removes the field added last.
    pub(crate) fn pop(&mut self) {
        let Some(names) = &mut self.0 else { return };
        names.list.pop();
        names.text.truncate(names.list.last().map_or(0, |last| last.end as usize));
        let left = names.list.len() as u32;
        names.sorted.retain(|place| *place < left);
        if left == 0 {
            self.0 = None;
        }
    }

    /// Returns the fields ordered by name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Id)> {
        self.places().iter().map(|place| self.at(*place as usize))
    }

    /// Returns the places ordered by name.
    pub(crate) fn places(&self) -> &[u32] {
        self.0.as_ref().map_or(&[], |names| &names.sorted)
    }

    /// Keeps the fields whose node has a new id.
    pub(crate) fn renumber(&mut self, new: impl Fn(Id) -> Option<Id>) {
        let Some(names) = &mut self.0 else { return };
        if names.list.iter().all(|field| new(field.id).is_some()) {
            names.list.iter_mut().for_each(|field| field.id = new(field.id).unwrap_or_default());
            return;
        }
        let mut left = Names::default();
        for (place, field) in names.list.iter().enumerate() {
            if let Some(id) = new(field.id) {
                left.push(names.text(place), id);
            }
        }
        let mut sorted: Vec<u32> = (0..left.list.len() as u32).collect();
        sorted.sort_by(|a, b| left.text(*a as usize).cmp(left.text(*b as usize)));
        left.sorted = sorted;
        **names = left;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: u32 = u32::MAX;
    const NAMES: [&str; 6] = ["repository_created_at", "id", "", "created_on", "repository_updated_at", "é"];

    fn fields() -> Fields {
        let mut fields = Fields::default();
        for (at, name) in NAMES.iter().enumerate() {
            assert_eq!(fields.insert(name, at as Id * 10), at as u32);
        }
        fields
    }

    #[test]
    fn field_is_found_from_any_guess() {
        let mut fields = fields();
        for guess in 0..9 {
            for (at, name) in NAMES.iter().enumerate() {
                let found = fields.find(name, guess, NONE).unwrap();
                assert_eq!((found.place, found.id), (at as u32, at as Id * 10));
            }
            assert_eq!(fields.find("repository_created_by", guess, NONE), None);
        }
        let names: Vec<&str> = fields.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["", "created_on", "id", "repository_created_at", "repository_updated_at", "é"]);
        assert_eq!(Fields::default().find("id", 0, NONE), None);
    }

    #[test]
    fn field_that_followed_another_is_expected_after_it() {
        let mut fields = fields();
        assert_eq!(fields.find("id", 0, NONE).unwrap().next, 2);
        fields.find("é", 2, 1);
        assert_eq!(fields.find("id", 0, NONE).unwrap().next, 5);
        for (at, name) in NAMES.iter().enumerate() {
            let written = format!("{name}\": \"some value, and something behind it\"");
            let expected = fields.expected(at, written.as_bytes());
            assert_eq!(expected.map(|(found, length)| (found.place, length)), Some((at as u32, name.len())));
            for other in (0..9).filter(|other| *other != at) {
                assert_eq!(fields.expected(other, written.as_bytes()), None);
            }
            assert_eq!(
                fields.expected(at, format!("{name}_\": \"some value, and something behind it\"").as_bytes()),
                None
            );
        }
        // In JSON the name would be written with an escape.
        fields.insert("a\"b", 60);
        assert_eq!(fields.expected(6, b"a\"b\": \"some value, and something behind it\""), None);
    }

    #[test]
    fn pop_removes_the_last_field() {
        let mut fields = fields();
        for (at, name) in NAMES.iter().enumerate().rev() {
            fields.pop();
            assert_eq!((fields.len(), fields.get(name)), (at, None));
            assert!(NAMES[..at].iter().all(|name| fields.get(name).is_some()));
        }
        assert_eq!(fields.insert("id", 7), 0);
    }

    #[test]
    fn removed_fields_leave_no_trace() {
        let mut fields = fields();
        fields.renumber(|id| (id != 10 && id != 40).then_some(id + 1));
        let left: Vec<(&str, Id)> = (0..fields.len()).map(|place| fields.at(place)).collect();
        assert_eq!(left, [("repository_created_at", 1), ("", 21), ("created_on", 31), ("é", 51)]);
        assert_eq!((fields.get("id"), fields.get("é")), (None, Some(51)));
        assert_eq!(fields.places(), [1, 2, 0, 3]);
    }
}
