//! Experts that stand in for a person: scripted ones, which answer questions the same way every time, and those that the
//! client's model plays.
//!
//! A script is a JSON file: `product`, `aliases`, `problem_type`, `domain_knowledge`, `persona` (a text for each level), `answers` (by
//! Discovery Schema and key), `vague` and `off_topic` (texts), `contradictions` (by Discovery Schema: `path` and `value`).
//! The script for the product `{product}` serves all products without a script; its text is used with `{product}` replaced.

mod facts;
mod played;
mod replies;
mod report;
mod run;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::error::StepError;
use crate::event::What;
use crate::library::UnusableFile;
use crate::limits::{MAX_FILE_BYTES, shortened};
use crate::schema::json_reason;
use crate::steps::{Context, Step};

pub use played::play_prompt;
pub use report::{Outcome, report_surrogate_interview};
pub use run::{MAX_QUESTIONS, SurrogateRun, run_surrogate_interview};

/// Levels of expertise.
pub const LEVELS: [&str; 3] = ["basic", "intermediate", "expert"];
/// Sizes of companies.
pub const SIZES: [&str; 3] = ["small", "medium", "large"];
/// Product of the script for products without one, and what stands for the product in it.
const ANY_PRODUCT: &str = "{product}";
/// Longest name of a product, in characters.
const MAX_PRODUCT_CHARS: usize = 200;

/// A script of an expert.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub(crate) struct Script {
    pub(crate) product: String,
    #[serde(default)]
    pub(crate) aliases: Vec<String>,
    #[serde(default)]
    pub(crate) problem_type: Option<String>,
    #[serde(default)]
    pub(crate) domain_knowledge: Value,
    #[serde(default)]
    pub(crate) persona: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) answers: BTreeMap<String, Map<String, Value>>,
    #[serde(default)]
    pub(crate) vague: Vec<String>,
    #[serde(default)]
    pub(crate) off_topic: Vec<String>,
    #[serde(default)]
    pub(crate) contradictions: BTreeMap<String, Contradiction>,
}

/// A value that an expert first states wrongly.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Contradiction {
    /// Place in the aggregate.
    pub(crate) path: String,
    /// The wrong value.
    pub(crate) value: Value,
}

/// All scripts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scripts {
    scripts: Vec<Script>,
    /// Text of the script for products without one.
    any: Option<String>,
    unusable: Vec<UnusableFile>,
}

impl Scripts {
    /// Reads scripts: pairs of path and text. A script that cannot be used is listed and hides no other.
    pub fn read(files: &[(String, String)]) -> Self {
        let mut scripts = Self::default();
        for (path, text) in files {
            if text.len() > MAX_FILE_BYTES {
                let reason = format!("the file has more than {MAX_FILE_BYTES} bytes");
                scripts.unusable.push(UnusableFile { path: path.clone(), line: 1, reason });
                continue;
            }
            match serde_json::from_str::<Script>(text) {
                Ok(script) if script.product == ANY_PRODUCT => scripts.any = Some(text.clone()),
                Ok(script) => scripts.scripts.push(script),
                Err(error) => {
                    let (line, reason) = (error.line().max(1), json_reason(&error));
                    scripts.unusable.push(UnusableFile { path: path.clone(), line, reason });
                }
            }
        }
        scripts
    }

    /// Lists the files that are not used.
    pub fn unusable(&self) -> &[UnusableFile] {
        &self.unusable
    }

    /// Returns the script for a product: its own, or the one for all others.
    pub(crate) fn script(&self, product: &str) -> Script {
        let wanted = product.trim().to_lowercase();
        let is_named = |name: &String| {
            let known = name.to_lowercase();
            known == wanted || (!known.is_empty() && wanted.contains(&known))
        };
        let own = self
            .scripts
            .iter()
            .find(|script| is_named(&script.product) || script.aliases.iter().any(is_named));
        if let Some(own) = own {
            return own.clone();
        }
        let written = Value::from(product.trim()).to_string();
        let inner = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_default();
        let general = self.any.as_ref().map(|text| text.replace(ANY_PRODUCT, inner));
        let mut script: Script =
            general.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        script.product = product.trim().to_owned();
        script
    }
}

/// Creates a scripted expert.
pub fn create_surrogate_expert(
    context: &Context<'_>,
    product: &str,
    expertise_level: &str,
    company_size: &str,
) -> Result<Step, StepError> {
    let product = shortened(product.trim(), MAX_PRODUCT_CHARS);
    if product.is_empty() {
        return Err(StepError::argument("the argument \"product\" is empty; name what the company makes"));
    }
    one_of("expertise_level", expertise_level, &LEVELS)?;
    one_of("company_size", company_size, &SIZES)?;
    let script = context.scripts.script(&product);
    let surrogate_id = context.new_id("surrogate");
    let reply = json!({
        "surrogate_id": surrogate_id,
        "system_prompt": system_prompt(&script, expertise_level, company_size),
        "domain_knowledge": domain_knowledge(&script),
    });
    let event = context.event(What::SurrogateCreated {
        surrogate_id,
        product,
        expertise_level: expertise_level.to_owned(),
        company_size: company_size.to_owned(),
    });
    Ok(Step { reply, events: vec![event] })
}

fn one_of(name: &str, value: &str, known: &[&str]) -> Result<(), StepError> {
    if known.contains(&value) {
        return Ok(());
    }
    let found = crate::limits::quoted(value);
    Err(StepError::argument(format!(
        "the argument {name:?} has to be one of {}, not {found}",
        known.join(", ")
    )))
}

fn domain_knowledge(script: &Script) -> Value {
    let mut knowledge = match &script.domain_knowledge {
        Value::Object(members) => members.clone(),
        Value::Null => Map::new(),
        other => Map::from_iter([("facts".to_owned(), other.clone())]),
    };
    if let Some(problem_type) = &script.problem_type {
        knowledge.entry("problem_type").or_insert_with(|| Value::from(problem_type.as_str()));
    }
    Value::Object(knowledge)
}

/// Returns what a model has to know to play the expert.
fn system_prompt(script: &Script, level: &str, size: &str) -> String {
    let persona = script.persona.get(level).map(String::as_str).unwrap_or(match level {
        "expert" => "You know every step, every duration and every exception of your work, and you answer exactly.",
        "intermediate" => "You know your work well, but you first have to think about figures and exceptions.",
        _ => "You know your own part of the work. You often answer vaguely, drift to other topics, and correct yourself.",
    });
    let facts =
        script.answers.get("process/warm-up-with-challenges").map(|answers| Value::Object(answers.clone()));
    let facts = facts.map_or_else(String::new, |facts| {
        format!("\n\nWhat you said in earlier talks: {}", shortened(&facts.to_string(), 4_000))
    });
    format!(
        "You manage the planning of a {size} company that makes {}. {persona}\n\nAnswer the questions of an interviewer in \
         one to four sentences, in the words of your trade. You do not know terms of scheduling theory. Answer only what \
         is asked. Stay consistent with what you said before.{facts}",
        script.product
    )
}
