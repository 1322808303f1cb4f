//! Secrets known beforehand: values of upstreams' `env` and headers.
//!
//! Owns: which of these values are secrets at all, the ways in which they are written, and finding them.
//! Refuses to know: where configurations are.

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::headers::schemes;
use super::keys::is_telling;
use super::spans::Span;

/// Shorter values are found everywhere.
const LEAST: usize = 8;
/// Of values under telling names.
const LEAST_TELLING: usize = 5;
/// Values looked for, at most; longer lists are cut.
const MOST: usize = 2_000;
/// Ends of names whose values are settings.
const SETTINGS: &[&str] = &[
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

/// The values, ready to be looked for.
#[derive(Debug, Default)]
pub(super) struct Known(Option<AhoCorasick>);

impl Known {
    /// From names and values.
    pub(super) fn new<'v>(values: impl IntoIterator<Item = (&'v str, &'v str)>) -> Self {
        let mut written = Vec::new();
        for value in values.into_iter().flat_map(|(name, value)| secrets(name, value)).take(MOST) {
            let escaped = serde_json::Value::from(value.as_str()).to_string();
            let escaped = escaped.trim_matches('"').to_owned();
            let percent = percent_encoded(&value);
            // In the middle of something encoded, three ways to lie; the ends depend on their neighbours.
            for shift in 0..3 {
                let shifted = [vec![b' '; shift], value.as_bytes().to_vec()].concat();
                let encoded = STANDARD_NO_PAD.encode(&shifted);
                let (from, to) = ((shift * 4).div_ceil(3), shifted.len() * 8 / 6);
                if let Some(inner) = encoded.get(from..to).filter(|inner| inner.len() >= LEAST) {
                    written.push(inner.to_owned());
                }
            }
            written.extend([escaped, percent, value]);
        }
        written.sort_unstable();
        written.dedup();
        let searched = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&written);
        Self(searched.ok().filter(|_| !written.is_empty()))
    }

    /// Where the values stand.
    pub(super) fn find<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Span> + 't {
        self.0.iter().flat_map(move |values| values.find_iter(text).map(|found| found.span().into()))
    }
}

/// What is secret of a value: nothing, all, or what follows a scheme (`Bearer`), or a password in an address.
fn secrets(name: &str, value: &str) -> Vec<String> {
    let value = value.trim();
    if let Some((_, rest)) = value.split_once(' ').filter(|(scheme, _)| schemes(scheme.as_bytes())) {
        return vec![rest.trim().to_owned()].into_iter().filter(|rest| rest.len() >= LEAST_TELLING).collect();
    }
    if let Some((_, rest)) = value.split_once("://") {
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let password = rest[..end].rsplit_once('@').and_then(|(user, _)| user.split_once(':'));
        return password
            .map(|(_, password)| password.to_owned())
            .filter(|it| it.len() >= LEAST_TELLING)
            .into_iter()
            .collect();
    }
    let telling = is_telling(name);
    let least = if telling { LEAST_TELLING } else { LEAST };
    let long = value.len() >= LEAST || value.bytes().any(|byte| byte.is_ascii_digit());
    let secret = value.len() >= least && long && (telling && !is_plain(value) || !is_setting(name, value));
    secret.then(|| value.to_owned()).into_iter().collect()
}

/// Switches and numbers, whatever they are called.
fn is_plain(value: &str) -> bool {
    const WORDS: &[&str] = &["true", "false", "enabled", "disabled", "required", "optional", "default"];
    WORDS.contains(&value.to_lowercase().as_str()) || value.len() < LEAST && value.parse::<f64>().is_ok()
}

fn is_setting(name: &str, value: &str) -> bool {
    let upper = name.to_uppercase();
    let setting = SETTINGS.iter().any(|&ending| {
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
