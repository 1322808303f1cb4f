//! Tools that ask the client before they answer. [`crate::ask`] carries the questions.

use rmcp::model::{CallToolResponse, ErrorData, InputRequest, InputRequests, InputResponses, JsonObject};
use serde_json::{Value, json};

use crate::ask::{Asked, Asker, can_answer};
use crate::content::text;

/// A form for a person: what it says, and its fields as a schema.
pub fn form(message: &str, properties: &Value, required: &[&str]) -> Value {
    let schema = json!({"type": "object", "properties": properties, "required": required});
    json!({"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}})
}

/// A form with one field, required.
pub fn field(message: &str, name: &str, kind: &str) -> Value {
    form(message, &json!({name: {"type": kind}}), &[name])
}

fn prompt(text: &str) -> Value {
    let message = json!({"role": "user", "content": {"type": "text", "text": text}});
    json!({"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 100}})
}

fn roots() -> Value {
    json!({"method": "roots/list"})
}

/// Questions as the SDK has them.
///
/// # Errors
///
/// Where one is written wrongly.
pub fn questions(questions: Value) -> Result<InputRequests, ErrorData> {
    serde_json::from_value(questions).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// One question as the SDK has it.
///
/// # Errors
///
/// Where it is written wrongly.
pub fn question(question: Value) -> Result<InputRequest, ErrorData> {
    serde_json::from_value(question).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// What a tool asks, by its keys, and what its answer begins with.
fn inquiry(tool: &str, arguments: &JsonObject) -> Option<(Value, &'static str)> {
    let argument = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let name = || field("What is your name?", "name", "string");
    let confirm = || json!({"confirm": field("Please confirm", "ok", "boolean")});
    Some(match tool {
        "test_sampling" => (json!({"answer": prompt(argument("prompt"))}), "LLM response"),
        "test_elicitation" => {
            let fields = json!({
                "username": {"type": "string", "description": "User's response"},
                "email": {"type": "string", "description": "User's email address"},
            });
            (json!({"user": form(argument("message"), &fields, &["username", "email"])}), "User response")
        }
        "test_elicitation_sep1034_defaults" => {
            let fields = json!({
                "name": {"type": "string", "default": "John Doe"},
                "age": {"type": "integer", "default": 30},
                "score": {"type": "number", "default": 95.5},
                "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
                "verified": {"type": "boolean", "default": true},
            });
            (json!({"form": form("All fields have defaults", &fields, &[])}), "Elicitation completed")
        }
        "test_elicitation_sep1330_enums" => {
            (json!({"form": form("Choose", &choices(), &[])}), "Elicitation completed")
        }
        "test_streaming_elicitation" => {
            (json!({"confirm": field("Go on?", "ok", "boolean")}), "Elicitation completed")
        }
        "test_input_required_result_elicitation" => (json!({"user_name": name()}), "Hello"),
        "test_input_required_result_sampling" => {
            (json!({"capital_question": prompt("What is the capital of France?")}), "LLM response")
        }
        "test_input_required_result_list_roots" => (json!({"client_roots": roots()}), "Roots"),
        "test_input_required_result_capabilities" => {
            (json!({"name": name(), "greeting": prompt("Generate a greeting"), "roots": roots()}), "Answers")
        }
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
            (confirm(), "state-ok")
        }
        "test_input_required_result_multiple_inputs" => (
            json!({"user_name": name(), "greeting": prompt("Generate a greeting"), "client_roots": roots()}),
            "state-ok",
        ),
        _ => return None,
    })
}

/// Choices in all the forms there are.
fn choices() -> Value {
    let titled = |titles: [&str; 3]| -> Vec<Value> {
        let values = ["value1", "value2", "value3"];
        values.iter().zip(titles).map(|(value, title)| json!({"const": value, "title": title})).collect()
    };
    let options = json!(["option1", "option2", "option3"]);
    json!({
        "untitledSingle": {"type": "string", "enum": options},
        "titledSingle": {"type": "string", "oneOf": titled(["First Option", "Second Option", "Third Option"])},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
        "titledMulti": {
            "type": "array",
            "items": {"anyOf": titled(["First Choice", "Second Choice", "Third Choice"])},
        },
    })
}

/// Calls such a tool; none if it is another.
///
/// # Errors
///
/// What [`Asker`] says.
pub async fn call(
    tool: &str,
    arguments: &JsonObject,
    asker: &Asker<'_>,
) -> Result<Option<CallToolResponse>, ErrorData> {
    if tool == "test_input_required_result_multi_round" {
        return multi_round(asker).await.map(Some);
    }
    let Some((asked, begins)) = inquiry(tool, arguments) else { return Ok(None) };
    let mut asked = questions(asked)?;
    if tool == "test_input_required_result_capabilities" {
        let declared = asker.context.client_capabilities().unwrap_or_default();
        asked.retain(|_, question| can_answer(&declared, question));
    }
    let state = (begins == "state-ok").then(|| json!(tool));
    if asker.state()?.is_some_and(|brought| Some(brought) != state) {
        return Err(ErrorData::invalid_params("requestState is of something else", None));
    }
    Ok(Some(match asker.ask(asked, state.as_ref()).await? {
        Asked::Answered(answers) => text(format!("{begins}: {}", told(&answers))).into(),
        Asked::Open(open) => open.into(),
    }))
}

/// Two questions, one after the other; the state carries what is known.
async fn multi_round(asker: &Asker<'_>) -> Result<CallToolResponse, ErrorData> {
    let rounds = [
        ("step1", field("Step 1: What is your name?", "name", "string")),
        ("step2", field("Step 2: What is your favorite color?", "color", "string")),
    ];
    let mut known = match asker.state()? {
        Some(Value::Object(known)) => known,
        _ => JsonObject::new(),
    };
    for (key, asked) in rounds {
        if known.contains_key(key) {
            continue;
        }
        match asker.ask(questions(json!({key: asked}))?, Some(&Value::Object(known.clone()))).await? {
            Asked::Answered(answers) => known.extend(answers),
            Asked::Open(open) => return Ok(open.into()),
        }
    }
    Ok(text(format!("state-ok: {}", told(&known.into_iter().collect()))).into())
}

/// Answers in words, a key after the other.
pub fn told(answers: &InputResponses) -> String {
    let told = answers.iter().map(|(key, answer)| match answer {
        Value::Object(answer) if answer.contains_key("action") => {
            let action = answer["action"].as_str().unwrap_or_default();
            format!("{key}: action={action}, content={}", answer.get("content").unwrap_or(&Value::Null))
        }
        _ => match answer.pointer("/content/text").and_then(Value::as_str) {
            Some(text) => format!("{key}: {text}"),
            None => format!("{key}: {answer}"),
        },
    });
    told.collect::<Vec<_>>().join("; ")
}
