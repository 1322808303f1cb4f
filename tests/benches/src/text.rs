//! Texts of many kinds, named as JSON Schema names formats where it does.

use crate::random::Random;
use crate::words::{CITIES, FIRST, LAST, SMALL, WORDS};

/// A text of a kind; an unknown kind gives a word.
pub fn text(kind: &str, random: &mut Random) -> String {
    match kind {
        "sentence" => sentence(random, 3, 12),
        "paragraph" => sentence(random, 15, 50),
        "title" => capital(&sentence(random, 1, 5)),
        "person" => format!("{} {}", random.one(FIRST), random.one(LAST)),
        "first" => (random.one(FIRST)).to_owned(),
        "city" => (random.one(CITIES)).to_owned(),
        "user" => user(random),
        "slug" => format!("{}-{}", random.one(WORDS), random.one(WORDS)),
        "package" => package(random),
        "path" => path(random),
        "file" => {
            format!("{}.{}", random.one(WORDS), random.one(&["rs", "json", "png", "csv", "md", "txt"]))
        }
        "hex" => hex(random, 40),
        "token" => token(random, 24),
        "prefixed" => format!("{}_{}", random.one(&["cus", "pi", "sub", "in"]), token(random, 14)),
        "version" => format!("{}.{}.{}", random.below(6), random.below(20), random.below(12)),
        "phone" => format!(
            "+{} {} {}",
            random.within(1, 99),
            random.within(100, 999),
            random.within(10_000, 999_999)
        ),
        "digits" => random.within(1_000, 99_999_999).to_string(),
        "code" => format!("{}-{}", token(random, 2).to_uppercase(), random.within(1_000, 99_999)),
        "amount" => format!("{}.{:02}", random.below(2_000), random.below(100)),
        "color" => format!("#{}", hex(random, 6)),
        "month" => format!("{}-{:02}", random.within(2018, 2026), random.within(1, 12)),
        "clock" => format!("{:02}:{:02}", random.below(24), random.below(60)),
        "local-time" => format!("{} {}", text("date", random), text("clock-seconds", random)),
        "clock-seconds" => format!("{:02}:{:02}:{:02}", random.below(24), random.below(60), random.below(60)),
        "relative" => format!("/{}/{}", random.one(WORDS), random.within(1, 9_999)),
        "hostname" => format!("{}.{}.example.com", random.one(WORDS), random.one(&["eu", "us", "ap"])),
        "date" => {
            format!("{}-{:02}-{:02}", random.within(2015, 2026), random.within(1, 12), random.within(1, 28))
        }
        "time" => format!("{}Z", text("clock-seconds", random)),
        "date-time" => format!("{}T{}Z", text("date", random), text("clock-seconds", random)),
        "date-time-fraction" => {
            format!("{}T{}.{:03}Z", text("date", random), text("clock-seconds", random), random.below(1_000))
        }
        "date-time-offset" => {
            let offset = random.one(&["+00:00", "+02:00", "-07:00", "+05:30"]);
            format!("{}T{}{offset}", text("date", random), text("clock-seconds", random))
        }
        "uuid" => uuid(random),
        "email" => {
            format!("{}@{}", user(random), random.one(&["example.com", "mail.example.org", "acme.test"]))
        }
        "uri" => uri(random),
        "ipv4" => format!(
            "{}.{}.{}.{}",
            random.within(1, 223),
            random.below(256),
            random.below(256),
            random.within(1, 254)
        ),
        "ipv6" => format!("2001:db8:{:x}::{:x}", random.below(65_536), random.within(1, 65_535)),
        _ => (random.one(WORDS)).to_owned(),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn sentence(random: &mut Random, low: i64, high: i64) -> String {
    let count = random.within(low, high);
    let word = |random: &mut Random| {
        let words = if random.chance(0.35) { SMALL } else { WORDS };
        random.one(words)
    };
    let words: Vec<&str> = (0..count).map(|_| word(random)).collect();
    words.join(" ")
}

fn user(random: &mut Random) -> String {
    match random.below(4) {
        0 => format!("{}{}", random.one(WORDS), random.below(1_000)),
        1 => format!("{}_{}", random.one(WORDS), random.one(WORDS)),
        2 => format!("{}.{}", random.one(WORDS), random.one(WORDS)),
        _ => format!("{}{}", random.one(WORDS), random.one(WORDS)),
    }
}

fn package(random: &mut Random) -> String {
    match random.below(4) {
        0 => format!("@{}/{}", random.one(WORDS), random.one(WORDS)),
        1 => format!("{}-{}", random.one(WORDS), random.one(&["js", "rs", "core", "utils", "cli"])),
        _ => (random.one(WORDS)).to_owned(),
    }
}

fn path(random: &mut Random) -> String {
    let folders: Vec<&str> = (0..random.within(1, 4)).map(|_| random.one(WORDS)).collect();
    format!("{}/{}", folders.join("/"), text("file", random))
}

fn uri(random: &mut Random) -> String {
    let host = random.one(&["https://api.example.com", "https://example.org", "http://cdn.example.net"]);
    let path = format!("{host}/{}/{}", random.one(WORDS), random.within(1, 99_999));
    if random.chance(0.2) { format!("{path}?page={}", random.within(1, 50)) } else { path }
}

/// So many hexadecimal digits.
pub fn hex(random: &mut Random, digits: usize) -> String {
    (0..digits).map(|_| char::from(b"0123456789abcdef"[random.below(16)])).collect()
}

fn token(random: &mut Random, letters: usize) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";
    (0..letters).map(|_| char::from(LETTERS[random.below(LETTERS.len())])).collect()
}

fn uuid(random: &mut Random) -> String {
    let (a, b, c, d) = (hex(random, 8), hex(random, 4), hex(random, 3), hex(random, 3));
    let variant = random.one(&['8', '9', 'a', 'b']);
    format!("{a}-{b}-4{c}-{variant}{d}-{}", hex(random, 12))
}
