//! Numbers as mathematics has them, and equality of JSON values with them.
//!
//! Owns: exact order between integers and floats of every size, and "are these two values equal", with a
//! third answer where validators differ. Refuses to know: schemas.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// Integers up to here are the same number as a float and as an integer, for everyone.
const EXACT: i128 = 1 << 53;

/// Floats below this convert to `i128` without loss.
const HUGE: f64 = 1e37;

/// Levels of nesting that equality looks into.
const MAX_DEPTH: usize = 100;

/// Nodes of a value that is copied or written out.
const MAX_COPIED: usize = 2_000;

/// A number of JSON, with its exact value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Num {
    /// An integer, however it was written.
    Whole(i128),
    /// Any other number, and those beyond the integers.
    Real(f64),
}

impl Num {
    /// The number a JSON number stands for.
    pub(super) fn of(number: &Number) -> Option<Self> {
        if let Some(whole) = number.as_i64() {
            return Some(Self::Whole(whole.into()));
        }
        if let Some(whole) = number.as_u64() {
            return Some(Self::Whole(whole.into()));
        }
        let real = number.as_f64().filter(|real| real.is_finite())?;
        if real.fract() == 0.0 && real.abs() < HUGE {
            #[expect(clippy::cast_possible_truncation, reason = "integral and within the range")]
            return Some(Self::Whole(real as i128));
        }
        Some(Self::Real(real))
    }

    /// The number a JSON value is, if it is one.
    pub(super) fn from_value(value: &Value) -> Option<Self> {
        value.as_number().and_then(Self::of)
    }

    /// Whether this is an integer.
    pub(super) fn is_whole(self) -> bool {
        match self {
            Self::Whole(_) => true,
            Self::Real(real) => real.fract() == 0.0,
        }
    }

    /// The exact order of two numbers.
    pub(super) fn order(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Whole(one), Self::Whole(two)) => one.cmp(&two),
            (Self::Real(one), Self::Real(two)) => one.total_cmp(&two),
            (Self::Whole(one), Self::Real(two)) => whole_against_real(one, two),
            (Self::Real(one), Self::Whole(two)) => whole_against_real(two, one).reverse(),
        }
    }

    /// Whether every validator represents this number without rounding.
    pub(super) fn is_tame(self) -> bool {
        match self {
            Self::Whole(whole) => whole.abs() <= EXACT,
            Self::Real(real) => real.abs() <= 9e15,
        }
    }
}

fn whole_against_real(whole: i128, real: f64) -> Ordering {
    if real.abs() >= HUGE {
        return if real > 0.0 { Ordering::Less } else { Ordering::Greater };
    }
    // Not integral, or `Num::of` had made it whole: never equal.
    #[expect(clippy::cast_possible_truncation, reason = "within the range")]
    let floor = real.floor() as i128;
    if whole <= floor { Ordering::Less } else { Ordering::Greater }
}

/// A count as keywords like `minLength` hold it; none when it is not one.
pub(super) fn count(value: &Value) -> Option<u64> {
    match Num::from_value(value)? {
        Num::Whole(whole) => u64::try_from(whole).ok(),
        Num::Real(_) => None,
    }
}

/// Whether two values are equal as JSON Schema has it; none where validators may differ or it is too deep.
pub(super) fn equal(one: &Value, two: &Value) -> Option<bool> {
    equal_at(one, two, 0)
}

fn equal_at(one: &Value, two: &Value, depth: usize) -> Option<bool> {
    if depth > MAX_DEPTH {
        return None;
    }
    match (one, two) {
        (Value::Null, Value::Null) => Some(true),
        (Value::Bool(one), Value::Bool(two)) => Some(one == two),
        (Value::String(one), Value::String(two)) => Some(one == two),
        (Value::Number(one), Value::Number(two)) => numbers_equal(one, two),
        (Value::Array(one), Value::Array(two)) => {
            if one.len() != two.len() {
                return Some(false);
            }
            every(one.iter().zip(two).map(|(one, two)| equal_at(one, two, depth + 1)))
        }
        (Value::Object(one), Value::Object(two)) => {
            if one.len() != two.len() {
                return Some(false);
            }
            every(one.iter().map(|(key, value)| match two.get(key) {
                Some(other) => equal_at(value, other, depth + 1),
                None => Some(false),
            }))
        }
        _ => Some(false),
    }
}

fn numbers_equal(one: &Number, two: &Number) -> Option<bool> {
    if one == two {
        return Some(true);
    }
    let (first, second) = (Num::of(one)?, Num::of(two)?);
    let same_writing = one.is_f64() == two.is_f64();
    if same_writing || (first.is_tame() && second.is_tame()) {
        return Some(first.order(second) == Ordering::Equal);
    }
    None
}

/// Whether a value is so deep or large that nobody should copy it or write it out.
pub(super) fn is_unwieldy(value: &Value) -> bool {
    let mut open = vec![(value, 0)];
    let mut met = 0;
    while let Some((value, depth)) = open.pop() {
        met += 1;
        if depth > MAX_DEPTH || met > MAX_COPIED || open.len() > MAX_COPIED {
            return true;
        }
        match value {
            Value::Array(values) => open.extend(values.iter().map(|value| (value, depth + 1))),
            Value::Object(fields) => open.extend(fields.values().map(|value| (value, depth + 1))),
            _ => {}
        }
    }
    false
}

/// "All of these", where some may be unknown.
pub(super) fn every(verdicts: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut sum = Some(true);
    for verdict in verdicts {
        match verdict {
            Some(true) => {}
            Some(false) => return Some(false),
            None => sum = None,
        }
    }
    sum
}

/// "One of these at least", where some may be unknown.
pub(super) fn some(verdicts: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    every(verdicts.into_iter().map(|verdict| verdict.map(|known| !known))).map(|none| !none)
}
