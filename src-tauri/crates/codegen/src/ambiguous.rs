//! Expressions that take exponential time where a library tries one way after the other.
//!
//! A schema is declared by a server, and its results are checked by libraries of Python and JavaScript that do so: with
//! `^(a+)+$`, thirty letters keep a program busy for minutes. An expression has such a text if and only if a state of its
//! automaton leads back to itself in two ways by the same text (Weber and Seidl, 1991: "exponential degree of ambiguity"). The
//! automaton is Glushkov's: one state for each class of characters.

use std::collections::{BTreeMap, HashSet, VecDeque};

use regex_syntax::ast::{Ast, RepetitionKind, RepetitionRange, parse::Parser};
use regex_syntax::hir::translate::{Translator, TranslatorBuilder};
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

/// Most states that are looked at.
const MAX_STATES: usize = 160;
/// Most pairs of steps that are looked at.
const MAX_WORK: usize = 2_000_000;
/// Most copies that a bounded repetition is written out as; more of them count as a loop.
const MAX_COPIES: u32 = 12;

/// Whether an expression may take exponential time. One that cannot be read or has too many states may.
pub fn is_ambiguous(pattern: &str) -> bool {
    // Without a loop around a loop or a choice there is one way.
    if !pattern.contains([')', ']']) || !pattern.contains(['*', '+', '{']) {
        return false;
    }
    match Parser::new().parse(pattern) {
        Ok(read) => {
            let mut automaton = Automaton { pattern, ..Automaton::default() };
            automaton.add(&read).is_none_or(|_| automaton.is_ambiguous())
        }
        Err(_) => has_nested_loops(pattern),
    }
}

/// Whether a group that ends with a repetition is repeated, in an expression with what only ECMA-262 has.
fn has_nested_loops(pattern: &str) -> bool {
    const LOOPS: [&str; 9] = ["*)*", "*)+", "+)*", "+)+", "*){", "+){", "})*", "})+", "}){"];
    LOOPS.iter().any(|nested| pattern.contains(nested))
}

/// Part of an expression: where it can begin and end, and whether it can be empty.
#[derive(Clone, Default)]
struct Part {
    first: Vec<usize>,
    last: Vec<usize>,
    is_empty: bool,
}

#[derive(Default)]
struct Automaton<'p> {
    pattern: &'p str,
    /// What each state reads.
    classes: Vec<ClassUnicode>,
    /// How many ways lead from a state to the next.
    ways: BTreeMap<(usize, usize), u32>,
}

impl Automaton<'_> {
    /// Adds an expression as it is written: a simplified one has lost the ways that a library tries. `None` if it has too
    /// many states.
    fn add(&mut self, read: &Ast) -> Option<Part> {
        let empty = || Part { is_empty: true, ..Part::default() };
        Some(match read {
            Ast::Empty(_) | Ast::Flags(_) | Ast::Assertion(_) => empty(),
            Ast::Literal(_)
            | Ast::Dot(_)
            | Ast::ClassUnicode(_)
            | Ast::ClassPerl(_)
            | Ast::ClassBracketed(_) => {
                let class = self.class(read)?;
                self.state(class)?
            }
            Ast::Group(group) => self.add(&group.ast)?,
            Ast::Concat(parts) => {
                let mut whole = empty();
                for part in &parts.asts {
                    let part = self.add(part)?;
                    whole = self.behind(whole, part);
                }
                whole
            }
            Ast::Alternation(parts) => {
                let mut whole = Part::default();
                for part in &parts.asts {
                    let Part { first, last, is_empty } = self.add(part)?;
                    whole.first.extend(first);
                    whole.last.extend(last);
                    whole.is_empty |= is_empty;
                }
                whole
            }
            Ast::Repetition(repeated) => {
                let (least, most) = match &repeated.op.kind {
                    RepetitionKind::ZeroOrOne => (0, Some(1)),
                    RepetitionKind::ZeroOrMore => (0, None),
                    RepetitionKind::OneOrMore => (1, None),
                    RepetitionKind::Range(RepetitionRange::Exactly(count)) => (*count, Some(*count)),
                    RepetitionKind::Range(RepetitionRange::AtLeast(least)) => (*least, None),
                    RepetitionKind::Range(RepetitionRange::Bounded(least, most)) => (*least, Some(*most)),
                };
                self.repeated(&repeated.ast, least, most)?
            }
        })
    }

    fn repeated(&mut self, read: &Ast, least: u32, most: Option<u32>) -> Option<Part> {
        let mut whole = Part { is_empty: true, ..Part::default() };
        // Of `a+`, the loop itself is the first copy.
        let copies = if most.is_none() { least.saturating_sub(1) } else { least };
        for _ in 0..copies.min(MAX_COPIES) {
            let copy = self.add(read)?;
            whole = self.behind(whole, copy);
        }
        match most {
            Some(most) if most <= MAX_COPIES || most == least => {
                for _ in least..most {
                    let copy = self.add(read)?;
                    whole = self.behind(whole, Part { is_empty: true, ..copy });
                }
                Some(whole)
            }
            _ => {
                let one = self.add(read)?;
                self.join(&one.last, &one.first);
                let is_empty = one.is_empty || least == 0;
                Some(self.behind(whole, Part { is_empty, ..one }))
            }
        }
    }

    /// What an atom of an expression reads. As in ECMA-262, `\w` and the like are ASCII.
    fn class(&self, atom: &Ast) -> Option<ClassUnicode> {
        let ascii = TranslatorBuilder::new().unicode(false).utf8(false).build().translate(self.pattern, atom);
        let hir = ascii.or_else(|_| Translator::new().translate(self.pattern, atom)).ok()?;
        let range = |from: char, to: char| ClassUnicodeRange::new(from, to);
        match hir.kind() {
            HirKind::Class(Class::Unicode(class)) => Some(class.clone()),
            HirKind::Class(Class::Bytes(class)) => {
                // What is left out of a class leaves all other characters in it.
                let end = |end: u8| if end == u8::MAX { char::MAX } else { end.into() };
                let ranges = class.ranges().iter();
                Some(ClassUnicode::new(ranges.map(|own| range(own.start().into(), end(own.end())))))
            }
            HirKind::Literal(literal) => {
                let letter = std::str::from_utf8(&literal.0).ok()?.chars().next()?;
                Some(ClassUnicode::new([range(letter, letter)]))
            }
            _ => None,
        }
    }

    fn state(&mut self, class: ClassUnicode) -> Option<Part> {
        self.classes.push(class);
        let number = self.classes.len() - 1;
        let part = Part { first: vec![number], last: vec![number], is_empty: false };
        (number < MAX_STATES).then_some(part)
    }

    /// One part behind another.
    fn behind(&mut self, before: Part, after: Part) -> Part {
        self.join(&before.last, &after.first);
        let first = if before.is_empty { [before.first, after.first.clone()].concat() } else { before.first };
        let last = if after.is_empty { [after.last, before.last].concat() } else { after.last };
        Part { first, last, is_empty: before.is_empty && after.is_empty }
    }

    fn join(&mut self, from: &[usize], to: &[usize]) {
        for from in from {
            for to in to {
                *self.ways.entry((*from, *to)).or_default() += 1;
            }
        }
    }

    fn is_ambiguous(&self) -> bool {
        let states = self.classes.len();
        let (mut next, mut before) = (vec![Vec::new(); states], vec![Vec::new(); states]);
        for (from, to) in self.ways.keys() {
            next[*from].push(*to);
            before[*to].push(*from);
        }
        let mut meeting = vec![false; states * states];
        for one in 0..states {
            for other in 0..states {
                let mut both = self.classes[one].clone();
                both.intersect(&self.classes[other]);
                meeting[one * states + other] = !both.ranges().is_empty();
            }
        }
        let mut walk = Walk { meeting: &meeting, states, left: MAX_WORK };
        (0..states).any(|state| {
            // Pairs of states on a way from this one back to it, for one text.
            let (Some(ahead), Some(back)) = (walk.reached(state, &next), walk.reached(state, &before)) else {
                return true;
            };
            let is_on =
                |one: usize, other: usize| ahead.contains(&(one, other)) && back.contains(&(one, other));
            let is_doubled = |((from, to), ways): (&(usize, usize), &u32)| {
                *ways > 1 && is_on(*from, *from) && is_on(*to, *to)
            };
            self.ways.iter().any(is_doubled)
                || ahead.iter().any(|(one, other)| one != other && is_on(*one, *other))
        })
    }
}

/// A search through pairs of states.
struct Walk<'m> {
    /// Whether two states read a character in common.
    meeting: &'m [bool],
    states: usize,
    /// Steps that are left.
    left: usize,
}

impl Walk<'_> {
    /// The pairs that the same text leads to from a state taken twice, or from which it leads there. `None` after too many
    /// steps.
    fn reached(&mut self, state: usize, steps: &[Vec<usize>]) -> Option<HashSet<(usize, usize)>> {
        let mut reached = HashSet::new();
        let mut open = VecDeque::from([(state, state)]);
        while let Some((one, other)) = open.pop_front() {
            for one in &steps[one] {
                for other in &steps[other] {
                    self.left = self.left.checked_sub(1)?;
                    if self.meeting[one * self.states + other] && reached.insert((*one, *other)) {
                        open.push_back((*one, *other));
                    }
                }
            }
        }
        Some(reached)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_expressions_are_decided_in_bounded_time() {
        let choice = format!("^({})*$", ('a'..='z').map(String::from).collect::<Vec<_>>().join("|"));
        assert!(!is_ambiguous(&choice));
        let many = format!("^({})*$", ["[a-z]*x"; 60].join("|"));
        assert!(is_ambiguous(&many));
    }

    #[test]
    fn expressions_with_two_ways_through_a_loop_are_found() {
        for pattern in [
            "^(a+)+$",
            "^(a*)*$",
            "(a|a)*b",
            r"^(\w|\d)+$",
            "^([^a]|ж)+$",
            "(a|aa)+$",
            r"^(\w+\s?)+$",
            r"^([a-zA-Z0-9]+)*@",
            "(x+x+)+y",
            "^(([a-z])+.)+[A-Z]([a-z])+$",
            r"^(\d{1,20})+$",
            "(a?b?)*c",
            "^(?=a)(b+)+$",
        ] {
            assert!(is_ambiguous(pattern), "{pattern}");
        }
        for pattern in [
            "^[a-z]+$",
            "^[a-z0-9]+(?:-[a-z0-9]+)*$",
            r"^([a-z]+\.)+[a-z]+$",
            r"^\d{4}-\d{2}-\d{2}$",
            r"^(\d{4})+$",
            r"^[\w.]+@\w+\.[\w.]+$",
            r"^v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?$",
            "^(foo|bar)*$",
            r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
            "^(?!x)[a-z]+$",
            r"^arn:(aws|aws-cn):[a-z0-9-]*:[a-z0-9-]*:\d{12}:.+$",
        ] {
            assert!(!is_ambiguous(pattern), "{pattern}");
        }
    }
}
