//! Cutting a piece into finer ones, when only together several alternatives allow it.
//!
//! Owns: what can be told apart: values, and the values of a field that tags the alternatives. Refuses to
//! know: the alternatives.

use serde_json::Value;

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
        for name in required {
            if piece.pins.iter().any(|(pinned, _)| *pinned == name) {
                continue;
            }
            let facts = self.field(piece, name);
            if let Some(tags) = self.few(&facts) {
                let pin = |tag| {
                    let mut finer = piece.clone();
                    finer.pins.push((name, tag));
                    finer
                };
                let mut finer: Vec<Piece<'a>> = tags.into_iter().map(pin).collect();
                finer.retain(|piece| !self.is_hopeless(piece));
                return Some(finer);
            }
        }
        None
    }

    /// The values all the facts hold of, where those are few but several.
    fn few(&mut self, facts: &[Fact<'a>]) -> Option<Vec<&'a Value>> {
        let mut few = Vec::new();
        for piece in self.pieces(facts) {
            few.extend(piece.values?);
            if few.len() > MAX_TAGS {
                return None;
            }
        }
        (few.len() > 1).then_some(few)
    }
}
