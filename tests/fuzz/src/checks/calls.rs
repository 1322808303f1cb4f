//! Whatever calls there are: what flows between them is found within bounds, the same in text as in values that were
//! read, and evidence of it is a sum.

use schemascope_compose::{
    Evidence, Filter, Flow, Graph, MAX_BYTES, MAX_SESSIONS, Model, Observed, Stored, Tool, Windows,
    read_document,
};
use schemascope_model::CallId;
use serde_json::Value;

use crate::counts::Tried;
use crate::input::Input;

const KEY: (u64, u64) = (5, 6);

/// Largest size of a result whose repeated arguments are all looked for, in bytes.
const SMALL: usize = 4_096;

/// One call of the input.
struct Call {
    session: String,
    stateless: bool,
    tool: String,
    start: u64,
    end: u64,
    arguments: Value,
    /// JSON text of the result.
    result: Option<String>,
}

/// Checks calls: documents are arguments and results in turn, choices say who calls what and when.
pub fn calls(bytes: &[u8]) -> Result<Tried, String> {
    let input = Input::new(bytes);
    let calls = read(&input);
    let whole = observe(&calls, true);
    let is_plain = |call: &Call| {
        call.result.as_ref().is_none_or(|text| {
            let same = serde_json::from_str::<Value>(text).is_ok_and(|value| value.to_string() == *text);
            same && text.len() <= SMALL
        })
    };
    if calls.iter().all(is_plain) && whole != observe(&calls, false) {
        return Err("results as text and as values give other flows".to_owned());
    }
    let evidence = |order: &mut dyn Iterator<Item = usize>| {
        let mut evidence = Evidence::default();
        order.for_each(|at| add(&mut evidence, &calls[at], &whole[at]));
        evidence
    };
    let forward = evidence(&mut (0..calls.len()));
    if forward != evidence(&mut (0..calls.len()).rev()) {
        return Err("evidence depends on the order of calls".to_owned());
    }
    let (mut even, odd) =
        (evidence(&mut (0..calls.len()).step_by(2)), evidence(&mut (1..calls.len()).step_by(2)));
    even.merge(&odd, KEY);
    if forward != even {
        return Err("evidence depends on where it was counted".to_owned());
    }
    let mut loaded = Evidence::default();
    for tool in forward.tools() {
        let state = forward.state(tool).ok_or("no state")?;
        loaded.load(tool, &state, None)?;
    }
    if loaded != forward {
        return Err("evidence is not what its states say".to_owned());
    }
    graph(&calls, forward)?;
    Ok(Tried { documents: input.documents.len(), refused: 0 })
}

fn read(input: &Input<'_>) -> Vec<Call> {
    let choice = |at: usize| u64::from(input.choices.get(at).copied().unwrap_or_default());
    let mut now = 1_000_000;
    let mut calls = Vec::new();
    for (number, pair) in input.documents.chunks(2).enumerate() {
        let (who, when) = (choice(2 * number), choice(2 * number + 1));
        let text = |at: usize| pair.get(at).and_then(|bytes| std::str::from_utf8(bytes).ok());
        // Now and then a client is quiet for an hour, and the clock goes back.
        now = match when {
            255 => now + 3_600_000,
            254 => now - 500,
            _ => now + when % 8,
        };
        calls.push(Call {
            session: format!("s{}", who % 3),
            stateless: who % 3 == 2,
            tool: format!("srv__t{}", who / 3 % 5),
            start: now,
            end: now + when / 8 % 4,
            arguments: read_document(text(0).unwrap_or_default()),
            result: text(1).filter(|_| who < 240).map(str::to_owned),
        });
    }
    calls.sort_by_key(|call| call.end);
    calls
}

fn observe(calls: &[Call], as_text: bool) -> Vec<Flow> {
    let mut windows = Windows::new(KEY);
    let flows = calls.iter().enumerate().map(|(number, call)| {
        let value = call.result.as_ref().map(|text| read_document(text));
        let observed = Observed {
            id: CallId::from_bytes((number as u128).to_be_bytes()),
            session: &call.session,
            stateless: call.stateless,
            tool: &call.tool,
            start: call.start,
            end: call.end,
            arguments: &call.arguments,
            result: value.as_ref(),
        };
        match call.result.as_deref().filter(|_| as_text) {
            Some(text) => windows.observe_text(&observed, text),
            None => windows.observe(&observed),
        }
    });
    let flows = flows.collect();
    assert!(windows.bytes() <= MAX_BYTES, "more memory than the bound");
    assert!(calls.len() <= MAX_SESSIONS, "an input has few calls");
    flows
}

fn add(evidence: &mut Evidence, call: &Call, flow: &Flow) {
    let stored = Stored {
        session: &call.session,
        tool: &call.tool,
        machine: 1,
        at: call.start,
        arguments: &call.arguments,
        ok: call.result.is_some(),
        flow,
    };
    evidence.add(&stored, KEY);
}

/// Arguments and results are schemas, too. Edges are the same when a tool is taken away and put back.
fn graph(calls: &[Call], evidence: Evidence) -> Result<(), String> {
    let mut graph = Graph::new(Model::default());
    *graph.evidence_mut() = evidence;
    let tool = |call: &Call| Tool {
        id: call.tool.as_str().into(),
        input: Some(call.arguments.clone().into()),
        output: call.result.as_ref().map(|text| read_document(text).into()),
        lost: Vec::new(),
        open_since: None,
        text: false,
        read_only: true,
        usable: true,
    };
    calls.iter().for_each(|call| graph.set(tool(call)));
    let all = Filter::default();
    let before = graph.edges(&all);
    if before.iter().any(|edge| !(0.0..=1.0).contains(&edge.confidence)) {
        return Err("a confidence is no probability".to_owned());
    }
    for id in ["srv__t0", "srv__t1"] {
        if let Some(tool) = graph.tool(id).cloned() {
            graph.remove(id);
            let _ = graph.edges(&all);
            graph.set(tool);
        }
    }
    if graph.edges(&all) == before { Ok(()) } else { Err("edges depend on the past".to_owned()) }
}
