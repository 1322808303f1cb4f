//! Keywords of numbers and strings, applied to a piece.

use serde_json::Value;

use crate::accepts::of_scalar;
use crate::fits::is_whole;
use crate::keyword::Kind;
use crate::number::{Num, count};
use crate::piece::Piece;
use crate::regular::is_within;

/// Returns whether a keyword of numbers or strings provably accepts the whole piece.
pub(crate) fn fits_scalar(piece: &Piece<'_>, key: &str, argument: &Value) -> bool {
    if let Some(values) = &piece.values
        && values.iter().all(|value| of_scalar(value, key, argument) == Some(true))
    {
        return true;
    }
    match (piece.kind, key) {
        (_, "format") => piece.holds(key, argument),
        (Kind::Number, "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf") => {
            fits_number(piece, key, argument)
        }
        (Kind::String, "minLength") => count(argument).is_some_and(|least| piece.at_least(key) >= least),
        (Kind::String, "maxLength") => {
            count(argument).is_some_and(|most| piece.at_most(key).is_some_and(|own| own <= most))
        }
        (Kind::String, "pattern") => {
            piece.holds(key, argument)
                || argument.as_str().is_some_and(|outer| is_trivial(outer) || within(piece, outer))
        }
        _ => true,
    }
}

/// Returns whether a pattern of the piece is within another pattern.
fn within(piece: &Piece<'_>, outer: &str) -> bool {
    piece.each("pattern").any(|(_, inner)| inner.as_str().is_some_and(|inner| is_within(inner, outer)))
}

/// Returns whether every text matches the pattern.
fn is_trivial(pattern: &str) -> bool {
    matches!(pattern, "" | "^" | ".*" | "^.*")
}

fn fits_number(piece: &Piece<'_>, key: &str, argument: &Value) -> bool {
    let Some(limit) = Num::from_value(argument) else { return false };
    match key {
        "minimum" => piece.lower().is_some_and(|own| own.at.order(limit).is_ge()),
        "maximum" => piece.upper().is_some_and(|own| own.at.order(limit).is_le()),
        "exclusiveMinimum" => piece
            .lower()
            .is_some_and(|own| own.at.order(limit).is_gt() || (own.open && own.at.order(limit).is_eq())),
        "exclusiveMaximum" => piece
            .upper()
            .is_some_and(|own| own.at.order(limit).is_lt() || (own.open && own.at.order(limit).is_eq())),
        "multipleOf" => fits_multiple(piece, argument, limit),
        _ => true,
    }
}

fn fits_multiple(piece: &Piece<'_>, argument: &Value, limit: Num) -> bool {
    if piece.holds("multipleOf", argument) {
        return true;
    }
    let Num::Whole(divisor) = limit else {
        // Every multiple of 0.05 is one of 0.01, and every whole number is.
        let Some(divisor) = Decimal::of(argument) else { return false };
        let one = Decimal { digits: 1, places: 0 };
        return is_whole(piece) && one.is_multiple_of(divisor)
            || piece
                .each("multipleOf")
                .any(|(_, own)| Decimal::of(own).is_some_and(|own| own.is_multiple_of(divisor)));
    };
    if divisor == 1 && is_whole(piece) {
        return true;
    }
    piece.each("multipleOf").any(|(_, own)| match Num::from_value(own) {
        Some(Num::Whole(own)) => own.checked_rem(divisor) == Some(0) && Num::Whole(own).is_precise(),
        _ => false,
    })
}

/// A number as it is written: `digits` divided by 10 to the power of `places`.
#[derive(Clone, Copy)]
struct Decimal {
    digits: i128,
    places: u32,
}

impl Decimal {
    /// Reads a number with few digits and without an exponent.
    fn of(value: &Value) -> Option<Self> {
        const MAX_DIGITS: usize = 15;
        let text = value.as_number()?.to_string();
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let digits = [whole, fraction].concat();
        let is_short = digits.len() <= MAX_DIGITS;
        let digits = is_short.then(|| digits.parse().ok()).flatten().filter(|digits| *digits > 0)?;
        Some(Self { digits, places: u32::try_from(fraction.len()).ok()? })
    }

    fn is_multiple_of(self, divisor: Self) -> bool {
        let places = self.places.max(divisor.places);
        let scaled = |number: Self| number.digits.checked_mul(10_i128.checked_pow(places - number.places)?);
        scaled(self).zip(scaled(divisor)).is_some_and(|(number, divisor)| number % divisor == 0)
    }
}
