//! Interviews: what the engine reports about them, and the page that conducts them.

pub mod found;
pub mod nodes;
pub mod question;

#[cfg(target_arch = "wasm32")]
mod proposals;
#[cfg(target_arch = "wasm32")]
mod view;

use schemascope_api::{DecideInterview, InterviewDecision};

#[cfg(target_arch = "wasm32")]
pub use proposals::{Proposals, open_proposals};

#[cfg(target_arch = "wasm32")]
pub use view::{InterviewAsking, InterviewDialog, Interviews};

/// Accepts or rejects the descriptions of a proposal, or takes that back.
pub fn decide_descriptions(project_id: String, proposal_id: String, accept: Option<bool>) -> DecideInterview {
    let decision = InterviewDecision::Descriptions { proposal_id, accept };
    DecideInterview { project_id, conversation_id: String::new(), ds_id: None, decision, person: None }
}
