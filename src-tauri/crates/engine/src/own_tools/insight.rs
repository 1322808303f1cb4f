//! The group `insight`: what is known of the tools of other servers.

use schemascope_api::{ByQuality, BySource, SchemaChoice};
use schemascope_model::{Quality, Source, ToolId};
use schemascope_proxy::OWN_SERVER;
use schemascope_registry::{Registry, Tool};
use schemascope_shape::{FieldReport, Policy};
use serde::Serialize;
use serde_json::{Value, json};

use super::{Answering, Arguments, Group, OwnTool, Sources};
use crate::interviews::describe::describe;
use crate::knowledge::schema_choice::choose;
use crate::knowledge::totals::Totals;
use crate::nearest::suggestion;

/// Tools one report lists.
const MAX_TOOLS: usize = 50;
/// Fields one report lists.
const MAX_FIELDS: usize = 30;

pub(super) const TOOLS: &[OwnTool] = &[
    OwnTool {
        name: "get_tool_schema",
        group: Group::Insight,
        definition: schema_definition,
        call: |sources, arguments, _| -> Answering<'_> { Box::pin(schema(sources, arguments)) },
    },
    OwnTool {
        name: "get_quality_report",
        group: Group::Insight,
        definition: report_definition,
        call: |sources, arguments, _| -> Answering<'_> { Box::pin(report(sources, arguments)) },
    },
];

/// The part of a definition that says what a tool may do: both only read what is stored here.
pub(super) fn annotations(title: &str) -> Value {
    json!({"title": title, "readOnlyHint": true, "idempotentHint": true, "openWorldHint": false})
}

fn quality_schema() -> Value {
    json!({
        "enum": ["none", "low", "medium", "high"],
        "description": "none: nothing known. low: 1 to 9 results. medium: 10 to 99 results, or inconsistent ones. high: reliable.",
    })
}

fn source_schema() -> Value {
    json!({
        "enum": ["declared", "hybrid", "inferred", "unknown"],
        "description": "declared: by the tool's server. hybrid: declared, and results were observed. inferred: learned from results. unknown: neither.",
    })
}

fn schema_definition() -> Value {
    let count = json!({"type": "integer", "minimum": 0});
    json!({
        "title": "Schema of a tool's results",
        "description": "Returns the JSON Schema of what a tool returns, also for tools whose server declares none: Schemascope infers it from recorded results. Says where the schema comes from and how many results support it. Use it before writing code that reads the tool's results.",
        "inputSchema": {
            "type": "object",
            "properties": {"tool": {
                "type": "string",
                "description": "The tool's id, server__tool, for example git__git_log",
            }},
            "required": ["tool"],
            "additionalProperties": false,
        },
        "outputSchema": {
            "type": "object",
            "properties": {
                "tool_id": {"type": "string"},
                "schema": {
                    "type": ["object", "boolean", "null"],
                    "description": "JSON Schema of the tool's structured result; null where nothing is known of it",
                },
                "effective": {
                    "type": "boolean",
                    "description": "Whether this schema is in effect: declared by the server, or promoted by the user. An inferred schema that is not in effect describes past results only.",
                },
                "source": source_schema(),
                "version": {
                    "type": ["integer", "null"],
                    "description": "Number of the promoted version; null for a declared schema and for one that was not promoted",
                },
                "quality": quality_schema(),
                "violated": {"type": "boolean", "description": "Whether results break the schema the server declares"},
                "observation_count": count,
                "mean_consistency": {
                    "type": ["number", "null"],
                    "description": "How consistent the fields of the results are, from 0 to 1",
                },
                "summary": {"type": "string", "description": "The same in a sentence"},
            },
            "required": [
                "tool_id", "schema", "effective", "source", "version", "quality", "violated", "observation_count",
                "mean_consistency", "summary",
            ],
            "additionalProperties": false,
        },
        "annotations": annotations("Schema of a tool's results"),
    })
}

fn report_definition() -> Value {
    let count = json!({"type": "integer", "minimum": 0});
    let counts = |names: &[&str]| {
        let properties: serde_json::Map<String, Value> =
            names.iter().map(|name| ((*name).to_owned(), count.clone())).collect();
        json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
    };
    let share = json!({"type": ["number", "null"]});
    json!({
        "title": "Quality of schemas",
        "description": "Reports how far the schemas of tools can be trusted: how many results support them, how consistent these are, which tools break the schema they declare, and whose results have changed. Without an argument it covers all tools, those that need attention first; with a tool it also lists that tool's fields, the least consistent first.",
        "inputSchema": {
            "type": "object",
            "properties": {"tool": {
                "type": "string",
                "description": "Only this tool: its id, server__tool, for example git__git_log",
            }},
            "additionalProperties": false,
        },
        "outputSchema": {
            "type": "object",
            "properties": {
                "tool_count": count,
                "call_count": count,
                "failure_count": count,
                "observation_count": {"type": "integer", "minimum": 0, "description": "Results a schema was learned from"},
                "by_source": counts(&["declared", "hybrid", "violated", "inferred", "unknown"]),
                "by_quality": counts(&["none", "low", "medium", "high"]),
                "tools": {"type": "array", "maxItems": MAX_TOOLS, "items": {
                    "type": "object",
                    "properties": {
                        "tool_id": {"type": "string"},
                        "source": source_schema(),
                        "quality": quality_schema(),
                        "violated": {"type": "boolean"},
                        "observation_count": count,
                        "call_count": count,
                        "failure_count": count,
                        "mean_consistency": share,
                        "effective_version": {"type": ["integer", "null"]},
                        "candidate_version": {"type": ["integer", "null"], "description": "A version that waits for the user's decision"},
                        "drift_count": {"type": "integer", "minimum": 0, "description": "Changes of its results that go on"},
                    },
                    "required": [
                        "tool_id", "source", "quality", "violated", "observation_count", "call_count",
                        "failure_count", "mean_consistency", "effective_version", "candidate_version", "drift_count",
                    ],
                    "additionalProperties": false,
                }},
                "tools_left_out": {"type": "integer", "minimum": 0, "description": "Further tools, which need less attention"},
                "fields": {"type": "array", "maxItems": MAX_FIELDS, "description": "Fields of the tool asked for", "items": {
                    "type": "object",
                    "properties": {
                        "path": {"type": "string"},
                        "types": {"type": "array", "items": {"type": "string"}},
                        "present": {"type": "integer", "minimum": 0, "description": "Parent objects that have the field"},
                        "parents": count,
                        "consistency": {"type": "number", "description": "Share of parent objects that have the field with its usual type"},
                        "required": {"type": "boolean"},
                    },
                    "required": ["path", "types", "present", "parents", "consistency", "required"],
                    "additionalProperties": false,
                }},
                "fields_left_out": count,
            },
            "required": [
                "tool_count", "call_count", "failure_count", "observation_count", "by_source", "by_quality", "tools",
                "tools_left_out", "fields", "fields_left_out",
            ],
            "additionalProperties": false,
        },
        "annotations": annotations("Quality of schemas"),
    })
}

#[derive(Serialize)]
struct SchemaAnswer {
    tool_id: String,
    schema: Option<Value>,
    effective: bool,
    source: Source,
    version: Option<u32>,
    quality: Quality,
    violated: bool,
    observation_count: u64,
    mean_consistency: Option<f64>,
    summary: String,
}

async fn schema(sources: &Sources, mut arguments: Arguments) -> Result<Value, String> {
    let name = arguments.text("tool")?;
    arguments.end()?;
    sources.recorder.settle().await;
    let (id, tool) = find(sources, &name)?;
    let choose = |choice| choose(&sources.decisions, &id, &tool, choice).ok();
    let effective = choose(SchemaChoice::Effective);
    let is_effective = effective.is_some();
    let found = effective.or_else(|| choose(SchemaChoice::Inferred));
    let descriptions = sources.interviews.descriptions(&id.to_string());
    let reply = found.map(|found| {
        let mut reply = found.reply(id.to_string(), &tool);
        describe(&mut reply.schema, &descriptions);
        reply
    });
    let standing = tool.standing();
    let observation_count = tool.shape.observations();
    let version = reply.as_ref().and_then(|reply| reply.version);
    answer(&SchemaAnswer {
        tool_id: id.to_string(),
        summary: summary(&tool, reply.is_some(), is_effective, version),
        schema: reply.map(|reply| reply.schema),
        effective: is_effective,
        source: standing.source,
        version,
        quality: standing.quality,
        violated: standing.violated,
        observation_count,
        mean_consistency: tool.shape.mean_consistency(),
    })
}

fn summary(tool: &Tool, is_known: bool, is_effective: bool, version: Option<u32>) -> String {
    let results = tool.shape.observations();
    match (is_known, is_effective, version) {
        (false, ..) => {
            "Nothing is known of this tool's results: its server declares no schema, and no successful \
                        call has been recorded. Call the tool, then ask again."
                .into()
        }
        (_, true, Some(version)) => {
            format!("Version {version} is in effect. {results} results have been observed in total.")
        }
        (_, true, None) if tool.standing().violated => {
            format!(
                "The tool's server declares this schema, but of {results} observed results many break it."
            )
        }
        (_, true, None) => {
            format!("The tool's server declares this schema. {results} results have been observed.")
        }
        (_, false, _) => format!(
            "Inferred from {results} results and not promoted: it describes these results and promises nothing."
        ),
    }
}

#[derive(Serialize)]
struct ReportAnswer {
    tool_count: u64,
    call_count: u64,
    failure_count: u64,
    observation_count: u64,
    by_source: BySource,
    by_quality: ByQuality,
    tools: Vec<ToolAnswer>,
    tools_left_out: usize,
    fields: Vec<FieldAnswer>,
    fields_left_out: usize,
}

#[derive(Serialize)]
struct ToolAnswer {
    tool_id: String,
    source: Source,
    quality: Quality,
    violated: bool,
    observation_count: u64,
    call_count: u64,
    failure_count: u64,
    mean_consistency: Option<f64>,
    effective_version: Option<u32>,
    candidate_version: Option<u32>,
    drift_count: u32,
}

#[derive(Serialize)]
struct FieldAnswer {
    path: String,
    types: Vec<String>,
    present: u64,
    parents: u64,
    consistency: f64,
    required: bool,
}

async fn report(sources: &Sources, mut arguments: Arguments) -> Result<Value, String> {
    let name = arguments.optional_text("tool")?;
    arguments.end()?;
    sources.recorder.settle().await;
    let asked = name.map(|name| find(sources, &name)).transpose()?;
    let mut totals = Totals::default();
    let mut rows = Vec::new();
    let mut add = |id: &ToolId, tool: &Tool| {
        totals.add(id, tool);
        rows.push(row(sources, id, tool));
    };
    match &asked {
        Some((id, tool)) => add(id, tool),
        None => {
            let registry = sources.registry();
            let known = registry.tools().iter().filter(|(id, tool)| is_known(sources, id, tool));
            // Our own tools would only distort a report about the tools of others.
            known.filter(|(id, _)| !is_own(id)).for_each(|(id, tool)| add(id, tool));
        }
    }
    // The ids are in order already, and stay so among equals.
    rows.sort_by_key(|row| (!row.violated, row.drift_count == 0, row.quality));
    let tools_left_out = rows.len().saturating_sub(MAX_TOOLS);
    rows.truncate(MAX_TOOLS);
    let mut fields = asked.map(|(_, tool)| tool.shape.fields(&Policy::default())).unwrap_or_default();
    fields.sort_by(|a, b| a.consistency.total_cmp(&b.consistency));
    let fields_left_out = fields.len().saturating_sub(MAX_FIELDS);
    fields.truncate(MAX_FIELDS);
    answer(&ReportAnswer {
        tool_count: totals.tool_count,
        call_count: totals.call_count,
        failure_count: totals.failure_count,
        observation_count: totals.observation_count,
        by_source: totals.by_source,
        by_quality: totals.by_quality,
        tools: rows,
        tools_left_out,
        fields: fields.into_iter().map(field).collect(),
        fields_left_out,
    })
}

fn row(sources: &Sources, id: &ToolId, tool: &Tool) -> ToolAnswer {
    let (standing, versions) = (tool.standing(), sources.decisions.summary(id, tool));
    ToolAnswer {
        tool_id: id.to_string(),
        source: standing.source,
        quality: standing.quality,
        violated: standing.violated,
        observation_count: tool.shape.observations(),
        call_count: tool.calls,
        failure_count: tool.failures,
        mean_consistency: tool.shape.mean_consistency(),
        effective_version: versions.effective.map(|in_force| in_force.version),
        candidate_version: versions.candidate,
        drift_count: versions.drift.0,
    }
}

fn field(report: FieldReport) -> FieldAnswer {
    FieldAnswer {
        path: report.path,
        types: report.kinds,
        present: report.presence.present,
        parents: report.presence.parents,
        consistency: report.consistency,
        required: report.required,
    }
}

/// The tool that has this name on `/mcp`, or an error that suggests similar names.
pub(super) fn find(sources: &Sources, name: &str) -> Result<(ToolId, Tool), String> {
    let registry = sources.registry();
    let found = by_name(sources, &registry, name);
    found.map(|(id, tool)| (id.clone(), tool.clone())).ok_or_else(|| {
        let known = registry.tools().iter().filter(|(id, tool)| is_known(sources, id, tool) && !is_own(id));
        let known: Vec<String> = known.map(|(id, _)| id.to_string()).collect();
        let hint = match known.is_empty() {
            true => "; no tool has been listed or called yet".to_owned(),
            false => suggestion(name, known.iter().map(String::as_str)),
        };
        format!("there is no tool {name:?}{hint}")
    })
}

fn by_name<'a>(sources: &Sources, registry: &'a Registry, name: &str) -> Option<(&'a ToolId, &'a Tool)> {
    let written: Option<ToolId> = sources.shown.named(name).or_else(|| name.parse().ok());
    let exact = written.and_then(|id| registry.tools().get_key_value(&id));
    let mut tools = registry.tools().iter();
    exact
        .or_else(|| tools.find(|(id, _)| schemascope_proxy::public_name(id.server(), id.tool()) == name))
        .filter(|(id, tool)| is_known(sources, id, tool))
}

fn is_own(id: &ToolId) -> bool {
    id.server() == OWN_SERVER
}

/// Whether agents may know of a tool: it exists, and the user has not hidden it from them.
fn is_known(sources: &Sources, id: &ToolId, tool: &Tool) -> bool {
    tool.exists() && !sources.shown.is_hidden(id)
}

pub(super) fn answer(answer: &impl Serialize) -> Result<Value, String> {
    serde_json::to_value(answer).map_err(|error| error.to_string())
}
