//! What a plan says: its calls, and where their arguments come from.

use std::collections::BTreeMap;

use schemascope_model::How;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Where an argument comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Argument {
    /// The result of an earlier step.
    Step {
        /// Number of the step, from 1.
        step: usize,
        /// Path in its result.
        output: Box<str>,
        /// Form in which the value is taken.
        how: How,
    },
    /// Something at hand: a value, or a field of the result of a tool.
    Have {
        /// The name of the value, or the id of the tool.
        have: Box<str>,
        /// Path in the result of the tool.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output: Option<Box<str>>,
        /// Form in which the value is taken from the result.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        how: Option<How>,
    },
    /// A value that the schema fixes.
    Value {
        /// The value.
        value: Value,
    },
}

/// One call of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Number, from 1.
    pub step: usize,
    /// Tool.
    pub tool_id: Box<str>,
    /// Arguments by path of the input.
    pub arguments: BTreeMap<Box<str>, Argument>,
    /// Whether the server says that it only reads.
    pub read_only: bool,
}

/// An input that the person supplies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Missing {
    /// Number of the step.
    pub step: usize,
    /// Input.
    pub input: Box<str>,
    /// Why nothing fills it.
    pub why: Box<str>,
}

/// What the last step gives.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// Path in the result of the last step; the whole result if it is empty.
    pub output: Box<str>,
}

/// A chain of calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Probability that all its edges are true.
    pub confidence: f64,
    /// Calls, in order.
    pub steps: Vec<Step>,
    /// What the person supplies.
    pub missing: Vec<Missing>,
    /// What the last step gives.
    pub wanted: Wanted,
}

impl Plan {
    pub(super) fn uses_what_is_at_hand(&self) -> bool {
        let mut arguments = self.steps.iter().flat_map(|step| step.arguments.values());
        arguments.any(|argument| matches!(argument, Argument::Have { .. }))
    }
}

/// Plans, or the reason why there is none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Plans {
    /// Plans, best first.
    pub plans: Vec<Plan>,
    /// What is missing and what comes nearest.
    pub why_none: Option<String>,
}
