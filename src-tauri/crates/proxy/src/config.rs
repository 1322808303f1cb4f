//! `mcp.json`: the upstreams and how each is reached.
//!
//! Reads the common `mcpServers` form. An invalid entry is kept with a reason for the user and never hides the others.

mod document;
mod own;
mod variables;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;

use schemascope_model::check_server_name;
use serde::Deserialize;
use serde_json::Value;

use crate::built_in::BuiltIn;
pub use own::OWN_SERVER;

/// The entries of a configuration, by server name.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// All entries, including those that cannot be started.
    pub servers: BTreeMap<String, ServerEntry>,
}

/// How a server is reached, or why it is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerEntry {
    /// A process to start.
    Stdio(StdioSpec),
    /// A server to reach over Streamable HTTP.
    Http(HttpSpec),
    /// Tools served in this process. Never read from a file.
    BuiltIn(BuiltIn),
    /// A command-line tool: a program that runs for each call. Never read from `mcp.json`.
    CommandLine(BuiltIn),
    /// Switched off with `"disabled": true` or `"enabled": false`.
    Disabled,
    /// Cannot be used. Says why, and what to do.
    Invalid(String),
}

impl ServerEntry {
    /// Whether it cannot be used.
    pub(crate) fn is_invalid(&self) -> bool {
        matches!(self, Self::Invalid(_))
    }
}

/// How a stdio upstream is started. No shell is involved.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct StdioSpec {
    /// The program, looked up in PATH.
    pub command: String,
    /// Its arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// Variables it gets besides the usual ones.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Its working directory; ours by default.
    #[serde(default)]
    pub cwd: Option<PathBuf>,
}

/// Where an upstream over Streamable HTTP is.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpSpec {
    /// Its address, `http` or `https`.
    pub url: reqwest::Url,
    /// Headers of every request to it. They may be secrets.
    pub headers: BTreeMap<String, String>,
}

impl std::fmt::Debug for HttpSpec {
    /// Shows names of headers only: their values and the rest of the address may be secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let headers: Vec<_> = self.headers.keys().collect();
        f.debug_struct("HttpSpec").field("host", &self.url.host_str()).field("headers", &headers).finish()
    }
}

impl HttpSpec {
    /// Replaces the values of headers in a text.
    pub(crate) fn without_secrets(&self, text: &str) -> String {
        /// Shorter values are not secrets, and may be ordinary words.
        const MIN_SECRET_LEN: usize = 5;
        let values = self.headers.values();
        let mut secrets: Vec<&str> =
            values.flat_map(|value| value.split_whitespace().chain([value.as_str()])).collect();
        secrets.retain(|secret| secret.len() >= MIN_SECRET_LEN && !secret.eq_ignore_ascii_case("bearer"));
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret, "…"))
    }
}

/// Why a whole file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The file is empty.
    #[error("is empty; expected {{\"mcpServers\": {{\"NAME\": {{\"command\": \"…\", \"args\": []}}}}}}")]
    Empty,
    /// The file is not JSON.
    #[error("is not valid JSON: {0}")]
    Json(String),
    /// The file is JSON without an object of servers.
    #[error(
        "has no \"mcpServers\" object; expected {{\"mcpServers\": {{\"NAME\": {{\"command\": \"…\", \"args\": []}}}}}}"
    )]
    NoServers,
}

impl Config {
    /// Reads the text of an `mcp.json`, which may have comments and trailing commas. `variable` returns the values of
    /// environment variables that entries refer to.
    pub fn parse(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let mut servers = BTreeMap::new();
        for (name, value) in document::entries(text)? {
            match servers.entry(name) {
                Entry::Vacant(place) => {
                    let entry = entry(place.key(), value, variable);
                    place.insert(entry);
                }
                Entry::Occupied(mut place) => {
                    place.insert(ServerEntry::Invalid(
                        "the name is used more than once; give each server its own name".into(),
                    ));
                }
            }
        }
        Ok(Self { servers })
    }

    /// The entries that are switched off, as if they were not: what they contain is as secret.
    pub fn parse_disabled(
        text: &str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let disabled = document::entries(text)?.into_iter().filter(|(_, value)| is_disabled(value));
        let servers = disabled.map(|(name, mut value)| {
            if let Some(members) = value.as_object_mut() {
                members.retain(|key, _| !["disabled", "enabled"].contains(&key.as_str()));
            }
            let entry = entry(&name, value, variable);
            (name, entry)
        });
        Ok(Self { servers: servers.collect() })
    }

    /// The first entry that cannot be read, and why. Its secrets are not known. Entries that name Schemascope itself are
    /// not among them.
    pub fn first_unreadable(&self) -> Option<(&str, &str)> {
        self.servers.iter().find_map(|(name, entry)| match entry {
            ServerEntry::Invalid(reason) if !own::is_rejected(name, reason) => {
                Some((name.as_str(), reason.as_str()))
            }
            _ => None,
        })
    }

    /// Names of the servers that can be started or reached.
    pub fn usable(&self) -> impl Iterator<Item = &str> {
        let usable = |entry: &ServerEntry| !matches!(entry, ServerEntry::Disabled | ServerEntry::Invalid(_));
        self.servers.iter().filter(move |(_, entry)| usable(entry)).map(|(name, _)| name.as_str())
    }
}

fn is_disabled(value: &Value) -> bool {
    let says = |key: &str, what: bool| value.get(key).and_then(Value::as_bool) == Some(what);
    says("disabled", true) || says("enabled", false)
}

fn entry(name: &str, mut value: Value, variable: &dyn Fn(&str) -> Option<String>) -> ServerEntry {
    if let Some(rejected) = own::rejected_name(name) {
        return rejected;
    }
    if is_disabled(&value) {
        return ServerEntry::Disabled;
    }
    for key in ["disabled", "enabled"] {
        if value.get(key).is_some_and(|value| !value.is_boolean() && !value.is_null()) {
            return ServerEntry::Invalid(format!("\"{key}\" must be true or false, without quotes"));
        }
    }
    if let Err(reason) = check_server_name(name) {
        return ServerEntry::Invalid(reason.to_string());
    }
    if let Err(reason) = variables::fill(&mut value, variable) {
        return ServerEntry::Invalid(reason);
    }
    let value = &value;
    let url = ["url", "serverUrl", "httpUrl"].iter().find_map(|key| value.get(*key));
    match (value.get("command"), url) {
        (None, Some(url)) => return http(url, value),
        (None, None) => {
            return ServerEntry::Invalid("has neither a \"command\" nor a \"url\"; add one of them".into());
        }
        (Some(_), Some(_)) => {
            return ServerEntry::Invalid("has both a \"command\" and a \"url\"; remove one of them".into());
        }
        (Some(_), None) => {}
    }
    match StdioSpec::deserialize(value) {
        Ok(spec) if spec.command.is_empty() => ServerEntry::Invalid("\"command\" is empty".into()),
        Ok(spec) => own::rejected_process(&spec).unwrap_or(ServerEntry::Stdio(spec)),
        Err(_) => ServerEntry::Invalid(format!(
            "{} has the wrong type; expected \"command\": text, \"args\": [texts], \"env\": {{name: text}}",
            wrong_part(value)
        )),
    }
}

/// Names the part of an entry that is wrong, without its value, which may be a secret.
fn wrong_part(entry: &Value) -> &'static str {
    let part = |key: &str| entry.get(key).unwrap_or(&Value::Null);
    let args = part("args").as_array().is_none_or(|args| !args.iter().all(Value::is_string));
    let env = part("env").as_object().is_none_or(|env| !env.values().all(Value::is_string));
    let wrong = [
        ("\"command\"", !part("command").is_string()),
        ("\"args\"", entry.get("args").is_some() && args),
        ("\"env\"", entry.get("env").is_some() && env),
    ];
    wrong.iter().find(|(_, wrong)| *wrong).map_or("\"cwd\"", |(name, _)| name)
}

fn http(url: &Value, entry: &Value) -> ServerEntry {
    let invalid = |reason: String| ServerEntry::Invalid(reason);
    if entry.get("type").and_then(Value::as_str) == Some("sse") {
        return invalid(
            "the old HTTP+SSE transport is not supported; use the server's Streamable HTTP address".into(),
        );
    }
    let url = match url.as_str().map(reqwest::Url::parse) {
        Some(Ok(url)) if matches!(url.scheme(), "http" | "https") => url,
        Some(Ok(url)) => {
            return invalid(format!("\"url\" begins with {}:; expected http: or https:", url.scheme()));
        }
        Some(Err(error)) => return invalid(format!("\"url\" is not an address: {error}")),
        None => return invalid("\"url\" must be text".into()),
    };
    let headers = match entry.get("headers").map(BTreeMap::<String, String>::deserialize) {
        None => BTreeMap::new(),
        Some(Ok(headers)) => headers,
        Some(Err(_)) => return invalid("\"headers\" must be {name: text}".into()),
    };
    let wrong = headers.iter().find(|(name, value)| {
        name.parse::<reqwest::header::HeaderName>().is_err()
            || reqwest::header::HeaderValue::from_str(value).is_err()
    });
    match wrong {
        Some((name, _)) => {
            invalid(format!("header {name:?} contains characters that are not allowed in headers"))
        }
        None => ServerEntry::Http(HttpSpec { url, headers }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, ConfigError> {
        Config::parse(text, &|name| (name == "A").then(|| "value of A".to_owned()))
    }

    #[test]
    fn parse_reads_each_entry_on_its_own() {
        let config = parse(
            r#"{"mcpServers": { // a comment
                "ok": {"command": "x", "args": ["a"], "env": {"K": "v"}, "type": "stdio"},
                "off": {"command": "x", "disabled": true}, "off2": {"command": "${GONE}", "enabled": false},
                "twice": {"command": "x"}, "twice": {"command": "y"},
                "gone": {"command": "x", "env": {"TOKEN": "${GONE}"}},
                "filled": {"command": "x", "args": ["${A}"], "env": {"B": "${env:A}"},},
                "a__b": {"command": "x"},
                "web": {"url": "http://localhost", "headers": {"X": "y"}},
                "ftp": {"url": "ftp://localhost"},
                "both": {"url": "http://localhost", "command": "x"},
                "old": {"url": "http://localhost/sse", "type": "sse"},
                "header": {"url": "http://localhost", "headers": {"X": "a\nb"}},
                "args": {"command": "x", "args": "a b"},
                "env": {"command": "x", "env": {"PASSWORD": 739201}},
                "none": {}, "text": "x"}}"#,
        )
        .unwrap();
        let reason = |name: &str| match &config.servers[name] {
            ServerEntry::Invalid(reason) => reason.clone(),
            other => panic!("{name}: {other:?}"),
        };
        assert!(matches!(&config.servers["ok"], ServerEntry::Stdio(spec) if spec.args == ["a"]));
        assert!(["off", "off2"].iter().all(|name| config.servers[*name] == ServerEntry::Disabled));
        assert!(reason("twice").contains("more than once") && reason("gone").contains("variable GONE"));
        let ServerEntry::Stdio(filled) = &config.servers["filled"] else { panic!("{config:?}") };
        assert_eq!((filled.args[0].as_str(), filled.env["B"].as_str()), ("value of A", "value of A"));
        assert_eq!(config.usable().collect::<Vec<_>>(), ["filled", "ok", "web"]);
        assert!(reason("a__b").contains("without \"__\""));
        assert!(matches!(&config.servers["web"], ServerEntry::Http(spec) if spec.headers["X"] == "y"));
        assert!(reason("ftp").contains("expected http"));
        assert!(reason("both").contains("remove one of them"));
        assert!(reason("old").contains("Streamable HTTP"));
        assert!(reason("header").contains("characters"));
        assert!(reason("args").contains("\"args\": [texts]"));
        assert!(reason("env").starts_with("\"env\" has the wrong type") && !reason("env").contains("739201"));
        assert!(reason("none").contains("neither a \"command\""));
        assert!(reason("text").contains("neither a \"command\""));
    }

    #[test]
    fn parse_rejects_file_without_servers() {
        assert!(matches!(parse("{"), Err(ConfigError::Json(_))));
        assert_eq!(parse(" // nothing yet").unwrap_err(), ConfigError::Empty);
        for text in ["[]", "{}", r#"{"mcpServers": []}"#] {
            assert_eq!(parse(text).unwrap_err(), ConfigError::NoServers);
        }
    }

    #[test]
    fn parse_reads_form_of_vs_code() {
        let config = parse(r#"{"inputs": [], "servers": {"x": {"type": "stdio", "command": "y"}}}"#).unwrap();
        assert_eq!(config.usable().collect::<Vec<_>>(), ["x"]);
    }
}
