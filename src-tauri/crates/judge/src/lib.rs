//! Conformance of values to a JSON Schema, at a bounded cost.
//!
//! Schemas come from upstreams and may be hostile: endless references, alternatives that double at
//! each step, patterns that never finish. A [`Judge`] analyses a schema before it compiles it and
//! states the cost of validation in advance.
//!
//! Architecture invariant: pure. References to the network or to files are never followed, because
//! the validator is built without the means.

mod judge;
mod keywords;
mod places;
mod stored;
mod survey;

pub use judge::Judge;
pub use keywords::change_references;
pub use stored::Conformance;
