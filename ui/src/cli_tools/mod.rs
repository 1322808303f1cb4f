//! Command-line tools as pages show them: their list, what a program's help says, requests of agents, and the
//! dialogs that add, remove and decide.

mod add;
mod decide;
mod definition;
mod detail;
mod dialog;
mod list;
mod parameters;
mod probe;
mod requests;
mod row;
mod section;
mod vector;
mod words;

pub use dialog::{CliAsking, CliDialog};
pub use list::CliList;
pub use requests::Requests;
pub use section::CommandLineTools;
pub use vector::ArgumentVector;
