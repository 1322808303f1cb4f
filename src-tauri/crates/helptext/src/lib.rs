//! Reads the help text of a command-line tool: text in, [`Definition`] out.
//!
//! No program has a parser of its own. Help texts share a layout: usage lines, headings, and entries whose
//! description stands in a column or on the lines beneath. Nothing is guessed: a fact that the text does not state is
//! `unknown` or left out.
//!
//! A [`Tool`] is made of a definition: its input schema, and the argument vector of a call. No value becomes an option.
//!
//! Architecture invariant: pure. Running a program for its help belongs to the callers.

mod below;
mod choices;
mod clean;
mod definition;
mod description;
mod effects;
mod entries;
mod fuller;
mod hints;
mod known;
mod names;
mod options;
mod patterns;
mod reader;
mod spec;
mod spelling;
mod subcommands;
mod tool;
mod usage;

pub use below::described;
pub use definition::{Definition, Join, OptionDefinition, Positional, Subcommand, Value, ValueType};
pub use effects::{Effect, is_interpreter, mark, mark_as};
pub use fuller::fuller_help;
pub use reader::read;
pub use tool::{ArgumentError, Invocation, Offered, Policy, STDIN, Tool, Withheld};
