//! The walk at one place: types, and sets of values.

use serde_json::Value;

use crate::accepts::accepts;
use crate::change::{ChangeKind, Class, Classes};
use crate::fits::is_whole;
use crate::keyword::Kind;
use crate::number::{every, some};
use crate::piece::{Fact, Piece};
use crate::statement::{Named, Statement};
use crate::values::Values;
use crate::walk::{Beside, Spot, Walk};

/// Most pairs of values compared one by one.
const MAX_VALUE_PAIRS: usize = 2_000_000;

/// One side: its pieces, and the alternatives they come from.
type Side<'s, 'a> = (&'s [Piece<'a>], &'s [Vec<Fact<'a>>]);

impl<'a> Walk<'a> {
    /// Compares the types, then the pieces of each type.
    pub(crate) fn kinds(&mut self, spot: Spot<'_>, old: Side<'_, 'a>, new: Side<'_, 'a>) -> Classes {
        let mut worst = self.types(spot, old.0, new.0);
        for kind in Kind::ALL {
            let of = |pieces: &[Piece<'a>]| -> Vec<Piece<'a>> {
                pieces.iter().filter(|piece| piece.kind == kind).cloned().collect()
            };
            let (before, after) = (of(old.0), of(new.0));
            if !before.is_empty() && !after.is_empty() {
                let spot = Spot { beside: beside(kind, old.0.iter().chain(new.0)), ..spot };
                worst = worst.worst(self.one_kind(spot, (&before, old.1), (&after, new.1)));
            }
        }
        worst
    }

    fn types(&mut self, spot: Spot<'_>, old: &[Piece<'a>], new: &[Piece<'a>]) -> Classes {
        let named = |pieces: &[Piece<'a>]| -> Vec<Named> {
            let of = |kind: Kind| pieces.iter().filter(move |piece| piece.kind == kind);
            let name = |kind| match kind {
                Kind::Number if of(kind).all(is_whole) => "integer",
                _ => kind.name(),
            };
            Kind::ALL
                .into_iter()
                .filter(|kind| of(*kind).next().is_some())
                .map(|kind| (kind, name(kind)))
                .collect()
        };
        let (before, after) = (named(old), named(new));
        let has_more = |one: &[Named], other: &[Named]| {
            one.iter().any(|(kind, _)| other.iter().all(|(own, _)| own != kind))
        };
        let exact = old.iter().chain(new).all(|piece| piece.exact);
        let (what, classes) = match (has_more(&after, &before), has_more(&before, &after)) {
            (false, false) => return Classes::NONE,
            (true, false) => (ChangeKind::TypeWidened, Classes::LOOSER),
            (false, true) => (ChangeKind::TypeNarrowed, Classes::TIGHTER),
            (true, true) => (ChangeKind::TypeChanged, Classes::OTHER),
        };
        if exact {
            return self.note(spot, what, classes, &Statement::Types { from: &before, to: &after });
        }
        let said = Statement::Unknown("may have other types than before");
        self.note(spot, what, classes.capped(Classes::UNSURE), &said)
    }

    fn one_kind(&mut self, spot: Spot<'_>, old: Side<'_, 'a>, new: Side<'_, 'a>) -> Classes {
        let kind = old.0.first().map_or(Kind::Null, |piece| piece.kind);
        match (few(old.0), few(new.0)) {
            (Some(before), Some(after)) => self.values(spot, &before, &after),
            (Some(before), None) => {
                let severity = self.severity_for(&before, new.1);
                let classes = Classes { output: Class::Breaking, input: severity };
                self.note(spot, ChangeKind::EnumChanged, classes, &Statement::WasLimited(kind, &before))
            }
            (None, Some(after)) => {
                let severity = self.severity_for(&after, old.1);
                let classes = Classes { output: severity, input: Class::Breaking };
                self.note(spot, ChangeKind::EnumChanged, classes, &Statement::Limited(kind, &after))
            }
            (None, None) => self.pieces(spot, old.0, new.0),
        }
    }

    /// Returns the severity of requiring these values to satisfy one of these alternatives.
    fn severity_for(&mut self, values: &[&'a Value], ways: &[Vec<Fact<'a>>]) -> Class {
        let verdicts: Vec<Option<bool>> = self.ask(|prover| {
            let mut verdict = |value: &Value| {
                some(ways.iter().map(|facts| {
                    every(facts.iter().map(|fact| match fact {
                        Fact::Is(place) => accepts(value, *place, &mut prover.fuel),
                        Fact::Not(_) | Fact::Kind(_) | Fact::Equals(_) => None,
                    }))
                }))
            };
            values.iter().map(|value| verdict(value)).collect()
        });
        if verdicts.contains(&Some(false)) {
            Class::Breaking
        } else if verdicts.contains(&None) {
            Class::Risky
        } else {
            Class::Safe
        }
    }

    fn values(&mut self, spot: Spot<'_>, old: &[&'a Value], new: &[&'a Value]) -> Classes {
        let (theirs, ours) = (Values::new(old.iter().copied()), Values::new(new.iter().copied()));
        if (old.len().max(new.len())).saturating_mul(theirs.effort().max(ours.effort())) > MAX_VALUE_PAIRS {
            let said = Statement::Unknown("has too many values to compare");
            return self.note(spot, ChangeKind::EnumChanged, Classes::UNSURE, &said);
        }
        let missing = |these: &[&'a Value], others: &Values<'_>| -> Vec<&'a Value> {
            these.iter().copied().filter(|value| others.have(value) == Some(false)).collect()
        };
        let (added, removed) = (missing(new, &theirs), missing(old, &ours));
        let classes = match (added.is_empty(), removed.is_empty()) {
            (true, true) => return Classes::NONE,
            (false, true) => Classes::LOOSER,
            (true, false) => Classes::TIGHTER,
            (false, false) => Classes::OTHER,
        };
        let said = Statement::Values { added: &added, removed: &removed };
        self.note(spot, ChangeKind::EnumChanged, classes, &said)
    }
}

/// Returns which types other than one there are.
fn beside<'p>(kind: Kind, pieces: impl Iterator<Item = &'p Piece<'p>>) -> Beside {
    let mut found = Beside::Nothing;
    for piece in pieces.filter(|piece| piece.kind != kind) {
        match piece.kind {
            Kind::Null => found = Beside::Null,
            _ => return Beside::Others(kind),
        }
    }
    found
}

/// Returns all values of these pieces without duplicates, if there are only a few.
fn few<'a>(pieces: &[Piece<'a>]) -> Option<Vec<&'a Value>> {
    let mut few: Vec<&'a Value> = Vec::new();
    for piece in pieces {
        few.extend(piece.values.as_ref()?);
    }
    if pieces.len() > 1 {
        let mut met = std::collections::HashSet::new();
        few.retain(|value| value.as_str().is_none_or(|text| met.insert(text)));
    }
    Some(few)
}
