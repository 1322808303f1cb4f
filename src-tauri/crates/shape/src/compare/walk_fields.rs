//! The walk, between the fields of two alternatives that are objects.
//!
//! Owns: fields that came, went, became required or optional, and what holds of all others. Refuses to know:
//! what fields hold.

use std::collections::BTreeSet;

use super::change::{Class, Classes, What};
use super::hopeless::is_never;
use super::keyword::entries;
use super::piece::{Fact, Piece};
use super::sentence::{field, values};
use super::walk::{Spot, Walk};
use super::walk_pieces::fewer;

/// A field in both alternatives.
struct Field<'s, 'a> {
    name: &'a str,
    old: &'s Piece<'a>,
    new: &'s Piece<'a>,
    before: Vec<Fact<'a>>,
    after: Vec<Fact<'a>>,
}

impl<'a> Walk<'a> {
    /// Compares two pieces that are objects.
    pub(super) fn objects(&mut self, spot: Spot<'_>, old: &Piece<'a>, new: &Piece<'a>) -> Classes {
        let (named_before, named_after) = (old.named(), new.named());
        let mut names: BTreeSet<&'a str> = named_before.union(&named_after).copied().collect();
        names.extend(old.required());
        names.extend(new.required());
        let mut worst = Classes::NONE;
        for name in names {
            let (before, after) = self.ask(|prover| (prover.field(old, name), prover.field(new, name)));
            let there = Field { name, old, new, before, after };
            let path = field(spot.path, name);
            let inside = Spot { path: &path, ..spot };
            let found = match (named_before.contains(name), named_after.contains(name)) {
                (false, true) => self.added(inside, &there),
                (true, false) => self.removed(inside, &there),
                _ => self.kept(inside, &there),
            };
            worst = worst.worst(found);
        }
        let least = new.at_least("minProperties").cmp(&old.at_least("minProperties"));
        worst = worst.worst(self.limit(spot, "least number of fields", least));
        let most = fewer(old.at_most("maxProperties"), new.at_most("maxProperties"));
        worst = worst.worst(self.limit(spot, "greatest number of fields", most));
        worst.worst(self.others(spot, old, new)).worst(self.patterns(spot, old, new))
    }

    fn kept(&mut self, spot: Spot<'_>, field: &Field<'_, 'a>) -> Classes {
        let presence = self.presence(spot, field);
        presence.worst(self.pair(spot, &field.before, &field.after))
    }

    fn presence(&mut self, spot: Spot<'_>, field: &Field<'_, 'a>) -> Classes {
        match (field.old.requires(field.name), field.new.requires(field.name)) {
            (true, false) => self.note(spot, What::MadeOptional, Classes::LOOSER, |it| {
                format!("{it} may now be missing; code that reads it must check")
            }),
            (false, true) => self.note(spot, What::MadeRequired, Classes::TIGHTER, |it| {
                format!("{it} is now always there; code that writes it must set it")
            }),
            _ => Classes::NONE,
        }
    }

    fn added(&mut self, spot: Spot<'_>, field: &Field<'_, 'a>) -> Classes {
        let required = field.new.requires(field.name);
        if self.ask(|prover| prover.is_absent(field.old, field.name)) {
            if self.ask(|prover| prover.is_absent(field.new, field.name)) {
                return Classes::NONE;
            }
            let input = if required { Class::Breaking } else { Class::Safe };
            let classes = Classes { output: Class::Breaking, input };
            return self.note(spot, What::FieldAdded, classes, |it| {
                format!("{it} is a new field, where no others were allowed{}", must(required))
            });
        }
        // A map knew its values before it knew this name.
        if !field.before.is_empty() {
            return self.kept(spot, field);
        }
        let forbidden = self.ask(|prover| prover.is_absent(field.new, field.name));
        let input = match (required, forbidden) {
            _ if field.old.requires(field.name) => Class::Risky,
            (true, _) | (_, true) => Class::Breaking,
            (false, false) if self.ask(|prover| prover.facts_within(&[], &field.after)) => Class::Safe,
            (false, false) => Class::Risky,
        };
        let classes = Classes { output: Class::Safe, input };
        if forbidden {
            return self.note(spot, What::FieldRemoved, classes, |it| format!("{it} is no longer allowed"));
        }
        let lost = if field.old.requires(field.name) && !required {
            self.presence(spot, field)
        } else {
            Classes::NONE
        };
        lost.worst(
            self.note(spot, What::FieldAdded, classes, |it| format!("{it} is a new field{}", must(required))),
        )
    }

    fn removed(&mut self, spot: Spot<'_>, field: &Field<'_, 'a>) -> Classes {
        let required = field.old.requires(field.name);
        if self.ask(|prover| prover.is_absent(field.new, field.name)) {
            if self.ask(|prover| prover.is_absent(field.old, field.name)) {
                return Classes::NONE;
            }
            let output = if required { Class::Breaking } else { Class::Safe };
            let classes = Classes { output, input: Class::Breaking };
            return self
                .note(spot, What::FieldRemoved, classes, |it| format!("{it} is gone and no longer allowed"));
        }
        if !field.after.is_empty() {
            return self.kept(spot, field);
        }
        let gained = if field.new.requires(field.name) { self.presence(spot, field) } else { Classes::NONE };
        let lost = required && !field.new.requires(field.name);
        let known = !lost && self.ask(|prover| prover.facts_within(&[], &field.before));
        let output = if known { Class::Safe } else { Class::Breaking };
        // What was allowed under this name still is, as anything is.
        let classes = Classes { output, input: Class::Safe };
        gained.worst(self.note(spot, What::FieldRemoved, classes, |it| {
            format!("{it} is no longer described; it may be missing or anything")
        }))
    }

    /// Fields that are not named.
    fn others(&mut self, spot: Spot<'_>, old: &Piece<'a>, new: &Piece<'a>) -> Classes {
        let (before, after) = (old.others(&[]), new.others(&[]));
        let closed = |ways: &[Vec<Fact<'a>>]| ways.iter().all(|way| way.iter().any(|fact| is_never(*fact)));
        match (closed(&before), closed(&after)) {
            (true, true) => Classes::NONE,
            (true, false) => {
                let classes = Classes { output: Class::Risky, input: Class::Safe };
                self.note(spot, What::Opened, classes, |it| {
                    format!("{it} can now have fields that are not described")
                })
            }
            (false, true) => self.note(spot, What::Closed, Classes::TIGHTER, |it| {
                format!("{it} can no longer have fields that are not described")
            }),
            (false, false) => match (before.as_slice(), after.as_slice()) {
                ([before], [after]) => {
                    let path = values(spot.path);
                    self.map(Spot { path: &path, ..spot }, before, after)
                }
                _ => Classes::NONE,
            },
        }
    }

    fn map(&mut self, spot: Spot<'_>, before: &[Fact<'a>], after: &[Fact<'a>]) -> Classes {
        match (before.is_empty(), after.is_empty()) {
            (false, true) if !self.ask(|prover| prover.facts_within(&[], before)) => {
                self.note(spot, What::MapChanged, Classes::LOOSER, |it| format!("{it} can now be anything"))
            }
            (true, false) if !self.ask(|prover| prover.facts_within(&[], after)) => {
                self.note(spot, What::MapChanged, Classes::TIGHTER, |it| {
                    format!("{it} could be anything and now cannot")
                })
            }
            _ => self.pair(spot, before, after),
        }
    }

    fn patterns(&mut self, spot: Spot<'_>, old: &Piece<'a>, new: &Piece<'a>) -> Classes {
        let of = |piece: &Piece<'a>| -> Vec<(&'a str, Fact<'a>)> {
            let all = piece.parts.iter().flat_map(|part| {
                let fact = |schema| Fact::Is(part.place.at(schema));
                entries(part.map, "patternProperties").map(move |(pattern, schema)| (pattern, fact(schema)))
            });
            all.collect()
        };
        let (before, after) = (of(old), of(new));
        let mut worst = Classes::NONE;
        let path = values(spot.path);
        for (pattern, fact) in &after {
            let found = match before.iter().find(|(own, _)| own == pattern) {
                Some((_, own)) => self.pair(Spot { path: &path, ..spot }, &[*own], &[*fact]),
                None => self.pattern(spot, (pattern, "now"), &old.matching(pattern), &[*fact]),
            };
            worst = worst.worst(found);
        }
        for (pattern, fact) in &before {
            if after.iter().all(|(own, _)| own != pattern) {
                let found = self.pattern(spot, (pattern, "no longer"), &[*fact], &new.matching(pattern));
                worst = worst.worst(found);
            }
        }
        worst
    }

    /// Fields of one pattern, where only one side has it.
    fn pattern(
        &mut self,
        spot: Spot<'_>,
        (pattern, word): (&str, &str),
        before: &[Fact<'a>],
        after: &[Fact<'a>],
    ) -> Classes {
        let class = |known| if known { Class::Safe } else { Class::Breaking };
        let output = class(self.ask(|prover| prover.facts_within(after, before)));
        let input = class(self.ask(|prover| prover.facts_within(before, after)));
        self.note(spot, What::MapChanged, Classes { output, input }, |it| {
            format!("fields of {it} whose name matches {pattern:?} are {word} described")
        })
    }
}

fn must(required: bool) -> &'static str {
    if required { " that must be there" } else { "" }
}
