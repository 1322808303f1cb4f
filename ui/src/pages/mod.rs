//! The pages. Each reads [`crate::live::Live`], asks for what only it needs, and draws.

pub mod calls;
pub mod overview;
pub mod review;
pub mod servers;
pub mod settings;
pub mod tool;
pub mod tools;
