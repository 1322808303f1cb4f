//! What is wrong with a file.
//!
//! Owns: the words. Refuses to know: what follows.

/// Why a file cannot be used, or what in it cannot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Not JSON, comments and trailing commas aside.
    #[error("line {line}, column {column}: {reason}")]
    Syntax {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// What is wrong.
        reason: String,
    },
    /// Nothing stands there, where something did: somebody may be in the middle of writing it.
    #[error("line 1: the file is empty; to take everything back, write {{}}")]
    Empty,
    /// A value of another type than expected.
    #[error("line {line}: {place} must be {expected}")]
    Type {
        /// From 1.
        line: usize,
        /// Where, with dots.
        place: String,
        /// What would be right.
        expected: &'static str,
    },
    /// A key stands twice in one object, and nobody can say which one counts.
    #[error("line {line}: {place} stands there twice")]
    Twice {
        /// From 1.
        line: usize,
        /// Where, with dots.
        place: String,
    },
    /// A later form of the file.
    #[error("schemaVersion {0} is not known; 2 is")]
    Version(u64),
    /// An entry for all tools says what only one tool can have.
    #[error("{place} is left out: {field} belongs to one tool of one server")]
    Wildcard {
        /// The entry.
        place: String,
        /// What it says.
        field: &'static str,
    },
    /// A name clients would refuse.
    #[error("{tool} cannot be called {name:?}: clients take 1 to 128 of A-Z a-z 0-9 _ . -")]
    Name {
        /// The tool.
        tool: String,
        /// The name.
        name: String,
    },
    /// Two tools would have one name.
    #[error("{tool} cannot be called {name:?}: {other} is called that too")]
    Collision {
        /// The tool.
        tool: String,
        /// The name.
        name: String,
        /// The other tool.
        other: String,
    },
    /// A server's name that no configuration may have.
    #[error("servers.{0} is left out: no server can be called that")]
    Server(String),
    /// A schema nobody can judge by.
    #[error("{0}: its outputSchema is no JSON Schema that can be used, and is left out")]
    Schema(String),
    /// Its server has no such tool.
    #[error("{0}: its server lists no such tool, so its entry does nothing")]
    NotListed(String),
    /// Nobody knows the tool.
    #[error("{0}: no such tool is known yet; its outputSchema waits for it")]
    Unknown(String),
}
