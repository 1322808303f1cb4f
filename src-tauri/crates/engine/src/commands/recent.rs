//! Consistency of a tool's newest results, from the stored calls.

use std::borrow::Cow;

use schemascope_api::{ApiError, GetRecent, HistoryPoint, Recent, RecentField, TypeRow};
use schemascope_model::{CallRecord, Outcome, Timestamp, ToolId};
use schemascope_registry::{self as registry, Tool, Unlearned};
use schemascope_shape::{FieldReport, Policy};
use schemascope_store::{CallQuery, Reader};

use super::{Handle, internal};
use crate::engine::Engine;

handlers![GetRecent];

/// Most calls read.
const CALLS: usize = 500;
/// Most bytes of results read.
const BYTES: usize = 16 << 20;

impl Handle<GetRecent> for Engine {
    async fn handle(&self, command: GetRecent) -> Result<Recent, ApiError> {
        self.settled().await?;
        let id = self.find(&command.tool_id)?;
        let known = |tool: &Tool| (tool.shape.observations(), Unlearned::of(tool));
        let (observations, unlearned) = self.registry().tool(&id).map(known).unwrap_or_default();
        let reader = self.records.reader.clone();
        let read = tokio::task::spawn_blocking(move || results(&reader, id, &unlearned));
        let results = read.await.map_err(internal)?.map_err(internal)?;
        let recent =
            registry::Recent::of(results.iter().map(|(at, json)| (*at, Cow::Borrowed(json.as_str()))));
        let window = |window: &registry::Window| HistoryPoint {
            observations: observations.saturating_sub(window.later as u64),
            at: window.at,
            mean: window.consistency.mean,
            lowest: window.consistency.lowest,
        };
        Ok(Recent {
            results: recent.newest.observations(),
            fields: recent.newest.fields(&Policy::default()).into_iter().map(field).collect(),
            windows: recent.windows.iter().rev().map(window).collect(),
        })
    }
}

/// Reads what the newest calls returned, newest first.
fn results(
    reader: &Reader,
    id: ToolId,
    unlearned: &Unlearned,
) -> Result<Vec<(Timestamp, String)>, schemascope_store::Error> {
    let query = CallQuery { tool: Some(id), limit: CALLS, ..CallQuery::default() };
    let is_observed = |call: &CallRecord| call.outcome == Outcome::Ok && call.carrier.is_some();
    let mut results: Vec<(Timestamp, String)> = Vec::new();
    let mut bytes = 0;
    for call in reader.records(&query, is_observed)?.calls {
        let Some(call) = reader.call(call.id)? else { continue };
        let observation = call.result.as_deref().and_then(|result| unlearned.observe(call.at, result));
        let Some(observation) = observation else { continue };
        bytes += observation.json.len();
        if bytes > BYTES {
            break;
        }
        results.push((call.at, observation.json.into_owned()));
    }
    Ok(results)
}

fn field(field: FieldReport) -> RecentField {
    RecentField {
        path: field.path,
        present: field.presence.present,
        parents: field.presence.parents,
        types: field.types.into_iter().map(|kind| TypeRow { name: kind.name, count: kind.count }).collect(),
        consistency: field.consistency,
    }
}
