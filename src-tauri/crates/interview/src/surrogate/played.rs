//! Experts that the client's model plays: what it is asked for an answer.

use serde_json::Value;

use super::system_prompt;
use crate::error::StepError;
use crate::limits::shortened;
use crate::model::Prompt;
use crate::steps::Context;

/// Earlier questions and answers in a prompt, and the characters of each.
const HISTORY: usize = 20;
const LINE_CHARS: usize = 600;
/// Characters of the question.
const QUESTION_CHARS: usize = 8_000;
/// Tokens that an answer may have.
const ANSWER_TOKENS: u32 = 2_000;

/// Returns the prompt for the answer of an expert to a question, as `get_next_question` returns it. `transcript` has the
/// earlier questions and answers.
pub fn play_prompt(
    context: &Context<'_>,
    surrogate_id: &str,
    question: &Value,
    transcript: &[Value],
) -> Result<Prompt, StepError> {
    let record = context.surrogate(surrogate_id)?;
    let script = context.scripts.script(&record.product);
    let text =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut user = String::new();
    for line in transcript.iter().skip(transcript.len().saturating_sub(HISTORY)) {
        let (asked, said) = (text(line, "question"), text(line, "answer"));
        user += &format!(
            "Interviewer: {}\nYou: {}\n",
            shortened(&asked, LINE_CHARS),
            shortened(&said, LINE_CHARS)
        );
    }
    user += &format!("Interviewer: {}", shortened(&text(question, "question"), QUESTION_CHARS));
    let choices: Vec<&str> = texts(question, "choices");
    if !choices.is_empty() {
        user += &format!("\nAnswer with one of: {}", shortened(&choices.join(", "), QUESTION_CHARS));
    }
    let table = text(question, "table_template");
    if !table.is_empty() {
        user += &format!("\nAnswer with this table, filled in:\n{}", shortened(&table, QUESTION_CHARS));
    }
    let system = system_prompt(&script, &record.expertise_level, &record.company_size);
    Ok(Prompt { system, user, max_tokens: ANSWER_TOKENS })
}

fn texts<'v>(value: &'v Value, key: &str) -> Vec<&'v str> {
    value.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}
