//! Thresholds of emission.

/// Thresholds of emission. The defaults were chosen with `cargo xtask bench accuracy`, and with recorded answers of APIs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Policy {
    /// Parent objects required before a field that was always present is `required`.
    pub required_after: u64,
    /// Highest expected number of optional fields taken for required ones that the next object lacks.
    pub required_rejects: f64,
    /// Highest expected number of fields in all records of the schema that the next document lacks, or has in addition.
    pub mistakes: f64,
    /// Highest expected number of such fields in one record, divided by its share of all fields of the schema.
    pub mistakes_by_share: f64,
    /// The same as `required_after` if few fields are optional.
    pub required_early: u64,
    /// Highest estimated share of early required fields that may turn out to be optional.
    pub required_mistaken: f64,
    /// Documents required before a record is closed or values are enumerated: objects of one
    /// document tend to be alike.
    pub documents: u64,
    /// Objects required before a record may be closed.
    pub closed_after: u64,
    /// The same if hardly any field is optional.
    pub closed_early: u64,
    /// Highest estimated chance of an unseen field for closing a record that early.
    pub closed_mistaken: f64,
    /// Highest chance of an unseen field, by Good–Turing, for closing a record.
    pub closed_unseen: f64,
    /// Values required before an `enum` or `const` is emitted.
    pub enum_after: u64,
    /// Documents required for each value of an `enum` of texts that are no words, such as versions and numbers.
    pub enum_documents: u64,
    /// Most distinct values of an `enum`.
    pub enum_values: usize,
    /// Arrays required before a tuple or a fixed length is emitted.
    pub tuple_after: u64,
    /// Strings required before their common format is emitted.
    pub format_after: u64,
    /// Distinct strings, and documents, required before the pattern of codes is emitted.
    pub pattern_after: u64,
    /// Nulls required before a result that was nothing else is taken for one that is always null.
    pub null_after: u64,
    /// The same for a field: many are for what rarely happens, such as a last error.
    pub null_field_after: u64,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            required_after: 8,
            required_rejects: 0.25,
            mistakes: 0.3,
            mistakes_by_share: 2.0,
            required_early: 3,
            required_mistaken: 0.7,
            documents: 5,
            closed_after: 10,
            closed_early: 4,
            closed_mistaken: 0.03,
            closed_unseen: 0.05,
            enum_after: 20,
            enum_documents: 4,
            enum_values: 10,
            tuple_after: 10,
            format_after: 3,
            pattern_after: 15,
            null_after: 20,
            null_field_after: 500,
        }
    }
}
