//! MCP prompts: how to conduct an interview with the tools. They inform and never prescribe.

use serde_json::{Value, json};

use crate::library::Library;
use crate::names::suggestion;
use crate::schema::INTERVIEWER_TYPES;

/// Version of the prompts. It changes with their words.
pub const PROMPTS_VERSION: &str = "1";
/// Name of the prompt for a whole interview.
const INTERVIEW: &str = "interview";

const INTERVIEW_TEXT: &str = "Interview the person you are talking with, and fill in Discovery Schemas from their answers. \
A Discovery Schema (DS) is an annotated example of what to find out. The tools keep the state, so you can stop at any time and go on later.

1. Call start_interview once. Keep project_id and conversation_id; every other tool takes both.
2. Call get_next_ds. It recommends a DS and lists alternatives. The recommendation is advice: start any DS whose \
prerequisites are met. If ds_id is null, nothing is left to recommend.
3. Call start_ds_pursuit with the ds_id. Read the objective and the rules it returns.
4. Call get_next_question, and put the question to the person in your own words. Offer the choices, or show the \
table_template, where there are any.
5. Call process_ds_answer with the question_id and the answer. Pass the person's own words, or a JSON object in the \
form of ds_template that contains only what the answer says. Put what the template has no field for under \"invented\". \
Never answer for the person.
6. Look at next_action. \"continue\": go on with step 4. \"needs_clarification\": explain what was unclear, then go on with \
step 4. \"complete\": go on with step 7. If get_next_question says that the budget is exhausted, go on with step 7, too.
7. Call finalize_ds. If success is false, validation_results says what is missing. Then go on with step 2.

Summarise what you understood now and then, and let the person correct it. To take something back, pass JSON pointers \
as retract with the next answer. When two answers contradict each other, ask which one is right. Tell the person when \
the interview is over, and show what get_aggregated_scr returns.";

/// Returns the definitions of all prompts, as in `prompts/list`.
pub fn prompt_definitions() -> Vec<Value> {
    let mut definitions = vec![json!({
        "name": INTERVIEW,
        "title": "Conduct an interview",
        "description": "How to interview a person with Discovery Schemas, from the first question to the last.",
        "arguments": [{"name": "topic", "description": "What the interview is about", "required": false}],
        "_meta": {"version": PROMPTS_VERSION},
    })];
    for interviewer in INTERVIEWER_TYPES {
        definitions.push(json!({
            "name": prompt_name(interviewer),
            "title": format!("Interview about {}", subject(interviewer)),
            "description": format!("How to ask about {}, with the Discovery Schemas for it.", subject(interviewer)),
            "arguments": [{"name": "topic", "description": "What the interview is about", "required": false}],
            "_meta": {"version": PROMPTS_VERSION},
        }));
    }
    definitions
}

/// Returns a prompt, as in `prompts/get`. Fails if there is none of that name.
pub fn get_prompt(library: &Library, name: &str, topic: Option<&str>) -> Result<Value, String> {
    let interviewer = INTERVIEWER_TYPES.iter().find(|interviewer| prompt_name(interviewer) == name);
    let (description, mut text) = match interviewer {
        Some(interviewer) => {
            (format!("Interview about {}", subject(interviewer)), typed(library, interviewer))
        }
        None if name == INTERVIEW => ("Conduct an interview".to_owned(), INTERVIEW_TEXT.to_owned()),
        None => {
            let names: Vec<String> =
                INTERVIEWER_TYPES.iter().map(|interviewer| prompt_name(interviewer)).collect();
            let known: Vec<&str> = names.iter().map(String::as_str).chain([INTERVIEW]).collect();
            let name_shown = crate::limits::quoted(name);
            return Err(format!(
                "there is no prompt {name_shown}{}; there are: {}",
                suggestion(name, &known),
                known.join(", ")
            ));
        }
    };
    if let Some(topic) = topic.map(str::trim).filter(|topic| !topic.is_empty()) {
        text.push_str(&format!("\n\nTopic of the interview: {}", crate::limits::shortened(topic, 500)));
    }
    Ok(json!({
        "description": description,
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
        "_meta": {"version": PROMPTS_VERSION},
    }))
}

fn prompt_name(interviewer: &str) -> String {
    format!("{interviewer}_interviewer")
}

fn subject(interviewer: &str) -> &'static str {
    match interviewer {
        "process" => "the work: products, challenges, steps and their order",
        "data" => "the records that people keep, and what their fields mean",
        "resources" => "people, machines, places and calendars",
        _ => "objectives, constraints and preferences",
    }
}

/// Advice for one type of interviewer.
fn advice(interviewer: &str) -> &'static str {
    match interviewer {
        "process" => {
            "Begin with what the person makes and what makes planning hard. Ask for the main steps first, then for each \
             step what it needs, what it gives and how long it takes. Accept ranges and rough figures. A table with one \
             row for each step saves questions."
        }
        "data" => {
            "Ask which records exist before you ask what is in them. Show a small table with invented rows and let the \
             person correct it; people find errors in examples faster than in definitions. For a field, ask for its \
             meaning, its unit and the meaning of its codes. Never record real personal data or secrets."
        }
        "resources" => {
            "Ask for kinds of resources and how many of each there are. Ask when they are available, what they cannot do, \
             and which of them is the bottleneck. Names of single people are not needed."
        }
        _ => {
            "Ask what a good plan looks like and what a bad one costs. Separate what must never happen from what should be \
             avoided. Ask for the order of importance, and for an example in which two aims contradict each other."
        }
    }
}

fn typed(library: &Library, interviewer: &str) -> String {
    let schemas =
        library.entries().map(|entry| &entry.schema).filter(|schema| schema.interviewer == interviewer);
    let lines: Vec<String> =
        schemas.take(100).map(|schema| format!("- {}: {}", schema.id, schema.name)).collect();
    let list = if lines.is_empty() { "- none yet".to_owned() } else { lines.join("\n") };
    format!(
        "Ask about {}.\n\n{}\n\nDiscovery Schemas for this:\n{list}\n\nHow to use the tools:\n\n{INTERVIEW_TEXT}",
        subject(interviewer),
        advice(interviewer)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_prompt_can_be_fetched() {
        let library = Library::default();
        for definition in prompt_definitions() {
            let name = definition.get("name").and_then(Value::as_str).unwrap();
            let prompt = get_prompt(&library, name, Some("a bakery")).unwrap();
            let text = prompt.pointer("/messages/0/content/text").and_then(Value::as_str).unwrap();
            assert!(
                text.contains("process_ds_answer") && text.ends_with("Topic of the interview: a bakery"),
                "{text}"
            );
        }
        assert!(get_prompt(&library, "interviews", None).unwrap_err().contains("did you mean \"interview\""));
    }
}
