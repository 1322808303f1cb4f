//! The walk over a document, which decides for each key, string and number whether it is replaced.

pub(crate) mod blocks;
mod columns;
mod command;
mod container;
mod embedded;
mod hints;
pub(crate) mod json;
mod kinds;
mod role;
mod schema_like;
mod text;
