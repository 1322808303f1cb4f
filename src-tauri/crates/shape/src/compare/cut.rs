//! Cutting a piece into finer ones, when only together several alternatives allow it.
//!
//! Owns: what can be told apart: values, and the values of a field that tags the alternatives. Refuses to
//! know: the alternatives.

use serde_json::Value;

use super::keyword::Kind;
use super::piece::{Fact, Piece};
use super::prover::Prover;

/// Times a piece is cut.
const MAX_CUTS: usize = 2;

/// Values a tag may have.
const MAX_TAGS: usize = 64;

/// Fields that are tried as tag.
const MAX_TRIED: usize = 8;

impl<'a> Prover<'a> {
    /// Finer pieces that are the piece together; none when it cannot be cut or was cut often enough.
    pub(super) fn cut(&mut self, piece: &Piece<'a>, cuts: usize) -> Option<Vec<Piece<'a>>> {
        if cuts >= MAX_CUTS || self.fuel.is_spent() {
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
        finer.retain(|piece| !self.is_hopeless(piece));
        Some(finer)
    }

    /// The kinds of what all the facts hold of, where there are several but not all.
    fn kinds(&mut self, facts: &[Fact<'a>]) -> Option<Vec<Fact<'a>>> {
        let pieces = self.pieces(facts);
        let there = |kind: &Kind| pieces.iter().any(|piece| piece.kind == *kind);
        let kinds: Vec<_> = Kind::ALL.into_iter().filter(there).map(Fact::Kind).collect();
        (kinds.len() > 1 && kinds.len() < Kind::ALL.len()).then_some(kinds)
    }

    /// The values all the facts hold of, where those are few but several.
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
