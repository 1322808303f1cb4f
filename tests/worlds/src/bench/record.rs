//! All sessions recorded into one registry: flows, evidence, and the graph over them.

use std::collections::BTreeMap;

use schemascope_compose::{Evidence, Flow, Graph, Measured, Model, Observed, Stored, Tool, Windows};
use schemascope_model::CallId;
use schemascope_worlds::{Call, Server, Traffic, all, traffic};

/// Key of the data directory.
pub(crate) const KEY: (u64, u64) = (1, 2);

/// Servers with everything their sessions showed.
pub(crate) struct Registry {
    /// Servers as they were at the start.
    pub(crate) servers: Vec<Server>,
    pub(crate) traffic: Vec<Traffic>,
    /// Flows of all calls, in the order of `traffic`.
    pub(crate) flows: Vec<Vec<Vec<Flow>>>,
    pub(crate) evidence: Evidence,
    /// Number of flows that seem to be there between a tool and an input, true or not.
    pub(crate) apparent: BTreeMap<(String, String, String), u64>,
}

impl Registry {
    /// Runs the sessions and records them in the order of time, all servers at once.
    pub(crate) fn record(seed: u64, sessions: usize) -> Self {
        let servers = all();
        let mut running = servers.clone();
        let traffic = traffic(&mut running, sessions, seed);
        let mut order: Vec<(u64, usize, usize, usize)> = Vec::new();
        let mut flows: Vec<Vec<Vec<Flow>>> = Vec::new();
        for (at, own) in traffic.iter().enumerate() {
            flows.push(own.sessions.iter().map(|calls| vec![Flow::default(); calls.len()]).collect());
            for (session, calls) in own.sessions.iter().enumerate() {
                order.extend(calls.iter().enumerate().map(|(call, own)| (own.end, at, session, call)));
            }
        }
        order.sort_unstable();
        let mut windows = Windows::new(KEY);
        let mut evidence = Evidence::default();
        for (number, (_, at, session, call)) in order.into_iter().enumerate() {
            let own = &traffic[at].sessions[session][call];
            let flow = windows.observe(&observed(own, number as u128));
            evidence.add(&stored(own, &flow), KEY);
            flows[at][session][call] = flow;
        }
        let mut apparent: BTreeMap<(String, String, String), u64> = BTreeMap::new();
        for server in &servers {
            for tool in &server.tools {
                let to = format!("{}__{}", server.name, tool.name);
                for (input, taken) in evidence.taken(&to) {
                    for (from, outputs) in &taken.from {
                        let flows = outputs.values().map(|seen| seen.flows).max().unwrap_or(0);
                        apparent.insert((from.to_string(), to.clone(), input.to_owned()), flows);
                    }
                }
            }
        }
        Self { servers, traffic, flows, evidence, apparent }
    }

    /// Builds the graph over some evidence.
    pub(crate) fn graph(&self, evidence: Evidence, model: Model) -> Graph {
        let mut graph = Graph::new(model);
        *graph.evidence_mut() = evidence;
        for tool in self.tools() {
            graph.set(tool);
        }
        graph
    }

    /// Returns the tools with their effective schemas. A tool without a declared schema has the inferred
    /// one as soon as it was called.
    pub(crate) fn tools(&self) -> Vec<Tool> {
        let tools =
            self.servers.iter().flat_map(|server| server.tools.iter().map(move |tool| (server, tool)));
        tools
            .map(|(server, tool)| {
                let id: Box<str> = format!("{}__{}", server.name, tool.name).into();
                let called = self.evidence.calls(&id) > 0;
                Tool {
                    input: Some(tool.input_schema().into()),
                    output: tool
                        .output_schema()
                        .or_else(|| tool.result_schema().filter(|_| called))
                        .map(Into::into),
                    lost: Vec::new(),
                    open_since: None,
                    text: tool.is_text() && called,
                    read_only: tool.read_only,
                    usable: true,
                    id,
                }
            })
            .collect()
    }

    /// Returns what the models look at, for every candidate of every input.
    pub(crate) fn examples(&self) -> Vec<Measured> {
        let mut graph = self.graph(self.evidence.clone(), crate::shipped());
        let tools: Vec<String> = graph.tools().map(str::to_owned).collect();
        tools.iter().flat_map(|tool| graph.measures(tool)).collect()
    }
}

/// A call as the recorder sees it.
pub(crate) fn observed(call: &Call, id: u128) -> Observed<'_> {
    Observed {
        id: CallId::from_bytes(id.to_be_bytes()),
        session: &call.session,
        stateless: false,
        tool: &call.tool,
        start: call.start,
        end: call.end,
        arguments: &call.arguments,
        result: call.result.as_ref().ok(),
    }
}

/// A call as the journal has it.
pub(crate) fn stored<'a>(call: &'a Call, flow: &'a Flow) -> Stored<'a> {
    Stored {
        session: &call.session,
        tool: &call.tool,
        machine: 1,
        at: call.start,
        arguments: &call.arguments,
        ok: call.result.is_ok(),
        flow,
    }
}
