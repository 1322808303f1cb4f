//! Ways to reach an engine: the one that runs, or one of our own.

pub(crate) mod front;
pub(crate) mod lasting;
pub(crate) mod link;
pub(crate) mod stdio;
