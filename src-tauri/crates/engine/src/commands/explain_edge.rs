//! Why two tools are joined: reasons, and the latest calls that show it.

use schemascope_api::{ApiError, EdgeExplanation, ErrorKind, ExplainEdge, FieldReasons, FlowCall};
use schemascope_compose::{EdgeField, leads_to, read_document, value_at};
use schemascope_model::{CallRecord, ToolId};
use schemascope_store::{CallQuery, Error, Reader};
use serde_json::Value;

use super::{Handle, internal};
use crate::engine::Engine;

handlers![ExplainEdge];

/// Pairs of calls shown of one field.
const SHOWN: usize = 5;
/// Calls read at a time, and at most.
const PAGE: usize = 100;
const MAX_CALLS: usize = 5_000;
/// Items of a list that are shown.
const ITEMS: usize = 20;

impl Handle<ExplainEdge> for Engine {
    async fn handle(&self, command: ExplainEdge) -> Result<EdgeExplanation, ApiError> {
        self.settled().await?;
        let (from, to) = (self.find(&command.from)?, self.find(&command.to)?);
        let ends: (Box<str>, Box<str>) = (from.to_string().into(), to.to_string().into());
        let explained = self.in_graph(move |graph| graph.explain(&ends.0, &ends.1)).await?;
        let Some((edge, reasons)) = explained else {
            let message = format!(
                "nothing joins {from} and {to}: no value was seen to flow, and no field of the one suits the other; \
                 `schemascope edges --to {to}` lists what feeds it"
            );
            return Err(ApiError::new(ErrorKind::NotFound, message));
        };
        let edge = self.threatened(vec![edge]).await?.remove(0);
        let reader = self.records.reader.clone();
        let _turn = self.searching.lock().await;
        let shown: Vec<Shown> = edge.fields.iter().map(Shown::new).collect();
        let reading = move || calls(&reader, &from, &to, shown);
        let shown = tokio::task::spawn_blocking(reading).await.map_err(internal)?.map_err(internal)?;
        let fields = reasons.into_iter().zip(shown).map(|(why, shown)| FieldReasons {
            calls: shown.calls,
            output: why.output.into(),
            input: why.input.into(),
            supporting: why.supporting,
            opposing: why.opposing,
            chance: why.chance,
        });
        Ok(EdgeExplanation { fields: fields.collect(), edge })
    }
}

/// The calls that are shown of one field.
struct Shown {
    output: Box<str>,
    input: Box<str>,
    /// Number of them that there can be.
    most: usize,
    calls: Vec<FlowCall>,
}

impl Shown {
    fn new(field: &EdgeField) -> Self {
        let flows = usize::try_from(field.evidence.flows).unwrap_or(usize::MAX);
        let (output, input) = (field.output.clone(), field.input.clone());
        Self { output, input, most: flows.min(SHOWN), calls: Vec::new() }
    }
}

/// Reads the latest calls that took a value of a tool, newest first.
fn calls(reader: &Reader, from: &ToolId, to: &ToolId, mut shown: Vec<Shown>) -> Result<Vec<Shown>, Error> {
    let from = from.to_string();
    let (mut before, mut read) = (None, 0);
    while read < MAX_CALLS && shown.iter().any(|field| field.calls.len() < field.most) {
        let query = CallQuery { tool: Some(to.clone()), before, limit: PAGE, ..CallQuery::default() };
        let page = reader.calls(&query)?;
        read += page.calls.len();
        for call in &page.calls {
            add(&mut shown, call, &from);
        }
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    Ok(shown)
}

/// A value; of a list or an object, as much as a page shows.
fn beginning(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().take(ITEMS).cloned().collect(),
        Value::Object(members) => Value::Object(
            members.iter().take(ITEMS).map(|(key, value)| (key.clone(), value.clone())).collect(),
        ),
        other => other.clone(),
    }
}

fn add(shown: &mut [Shown], call: &CallRecord, from: &str) {
    let links = call.flow.iter().flat_map(|flow| &flow.links).filter(|link| &*link.tool == from);
    let arguments = call.arguments.as_deref().map(|raw| read_document(raw.get()));
    for link in links {
        let is_of =
            |field: &&mut Shown| leads_to(&link.output, &field.output) && leads_to(&link.input, &field.input);
        let Some(field) = shown.iter_mut().find(is_of) else { continue };
        // Several earlier calls may have given the value: the first one is shown.
        if field.calls.len() < field.most && field.calls.iter().all(|shown| shown.to != call.id) {
            let value = arguments.as_ref().and_then(|own| value_at(own, &link.input)).map(beginning);
            field.calls.push(FlowCall { from: link.from, to: call.id, at: call.at, value });
        }
    }
}
