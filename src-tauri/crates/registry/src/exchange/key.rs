//! The key file on which a team's hashes depend.
//!
//! The key is a secret of the team: with it and a bundle, guesses of the observed values can be tested. So it is kept
//! in a file of its own and never in a bundle. A bundle only names the digest of the key it was made with.

use schemascope_shape::HashKey;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::text::{WrongFile, read_json};

const FORMAT: &str = "schemascope-key";

#[derive(Serialize, Deserialize)]
#[serde(expecting = "a key file, which is an object")]
struct KeyFile {
    format: String,
    version: u32,
    key_id: String,
    key: String,
}

/// Fingerprint of a key, 16 hex digits. It does not help to guess the key, because keys are random.
pub fn key_id(key: HashKey) -> String {
    let mut hasher = Sha256::new_with_prefix(b"schemascope key id\0");
    hasher.update(key.0.to_be_bytes());
    hasher.update(key.1.to_be_bytes());
    hasher.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// The file that holds a key.
pub fn write_key(key: HashKey) -> String {
    let HashKey(first, second) = key;
    let file = KeyFile {
        format: FORMAT.into(),
        version: 1,
        key_id: key_id(key),
        key: format!("{first:016x}{second:016x}"),
    };
    serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
}

/// Reads that file.
pub fn read_key(text: &str) -> Result<HashKey, WrongFile> {
    let file: KeyFile = read_json(text)?;
    if file.format != FORMAT || file.version != 1 {
        return Err(WrongFile::whole(format!(
            "it is a {:?} of version {}, and a {FORMAT:?} of version 1 was expected",
            file.format, file.version
        )));
    }
    let half = |range: std::ops::Range<usize>| {
        let hex = file.key.get(range).filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        u64::from_str_radix(hex, 16).ok()
    };
    let key = match (file.key.len(), half(0..16), half(16..32)) {
        (32, Some(first), Some(second)) => HashKey(first, second),
        _ => return Err(WrongFile::whole("its \"key\" is not 32 hexadecimal digits")),
    };
    if key_id(key) != file.key_id {
        return Err(WrongFile::whole("its \"key_id\" is that of another key; it was changed or damaged"));
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_back_and_a_damaged_one_refused() {
        let key = HashKey(1, u64::MAX);
        let text = write_key(key);
        assert_eq!(read_key(&text).unwrap(), key);
        assert!(read_key(&text.replace("0001f", "0002f")).unwrap_err().reason.contains("key_id"));
        assert!(read_key("{\"format\": \"x\"}").unwrap_err().to_string().contains("version"));
    }
}
