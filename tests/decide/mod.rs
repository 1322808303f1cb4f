//! Decisions: versions, overrides, settings.

mod failures;
mod overrides;
mod readiness;
mod relearn;
mod settings;
mod versions;
