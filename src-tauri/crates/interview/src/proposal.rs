//! Proposals of descriptions, which finished interviews about a tool make.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What a person decided about a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// The descriptions apply.
    Accepted,
    /// They do not apply.
    Rejected,
    /// An earlier decision was undone; the proposal is open again.
    Undone,
}

/// Descriptions of a tool's fields, proposed by a finished pursuit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// Id of the proposal.
    pub proposal_id: String,
    /// Id of the project.
    pub project_id: String,
    /// Id of the conversation.
    pub conversation_id: String,
    /// Id of the Discovery Schema.
    pub ds_id: String,
    /// The tool.
    pub tool_id: String,
    /// Descriptions by path; the empty path means the tool itself.
    pub descriptions: BTreeMap<String, String>,
    /// Time in milliseconds since 1970.
    pub proposed_at: u64,
    /// The decision in effect; `None` while it is open.
    pub decision: Option<Decision>,
    /// Who decided last, and when.
    pub decided: Option<(String, u64)>,
}

impl Proposal {
    /// Takes note of a decision.
    pub(crate) fn decide(&mut self, decision: Decision, actor: &str, at: u64) {
        self.decision = (decision != Decision::Undone).then_some(decision);
        self.decided = Some((actor.to_owned(), at));
    }
}
