//! Shapes: mergeable summaries of JSON documents, and the schemas they emit.
//!
//! A [`Shape`] counts what was seen at every path of every document. Counts are integers and
//! merging adds them, so [`Shape::merge`] is commutative and associative *exactly*: whoever splits
//! the work over threads, machines or days gets the same state, byte for byte. Nothing else may
//! enter a shape: no float sums, no arrival order, no "first seen".
//!
//! A shape keeps [`MAX_NODES`] paths at most. Which ones is decided by a rank intrinsic to the path, so
//! the bound does not break the algebra: whatever the order, the same paths stay, with exact counts, and
//! what went is counted, by type, at its parent. Values whose keys look like data (ids, dates, paths) are
//! counted together besides: of a map of records by id, however many, it is known what they have in common. Of
//! one whose keys are words that is so only while its paths are kept.
//!
//! Of values only a bounded sample is kept: the distinct ones where they are few, else three examples.
//! Whoever must not keep a value replaces it before and says what stands in its place
//! ([`Circumstances::stands_for`]).
//!
//! Data goes one way: [`scan`] (bytes to tokens) → [`observe`] (tokens to counts) → [`shape`] and [`tree`]
//! (counts, merging, the bound) → [`emit`] (schemas) and [`report`] (numbers for people).
//!
//! Architecture invariant: pure. This crate knows no runtime, store, clock, file or network.

mod arguments;
pub mod compare;
mod distinct;
mod emit;
mod fields;
mod fits;
mod format;
mod node;
mod observe;
mod path;
mod print;
mod rank;
mod report;
mod scan;
mod secrets;
mod shape;
mod signatures;
mod state;
mod tags;
mod times;
mod tree;
mod values;
mod veil;
mod view;
mod wilson;

pub use arguments::{Arguments, SeparatingValue, Separation};
pub use emit::{Decision, Emission, Policy};
pub use fits::{FitCount, Fits};
pub use node::Type;
pub use observe::{Circumstances, Replacements, StandsFor};
pub use rank::HashKey;
pub use report::{
    AlternativeReport, Consistency, FieldReport, Note, Presence, Stability, TypeCount, ValueReport,
};
pub use scan::Unreadable;
pub use secrets::Secrets;
pub use shape::{OtherKey, Shape};
pub use state::InvalidState;
pub use veil::schema_without_values;
pub use wilson::wilson;

/// Paths a shape keeps unless told otherwise.
pub const MAX_NODES: usize = 4_096;

/// Levels of nesting that are looked into. What lies deeper is counted as opaque and may be
/// anything; the limit keeps every recursion here bounded, whatever a document holds, and schemas of records,
/// which nest twice as deep, within the 128 levels that JSON readers take.
pub const MAX_DEPTH: usize = 60;
