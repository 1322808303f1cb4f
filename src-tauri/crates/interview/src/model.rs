//! The client's own model: prompts for wording a question and reading an answer, and what it gives back.
//!
//! A reply is only ever data: it is checked as an answer is, and anything else in it is dropped. Where a reply cannot be
//! used, the problem goes into one further prompt ([`Prompt::again`]); after that, the step runs without a model.

mod prompt;
mod reply;

use serde_json::Value;

use crate::pointer;
use crate::record::{Question, QuestionType};
use crate::schema::DiscoverySchema;

pub(crate) use prompt::{ANSWER_CHARS, about_answer, about_question};
pub use reply::{parse_reading, parse_wording};

/// A prompt for the client's model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// What the model has to do and the form of its reply.
    pub system: String,
    /// The facts.
    pub user: String,
    /// Tokens that the reply may have.
    pub max_tokens: u32,
}

impl Prompt {
    /// Returns the prompt with the problem of the first reply.
    pub fn again(&self, problem: &str) -> Self {
        let problem = crate::limits::shortened(problem, 1_000);
        let user = format!(
            "{}\n\nYour previous reply could not be used: {problem}\nReply again, with the JSON object only.",
            self.user
        );
        Self { system: self.system.clone(), user, max_tokens: self.max_tokens }
    }
}

/// Words of a question, from the client's model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wording {
    /// The question.
    pub question: String,
    /// Form in which it is put.
    pub question_type: QuestionType,
    /// Why it is asked now.
    pub rationale: String,
    /// Keys that the answer may fill.
    pub expected_info: Vec<String>,
    /// Table to fill in.
    pub table_template: Option<String>,
    /// Values to choose from.
    pub choices: Vec<String>,
    /// The place that was open when the model was asked; none if it does not matter.
    pub about: Option<String>,
}

impl Wording {
    /// Returns our own question in the model's words. It asks for another field if the model chose one.
    pub(crate) fn apply(&self, own: Question, schema: &DiscoverySchema) -> Question {
        let keys = schema.top_keys();
        let named: Vec<String> = self
            .expected_info
            .iter()
            .filter_map(|info| pointer::top_key(info).or_else(|| Some(info.clone())))
            .filter(|info| keys.contains(&info.as_str()))
            .collect();
        let own_key = pointer::top_key(&own.place).unwrap_or_default();
        let is_moved = !named.is_empty() && !named.contains(&own_key);
        let place = match named.first() {
            Some(key) if is_moved => pointer::join("", key),
            _ => own.place.clone(),
        };
        let template = self.table_template.clone().or(own.table_template.filter(|_| !is_moved));
        let choices = if self.choices.is_empty() && !is_moved { own.choices } else { self.choices.clone() };
        Question {
            question_id: own.question_id,
            text: self.question.clone(),
            question_type: self.question_type,
            table_template: template.filter(|_| self.question_type == QuestionType::Table),
            choices: if self.question_type == QuestionType::Choice { choices } else { Vec::new() },
            help_text: own.help_text,
            rationale: self.rationale.clone(),
            expected_info: if named.is_empty() { own.expected_info } else { named },
            place,
            items: if is_moved { Vec::new() } else { own.items },
            is_review: own.is_review && !is_moved,
            cost: own.cost,
        }
    }
}

/// What the client's model read from an answer. It fits the Discovery Schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// What the answer says, in the form of the Discovery Schema.
    pub scr: Value,
    /// JSON pointers that it retracts.
    pub retract: Vec<String>,
    /// How sure the model is, from 0 to 1.
    pub confidence: f64,
    /// What remains unclear.
    pub ambiguities: Vec<String>,
    /// What was read, in a sentence.
    pub commit_notes: String,
}

#[cfg(test)]
mod tests;
