//! Adapting results to the schemas that clients see.
//!
//! Most tools return JSON as text and declare no schema. SDKs fail a call whose tool declares a schema and whose
//! result lacks structure. [`adapt`] adds the structure that a result's text contains, and [`advertise`] writes a
//! schema in a form that every adapted result satisfies. `content` and errors are never changed. Additions are
//! spliced in, so that numbers keep their text and unknown fields stay.
//!
//! Architecture invariant: pure. No runtime and no clock; the caller limits the time that adapting takes.

mod advertise;
mod effective;
mod form;
mod ladder;
mod object;
mod present;
mod preview;
mod reading;
mod text;
mod trend;

#[cfg(test)]
mod tests;

pub(crate) use advertise::advertise;
pub use effective::{Adapting, Effective, Mode, Schema};
#[cfg(test)]
use ladder::MAX_TEXT_BYTES;
pub(crate) use ladder::{Adaptation, adapt, without_structure, work};
pub(crate) use present::present;
pub use preview::advertised;
pub(crate) use schemascope_judge::Judge;
pub use trend::SuspensionChange;
pub(crate) use trend::Trend;

/// The facts that decide how a tool is advertised to a client and how its results are adapted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolContext<'a> {
    pub(crate) effective: &'a Effective,
    /// Judge of the effective schema; without a schema, a judge that accepts everything.
    pub(crate) judge: &'a Judge,
    /// Whether the schema is suspended.
    pub(crate) suspended: bool,
    /// Whether the client speaks 2026-07-28.
    pub(crate) modern: bool,
}

impl ToolContext<'_> {
    /// The form in which the client gets values. A schema that cannot be used does not decide it.
    fn form(&self) -> form::Form {
        let of = if self.judge.is_broken() { &Effective::None } else { self.effective };
        form::Form::of(of, self.modern)
    }
}
