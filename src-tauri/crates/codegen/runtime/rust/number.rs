//! Numbers as JSON Schema compares them: `1` and `1.0` are equal, and integers are exact.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// The integer that a number is.
fn integer(number: &Number) -> Option<i128> {
    let exact = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    exact.or_else(|| {
        let float = number.as_f64()?;
        // Larger ones are beyond every integer that JSON values hold here.
        (float.fract() == 0.0 && float.abs() < 1e30).then_some(float as i128)
    })
}

pub(super) fn is_integer(number: &Number) -> bool {
    integer(number).is_some() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
}

/// The integer as 64 bits.
pub(super) fn as_i64(number: &Number) -> Option<i64> {
    integer(number).and_then(|integer| i64::try_from(integer).ok())
}

pub(super) fn order(one: &Number, other: &Number) -> Option<Ordering> {
    match (integer(one), integer(other)) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}

/// Whether JSON Schema calls two values equal.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => order(one, other) == Some(Ordering::Equal),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let equal = |(key, value)| other.get(key).is_some_and(|other| same(value, other));
            one.len() == other.len() && one.iter().all(equal)
        }
        _ => one == other,
    }
}

/// Text that two values have in common if JSON Schema calls them equal, for sets of many.
pub(super) fn identity(value: &Value) -> String {
    match value {
        Value::Number(number) => match integer(number) {
            Some(integer) => integer.to_string(),
            None => number.to_string(),
        },
        Value::Array(items) => format!("[{}]", items.iter().map(identity).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            let mut parts: Vec<_> =
                members.iter().map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), identity(value))).collect();
            parts.sort_unstable();
            format!("{{{}}}", parts.join(","))
        }
        other => other.to_string(),
    }
}

/// A number as an integer and a power of ten.
fn decimal(number: &Number) -> Option<(i128, i32)> {
    if let Some(integer) = integer(number) {
        return Some((integer, 0));
    }
    let text = format!("{:e}", number.as_f64()?);
    let (digits, exponent) = text.split_once('e')?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let exponent = exponent.parse::<i32>().ok()? - i32::try_from(fraction.len()).ok()?;
    Some((format!("{whole}{fraction}").parse().ok()?, exponent))
}

/// Whether a number is a multiple of another, in decimal digits; `None` if that has too many of them.
pub(super) fn is_multiple(number: &Number, of: &Number) -> Option<bool> {
    let ((value, down), (step, low)) = (decimal(number)?, decimal(of)?);
    if step == 0 {
        return None;
    }
    let least = down.min(low);
    let shift = |value: i128, by: i32| Some(value).filter(|_| by == 0).or_else(|| {
        value.checked_mul(10_i128.checked_pow(u32::try_from(by).ok()?)?)
    });
    match (shift(value, down - least), shift(step, low - least)) {
        (Some(value), Some(step)) => Some(value % step == 0),
        // A large power of ten has the factors of a step without decimal places.
        (None, Some(step)) => {
            let mut rest = value % step;
            for _ in 0..(down - least) {
                rest = rest.checked_mul(10)? % step;
            }
            Some(rest == 0)
        }
        // The step is larger than every value here.
        (_, None) => Some(value == 0),
    }
}
