//! Shared parts of the benches: options, randomness, texts as APIs have them, GitHub's examples, and where peers are
//! installed.

pub mod github;
pub mod places;
pub mod random;
pub mod start;
pub mod text;
pub mod words;
