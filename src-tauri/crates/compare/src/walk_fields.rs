//! The walk through the fields of objects: fields added, removed, now required or optional, and all
//! other fields.

use std::collections::BTreeSet;

use crate::change::{ChangeKind, Class, Classes};
use crate::claim::Step;
use crate::emptiness::is_never;
use crate::keyword::entries;
use crate::object::is_closed;
use crate::piece::{Fact, Piece};
use crate::sentence::{field, values};
use crate::statement::Statement;
use crate::walk::{Spot, Walk, Ways};
use crate::walk_pieces::{highest, lowest};

/// A field in the alternatives of one side.
struct Field<'a> {
    /// Whether an alternative names it.
    named: bool,
    /// Whether every alternative requires it.
    required: bool,
    /// Its values in the alternatives that allow it.
    ways: Ways<'a>,
}

impl Field<'_> {
    /// Returns whether no alternative says anything about the values.
    fn is_free(&self) -> bool {
        self.ways.iter().all(Vec::is_empty)
    }
}

impl<'a> Walk<'a> {
    /// Compares the alternatives that are objects.
    pub(crate) fn objects(&mut self, spot: Spot<'_>, old: &[Piece<'a>], new: &[Piece<'a>]) -> Classes {
        let mut names: BTreeSet<&'a str> = BTreeSet::new();
        for piece in old.iter().chain(new) {
            names.extend(piece.named());
            names.extend(piece.required());
        }
        let names: Vec<&'a str> = names.into_iter().collect();
        let mut worst = match self.tagging(old, new) {
            Some(tagging) => self.tagged(spot, &tagging, &names, (old, new)),
            None => {
                let fields = names.iter().map(|name| self.field(spot, name, old, new));
                fields.fold(Classes::NONE, Classes::worst).worst(self.others(spot, &names, old, new))
            }
        };
        let least = (lowest(old, "minProperties"), lowest(new, "minProperties"));
        worst = worst.worst(self.counts(spot, ("minimum number of fields", "minProperties"), least));
        let most = |pieces| highest(pieces, |piece: &Piece<'a>| piece.at_most("maxProperties"));
        let most = (most(old), most(new));
        worst = worst.worst(self.counts(spot, ("maximum number of fields", "maxProperties"), most));
        match (old, new) {
            ([old], [new]) => worst.worst(self.patterns(spot, old, new)),
            _ => worst,
        }
    }

    /// Compares one field of all alternatives.
    pub(crate) fn field(
        &mut self,
        spot: Spot<'_>,
        name: &str,
        old: &[Piece<'a>],
        new: &[Piece<'a>],
    ) -> Classes {
        let (before, after) = (self.field_of(old, name), self.field_of(new, name));
        let path = field(spot.path, name);
        let trail = spot.step(Step::Field(name));
        let spot = spot.inside(&path, &trail);
        match (before.ways.is_empty(), after.ways.is_empty()) {
            (true, true) => Classes::NONE,
            (true, false) => {
                let input = if after.required { Class::Breaking } else { Class::Safe };
                let classes = Classes { output: Class::Breaking, input };
                let said = Statement::NewField { name, required: after.required, closed: true };
                self.note(spot, ChangeKind::FieldAdded, classes, &said)
            }
            (false, true) => {
                let output = if before.required { Class::Breaking } else { Class::Safe };
                let classes = Classes { output, input: Class::Breaking };
                let said = Statement::Removed { name, described: before.named };
                self.note(spot, ChangeKind::FieldRemoved, classes, &said)
            }
            (false, false) => match (before.named, after.named) {
                (false, true) if before.is_free() => self.described(spot, name, &before, &after),
                (true, false) if after.is_free() => self.undescribed(spot, name, &before, &after),
                _ => {
                    let presence = self.presence(spot, name, &before, &after);
                    presence.worst(self.pair(spot, &before.ways, &after.ways))
                }
            },
        }
    }

    fn field_of(&mut self, pieces: &[Piece<'a>], name: &str) -> Field<'a> {
        let ways: Ways<'a> = self.ask(|prover| {
            let mut ways = Vec::new();
            for piece in pieces {
                let ruled = piece.each("propertyNames").next().is_some();
                let facts = prover.field(piece, name);
                if (is_plain(&facts) && !ruled) || !prover.is_absent(piece, name) {
                    ways.push(facts);
                }
            }
            ways
        });
        Field {
            named: pieces.iter().any(|piece| piece.names(name)),
            required: pieces.iter().all(|piece| piece.requires(name)),
            ways: self.distinct(ways),
        }
    }

    fn presence(&mut self, spot: Spot<'_>, name: &str, before: &Field<'a>, after: &Field<'a>) -> Classes {
        match (before.required, after.required) {
            (true, false) => {
                self.note(spot, ChangeKind::MadeOptional, Classes::LOOSER, &Statement::Optional(name))
            }
            (false, true) => {
                self.note(spot, ChangeKind::MadeRequired, Classes::TIGHTER, &Statement::Required(name))
            }
            _ => Classes::NONE,
        }
    }

    /// Reports a field that only the new schema describes.
    fn described(&mut self, spot: Spot<'_>, name: &str, before: &Field<'a>, after: &Field<'a>) -> Classes {
        let input = match after.required {
            _ if before.required => Class::Risky,
            true => Class::Breaking,
            false if self.ask(|prover| prover.ways_within(&[Vec::new()], &after.ways)) => Class::Safe,
            false => Class::Risky,
        };
        let lost = if before.required && !after.required {
            self.presence(spot, name, before, after)
        } else {
            Classes::NONE
        };
        let said = if before.required {
            Statement::Described
        } else {
            Statement::NewField { name, required: after.required, closed: false }
        };
        let classes = Classes { output: Class::Safe, input };
        lost.worst(self.note(spot, ChangeKind::FieldAdded, classes, &said))
    }

    /// Reports a field that only the old schema describes.
    fn undescribed(&mut self, spot: Spot<'_>, name: &str, before: &Field<'a>, after: &Field<'a>) -> Classes {
        let gained = if after.required { self.presence(spot, name, before, after) } else { Classes::NONE };
        let lost = before.required && !after.required;
        let known = !lost && self.ask(|prover| prover.ways_within(&[Vec::new()], &before.ways));
        let output = if known { Class::Safe } else { Class::Breaking };
        // Values that were allowed under this name still are, because anything is.
        let classes = Classes { output, input: Class::Safe };
        let said = Statement::Undescribed { required: after.required };
        gained.worst(self.note(spot, ChangeKind::FieldRemoved, classes, &said))
    }

    /// Compares the fields that are not among these names.
    pub(crate) fn others(
        &mut self,
        spot: Spot<'_>,
        names: &[&'a str],
        old: &[Piece<'a>],
        new: &[Piece<'a>],
    ) -> Classes {
        let closed = |pieces: &[Piece<'a>]| pieces.iter().all(is_closed);
        match (closed(old), closed(new)) {
            (true, true) => Classes::NONE,
            (true, false) => {
                let classes = Classes { output: Class::Risky, input: Class::Safe };
                self.note(spot, ChangeKind::Opened, classes, &Statement::Opened(names))
            }
            (false, true) => self.note(spot, ChangeKind::Closed, Classes::TIGHTER, &Statement::Closed(names)),
            (false, false) => match (map_values(old), map_values(new)) {
                (Some(before), Some(after)) => {
                    let (before, after) = (self.distinct(before), self.distinct(after));
                    let path = values(spot.path);
                    self.map(spot.inside(&path, &spot.step(Step::Others(names))), &before, &after)
                }
                _ => Classes::NONE,
            },
        }
    }

    fn map(&mut self, spot: Spot<'_>, before: &Ways<'a>, after: &Ways<'a>) -> Classes {
        let anything = |ways: &Ways<'a>| ways.iter().any(Vec::is_empty);
        let all = [Vec::new()];
        match (anything(before), anything(after)) {
            (false, true) if !self.ask(|prover| prover.ways_within(&all, before)) => {
                self.note(spot, ChangeKind::MapChanged, Classes::LOOSER, &Statement::Anything)
            }
            (true, false) if !self.ask(|prover| prover.ways_within(&all, after)) => {
                self.note(spot, ChangeKind::MapChanged, Classes::TIGHTER, &Statement::NotAnything)
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
                Some((_, own)) => {
                    let trail = spot.step(Step::Matching(pattern));
                    self.pair(spot.inside(&path, &trail), &[vec![*own]], &[vec![*fact]])
                }
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

    /// Compares the fields of one pattern that only one side has.
    fn pattern(
        &mut self,
        spot: Spot<'_>,
        (pattern, word): (&str, &'static str),
        before: &[Fact<'a>],
        after: &[Fact<'a>],
    ) -> Classes {
        let class = |known| if known { Class::Safe } else { Class::Breaking };
        let output = class(self.ask(|prover| prover.facts_within(after, before)));
        let input = class(self.ask(|prover| prover.facts_within(before, after)));
        let said = Statement::Pattern(pattern, word);
        self.note(spot, ChangeKind::MapChanged, Classes { output, input }, &said)
    }
}

/// Returns whether some value obviously satisfies the facts.
fn is_plain(facts: &[Fact<'_>]) -> bool {
    match facts {
        [] => true,
        [Fact::Is(place)] => place.value.as_object().is_some_and(|map| map.keys().all(|key| key == "type")),
        _ => false,
    }
}

/// Returns the values of the fields that no keyword names, if no alternative has patterns.
pub(crate) fn map_values<'a>(pieces: &[Piece<'a>]) -> Option<Ways<'a>> {
    let mut values = Vec::new();
    for piece in pieces.iter().filter(|piece| !is_closed(piece)) {
        match piece.others(&[]).as_mut_slice() {
            [way] if !way.iter().any(|fact| is_never(*fact)) => values.push(std::mem::take(way)),
            _ => return None,
        }
    }
    Some(values)
}
