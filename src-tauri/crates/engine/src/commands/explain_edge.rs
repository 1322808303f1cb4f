//! Why two tools are joined: reasons, and the latest calls that show it.

use std::collections::BTreeMap;

use schemascope_api::{ApiError, EdgeExplanation, ErrorKind, ExplainEdge, FieldReasons, FlowCall};
use schemascope_compose::{read_document, value_at};
use schemascope_model::{CallRecord, ToolId};
use schemascope_store::{CallQuery, Error, Reader};

use super::{Handle, internal};
use crate::engine::Engine;

handlers![ExplainEdge];

/// Pairs of calls shown of one field.
const SHOWN: usize = 5;
/// Calls read at a time, and at most.
const PAGE: usize = 100;
const MAX_CALLS: usize = 5_000;

/// Output and input.
type Fields = (Box<str>, Box<str>);

impl Handle<ExplainEdge> for Engine {
    async fn handle(&self, command: ExplainEdge) -> Result<EdgeExplanation, ApiError> {
        self.settled().await?;
        let (from, to) = (self.find(&command.from)?, self.find(&command.to)?);
        let ends: (Box<str>, Box<str>) = (from.to_string().into(), to.to_string().into());
        let explained = self.in_graph(move |graph| graph.explain(&ends.0, &ends.1)).await?;
        let Some((mut edge, reasons)) = explained else {
            let message = format!(
                "nothing joins {from} and {to}: no value was seen to flow, and no field of the one suits the other; \
                 `schemascope edges --to {to}` lists what feeds it"
            );
            return Err(ApiError::new(ErrorKind::NotFound, message));
        };
        let edges = std::slice::from_mut(&mut edge);
        self.knowledge.edges.threaten(edges);
        let reader = self.records.reader.clone();
        let _turn = self.searching.lock().await;
        let reading = move || calls(&reader, &from, &to);
        let mut calls = tokio::task::spawn_blocking(reading).await.map_err(internal)?.map_err(internal)?;
        let fields = reasons.into_iter().map(|why| FieldReasons {
            calls: calls.remove(&(why.output.clone(), why.input.clone())).unwrap_or_default(),
            output: why.output.into(),
            input: why.input.into(),
            supporting: why.supporting,
            opposing: why.opposing,
            chance: why.chance,
        });
        Ok(EdgeExplanation { fields: fields.collect(), edge })
    }
}

/// The latest calls that took a value of a tool, by field, newest first.
fn calls(reader: &Reader, from: &ToolId, to: &ToolId) -> Result<BTreeMap<Fields, Vec<FlowCall>>, Error> {
    let mut found: BTreeMap<Fields, Vec<FlowCall>> = BTreeMap::new();
    let from = from.to_string();
    let (mut before, mut read) = (None, 0);
    while read < MAX_CALLS {
        let query = CallQuery { tool: Some(to.clone()), before, limit: PAGE, ..CallQuery::default() };
        let page = reader.calls(&query)?;
        read += page.calls.len();
        for call in &page.calls {
            add(&mut found, call, &from);
        }
        before = page.next;
        let complete = !found.is_empty() && found.values().all(|calls| calls.len() == SHOWN);
        if before.is_none() || complete {
            break;
        }
    }
    Ok(found)
}

fn add(found: &mut BTreeMap<Fields, Vec<FlowCall>>, call: &CallRecord, from: &str) {
    let links = call.flow.iter().flat_map(|flow| &flow.links).filter(|link| &*link.tool == from);
    let arguments = call.arguments.as_deref().map(|raw| read_document(raw.get()));
    for link in links {
        let calls = found.entry((link.output.clone(), link.input.clone())).or_default();
        // Several earlier calls may have given the value: the first one is shown.
        if calls.len() < SHOWN && calls.iter().all(|shown| shown.to != call.id) {
            let value = arguments.as_ref().and_then(|own| value_at(own, &link.input)).cloned();
            calls.push(FlowCall { from: link.from, to: call.id, at: call.at, value });
        }
    }
}
