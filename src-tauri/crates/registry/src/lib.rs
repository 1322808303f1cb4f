//! What is known of each tool: what its upstream declares, its shape, how far it can be trusted.
//!
//! The registry is a fold: the same entries in the same order give the same state, live or replayed.
//!
//! Architecture invariant: pure. No runtime, store, clock, file or network; times are arguments.

pub mod check;
pub mod drift;
pub mod exchange;
mod forget;
mod history;
mod json;
mod observation;
mod quality;
mod registry;
mod schema;
mod state;
mod tool;
pub mod versions;

pub use forget::state_without_secrets;
pub use history::{History, Point, StandingChange};
pub use observation::{Detached, Observation, Reading, is_error, observe, read};
pub use quality::Standing;
pub use registry::{DeclaredChange, Registry};
pub use schema::{DeclaredSchema, Validators, digest};
pub use state::InvalidState;
pub use tool::{Carriers, Declaration, Tool};
