//! Files that people edit while the engine runs.
//!
//! Owns: noticing that one changed ([`Watched`]), and replacing one so that a reader sees the old or the new whole
//! ([`replace`]). Refuses to know: what files say.

mod replace;
mod watched;

pub(crate) use replace::{backup_of, read_text, replace, write_whole};
pub(crate) use watched::{Changes, Watched};
