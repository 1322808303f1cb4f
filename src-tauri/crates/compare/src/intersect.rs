//! Conversion of facts to a list of pieces: the values that satisfy all of them.
//!
//! Covers `allOf`, `anyOf`, `oneOf`, `if`, `not`, references and small sets of values on the side
//! that is *given*. Pieces may include more values than the facts, never fewer: a keyword that is
//! not understood or would take too long is ignored.

use std::rc::Rc;

use serde_json::{Map, Value};

use crate::accepts::accepts;
use crate::document::Place;
use crate::fuel::SCHEMAS_PER_STEP;
use crate::keyword::{Kind, is_uncertain, list, type_names};
use crate::number::{Num, equal};
use crate::piece::{Fact, Part, Piece};
use crate::prover::Prover;
use crate::sealed::sealed;
use crate::tags::is_clearly_disjoint;

/// Most pieces. A schema that needs more is not split further.
const MAX_PIECES: usize = 300;

impl<'a> Prover<'a> {
    /// Returns the pieces of all values that satisfy the facts, without provably empty pieces.
    pub(crate) fn pieces(&mut self, facts: &[Fact<'a>]) -> Vec<Piece<'a>> {
        let mut pieces: Vec<Piece<'a>> = Kind::ALL.into_iter().map(Piece::all).collect();
        for fact in facts {
            pieces = self.intersect(pieces, *fact);
        }
        pieces.retain(|piece| !self.is_empty_piece(piece));
        pieces
    }

    /// Returns the pieces of the values in a piece that also satisfy another fact.
    pub(crate) fn pieces_with(&mut self, piece: &Piece<'a>, fact: Fact<'a>) -> Vec<Piece<'a>> {
        let mut pieces = self.intersect(vec![piece.clone()], fact);
        pieces.retain(|piece| !self.is_empty_piece(piece));
        pieces
    }

    fn intersect(&mut self, pieces: Vec<Piece<'a>>, fact: Fact<'a>) -> Vec<Piece<'a>> {
        pieces.into_iter().flat_map(|piece| self.intersect_one(piece, fact)).collect()
    }

    fn intersect_one(&mut self, mut piece: Piece<'a>, fact: Fact<'a>) -> Vec<Piece<'a>> {
        match fact {
            Fact::Is(place) => self.intersect_schema(piece, place),
            Fact::Kind(kind) => {
                if kind == piece.kind {
                    vec![piece]
                } else {
                    Vec::new()
                }
            }
            Fact::Equals(value) => {
                if Kind::of(value) != piece.kind {
                    return Vec::new();
                }
                narrow(&mut piece, &[value]);
                keep(piece)
            }
            Fact::Not(place) => {
                if let Some(values) = &mut piece.values {
                    values.retain(|value| accepts(value, place, &mut self.fuel) != Some(true));
                }
                if !(self.fuel.spend(1) && is_clearly_disjoint(&piece, place)) {
                    piece.nots.push(place);
                }
                keep(piece)
            }
        }
    }

    fn intersect_schema(&mut self, mut piece: Piece<'a>, place: Place<'a>) -> Vec<Piece<'a>> {
        let map = match place.value {
            Value::Bool(true) => return vec![piece],
            Value::Bool(false) => return Vec::new(),
            Value::Object(map) => map,
            _ => {
                piece.exact = false;
                return vec![piece];
            }
        };
        // A schema that was already applied, perhaps in a cycle of references, adds nothing.
        if !self.fuel.spend(piece.applied.len() / SCHEMAS_PER_STEP) {
            piece.exact = false;
            return vec![piece];
        }
        if piece.applied.iter().any(|own| own.address() == place.address()) {
            return vec![piece];
        }
        piece.applied.push(place);
        if is_uncertain(map) || !self.fuel.enter() {
            piece.exact = false;
            return vec![piece];
        }
        let pieces = self.intersect_keywords(piece, place, map);
        self.fuel.leave();
        pieces
    }

    fn intersect_keywords(
        &mut self,
        mut piece: Piece<'a>,
        place: Place<'a>,
        map: &'a Map<String, Value>,
    ) -> Vec<Piece<'a>> {
        if let Some(types) = map.get("type")
            && !intersect_type(&mut piece, types)
        {
            return Vec::new();
        }
        if map.contains_key("enum") {
            self.intersect_values(&mut piece, &list(map, "enum").iter().collect::<Vec<_>>());
        }
        if let Some(value) = map.get("const") {
            self.intersect_values(&mut piece, &[value]);
        }
        if let Some(values) = &mut piece.values {
            values.retain(|value| accepts(value, place, &mut self.fuel) != Some(false));
        }
        let sealed = sealed(place, map).map(Rc::new);
        piece.parts.push(Part { place, map, sealed });
        let mut pieces = keep(piece);
        if map.contains_key("$ref") {
            match place.target() {
                Some(target) => pieces = self.intersect(pieces, Fact::Is(target)),
                None => pieces.iter_mut().for_each(|piece| piece.exact = false),
            }
        }
        for schema in list(map, "allOf") {
            pieces = self.intersect(pieces, Fact::Is(place.at(schema)));
        }
        if let Some(schema) = place.under("not") {
            pieces = self.intersect(pieces, Fact::Not(schema));
        }
        for ways in ways(place, map) {
            pieces = self.intersect_ways(&pieces, &ways);
        }
        pieces
    }

    fn intersect_values(&mut self, piece: &mut Piece<'a>, values: &[&'a Value]) {
        let had = piece.values.as_ref().map_or(1, Vec::len);
        if self.fuel.spend(had.saturating_mul(values.len()) / 16) {
            narrow(piece, values);
        } else {
            piece.exact = false;
        }
    }

    /// Returns the pieces that satisfy one of several lists of facts.
    fn intersect_ways(&mut self, pieces: &[Piece<'a>], ways: &[Vec<Fact<'a>>]) -> Vec<Piece<'a>> {
        let mut met: Vec<Piece<'a>> = Vec::new();
        for piece in pieces {
            for way in ways {
                let mut one = vec![piece.clone()];
                for fact in way {
                    one = self.intersect(one, *fact);
                }
                met.extend(one);
                if met.len() > MAX_PIECES || self.fuel.is_spent() {
                    let mut pieces = pieces.to_vec();
                    pieces.iter_mut().for_each(|piece| piece.exact = false);
                    return pieces;
                }
            }
        }
        met
    }
}

/// Returns the choices in a schema: one entry of each list applies.
fn ways<'a>(place: Place<'a>, map: &'a Map<String, Value>) -> Vec<Vec<Vec<Fact<'a>>>> {
    let mut choices = Vec::new();
    let is = |schema| Fact::Is(place.at(schema));
    if map.contains_key("anyOf") {
        choices.push(list(map, "anyOf").iter().map(|schema| vec![is(schema)]).collect());
    }
    let one_of = list(map, "oneOf");
    if !one_of.is_empty() {
        let way = |(chosen, schema)| {
            let others = one_of.iter().enumerate().filter(move |(position, _)| *position != chosen);
            std::iter::once(is(schema)).chain(others.map(|(_, other)| Fact::Not(place.at(other)))).collect()
        };
        choices.push(one_of.iter().enumerate().map(way).collect());
    }
    if let Some(condition) = map.get("if") {
        let mut then = vec![is(condition)];
        then.extend(map.get("then").map(is));
        let mut otherwise = vec![Fact::Not(place.at(condition))];
        otherwise.extend(map.get("else").map(is));
        choices.push(vec![then, otherwise]);
    }
    choices
}

/// Narrows a piece to a type. Returns whether anything is left.
fn intersect_type(piece: &mut Piece<'_>, types: &Value) -> bool {
    if piece.kind != Kind::Number || type_names(types, "number") {
        return type_names(types, piece.kind.name());
    }
    piece.whole = true;
    if let Some(values) = &mut piece.values {
        values.retain(|value| Num::from_value(value).is_none_or(Num::is_whole));
    }
    type_names(types, "integer")
}

/// Narrows a piece to some values.
fn narrow<'a>(piece: &mut Piece<'a>, values: &[&'a Value]) {
    match &mut piece.values {
        Some(own) => own.retain(|one| values.iter().any(|value| equal(one, value) != Some(false))),
        None => {
            let kind = piece.kind;
            piece.values = Some(values.iter().copied().filter(|value| Kind::of(value) == kind).collect());
        }
    }
    if piece.whole
        && let Some(values) = &mut piece.values
    {
        values.retain(|value| Num::from_value(value).is_none_or(Num::is_whole));
    }
}

fn keep(piece: Piece<'_>) -> Vec<Piece<'_>> {
    if piece.values.as_ref().is_some_and(Vec::is_empty) { Vec::new() } else { vec![piece] }
}
