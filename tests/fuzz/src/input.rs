//! Reads an input's bytes as documents and the choices that go with them.
//!
//! An input is a JSON text sequence (RFC 7464): choices, a byte each, then documents, each behind a record separator.
//! No JSON document contains that byte, so when bytes are cut, inserted or exchanged, most of an input keeps its
//! meaning.

use schemascope_shape::Policy;

use crate::random::Random;

/// What stands before each document: RFC 7464's record separator.
pub const SEPARATOR: u8 = 0x1E;

/// Documents looked at.
const MOST: usize = 64;

/// Every threshold as low as it goes.
pub const EAGER: Policy = Policy {
    required_after: 1,
    required_rejects: f64::MAX,
    mistakes: f64::MAX,
    mistakes_by_share: f64::MAX,
    required_early: 1,
    required_mistaken: 1.0,
    documents: 1,
    closed_after: 1,
    closed_early: 1,
    closed_mistaken: 1.0,
    closed_unseen: 1.0,
    enum_after: 1,
    enum_values: 32,
    tuple_after: 1,
    format_after: 1,
    pattern_after: 1,
    enum_documents: 0,
    null_after: 1,
    null_field_after: 1,
};

/// An input taken apart.
#[derive(Debug, Clone)]
pub struct Input<'i> {
    /// Bytes that choose. Those that are missing are zero.
    pub choices: &'i [u8],
    /// Documents, readable or not.
    pub documents: Vec<&'i [u8]>,
}

impl<'i> Input<'i> {
    /// Takes bytes apart.
    pub fn new(bytes: &'i [u8]) -> Self {
        let mut parts = bytes.split(|byte| *byte == SEPARATOR);
        let choices = parts.next().unwrap_or_default();
        Self { choices, documents: parts.take(MOST).collect() }
    }

    /// Puts an input together.
    pub fn written(choices: &[u8], documents: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = choices.to_vec();
        for document in documents {
            bytes.push(SEPARATOR);
            bytes.extend_from_slice(document);
        }
        bytes
    }
}

/// How documents are observed and schemas emitted.
#[derive(Debug, Clone)]
pub struct Choices {
    /// Paths that are kept.
    pub cap: usize,
    /// How often each document is observed.
    pub times: usize,
    /// Some strings stand for other values.
    pub replaced: bool,
    /// Documents are made so long, by white space, that they are read twice.
    pub padded: bool,
    /// Documents are observed in epochs up to this one.
    pub newest: u32,
    /// Thresholds besides the default ones.
    pub policy: Policy,
    /// The rest: orders, partitions.
    pub random: Random,
}

impl Choices {
    /// Reads what the bytes choose.
    pub fn new(bytes: &[u8]) -> Self {
        let byte = |at: usize| bytes.get(at).copied().unwrap_or_default();
        let one_to = |at: usize, most: u8| 1 + u64::from(byte(at) % most);
        let thresholds = |policy: Policy| Policy {
            required_after: one_to(4, 9),
            required_early: one_to(5, 4),
            closed_after: one_to(6, 12),
            enum_after: one_to(7, 20),
            tuple_after: one_to(8, 8),
            format_after: one_to(9, 8),
            null_after: one_to(10, 8),
            null_field_after: one_to(10, 8),
            pattern_after: one_to(11, 12),
            enum_documents: one_to(12, 4),
            ..policy
        };
        let seed = bytes.iter().skip(10).take(8).fold(0, |seed: u64, byte| seed << 8 | u64::from(*byte));
        Self {
            cap: if byte(0).is_multiple_of(2) { 4_096 } else { 1 + usize::from(byte(0) / 2) },
            times: [1, 2, 4, 12][usize::from(byte(1) % 4)],
            replaced: byte(1) & 0x10 != 0,
            padded: byte(1) & 0x60 == 0x60,
            newest: [0, 2, 11, u32::MAX - 1][usize::from(byte(2) % 4)],
            policy: match byte(3) % 4 {
                0 => EAGER,
                1 => Policy::default(),
                2 => thresholds(Policy::default()),
                _ => thresholds(EAGER),
            },
            random: Random::new(seed),
        }
    }
}
