//! How calls are recorded, as set for a whole run.

/// When an answer may go out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Durability {
    /// At once. A kill costs at most the last 50 ms of calls.
    #[default]
    Relaxed,
    /// When the call is on disk.
    Strict,
}

/// Whether calls that pass are recorded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Recording {
    /// Every call and every listing is recorded.
    #[default]
    On,
    /// Nothing that passes is stored or learned from. Calls stored earlier stay and are shown.
    Off,
}
