//! The thresholds of emission.

/// The thresholds of emission. The defaults were chosen by `cargo xtask bench accuracy`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Policy {
    /// Parent objects that must have been seen before a field that was always there is `required`.
    pub required_after: u64,
    /// The same where hardly any field is optional.
    pub required_early: u64,
    /// Share of fields required that early that may turn out to be optional, as estimated.
    pub required_mistaken: f64,
    /// Documents something must have been seen in before a record is closed or values are told: things of one
    /// document tend to be alike.
    pub documents: u64,
    /// Objects that must have been seen before a record may be closed.
    pub closed_after: u64,
    /// The same where hardly any field is optional.
    pub closed_early: u64,
    /// The chance of an unseen field, as estimated, up to which a record is closed that early.
    pub closed_mistaken: f64,
    /// The chance of an unseen field, by Good–Turing, up to which a record is closed.
    pub closed_unseen: f64,
    /// Values that must have been seen before there is an `enum` or `const`.
    pub enum_after: u64,
    /// Distinct values an `enum` has at most.
    pub enum_values: usize,
    /// Arrays that must have been seen before a tuple or a fixed length is told.
    pub tuple_after: u64,
    /// Strings that must have been seen before their common format is told.
    pub format_after: u64,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            required_after: 8,
            required_early: 3,
            required_mistaken: 0.2,
            documents: 3,
            closed_after: 10,
            closed_early: 4,
            closed_mistaken: 0.03,
            closed_unseen: 0.05,
            enum_after: 20,
            enum_values: 10,
            tuple_after: 10,
            format_after: 1,
        }
    }
}
