//! Entries of our own `mcp.json` that would make Schemascope a client of itself.
//!
//! A client's configuration names Schemascope for good reason, and may be the same file. Such an entry is rejected here
//! and left alone otherwise.

use super::{ServerEntry, StdioSpec};

/// Name of the upstream that serves Schemascope's own tools.
pub const OWN_SERVER: &str = "schemascope";

const STARTS_ITSELF: &str = "it starts Schemascope itself, which would list its own tools again and again; \
    remove the entry unless another MCP client reads this file";

/// Returns why an entry with this name is rejected, if it is.
pub(super) fn rejected_name(name: &str) -> Option<ServerEntry> {
    (name == OWN_SERVER).then(|| {
        ServerEntry::Invalid(format!(
            "the name {OWN_SERVER:?} is reserved for Schemascope's own tools, which need no entry; \
             give this server another name, or remove the entry unless another MCP client reads this file"
        ))
    })
}

/// Returns why a process is not started, if it is Schemascope's own stdio server.
pub(super) fn rejected_process(spec: &StdioSpec) -> Option<ServerEntry> {
    let file = spec.command.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_ours =
        matches!(file, "schemascope" | "schemascope.exe") && spec.args.iter().any(|arg| arg == "stdio");
    is_ours.then(|| ServerEntry::Invalid(STARTS_ITSELF.into()))
}

/// Whether an entry is rejected for one of these reasons.
pub(super) fn is_rejected(name: &str, reason: &str) -> bool {
    name == OWN_SERVER || reason == STARTS_ITSELF
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn entries(text: &str) -> Config {
        Config::parse(text, &|_| None).unwrap()
    }

    #[test]
    fn parse_rejects_entry_named_schemascope() {
        for entry in [
            r#"{"command": "x"}"#,
            r#"{"url": "http://localhost"}"#,
            r#"{"command": "x", "disabled": true}"#,
            "{}",
        ] {
            let config = entries(&format!(
                r#"{{"mcpServers": {{"schemascope": {entry}, "Schemascope": {{"command": "x"}}}}}}"#
            ));
            let ServerEntry::Invalid(reason) = &config.servers["schemascope"] else { panic!("{config:?}") };
            assert!(reason.contains("give this server another name"), "{reason}");
            assert_eq!(config.usable().collect::<Vec<_>>(), ["Schemascope"]);
        }
    }

    #[test]
    fn parse_rejects_entry_that_starts_own_stdio_server() {
        for (command, args, is_rejected) in [
            ("schemascope", r#"["stdio"]"#, true),
            ("/usr/local/bin/schemascope", r#"["--data-dir", "d", "stdio", "--server", "x"]"#, true),
            (r"C:\\tools\\schemascope.exe", r#"["stdio"]"#, true),
            ("schemascope", r#"["serve"]"#, false),
            ("schemascope", "[]", false),
            ("schemascope-upstreams", r#"["stdio"]"#, false),
            ("node", r#"["schemascope", "stdio"]"#, false),
            ("/opt/schemascope/server", r#"["stdio"]"#, false),
        ] {
            let config = entries(&format!(
                r#"{{"mcpServers": {{"us": {{"command": "{command}", "args": {args}}}, "other": {{"command": "x"}}}}}}"#
            ));
            let reason = match &config.servers["us"] {
                ServerEntry::Invalid(reason) => Some(reason.contains("starts Schemascope itself")),
                _ => None,
            };
            assert_eq!(reason, is_rejected.then_some(true), "{command} {args}");
            assert!(config.usable().any(|name| name == "other"));
        }
    }
}
