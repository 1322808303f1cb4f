//! Secrets from the configuration of upstreams: values of `env`, headers, addresses and options.
//!
//! Decides which of these values are secrets, and finds each in every encoding in which it may appear.

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::named::headers::is_auth_scheme;
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
            let percent = percent_encoded(&value);
            // Inside base64 a value has three possible alignments. Its first and last characters depend on the
            // neighbouring bytes and are left out.
            for shift in 0..3 {
                let shifted = [vec![b' '; shift], value.as_bytes().to_vec()].concat();
                let encoded = STANDARD_NO_PAD.encode(&shifted);
                let (from, to) = ((shift * 4).div_ceil(3), shifted.len() * 8 / 6);
                if let Some(inner) = encoded.get(from..to).filter(|inner| inner.len() >= MIN_BYTES) {
                    encodings.push(inner.to_owned());
                }
            }
            encodings.extend([escaped, percent, value]);
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

/// Secret parts of a value: none, all of it, the part after a scheme (`Bearer`), or the password in an address.
fn secrets(name: &str, value: &str) -> Vec<String> {
    let value = value.trim();
    if let Some((_, rest)) = value.split_once(' ').filter(|(scheme, _)| is_auth_scheme(scheme.as_bytes())) {
        return vec![rest.trim().to_owned()]
            .into_iter()
            .filter(|rest| rest.len() >= MIN_BYTES_SENSITIVE)
            .collect();
    }
    if let Some((_, rest)) = value.split_once("://") {
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let password = rest[..end].rsplit_once('@').and_then(|(user, _)| user.split_once(':'));
        return password
            .map(|(_, password)| password.to_owned())
            .filter(|it| it.len() >= MIN_BYTES_SENSITIVE)
            .into_iter()
            .collect();
    }
    let sensitive = is_sensitive_key(name);
    let least = if sensitive { MIN_BYTES_SENSITIVE } else { MIN_BYTES };
    let long = value.len() >= MIN_BYTES || value.bytes().any(|byte| byte.is_ascii_digit());
    let secret = value.len() >= least
        && long
        && (sensitive && !is_switch_or_number(value) || !is_setting(name, value));
    secret.then(|| value.to_owned()).into_iter().collect()
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

fn percent_encoded(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for byte in value.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(byte.into()),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
