//! Splitting of a piece into finer ones, for when several alternatives accept it only together.
//!
//! Pieces are split by value, or by the values of a field that tags the alternatives.

use serde_json::Value;

use crate::keyword::Kind;
use crate::piece::{Fact, Piece};
use crate::prover::Prover;

/// Most times a piece is split.
const MAX_SPLITS: usize = 2;

/// Most values of a tag.
const MAX_TAGS: usize = 64;

/// Most fields tried as tag.
const MAX_TRIED: usize = 8;

impl<'a> Prover<'a> {
    /// Splits a piece. Returns `None` if it cannot be split, or was split often enough.
    pub(crate) fn split(&mut self, piece: &Piece<'a>, splits: usize) -> Option<Vec<Piece<'a>>> {
        if splits >= MAX_SPLITS || self.fuel.is_spent() {
            return None;
        }
        if let Some(values) = &piece.values {
            let one = |value: &&'a Value| Piece { values: Some(vec![*value]), ..piece.clone() };
            return (values.len() > 1).then(|| values.iter().map(one).collect());
        }
        let required: Vec<&str> = piece.required().into_iter().take(MAX_TRIED).collect();
        let fields: Vec<_> = required.iter().map(|name| (*name, self.field(piece, name))).collect();
        let tagged = fields.iter().find_map(|(name, facts)| self.few(facts).map(|few| (*name, few)));
        let (name, facts) = match tagged {
            Some(tagged) => tagged,
            None => fields.iter().find_map(|(name, facts)| self.kinds(facts).map(|kinds| (*name, kinds)))?,
        };
        let pin = |fact| {
            let mut finer = piece.clone();
            finer.pins.push((name, fact));
            finer
        };
        let mut finer: Vec<Piece<'a>> = facts.into_iter().map(pin).collect();
        finer.retain(|piece| !self.is_empty_piece(piece));
        Some(finer)
    }

    /// Returns the kinds of the values that satisfy all facts, if there are several but not all
    /// kinds.
    fn kinds(&mut self, facts: &[Fact<'a>]) -> Option<Vec<Fact<'a>>> {
        let pieces = self.pieces(facts);
        let there = |kind: &Kind| pieces.iter().any(|piece| piece.kind == *kind);
        let kinds: Vec<_> = Kind::ALL.into_iter().filter(there).map(Fact::Kind).collect();
        (kinds.len() > 1 && kinds.len() < Kind::ALL.len()).then_some(kinds)
    }

    /// Returns the values that satisfy all facts, if there are at least two but not many.
    fn few(&mut self, facts: &[Fact<'a>]) -> Option<Vec<Fact<'a>>> {
        let mut few: Vec<&'a Value> = Vec::new();
        for piece in self.pieces(facts) {
            few.extend(piece.values?);
            if few.len() > MAX_TAGS {
                return None;
            }
        }
        (few.len() > 1).then(|| few.into_iter().map(Fact::Equals).collect())
    }
}
