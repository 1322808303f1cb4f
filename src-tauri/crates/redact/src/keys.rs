//! Sensitive keys: names whose values are secrets.
//!
//! Keys are compared without case and without `_`, `-`, `.` and space, so `API-Key`, `apiKey` and `api_key` are
//! equal. A key that ends in a sensitive word is sensitive too: `github_token`, `db.password`.

use crate::chars::boundary;

/// Words at the end of sensitive keys.
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
    "authorizationcode",
    "authpass",
    "backupcode",
    "basicauth",
    "clientsecret",
    "codeverifier",
    "connectionstring",
    "connstr",
    "consumerkey",
    "cookie",
    "credential",
    "credentials",
    "cvc",
    "cvv",
    "dbpass",
    "dbpw",
    "deploykey",
    "devicecode",
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
    "mfacode",
    "openaikey",
    "passcode",
    "passkey",
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
    "secretdata",
    "secretkey",
    "secretkeybase",
    "seedphrase",
    "sessionkey",
    "setcookie",
    "sharedkey",
    "signingkey",
    "smtppass",
    "sshkey",
    "subscriptionkey",
    "supabasekey",
    "tlskey",
    "token",
    "totp",
    "unsealkey",
    "userpass",
    "walletkey",
    "xauth",
];

/// Last letters of all endings, their plurals and what may stand behind them, for a quick first check.
const LAST_LETTERS: &[u8] = b"acdeghlmnprstvwy0123456789";

/// Words with other meanings as well, so that the value must look like a secret: tests that pass, the bearer of an
/// account.
const AMBIGUOUS: &[&str] = &["auth", "bearer", "creds", "csrf", "otp", "pass", "pat", "pw", "sid", "xsrf"];

/// Endings in "token" that name a position in a list, or a request that may be repeated, and not a secret.
const PAGING: &[&str] = &[
    "pagetoken",
    "nexttoken",
    "continuationtoken",
    "cursortoken",
    "synctoken",
    "progresstoken",
    "skiptoken",
    "deltatoken",
    "startingtoken",
    "clienttoken",
    "clientrequesttoken",
    "scrolltoken",
    "resumptiontoken",
];
/// Words behind a sensitive one that leave it a secret: `password_confirmation`, `SecretString`.
const QUALIFIERS: &[&str] = &[
    "value",
    "string",
    "binary",
    "base64",
    "confirmation",
    "confirm",
    "repeat",
    "header",
    "new",
    "old",
    "current",
];
/// Words in front of "tokens" that leave them secrets. Other tokens are counted.
const OF_TOKENS: &[&str] = &["access", "api", "auth", "bearer", "refresh", "secret"];

/// Longest key that is checked, in bytes. Names of secrets are shorter.
const MAX_KEY_BYTES: usize = 200;

/// Whether values under this key are secrets. Every key of every document is checked, so the last letter must decide
/// for most.
pub fn is_sensitive_key(key: &str) -> bool {
    if key.len() > MAX_KEY_BYTES {
        return false;
    }
    if !key.is_ascii() {
        let plain: String = key.chars().filter(|c| !is_separator(*c)).flat_map(char::to_lowercase).collect();
        return has_sensitive_ending(plain.as_bytes());
    }
    let last = key.bytes().rev().find(|byte| !is_separator((*byte).into()));
    if !last.is_some_and(|last| LAST_LETTERS.contains(&last.to_ascii_lowercase())) {
        return false;
    }
    let (mut plain, mut length) = ([0; MAX_KEY_BYTES], 0);
    for byte in key.bytes().filter(|byte| !is_separator((*byte).into())) {
        plain[length] = byte.to_ascii_lowercase();
        length += 1;
    }
    has_sensitive_ending(&plain[..length])
}

/// Whether values under this key are secrets only if they look like one, because its last word has other meanings.
pub(crate) fn is_ambiguous(key: &str) -> bool {
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

/// Whether a description such as `Password field` or `#loginPassword` has a sensitive word, or two that are one
/// together.
pub(crate) fn names_secret(description: &str) -> bool {
    let description = &description[..boundary(description, 2 * MAX_KEY_BYTES)];
    let mut before = "";
    let mut words = description.split(|c: char| !c.is_alphanumeric()).flat_map(camel_words);
    words.any(|word| {
        let pair = [before, word].concat();
        before = word;
        is_sensitive_key(word) || is_sensitive_key(&pair)
    })
}

/// The parts of a word that begin with a capital after a small letter.
fn camel_words(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let turns = rest.as_bytes().windows(2);
        let turn = turns
            .take(MAX_KEY_BYTES)
            .position(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase());
        let (part, after) = rest.split_at(turn.map_or(rest.len(), |at| at + 1));
        rest = after;
        (!part.is_empty()).then_some(part)
    })
}

fn is_separator(c: char) -> bool {
    matches!(c, '_' | '-' | '.' | ' ')
}

fn has_sensitive_ending(plain: &[u8]) -> bool {
    let unqualified = QUALIFIERS.iter().find_map(|word| plain.strip_suffix(word.as_bytes()));
    let digits = plain.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    // `password2`, but no number at the end of a longer word such as a date.
    let unnumbered = (1..=2).contains(&digits).then(|| plain.get(..plain.len() - digits)).flatten();
    [Some(plain), unqualified, unnumbered].into_iter().flatten().any(ends_sensitively)
}

fn ends_sensitively(plain: &[u8]) -> bool {
    // A plural is sensitive too, except for "tokens", which are usually counted.
    let are_secret = |kind: &[u8]| OF_TOKENS.iter().any(|word| kind.ends_with(word.as_bytes()));
    let singular =
        plain.strip_suffix(b"s").filter(|singular| singular.strip_suffix(b"token").is_none_or(are_secret));
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
    fn descriptions_name_secrets() {
        for text in [
            "Password field",
            "#loginPassword",
            "input[name=\"user[password]\"]",
            "Enter API key",
            "é API-Key",
        ] {
            assert!(names_secret(text), "{text}");
        }
        for text in ["Search box", "Forgot it?", "#email", "Keyboard layout", "Monkey", ""] {
            assert!(!names_secret(text), "{text}");
        }
    }

    #[test]
    fn last_letters_cover_all_endings() {
        for ending in ENDINGS {
            for key in [(*ending).to_owned(), ending.to_uppercase(), format!("x_{ending}_")] {
                assert!(is_sensitive_key(&key), "{key}");
            }
            assert!(is_sensitive_key(&format!("é{ending}")) && !is_sensitive_key(&format!("{ending}é")));
        }
    }

    #[test]
    fn is_sensitive_key_distinguishes_similar_names() {
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
            "password2",
            "GITHUB_TOKEN_2",
            "SecretString",
            "client_secret_value",
            "password_confirmation",
            "private_key_base64",
            "authorizationHeader",
            "cvv",
            "cardCvc",
            "secret_key_base",
            "unsealKeys",
            "accessTokens",
            "api_tokens",
            "passwordNew",
            "totp",
        ] {
            assert!(is_sensitive_key(key), "{key}");
        }
        for key in [
            "nextPageToken",
            "max_tokens",
            "tokens",
            "token_count",
            "input_tokens",
            "stop",
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
            "skipToken",
            "clientRequestToken",
            "token_20261129",
            "tokens2",
            "oauth2",
            "headers",
            "",
        ] {
            assert!(!is_sensitive_key(key), "{key}");
        }
    }

    #[test]
    fn is_ambiguous_matches_whole_last_words_only() {
        for key in ["pass", "dbPass", "SMTP-PASS", "auth", "github_pat", "é_pw", "X-XSRF"] {
            assert!(is_ambiguous(key), "{key}");
        }
        for key in ["bypass", "compass", "passed", "author", "PATH", "path", "oauth", "épw", "", "ss"] {
            assert!(!is_ambiguous(key), "{key}");
        }
    }
}
