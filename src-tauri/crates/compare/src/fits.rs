//! Proof that a schema accepts a whole piece: a validator for pieces instead of values.
//!
//! `true` is certain; `false` means "not known". This file covers the keywords that combine
//! schemas, types and values.

use serde_json::{Map, Value};

use crate::accepts::accepts;
use crate::document::Place;
use crate::keyword::{Kind, Understanding, is_entangled, list, type_names, understanding};
use crate::number::Num;
use crate::piece::{Fact, Piece};
use crate::prover::Prover;
use crate::scalar::fits_scalar;
use crate::tags::is_clearly_disjoint;
use crate::values::Values;

/// Most integers tried one by one.
const MAX_TRIED: i128 = 100;

/// Most values tried one by one against a whole schema.
const MAX_ACCEPTED: usize = 200;

impl<'a> Prover<'a> {
    /// Returns whether the schema provably accepts the whole piece.
    pub(crate) fn fits(&mut self, piece: &Piece<'a>, schema: Place<'a>) -> bool {
        let map = match schema.value {
            Value::Bool(verdict) => return *verdict,
            Value::Object(map) => map,
            _ => return self.is_applied(piece, schema),
        };
        if !self.fuel.enter() {
            return false;
        }
        let fits = self.is_applied(piece, schema)
            || self.all_accepted(piece, schema)
            || map.iter().all(|(key, argument)| match understanding(key, argument) {
                Understanding::Annotation => true,
                Understanding::Understood => self.fits_keyword(piece, schema, map, key, argument),
                Understanding::Unknown => piece.holds(key, argument),
                Understanding::Uncertain => false,
            });
        self.fuel.leave();
        fits
    }

    fn all_accepted(&mut self, piece: &Piece<'a>, schema: Place<'a>) -> bool {
        let Some(values) = &piece.values else { return false };
        if values.len() > MAX_ACCEPTED {
            return false;
        }
        values.iter().all(|value| accepts(value, schema, &mut self.fuel) == Some(true))
    }

    /// Returns whether one keyword provably accepts the whole piece.
    pub(crate) fn fits_keyword(
        &mut self,
        piece: &Piece<'a>,
        schema: Place<'a>,
        map: &'a Map<String, Value>,
        key: &str,
        argument: &'a Value,
    ) -> bool {
        match key {
            "type" => fits_type(piece, argument),
            "const" => self.fits_values(piece, std::slice::from_ref(argument)),
            "enum" => self.fits_values(piece, list(map, "enum")),
            "$ref" => schema.target().is_some_and(|target| self.fits(piece, target)),
            "allOf" => list(map, key).iter().all(|one| self.fits(piece, schema.at(one))),
            "anyOf" => self.fits_any(piece, schema, list(map, key), 0),
            "oneOf" => self.fits_one(piece, schema, list(map, key), 0),
            "not" => self.is_disjoint(piece, schema.at(argument)),
            "if" => {
                self.fits_branch(piece, schema, Fact::Is(schema.at(argument)), "then")
                    && self.fits_branch(piece, schema, Fact::Not(schema.at(argument)), "else")
            }
            "unevaluatedProperties" if is_entangled(map) && !map.contains_key("additionalProperties") => {
                piece.kind != Kind::Object || self.fits_sealed(piece, schema, argument)
            }
            "unevaluatedItems" if is_entangled(map) => piece.kind != Kind::Array,
            _ => match piece.kind {
                Kind::Null | Kind::Boolean => true,
                Kind::Number | Kind::String => fits_scalar(piece, key, argument),
                Kind::Array => self.fits_array(piece, schema, map, key, argument),
                Kind::Object => self.fits_object(piece, schema, map, key, argument),
            },
        }
    }

    /// Returns whether the schema provably accepts nothing in the piece.
    pub(crate) fn is_disjoint(&mut self, piece: &Piece<'a>, schema: Place<'a>) -> bool {
        (self.fuel.spend(1) && is_clearly_disjoint(piece, schema))
            || self.pieces_with(piece, Fact::Is(schema)).is_empty()
    }

    fn fits_way(&mut self, piece: &Piece<'a>, schema: Place<'a>) -> bool {
        // Among many tagged alternatives, this excludes all but one quickly.
        self.fuel.spend(1) && !is_clearly_disjoint(piece, schema) && self.fits(piece, schema)
    }

    fn fits_branch(&mut self, piece: &Piece<'a>, schema: Place<'a>, condition: Fact<'a>, key: &str) -> bool {
        let Some(branch) = schema.under(key) else { return true };
        if self.fits(piece, branch) {
            return true;
        }
        let pieces = self.pieces_with(piece, condition);
        pieces.iter().all(|piece| self.fits(piece, branch))
    }

    fn fits_any(
        &mut self,
        piece: &Piece<'a>,
        schema: Place<'a>,
        branches: &'a [Value],
        split: usize,
    ) -> bool {
        if branches.iter().any(|branch| self.fits_way(piece, schema.at(branch))) {
            return true;
        }
        let Some(finer) = self.split(piece, split) else { return false };
        finer.iter().all(|piece| self.fits_any(piece, schema, branches, split + 1))
    }

    fn fits_one(
        &mut self,
        piece: &Piece<'a>,
        schema: Place<'a>,
        branches: &'a [Value],
        split: usize,
    ) -> bool {
        let chosen = branches.iter().position(|branch| self.fits_way(piece, schema.at(branch)));
        if let Some(chosen) = chosen {
            let mut others = branches.iter().enumerate().filter(|(position, _)| *position != chosen);
            if others.all(|(_, other)| self.is_disjoint(piece, schema.at(other))) {
                return true;
            }
        }
        let Some(finer) = self.split(piece, split) else { return false };
        finer.iter().all(|piece| self.fits_one(piece, schema, branches, split + 1))
    }

    fn fits_values(&mut self, piece: &Piece<'a>, allowed: &[Value]) -> bool {
        let allowed = Values::new(allowed);
        let among = |value: &Value| allowed.have(value) == Some(true);
        match &piece.values {
            Some(values) => {
                self.fuel.spend(values.len().saturating_mul(1 + allowed.effort()) / 16)
                    && values.iter().all(|value| among(value))
            }
            None => match (piece.whole, piece.lower(), piece.upper()) {
                (true, Some(lower), Some(upper)) => match (lower.at, upper.at) {
                    (Num::Whole(first), Num::Whole(last)) if last - first < MAX_TRIED => (first..=last)
                        .all(|whole| i64::try_from(whole).is_ok_and(|whole| among(&whole.into()))),
                    _ => false,
                },
                _ => false,
            },
        }
    }
}

fn fits_type(piece: &Piece<'_>, types: &Value) -> bool {
    if type_names(types, piece.kind.name()) {
        return true;
    }
    piece.kind == Kind::Number && type_names(types, "integer") && is_whole(piece)
}

/// Returns whether all numbers of a piece are integers.
pub(crate) fn is_whole(piece: &Piece<'_>) -> bool {
    let values = || {
        piece.values.as_ref().is_some_and(|values| {
            values.iter().all(|value| Num::from_value(value).is_some_and(Num::is_whole))
        })
    };
    let step =
        |value: &Value| Num::from_value(value).is_some_and(|step| step.is_precise() && step.is_whole());
    piece.whole || values() || piece.each("multipleOf").any(|(_, value)| step(value))
}
