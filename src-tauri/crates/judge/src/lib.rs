//! Whether a value conforms to a JSON Schema.
//!
//! Schemas come from upstreams, and anybody's schema may be a trap: references without end, alternatives that
//! double at each step, patterns that never finish. A [`Judge`] looks before it compiles, and tells what judging
//! costs before anybody pays for it.
//!
//! Architecture invariant: pure. References to the network or to files are never followed: the validator is built
//! without the means.

mod judge;
mod keywords;
mod places;
mod stored;
mod survey;

pub use judge::Judge;
pub use keywords::change_references;
pub use stored::Stored;
