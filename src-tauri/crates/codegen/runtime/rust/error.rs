//! What can go wrong.

use std::fmt;

use serde_json::Value;

/// Every error of the wrappers.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A value does not fit its schema.
    InvalidValue {
        /// The type whose schema it is.
        name: String,
        /// Where in the value.
        path: String,
        /// The rule it breaks.
        rule: String,
    },
    /// A field is absent, or what it holds does not fit.
    MissingField {
        /// The type it is a field of.
        name: String,
        /// Where in the value.
        path: String,
        /// Why it cannot be read.
        why: String,
    },
    /// A number has more than 64 bits; `raw_text` has its digits.
    InexactNumber {
        /// The type of the value.
        name: String,
    },
    /// The tool reports that the call failed.
    Tool {
        /// Id of the tool.
        tool_id: String,
        /// What it says.
        text: String,
        /// The whole result.
        result: Value,
    },
    /// The server rejects the request, or its answer is not what the protocol says.
    Protocol {
        /// What is wrong.
        message: String,
        /// Code of the error, or HTTP status.
        code: Option<i64>,
    },
    /// The server asks its client something, which a program cannot answer.
    InputRequired {
        /// Id of the tool.
        tool_id: String,
    },
    /// Schemascope cannot be reached, or took too long.
    Connection {
        /// What happened.
        message: String,
    },
}

impl Error {
    pub(super) fn protocol(message: impl Into<String>, code: Option<i64>) -> Self {
        Self::Protocol { message: message.into(), code }
    }

    pub(super) fn connection(message: impl Into<String>) -> Self {
        Self::Connection { message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidValue { name, path, rule } => write!(out, "{name}: {path} breaks the schema: {rule}"),
            Self::MissingField { name, path, why } => write!(out, "{name}: {path} {why}"),
            Self::InexactNumber { name } => {
                write!(out, "{name} has a number of more than 64 bits; raw_text has its digits")
            }
            Self::Tool { tool_id, text, .. } => write!(out, "{tool_id} failed: {text}"),
            Self::Protocol { message, code: Some(code) } => write!(out, "{message} ({code})"),
            Self::Protocol { message, .. } | Self::Connection { message } => out.write_str(message),
            Self::InputRequired { tool_id } => {
                write!(out, "{tool_id} asks for input, which a program cannot give")
            }
        }
    }
}

impl std::error::Error for Error {}
