//! GitHub's real webhook payloads, repeated with other ids, times, hashes and names each time.

use anyhow::{Result, ensure};
use schemascope_benches::github;
use schemascope_benches::random::Random;
use schemascope_benches::text::{hex, text};

/// Names that stand in nearly every example.
const NAMES: [&str; 2] = ["Codertocat", "Hello-World"];

/// All examples as text.
pub struct Payloads(Vec<String>);

impl Payloads {
    /// Reads them.
    pub fn read() -> Result<Self> {
        let events = github::events()?;
        let all: Vec<String> =
            events.iter().flat_map(|event| &event.examples).map(ToString::to_string).collect();
        ensure!(!all.is_empty(), "there are no examples");
        Ok(Self(all))
    }

    /// One of them, varied.
    pub fn one(&self, random: &mut Random) -> String {
        let mut example = random.pick(&self.0).clone();
        for name in NAMES {
            example = example.replace(name, &text("slug", random));
        }
        vary(&example, random)
    }
}

/// Other digits for every long number, other hashes for every hash.
fn vary(example: &str, random: &mut Random) -> String {
    let mut varied = String::with_capacity(example.len());
    let mut rest = example;
    while let Some(first) = rest.chars().next() {
        let hash = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let taken = if hash == 40 {
            varied += &hex(random, hash);
            hash
        } else if digits >= 4 {
            for at in 0..digits {
                // A number begins with no zero.
                varied.push(char::from(
                    b'0' + if at == 0 { 1 + random.below(9) } else { random.below(10) } as u8,
                ));
            }
            digits
        } else if hash > digits {
            // Letters and digits mixed, and no hash: an id of another kind, or a word.
            varied += &rest[..hash];
            hash
        } else {
            varied.push(first);
            first.len_utf8()
        };
        rest = &rest[taken..];
    }
    varied
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varied_payload_is_json_of_the_same_form() {
        let example = r#"{"id":186853002,"sha":"ec26c3e57ca3a959ca5aad62de7213c562f8c821","at":"2019-05-15T15:20:18Z","n":12}"#;
        let varied = vary(example, &mut Random::new(1, "payloads"));
        let (before, after): (serde_json::Value, serde_json::Value) =
            (serde_json::from_str(example).unwrap(), serde_json::from_str(&varied).unwrap());
        assert_ne!(before["id"], after["id"]);
        assert_ne!(before["sha"], after["sha"]);
        assert_eq!(before["n"], after["n"]);
        assert_eq!(example.len(), varied.len());
    }
}
