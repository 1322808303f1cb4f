//! What is known of each tool: what its upstream declares, its shape, how far it can be trusted.
//!
//! The registry is a fold: the same entries in the same order give the same state, live or replayed.
//!
//! Architecture invariant: pure. No runtime, store, clock, file or network; times are arguments.

pub mod check;
pub mod drift;
mod echoes;
pub mod exchange;
mod failing_texts;
mod failures;
mod forget;
mod history;
mod items;
mod latency;
mod learning;
mod machines;
mod observation;
mod quality;
mod recent;
mod recurring;
mod registry;
mod schema;
mod state;
mod tool;
mod unlearned;
pub mod versions;

pub use failing_texts::{FailingTexts, Found, MAX_BEGINNING, MAX_RULES, begins_with};
pub use failures::RecentFailures;
pub use forget::state_without_secrets;
pub use history::{History, Point, StandingChange};
pub use items::in_list;
pub use latency::Latencies;
pub use learning::LearningRules;
pub use observation::{
    Detached, Observation, Reading, is_error, observe, read, replace_structured_strings,
    replace_structured_texts,
};
pub use quality::Standing;
pub use recent::{Recent, WINDOW, Window};
pub use registry::{DeclaredChange, Registry};
pub use schema::{DeclaredSchema, Validators, digest};
pub use state::InvalidState;
pub use tool::{Declaration, Tool};
pub use unlearned::Unlearned;
