//! What the benches share: how they start, randomness, texts as APIs have them, GitHub's examples, where peers are.
//!
//! Owns: inputs and places. Refuses to know: what is measured and how the inference decides.

pub mod github;
pub mod places;
pub mod random;
pub mod start;
pub mod text;
pub mod words;
