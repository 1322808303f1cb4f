//! Whether a schema allows a whole piece: the validator, with a piece in the place of a value.
//!
//! Owns: the keywords that combine schemas, and types and values. Says yes only where it is certain; no means
//! "not known". Refuses to know: the keywords of numbers, text, arrays and objects, which are beside it.

use serde_json::{Map, Value};

use super::accepts::accepts;
use super::document::Place;
use super::keyword::{Kind, Standing, is_entangled, list, standing, type_names};
use super::number::Num;
use super::piece::{Fact, Piece};
use super::prover::Prover;
use super::scalar::fits_scalar;
use super::tags::is_contrary;
use super::values::Values;

/// Integers that are tried one by one.
const MAX_TRIED: i128 = 100;

/// Values that are tried one by one against a whole schema.
const MAX_ACCEPTED: usize = 200;

impl<'a> Prover<'a> {
    /// Whether the schema is known to allow all of the piece.
    pub(super) fn fits(&mut self, piece: &Piece<'a>, schema: Place<'a>) -> bool {
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
            || map.iter().all(|(key, argument)| match standing(key, argument) {
                Standing::Silent => true,
                Standing::Understood => self.fits_keyword(piece, schema, map, key, argument),
                Standing::Unknown => piece.holds(key, argument),
                Standing::Puzzling => false,
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

    /// Whether one keyword is known to allow all of the piece.
    pub(super) fn fits_keyword(
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
            "not" => self.is_apart(piece, schema.at(argument)),
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

    /// Whether nothing in the piece is allowed by the schema.
    pub(super) fn is_apart(&mut self, piece: &Piece<'a>, schema: Place<'a>) -> bool {
        (self.fuel.spend(1) && is_contrary(piece, schema)) || self.also(piece, Fact::Is(schema)).is_empty()
    }

    fn fits_way(&mut self, piece: &Piece<'a>, schema: Place<'a>) -> bool {
        // Of many tagged alternatives all but one are seen to be others.
        self.fuel.spend(1) && !is_contrary(piece, schema) && self.fits(piece, schema)
    }

    fn fits_branch(&mut self, piece: &Piece<'a>, schema: Place<'a>, condition: Fact<'a>, key: &str) -> bool {
        let Some(branch) = schema.under(key) else { return true };
        if self.fits(piece, branch) {
            return true;
        }
        let pieces = self.also(piece, condition);
        pieces.iter().all(|piece| self.fits(piece, branch))
    }

    fn fits_any(&mut self, piece: &Piece<'a>, schema: Place<'a>, branches: &'a [Value], cut: usize) -> bool {
        if branches.iter().any(|branch| self.fits_way(piece, schema.at(branch))) {
            return true;
        }
        let Some(finer) = self.cut(piece, cut) else { return false };
        finer.iter().all(|piece| self.fits_any(piece, schema, branches, cut + 1))
    }

    fn fits_one(&mut self, piece: &Piece<'a>, schema: Place<'a>, branches: &'a [Value], cut: usize) -> bool {
        let chosen = branches.iter().position(|branch| self.fits_way(piece, schema.at(branch)));
        if let Some(chosen) = chosen {
            let mut others = branches.iter().enumerate().filter(|(position, _)| *position != chosen);
            if others.all(|(_, other)| self.is_apart(piece, schema.at(other))) {
                return true;
            }
        }
        let Some(finer) = self.cut(piece, cut) else { return false };
        finer.iter().all(|piece| self.fits_one(piece, schema, branches, cut + 1))
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

/// Whether all numbers of a piece are integers.
pub(super) fn is_whole(piece: &Piece<'_>) -> bool {
    let values = || {
        piece.values.as_ref().is_some_and(|values| {
            values.iter().all(|value| Num::from_value(value).is_some_and(Num::is_whole))
        })
    };
    let step = |value: &Value| Num::from_value(value).is_some_and(|step| step.is_tame() && step.is_whole());
    piece.whole || values() || piece.each("multipleOf").any(|(_, value)| step(value))
}
