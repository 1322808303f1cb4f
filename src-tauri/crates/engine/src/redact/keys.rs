//! Which keys tell that their value is a secret.
//!
//! Keys are compared without case and without `_ - . space`, so `API-Key`, `apiKey` and `api_key` are
//! one. A key that ends in a telling word is telling too: `github_token`, `db.password`.

/// Words a telling key ends in.
const ENDINGS: &[&str] = &[
    "accesskey",
    "accesskeyid",
    "accountkey",
    "anonkey",
    "apikey",
    "appkey",
    "applicationkey",
    "authkey",
    "authorization",
    "authpass",
    "backupcode",
    "basicauth",
    "clientsecret",
    "connectionstring",
    "cookie",
    "credential",
    "credentials",
    "dbpass",
    "dbpw",
    "dockerconfigjson",
    "encryptionkey",
    "githubpat",
    "gitlabpat",
    "hmackey",
    "jsessionid",
    "jwt",
    "licensekey",
    "mailpass",
    "masterkey",
    "openaikey",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "phpsessid",
    "privatekey",
    "privatekeydata",
    "privatekeypem",
    "pwd",
    "recoverycode",
    "rootpass",
    "rolekey",
    "secret",
    "secretkey",
    "seedphrase",
    "setcookie",
    "sharedkey",
    "signingkey",
    "smtppass",
    "sshkey",
    "subscriptionkey",
    "supabasekey",
    "tlskey",
    "token",
    "userpass",
    "xauth",
];

/// What any of them, or its plural, ends in.
const LASTS: &[u8] = b"adeghlmnstwy";

/// Words that are also used for other things, so that the value must look like a secret: what passed, whose creds,
/// an account's bearer.
const AMBIGUOUS: &[&str] = &["auth", "bearer", "creds", "csrf", "otp", "pass", "pat", "pw", "sid", "xsrf"];

/// Endings in "token" that are places in a list, not secrets.
const PAGING: &[&str] =
    &["pagetoken", "nexttoken", "continuationtoken", "cursortoken", "synctoken", "progresstoken"];

/// Bytes of the longest key that is looked at: no name people give to secrets is longer.
const LONGEST: usize = 200;

/// Whether values under this key are secrets. Asked of every key of every document, so most must be told by
/// their last letter.
pub(crate) fn is_telling(key: &str) -> bool {
    if key.len() > LONGEST {
        return false;
    }
    if !key.is_ascii() {
        let plain: String = key.chars().filter(|c| !is_separator(*c)).flat_map(char::to_lowercase).collect();
        return ends_tellingly(plain.as_bytes());
    }
    let last = key.bytes().rev().find(|byte| !is_separator((*byte).into()));
    if !last.is_some_and(|last| LASTS.contains(&last.to_ascii_lowercase())) {
        return false;
    }
    let (mut plain, mut length) = ([0; LONGEST], 0);
    for byte in key.bytes().filter(|byte| !is_separator((*byte).into())) {
        plain[length] = byte.to_ascii_lowercase();
        length += 1;
    }
    ends_tellingly(&plain[..length])
}

/// Whether values under this key are secrets if they look like some: its last word is used for other things too.
pub(super) fn is_ambiguous(key: &str) -> bool {
    let ends = |word: &&str| {
        let Some(start) = key.len().checked_sub(word.len()) else { return false };
        let (before, last) = key.as_bytes().split_at(start);
        let alone = before.last().is_none_or(|&byte| {
            is_separator(byte.into()) || byte.is_ascii_lowercase() && last[0].is_ascii_uppercase()
        });
        alone && last.eq_ignore_ascii_case(word.as_bytes())
    };
    AMBIGUOUS.iter().any(ends)
}

/// Where keys are remembered.
const SLOTS: usize = 64;

/// What was found out of keys lately: documents repeat them. Two of each slot, or two keys that take turns would take
/// each other's place again and again.
pub(super) struct Lately<'a, T>([[(Ends, &'a str, T); 2]; SLOTS]);

impl<'a, T: Copy + Default> Lately<'a, T> {
    pub(super) fn new() -> Self {
        Self([[(Ends::default(), "", T::default()); 2]; SLOTS])
    }

    /// What is known of a key as it is written, found out where it is not known.
    #[inline]
    pub(super) fn known(&mut self, written: &'a str, find_out: impl FnOnce() -> T) -> T {
        let ends = Ends::of(written.as_bytes());
        let slot = &mut self.0[ends.slot()];
        let is_it = |(its, key, _): &(Ends, &str, T)| {
            *its == ends && (written.len() <= Ends::WHOLE || *key == written)
        };
        match slot.iter().find(|one| is_it(one)) {
            Some(known) => known.2,
            None => {
                slot[1] = slot[0];
                slot[0] = (ends, written, find_out());
                slot[0].2
            }
        }
    }
}

/// A text's first and last eight bytes and its length: all of it, if it is short.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Ends {
    first: u64,
    last: u64,
    length: usize,
}

impl Ends {
    /// The longest text that is known by its ends.
    const WHOLE: usize = 2 * size_of::<u64>();

    #[inline]
    fn of(text: &[u8]) -> Self {
        let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
        let ends = text.first_chunk().zip(text.last_chunk());
        let (first, last) = match ends {
            Some((first, last)) => (word(first), word(last)),
            // Two halves that overlap, or a byte or three.
            None => match text.first_chunk::<4>().zip(text.last_chunk::<4>()) {
                Some((first, last)) => (u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into()),
                None => (text.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)), 0),
            },
        };
        Self { first, last, length: text.len() }
    }

    /// Where a key is remembered. Names that are much alike should not take each other's place.
    #[inline]
    fn slot(self) -> usize {
        let mixed = self.first ^ self.last.rotate_left(29);
        // The highest bits of a product depend on all bits (Fibonacci hashing).
        (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - SLOTS.ilog2())) as usize
    }
}

fn is_separator(c: char) -> bool {
    matches!(c, '_' | '-' | '.' | ' ')
}

fn ends_tellingly(plain: &[u8]) -> bool {
    // One of several secrets is a secret; "tokens" are mostly counted, not kept.
    let singular = plain.strip_suffix(b"s").filter(|singular| !singular.ends_with(b"token"));
    let ends = |ending: &&str| {
        let ending = ending.as_bytes();
        plain.ends_with(ending) || singular.is_some_and(|singular| singular.ends_with(ending))
    };
    ENDINGS.iter().any(ends) && !PAGING.iter().any(|ending| plain.ends_with(ending.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_ending_is_missed_for_its_last_letter() {
        for ending in ENDINGS {
            for key in [(*ending).to_owned(), ending.to_uppercase(), format!("x_{ending}_")] {
                assert!(is_telling(&key), "{key}");
            }
            assert!(is_telling(&format!("é{ending}")) && !is_telling(&format!("{ending}é")));
        }
    }

    #[test]
    fn of_keys_with_the_same_ends_each_is_known_for_itself() {
        let mut lately = Lately::new();
        let keys =
            ["", "\0", "a", "\0a", "12345678", "1234567812345678", "1234567890123456", "12345678--12345678"];
        let longer = ["12345678-a-12345678", "12345678-b-12345678"];
        for round in 0..3 {
            for key in keys.iter().chain(&longer) {
                let known = lately.known(key, || *key);
                assert_eq!(known, *key, "{round}");
            }
        }
    }

    #[test]
    fn telling_keys_and_their_lookalikes() {
        for key in [
            "password",
            "Authorization",
            "X-API-Key",
            "apiKey",
            "access_token",
            "refreshToken",
            "db.password",
            "client secret",
            "Set-Cookie",
            "AWS_SECRET_ACCESS_KEY",
            "private-key",
            "credentials",
            "passwords",
            "api_keys",
            "secrets",
            "DB_PASS",
            "smtp.pass",
            "OPENAI_KEY",
            "Ocp-Apim-Subscription-Key",
            "service_role_key",
            "private_key_pem",
            "PHPSESSID",
            "basic_auth",
        ] {
            assert!(is_telling(key), "{key}");
        }
        for key in [
            "nextPageToken",
            "max_tokens",
            "tokens",
            "token_count",
            "passenger",
            "author",
            "key",
            "secretary",
            "password_changed_at",
            "continuation_token",
            "tests_pass",
            "bypass",
            "session_id",
            "public_key",
            "",
        ] {
            assert!(!is_telling(key), "{key}");
        }
    }

    #[test]
    fn words_for_secrets_and_for_other_things() {
        for key in ["pass", "dbPass", "SMTP-PASS", "auth", "github_pat", "é_pw", "X-XSRF"] {
            assert!(is_ambiguous(key), "{key}");
        }
        for key in ["bypass", "compass", "passed", "author", "PATH", "path", "oauth", "épw", "", "ss"] {
            assert!(!is_ambiguous(key), "{key}");
        }
    }
}
