//! Mathematical numbers: exact order between integers and floats of every size, and equality of
//! JSON values, with a third answer where validators differ.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// Largest integer that every implementation represents exactly, as a float and as an integer.
const EXACT: i128 = 1 << 53;

/// Limit below which floats convert to `i128` without loss.
const HUGE: f64 = 1e37;

/// Most levels of nesting that equality examines.
const MAX_DEPTH: usize = 100;

/// Most nodes of a value that is copied or printed.
const MAX_COPIED: usize = 2_000;

/// Exact value of a JSON number.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Num {
    /// An integer, in any notation.
    Whole(i128),
    /// Any other number, or one too large for an integer.
    Real(f64),
}

impl Num {
    /// Returns the value of a JSON number.
    pub(crate) fn of(number: &Number) -> Option<Self> {
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

    /// Returns the value of a JSON value that is a number.
    pub(crate) fn from_value(value: &Value) -> Option<Self> {
        value.as_number().and_then(Self::of)
    }

    /// Returns the number as a JSON value.
    pub(crate) fn to_value(self) -> Option<Value> {
        match self {
            Self::Whole(whole) => i64::try_from(whole).ok().map(Value::from),
            Self::Real(real) => Number::from_f64(real).map(Value::Number),
        }
    }

    /// Returns whether the number is an integer.
    pub(crate) fn is_whole(self) -> bool {
        match self {
            Self::Whole(_) => true,
            Self::Real(real) => real.fract() == 0.0,
        }
    }

    /// Returns the exact order of two numbers.
    pub(crate) fn order(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Whole(one), Self::Whole(two)) => one.cmp(&two),
            (Self::Real(one), Self::Real(two)) => one.total_cmp(&two),
            (Self::Whole(one), Self::Real(two)) => whole_against_real(one, two),
            (Self::Real(one), Self::Whole(two)) => whole_against_real(two, one).reverse(),
        }
    }

    /// Returns whether every validator represents this number without rounding.
    pub(crate) fn is_precise(self) -> bool {
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
    // The float is not integral, because `Num::of` would have made it whole. The two are never
    // equal.
    #[expect(clippy::cast_possible_truncation, reason = "within the range")]
    let floor = real.floor() as i128;
    if whole <= floor { Ordering::Less } else { Ordering::Greater }
}

/// Reads the value of a keyword such as `minLength`. Returns `None` if it is not a count.
pub(crate) fn count(value: &Value) -> Option<u64> {
    match Num::from_value(value)? {
        Num::Whole(whole) => u64::try_from(whole).ok(),
        Num::Real(_) => None,
    }
}

/// Returns whether two values are equal by JSON Schema's rules; `None` where validators may differ
/// or the values are too deep.
pub(crate) fn equal(one: &Value, two: &Value) -> Option<bool> {
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
    if same_writing || (first.is_precise() && second.is_precise()) {
        return Some(first.order(second) == Ordering::Equal);
    }
    None
}

/// Returns whether a value is too deep or too large to be copied or printed.
pub(crate) fn is_unwieldy(value: &Value) -> bool {
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

/// Combines answers with "and"; some may be unknown.
pub(crate) fn every(verdicts: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
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

/// Combines answers with "or"; some may be unknown.
pub(crate) fn some(verdicts: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    every(verdicts.into_iter().map(|verdict| verdict.map(|known| !known))).map(|none| !none)
}
