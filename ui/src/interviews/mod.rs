//! Interviews: what the engine reports about them, and the page that conducts them.

pub mod found;
pub mod nodes;
pub mod question;

#[cfg(target_arch = "wasm32")]
mod view;

#[cfg(target_arch = "wasm32")]
pub use view::{InterviewAsking, InterviewDialog, Interviews};
