//! Shapes for others: all counts and structure, and none of the values.
//!
//! In a veiled shape keyed hashes stand for values and for keys that are data: those that look like it, and those
//! of objects that are maps. Ranges and examples are left out. Veiling goes with merging: shapes merged and then
//! veiled are what veiled shapes merge to, byte for byte, as long as the same objects are taken for maps. Owns:
//! what is hidden, and what stands for it. Refuses to know: whom shapes are for.

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
pub use schema::schema_without_values;

/// What is not told of a shape besides values: the names of the fields of these objects, by hash of path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Veil(BTreeSet<u64>);

impl Veil {
    /// Whether the names of a node's fields are not told.
    pub(crate) fn hides(&self, node: &Node) -> bool {
        self.0.contains(&node.rank.hash)
    }

    /// The name of a field, or what stands for it. Where something stands for it already that stays.
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

/// What hides all that either hides.
pub(crate) fn both(one: Option<&Veil>, other: Option<&Veil>) -> Veil {
    Veil(one.into_iter().chain(other).flat_map(|veil| veil.0.iter().copied()).collect())
}

impl Shape {
    /// Whether values are not told.
    pub fn is_veiled(&self) -> bool {
        self.tree.veil.is_some()
    }

    /// The same for others: without values, and without keys that are data.
    pub fn veiled(&self) -> Self {
        let tree = self.view();
        let maps = tree.nodes().filter(|(id, node)| !node.fields.is_empty() && is_map(tree, *id));
        let maps = Veil(maps.map(|(_, node)| node.rank.hash).collect());
        let mut veiled = self.clone();
        veiled.draw(&both(self.tree.veil.as_ref(), Some(&maps)));
        veiled
    }

    pub(crate) fn draw(&mut self, veil: &Veil) {
        if self.tree.veil.as_ref() == Some(veil) {
            return;
        }
        let written = self.to_state_with(None, Some(veil.clone()));
        // What is written here is read.
        if let Ok(veiled) = Self::read(&written, Some(self.tree.key)) {
            *self = veiled;
        }
    }
}

/// How what stands for something begins: for a key that looks like data, one that certainly is, one that looks
/// like a name; and for a value. Those of data look like data themselves.
const DATA: &str = "⟦k ";
const CERTAIN: &str = "⟦c ";
const WORD: &str = "⟦w";
const VALUE: &str = "⟦v";
const END: char = '⟧';

/// Letters for hexadecimal digits: a name with digits would look like data.
fn pseudonym(kind: &str, hash: u64) -> String {
    let letters = (0..16).rev().map(|at| char::from(b'a' + (hash >> (4 * at) & 15) as u8));
    kind.chars().chain(letters).chain([END]).collect()
}

/// What stands for a value.
pub(crate) fn of_value(text: &str, key: HashKey) -> String {
    pseudonym(VALUE, key.token(text))
}

/// The hash of the path of a field, where that stands for its name.
pub(crate) fn hash(name: &str) -> Option<u64> {
    [DATA, CERTAIN, WORD].iter().find_map(|kind| read(name, kind))
}

/// Whether something stands for a name or value here.
pub(crate) fn is_pseudonym(text: &str) -> bool {
    hash(text).is_some() || read(text, VALUE).is_some()
}

/// Whether it stands for a key that certainly was data.
pub(crate) fn was_certainly_data(name: &str) -> bool {
    read(name, CERTAIN).is_some()
}

fn read(text: &str, kind: &str) -> Option<u64> {
    let letters = text.strip_prefix(kind)?.strip_suffix(END)?.as_bytes();
    let digit =
        |hash: u64, letter: &u8| Some(hash << 4 | u64::from(letter.checked_sub(b'a').filter(|at| *at < 16)?));
    (letters.len() == 16).then(|| letters.iter().try_fold(0, digit)).flatten()
}
