//! The tools of interviews: their definitions, and calling one by its name.

mod inputs;
mod replies;
mod words;

use serde_json::{Map, Value, json};

use crate::error::{ErrorKind, StepError};
use crate::form::requested_form;
use crate::history::{get_aggregated_scr, get_conversation_history};
use crate::input::Arguments;
use crate::limits::quoted;
use crate::model::{Prompt, Reading, Wording, parse_reading, parse_wording};
use crate::names::suggestion;
use crate::reading::AnswerInput;
use crate::schema::DiscoverySchema;
use crate::steps::{
    AnswerStep, Context, Place, QuestionStep, StartStep, Step, finalize_ds, formulate_question,
    get_ds_status, get_next_ds, get_next_question, interpret_response, interpretation_prompt,
    list_available_ds, process_ds_answer, question_prompt, reading_prompt, schema_of, start_ds_pursuit,
    start_interview,
};
use crate::surrogate::{MAX_QUESTIONS, SurrogateRun, create_surrogate_expert, run_surrogate_interview};
use crate::tool_fields::ToolField;

/// What the caller of a tool adds to its arguments.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Aid {
    /// Words of the next question, from the client's model.
    pub wording: Option<Wording>,
    /// What the client's model read from the answer.
    pub reading: Option<Reading>,
    /// What is known of the fields of the tool that a pursuit is about.
    pub tool_fields: Vec<ToolField>,
}

/// Names of the tools, in the order of their list.
pub const TOOL_NAMES: [&str; 14] = [
    "start_interview",
    "list_available_ds",
    "get_next_ds",
    "start_ds_pursuit",
    "get_next_question",
    "process_ds_answer",
    "get_ds_status",
    "finalize_ds",
    "get_conversation_history",
    "get_aggregated_scr",
    "interviewer_formulates_question",
    "interviewer_interprets_response",
    "create_surrogate_expert",
    "run_surrogate_interview",
];

/// Calls a tool. The client's model, where there is one, was asked before: see [`ask_first`].
pub fn call(
    context: &Context<'_>,
    name: &str,
    arguments: Map<String, Value>,
    aid: &Aid,
) -> Result<Step, StepError> {
    let mut given = Arguments::new(arguments);
    match name {
        "start_interview" => {
            let project_name = given.optional_text("project_name")?;
            let project_id = given.optional_text("project_id")?;
            given.end()?;
            start_interview(context, project_name.as_deref(), project_id.as_deref())
        }
        "list_available_ds" => {
            let interviewer_type = given.optional_text("interviewer_type")?;
            let completed = given.texts("completed_ds")?;
            given.value("project_context");
            given.end()?;
            list_available_ds(context, interviewer_type.as_deref(), &completed)
        }
        "get_next_ds" => {
            let place = conversation(&mut given)?;
            let tool_id = given.optional_text("tool_id")?;
            given.end()?;
            get_next_ds(context, &place, tool_id.as_deref())
        }
        "start_ds_pursuit" => {
            let mut place = conversation(&mut given)?;
            place.ds_id = Some(given.text("ds_id")?);
            let (budget, tool_id) = (given.number("budget")?, given.optional_text("tool_id")?);
            given.end()?;
            start_ds_pursuit(
                context,
                &StartStep { place, budget, tool_id, tool_fields: aid.tool_fields.clone() },
            )
        }
        "get_next_question" => {
            let place = pursuit(&mut given)?;
            let is_full = given.flag("full")?;
            deliver(&mut given)?;
            given.end()?;
            get_next_question(context, &QuestionStep { place, is_full, wording: aid.wording.clone() })
        }
        "process_ds_answer" => {
            let input = answer_input(&mut given, aid)?;
            given.end()?;
            process_ds_answer(context, &input)
        }
        "get_ds_status" => {
            let place = pursuit(&mut given)?;
            given.end()?;
            get_ds_status(context, &place)
        }
        "finalize_ds" => {
            let place = pursuit(&mut given)?;
            let notes = given.optional_text("final_notes")?.unwrap_or_default();
            let is_forced = given.flag("force")?;
            given.end()?;
            finalize_ds(context, &place, &notes, is_forced)
        }
        "get_conversation_history" => {
            let place = conversation(&mut given)?;
            let includes_minizinc = given.flag("include_minizinc")?;
            given.end()?;
            get_conversation_history(context, &place, includes_minizinc)
        }
        "get_aggregated_scr" => {
            let place = conversation(&mut given)?;
            let filter = given.texts("ds_filter")?;
            given.end()?;
            get_aggregated_scr(context, &place, &filter)
        }
        "interviewer_formulates_question" => {
            let place = pursuit(&mut given)?;
            given.end()?;
            formulate_question(context, &QuestionStep { place, is_full: false, wording: aid.wording.clone() })
        }
        "interviewer_interprets_response" => {
            let place = pursuit(&mut given)?;
            let answer = answer(given.value("answer"))?;
            let question = given.optional_text("question_asked")?.unwrap_or_default();
            given.end()?;
            interpret_response(context, &place, &answer, &question, aid.reading.as_ref())
        }
        "create_surrogate_expert" => {
            let product = given.text("product")?;
            let level = given.optional_text("expertise_level")?.unwrap_or_else(|| "expert".to_owned());
            let size = given.optional_text("company_size")?.unwrap_or_else(|| "medium".to_owned());
            given.end()?;
            create_surrogate_expert(context, &product, &level, &size)
        }
        "run_surrogate_interview" => run_surrogate_interview(context, &surrogate_run(given)?),
        other => {
            let message = format!("there is no tool {}{}", quoted(other), suggestion(other, &TOOL_NAMES));
            Err(StepError::new(ErrorKind::Unknown, message))
        }
    }
}

/// What the client's model is asked before a tool is called: the prompt, and how its reply is read. `None` if the tool
/// needs no model.
pub fn ask_first(
    context: &Context<'_>,
    name: &str,
    arguments: &Map<String, Value>,
) -> Result<Option<AskFirst>, StepError> {
    let given = || Arguments::new(arguments.clone());
    let mut about = None;
    let (prompt, reads) = match name {
        "get_next_question" | "interviewer_formulates_question" => {
            let asked = question_prompt(context, &pursuit(&mut given())?)?;
            (
                asked.map(|(prompt, place)| {
                    about = Some(place);
                    prompt
                }),
                None,
            )
        }
        "process_ds_answer" => {
            let input = answer_input(&mut given(), &Aid::default())?;
            let mut pursuits = context.conversation(&input.place)?.pursuits.iter();
            let about = pursuits.find(|pursuit| pursuit.question(&input.question_id).is_some());
            (reading_prompt(context, &input)?, about.map(schema_of).transpose()?.cloned())
        }
        "interviewer_interprets_response" => {
            let mut given = given();
            let (place, answer) = (pursuit(&mut given)?, answer(given.value("answer"))?);
            let question = given.optional_text("question_asked")?.unwrap_or_default();
            let schema = schema_of(context.pursuit(&place)?)?.clone();
            (interpretation_prompt(context, &place, &answer, &question)?, Some(schema))
        }
        _ => return Ok(None),
    };
    Ok(prompt.map(|prompt| AskFirst { prompt, reads, about }))
}

/// What the client's model is asked before a tool is called.
#[derive(Debug, Clone)]
pub struct AskFirst {
    /// The prompt.
    pub prompt: Prompt,
    /// The Discovery Schema that a reply about an answer is read by.
    reads: Option<DiscoverySchema>,
    /// The place that a question is about.
    about: Option<String>,
}

impl AskFirst {
    /// Reads a reply. On failure, says what is wrong, for one further try.
    pub fn read(&self, reply: &str) -> Result<Aid, String> {
        match &self.reads {
            Some(schema) => Ok(Aid { reading: Some(parse_reading(schema, reply)?), ..Aid::default() }),
            None => {
                let wording = Wording { about: self.about.clone(), ..parse_wording(reply)? };
                Ok(Aid { wording: Some(wording), ..Aid::default() })
            }
        }
    }
}

/// The form of an open question, for the client's user: the question's id and words, and the schema of the form.
pub fn question_form(
    context: &Context<'_>,
    place: &Place,
) -> Result<Option<(String, String, Value)>, StepError> {
    let pursuit = context.pursuit(place)?;
    let schema = schema_of(pursuit)?;
    let open = pursuit.open_question();
    Ok(open.map(|asked| {
        let question = &asked.question;
        (question.question_id.clone(), question.text.clone(), requested_form(schema, question))
    }))
}

/// Reads the pursuit that arguments name, for callers that ask the client's model first.
pub fn place_arguments(arguments: Map<String, Value>) -> Result<Place, StepError> {
    pursuit(&mut Arguments::new(arguments))
}

fn answer_input(given: &mut Arguments, aid: &Aid) -> Result<AnswerStep, StepError> {
    Ok(AnswerStep {
        place: pursuit(given)?,
        question_id: given.text("question_id")?,
        answer: answer(given.value("answer"))?,
        retract: given.texts("retract")?,
        reading: aid.reading.clone(),
    })
}

/// Reads the arguments of `run_surrogate_interview`, for callers that have a model play the expert.
pub fn surrogate_arguments(arguments: Map<String, Value>) -> Result<SurrogateRun, StepError> {
    surrogate_run(Arguments::new(arguments))
}

fn surrogate_run(mut given: Arguments) -> Result<SurrogateRun, StepError> {
    let surrogate_id = given.text("surrogate_id")?;
    let ds_sequence = given.texts("ds_sequence")?;
    let most = MAX_QUESTIONS as f64;
    let max_questions = match given.number("max_questions")? {
        None => most,
        Some(number) if number >= 1.0 && number <= most && number.fract() == 0.0 => number,
        Some(number) => {
            let message = format!(
                "the argument \"max_questions\" has to be a whole number from 1 to {most}, not {number}"
            );
            return Err(StepError::argument(message));
        }
    };
    given.end()?;
    Ok(SurrogateRun { surrogate_id, ds_sequence, max_questions: max_questions as usize })
}

/// Takes the arguments that name a conversation.
fn conversation(given: &mut Arguments) -> Result<Place, StepError> {
    let project_id = given.text("project_id")?;
    Ok(Place { project_id, conversation_id: given.text("conversation_id")?, ds_id: None })
}

/// Takes the arguments that name a pursuit.
fn pursuit(given: &mut Arguments) -> Result<Place, StepError> {
    let place = conversation(given)?;
    Ok(Place { ds_id: given.optional_text("ds_id")?, ..place })
}

/// Checks the argument that says who gets the question. The caller delivers it.
fn deliver(given: &mut Arguments) -> Result<(), StepError> {
    match given.optional_text("deliver")?.as_deref() {
        None | Some("agent" | "person") => Ok(()),
        Some(other) => {
            let message =
                format!("the argument \"deliver\" has to be \"agent\" or \"person\", not {}", quoted(other));
            Err(StepError::argument(message))
        }
    }
}

/// Takes an answer: text, or an object. Other JSON values are taken as text.
fn answer(value: Option<Value>) -> Result<AnswerInput, StepError> {
    match value {
        None => {
            Err(StepError::argument("the argument \"answer\" is missing; it has to be text or an object"))
        }
        Some(Value::String(text)) => Ok(AnswerInput::Text(text)),
        Some(Value::Object(members)) => Ok(AnswerInput::Object(members)),
        Some(other) => Ok(AnswerInput::Text(other.to_string())),
    }
}

/// Returns the definition of a tool, as in `tools/list`.
pub fn definition(name: &str) -> Option<Value> {
    let name = TOOL_NAMES.iter().find(|known| **known == name)?;
    let spec = words::spec(name);
    Some(json!({
        "name": name,
        "title": spec.title,
        "description": spec.description,
        "inputSchema": inputs::schema(name),
        "outputSchema": replies::schema(name),
        "annotations": {
            "title": spec.title,
            "readOnlyHint": spec.is_read_only,
            "destructiveHint": false,
            "idempotentHint": spec.is_idempotent,
            "openWorldHint": false,
        },
    }))
}

/// Returns the definitions of all tools.
pub fn definitions() -> Vec<Value> {
    TOOL_NAMES.iter().filter_map(|name| definition(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_whole_and_closed() {
        let definitions = definitions();
        assert_eq!(definitions.len(), TOOL_NAMES.len());
        for definition in definitions {
            let at = |path: &str| definition.pointer(path).cloned().unwrap_or_default();
            assert_eq!(at("/inputSchema/additionalProperties"), json!(false), "{definition}");
            assert_eq!(at("/outputSchema/type"), json!("object"), "{definition}");
            assert!(at("/description").as_str().unwrap().len() > 80, "{definition}");
            assert!(at("/annotations/readOnlyHint").is_boolean(), "{definition}");
        }
        assert_eq!(definition("no_such_tool"), None);
    }
}
