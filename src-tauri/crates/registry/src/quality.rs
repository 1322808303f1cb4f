//! The definitions of quality and source: how far a tool's schema can be trusted.

use schemascope_model::{Quality, Source, TextForm};
use schemascope_shape::{Consistency, FitCount};
use serde::{Deserialize, Serialize};

use crate::tool::Tool;

/// Observations from which on quality is medium.
const MEDIUM: u64 = 10;
/// Observations from which on quality can be high.
const HIGH: u64 = 100;
/// Mean field consistency that high quality asks for.
const CONSISTENT: f64 = 0.8;
/// Share of results that have the same type as a whole that it asks for: fields say nothing about results that are text.
const ALIKE: f64 = 0.9;

/// A tool's source and quality, and whether it breaks what it declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// Where its schema comes from.
    pub source: Source,
    /// How far it can be trusted.
    pub quality: Quality,
    /// It declares a schema and less than 95 % of its observations conform.
    pub violated: bool,
    /// It declares a schema, was observed, and no observation could be compared with the schema.
    /// Not part of the history.
    #[serde(skip)]
    pub unjudged: bool,
    /// The form of its results, if it declares no schema and all of them are text without structure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<TextForm>,
}

impl Tool {
    /// Source and quality by the definitions of the design's glossary.
    pub fn standing(&self) -> Standing {
        let observations = self.shape.observations();
        match self.declared_fits() {
            Some(FitCount { fits, violates }) => {
                // Whole numbers: fits / (fits + violates) < 95 %.
                let violated = fits * 100 < (fits + violates) * 95;
                // A schema by which nothing could be judged says no more than what was learned.
                let is_unjudged = observations > 0 && fits + violates == 0;
                Standing {
                    source: if observations == 0 { Source::Declared } else { Source::Hybrid },
                    quality: match violated {
                        true => Quality::Medium,
                        false if is_unjudged => self.inferred_quality(),
                        false => Quality::High,
                    },
                    violated,
                    unjudged: is_unjudged,
                    form: None,
                }
            }
            None => {
                let form = self.carriers.text_form();
                let is_unknown = observations == 0 || form.is_some();
                Standing {
                    source: if is_unknown { Source::Unknown } else { Source::Inferred },
                    quality: if is_unknown { Quality::None } else { self.inferred_quality() },
                    violated: false,
                    unjudged: false,
                    form,
                }
            }
        }
    }

    /// How many observations fit the declared schema; `None` if none is declared.
    pub fn declared_fits(&self) -> Option<FitCount> {
        let declared = self.declaration.as_ref()?.output_schema()?;
        Some(self.fits.of(&declared.digest))
    }

    /// How far what was inferred can be trusted, whatever is declared. While results are not what they were, that is not
    /// high: the schema was learned from both.
    pub fn inferred_quality(&self) -> Quality {
        let is_steady = || self.drift.open().next().is_none();
        match self.shape.observations() {
            0 => Quality::None,
            n if n < MEDIUM => Quality::Low,
            n if n >= HIGH && is_steady() && self.shape.consistency().is_some_and(is_consistent) => {
                Quality::High
            }
            _ => Quality::Medium,
        }
    }
}

fn is_consistent(consistency: Consistency) -> bool {
    consistency.mean >= CONSISTENT && consistency.root >= ALIKE
}
