//! What the key of a value says about it: part of a pair of name and value, of a table, of a command, of a result.

use crate::keys::is_ambiguous;

/// Meaning of the key of a value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Role {
    /// The content blocks of a result.
    Content,
    /// The text of a content block.
    Text,
    /// The name of the sibling `value`.
    Name,
    /// The names of the columns of a table.
    Columns,
    /// The value of the sibling `name`.
    Value,
    /// The field of a page into which the sibling `text` or `value` is typed.
    Field,
    /// The kind of a field, such as `password`.
    Kind,
    /// Whether the sibling `value` is sensitive.
    Sensitive,
    /// Names and values in turn.
    Pairs,
    /// The program of a command.
    Program,
    /// The arguments of a command.
    Arguments,
    /// A value that is secret if it looks like a secret.
    Ambiguous,
    #[default]
    Other,
}

/// The role of values under a key.
pub(super) fn role_of(key: &str) -> Role {
    match key {
        "content" => Role::Content,
        "text" => Role::Text,
        "name" | "key" | "header" | "field" | "variable" | "setting" | "property" | "parameter" | "label"
        | "Name" | "Key" => Role::Name,
        "columns" | "fields" | "headers" | "cols" | "column_names" | "columnNames" | "field_names"
        | "fieldNames" | "Columns" | "Fields" => Role::Columns,
        "value" | "Value" | "val" => Role::Value,
        "element" | "selector" | "locator" => Role::Field,
        "type" | "inputType" | "Type" => Role::Kind,
        "sensitive" | "masked" | "isSecret" | "is_secret" => Role::Sensitive,
        "rawHeaders" | "raw_headers" | "rawTrailers" => Role::Pairs,
        "command" | "cmd" | "program" | "executable" => Role::Program,
        "args" | "arguments" | "argv" => Role::Arguments,
        _ if is_ambiguous(key) => Role::Ambiguous,
        _ => Role::Other,
    }
}
