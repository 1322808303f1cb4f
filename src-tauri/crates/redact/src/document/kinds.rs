//! What makes the members of a document secrets whatever their names say: a Secret of Kubernetes, a JSON Web Key, the type
//! of a field.

/// Private parts of a JSON Web Key (RFC 7518, section 6).
const PRIVATE_PARTS: [&str; 7] = ["d", "dp", "dq", "k", "p", "q", "qi"];

/// The kinds of secrets in a document.
pub(super) struct SecretKinds {
    has_kubernetes_secret: bool,
    has_web_key: bool,
}

impl SecretKinds {
    pub(super) fn of(json: &str) -> Self {
        Self {
            has_kubernetes_secret: has_member(json, "\"kind\"", "\"Secret\"")
                && has_member(json, "\"apiVersion\"", "\""),
            has_web_key: has_member(json, "\"kty\"", "\""),
        }
    }

    /// Whether a key, and the text behind it, are a part of such a secret.
    pub(super) fn is_part(&self, key: &str, rest: &str) -> bool {
        self.has_kubernetes_secret && matches!(key, "data" | "stringData")
            || self.has_web_key && PRIVATE_PARTS.contains(&key) && begins_number(rest)
    }
}

/// Whether the kind of a field, of a parameter or of a variable is that of a secret.
pub(super) fn is_secret_kind(quoted: &str) -> bool {
    let kind = quoted.trim_matches('"');
    ["password", "securestring", "concealed", "secret"].iter().any(|secret| kind.eq_ignore_ascii_case(secret))
}

/// Whether a document has a member whose value begins so, anywhere.
fn has_member(json: &str, key: &str, value: &str) -> bool {
    memchr::memmem::find_iter(json.as_bytes(), key).any(|at| {
        let behind = json[at + key.len()..].trim_start().strip_prefix(':');
        behind.is_some_and(|behind| behind.trim_start().starts_with(value))
    })
}

/// Whether the value behind a key is a number as web keys have it, in base64.
fn begins_number(rest: &str) -> bool {
    const LEAST: usize = 20;
    let value = rest.trim_start().strip_prefix(':').and_then(|value| value.trim_start().strip_prefix('"'));
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    value.is_some_and(|value| value.bytes().take(LEAST).filter(is_part).count() == LEAST)
}
