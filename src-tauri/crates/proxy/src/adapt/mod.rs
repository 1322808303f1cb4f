//! The adapter: results become what clients were told to expect.
//!
//! Most tools answer JSON as text and declare nothing; SDKs fail a call whose tool declares a schema and whose
//! result lacks structure. The ladder of [`adapt`] adds the structure a result's text holds, and [`advertise`]
//! tells of a schema in a form that every adapted result satisfies. `content` is never changed, errors are never
//! touched, and what is added is spliced in, so that numbers keep their text and unknown fields stay.
//!
//! Architecture invariant: pure. No runtime and no clock; whoever calls sees to it that nothing takes too long.

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
pub(crate) use ladder::{Adapted, adapt, work};
pub(crate) use present::present;
pub use preview::advertised;
pub(crate) use schemascope_judge::Judge;
pub(crate) use trend::Trend;
pub use trend::Turn;

/// What a client is told of a tool, and on what grounds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Told<'a> {
    pub(crate) effective: &'a Effective,
    /// Of the effective schema; one that knows nothing where there is none.
    pub(crate) judge: &'a Judge,
    /// Whether the schema is out of sight for now.
    pub(crate) suspended: bool,
    /// Whether the client speaks 2026-07-28.
    pub(crate) modern: bool,
}

impl Told<'_> {
    /// The form its client gets values in. A schema nobody can use says nothing of it.
    fn form(&self) -> form::Form {
        let of = if self.judge.is_broken() { &Effective::None } else { self.effective };
        form::Form::of(of, self.modern)
    }
}
