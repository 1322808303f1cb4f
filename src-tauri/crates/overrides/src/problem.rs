//! Problems of a file of overrides, as the user reads them.

/// Why a file, or a part of it, cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Not JSON with comments and trailing commas.
    #[error("line {line}, column {column}: {reason}")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// Message of the parser.
        reason: String,
    },
    /// A file that became empty. An editor may be in the middle of saving it.
    #[error("line 1: the file is empty; to remove all overrides, write {{}}")]
    Empty,
    /// A value of the wrong type.
    #[error("line {line}: {place} must be {expected}")]
    Type {
        /// Line, from 1.
        line: usize,
        /// Path of the value, with dots.
        place: String,
        /// The expected type.
        expected: &'static str,
    },
    /// A key that occurs twice in one object, so that its meaning is unclear.
    #[error("line {line}: {place} is duplicated; remove one of the two")]
    Duplicate {
        /// Line, from 1.
        line: usize,
        /// Path of the value, with dots.
        place: String,
    },
    /// A key that is hardly meant as it is written.
    #[error("line {line}: {place} has no effect; did you mean {meant}?")]
    Misspelt {
        /// Line, from 1.
        line: usize,
        /// Path of the key, with dots.
        place: String,
        /// The known key.
        meant: &'static str,
    },
    /// A key with overrides where none are read.
    #[error("line {line}: {place} has no effect; entries of tools belong in servers.NAME.tools")]
    Misplaced {
        /// Line, from 1.
        line: usize,
        /// Path of the key, with dots.
        place: String,
    },
    /// A file of a later format.
    #[error("schemaVersion {0} is not supported; this version of Schemascope reads 2")]
    UnknownVersion(u64),
    /// A field in an entry for several tools that only one tool can have.
    #[error("{place}.{field} is ignored: {field} can only be set for one tool of one server")]
    NotForSeveral {
        /// The entry.
        place: String,
        /// The field.
        field: &'static str,
    },
    /// Arguments that are no object.
    #[error(
        "{place}.inputSchema is ignored: its type has to be \"object\", and it {}",
        match kind { Some(kind) => format!("is {kind}"), None => "has none".to_owned() }
    )]
    NoArguments {
        /// The entry.
        place: String,
        /// The type, as JSON.
        kind: Option<String>,
    },
    /// A name that clients would reject.
    #[error("{tool} cannot be named {name:?}: a name has 1 to 128 of the characters A-Z a-z 0-9 _ . -")]
    InvalidName {
        /// The tool.
        tool: String,
        /// The name.
        name: String,
    },
    /// A name that another tool has.
    #[error("{tool} cannot be named {name:?}: {other} has the same name")]
    NameCollision {
        /// The tool.
        tool: String,
        /// The name.
        name: String,
        /// The other tool.
        other: String,
    },
    /// A name that no server can have.
    #[error("servers.{0} is ignored: {0:?} is not a valid name of a server")]
    InvalidServer(String),
    /// A schema that values cannot be checked against.
    #[error("{0}: its outputSchema is ignored because it is not a usable JSON Schema")]
    Schema(String),
    /// A tool that its server does not list.
    #[error("{0}: its server lists no such tool, so the entry has no effect")]
    NotListed(String),
    /// A tool that is not known yet.
    #[error("{0}: this tool is not known yet; its outputSchema applies once the tool is listed")]
    Unknown(String),
}
