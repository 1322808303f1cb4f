//! The walk, at one place: types, values and alternatives.
//!
//! Owns: which alternative became which. Refuses to know: how two alternatives of the same kind differ.

use serde_json::Value;

use super::accepts::accepts;
use super::change::{Class, Classes, What};
use super::fits::is_whole;
use super::keyword::Kind;
use super::number::every;
use super::piece::{Fact, Piece};
use super::sentence::{article, either, listed};
use super::tags::{share_a_tag, tags};
use super::values::Values;
use super::walk::{Spot, Walk};

/// Pairs of values that are compared one by one.
const MAX_VALUE_PAIRS: usize = 2_000_000;

/// Pairs of alternatives that are compared one by one.
const MAX_PIECE_PAIRS: usize = 50_000;

/// One side: its pieces, and the facts they came from.
type Side<'s, 'a> = (&'s [Piece<'a>], &'s [Fact<'a>]);

impl<'a> Walk<'a> {
    /// Compares the types, then what there is of each.
    pub(super) fn kinds(&mut self, spot: Spot<'_>, old: Side<'_, 'a>, new: Side<'_, 'a>) -> Classes {
        let mut worst = self.types(spot, old.0, new.0);
        for kind in Kind::ALL {
            let of = |pieces: &[Piece<'a>]| -> Vec<Piece<'a>> {
                pieces.iter().filter(|piece| piece.kind == kind).cloned().collect()
            };
            let (before, after) = (of(old.0), of(new.0));
            if !before.is_empty() && !after.is_empty() {
                worst = worst.worst(self.one_kind(spot, (&before, old.1), (&after, new.1)));
            }
        }
        worst
    }

    fn types(&mut self, spot: Spot<'_>, old: &[Piece<'a>], new: &[Piece<'a>]) -> Classes {
        let named = |pieces: &[Piece<'a>]| -> Vec<(Kind, &'static str)> {
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
        let not_in = |one: &[(Kind, &'static str)], other: &[(Kind, &'static str)]| -> Vec<&'static str> {
            let gone = one.iter().filter(|(kind, _)| !other.iter().any(|(own, _)| own == kind));
            gone.map(|(_, name)| article(name)).collect()
        };
        let (added, removed) = (not_in(&after, &before), not_in(&before, &after));
        let all = |names: &[(Kind, &'static str)]| -> String {
            if names.len() == Kind::ALL.len() {
                return "anything".to_owned();
            }
            either(&names.iter().map(|(_, name)| article(name)).collect::<Vec<_>>())
        };
        let (from, to) = (all(&before), all(&after));
        let exact = old.iter().chain(new).all(|piece| piece.exact);
        let sure = |classes: Classes| if exact { classes } else { classes.capped(Classes::UNSURE) };
        match (added.is_empty(), removed.is_empty()) {
            (true, true) => Classes::NONE,
            (false, true) => self.note(spot, What::TypeWidened, sure(Classes::LOOSER), |it| {
                if after.len() == Kind::ALL.len() || before.is_empty() {
                    format!("{it} can now be {to}; before, {from}")
                } else {
                    format!("{it} can now also be {}", either(&added))
                }
            }),
            (true, false) => self.note(spot, What::TypeNarrowed, sure(Classes::TIGHTER), |it| {
                if before.len() == Kind::ALL.len() || after.is_empty() {
                    format!("{it} could be {from} and can now only be {to}")
                } else {
                    format!("{it} can no longer be {}", either(&removed))
                }
            }),
            (false, false) => self.note(spot, What::TypeChanged, sure(Classes::OTHER), |it| {
                format!("{it} was {from} and is now {to}")
            }),
        }
    }

    fn one_kind(&mut self, spot: Spot<'_>, old: Side<'_, 'a>, new: Side<'_, 'a>) -> Classes {
        match (few(old.0), few(new.0)) {
            (Some(before), Some(after)) => self.values(spot, &before, &after),
            (Some(before), None) => {
                let refused = self.refuses_some(&before, new.1);
                let classes = Classes { output: Class::Breaking, input: refused };
                let words = |it| {
                    format!("{it} was one of {} and can now be others too", listed(before.iter().copied()))
                };
                self.note(spot, What::EnumChanged, classes, words)
            }
            (None, Some(after)) => {
                let refused = self.refuses_some(&after, old.1);
                let classes = Classes { output: refused, input: Class::Breaking };
                let words = |it| format!("{it} is now only one of {}", listed(after.iter().copied()));
                self.note(spot, What::EnumChanged, classes, words)
            }
            (None, None) => match (old.0, new.0) {
                ([before], [after]) => self.pieces(spot, before, after),
                _ => self.alternatives(spot, old, new),
            },
        }
    }

    /// How bad it is that these values must now fit these facts.
    fn refuses_some(&mut self, values: &[&'a Value], facts: &[Fact<'a>]) -> Class {
        let verdicts: Vec<Option<bool>> = self.ask(|prover| {
            let mut verdict = |value: &Value| {
                every(facts.iter().map(|fact| match fact {
                    Fact::Is(place) => accepts(value, *place, &mut prover.fuel),
                    Fact::Not(_) | Fact::Kind(_) | Fact::Equals(_) => None,
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
            let words = |it| format!("{it} is one of too many values to compare");
            return self.note(spot, What::EnumChanged, Classes::UNSURE, words);
        }
        let missing = |these: &[&'a Value], others: &Values<'_>| -> Vec<&'a Value> {
            these.iter().copied().filter(|value| others.have(value) == Some(false)).collect()
        };
        let (added, removed) = (missing(new, &theirs), missing(old, &ours));
        let (plus, minus) = (listed(added.iter().copied()), listed(removed.iter().copied()));
        match (added.is_empty(), removed.is_empty()) {
            (true, true) => Classes::NONE,
            (false, true) => self
                .note(spot, What::EnumChanged, Classes::LOOSER, |it| format!("{it} can now also be {plus}")),
            (true, false) => self.note(spot, What::EnumChanged, Classes::TIGHTER, |it| {
                format!("{it} can no longer be {minus}")
            }),
            (false, false) => self.note(spot, What::EnumChanged, Classes::OTHER, |it| {
                format!("{it} can no longer be {minus}, but can now be {plus}")
            }),
        }
    }

    fn alternatives(&mut self, spot: Spot<'_>, old: Side<'_, 'a>, new: Side<'_, 'a>) -> Classes {
        if old.0.len().saturating_mul(new.0.len()) > MAX_PIECE_PAIRS {
            let words = |it| format!("{it} has too many alternatives to compare");
            return self.note(spot, What::Other, Classes::UNSURE, words);
        }
        let (mut before, mut after): (Vec<_>, Vec<_>) = (old.0.iter().collect(), new.0.iter().collect());
        let mut worst = Classes::NONE;
        let rules: [fn(&mut Self, &Piece<'a>, &Piece<'a>) -> bool; 4] = [
            |_, one, two| share_a_tag(one, two),
            |walk, one, two| walk.piece_within(one, two) && walk.piece_within(two, one),
            |walk, one, two| walk.piece_within(one, two) || walk.piece_within(two, one),
            |_, one, two| tags(one).is_empty() && tags(two).is_empty() && overlap(one, two),
        ];
        for rule in rules {
            let mut rest = Vec::new();
            for two in std::mem::take(&mut after) {
                match before.iter().position(|one| rule(self, one, two)) {
                    Some(position) => {
                        let one = before.remove(position);
                        worst = worst.worst(self.pieces(spot, one, two));
                    }
                    None => rest.push(two),
                }
            }
            after = rest;
        }
        for piece in after {
            let known = self.ask(|prover| fits_all(prover, piece, old.1));
            if !known {
                let classes = self.unless_spent(Classes::LOOSER);
                let words = |it| format!("{it} can now also be {}", described(piece));
                worst = worst.worst(self.note(spot, What::AlternativeAdded, classes, words));
            }
        }
        for piece in before {
            let known = self.ask(|prover| fits_all(prover, piece, new.1));
            if !known {
                let classes = self.unless_spent(Classes::TIGHTER);
                let words = |it| format!("{it} can no longer be {}", described(piece));
                worst = worst.worst(self.note(spot, What::AlternativeRemoved, classes, words));
            }
        }
        worst
    }
}

fn fits_all<'a>(prover: &mut super::prover::Prover<'a>, piece: &Piece<'a>, facts: &[Fact<'a>]) -> bool {
    facts.iter().all(|fact| matches!(fact, Fact::Is(schema) if prover.fits(piece, *schema)))
}

/// All values of these pieces, where they are few.
fn few<'a>(pieces: &[Piece<'a>]) -> Option<Vec<&'a Value>> {
    let mut few = Vec::new();
    for piece in pieces {
        few.extend(piece.values.as_ref()?);
    }
    Some(few)
}

/// Whether two alternatives have something in common beyond their kind.
fn overlap(one: &Piece<'_>, two: &Piece<'_>) -> bool {
    one.kind != Kind::Object || one.named().intersection(&two.named()).next().is_some()
}

fn described(piece: &Piece<'_>) -> String {
    if let Some(values) = &piece.values {
        return listed(values.iter().copied());
    }
    if let Some((name, value)) = tags(piece).first() {
        return format!("an object with `{name}` {}", super::sentence::shown(value));
    }
    let fields: Vec<String> = piece.named().iter().take(3).map(|name| format!("`{name}`")).collect();
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    match (piece.kind, fields.is_empty()) {
        (Kind::Object, false) => format!("an object with {}", fields.join(", ")),
        (kind, _) => format!("another kind of {}", kind.name()),
    }
}
