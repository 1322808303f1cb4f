//! Interviews by Discovery Schemas: files, questions, answers, what the answers add up to, and what to ask next.
//!
//! A *project* has *conversations*. A conversation *pursues* Discovery Schemas: annotated examples of what to find out
//! ([`Library`]). The answer to a question gives a schema-conforming response (SCR): what that answer says, in the form of
//! the Discovery Schema. The fold of the SCRs is the aggregate (ASCR, [`Merged`]).
//!
//! The state ([`Interviews`]) is the fold of [`Event`]s. Each tool is a pure step ([`call`]): it takes the state and its
//! arguments, and gives a reply and the events to apply. Words of the client's model come in as an [`Aid`], from replies
//! to [`Prompt`]s.
//!
//! The crate is pure: it uses no runtime, store, clock, file, network or randomness. Time and ids are arguments
//! ([`Stamp`]).

mod answer;
pub mod budget;
mod completeness;
mod condition;
mod duplicates;
mod error;
mod event;
mod example;
mod export;
mod field;
mod flow_shop;
mod form;
mod history;
mod input;
mod library;
mod limits;
mod merge;
mod model;
mod names;
mod order;
mod plain_text;
mod pointer;
mod prompts;
mod proposal;
mod pursuit;
mod question;
mod reading;
mod record;
mod schema;
mod shape;
mod slots;
mod state;
mod steps;
mod surrogate;
mod table;
mod tool_fields;
mod tools;

pub use completeness::{COMPLETE, Progress, progress};
pub use condition::Condition;
pub use error::{ErrorKind, StepError};
pub use event::{Event, What};
pub use export::{export, import};
pub use flow_shop::flow_shop_model;
pub use form::form_answer;
pub use history::{get_aggregated_scr, get_conversation_history};
pub use library::{Entry, Library, Origin, SourceFile, UnusableFile};
pub use limits::{
    MAX_ANSWER_BYTES, MAX_DEPTH, MAX_FIELDS, MAX_FILE_BYTES, MAX_FILES, MAX_KEY_BYTES, MAX_PURSUIT_BYTES,
    MAX_TEXT_BYTES, digest,
};
pub use merge::{Change, Conflict, Merged, fold};
pub use model::{Prompt, Reading, Wording};
pub use order::{Alternative, DOMAINS, Recommendation, recommend};
pub use prompts::{PROMPTS_VERSION, get_prompt, prompt_definitions};
pub use proposal::{Decision, Proposal};
pub use pursuit::{Answered, AskedQuestion, Pursuit, RunEnd, RunRecord};
pub use reading::AnswerInput;
pub use record::{Answer, NextAction, PursuitState, Question, QuestionType, Run};
pub use schema::{DiscoverySchema, FileProblem, INTERVIEWER_TYPES, read_schema};
pub use state::{Conversation, Interviews, Note, Project, SurrogateRecord};
pub use steps::{
    AnswerStep, Context, Place, QuestionStep, Stamp, StartStep, Step, Validate, abandon, decide_descriptions,
    delete, finalize_ds, follow, formulate_question, get_ds_status, get_next_ds, get_next_question,
    get_open_question, interpret_response, leave_note, list_available_ds, process_ds_answer,
    propose_descriptions, retract, settle, start_ds_pursuit, start_interview, store_minizinc, switch_auto,
};
pub use surrogate::{
    LEVELS, MAX_QUESTIONS, Outcome, SIZES, Scripts, SurrogateRun, create_surrogate_expert, play_prompt,
    report_surrogate_interview, run_surrogate_interview,
};
pub use tool_fields::{MAX_TOOL_FIELDS, ToolField, descriptions};
pub use tools::{
    Aid, AskFirst, TOOL_NAMES, ask_first, call, definition, definitions, place_arguments, question_form,
    surrogate_arguments,
};
