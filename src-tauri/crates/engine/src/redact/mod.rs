//! Redaction: before anything is stored, values under telling keys are replaced by markers.
//!
//! Works on bytes, so what is not redacted stays as it was sent; without recursion on depth; into JSON
//! inside strings too, since that is how most tools answer. Owns: what is replaced and how. Refuses to
//! know: what the JSON is about.

mod keys;
mod scan;

pub(crate) use scan::{Trust, redact};
