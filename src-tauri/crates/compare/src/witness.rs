//! Examples: values that one schema accepts and another rejects.
//!
//! Candidates are built from the values and limits that both schemas mention, and then tried.
//! Fields that no schema names are not used, because it is obvious that an open object may have
//! more.

use serde_json::{Map, Value, json};

use crate::accepts::accepts;
use crate::keyword::Kind;
use crate::number::{count, every, is_unwieldy};
use crate::object::is_closed;
use crate::piece::{Fact, Piece};
use crate::prover::Prover;
use crate::regular::matching_texts;
use crate::sample::sample;

/// Most values kept for one place.
const MAX_KEPT: usize = 40;

/// Most values tried inside others.
const MAX_INSIDE: usize = 10;

/// Most alternatives tried.
const MAX_WAYS: usize = 16;

/// Most levels of a generated value.
const MAX_LEVELS: usize = 4;

/// Most characters or items of a generated value.
const MAX_LENGTH: usize = 300;

/// Most fields of a generated value.
const MAX_FIELDS: usize = 40;

const TEXTS: &[&str] = &["a", "", "abc", "ABC", "a1", "1", "-", "x-a", "2024-01-15", "a b", "~ é"];

impl<'a> Prover<'a> {
    /// Returns a small value that satisfies one of the lists `sub` and none of the lists `sup`.
    pub(crate) fn example(&mut self, sub: &[Vec<Fact<'a>>], sup: &[Vec<Fact<'a>>]) -> Option<Value> {
        let hints = self.all_pieces(sup);
        for facts in sub.iter().take(MAX_WAYS) {
            let found = self.candidates_beside(facts, &hints, 0).into_iter();
            let outside = found.filter(|value| sup.iter().all(|way| self.holds(way, value) == Some(false)));
            if let Some(example) = outside.min_by_key(|value| value.to_string().len()) {
                return Some(example);
            }
        }
        None
    }

    fn holds(&mut self, facts: &[Fact<'a>], value: &Value) -> Option<bool> {
        every(facts.iter().map(|fact| match fact {
            Fact::Is(place) => accepts(value, *place, &mut self.fuel),
            Fact::Not(place) => accepts(value, *place, &mut self.fuel).map(|verdict| !verdict),
            Fact::Kind(kind) => Some(Kind::of(value) == *kind),
            Fact::Equals(own) => super::number::equal(own, value),
        }))
    }

    /// Returns values that satisfy the facts, at the limits that these and the other facts mention.
    fn candidates(&mut self, sub: &[Fact<'a>], other: &[Fact<'a>], level: usize) -> Vec<Value> {
        if level > MAX_LEVELS || self.fuel.is_spent() {
            return Vec::new();
        }
        let hints = self.pieces(other);
        self.candidates_beside(sub, &hints, level)
    }

    fn candidates_beside(&mut self, sub: &[Fact<'a>], hints: &[Piece<'a>], level: usize) -> Vec<Value> {
        let own = self.pieces(sub);
        let mut kept: Vec<Value> = Vec::new();
        let room = (MAX_KEPT / own.len().clamp(1, MAX_WAYS)).max(4);
        for piece in own.iter().take(MAX_WAYS) {
            let hints: Vec<&Piece<'a>> =
                hints.iter().filter(|hint| hint.kind == piece.kind).take(MAX_WAYS).collect();
            let tried = self.of_piece(piece, &hints, level);
            let mut allowed = 0;
            for value in tried {
                if allowed < room && !kept.contains(&value) && self.holds(sub, &value) == Some(true) {
                    kept.push(value);
                    allowed += 1;
                }
            }
        }
        kept
    }

    fn of_piece(&mut self, piece: &Piece<'a>, hints: &[&Piece<'a>], level: usize) -> Vec<Value> {
        let mut tried: Vec<Value> = match (&piece.values, piece.kind) {
            (Some(values), _) => {
                return copies(values.iter().copied(), 2 * MAX_KEPT);
            }
            (None, Kind::Null | Kind::Boolean) => Vec::new(),
            (None, Kind::Number) => numbers(piece, hints),
            (None, Kind::String) => texts(piece, hints),
            (None, Kind::Array) => self.arrays(piece, hints, level),
            (None, Kind::Object) => self.objects(piece, hints, level),
        };
        // A value rejected by one schema may be accepted by the other.
        for schema in hints.iter().copied().chain([piece]).flat_map(|piece| piece.nots.clone()).take(MAX_WAYS)
        {
            tried.extend(self.candidates(&[Fact::Is(schema)], &[], level + 1));
        }
        let mentioned = hints.iter().filter_map(|hint| hint.values.as_ref()).flatten();
        tried.extend(copies(mentioned.copied(), MAX_KEPT));
        tried
    }

    /// Returns values for a place inside, common ones first.
    fn inside(&mut self, sub: &[Fact<'a>], other: &[Fact<'a>], level: usize) -> Vec<Value> {
        let mut found = self.candidates(sub, other, level + 1);
        // One value of each kind comes first, because these are the most informative.
        let mut kinds = Vec::new();
        let (mut first, mut rest) = (Vec::new(), Vec::new());
        for value in found.drain(..) {
            let kind = Kind::of(&value);
            if kinds.contains(&kind) {
                rest.push(value);
            } else {
                kinds.push(kind);
                first.push(value);
            }
        }
        first.extend(rest);
        first
    }

    fn arrays(&mut self, piece: &Piece<'a>, hints: &[&Piece<'a>], level: usize) -> Vec<Value> {
        let mut lengths: Vec<usize> = vec![0, 1, 2];
        for piece in hints.iter().copied().chain([piece]) {
            let counts =
                ["minItems", "maxItems"].iter().flat_map(|key| piece.each(key).map(|(_, value)| value));
            let counts = counts.filter_map(count).filter_map(|count| usize::try_from(count).ok());
            lengths.extend(
                counts
                    .chain([piece.positions()])
                    .flat_map(|count| [count, count + 1, count.saturating_sub(1)]),
            );
        }
        lengths.retain(|length| *length <= MAX_LENGTH);
        lengths.sort_unstable();
        lengths.dedup();
        lengths.truncate(12);
        let mut inside: Vec<Vec<Value>> = Vec::new();
        for position in 0..=piece.positions().min(MAX_INSIDE) {
            let other = hints.first().map_or_else(Vec::new, |hint| hint.item(position));
            let mut found = self.inside(&piece.item(position), &other, level);
            for (part, wanted) in piece.each("contains") {
                found.extend(self.inside(&[Fact::Is(part.at(wanted))], &other, level).into_iter().take(2));
            }
            inside.push(found);
        }
        let at = |position: usize, turn: usize| {
            let found = inside.get(position).or_else(|| inside.last())?;
            found.get(turn % found.len().max(1)).cloned()
        };
        let mut tried = Vec::new();
        for length in lengths {
            for turn in 0..MAX_INSIDE {
                // All items equal, or each different.
                tried.push((0..length).filter_map(|position| at(position, turn)).collect());
                tried.push((0..length).filter_map(|position| at(position, turn + position)).collect());
            }
        }
        tried
    }

    fn objects(&mut self, piece: &Piece<'a>, hints: &[&Piece<'a>], level: usize) -> Vec<Value> {
        let mut names: Vec<&'a str> = piece.required().into_iter().chain(piece.named()).collect();
        for hint in hints {
            names.extend(hint.required().into_iter().chain(hint.named()));
        }
        for piece in hints.iter().copied().chain([piece]) {
            names.extend(conditional(piece));
        }
        let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        for piece in hints.iter().copied().chain([piece]) {
            names.extend(patterned(piece));
        }
        let mut met = std::collections::BTreeSet::new();
        names.retain(|name| met.insert(name.clone()));
        names.truncate(MAX_FIELDS);
        let (mut least, mut full) = (Map::new(), Map::new());
        let mut each: Vec<(&str, Vec<Value>)> = Vec::new();
        for name in &names {
            let mut facts = self.field(piece, name);
            let other: Vec<Fact<'a>> = hints.iter().flat_map(|hint| hint.field(name)).take(8).collect();
            if facts.is_empty() {
                // The field can have any value; only what the other side expects is informative.
                let expected = hints.iter().map(|hint| hint.field(name)).find(|facts| !facts.is_empty());
                facts = expected.unwrap_or_default();
            }
            let found = self.inside(&facts, &other, level);
            if let Some(first) = found.first() {
                full.insert(name.clone(), first.clone());
                if piece.requires(name) {
                    least.insert(name.clone(), first.clone());
                }
            }
            each.push((name, found));
        }
        let mut tried = vec![Value::Object(full.clone()), Value::Object(least.clone())];
        for (name, found) in &each {
            let mut without = full.clone();
            without.shift_remove(*name);
            tried.push(Value::Object(without));
            for value in found.iter().take(MAX_INSIDE) {
                for whole in [&least, &full] {
                    let mut with = whole.clone();
                    with.insert((*name).to_owned(), value.clone());
                    tried.push(Value::Object(with));
                }
            }
        }
        let closed = !hints.is_empty() && hints.iter().all(|hint| is_closed(hint));
        for facts in piece.others(&[]).into_iter().filter(|facts| !closed && !facts.is_empty()).take(2) {
            for value in self.inside(&facts, &[], level).into_iter().take(3) {
                let mut with = least.clone();
                with.insert("key".to_owned(), value);
                tried.push(Value::Object(with));
            }
        }
        tried
    }
}

/// Returns the first few of these values.
fn copies<'v>(values: impl Iterator<Item = &'v Value>, most: usize) -> Vec<Value> {
    values.take(most).filter(|value| !is_unwieldy(value)).cloned().collect()
}

/// Returns the fields that conditions mention.
fn conditional<'a>(piece: &Piece<'a>) -> Vec<&'a str> {
    let mut names = Vec::new();
    for (_, map) in piece.each("dependentRequired").chain(piece.each("dependentSchemas")) {
        for (name, wanted) in map.as_object().into_iter().flatten() {
            names.push(name.as_str());
            names.extend(wanted.as_array().into_iter().flatten().filter_map(Value::as_str));
        }
    }
    names
}

/// Returns names that match the patterns of names.
fn patterned(piece: &Piece<'_>) -> Vec<String> {
    let patterns = piece.each("patternProperties").filter_map(|(_, map)| map.as_object());
    let mut names: Vec<String> =
        patterns.flatten().flat_map(|(pattern, _)| matching_texts(pattern)).collect();
    for (_, rule) in piece.each("propertyNames") {
        names.extend(rule.get("pattern").and_then(Value::as_str).into_iter().flat_map(matching_texts));
        names.extend(TEXTS.iter().map(|text| (*text).to_owned()));
        let lengths = ["minLength", "maxLength"].iter().filter_map(|key| rule.get(*key).and_then(count));
        let lengths = lengths.filter_map(|length| usize::try_from(length).ok());
        names.extend(lengths.filter(|length| *length < MAX_LENGTH).flat_map(|length| {
            ["a".repeat(length), "a".repeat(length + 1), "a".repeat(length.saturating_sub(1))]
        }));
        let listed = rule.get("enum").and_then(Value::as_array).into_iter().flatten();
        names.extend(listed.filter_map(|name| name.as_str().map(str::to_owned)));
    }
    names
}

fn numbers(piece: &Piece<'_>, hints: &[&Piece<'_>]) -> Vec<Value> {
    let mut tried = vec![json!(1), json!(0), json!(0.5), json!(-1), json!(1_000_000)];
    let keys = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
    for piece in hints.iter().copied().chain([piece]) {
        for (_, limit) in keys.iter().flat_map(|key| piece.each(key)) {
            tried.push(limit.clone());
            if let Some(whole) = limit.as_i64() {
                tried.extend([whole.saturating_add(1), whole.saturating_sub(1)].map(Value::from));
            }
            if let Some(real) = limit.as_f64() {
                tried.extend([real.floor(), real.ceil(), real + 0.5, real - 0.5].map(Value::from));
            }
        }
    }
    tried.truncate(2 * MAX_KEPT);
    tried
}

fn texts(piece: &Piece<'_>, hints: &[&Piece<'_>]) -> Vec<Value> {
    let mut tried: Vec<Value> = TEXTS.iter().map(|text| json!(text)).collect();
    for piece in hints.iter().copied().chain([piece]) {
        let formats = piece.each("format").filter_map(|(_, format)| sample(format.as_str()?));
        tried.extend(formats.map(Value::from));
        let patterns = piece.each("pattern").filter_map(|(_, pattern)| pattern.as_str());
        tried.extend(patterns.flat_map(matching_texts).map(Value::from));
        for (_, length) in ["minLength", "maxLength"].iter().flat_map(|key| piece.each(key)) {
            let length = count(length).and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
            for length in [length.saturating_sub(1), length, length.saturating_add(1)] {
                if length <= MAX_LENGTH {
                    tried.push("a".repeat(length).into());
                }
            }
        }
    }
    tried
}
