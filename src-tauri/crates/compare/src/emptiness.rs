//! Proofs that nothing satisfies some facts.
//!
//! A proof finds a contradiction among limits, values, rejections or required fields. Two schemas
//! are disjoint if nothing satisfies both.

use std::cmp::Ordering;

use crate::accepts::accepts;
use crate::keyword::Kind;
use crate::number::count;
use crate::piece::{Fact, NEVER, Piece};
use crate::prover::{Prover, key_of};

/// Most levels of required fields searched for a contradiction.
const MAX_PROBING: usize = 5;

impl<'a> Prover<'a> {
    /// Returns whether nothing satisfies the facts, provably.
    pub(crate) fn is_empty(&mut self, facts: &[Fact<'a>]) -> bool {
        if facts.iter().any(|fact| is_never(*fact)) {
            return true;
        }
        if facts.is_empty() || self.probing >= MAX_PROBING {
            return false;
        }
        let key = key_of(facts);
        if let Some(known) = self.empties.get(&key) {
            return *known;
        }
        if !self.fuel.enter() {
            return false;
        }
        // Unknown until proven, also to the proof itself.
        self.empties.insert(key.clone(), false);
        self.probing += 1;
        let before = self.forget_lowest();
        let empty = self.pieces(facts).is_empty();
        let assumed = self.recall_lowest(before);
        self.probing -= 1;
        self.fuel.leave();
        if empty && !assumed {
            self.empties.insert(key, true);
        } else if empty || self.probing > 0 {
            // The failure may be due to the level only, so a later attempt may succeed.
            self.empties.remove(&key);
        }
        empty
    }

    /// Returns whether a piece is provably empty.
    pub(crate) fn is_empty_piece(&mut self, piece: &Piece<'a>) -> bool {
        if !self.fuel.spend(1) {
            return false;
        }
        let limits = match piece.kind {
            Kind::Null | Kind::Boolean => false,
            Kind::Number => is_empty_range(piece),
            Kind::String => exceeds(piece.at_least("minLength"), piece.at_most("maxLength")),
            Kind::Array => self.is_empty_array(piece),
            Kind::Object => self.is_empty_object(piece),
        };
        limits || self.is_rejected(piece)
    }

    fn is_rejected(&mut self, piece: &Piece<'a>) -> bool {
        if piece.nots.is_empty() || self.probing >= MAX_PROBING || !self.fuel.enter() {
            return false;
        }
        self.probing += 1;
        let severity = piece.nots.iter().any(|place| self.fits(piece, *place));
        self.probing -= 1;
        self.fuel.leave();
        severity
    }

    fn is_empty_array(&mut self, piece: &Piece<'a>) -> bool {
        let least = piece.at_least("minItems");
        if exceeds(least, piece.longest()) {
            return true;
        }
        let positions = piece.positions().saturating_add(1);
        let there = usize::try_from(least).unwrap_or(usize::MAX).min(positions);
        let impossible = (0..there).any(|position| self.is_empty(&piece.item(position)));
        impossible
            || piece.each("contains").any(|(part, wanted)| {
                let wants = part.value.get("minContains").and_then(count) != Some(0);
                wants && wanted == &NEVER
            })
    }

    fn is_empty_object(&mut self, piece: &Piece<'a>) -> bool {
        let required = piece.required();
        let least = u64::try_from(required.len()).unwrap_or(u64::MAX).max(piece.at_least("minProperties"));
        if exceeds(least, piece.at_most("maxProperties")) {
            return true;
        }
        if least > 0
            && let Some(most) = self.most_fields(piece)
            && least > most
        {
            return true;
        }
        required.into_iter().any(|name| self.is_absent(piece, name))
    }

    /// Returns the largest possible number of fields, if all are named.
    pub(crate) fn most_fields(&mut self, piece: &Piece<'a>) -> Option<u64> {
        // A pattern allows any number of fields.
        let closed = piece.others(&[]).into_iter().all(|way| way.iter().any(|fact| is_never(*fact)));
        closed.then(|| u64::try_from(piece.named().len()).unwrap_or(u64::MAX))
    }

    /// Returns whether a field is provably never present.
    pub(crate) fn is_absent(&mut self, piece: &Piece<'a>, name: &str) -> bool {
        let facts = self.field(piece, name);
        if self.is_empty(&facts) {
            return true;
        }
        let name_rules = piece.each("propertyNames").collect::<Vec<_>>();
        name_rules
            .into_iter()
            .any(|(part, names)| accepts(&name.into(), part.at(names), &mut self.fuel) == Some(false))
    }

    /// Returns the facts about a field's value.
    pub(crate) fn field(&mut self, piece: &Piece<'a>, name: &str) -> Vec<Fact<'a>> {
        // Each call matches the name against the patterns.
        let patterns = piece.each("patternProperties").filter_map(|(_, map)| map.as_object());
        let cost = patterns.map(serde_json::Map::len).sum::<usize>() + piece.parts.len() / 8;
        if self.fuel.spend(cost) { piece.field(name) } else { Vec::new() }
    }
}

/// Returns whether this fact alone excludes every value.
pub(crate) fn is_never(fact: Fact<'_>) -> bool {
    match fact {
        Fact::Is(place) => place.value == &NEVER,
        Fact::Not(_) | Fact::Kind(_) | Fact::Equals(_) => false,
    }
}

fn exceeds(least: u64, most: Option<u64>) -> bool {
    most.is_some_and(|most| least > most)
}

fn is_empty_range(piece: &Piece<'_>) -> bool {
    let (Some(lower), Some(upper)) = (piece.lower(), piece.upper()) else { return false };
    match lower.at.order(upper.at) {
        Ordering::Greater => true,
        Ordering::Equal => lower.open || upper.open,
        Ordering::Less => false,
    }
}
