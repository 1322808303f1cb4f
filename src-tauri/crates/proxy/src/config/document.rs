//! The text of an `mcp.json`: JSON, with the comments and commas that editors allow in it.
//!
//! Owns: the entries' names and values, in order, also those that are there twice. Refuses to know: what an entry means.

use jsonc_parser::ast::{Object, Value as Node};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Number, Value};

use super::ConfigError;

/// What the entries are under: as most clients write it, and as VS Code does.
const SERVERS: &[&str] = &["mcpServers", "servers"];
/// Comments and trailing commas, nothing else.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The entries of a text.
pub(super) fn entries(text: &str) -> Result<Vec<(String, Value)>, ConfigError> {
    let tree = parse_to_ast(text, &CollectOptions::default(), &OPTIONS)
        .map_err(|error| ConfigError::Json(error.to_string()))?;
    let root = match &tree.value {
        None => return Err(ConfigError::Empty),
        Some(Node::Object(root)) => root,
        Some(_) => return Err(ConfigError::NoServers),
    };
    let servers = SERVERS.iter().find_map(|key| root.get(key)).ok_or(ConfigError::NoServers)?;
    let Node::Object(servers) = &servers.value else { return Err(ConfigError::NoServers) };
    Ok(servers.properties.iter().map(|entry| (entry.name.as_str().to_owned(), value(&entry.value))).collect())
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
