//! Schemas of what the tools return.

use serde_json::{Map, Value, json};

fn text() -> Value {
    json!({"type": "string"})
}

fn text_or_null() -> Value {
    json!({"type": ["string", "null"]})
}

fn texts() -> Value {
    json!({"type": "array", "items": {"type": "string"}})
}

fn share() -> Value {
    json!({"type": "number", "minimum": 0, "maximum": 1})
}

fn amount() -> Value {
    json!({"type": "number", "minimum": 0})
}

fn count() -> Value {
    json!({"type": "integer", "minimum": 0})
}

fn any_object() -> Value {
    json!({"type": "object"})
}

fn flag() -> Value {
    json!({"type": "boolean"})
}

fn state() -> Value {
    json!({"enum": ["working", "complete", "exhausted", "abandoned"]})
}

fn question_type() -> Value {
    json!({"enum": ["text", "table", "choice"]})
}

fn list(items: &Value) -> Value {
    json!({"type": "array", "items": items})
}

/// An object that has all of these members, and may have others.
fn object(members: Vec<(&str, Value)>) -> Value {
    let required: Vec<String> = members.iter().map(|(name, _)| (*name).to_owned()).collect();
    let mut properties = Map::new();
    for (name, schema) in members {
        properties.insert(name.to_owned(), schema);
    }
    json!({"type": "object", "properties": properties, "required": required})
}

fn notes() -> Value {
    list(&object(vec![("text", text()), ("by", text()), ("at", count())]))
}

fn conflict() -> Value {
    object(vec![
        ("path", text()),
        ("earlier", json!({})),
        ("later", json!({})),
        ("question_ids", texts()),
        ("at", count()),
    ])
}

/// Returns the schema of a tool's result.
pub(super) fn schema(name: &str) -> Value {
    match name {
        "start_interview" => object(vec![("project_id", text()), ("conversation_id", text())]),
        "list_available_ds" => {
            let item = object(vec![
                ("id", text()),
                ("name", text()),
                ("objective", text()),
                ("prerequisites", texts()),
            ]);
            object(vec![("ds_list", list(&item))])
        }
        "get_next_ds" => {
            let other = object(vec![
                ("ds_id", text()),
                ("name", text()),
                ("interviewer_type", text()),
                ("rationale", text()),
            ]);
            object(vec![
                ("ds_id", text_or_null()),
                ("rationale", text()),
                ("interviewer_type", text_or_null()),
                ("priority", count()),
                ("alternatives", list(&other)),
            ])
        }
        "start_ds_pursuit" => object(vec![
            ("ds_instructions", any_object()),
            ("current_state", any_object()),
            ("budget", amount()),
            ("budget_cost", amount()),
            ("note", text_or_null()),
        ]),
        "get_next_question" => object(vec![
            ("ds_id", text()),
            ("question_id", text()),
            ("question", text()),
            ("question_type", question_type()),
            ("table_template", text_or_null()),
            ("choices", texts()),
            ("help_text", text()),
            ("rationale", text()),
            ("expected_info", texts()),
            ("budget_cost", amount()),
            ("budget_remaining", amount()),
            (
                "ds_template",
                json!({"type": ["object", "null"], "description": "The annotated example; null where ds_template_note says so"}),
            ),
            ("ds_template_note", text_or_null()),
            ("ds_changed", text_or_null()),
            ("current_ascr", any_object()),
            ("notes", notes()),
        ]),
        "process_ds_answer" => object(vec![
            ("scr", any_object()),
            ("updated_ascr", any_object()),
            ("commit_notes", text()),
            ("confidence", share()),
            ("ambiguities", texts()),
            ("completeness", share()),
            ("next_action", json!({"enum": ["continue", "complete", "needs_clarification"]})),
            ("state", state()),
            ("budget_remaining", amount()),
            ("notes", notes()),
        ]),
        "get_ds_status" => object(vec![
            ("ds_id", text()),
            ("state", state()),
            ("data_structure", any_object()),
            ("completed_fields", texts()),
            ("remaining_fields", texts()),
            ("completeness", share()),
            ("budget_used", amount()),
            ("budget_remaining", amount()),
            ("questions_asked", count()),
            ("conflicts", list(&conflict())),
            ("ds_changed", text_or_null()),
        ]),
        "finalize_ds" => object(vec![
            ("success", flag()),
            ("ds_id", text()),
            ("data_structure", any_object()),
            (
                "validation_results",
                object(vec![
                    ("complete", flag()),
                    ("valid", flag()),
                    ("missing", texts()),
                    ("problems", texts()),
                    ("unsettled_conflicts", count()),
                    ("advice", text_or_null()),
                ]),
            ),
            ("state", state()),
            ("status", any_object()),
        ]),
        "get_conversation_history" => {
            let question = object(vec![
                ("question_id", text()),
                ("question", text()),
                ("answer", text_or_null()),
                ("scr", json!({"type": ["object", "null"]})),
            ]);
            let activity = object(vec![
                ("pursuing_ds", text()),
                ("state", state()),
                ("questions_answers", list(&question)),
                ("open_question", text_or_null()),
                ("summary_ds", any_object()),
            ]);
            object(vec![
                ("scheduling_challenges", texts()),
                ("activities", list(&activity)),
                ("minizinc", text_or_null()),
                ("minizinc_results", text_or_null()),
            ])
        }
        "get_aggregated_scr" => object(vec![
            ("scr_by_ds", any_object()),
            ("merged_scr", any_object()),
            ("conflicts", list(&conflict())),
        ]),
        "interviewer_formulates_question" => object(vec![
            ("question", text()),
            ("question_type", question_type()),
            ("rationale", text()),
            ("expected_info", texts()),
            ("table_template", text_or_null()),
            ("choices", texts()),
        ]),
        "interviewer_interprets_response" => object(vec![
            ("scr", any_object()),
            ("confidence", share()),
            ("ambiguities", texts()),
            ("commit_notes", text()),
        ]),
        "create_surrogate_expert" => object(vec![
            ("surrogate_id", text()),
            ("system_prompt", text()),
            ("domain_knowledge", any_object()),
        ]),
        _ => {
            let line = object(vec![("ds_id", text()), ("question", text()), ("answer", text())]);
            object(vec![
                ("project_id", text()),
                ("conversation_id", text()),
                ("completed_ds", texts()),
                ("ascr", any_object()),
                ("transcript", list(&line)),
                ("success_metrics", any_object()),
            ])
        }
    }
}
