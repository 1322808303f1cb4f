//! `mcp.json`: which upstreams there are.
//!
//! Owns: the common `mcpServers` form and what is wrong with a file or an entry, in words that say
//! what would be right. A wrong entry never hides the others. Refuses to know: where the file is, and
//! running anything.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemascope_model::check_server_name;
use serde::Deserialize;
use serde_json::Value;

/// All entries of a configuration, by server name.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// The entries, also those that cannot be started.
    pub servers: BTreeMap<String, ServerEntry>,
}

/// One entry of `mcpServers`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerEntry {
    /// A process to start.
    Stdio(StdioSpec),
    /// Switched off with `"disabled": true`.
    Disabled,
    /// Cannot be started; says why and what would be right.
    Invalid(String),
}

/// How a stdio upstream is started. No shell is involved.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct StdioSpec {
    /// The program, looked up in PATH.
    pub command: String,
    /// Its arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// Variables it gets beside the usual ones.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Where it runs; by default where we run.
    #[serde(default)]
    pub cwd: Option<PathBuf>,
}

/// Why a whole file says nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// Not JSON.
    #[error("not valid JSON: {0}")]
    Json(String),
    /// JSON, but without the one key that matters.
    #[error(
        "has no \"mcpServers\" object; expected {{\"mcpServers\": {{\"NAME\": {{\"command\": \"…\", \"args\": []}}}}}}"
    )]
    NoServers,
}

impl Config {
    /// Reads the text of an `mcp.json`.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let file: Value = serde_json::from_str(text).map_err(|error| ConfigError::Json(error.to_string()))?;
        let servers = file.get("mcpServers").and_then(Value::as_object).ok_or(ConfigError::NoServers)?;
        let entries = servers.iter().map(|(name, value)| (name.clone(), entry(name, value)));
        Ok(Self { servers: entries.collect() })
    }
}

fn entry(name: &str, value: &Value) -> ServerEntry {
    if value.get("disabled").and_then(Value::as_bool) == Some(true) {
        return ServerEntry::Disabled;
    }
    if let Err(reason) = check_server_name(name) {
        return ServerEntry::Invalid(reason.to_string());
    }
    if value.get("command").is_none() {
        let remote = value.get("url").or_else(|| value.get("serverUrl")).or_else(|| value.get("httpUrl"));
        return ServerEntry::Invalid(match remote {
            Some(_) => "upstreams over HTTP are not supported yet; use one with a \"command\"".into(),
            None => "has no \"command\" to start".into(),
        });
    }
    match StdioSpec::deserialize(value) {
        Ok(spec) if spec.command.is_empty() => ServerEntry::Invalid("\"command\" is empty".into()),
        Ok(spec) => ServerEntry::Stdio(spec),
        Err(error) => ServerEntry::Invalid(format!(
            "{error}; expected \"command\": text, \"args\": [texts], \"env\": {{name: text}}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entry_stands_for_itself() {
        let config = Config::parse(
            r#"{"mcpServers": {
                "ok": {"command": "x", "args": ["a"], "env": {"K": "v"}, "type": "stdio"},
                "off": {"command": "x", "disabled": true},
                "a__b": {"command": "x"},
                "web": {"url": "http://localhost"},
                "args": {"command": "x", "args": "a b"},
                "none": {}, "text": "x"}}"#,
        )
        .unwrap();
        let reason = |name: &str| match &config.servers[name] {
            ServerEntry::Invalid(reason) => reason.clone(),
            other => panic!("{name}: {other:?}"),
        };
        assert!(matches!(&config.servers["ok"], ServerEntry::Stdio(spec) if spec.args == ["a"]));
        assert_eq!(config.servers["off"], ServerEntry::Disabled);
        assert!(reason("a__b").contains("without \"__\""));
        assert!(reason("web").contains("HTTP"));
        assert!(reason("args").contains("\"args\": [texts]"));
        assert!(reason("none").contains("no \"command\""));
        assert!(reason("text").contains("no \"command\""));
    }

    #[test]
    fn a_file_that_says_nothing_says_what_is_expected() {
        assert!(matches!(Config::parse("{"), Err(ConfigError::Json(_))));
        for text in ["[]", "{}", r#"{"mcpServers": []}"#] {
            assert_eq!(Config::parse(text).unwrap_err(), ConfigError::NoServers);
        }
    }
}
