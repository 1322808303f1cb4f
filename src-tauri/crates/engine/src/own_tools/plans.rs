//! The group `plans`: which tools can take what others gave, and the calls that lead to a tool or a field.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemascope_compose::{Argument, Feed, Graph, Missing, Plan, Plans, Wanted};
use schemascope_model::ToolId;
use schemascope_proxy::{CallerSession, public_name};
use serde::Serialize;
use serde_json::{Value, json};

use super::insight::{annotations, answer, find};
use super::{Answering, Arguments, Group, OwnTool, Sources};
use crate::commands::plans::{Destination, at_hand, destination, fields_like_tools, plan};
use crate::recording::flows::session_name;

/// Suggestions in an answer, unless another number is asked for, and at most.
const SUGGESTIONS: usize = 5;
const MAX_SUGGESTIONS: u64 = 20;
/// Forms in which a value is taken.
const HOW: [&str; 7] = ["same", "number_text", "key", "item", "part", "contains", "joined"];
/// Plans in an answer.
const PLANS: usize = 3;

pub(super) const TOOLS: &[OwnTool] = &[
    OwnTool {
        name: "suggest_next_tools",
        group: Group::Plans,
        definition: suggest_definition,
        call: |sources, arguments, context| -> Answering<'_> {
            Box::pin(suggest(sources, arguments, context.caller))
        },
    },
    OwnTool {
        name: "plan_tools",
        group: Group::Plans,
        definition: plan_definition,
        call: |sources, arguments, _| -> Answering<'_> { Box::pin(plan_tools(sources, arguments)) },
    },
];

fn texts(description: &str) -> Value {
    json!({"type": "array", "items": {"type": "string"}, "description": description})
}

fn share() -> Value {
    json!({"type": "number", "minimum": 0, "maximum": 1})
}

fn suggest_definition() -> Value {
    json!({
        "title": "Next tools",
        "description": "Suggests which tools to call next: those that take what the last results gave, and those that usually follow. Says which output feeds which input and which required inputs are still needed. Without arguments it starts from the calls of this session.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "after": texts("Tools that were called, the latest last; by default those of this session"),
                "have": texts("Names of fields whose values are at hand, for example order_id"),
                "limit": {"type": "integer", "minimum": 1, "maximum": MAX_SUGGESTIONS, "default": SUGGESTIONS},
            },
            "additionalProperties": false,
        },
        "outputSchema": {
            "type": "object",
            "properties": {"suggestions": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "tool": {"type": "string", "description": "Name of the tool on /mcp"},
                    "confidence": share(),
                    "feeds": {"type": "array", "items": {
                        "type": "object",
                        "properties": {
                            "output": {"type": "string", "description": "Path in an earlier result"},
                            "input": {"type": "string", "description": "Argument that takes it"},
                        },
                        "required": ["output", "input"],
                        "additionalProperties": false,
                    }},
                    "still_needed": texts("Required arguments that no result gives"),
                    "seen_in_use": {"type": "boolean", "description": "Whether values were seen to be passed on like this"},
                },
                "required": ["tool", "confidence", "feeds", "still_needed", "seen_in_use"],
                "additionalProperties": false,
            }}},
            "required": ["suggestions"],
            "additionalProperties": false,
        },
        "annotations": annotations("Next tools"),
    })
}

fn plan_definition() -> Value {
    let step = json!({"type": "integer", "minimum": 1});
    let source = json!({"anyOf": [
        {
            "type": "object",
            "properties": {
                "step": step,
                "output": {"type": "string", "description": "Path in the result of that step"},
                "how": {"enum": HOW},
            },
            "required": ["step", "output", "how"],
            "additionalProperties": false,
        },
        {"type": "object", "properties": {
            "have": {"type": "string", "description": "A value at hand, or a tool whose result is"},
            "output": {"type": "string", "description": "Path in the result of that tool"},
            "how": {"enum": HOW},
        }, "required": ["have"], "additionalProperties": false},
        {"type": "object", "properties": {"value": {}}, "required": ["value"], "additionalProperties": false},
    ]});
    json!({
        "title": "Calls that lead to a tool or a field",
        "description": "Plans the calls that lead to a tool, or to a field of a result: in which order, which result feeds which argument, and what must still be supplied. Use it when a tool needs an id that you do not have. Plans are proposals; nothing is called.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "to": {"type": "string", "description": "A tool, TOOL:PATH for a field of its result, or the name of a field of any result"},
                "have": texts("Names of fields whose values are at hand, and tools whose results are"),
            },
            "required": ["to"],
            "additionalProperties": false,
        },
        "outputSchema": {
            "type": "object",
            "properties": {
                "plans": {"type": "array", "items": {
                    "type": "object",
                    "properties": {
                        "confidence": share(),
                        "steps": {"type": "array", "items": {
                            "type": "object",
                            "properties": {
                                "step": step,
                                "tool": {"type": "string", "description": "Name of the tool on /mcp"},
                                "arguments": {
                                    "type": "object",
                                    "additionalProperties": source,
                                    "description": "By argument: the result of an earlier step, something at hand, or a fixed value",
                                },
                                "read_only": {"type": "boolean", "description": "Whether its server says that it only reads"},
                            },
                            "required": ["step", "tool", "arguments", "read_only"],
                            "additionalProperties": false,
                        }},
                        "missing": {"type": "array", "items": {
                            "type": "object",
                            "properties": {"step": step, "input": {"type": "string"}, "why": {"type": "string"}},
                            "required": ["step", "input", "why"],
                            "additionalProperties": false,
                        }},
                        "wanted": {
                            "type": "object",
                            "properties": {"output": {"type": "string", "description": "Path in the last result; empty for all of it"}},
                            "required": ["output"],
                            "additionalProperties": false,
                        },
                    },
                    "required": ["confidence", "steps", "missing", "wanted"],
                    "additionalProperties": false,
                }},
                "why_none": {"type": ["string", "null"], "description": "Why there is no plan, and what comes nearest"},
            },
            "required": ["plans", "why_none"],
            "additionalProperties": false,
        },
        "annotations": annotations("Calls that lead to a tool or a field"),
    })
}

#[derive(Serialize)]
struct SuggestAnswer {
    suggestions: Vec<SuggestionRow>,
}

#[derive(Serialize)]
struct SuggestionRow {
    tool: String,
    confidence: f64,
    feeds: Vec<Feed>,
    still_needed: Vec<Box<str>>,
    seen_in_use: bool,
}

async fn suggest(
    sources: &Sources,
    mut arguments: Arguments,
    caller: CallerSession,
) -> Result<Value, String> {
    let (after, have) = (arguments.texts("after")?, arguments.texts("have")?);
    let limit = arguments.count("limit", MAX_SUGGESTIONS)?.unwrap_or(SUGGESTIONS);
    arguments.end()?;
    sources.recorder.settle().await;
    let mut tools = ids(sources, &after)?;
    if tools.is_empty() {
        let session = session_name(caller.session.as_deref(), caller.client.as_ref());
        tools = sources.recorder.trails().of(&session);
    }
    let have: Vec<Box<str>> = have.into_iter().map(Into::into).collect();
    let found = in_graph(sources, move |graph| graph.suggest_with(&tools, &have, limit)).await?;
    let row = |own: schemascope_compose::Suggestion| SuggestionRow {
        tool: shown(sources, &own.tool),
        confidence: own.confidence,
        feeds: own.feeds,
        still_needed: own.still_needed,
        seen_in_use: own.seen_in_use,
    };
    answer(&SuggestAnswer { suggestions: found.into_iter().map(row).collect() })
}

#[derive(Serialize)]
struct PlanAnswer {
    plans: Vec<PlanRow>,
    why_none: Option<String>,
}

#[derive(Serialize)]
struct PlanRow {
    confidence: f64,
    steps: Vec<StepRow>,
    missing: Vec<Missing>,
    wanted: Wanted,
}

#[derive(Serialize)]
struct StepRow {
    step: usize,
    tool: String,
    arguments: BTreeMap<Box<str>, Argument>,
    read_only: bool,
}

async fn plan_tools(sources: &Sources, mut arguments: Arguments) -> Result<Value, String> {
    let (to, have) = (arguments.text("to")?, arguments.texts("have")?);
    arguments.end()?;
    sources.recorder.settle().await;
    let id = |name: &str| Ok::<Box<str>, String>(find(sources, name)?.0.to_string().into());
    let written: Vec<String> = have.iter().chain([&to]).cloned().collect();
    let fields = in_graph(sources, move |graph| fields_like_tools(graph, written)).await?;
    let to = match sources.shown.named(&to) {
        // A tool that the user has renamed, perhaps to something that looks like a field.
        Some(renamed) => Destination::Tool(renamed.to_string().into(), None),
        None => destination(&to, &fields, id)?,
    };
    let have =
        have.iter().map(|name| at_hand(name, &fields, id)).collect::<Result<Vec<Box<str>>, String>>()?;
    let Plans { plans, why_none } = in_graph(sources, move |graph| plan(graph, &to, &have, PLANS)).await??;
    let row = |own: Plan| PlanRow {
        confidence: own.confidence,
        steps: own
            .steps
            .into_iter()
            .map(|step| StepRow {
                step: step.step,
                tool: shown(sources, &step.tool_id),
                arguments: step.arguments,
                read_only: step.read_only,
            })
            .collect(),
        missing: own.missing,
        wanted: own.wanted,
    };
    answer(&PlanAnswer { plans: plans.into_iter().map(row).collect(), why_none })
}

/// Ids of tools by the names that agents see.
fn ids(sources: &Sources, names: &[String]) -> Result<Vec<Box<str>>, String> {
    names.iter().map(|name| Ok(find(sources, name)?.0.to_string().into())).collect()
}

/// The name of a tool on `/mcp`.
fn shown(sources: &Sources, tool: &str) -> String {
    let Ok(id) = tool.parse::<ToolId>() else { return tool.to_owned() };
    let name = sources.shown.presented(&id).name;
    name.map_or_else(|| public_name(id.server(), id.tool()), Into::into)
}

async fn in_graph<T: Send + 'static>(
    sources: &Sources,
    work: impl FnOnce(&mut Graph) -> T + Send + 'static,
) -> Result<T, String> {
    let edges = Arc::clone(&sources.edges);
    tokio::task::spawn_blocking(move || edges.with(work)).await.map_err(|error| error.to_string())
}
