//! Signatures of bundles: an HMAC-SHA256 with the team's key over everything the file says.
//!
//! White space between values and the order of the outermost members do not count, so a bundle may be formatted again.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use hmac::{Hmac, KeyInit, Mac};
use schemascope_shape::HashKey;
use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::Sha256;

use super::text::{WrongFile, read_json};

/// The member that holds the signature.
const MEMBER: &str = "signature";

/// What the signature of a bundle proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authenticity {
    /// Someone with the team's key wrote the file as it is.
    Proven,
    /// The file has no signature: anyone can have written or changed it.
    Unsigned,
}

/// Adds the signature to a bundle that has none.
pub(super) fn sign(text: &str, key: HashKey) -> String {
    let Some(body) = text.trim_end().strip_suffix('}') else { return text.to_owned() };
    let Ok(members) = members(text) else { return text.to_owned() };
    let bytes = mac(&members, key).finalize().into_bytes();
    let mut hex = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(hex, "{byte:02x}");
    }
    format!("{},\n  \"{MEMBER}\": \"{hex}\"\n}}\n", body.trim_end())
}

/// Checks the signature of a bundle. A wrong one is an error.
pub(super) fn verify(text: &str, key: HashKey) -> Result<Authenticity, WrongFile> {
    let members = members(text)?;
    let Some(signature) = members.get(MEMBER) else { return Ok(Authenticity::Unsigned) };
    let wrong = || {
        WrongFile::whole(
            "its signature is wrong: the file was damaged or changed after it was exported; ask for it again",
        )
    };
    let hex: String = serde_json::from_str(signature.get()).map_err(|_| wrong())?;
    let digits = |at: usize| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..hex.len()).step_by(2).map(digits).collect();
    // Takes the same time wherever the two differ.
    mac(&members, key).verify_slice(&bytes.ok_or_else(wrong)?).map_err(|_| wrong())?;
    Ok(Authenticity::Proven)
}

type Members<'t> = BTreeMap<Cow<'t, str>, &'t RawValue>;

fn members(text: &str) -> Result<Members<'_>, WrongFile> {
    #[derive(Deserialize)]
    struct Object<'t>(#[serde(borrow)] Members<'t>);
    // Reports the place of an error, which a borrowed reading cannot.
    read_json::<serde::de::IgnoredAny>(text)?;
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let object: Object<'_> =
        serde_json::from_str(body).map_err(|_| WrongFile::whole("it is not an object"))?;
    Ok(object.0)
}

fn mac(members: &Members<'_>, HashKey(first, second): HashKey) -> Hmac<Sha256> {
    let mut key = [0; 64];
    key[..8].copy_from_slice(&first.to_be_bytes());
    key[8..16].copy_from_slice(&second.to_be_bytes());
    let mut mac = <Hmac<Sha256> as KeyInit>::new(&key.into());
    mac.update(b"schemascope bundle signature\0");
    for (name, value) in members.iter().filter(|(name, _)| *name != MEMBER) {
        mac.update(serde_json::Value::from(name.as_ref()).to_string().as_bytes());
        mac.update(b":");
        compact(value.get().as_bytes(), |part| mac.update(part));
        mac.update(b",");
    }
    mac
}

/// Passes on JSON without the white space between its values.
fn compact(json: &[u8], mut to: impl FnMut(&[u8])) {
    let (mut in_string, mut escaped, mut from) = (false, false, 0);
    for (at, byte) in json.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b' ' | b'\n' | b'\r' | b'\t' if !in_string => {
                to(&json[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    to(&json[from..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: HashKey = HashKey(1, 2);

    #[test]
    fn signature_covers_every_value_and_survives_formatting() {
        let text = "{\n \"b\": {\"x\": \"a \\\" b\", \"n\": 1.10},\n \"a\": [1, 2]\n}\n";
        let signed = sign(text, KEY);
        assert_eq!(verify(&signed, KEY).unwrap(), Authenticity::Proven, "{signed}");
        assert_eq!(verify(text, KEY).unwrap(), Authenticity::Unsigned);
        assert!(verify(&signed, HashKey(2, 1)).is_err());
        for same in [signed.replace("1, 2", "1,\r\n\t2"), format!("\u{feff}{signed}")] {
            assert_eq!(verify(&same, KEY).unwrap(), Authenticity::Proven, "{same}");
        }
        for (from, to) in [("1.10", "1.1"), ("a \\\"", "a\\\""), ("[1", "[3"), ("\"b\":", "\"c\":")] {
            assert!(verify(&signed.replacen(from, to, 1), KEY).is_err(), "{from}");
        }
        let added = signed.replacen('{', "{\"more\": 1,", 1);
        assert!(verify(&added, KEY).unwrap_err().reason.contains("changed"));
        for wrong in ["\"é\"", "\"\"", "7", "\"00\""] {
            let text = format!("{{\"a\": 1, \"signature\": {wrong}}}");
            assert!(verify(&text, KEY).is_err(), "{wrong}");
        }
    }
}
