//! A tool's latest observations, from the store.

use std::ops::ControlFlow;

use schemascope_model::{CallRecord, Outcome, Timestamp, ToolId};
use schemascope_registry::{Observation, Unlearned};
use schemascope_store::{CallQuery, Error, Reader};

/// Calls read at a time.
const PAGE: usize = 50;
/// Calls read at most for each observation that is wanted.
const CALLS_PER_OBSERVATION: u64 = 10;

/// Numbers of observations that were found.
#[derive(Debug, Default)]
pub(crate) struct Observations {
    /// Observations passed on.
    pub(crate) count: u64,
    /// Calls whose bodies are not stored.
    pub(crate) without_bodies: u64,
    /// Whether older calls were not looked at, because too many were no observations, or those found were enough.
    pub(crate) limited: bool,
}

impl Observations {
    /// Passes the `last` observations to `each`, newest first, without those that the tool does not learn from. Reads from
    /// disk.
    pub(crate) fn latest(
        reader: &Reader,
        tool: &ToolId,
        unlearned: &Unlearned,
        last: u64,
        mut each: impl FnMut(&CallRecord, &Observation<'_>),
    ) -> Result<Self, Error> {
        Self::since(reader, tool, unlearned, None, last, |call, observation| {
            each(call, observation);
            ControlFlow::Continue(())
        })
    }

    /// The same for observations that are newer than a time, until `each` has enough.
    pub(crate) fn since(
        reader: &Reader,
        tool: &ToolId,
        unlearned: &Unlearned,
        since: Option<Timestamp>,
        last: u64,
        mut each: impl FnMut(&CallRecord, &Observation<'_>) -> ControlFlow<()>,
    ) -> Result<Self, Error> {
        let mut found = Self::default();
        let mut calls = 0;
        let limit = usize::try_from(last).unwrap_or(PAGE).min(PAGE);
        let mut query = CallQuery { tool: Some(tool.clone()), limit, ..CallQuery::default() };
        loop {
            let page = reader.calls(&query)?;
            // Pages are in the order of ids, which calls get when they end.
            let ends =
                page.calls.last().is_some_and(|call| since.is_some_and(|since| call.id.time() <= since));
            let is_old = |call: &CallRecord| since.is_some_and(|since| call.at <= since);
            let wanted = |call: &&CallRecord| call.outcome == Outcome::Ok && !is_old(call);
            for call in page.calls.iter().filter(wanted) {
                if found.count == last {
                    return Ok(found);
                }
                match call.result.as_deref().and_then(|result| unlearned.observe(call.at, result)) {
                    Some(observation) => {
                        found.count += 1;
                        if each(call, &observation).is_break() {
                            found.limited = true;
                            return Ok(found);
                        }
                    }
                    None => found.without_bodies += u64::from(call.bodies_left_out),
                }
            }
            calls += page.calls.len() as u64;
            query.before = page.next;
            if ends || page.next.is_none() || found.count >= last {
                return Ok(found);
            }
            if calls >= last.saturating_mul(CALLS_PER_OBSERVATION) {
                found.limited = true;
                return Ok(found);
            }
        }
    }
}
