//! Typed wrappers for calling tools: what is known of a tool in, texts of files out.
//!
//! A JSON Schema becomes a graph of nodes. Wrappers carry the graph, which a small validator checks values against, so
//! that no valid value is rejected, and rules that are not checked are listed; types and attributes are views of the value
//! as sent.
//!
//! Architecture invariant: pure. Files, processes and time belong to the callers.

#![forbid(unsafe_code)]

mod ambiguous;
mod attributes;
mod classes;
mod compile;
mod folder;
mod graph;
mod literal;
mod loosen;
mod names;
mod patch;
mod pattern;
mod prune;
mod python;
mod ranges;
mod region;
mod renewal;
mod resolve;
mod rust;
mod task;
mod tool;
mod types;
mod typescript;
mod typing;

pub use attributes::{AttributeChanges, attribute_changes};
pub use folder::{File, MANIFEST, Manifest, Update, folder, is_ours, update};
pub use graph::Unchecked;
pub use names::modules;
pub use patch::{Patch, Sdk, patch};
pub use prune::{Pruned, prune};
pub use renewal::{Change, Writing, beside, taken};
pub use schemascope_model::Strategy;
pub use task::{Program, Task, task};
pub use tool::{Entry, Language, Names, Tool, Wrapper};
