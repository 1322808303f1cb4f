//! Exchange with other machines and pipelines.

mod check;
mod exchange;
mod intake;
mod patch;
mod report;
