//! Taking facts apart: from "all of this holds" to a list of pieces.
//!
//! Owns: `allOf`, `anyOf`, `oneOf`, `if`, `not`, references and few values, on the side of what is *given*.
//! Pieces may stand for more than the facts, never for less: whatever is not understood, or would take too
//! long, is left out. Refuses to know: what is to be proven.

use std::rc::Rc;

use serde_json::{Map, Value};

use super::accepts::accepts;
use super::document::Place;
use super::keyword::{Kind, is_puzzling, list, type_names};
use super::number::{Num, equal};
use super::piece::{Fact, Part, Piece};
use super::prover::Prover;
use super::sealed::sealed;
use super::tags::is_contrary;

/// Pieces that are told apart. A schema that takes more is not taken apart further.
const MAX_PIECES: usize = 300;

impl<'a> Prover<'a> {
    /// The pieces of what all these facts hold of, those left out that are known to be empty.
    pub(super) fn pieces(&mut self, facts: &[Fact<'a>]) -> Vec<Piece<'a>> {
        let mut pieces: Vec<Piece<'a>> = Kind::ALL.into_iter().map(Piece::all).collect();
        for fact in facts {
            pieces = self.meet(pieces, *fact);
        }
        pieces.retain(|piece| !self.is_hopeless(piece));
        pieces
    }

    /// The pieces of what lies in a piece and has one more fact hold of it.
    pub(super) fn also(&mut self, piece: &Piece<'a>, fact: Fact<'a>) -> Vec<Piece<'a>> {
        let mut pieces = self.meet(vec![piece.clone()], fact);
        pieces.retain(|piece| !self.is_hopeless(piece));
        pieces
    }

    fn meet(&mut self, pieces: Vec<Piece<'a>>, fact: Fact<'a>) -> Vec<Piece<'a>> {
        pieces.into_iter().flat_map(|piece| self.meet_one(piece, fact)).collect()
    }

    fn meet_one(&mut self, mut piece: Piece<'a>, fact: Fact<'a>) -> Vec<Piece<'a>> {
        match fact {
            Fact::Is(place) => self.meet_schema(piece, place),
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
                if !(self.fuel.spend(1) && is_contrary(&piece, place)) {
                    piece.nots.push(place);
                }
                keep(piece)
            }
        }
    }

    fn meet_schema(&mut self, mut piece: Piece<'a>, place: Place<'a>) -> Vec<Piece<'a>> {
        let map = match place.value {
            Value::Bool(true) => return vec![piece],
            Value::Bool(false) => return Vec::new(),
            Value::Object(map) => map,
            _ => {
                piece.exact = false;
                return vec![piece];
            }
        };
        // Met before, perhaps just above: round in a circle, it says nothing new.
        if piece.applied.iter().any(|own| own.address() == place.address()) {
            return vec![piece];
        }
        piece.applied.push(place);
        if is_puzzling(map) || !self.fuel.enter() {
            piece.exact = false;
            return vec![piece];
        }
        let pieces = self.meet_keywords(piece, place, map);
        self.fuel.leave();
        pieces
    }

    fn meet_keywords(
        &mut self,
        mut piece: Piece<'a>,
        place: Place<'a>,
        map: &'a Map<String, Value>,
    ) -> Vec<Piece<'a>> {
        if let Some(types) = map.get("type")
            && !meet_type(&mut piece, types)
        {
            return Vec::new();
        }
        if map.contains_key("enum") {
            self.meet_values(&mut piece, &list(map, "enum").iter().collect::<Vec<_>>());
        }
        if let Some(value) = map.get("const") {
            self.meet_values(&mut piece, &[value]);
        }
        if let Some(values) = &mut piece.values {
            values.retain(|value| accepts(value, place, &mut self.fuel) != Some(false));
        }
        let sealed = sealed(place, map).map(Rc::new);
        piece.parts.push(Part { place, map, sealed });
        let mut pieces = keep(piece);
        if map.contains_key("$ref") {
            match place.target() {
                Some(target) => pieces = self.meet(pieces, Fact::Is(target)),
                None => pieces.iter_mut().for_each(|piece| piece.exact = false),
            }
        }
        for schema in list(map, "allOf") {
            pieces = self.meet(pieces, Fact::Is(place.at(schema)));
        }
        if let Some(schema) = place.under("not") {
            pieces = self.meet(pieces, Fact::Not(schema));
        }
        for ways in ways(place, map) {
            pieces = self.meet_ways(&pieces, &ways);
        }
        pieces
    }

    fn meet_values(&mut self, piece: &mut Piece<'a>, values: &[&'a Value]) {
        let had = piece.values.as_ref().map_or(1, Vec::len);
        if self.fuel.spend(had.saturating_mul(values.len()) / 16) {
            narrow(piece, values);
        } else {
            piece.exact = false;
        }
    }

    /// The pieces in which one of several lists of facts holds.
    fn meet_ways(&mut self, pieces: &[Piece<'a>], ways: &[Vec<Fact<'a>>]) -> Vec<Piece<'a>> {
        let mut met: Vec<Piece<'a>> = Vec::new();
        for piece in pieces {
            for way in ways {
                let mut one = vec![piece.clone()];
                for fact in way {
                    one = self.meet(one, *fact);
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

/// The choices a schema leaves: of each list, one entry holds.
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

/// Narrows a piece to a type; whether anything is left.
fn meet_type(piece: &mut Piece<'_>, types: &Value) -> bool {
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
