//! Which keys tell that their value is a secret.
//!
//! Keys are compared without case and without `_ - . space`, so `API-Key`, `apiKey` and `api_key` are
//! one. A key that ends in a telling word is telling too: `github_token`, `db.password`.

/// Words a telling key ends in.
const ENDINGS: &[&str] = &[
    "accesskey",
    "accesskeyid",
    "apikey",
    "authorization",
    "clientsecret",
    "connectionstring",
    "cookie",
    "credential",
    "credentials",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "pwd",
    "secret",
    "secretkey",
    "setcookie",
    "signingkey",
    "token",
    "xauth",
];

/// Endings in "token" that are places in a list, not secrets.
const PAGING: &[&str] =
    &["pagetoken", "nexttoken", "continuationtoken", "cursortoken", "synctoken", "progresstoken"];

/// Whether values under this key are secrets.
pub(crate) fn is_telling(key: &str) -> bool {
    // Longer than any name people give to secrets, and not worth a copy.
    if key.len() > 200 {
        return false;
    }
    let plain: String =
        key.chars().filter(|c| !matches!(c, '_' | '-' | '.' | ' ')).flat_map(char::to_lowercase).collect();
    // One of several secrets is a secret; "tokens" are mostly counted, not kept.
    let singular = plain.strip_suffix('s').filter(|singular| !singular.ends_with("token"));
    let ends =
        |ending: &str| plain.ends_with(ending) || singular.is_some_and(|singular| singular.ends_with(ending));
    ENDINGS.iter().any(|ending| ends(ending)) && !PAGING.iter().any(|ending| plain.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

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
            "",
        ] {
            assert!(!is_telling(key), "{key}");
        }
    }
}
