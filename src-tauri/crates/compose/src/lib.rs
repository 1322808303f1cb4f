//! Provides edges: which tool's output can feed which tool's input, how sure that is, which calls
//! show it, and the chains of calls that follow.
//!
//! [`Windows::observe`] turns each call into a [`Flow`] before redaction; the flow is stored with the
//! call. [`Evidence`] is the fold over stored calls. [`Graph`] joins it with the tools' schemas and
//! answers with [`Edge`]s, [`Plans`] and [`Suggestion`]s.

mod candidates;
mod document;
mod echoes;
mod edge;
mod evidence;
mod explain;
mod goals;
mod graph;
mod hashes;
mod memory;
pub mod model;
mod pair;
mod path;
mod plan;
mod scalars;
mod schema;
mod seen;
mod session;
mod shares;
mod suggest;
mod tool;
mod unread;
#[allow(clippy::approx_constant, reason = "a fitted weight may be close to a constant")]
mod weights;
mod window;
mod words;

pub use document::read_document;
pub use edge::{Counts, Coverage, Edge, EdgeField, Filter, State};
pub use evidence::{Evidence, Stored};
pub use explain::Why;
pub use graph::Graph;
pub use model::Model;
pub use pair::Measured;
pub use path::{is_single, is_within, leads_to, names, value_at};
pub use plan::{Argument, Goal, MAX_STEPS, Missing, Plan, Plans, Step, Wanted};
pub use schemascope_model::{Echo, Flow, How, Link};
pub use seen::{Distinct, Seen, Taken};
pub use shares::{All, Shareable};
pub use suggest::{Feed, Suggestion};
pub use tool::{Lost, Tool};
pub use window::{Evicted, MAX_BYTES, MAX_SESSIONS, MAX_VALUES, Observed, STATELESS_WINDOW, Windows};
