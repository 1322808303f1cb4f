//! Veiled shapes, for sharing: all counts and the structure, but no values.
//!
//! In a veiled shape, keyed hashes replace values and keys that are data: keys that look like it,
//! and those of objects that are maps. Ranges and examples are left out. Veiling commutes with
//! merging: merging and then veiling gives the same bytes as merging veiled shapes, as long as the
//! same objects are considered maps.

mod schema;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::emit::{is_certainly_data, is_map};
use crate::node::{Node, Step};
use crate::rank::HashKey;
use crate::shape::Shape;
use crate::state::InvalidState;
pub use schema::schema_without_values;

/// What a veiled shape hides besides values: the field names of these objects, by hash of path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Veil(pub(crate) BTreeSet<u64>);

impl Veil {
    /// Returns whether the names of a node's fields are hidden.
    pub(crate) fn hides(&self, node: &Node) -> bool {
        self.0.contains(&node.rank.hash)
    }

    /// Returns the name of a field, or its pseudonym. An existing pseudonym stays.
    pub(crate) fn name<'n>(&self, parent: &Node, name: &'n str, field: &Node, veiled: bool) -> Cow<'n, str> {
        let data = field.step == (Step::Field { data: true });
        let stands_for = hash(name).is_some();
        if veiled && stands_for || !data && !stands_for && !self.hides(parent) {
            return name.into();
        }
        let kind = match (data, is_certainly_data(name)) {
            (true, true) => CERTAIN,
            (true, false) => DATA,
            (false, _) => WORD,
        };
        pseudonym(kind, field.rank.hash).into()
    }
}

/// Returns the veil that hides everything that either one hides.
pub(crate) fn both(one: Option<&Veil>, other: Option<&Veil>) -> Veil {
    Veil(one.into_iter().chain(other).flat_map(|veil| veil.0.iter().copied()).collect())
}

impl Shape {
    /// Returns whether values are hidden.
    pub fn is_veiled(&self) -> bool {
        self.tree.veil.is_some()
    }

    /// Returns the same shape without values, and without keys that are data.
    pub fn veiled(&self) -> Self {
        let kept = self.kept();
        let tree = self.view(&kept);
        let maps = tree.nodes().filter(|(id, node)| !node.fields.is_empty() && is_map(tree, *id));
        let maps = Veil(maps.map(|(_, node)| node.rank.hash).collect());
        let mut veiled = self.clone();
        if veiled.apply_veil(&both(self.tree.veil.as_ref(), Some(&maps))).is_err() {
            // What cannot be veiled is not shared.
            veiled = Self::with_key(self.tree.key);
            veiled.tree.veil = Some(maps);
        }
        veiled
    }

    /// Hides more. After an error the shape is as it was.
    pub(crate) fn apply_veil(&mut self, veil: &Veil) -> Result<(), InvalidState> {
        if self.tree.veil.as_ref() != Some(veil) {
            *self = self.with_veil(veil)?;
        }
        Ok(())
    }
}

/// Beginnings of pseudonyms: for a key that looks like data, a key that certainly is data, and a
/// key that looks like a name; and for a value. Pseudonyms of data look like data themselves.
const DATA: &str = "⟦k ";
const CERTAIN: &str = "⟦c ";
const WORD: &str = "⟦w";
const VALUE: &str = "⟦v";
const END: char = '⟧';

/// Returns a pseudonym with letters for hexadecimal digits, because a name with digits would look
/// like data.
fn pseudonym(kind: &str, hash: u64) -> String {
    let letters = (0..16).rev().map(|at| char::from(b'a' + (hash >> (4 * at) & 15) as u8));
    kind.chars().chain(letters).chain([END]).collect()
}

/// Returns the pseudonym of a value.
pub(crate) fn of_value(text: &str, key: HashKey) -> String {
    pseudonym(VALUE, key.token(text))
}

/// Returns the hash of a field's path, if the name is a pseudonym.
pub(crate) fn hash(name: &str) -> Option<u64> {
    [DATA, CERTAIN, WORD].iter().find_map(|kind| read(name, kind))
}

/// Returns whether a name or value is a pseudonym.
pub(crate) fn is_pseudonym(text: &str) -> bool {
    hash(text).is_some() || read(text, VALUE).is_some()
}

/// Returns whether a name is the pseudonym of a key that certainly was data.
pub(crate) fn was_certainly_data(name: &str) -> bool {
    read(name, CERTAIN).is_some()
}

/// Returns whether a name is the pseudonym of a key that was data, certainly or not.
pub(crate) fn was_data(name: &str) -> bool {
    read(name, DATA).is_some() || was_certainly_data(name)
}

fn read(text: &str, kind: &str) -> Option<u64> {
    let letters = text.strip_prefix(kind)?.strip_suffix(END)?.as_bytes();
    let digit =
        |hash: u64, letter: &u8| Some(hash << 4 | u64::from(letter.checked_sub(b'a').filter(|at| *at < 16)?));
    (letters.len() == 16).then(|| letters.iter().try_fold(0, digit)).flatten()
}
