//! Tool ids: the pair (server, tool) and its written form `server__tool`.
//!
//! Server names are restricted so that the written form splits in only one way. Tool names are the
//! upstream's choice.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Separator between server and tool in the written form.
pub const SEPARATOR: &str = "__";

/// Longest name of a tool, in bytes. Longer names are not plausible and would be stored forever.
const MAX_TOOL_NAME: usize = 1_024;

/// Longest server name, in bytes. It leaves room for the tool within the 128 characters that
/// clients accept.
const MAX_SERVER_NAME: usize = 64;

/// A tool of a server. Sorts by server, then by tool.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolId {
    server: Box<str>,
    tool: Box<str>,
}

/// Reason why a name or a written tool id is rejected. The message shows the accepted form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidName {
    /// A server name breaks the rules that keep `server__tool` unambiguous.
    #[error("server name {0:?} must be 1 to 64 of A-Z a-z 0-9 _ . - without \"__\" and not ending in \"_\"")]
    Server(String),
    /// A written tool id has no separator or an empty side.
    #[error("tool id {0:?} must have the form server__tool, for example git__git_status")]
    ToolId(String),
}

/// Accepts a server name if `server__tool` can be split again at its first separator.
pub fn check_server_name(name: &str) -> Result<(), InvalidName> {
    let characters = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
    let ok = characters
        && (1..=MAX_SERVER_NAME).contains(&name.len())
        && !name.contains(SEPARATOR)
        && !name.ends_with('_');
    if ok { Ok(()) } else { Err(InvalidName::Server(name.to_owned())) }
}

impl ToolId {
    /// Pairs a server with one of its tools. The tool's name may have from 1 to 1,024 bytes.
    pub fn new(server: &str, tool: &str) -> Result<Self, InvalidName> {
        check_server_name(server)?;
        if tool.is_empty() || tool.len() > MAX_TOOL_NAME {
            let shown: String = tool.chars().take(40).collect();
            return Err(InvalidName::ToolId(format!("{server}{SEPARATOR}{shown}")));
        }
        Ok(Self { server: server.into(), tool: tool.into() })
    }

    /// Returns the upstream's name in `mcp.json`.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// Returns the tool's name as the upstream gives it.
    pub fn tool(&self) -> &str {
        &self.tool
    }
}

impl fmt::Display for ToolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{SEPARATOR}{}", self.server, self.tool)
    }
}

impl FromStr for ToolId {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        let (server, tool) =
            text.split_once(SEPARATOR).ok_or_else(|| InvalidName::ToolId(text.to_owned()))?;
        Self::new(server, tool).map_err(|_| InvalidName::ToolId(text.to_owned()))
    }
}

impl Serialize for ToolId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ToolId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ambiguous_names_are_rejected() {
        for bad in ["", "a__b", "a_", "a b", "é", &"x".repeat(65)] {
            assert!(check_server_name(bad).is_err(), "{bad:?}");
        }
        for bad in ["", "git", "__x", "git__", "a b__c"] {
            assert!(bad.parse::<ToolId>().is_err(), "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn written_form_round_trips(server in "[A-Za-z0-9.-][A-Za-z0-9_.-]{0,20}", tool in ".{1,20}") {
            prop_assume!(check_server_name(&server).is_ok());
            let id = ToolId::new(&server, &tool).unwrap();
            prop_assert_eq!(id.to_string().parse::<ToolId>().unwrap(), id);
        }
    }
}
