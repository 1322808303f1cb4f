//! The tools: their definitions, and which module answers each.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ErrorData, JsonObject,
    LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

use crate::changes::Change;
use crate::content::{constant, text};
use crate::resources::WATCHED;
use crate::server::Conformance;
use crate::{inquiries, tasks};

/// The tool whose stream breaks off before it answers.
pub const RECONNECTION: &str = "test_reconnection";

/// The tool that declares what it answers.
const STRUCTURED: &str = "test_structured_content";

/// Those without arguments, and what they do.
const PLAIN: &[(&str, &str)] = &[
    ("test_simple_text", "Answers a text"),
    ("test_image_content", "Answers a picture"),
    ("test_audio_content", "Answers a sound"),
    ("test_embedded_resource", "Answers a resource"),
    ("test_multiple_content_types", "Answers text, picture and resource"),
    ("test_error_handling", "Fails, always"),
    ("test_tool_with_logging", "Logs three messages while it works"),
    ("test_logging_tool", "Logs three messages while it works"),
    ("test_tool_with_progress", "Tells its progress in three steps"),
    ("test_cancellation", "Tells that it has begun, and works until it is cancelled"),
    ("test_cancelled", "Tells how often that was cancelled"),
    (RECONNECTION, "Answers after its stream has broken off"),
    ("test_elicitation_sep1034_defaults", "Asks a person, with defaults"),
    ("test_elicitation_sep1330_enums", "Asks a person, with choices"),
    ("test_streaming_elicitation", "Asks a person whether to go on"),
    ("test_missing_capability", "Works for clients with sampling only"),
    ("test_trigger_tool_change", "Changes the list of tools"),
    ("test_trigger_prompt_change", "Changes the list of prompts"),
    ("test_trigger_resource_list_change", "Changes the list of resources"),
    ("test_trigger_resource_change", "Updates the watched resource"),
    ("test_input_required_result_elicitation", "Asks a person's name"),
    ("test_input_required_result_sampling", "Asks a model for a capital"),
    ("test_input_required_result_list_roots", "Asks for the roots"),
    ("test_input_required_result_request_state", "Asks, and wants its state back"),
    ("test_input_required_result_multiple_inputs", "Asks person, model and roots at once"),
    ("test_input_required_result_multi_round", "Asks twice, one after the other"),
    ("test_input_required_result_tampered_state", "Asks, and refuses a state that is not its own"),
    ("test_input_required_result_capabilities", "Asks what the client can answer"),
    ("failing_job", "A task that fails"),
    ("protocol_error_job", "A task at which the server breaks"),
    ("multi_input", "A task that asks two things at once"),
    ("test_tool_with_task", "Asks a person's name, then greets in a task"),
];

fn tool(name: &'static str, description: &'static str, schema: Value) -> Tool {
    let schema = match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    };
    Tool::new(name, description, Arc::new(schema))
}

fn with_arguments(name: &'static str, description: &'static str, properties: &Value) -> Tool {
    let required: Vec<String> =
        properties.as_object().into_iter().flat_map(JsonObject::keys).cloned().collect();
    tool(name, description, json!({"type": "object", "properties": properties, "required": required}))
}

/// All tools; one of them is there only at times.
pub fn all(more: bool) -> Vec<Tool> {
    let string = || json!({"type": "string"});
    let mut all: Vec<Tool> = PLAIN
        .iter()
        .map(|(name, description)| tool(name, description, json!({"type": "object", "properties": {}})))
        .collect();
    all.extend([
        with_arguments("test_sampling", "Asks a model", &json!({"prompt": string()})),
        with_arguments("test_elicitation", "Asks a person", &json!({"message": string()})),
        tool("json_schema_2020_12_tool", "Has a schema of many keywords", schema_2020_12()),
        tool(
            "test_header_parameter",
            "Has an argument that is mirrored in a header",
            json!({"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}, "required": ["region"]}),
        ),
        with_arguments(STRUCTURED, "Declares what it answers, and can break that", &json!({"broken": {"type": "boolean"}}))
            .with_raw_output_schema(Arc::new(weather_schema())),
        with_arguments("greet", "Says hello", &json!({"name": string()})),
        with_arguments("slow_compute", "A task of some seconds", &json!({"seconds": {"type": "integer"}, "label": string()})),
        with_arguments("confirm_delete", "A task that asks first", &json!({"filename": string()})),
    ]);
    if more {
        all.push(with_arguments("test_sometimes", "A tool that is there only at times", &json!({})));
    }
    all
}

fn weather_schema() -> JsonObject {
    let properties = json!({"city": {"type": "string"}, "degrees": {"type": "number"}});
    JsonObject::from_iter([
        ("type".to_owned(), json!("object")),
        ("properties".to_owned(), properties),
        ("required".to_owned(), json!(["city", "degrees"])),
    ])
}

fn weather(broken: bool) -> CallToolResult {
    let degrees = if broken { json!("mild") } else { json!(21.5) };
    CallToolResult::structured(json!({"city": "Graz", "degrees": degrees}))
}

fn schema_2020_12() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            },
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}

/// Calls a tool.
///
/// # Errors
///
/// Where there is no such tool, the client lacks what it needs, or answers questions with errors.
pub async fn call(
    server: &Conformance,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let tool = request.name.as_ref();
    let arguments = request.arguments.unwrap_or_default();
    if let Some(result) = constant(tool) {
        return Ok(result.into());
    }
    let asker = server.asker(context, request.input_responses, request.request_state, tool);
    if let Some(response) = inquiries::call(tool, &arguments, &asker).await? {
        return Ok(response);
    }
    if let Some(response) = tasks::call(tool, &arguments, &asker, &server.shared.tasks).await? {
        return Ok(response);
    }
    let change = |change| {
        server.shared.changes.make(change);
        text("Changed.")
    };
    Ok(match tool {
        "test_tool_with_logging" | "test_logging_tool" => logging(server, context).await,
        "test_tool_with_progress" => progress(context, &[0.0, 50.0, 100.0]).await,
        "test_cancellation" => {
            // A cancellation or the end of the connection ends it, and nothing else.
            let _noted = Noted(&server.shared.cancelled);
            let _ = progress(context, &[0.0]).await;
            context.ct.cancelled().await;
            text("Cancelled.")
        }
        "test_cancelled" => text(server.shared.cancelled.load(Ordering::Relaxed).to_string()),
        STRUCTURED => weather(arguments.get("broken") == Some(&Value::Bool(true))),
        RECONNECTION => {
            pause().await;
            text("Answered after the stream broke off.")
        }
        "test_missing_capability" => {
            let declared = context.client_capabilities().unwrap_or_default();
            if declared.sampling.is_none() {
                let needed = ClientCapabilities::builder().enable_sampling().build();
                return Err(ErrorData::missing_required_client_capability(needed));
            }
            text("This client can sample.")
        }
        "test_trigger_tool_change" => change(Change::Tools),
        "test_trigger_prompt_change" => change(Change::Prompts),
        "test_trigger_resource_list_change" => change(Change::Resources),
        "test_trigger_resource_change" => change(Change::Resource(WATCHED.to_owned())),
        _ => return Err(ErrorData::invalid_params(format!("no tool is called {tool}"), None)),
    }
    .into())
}

/// Counts its own end.
struct Noted<'a>(&'a AtomicUsize);

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// The pause between two reported steps of a tool.
async fn pause() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

async fn logging(server: &Conformance, context: &RequestContext<RoleServer>) -> CallToolResult {
    for step in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        if server.logs(context, LoggingLevel::Info) {
            let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(step));
            // Who is gone does not read logs.
            let _ = context.peer.notify_logging_message(message.with_logger("conformance")).await;
        }
        pause().await;
    }
    text("Logged.")
}

async fn progress(context: &RequestContext<RoleServer>, steps: &[f64]) -> CallToolResult {
    for &done in steps {
        if let Some(token) = context.meta.get_progress_token() {
            let step = ProgressNotificationParam::new(token, done).with_total(100.0);
            // Who is gone waits for nothing.
            let _ = context.peer.notify_progress(step).await;
        }
        pause().await;
    }
    text("Done.")
}
