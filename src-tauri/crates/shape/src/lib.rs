//! Shapes: mergeable summaries of JSON documents, and the schemas they emit.
//!
//! A [`Shape`] counts what was seen at every path of every document. Counts are integers and
//! merging adds them, so [`Shape::merge`] is commutative and associative *exactly*: whoever splits
//! the work over threads, machines or days gets the same state, byte for byte. Nothing else may
//! enter a shape: no float sums, no arrival order, no "first seen".
//!
//! A shape keeps [`MAX_NODES`] paths at most. Which ones is decided by a rank intrinsic to the path, so
//! the bound does not break the algebra: whatever the order, the same paths stay, with exact counts, and
//! what went is counted, by type, at its parent.
//!
//! Architecture invariant: pure. This crate knows no runtime, store, clock, file or network, and
//! keeps no observed value: only types, counts and field names.

mod emit;
mod fields;
mod format;
mod node;
mod observe;
mod rank;
mod state;
mod strict;
mod survey;

pub use emit::Policy;
pub use fields::{Consistency, FieldReport, Presence, TypeCount};
pub use node::{Shape, Type};
pub use observe::Unreadable;
pub use state::InvalidState;

/// Paths a shape keeps unless told otherwise.
pub const MAX_NODES: usize = 4_096;

/// Levels of nesting that are looked into. What lies deeper is counted as opaque and may be
/// anything; the limit keeps every recursion here bounded, whatever a document holds, and schemas, which
/// nest twice as deep, within the 128 levels that JSON readers take.
pub const MAX_DEPTH: usize = 60;
