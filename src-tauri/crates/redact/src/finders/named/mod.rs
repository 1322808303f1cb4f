//! Secrets in text with a name before them: `password: x`, `--token x`, `?sig=x`, `Authorization: Bearer x`,
//! `Cookie: a=b`, `<secret>x</secret>`, in prose, settings, commands, queries, headers and truncated JSON.
//!
//! `keyword` says which names announce a secret, `value` finds where the value begins and ends, and `plausible` decides
//! whether it is a secret. Headers, commands, pairs of a name and a value, and fields of forms have files of their own.

mod commands;
mod forms;
pub(crate) mod headers;
pub(crate) mod keyword;
mod pairs;
pub(crate) mod plausible;
pub(crate) mod value;

use crate::MARKER;
use crate::chars::is_name;
use crate::edits::Span;
use commands::{
    find_after_flag, find_attached_value, find_flag_in_line, find_identified_by, find_login, find_user_option,
};
use headers::{find_after_scheme, find_basic_credentials, find_in_authorization, find_in_cookie};
use keyword::{SecretKind, announced_kind};
use plausible::is_plausible;
use value::{MAX_VALUE_BYTES, Notation, value_after};

/// Longest name, in bytes.
const MAX_NAME_BYTES: usize = 100;

/// How much of a text was read for values that are no secrets. Each name reads the value behind it, and values can hold
/// names.
pub(crate) struct Effort {
    left: usize,
}

impl Effort {
    /// Allows to read a text of this length so many times.
    pub(crate) fn of_text(bytes: usize) -> Self {
        const TIMES: usize = 32;
        Self { left: bytes.saturating_mul(TIMES).max(MAX_VALUE_BYTES) }
    }

    /// Longest value that is read now, in bytes.
    fn most(&self) -> usize {
        const SHORT: usize = 256;
        if self.left > 0 { MAX_VALUE_BYTES } else { SHORT }
    }
}

/// Finds the secrets after the keyword at `at`.
pub(crate) fn find_after_keyword(text: &str, at: usize, effort: &mut Effort, spans: &mut Vec<Span>) {
    let bytes = text.as_bytes();
    let start = bytes[at.saturating_sub(MAX_NAME_BYTES)..at].iter().rposition(|&byte| !is_name(byte));
    let start =
        start.map_or(at.saturating_sub(MAX_NAME_BYTES), |end| at.saturating_sub(MAX_NAME_BYTES) + end + 1);
    let limit = bytes.len().min(at + MAX_NAME_BYTES);
    let end = bytes[at..limit].iter().position(|&byte| !is_name(byte)).map_or(limit, |length| at + length);
    // The limit may cut a name inside a character; such a name is skipped.
    let Some(name) = text.get(start..end).map(|name| name.trim_start_matches(['-', '.'])) else { return };
    let start = end - name.len();
    // `ENV API_KEY x` of a Dockerfile, `aws configure set aws_secret_access_key x`, npm's `//host/:_authToken x`.
    let sets = [&b"config set "[..], b"configure set ", b"setx ", b"setenv ", b"set -x ", b"set -gx "];
    let flag = [&b"--"[..], b" -", b"ENV ", b"/:"]
        .iter()
        .chain(&sets)
        .any(|before| bytes[..start].ends_with(before));
    let lower = name.to_ascii_lowercase();
    match lower.strip_suffix(".exe").unwrap_or(&lower) {
        "bearer" => return find_after_scheme(bytes, end, spans),
        "basic" => return find_basic_credentials(bytes, end, spans),
        "curl" => return find_user_option(bytes, end, spans),
        "sshpass" => return find_after_flag(bytes, end, b"-p", spans),
        "docker" | "podman" | "buildah" | "skopeo" | "nerdctl" | "helm" => {
            return find_login(bytes, end, spans);
        }
        "mysql" | "mysqldump" | "mysqladmin" | "mariadb" => {
            return find_attached_value(bytes, end, b" -p", spans);
        }
        "redis-cli" => return find_flag_in_line(bytes, end, b" -a ", spans),
        "mongosh" => return find_flag_in_line(bytes, end, b" -p ", spans),
        "ldapsearch" => return find_flag_in_line(bytes, end, b" -w ", spans),
        "sqlcmd" => return find_flag_in_line(bytes, end, b" -P ", spans),
        "identified" => return find_identified_by(bytes, end, spans),
        _ => {}
    }
    let Some(kind) = announced_kind(bytes, start, name, &lower) else { return };
    if let Some((span, notation)) = pairs::paired_value(text, start, end) {
        if is_plausible(&bytes[span.clone()], kind, &notation, name.as_bytes()) {
            spans.push(span);
        }
        return;
    }
    if matches!(kind, SecretKind::Password | SecretKind::Token)
        && let Some(span) = forms::field_value(text, start, end)
    {
        let value = &text[span.clone()];
        // In a field for a password, several words are one.
        let is_phrase = kind == SecretKind::Password && value.contains(' ') && !value.contains(MARKER);
        if is_phrase || is_plausible(value.as_bytes(), kind, &Notation::QUOTED, name.as_bytes()) {
            return spans.push(span);
        }
    }
    let Some(value) = value_after(bytes, start, end, kind, flag, effort.most()) else { return };
    match kind {
        SecretKind::Header => find_in_authorization(bytes, &value, spans),
        SecretKind::Cookie => find_in_cookie(bytes, &value, spans),
        _ if is_plausible(&bytes[value.span.clone()], kind, &value.notation, name.as_bytes()) => {
            spans.push(value.span);
        }
        _ => effort.left = effort.left.saturating_sub(value.span.len()),
    }
}
