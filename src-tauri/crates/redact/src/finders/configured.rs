//! Secrets from the configuration of upstreams: values of `env`, headers, addresses and options.
//!
//! Decides which of these values are secrets, and finds each in every encoding in which it may appear.

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::MIN_RUN;
use super::named::headers::is_auth_scheme;
use crate::chars::has_random_piece;
use crate::edits::Span;
use crate::keys::is_sensitive_key;

/// Least length of a value in bytes. Shorter values occur everywhere by chance.
const MIN_BYTES: usize = 8;
/// Least length of a value under a sensitive name, in bytes.
const MIN_BYTES_SENSITIVE: usize = 5;
/// Greatest number of values that are looked for. The rest of a longer list is ignored.
const MAX_VALUES: usize = 2_000;
/// Endings of names whose values are ordinary settings.
const SETTING_ENDINGS: &[&str] = &[
    "PATH",
    "HOME",
    "DIR",
    "DIRECTORY",
    "FILE",
    "HOST",
    "HOSTNAME",
    "PORT",
    "URL",
    "URI",
    "ENDPOINT",
    "REGION",
    "MODEL",
    "USER",
    "USERNAME",
    "LEVEL",
    "ENV",
    "ENVIRONMENT",
    "TZ",
    "LANG",
    "SHELL",
    "TERM",
    "VERSION",
    "MODE",
    "ACCEPT",
    "CONTENT-TYPE",
    "USER-AGENT",
    "NAME",
    "EMAIL",
    "TIMEOUT",
    "FORMAT",
    "ORG",
    "ORGANIZATION",
    "OWNER",
    "PROJECT",
    "DATABASE",
    "BUCKET",
    "WORKSPACE",
    "TENANT",
    "NAMESPACE",
    "REPO",
    "REPOSITORY",
    "TEAM",
    "CLUSTER",
];

/// The secret values of the configuration, compiled into one search.
#[derive(Debug, Default)]
pub(crate) struct ConfiguredValues(Option<AhoCorasick>);

impl ConfiguredValues {
    /// Compiles the secrets among these names and values.
    pub(crate) fn new<'v>(values: impl IntoIterator<Item = (&'v str, &'v str)>) -> Self {
        let mut encodings = Vec::new();
        for value in values.into_iter().flat_map(|(name, value)| secrets(name, value)).take(MAX_VALUES) {
            let escaped = serde_json::Value::from(value.as_str()).to_string();
            let escaped = escaped.trim_matches('"').to_owned();
            // `encodeURIComponent` of JavaScript and `quote` of Python leave further characters as they are.
            let percent = ["", "!'()*", "/"].map(|kept| percent_encoded(&value, kept));
            let form = percent[0].replace("%20", "+");
            let lower = lower_hex(&percent[0]);
            let decoded = percent_decoded(&value);
            // Inside base64 a value has three possible alignments. Its first and last characters depend on the
            // neighbouring bytes and are left out.
            for shift in 0..3 {
                let shifted = [vec![b' '; shift], value.as_bytes().to_vec()].concat();
                let encoded = STANDARD_NO_PAD.encode(&shifted);
                let (from, to) = ((shift * 4).div_ceil(3), shifted.len() * 8 / 6);
                if let Some(inner) = encoded.get(from..to).filter(|inner| inner.len() >= MIN_BYTES) {
                    encodings.extend([inner.replace('+', "-").replace('/', "_"), inner.to_owned()]);
                }
            }
            encodings.extend(percent.into_iter().chain(decoded).chain([escaped, form, lower, value]));
        }
        encodings.sort_unstable();
        encodings.dedup();
        let searched = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&encodings);
        Self(searched.ok().filter(|_| !encodings.is_empty()))
    }

    /// Finds the values in a text.
    pub(crate) fn find<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Span> + 't {
        self.0.iter().flat_map(move |values| values.find_iter(text).map(|found| found.span().into()))
    }
}

/// Secret parts of a value of a configuration: none, all of it, the part after a scheme (`Bearer`), or the password and
/// tokens in an address.
pub fn secrets(name: &str, value: &str) -> Vec<String> {
    let value = value.trim();
    if let Some((_, rest)) = value.split_once(' ').filter(|(scheme, _)| is_auth_scheme(scheme.as_bytes())) {
        return vec![rest.trim().to_owned()]
            .into_iter()
            .filter(|rest| rest.len() >= MIN_BYTES_SENSITIVE)
            .collect();
    }
    if let Some((_, rest)) = value.split_once("://") {
        return in_address(value.starts_with("http"), rest);
    }
    let sensitive = is_sensitive_key(name);
    let least = if sensitive { MIN_BYTES_SENSITIVE } else { MIN_BYTES };
    let long = value.len() >= MIN_BYTES || value.bytes().any(|byte| byte.is_ascii_digit());
    let secret = value.len() >= least
        && long
        && (sensitive && !is_switch_or_number(value) || !is_setting(name, value));
    secret.then(|| value.to_owned()).into_iter().collect()
}

/// The password in an address without its scheme, a token in place of the user, and parts of the path that look random.
fn in_address(is_web: bool, rest: &str) -> Vec<String> {
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let user = host.rsplit_once('@').map(|(user, _)| user);
    let (user, password) = match user.and_then(|user| user.split_once(':')) {
        Some((user, password)) => (Some(user), Some(password)),
        None => (user, None),
    };
    let password = password.filter(|it| it.len() >= MIN_BYTES_SENSITIVE);
    let parts = path.split('/').filter(|part| is_web && is_random(part));
    let found = password.into_iter().chain(user.filter(|user| is_random(user))).chain(parts);
    found.map(str::to_owned).collect()
}

/// Whether a part of an address is long and random enough for a token: not a name, an id or a digest.
fn is_random(part: &str) -> bool {
    let has = |is: fn(&u8) -> bool| part.bytes().any(|byte| is(&byte));
    let is_id = part.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let mixes = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit);
    part.len() >= MIN_RUN && mixes && !is_id && !part.contains('@') && has_random_piece(part.as_bytes())
}

/// Whether a value is a switch or a short number, which is no secret under any name.
fn is_switch_or_number(value: &str) -> bool {
    const WORDS: &[&str] = &["true", "false", "enabled", "disabled", "required", "optional", "default"];
    WORDS.contains(&value.to_lowercase().as_str()) || value.len() < MIN_BYTES && value.parse::<f64>().is_ok()
}

/// Whether a value is an ordinary setting, by its name or by its form.
fn is_setting(name: &str, value: &str) -> bool {
    let upper = name.to_uppercase();
    let setting = SETTING_ENDINGS.iter().any(|&ending| {
        upper.strip_suffix(ending).is_some_and(|rest| rest.is_empty() || rest.ends_with(['_', '-', '.']))
    });
    let path = value.starts_with(['/', '~', '.', '\\', '$', '%']) || value.get(1..3) == Some(":\\");
    let number = value.parse::<f64>().is_ok();
    let word = value.chars().all(|c| c.is_ascii_lowercase() || matches!(c, '-' | '_' | '.' | ',' | ' '))
        || value.chars().all(|c| c.is_ascii_uppercase() || c == '_')
        || value.chars().skip(1).all(|c| c.is_ascii_lowercase() || matches!(c, ' ' | '/' | '_'))
        || value.contains(' ') && !value.chars().any(|c| c.is_ascii_digit());
    // `us-east-1`, `localhost:5432`, `en_US.UTF-8`, `2024-05-01`, `1.20.3`.
    let digits = value.chars().filter(char::is_ascii_digit).count();
    let region = value.len() <= 16
        && digits <= 2
        && value.contains('-')
        && !value.chars().any(|c| c.is_ascii_uppercase());
    let address = value
        .rsplit_once(':')
        .is_some_and(|(_, port)| (2..=5).contains(&port.len()) && port.parse::<u16>().is_ok());
    let locale = value.ends_with("UTF-8") || value.ends_with("utf8");
    let dated = value
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, '-' | '.' | ':' | ' ' | 'T' | 'Z' | '/' | ','));
    setting || path || number || word || region || address || locale || dated
}

/// The value with `%XX` for each byte but letters, digits, `-_.~` and the characters in `kept`.
fn percent_encoded(value: &str, kept: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for byte in value.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(byte.into()),
            _ if kept.as_bytes().contains(&byte) => out.push(byte.into()),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// The same with small letters in `%XX`.
fn lower_hex(encoded: &str) -> String {
    let mut parts = encoded.split('%');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| {
        let (hex, rest) = part.split_at(part.len().min(2));
        format!("{out}%{}{rest}", hex.to_lowercase())
    })
}

/// The value without `%XX`, if it has any and is text without them: an address contains it encoded.
fn percent_decoded(value: &str) -> Option<String> {
    let bytes = value.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(&byte) = bytes.get(at) {
        let hex = value.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match hex.filter(|_| byte == b'%') {
            Some(decoded) => (out.push(decoded), at += 3),
            None => (out.push(byte), at += 1),
        };
    }
    String::from_utf8(out).ok().filter(|decoded| decoded != value && decoded.len() >= MIN_BYTES_SENSITIVE)
}
