//! Decisions: versions, overrides, settings.

mod overrides;
mod readiness;
mod settings;
mod versions;
