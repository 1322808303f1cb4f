//! Keywords of arrays (tuples, items, lengths, `contains`), applied to a piece.

use serde_json::{Map, Value};

use crate::document::Place;
use crate::keyword::{further, list};
use crate::number::{count, equal};
use crate::piece::{Fact, Piece};
use crate::prover::Prover;

impl<'a> Prover<'a> {
    /// Returns whether a keyword of arrays provably accepts the whole piece.
    pub(crate) fn fits_array(
        &mut self,
        piece: &Piece<'a>,
        schema: Place<'a>,
        map: &'a Map<String, Value>,
        key: &str,
        argument: &'a Value,
    ) -> bool {
        match key {
            "minItems" => count(argument).is_some_and(|least| piece.at_least(key) >= least),
            "maxItems" => {
                count(argument).is_some_and(|most| piece.longest().is_some_and(|longest| longest <= most))
            }
            "uniqueItems" => {
                argument == &Value::Bool(false)
                    || piece.holds(key, argument)
                    || piece.longest().is_some_and(|longest| longest <= 1)
            }
            "prefixItems" => list(map, key).iter().enumerate().all(|(position, one)| {
                is_beyond(piece, position) || self.within(&piece.item(position), schema.at(one))
            }),
            "items" | "unevaluatedItems" => further(map)
                .is_none_or(|rest| self.fits_further(piece, list(map, "prefixItems").len(), schema.at(rest))),
            "contains" => self.fits_contains(piece, schema, map, argument),
            _ => true,
        }
    }

    fn fits_further(&mut self, piece: &Piece<'a>, start: usize, rest: Place<'a>) -> bool {
        // The position after the longest tuple represents all following positions.
        let last = piece.positions().max(start);
        (start..=last).all(|position| is_beyond(piece, position) || self.within(&piece.item(position), rest))
    }

    fn fits_contains(
        &mut self,
        piece: &Piece<'a>,
        schema: Place<'a>,
        map: &'a Map<String, Value>,
        argument: &'a Value,
    ) -> bool {
        let wanted = schema.at(argument);
        let least = map.get("minContains").map_or(Some(1), count).unwrap_or(u64::MAX);
        let most = map.get("maxContains").map_or(Some(u64::MAX), count).unwrap_or(0);
        self.contains_enough(piece, wanted, least) && self.contains_few(piece, wanted, most)
    }

    fn contains_enough(&mut self, piece: &Piece<'a>, wanted: Place<'a>, least: u64) -> bool {
        if least == 0 {
            return true;
        }
        let given: Vec<_> = piece.each("contains").collect();
        let found = given.into_iter().any(|(part, own)| {
            let enough = part.value.get("minContains").map_or(Some(1), count).is_some_and(|own| own >= least);
            enough && self.within(&[Fact::Is(part.at(own))], wanted)
        });
        let first = usize::try_from(least).unwrap_or(usize::MAX).min(piece.positions().saturating_add(1));
        found
            || (piece.at_least("minItems") >= least
                && (0..first).all(|position| self.within(&piece.item(position), wanted)))
    }

    fn contains_few(&mut self, piece: &Piece<'a>, wanted: Place<'a>, most: u64) -> bool {
        if most == u64::MAX || piece.longest().is_some_and(|longest| longest <= most) {
            return true;
        }
        let given: Vec<_> = piece.each("contains").collect();
        given.into_iter().any(|(part, own)| {
            let few = part.value.get("maxContains").and_then(count).is_some_and(|own| own <= most);
            few && self.within(&[Fact::Is(wanted)], part.at(own))
        })
    }
}

/// Returns whether no array of the piece reaches this position.
pub(crate) fn is_beyond(piece: &Piece<'_>, position: usize) -> bool {
    let position = u64::try_from(position).unwrap_or(u64::MAX);
    piece.longest().is_some_and(|longest| longest <= position)
}

/// Returns whether the arrays of a piece provably have no duplicate items.
pub(crate) fn is_distinct(piece: &Piece<'_>) -> bool {
    piece.each("uniqueItems").any(|(_, value)| equal(value, &Value::Bool(true)) == Some(true))
}
