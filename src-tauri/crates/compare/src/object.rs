//! Keywords of objects, applied to a piece: named fields, patterns, and all other fields.

use serde_json::{Map, Value};

use crate::accepts::accepts;
use crate::document::Place;
use crate::emptiness::is_never;
use crate::keyword::{additional, entries, names};
use crate::number::{count, some};
use crate::piece::{Fact, Piece};
use crate::prover::Prover;
use crate::regular::is_match;
use crate::sealed::surely_evaluated;

impl<'a> Prover<'a> {
    /// Returns whether a keyword of objects provably accepts the whole piece.
    pub(crate) fn fits_object(
        &mut self,
        piece: &Piece<'a>,
        schema: Place<'a>,
        map: &'a Map<String, Value>,
        key: &str,
        argument: &'a Value,
    ) -> bool {
        match key {
            "required" => names(map, key).all(|name| piece.requires(name)),
            "properties" => entries(map, key).all(|(name, one)| self.fits_field(piece, name, schema.at(one))),
            "patternProperties" => {
                entries(map, key).all(|(pattern, one)| self.fits_pattern(piece, pattern, schema.at(one)))
            }
            "additionalProperties" | "unevaluatedProperties" => {
                additional(map).is_none_or(|rest| self.fits_others(piece, map, schema.at(rest)))
            }
            "minProperties" => count(argument).is_some_and(|least| {
                let required = u64::try_from(piece.required().len()).unwrap_or(0);
                piece.at_least(key).max(required) >= least
            }),
            "maxProperties" => count(argument).is_some_and(|most| {
                piece.at_most(key).is_some_and(|own| own <= most)
                    || self.most_fields(piece).is_some_and(|own| own <= most)
            }),
            "propertyNames" => self.fits_names(piece, schema.at(argument)),
            "dependentRequired" => entries(map, key).all(|(name, wanted)| {
                let wanted = wanted.as_array().map_or(&[][..], Vec::as_slice);
                self.is_absent(piece, name)
                    || wanted.iter().filter_map(Value::as_str).all(|one| brings(piece, name, one))
            }),
            "dependentSchemas" => {
                entries(map, key).all(|(name, one)| self.fits_dependent(piece, name, schema.at(one)))
            }
            _ => true,
        }
    }

    fn fits_field(&mut self, piece: &Piece<'a>, name: &str, schema: Place<'a>) -> bool {
        let facts = self.field(piece, name);
        self.within(&facts, schema) || self.is_absent(piece, name)
    }

    fn fits_pattern(&mut self, piece: &Piece<'a>, pattern: &str, schema: Place<'a>) -> bool {
        for name in piece.named() {
            if !self.fuel.spend(1) {
                return false;
            }
            if is_match(pattern, name) != Some(false) && !self.fits_field(piece, name, schema) {
                return false;
            }
        }
        self.within(&piece.matching(pattern), schema)
    }

    fn fits_others(&mut self, piece: &Piece<'a>, map: &'a Map<String, Value>, rest: Place<'a>) -> bool {
        let named = map.get("properties").and_then(Value::as_object);
        for name in piece.named() {
            if named.is_some_and(|named| named.contains_key(name)) {
                continue;
            }
            let patterns = entries(map, "patternProperties");
            if !self
                .fuel
                .spend(1 + map.get("patternProperties").and_then(Value::as_object).map_or(0, Map::len))
            {
                return false;
            }
            let matched = some(patterns.map(|(pattern, _)| is_match(pattern, name)));
            if matched != Some(true) && !self.fits_field(piece, name, rest) {
                return false;
            }
        }
        let apart: Vec<&str> = entries(map, "patternProperties").map(|(pattern, _)| pattern).collect();
        piece.others(&apart).iter().all(|way| self.within(way, rest))
    }

    /// Returns whether every possible field is certainly evaluated.
    pub(crate) fn fits_sealed(&mut self, piece: &Piece<'a>, schema: Place<'a>, argument: &Value) -> bool {
        if argument == &Value::Bool(true) {
            return true;
        }
        let evaluated = surely_evaluated(schema);
        let mut named = piece.named().into_iter();
        named.all(|name| evaluated.contains(name) || self.is_absent(piece, name)) && is_closed(piece)
    }

    fn fits_names(&mut self, piece: &Piece<'a>, wanted: Place<'a>) -> bool {
        for name in piece.named() {
            if accepts(&name.into(), wanted, &mut self.fuel) != Some(true) && !self.is_absent(piece, name) {
                return false;
            }
        }
        if is_closed(piece) {
            return true;
        }
        let own = piece.each("propertyNames").map(|(part, names)| Fact::Is(part.at(names)));
        let facts: Vec<_> = own.chain([Fact::Is(self.text)]).collect();
        self.within(&facts, wanted)
    }

    fn fits_dependent(&mut self, piece: &Piece<'a>, name: &str, schema: Place<'a>) -> bool {
        if self.is_absent(piece, name) {
            return true;
        }
        let mut given = piece.clone();
        for (part, map) in piece.each("dependentSchemas") {
            if let Some(own) = map.get(name) {
                given.applied.push(part.at(own));
            }
        }
        self.fits(&given, schema)
    }
}

/// Returns whether only named fields are possible.
pub(crate) fn is_closed(piece: &Piece<'_>) -> bool {
    piece.others(&[]).iter().all(|way| way.iter().any(|fact| is_never(*fact)))
}

/// Returns whether one field never occurs without another.
fn brings(piece: &Piece<'_>, name: &str, other: &str) -> bool {
    let depends = |map: &Value| {
        map.get(name).and_then(Value::as_array).is_some_and(|names| names.iter().any(|name| name == other))
    };
    name == other || piece.requires(other) || piece.each("dependentRequired").any(|(_, map)| depends(map))
}
