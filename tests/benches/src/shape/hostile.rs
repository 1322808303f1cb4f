//! Documents whose every key is new. A shape must survive them in bounded memory.

use std::fmt::Write;

use schemascope_benches::random::Random;
use schemascope_benches::text::text;

/// Keys in one document.
const KEYS: usize = 100;

/// Keys that are plainly data.
pub fn data(random: &mut Random) -> String {
    document(random, |random| text(random.one(&["uuid", "email", "date-time", "hex"]), random))
}

/// Keys that could be names of fields.
pub fn words(random: &mut Random) -> String {
    document(random, |random| {
        let syllables = random.within(2, 6);
        let syllable = |random: &mut Random| {
            let consonant = random.one(b"bcdfghjklmnprstvwz");
            [char::from(consonant), char::from(random.one(b"aeiou"))]
        };
        (0..syllables).flat_map(|_| syllable(random)).collect()
    })
}

fn document(random: &mut Random, key: impl Fn(&mut Random) -> String) -> String {
    let mut line = "{".to_owned();
    for at in 0..KEYS {
        let comma = if at == 0 { "" } else { "," };
        let (key, number) = (key(random), random.within(0, 9_999));
        // Writing to a string cannot fail.
        let _ = match random.below(3) {
            0 => write!(line, "{comma}\"{key}\":{number}"),
            1 => write!(line, "{comma}\"{key}\":\"{}\"", text("slug", random)),
            _ => write!(line, "{comma}\"{key}\":{{\"{}\":{number}}}", text("user", random)),
        };
    }
    line + "}"
}
