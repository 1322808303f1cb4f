//! JSON as text: the only reader of raw JSON bytes in the workspace.
//!
//! Results pass through Schemascope byte for byte, so most code works on JSON as it was written instead of on parsed
//! values. This crate finds where strings and containers end ([`string_end`], [`container_end`]), steps over values
//! ([`Cursor`]), reads an object's members in place ([`Members`]) and replaces parts of a text ([`splice`]). It also reads
//! JSON with comments (`jsonc`) and event streams that carry JSON ([`sse`]), and values from outside ([`value`], [`value_in_range`]).
//!
//! Architecture invariant: pure. Input is any bytes; malformed JSON gives an unspecified result, never a panic, and
//! nothing here recurses on the depth of a document, except where values are read, for which serde_json bounds it.

mod cursor;
mod ends;
#[cfg(feature = "jsonc")]
pub mod jsonc;
mod members;
mod quoted;
mod runs;
mod splice;
pub mod sse;
mod value;

pub use cursor::Cursor;
pub use ends::{container_end, rest_end, string_end};
pub use members::{Members, range_within};
pub use quoted::{Quoted, is_json, number_end, quoted, quoted_end, unescaped};
pub use runs::{digits_end, plain_end, unicode_escape};
pub use splice::{splice, splice_text};
pub use value::{value, value_in_range};
