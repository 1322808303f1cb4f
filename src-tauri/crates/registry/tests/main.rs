//! Tests of the registry as other crates see it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod drift;
mod drift_forget;
mod drift_laws;
mod drift_told;
mod exchange;
mod fold;
mod forms;
mod readiness;
mod relearn;
mod versions;
