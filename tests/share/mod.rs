//! Exchange with other machines and pipelines.

mod check;
mod exchange;
mod intake;
pub(crate) mod patch;
mod report;
