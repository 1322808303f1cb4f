//! Shapes: mergeable summaries of JSON documents, and the schemas emitted from them.
//!
//! A [`Shape`] counts what was seen at every path of every document. Counts are integers, and
//! merging adds them, so [`Shape::merge`] is commutative and associative *exactly*: any split of
//! the work over threads, machines or days gives the same state, byte for byte. Nothing else may
//! enter a shape: no float sums, no order of arrival, no "first seen".
//!
//! A shape keeps at most [`MAX_WHOLE`] paths whole, and the counts of 5,120 others.
//! Budgets that only shrink shelter the upper structure,
//! and a rank that depends only on the path decides about the rest, so the bound does not break the
//! algebra: in any order the same paths are kept, with exact counts, and values of the others are
//! counted at their parent, by type. Values whose keys look
//! like data (ids, dates, paths) are also counted together: what the records of a map by id have in
//! common is known, however many there are. So are objects in a map whose keys are words, if its
//! name is a plural; otherwise that is known only while its paths are kept.
//!
//! Of the values, only a bounded sample is kept: the distinct ones if they are few, otherwise three
//! examples. A caller that must not keep a value replaces it first and states what the replacement
//! stands for ([`Circumstances::stands_for`]).
//!
//! Data flows in one direction: [`scan`] (bytes to tokens) → [`observe`] (tokens to counts) →
//! [`shape`] and [`tree`] (counts, merging, the bound) → [`emit`] (schemas) and [`report`] (numbers
//! for people).
//!
//! Architecture invariant: pure. This crate knows no runtime, store, clock, file or network.

mod arguments;
mod characters;
mod distinct;
mod emit;
mod fields;
mod fingerprint;
mod fits;
mod format;
mod keys;
mod node;
mod novelty;
mod observe;
mod path;
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
pub use keys::looks_like_data;
pub use node::Type;
pub use observe::{Circumstances, Replacements, StandsFor};
pub use rank::HashKey;
pub use report::{
    AlternativeReport, Consistency, FieldReport, Note, Presence, Stability, TypeCount, ValueReport,
};
pub use scan::Unreadable;
pub use secrets::Secrets;
pub use shape::{KeyMismatch, Shape};
pub use state::InvalidState;
pub use veil::schema_without_values;
pub use wilson::wilson;

/// Default for the most paths that a shape keeps whole. Of 5,120 others it keeps the counts.
pub const MAX_WHOLE: usize = 4_096;

/// Number of levels of nesting that are examined. Deeper values are counted as opaque and may be
/// anything. The limit bounds every recursion in this crate for any document, and keeps schemas of
/// records, which nest twice as deep, within the 128 levels that JSON readers accept.
pub const MAX_DEPTH: usize = 60;
