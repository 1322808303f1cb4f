//! A tool's latest observations, from the store.
//!
//! Owns: going through pages of calls until there are enough. Refuses to know: what observations are for.

use schemascope_model::{CallRecord, Outcome, ToolId};
use schemascope_registry::observe;
use schemascope_store::{CallQuery, Error, Reader};

/// Calls brought at a time.
const PAGE: usize = 200;
/// Calls looked at for one that teaches something.
const LOOKED_AT: u64 = 10;

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Observations {
    /// Observations handed on.
    pub(crate) count: u64,
    /// Calls that taught something and whose bodies are not stored.
    pub(crate) without_bodies: u64,
}

impl Observations {
    /// Hands the `last` observations to `each`, newest first, as JSON. Reads from disk.
    pub(crate) fn latest(
        reader: &Reader,
        tool: &ToolId,
        last: u64,
        mut each: impl FnMut(&CallRecord, &str),
    ) -> Result<Self, Error> {
        let mut found = Self::default();
        let mut looked_at = 0;
        let limit = usize::try_from(last).unwrap_or(PAGE).min(PAGE);
        let mut query = CallQuery { tool: Some(tool.clone()), limit, ..CallQuery::default() };
        loop {
            let page = reader.calls(&query)?;
            for call in page.calls.iter().filter(|call| call.outcome == Outcome::Ok) {
                if found.count == last {
                    return Ok(found);
                }
                match call.result.as_deref().and_then(observe) {
                    Some(observation) => {
                        found.count += 1;
                        each(call, &observation.json);
                    }
                    None => found.without_bodies += u64::from(call.bodies_left_out),
                }
            }
            looked_at += page.calls.len() as u64;
            query.before = page.next;
            if page.next.is_none() || found.count >= last || looked_at >= last.saturating_mul(LOOKED_AT) {
                return Ok(found);
            }
        }
    }
}
