//! Pairs of fields: one output that may feed one input, with the measures behind its confidence.

use crate::edge::{self, EdgeField};
use crate::schema::Types;
use crate::seen::Seen;
use crate::tool::Place;
use schemascope_model::How;

/// The form in which an output would reach an input.
pub(crate) fn guess(output: &Place, input: &Place) -> How {
    let (o, i) = (&output.field, &input.field);
    if o.path.is_empty() {
        How::Part
    } else if o.key {
        How::Key
    } else if (o.types == Types::NUMBER && i.types == Types::TEXT)
        || (o.types == Types::TEXT && i.types == Types::NUMBER)
    {
        How::NumberText
    } else if o.path.contains("[]") || i.path.contains("[]") {
        How::Item
    } else {
        How::Same
    }
}

/// One pair of fields with the measures behind its confidence.
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    pub(crate) from: Box<str>,
    pub(crate) output: Box<str>,
    pub(crate) how: How,
    pub(crate) confidence: f64,
    pub(crate) echo: bool,
    pub(crate) lost: bool,
    pub(crate) usable: bool,
    pub(crate) read_only: bool,
    pub(crate) seen: Option<Seen>,
    pub(crate) names: Vec<f64>,
    pub(crate) measures: Vec<f64>,
}

impl Pair {
    pub(crate) fn field(&self, input: &str) -> EdgeField {
        EdgeField {
            output: self.output.clone(),
            input: input.into(),
            how: self.how,
            confidence: self.confidence,
            echo: self.echo,
            broken: self.lost,
            evidence: self.seen.as_ref().map(edge::Counts::of).unwrap_or_default(),
        }
    }
}

/// A pair of fields with what the models look at.
#[derive(Debug, Clone)]
pub struct Measured {
    /// Tool that gives.
    pub from: Box<str>,
    /// Path in its result.
    pub output: Box<str>,
    /// Tool that takes.
    pub to: Box<str>,
    /// Path in its arguments.
    pub input: Box<str>,
    /// Whether there were flows.
    pub seen: bool,
    /// Number of flows.
    pub flows: u64,
    /// Probability that the pair is true.
    pub confidence: f64,
    /// Measures of names and types, as named in [`crate::model::NAMES`].
    pub names: Vec<f64>,
    /// Measures of evidence, as named in [`crate::model::SEEN`] or [`crate::model::UNSEEN`].
    pub measures: Vec<f64>,
}
