//! The text of an `mcp.json`: JSON with comments and trailing commas.

use schemascope_json::jsonc::{self, Node, Object, ObjectProp};
use serde_json::{Map, Number, Value};

use super::ConfigError;

/// Keys of the object of servers: that of most clients, and that of VS Code.
const SERVERS_KEYS: &[&str] = &["mcpServers", "servers"];

/// Returns names and values of the entries in order, including duplicate names. A file may have both keys.
pub(super) fn entries(text: &str) -> Result<Vec<(String, Value)>, ConfigError> {
    let tree = jsonc::parse(text).map_err(|error| ConfigError::Json(error.sentence))?;
    let root = match &tree.root {
        None => return Err(ConfigError::Empty),
        Some(Node::Object(root)) => root,
        Some(_) => return Err(ConfigError::NoServers),
    };
    let mut entries = Vec::new();
    let mut lists = SERVERS_KEYS.iter().filter_map(|key| root.get(key)).peekable();
    lists.peek().ok_or(ConfigError::NoServers)?;
    for servers in lists {
        let Node::Object(servers) = &servers.value else { return Err(ConfigError::NoServers) };
        let named = |entry: &ObjectProp<'_>| (entry.name.as_str().to_owned(), value(&entry.value));
        entries.extend(servers.properties.iter().map(named));
    }
    Ok(entries)
}

fn value(node: &Node<'_>) -> Value {
    match node {
        Node::NullKeyword(_) => Value::Null,
        Node::BooleanLit(literal) => literal.value.into(),
        Node::NumberLit(literal) => literal.value.parse().map_or(Value::Null, |number: Number| number.into()),
        Node::StringLit(literal) => literal.value.as_ref().into(),
        Node::Array(array) => array.elements.iter().map(value).collect(),
        Node::Object(object) => Value::Object(members(object)),
    }
}

fn members(object: &Object<'_>) -> Map<String, Value> {
    object.properties.iter().map(|member| (member.name.as_str().to_owned(), value(&member.value))).collect()
}
