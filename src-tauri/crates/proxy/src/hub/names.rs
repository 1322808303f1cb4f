//! The names of tools and prompts on `/mcp`.

use bytes::Bytes;
use schemascope_model::SEPARATOR;
use sha2::{Digest, Sha256};

use crate::wire::params;

/// Length of the longest name that clients accept.
const MAX_NAME: usize = 128;

/// The definition with its name on `/mcp`.
pub(super) fn renamed(server: &str, name: &str, definition: &Bytes) -> Option<Bytes> {
    let found = params::field(definition, "name")?;
    let public = serde_json::Value::from(public_name(server, name)).to_string();
    Some(params::splice(definition, vec![(found.range, public.into_bytes())]))
}

fn is_allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')
}

/// Whether clients accept `server__tool` without an alias.
pub(super) fn is_public(server: &str, tool: &str) -> bool {
    server.len() + SEPARATOR.len() + tool.len() <= MAX_NAME
        && server.chars().chain(tool.chars()).all(is_allowed)
}

/// Returns `server__tool`, or a stable alias where clients would reject it: other characters become `_`, a long
/// name is truncated, and a hash of the whole name makes the alias unique.
pub fn public_name(server: &str, tool: &str) -> String {
    let name = format!("{server}{SEPARATOR}{tool}");
    if is_public(server, tool) {
        return name;
    }
    let digest = Sha256::digest(&name);
    let suffix: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let plain: String =
        name.chars().map(|c| if is_allowed(c) { c } else { '_' }).take(MAX_NAME - 9).collect();
    format!("{plain}_{suffix}")
}

/// Whether a name ends like an alias.
pub(super) fn may_be_alias(name: &str) -> bool {
    let suffix = name.rsplit_once('_').map_or("", |(_, suffix)| suffix);
    suffix.len() == 8 && suffix.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_name_is_a_stable_alias_for_names_that_clients_reject() {
        assert_eq!(public_name("git", "status"), "git__status");
        let odd = public_name("git", "what's new?");
        assert_eq!(odd, public_name("git", "what's new?"));
        assert_ne!(odd, public_name("git", "what's new!"));
        assert!(may_be_alias(&odd) && !may_be_alias("git__status") && !may_be_alias("git__log_all_of_it"));
        let long = public_name("git", &"x".repeat(500));
        for name in [odd, long] {
            assert!(name.len() <= MAX_NAME && name.starts_with("git__"), "{name}");
            assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{name}");
        }
    }

    #[test]
    fn renamed_changes_only_the_name() {
        let definition = Bytes::from_static(br#"{"x":1.10,"name" : "\u0061","inputSchema":{"name":"b"}}"#);
        let expect = br#"{"x":1.10,"name" : "s__a","inputSchema":{"name":"b"}}"#;
        assert_eq!(renamed("s", "a", &definition).unwrap().as_ref(), expect);
    }
}
