//! Numbers, durations, sizes and shares as text.

/// A count in groups of three digits, separated by narrow no-break spaces.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() * 2);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push('\u{202F}');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number of things: `1 tool`, `2 tools`.
pub fn number_of(number: usize, one: &str, several: &str) -> String {
    format!("{} {}", count(number as u64), if number == 1 { one } else { several })
}

/// A time in microseconds, as three digits and a unit.
pub fn duration(micros: u64) -> String {
    let (value, unit) = match micros {
        0..1_000 => (micros as f64, "µs"),
        1_000..1_000_000 => (micros as f64 / 1e3, "ms"),
        1_000_000..120_000_000 => (micros as f64 / 1e6, "s"),
        120_000_000..7_200_000_000 => (micros as f64 / 6e7, "min"),
        _ => (micros as f64 / 3.6e9, "h"),
    };
    format!("{}\u{202F}{unit}", three_digits(value))
}

/// A size in bytes, as three digits and a unit.
pub fn bytes(bytes: u64) -> String {
    let (value, unit) = match bytes {
        0..1_000 => return format!("{bytes}\u{202F}B"),
        1_000..1_000_000 => (bytes as f64 / 1e3, "kB"),
        1_000_000..1_000_000_000 => (bytes as f64 / 1e6, "MB"),
        _ => (bytes as f64 / 1e9, "GB"),
    };
    format!("{}\u{202F}{unit}", three_digits(value))
}

/// A part of a whole, in percent.
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".into();
    }
    share(part as f64 / whole as f64)
}

/// A share, 0 to 1, in percent. A small share is never shown as 0 %, and an incomplete one never as 100 %.
pub fn share(share: f64) -> String {
    let shown = match share * 100.0 {
        ..=0.0 => "0".to_owned(),
        100.0.. => "100".to_owned(),
        ..0.1 => "< 0.1".to_owned(),
        percent if percent > 99.9 => "> 99.9".to_owned(),
        percent if percent < 10.0 => format!("{percent:.1}"),
        percent => format!("{:.0}", percent.min(99.0)),
    };
    format!("{shown}\u{202F}%")
}

/// An interval of shares, in percent.
pub fn interval((low, high): (f64, f64)) -> String {
    let bound = |share: f64| format!("{:.1}", share * 100.0).trim_end_matches(".0").to_owned();
    format!("{}–{}\u{202F}%", bound(low), bound(high))
}

/// The time since a moment, in words.
pub fn ago(then_ms: u64, now_ms: u64) -> String {
    match now_ms.saturating_sub(then_ms) {
        0..3_000 => "now".into(),
        _ => format!("{} ago", span(then_ms, now_ms)),
    }
}

/// The time between two moments, in its largest unit.
pub fn span(then_ms: u64, now_ms: u64) -> String {
    let seconds = now_ms.saturating_sub(then_ms) / 1_000;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

fn three_digits(value: f64) -> String {
    match value {
        value if value < 9.995 => {
            format!("{value:.2}").trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        value if value < 99.95 => format!("{value:.1}").trim_end_matches(".0").to_owned(),
        value => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_a_unit() {
        assert_eq!([count(0), count(999), count(12_480)].join("|"), "0|999|12\u{202F}480");
        let times = [7, 1_000, 38_400, 9_999, 250_000, 30_000_000, 150_000_000];
        let times = times.map(duration).join("|").replace('\u{202F}', " ");
        assert_eq!(times, "7 µs|1 ms|38.4 ms|10 ms|250 ms|30 s|2.5 min");
        assert_eq!([bytes(12), bytes(20_480)].join("|").replace('\u{202F}', " "), "12 B|20.5 kB");
        assert_eq!(ago(1_000, 500), "now");
        assert_eq!(ago(0, 7_200_000), "2 h ago");
    }

    #[test]
    fn small_shares_are_not_zero() {
        let shown: Vec<String> =
            [(0, 9), (1, 100_000), (99_999, 100_000), (9, 9), (995, 1_000), (1, 8), (0, 0)]
                .into_iter()
                .map(|(part, whole)| percent(part, whole).replace('\u{202F}', ""))
                .collect();
        assert_eq!(shown, ["0%", "< 0.1%", "> 99.9%", "100%", "99%", "12%", "–"]);
        assert_eq!(interval((0.0, 0.16113)).replace('\u{202F}', " "), "0–16.1 %");
        assert_eq!(interval((0.9824, 1.0)).replace('\u{202F}', " "), "98.2–100 %");
    }
}
