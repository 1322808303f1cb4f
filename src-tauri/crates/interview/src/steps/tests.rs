//! Tests of the steps, through the tools.

mod questions;
mod whole;

use serde_json::{Value, json};

use super::{Context, Stamp};
use crate::error::StepError;
use crate::event::Event;
use crate::library::{Library, Origin, SourceFile};
use crate::state::Interviews;
use crate::surrogate::Scripts;
use crate::tools::{Aid, call};

const FIRST: &str = r#"{"message-type": "DS-INSTRUCTIONS", "budget-decrement": 0.07, "when": {"all": []},
  "interview-objective": "Warm up.", "DS": {"DS-id": "process/first",
    "product": {"val": "bread", "comment": "What do you make?"},
    "kind": {"val": "FLOW", "comment": "Which kind? One of: FLOW, JOB."},
    "scheduling-challenges": {"val": ["late orders"], "comment": "What makes planning hard?"}}}"#;

const SECOND: &str = r#"{"message-type": "DS-INSTRUCTIONS", "budget-decrement": 0.1, "prerequisites": ["process/first"],
  "when": {"ds": "process/first", "path": "/kind", "equals": "FLOW"}, "required": ["/steps/*/duration"],
  "DS": {"DS-id": "process/second",
    "steps": {"val": [{"step-id": "mix", "duration": {"units": "h", "value-string": "1"}, "parts": ["x"]}],
      "comment": "Which steps are there?"},
    "exhausted?": {"val": true, "comment": "Is this all?"}}}"#;

const OTHER: &str = r#"{"DS": {"DS-id": "data/other", "a": "x"}}"#;

const SCRIPT: &str = r#"{"product": "{product}", "vague": ["It depends."], "off_topic": ["Nice weather."],
  "answers": {
    "process/first": {"product": "{product}", "kind": "FLOW", "scheduling-challenges": ["late orders", "few ovens"]},
    "process/second": {"steps": [{"step-id": "mix", "duration": {"units": "h", "value-string": "1"}},
      {"step-id": "bake", "duration": {"units": "h", "value-string": "2"}, "parts": ["oven"]}]}},
  "contradictions": {"process/first": {"path": "/product", "value": "cake"}}}"#;

/// A state that tools are called on.
struct World {
    interviews: Interviews,
    library: Library,
    scripts: Scripts,
    count: u64,
    project: String,
    conversation: String,
}

fn library(texts: &[&str]) -> Library {
    let file = |(at, text): (usize, &&str)| SourceFile {
        path: format!("{at}.json"),
        text: (*text).to_owned(),
        origin: Origin::Own,
    };
    let files: Vec<SourceFile> = texts.iter().enumerate().map(file).collect();
    let library = Library::read(&files);
    assert!(library.unusable().is_empty(), "{:?}", library.unusable());
    library
}

impl World {
    /// A world with an interview that has begun.
    fn new(texts: &[&str]) -> Self {
        let mut world = Self {
            interviews: Interviews::default(),
            library: library(texts),
            scripts: Scripts::read(&[("any.json".to_owned(), SCRIPT.to_owned())]),
            count: 0,
            project: String::new(),
            conversation: String::new(),
        };
        let begun = world.call("start_interview", json!({"project_name": "Bakery"})).unwrap();
        world.project = begun["project_id"].as_str().unwrap().to_owned();
        world.conversation = begun["conversation_id"].as_str().unwrap().to_owned();
        world
    }

    /// Does something with the state as it is.
    fn with_context<T>(&mut self, work: impl FnOnce(&Context<'_>) -> T) -> T {
        self.count += 1;
        let stamp = Stamp { now: self.count, actor: "tester".to_owned(), id: self.count.to_string() };
        let validate = |_: &Value, _: &Value| Vec::new();
        let context = Context {
            interviews: &self.interviews,
            library: &self.library,
            scripts: &self.scripts,
            stamp: &stamp,
            validate: &validate,
        };
        work(&context)
    }

    fn call(&mut self, name: &str, arguments: Value) -> Result<Value, StepError> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let step = self.with_context(|context| call(context, name, arguments, &Aid::default()))?;
        for event in &step.events {
            let stored = serde_json::to_string(event).unwrap();
            let read: Event = serde_json::from_str(&stored).unwrap();
            assert_eq!(read, *event);
            self.interviews.apply(&read);
        }
        Ok(step.reply)
    }

    /// Calls a tool of the conversation.
    fn tool(&mut self, name: &str, mut arguments: Value) -> Result<Value, StepError> {
        arguments["project_id"] = json!(self.project);
        arguments["conversation_id"] = json!(self.conversation);
        self.call(name, arguments)
    }

    fn start(&mut self, ds_id: &str) -> Value {
        self.tool("start_ds_pursuit", json!({"ds_id": ds_id})).unwrap()
    }

    fn ask(&mut self) -> Result<Value, StepError> {
        self.tool("get_next_question", json!({}))
    }

    fn answer(&mut self, question: &Value, answer: impl Into<Value>) -> Result<Value, StepError> {
        let answer: Value = answer.into();
        self.tool("process_ds_answer", json!({"question_id": question["question_id"], "answer": answer}))
    }

    /// Fills the first Discovery Schema.
    fn fill_first(&mut self) {
        self.start("process/first");
        for answer in ["bread", "1", "late orders"] {
            let question = self.ask().unwrap();
            self.answer(&question, answer).unwrap();
        }
        assert_eq!(self.tool("finalize_ds", json!({})).unwrap()["success"], true);
    }
}
