//! Decisions: versions, overrides, settings.

mod failures;
mod overrides;
mod readiness;
mod settings;
mod versions;
