//! What the author of a server pastes to declare an output schema.

use serde::{Deserialize, Serialize};

use crate::Command;

/// Gets the patch for a tool.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct GetPatch {
    /// `server__tool`.
    pub tool_id: String,
    /// `typescript`, `python`, `rust` or `json`.
    pub sdk: String,
    /// Whether observed values are written, as `enum` and `const`.
    #[serde(default)]
    pub with_values: bool,
}

impl Command for GetPatch {
    const NAME: &'static str = "get_patch";
    type Reply = PatchText;
}

/// A patch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchText {
    /// The text, with what is known of the schema in comments; JSON has none.
    pub text: String,
    /// What is known of the schema, in sentences.
    pub evidence: Vec<String>,
    /// What the SDK's words leave out.
    pub notes: Vec<String>,
}
