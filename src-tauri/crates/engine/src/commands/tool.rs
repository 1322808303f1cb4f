//! Details of one tool, with the calls behind them.

use schemascope_api::{
    ApiError, FailedCall, GetTool, HistoryPoint, Latency, MAX_SAMPLE, NoteRow, RawSchema, Sample, Stability,
    StandingRow, ToolDetail, failure_reason,
};
use schemascope_model::{CallRecord, Outcome, ToolId};
use schemascope_registry::{StandingChange, Tool, Unlearned};
use schemascope_shape::Note;
use schemascope_store::{CallQuery, Reader};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::{Handle, internal};
use crate::engine::Engine;
use crate::knowledge::summary::VersionSummary;
use crate::recording::events::call_row;
use crate::views;

handlers![GetTool];

/// Number of latest calls shown.
const LATEST: usize = 200;
/// Number of samples shown.
const SAMPLES: usize = 5;
/// Calls whose bodies are read to find samples.
const SAMPLED: usize = 20;

impl Handle<GetTool> for Engine {
    async fn handle(&self, command: GetTool) -> Result<ToolDetail, ApiError> {
        self.settled().await?;
        let id = self.find(&command.tool_id)?;
        // Copied, so that the registry is not locked while schemas are emitted.
        let tool = self.registry().tool(&id).cloned().unwrap_or_default();
        let reader = self.records.reader.clone();
        let read = {
            let id = id.clone();
            let unlearned = Unlearned::of(&tool);
            let is_failing = tool.recent_failures.failing_since().is_some();
            tokio::task::spawn_blocking(move || calls(&reader, &id, &unlearned, is_failing))
        };
        let calls = read.await.map_err(internal)?.map_err(internal)?;
        Ok(detail(&id, &tool, self.knowledge.decisions.summary(&id, &tool), calls))
    }
}

/// What is shown of the calls of a tool.
struct Calls {
    latest: Vec<CallRecord>,
    latest_failure: Option<FailedCall>,
    samples: Vec<Sample>,
}

fn calls(
    reader: &Reader,
    id: &ToolId,
    unlearned: &Unlearned,
    is_failing: bool,
) -> Result<Calls, schemascope_store::Error> {
    let query = |limit| CallQuery { tool: Some(id.clone()), limit, ..CallQuery::default() };
    let latest = reader.records(&query(LATEST), |_| true)?.calls;
    let mut samples = Vec::new();
    let taught = latest.iter().filter(|call| call.outcome == Outcome::Ok && call.carrier.is_some());
    for call in taught.take(SAMPLED) {
        samples.extend(reader.call(call.id)?.as_ref().and_then(|call| sample(call, unlearned)));
        if samples.len() == SAMPLES {
            break;
        }
    }
    let failed = latest.iter().find(|call| call.outcome.is_failure()).filter(|_| is_failing);
    let failed = failed.map(|call| reader.call(call.id)).transpose()?.flatten();
    let latest_failure =
        failed.map(|call| FailedCall { call: call_row(&call), reason: failure_reason(&call) });
    Ok(Calls { latest, latest_failure, samples })
}

fn detail(id: &ToolId, tool: &Tool, versions: VersionSummary, calls: Calls) -> ToolDetail {
    #[derive(Default, Deserialize)]
    struct Definition {
        description: Option<String>,
        #[serde(rename = "inputSchema")]
        input_schema: Option<Box<RawValue>>,
    }
    let declaration = tool.declaration.as_ref();
    let definition: Definition = declaration
        .and_then(|declaration| serde_json::from_str(declaration.definition.get()).ok())
        .unwrap_or_default();
    let declared = declaration.and_then(|declaration| declaration.output_schema());
    let share = |millionths: u32| f64::from(millionths) / 1e6;
    let (fields, root) = tool.explained_fields();
    ToolDetail {
        row: views::tool_row(id, tool, versions),
        description: definition.description,
        input_schema: definition.input_schema.map(RawSchema),
        declared_schema: declared.and_then(|declared| raw(&declared.schema)),
        inferred_schema: (tool.shape.observations() > 0).then(|| raw(&tool.inferred_schema())).flatten(),
        learned_since: tool.learned_since(),
        carriers: tool.carriers,
        fits: views::declared_fit(tool),
        fields: fields.into_iter().map(views::field_row).collect(),
        root: root.map(views::field_row),
        unseen: unseen_at_most(tool),
        stability: tool
            .shape
            .stability()
            .map(|stability| Stability { days: stability.epochs, of: stability.of }),
        notes: tool.shape.notes().into_iter().map(note_row).collect(),
        by_argument: tool.arguments.separations().into_iter().map(views::argument_row).collect(),
        trimmed: tool.shape.is_trimmed(),
        without_values: tool.shape.bare_paths(),
        history: tool
            .history
            .points
            .iter()
            .map(|point| HistoryPoint {
                observations: point.observations,
                at: point.at,
                mean: share(point.mean),
                lowest: share(point.lowest),
            })
            .collect(),
        changes: tool.history.changes.iter().map(standing_row).collect(),
        latency: latency(tool),
        latest: calls.latest.iter().map(call_row).collect(),
        latest_failure: calls.latest_failure,
        samples: calls.samples,
    }
}

fn note_row(note: Note) -> NoteRow {
    NoteRow { note: note.note.to_owned(), count: note.count }
}

fn raw(schema: &Value) -> Option<RawSchema> {
    to_raw_value(schema).ok().map(RawSchema)
}

fn standing_row(change: &StandingChange) -> StandingRow {
    let standing = change.standing;
    StandingRow {
        at: change.at,
        source: standing.source,
        quality: standing.quality,
        violated: standing.violated,
        form: standing.form,
    }
}

fn latency(tool: &Tool) -> Latency {
    let quantile = |share| tool.latencies.quantile(share).unwrap_or_default();
    Latency {
        count: tool.latencies.count(),
        p50_us: quantile(0.5),
        p95_us: quantile(0.95),
        p99_us: quantile(0.99),
        max_us: quantile(1.0),
    }
}

/// Upper limit, with 95 % confidence, of the chance that the next observation has a new structure: that of a Poisson
/// number of which as many as the structures seen once were counted (Wilson and Hilferty 1931). Nothing is said of a
/// tool that changes, nor from few observations.
fn unseen_at_most(tool: &Tool) -> Option<f64> {
    const LEAST: u64 = 20;
    const CONFIDENCE: f64 = 1.645;
    let observations = tool.shape.observations();
    if observations < LEAST || tool.drift.open().next().is_some() {
        return None;
    }
    let seen_once = tool.shape.unseen()? * observations as f64;
    Some((upper(seen_once, CONFIDENCE) / observations as f64).min(1.0))
}

fn upper(counted: f64, quantile: f64) -> f64 {
    let next = counted + 1.0;
    next * (1.0 - 1.0 / (9.0 * next) + quantile / (3.0 * next.sqrt())).powi(3)
}

/// What a call taught; none if its text counts as a failure.
fn sample(call: &CallRecord, unlearned: &Unlearned) -> Option<Sample> {
    let observation = unlearned.observe(call.at, call.result.as_deref()?)?;
    let bytes = observation.json.len();
    let mut json = observation.json.into_owned();
    if bytes > MAX_SAMPLE {
        let cut = (0..=MAX_SAMPLE).rev().find(|at| json.is_char_boundary(*at)).unwrap_or(0);
        json.truncate(cut);
    }
    Some(Sample { id: call.id, at: call.at, carrier: observation.carrier, json, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exact: half of the .95 quantile of chi square with 2, 4 and 20 degrees of freedom.
    #[test]
    fn limits_are_those_of_a_poisson_number() {
        for (counted, exact) in [(0.0, 2.996), (1.0, 4.744), (9.0, 15.705)] {
            assert!((upper(counted, 1.645) - exact).abs() < 0.05, "{counted}: {}", upper(counted, 1.645));
        }
    }
}
