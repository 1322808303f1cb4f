//! Proofs that one schema allows no more than another.
//!
//! What is proven is "every value these facts hold of, that schema allows". The facts are taken apart into
//! pieces that stand for at least the values meant; the schema is then asked keyword by keyword whether it
//! allows each piece. Recursion through references is met by assuming, one level of the *value* further
//! down, what is being proven: sound because values are finite.
//!
//! Owns: that order of things, what was proven already, and what is assumed. Refuses to know: keywords.

use std::collections::HashMap;

use super::document::Place;
use super::fuel::Fuel;
use super::piece::{Fact, Piece};
use super::same::same;

/// Results that are remembered.
const MAX_KNOWN: usize = 50_000;

/// What names a list of facts.
pub(super) type Key = Vec<(u8, usize)>;

/// Proves, remembers, and gives up in time.
pub(super) struct Prover<'a> {
    /// What may still be done.
    pub(super) fuel: Fuel,
    /// A schema all text fits, for the names of fields.
    pub(super) text: Place<'a>,
    /// Facts known to hold of nothing, or not known to.
    pub(super) empties: HashMap<Key, bool>,
    /// Levels of emptiness proofs under way.
    pub(super) probing: usize,
    known: HashMap<(Key, usize), bool>,
    /// What is being proven, outermost first. Each is about a value inside the value of the one before.
    assumed: Vec<(Key, usize)>,
    /// The outermost assumption used since it was last reset.
    lowest: usize,
}

/// What names these facts.
pub(super) fn key_of(facts: &[Fact<'_>]) -> Key {
    let mut key: Key = facts.iter().map(|fact| fact.key()).collect();
    key.sort_unstable();
    key.dedup();
    key
}

impl<'a> Prover<'a> {
    /// A prover with this much fuel.
    pub(super) fn new(fuel: Fuel, text: Place<'a>) -> Self {
        Self {
            fuel,
            text,
            empties: HashMap::new(),
            probing: 0,
            known: HashMap::new(),
            assumed: Vec::new(),
            lowest: usize::MAX,
        }
    }

    /// Whether everything the one schema allows, the other allows too.
    pub(super) fn schema_within(&mut self, sub: Place<'a>, sup: Place<'a>) -> bool {
        self.within(&[Fact::Is(sub)], sup)
    }

    /// Whether everything the facts hold of, all of the other facts hold of too.
    pub(super) fn facts_within(&mut self, sub: &[Fact<'a>], sup: &[Fact<'a>]) -> bool {
        sup.iter().all(|fact| match fact {
            Fact::Is(place) => self.within(sub, *place),
            Fact::Not(_) | Fact::Kind(_) | Fact::Equals(_) => false,
        })
    }

    /// Whether the schema allows everything the facts hold of.
    ///
    /// Only ever called for the whole, or for a value inside the one of the call around it.
    pub(super) fn within(&mut self, sub: &[Fact<'a>], sup: Place<'a>) -> bool {
        if is_anything(sup) || sub.iter().any(|fact| self.is_said(*fact, sup)) {
            return true;
        }
        let claim = (key_of(sub), sup.address());
        if let Some(known) = self.known.get(&claim) {
            return *known;
        }
        if let Some(level) = self.assumed.iter().position(|assumed| *assumed == claim) {
            self.lowest = self.lowest.min(level);
            return true;
        }
        if !self.fuel.enter() {
            return false;
        }
        let level = self.assumed.len();
        let before = self.forget_lowest();
        self.assumed.push(claim);
        let pieces = self.pieces(sub);
        let proven = pieces.iter().all(|piece| self.fits(piece, sup));
        let claim = self.assumed.pop();
        // What rests on an assumption further out holds only as long as that one does.
        let stands = !proven || self.lowest >= level;
        if let Some(claim) = claim.filter(|_| stands && self.known.len() < MAX_KNOWN) {
            self.known.insert(claim, proven);
        }
        self.lowest = if proven && !stands { self.lowest.min(before) } else { before };
        self.fuel.leave();
        proven
    }

    /// Starts watching for assumptions; what was used before comes back with [`Prover::recall_lowest`].
    pub(super) fn forget_lowest(&mut self) -> usize {
        std::mem::replace(&mut self.lowest, usize::MAX)
    }

    /// Stops watching: whether an assumption was used meanwhile.
    pub(super) fn recall_lowest(&mut self, before: usize) -> bool {
        let used = self.lowest != usize::MAX;
        self.lowest = self.lowest.min(before);
        used
    }

    fn is_said(&mut self, fact: Fact<'a>, schema: Place<'a>) -> bool {
        matches!(fact, Fact::Is(place) if same(place, schema, &mut self.fuel))
    }

    /// Whether one of the schemas that are known to allow a piece says the same as this one.
    pub(super) fn is_applied(&mut self, piece: &Piece<'a>, schema: Place<'a>) -> bool {
        piece.applied.iter().any(|place| same(*place, schema, &mut self.fuel))
    }
}

/// Whether a schema is one of the two ways to write "anything".
pub(super) fn is_anything(schema: Place<'_>) -> bool {
    match schema.value {
        serde_json::Value::Bool(verdict) => *verdict,
        serde_json::Value::Object(map) => map.is_empty(),
        _ => false,
    }
}
