//! Schemas of the tools' arguments.

use serde_json::{Map, Value, json};

use crate::limits::MAX_ANSWER_BYTES;
use crate::surrogate::{LEVELS, SIZES};

/// Returns the schema of a tool's arguments.
pub(super) fn schema(name: &str) -> Value {
    let text = |description: &str| json!({"type": "string", "description": description});
    let texts =
        |description: &str| json!({"type": "array", "items": {"type": "string"}, "description": description});
    let flag = |description: &str| json!({"type": "boolean", "default": false, "description": description});
    let mut properties = Map::new();
    let mut required: Vec<&str> = Vec::new();
    let is_general = matches!(
        name,
        "start_interview" | "list_available_ds" | "create_surrogate_expert" | "run_surrogate_interview"
    );
    if !is_general {
        properties.insert("project_id".to_owned(), text("Id of the project, from start_interview"));
        properties.insert("conversation_id".to_owned(), text("Id of the conversation, from start_interview"));
        required.extend(["project_id", "conversation_id"]);
    }
    let is_pursuit = matches!(
        name,
        "get_next_question"
            | "process_ds_answer"
            | "get_ds_status"
            | "finalize_ds"
            | "interviewer_formulates_question"
            | "interviewer_interprets_response"
    );
    if is_pursuit {
        let words = "Id of the Discovery Schema; by default the one whose pursuit was started last";
        properties.insert("ds_id".to_owned(), text(words));
    }
    let answer = json!({
        "type": ["string", "object"],
        "maxLength": MAX_ANSWER_BYTES,
        "description": "The answer: the person's words, a table, a choice, or JSON in the form of ds_template without its envelope",
    });
    let own: Vec<(&str, Value, bool)> = match name {
        "start_interview" => vec![
            ("project_name", text("Name of the new project"), false),
            (
                "project_id",
                text("A project to continue in a further conversation, instead of a new one"),
                false,
            ),
        ],
        "list_available_ds" => vec![
            (
                "interviewer_type",
                text("Only those of one interviewer: process, data, resources or optimality"),
                false,
            ),
            ("completed_ds", texts("Ids that are left out"), false),
            (
                "project_context",
                json!({"type": "object", "description": "What is known of the project; not needed"}),
                false,
            ),
        ],
        "get_next_ds" => {
            vec![("tool_id", text("The tool that the conversation is about, if it is about one"), false)]
        }
        "start_ds_pursuit" => vec![
            ("ds_id", text("Id of the Discovery Schema"), true),
            (
                "budget",
                json!({"type": "number", "exclusiveMinimum": 0, "maximum": 10, "default": 1.0}),
                false,
            ),
            ("tool_id", text("The tool it is about, for a Discovery Schema about tools"), false),
        ],
        "get_next_question" => vec![
            ("full", flag("Whether to repeat the whole template"), false),
            (
                "deliver",
                json!({"enum": ["agent", "person"], "default": "agent", "description": "Who gets the question. With \"person\", the client shows it to its user as a form, if it can; the reply then has the answer and what was read from it"}),
                false,
            ),
        ],
        "process_ds_answer" => vec![
            ("question_id", text("Id of the question"), true),
            ("answer", answer, true),
            ("retract", texts("JSON pointers into the aggregate whose values the person takes back"), false),
        ],
        "finalize_ds" => vec![
            ("final_notes", text("Notes that are kept with the result"), false),
            ("force", flag("Whether to abandon the pursuit if it is not complete"), false),
        ],
        "get_conversation_history" => {
            vec![(
                "include_minizinc",
                flag("Whether to include the MiniZinc model and its results, if there are any"),
                false,
            )]
        }
        "get_aggregated_scr" => vec![("ds_filter", texts("Only these Discovery Schemas"), false)],
        "interviewer_interprets_response" => {
            vec![("answer", answer, true), ("question_asked", text("The question that was asked"), true)]
        }
        "create_surrogate_expert" => vec![
            ("product", text("What the expert's company makes, for example craft beer"), true),
            ("expertise_level", json!({"enum": LEVELS, "default": "expert"}), false),
            ("company_size", json!({"enum": SIZES, "default": "medium"}), false),
        ],
        "run_surrogate_interview" => vec![
            ("surrogate_id", text("Id from create_surrogate_expert"), true),
            (
                "ds_sequence",
                texts("Discovery Schemas in order; left out, the recommendations are followed"),
                false,
            ),
            (
                "max_questions",
                json!({"type": "integer", "minimum": 1, "maximum": 10_000, "description": "Questions over the whole run"}),
                false,
            ),
        ],
        _ => Vec::new(),
    };
    for (name, schema, is_required) in own {
        properties.insert(name.to_owned(), schema);
        if is_required {
            required.push(name);
        }
    }
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}
