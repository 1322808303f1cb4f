//! Proofs that one schema allows no more than another.
//!
//! A proof shows that a schema accepts every value that satisfies some facts. The facts are
//! converted to pieces that include at least those values, and each keyword of the schema is
//! checked against each piece. For recursive schemas, the claim being proven is assumed one level
//! further down in the *value*, which is sound because values are finite.

use std::collections::HashMap;

use crate::document::Place;
use crate::fuel::{Fuel, SCHEMAS_PER_STEP};
use crate::piece::{Fact, Piece};
use crate::same::same;

/// Most results that are cached.
const MAX_KNOWN: usize = 50_000;

/// Identifier of a list of facts.
pub(crate) type Key = Vec<(u8, usize)>;

/// Prover with a cache and a limit on its work.
pub(crate) struct Prover<'a> {
    /// Remaining work.
    pub(crate) fuel: Fuel,
    /// Schema that accepts every string, for the names of fields.
    pub(crate) text: Place<'a>,
    /// Lists of facts, and whether they are proven to be unsatisfiable.
    pub(crate) empties: HashMap<Key, bool>,
    /// Depth of the current proofs of emptiness.
    pub(crate) probing: usize,
    known: HashMap<(Key, usize), bool>,
    /// Claims being proven, outermost first. Each is about a value inside the value of the previous
    /// one.
    assumed: Vec<(Key, usize)>,
    /// Outermost assumption used since it was last reset.
    lowest: usize,
}

/// Returns the identifier of these facts.
pub(crate) fn key_of(facts: &[Fact<'_>]) -> Key {
    let mut key: Key = facts.iter().map(|fact| fact.key()).collect();
    key.sort_unstable();
    key.dedup();
    key
}

impl<'a> Prover<'a> {
    /// Creates a prover with this much fuel.
    pub(crate) fn new(fuel: Fuel, text: Place<'a>) -> Self {
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

    /// Returns whether `sup` provably accepts everything that `sub` accepts.
    pub(crate) fn schema_within(&mut self, sub: Place<'a>, sup: Place<'a>) -> bool {
        self.within(&[Fact::Is(sub)], sup)
    }

    /// Returns whether everything that satisfies the facts `sub` provably satisfies all facts
    /// `sup`.
    pub(crate) fn facts_within(&mut self, sub: &[Fact<'a>], sup: &[Fact<'a>]) -> bool {
        sup.iter().all(|fact| match fact {
            Fact::Is(place) => self.within(sub, *place),
            Fact::Not(_) | Fact::Kind(_) | Fact::Equals(_) => false,
        })
    }

    /// Returns whether everything that satisfies one of the lists `sub` provably satisfies one of
    /// the lists `sup`.
    pub(crate) fn ways_within(&mut self, sub: &[Vec<Fact<'a>>], sup: &[Vec<Fact<'a>>]) -> bool {
        sub.iter().all(|facts| {
            sup.iter().any(|way| self.facts_within(facts, way))
                || (sup.len() > 1 && {
                    let pieces = self.pieces(facts);
                    pieces.iter().all(|piece| sup.iter().any(|way| self.fits_facts(piece, way)))
                })
        })
    }

    fn fits_facts(&mut self, piece: &Piece<'a>, facts: &[Fact<'a>]) -> bool {
        facts.iter().all(|fact| match fact {
            Fact::Is(place) => self.fits(piece, *place),
            Fact::Kind(kind) => piece.kind == *kind,
            Fact::Not(_) | Fact::Equals(_) => false,
        })
    }

    /// Returns the pieces of all values that satisfy one of the lists.
    pub(crate) fn all_pieces(&mut self, ways: &[Vec<Fact<'a>>]) -> Vec<Piece<'a>> {
        ways.iter().flat_map(|facts| self.pieces(facts)).collect()
    }

    /// Returns whether two lists of facts are the same, except for the place of their schemas.
    pub(crate) fn alike(&mut self, one: &[Fact<'a>], two: &[Fact<'a>]) -> bool {
        one.len() == two.len()
            && one.iter().zip(two).all(|(one, two)| match (one, two) {
                (Fact::Is(one), Fact::Is(two)) => same(*one, *two, &mut self.fuel),
                _ => one.key() == two.key(),
            })
    }

    /// Returns whether the schema provably accepts everything that satisfies the facts.
    ///
    /// Only called for the whole value, or for a value inside the one of the enclosing call.
    pub(crate) fn within(&mut self, sub: &[Fact<'a>], sup: Place<'a>) -> bool {
        if is_anything(sup) || sub.iter().any(|fact| self.is_same_fact(*fact, sup)) {
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
        // A result that depends on an outer assumption is valid only as long as that assumption.
        let stands = !proven || self.lowest >= level;
        if let Some(claim) = claim.filter(|_| stands && self.known.len() < MAX_KNOWN) {
            self.known.insert(claim, proven);
        }
        self.lowest = if proven && !stands { self.lowest.min(before) } else { before };
        self.fuel.leave();
        proven
    }

    /// Starts to track assumptions. [`Prover::recall_lowest`] restores the earlier tracking.
    pub(crate) fn forget_lowest(&mut self) -> usize {
        std::mem::replace(&mut self.lowest, usize::MAX)
    }

    /// Ends tracking. Returns whether an assumption was used.
    pub(crate) fn recall_lowest(&mut self, before: usize) -> bool {
        let used = self.lowest != usize::MAX;
        self.lowest = self.lowest.min(before);
        used
    }

    fn is_same_fact(&mut self, fact: Fact<'a>, schema: Place<'a>) -> bool {
        matches!(fact, Fact::Is(place) if same(place, schema, &mut self.fuel))
    }

    /// Returns whether one of the schemas known to accept a piece is the same as this one.
    pub(crate) fn is_applied(&mut self, piece: &Piece<'a>, schema: Place<'a>) -> bool {
        // Telling two schemas apart is cheap, but there may be many.
        self.fuel.spend(1 + piece.applied.len() / SCHEMAS_PER_STEP)
            && piece.applied.iter().any(|place| same(*place, schema, &mut self.fuel))
    }
}

/// Returns whether a schema is one of the two ways to write "anything".
pub(crate) fn is_anything(schema: Place<'_>) -> bool {
    match schema.value {
        serde_json::Value::Bool(verdict) => *verdict,
        serde_json::Value::Object(map) => map.is_empty(),
        _ => false,
    }
}
