//! A tool made of a definition: what is offered, the input schema, and the argument vector of a call.

mod argv;
mod offer;
mod schema;

pub use argv::{ArgumentError, Invocation};
pub use offer::{Offered, Policy, Tool, Withheld};

/// Property for text that the program reads from its standard input.
pub const STDIN: &str = "stdin";
