//! State of the open conversation, which its parts share.

use std::collections::BTreeSet;
use std::sync::Arc;

use leptos::prelude::on_cleanup;
use schemascope_api::CallInterview;
use serde_json::{Map, Value};

use super::known::{Line, UPDATE_INTERVAL_MS, calls};
use crate::app::App;
use crate::cells::{Memo, RwSignal, StoredValue};
use crate::door;
use crate::interviews::found::Found;
use crate::interviews::question::Question;
use crate::live::Connection;
use crate::parts::saved_person;
use crate::throttle::throttled;

/// A conversation, as commands name it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// Id of the project.
    pub project_id: String,
    /// Id of the conversation.
    pub conversation_id: String,
}

/// The outcome of an action in words: what was done, and what else has to be said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome(pub Vec<String>);

impl Outcome {
    /// One sentence.
    pub fn of(text: impl Into<String>) -> Self {
        Self(vec![text.into()])
    }

    /// Adds a sentence, unless it is empty.
    pub fn add(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !text.trim().is_empty() {
            self.0.push(text);
        }
    }
}

/// What the user has filled in.
#[derive(Clone, Copy)]
pub struct Draft {
    /// Words.
    pub words: RwSignal<String>,
    /// Choices.
    pub chosen: RwSignal<BTreeSet<String>>,
    /// Rows of a table.
    pub rows: RwSignal<Vec<Vec<String>>>,
    /// Whether anything was filled in.
    pub is_touched: RwSignal<bool>,
}

/// The open conversation.
#[derive(Clone, Copy)]
pub struct Interview {
    pub app: App,
    /// Its project and its id.
    pub place: StoredValue<Place>,
    /// Its line in the list.
    pub line: Memo<Option<Line>>,
    /// What it has found out, as the engine last sent it.
    pub found: RwSignal<Option<Result<Arc<Found>, String>>>,
    /// The question that is shown.
    pub asked: RwSignal<Option<Question>>,
    pub draft: Draft,
    /// Whether an action runs.
    pub busy: RwSignal<bool>,
    /// What the last action did.
    pub outcome: RwSignal<Option<Outcome>>,
    /// Why the last action failed.
    pub problem: RwSignal<Option<String>>,
}

impl Interview {
    /// Loads what a conversation has found out, again when agents or people went on with it.
    pub fn follow(place: Place, line: Memo<Option<Line>>) -> Self {
        let app = App::get();
        let draft = Draft {
            words: RwSignal::default(),
            chosen: RwSignal::default(),
            rows: RwSignal::default(),
            is_touched: RwSignal::default(),
        };
        let interview = Self {
            app,
            place: StoredValue::new(place),
            line,
            found: RwSignal::new(None),
            asked: RwSignal::new(None),
            draft,
            busy: RwSignal::new(false),
            outcome: RwSignal::new(None),
            problem: RwSignal::new(None),
        };
        on_cleanup(move || interview.keep_unsent());
        let calls = calls(app);
        // Not with every snapshot: reading through the tools causes one.
        let is_wanted = move || {
            calls.with(|_| ());
            line.with(|_| ());
            app.decided.track();
            app.live.connection.get() == Connection::Live
        };
        throttled(UPDATE_INTERVAL_MS, is_wanted, move || interview.load());
        interview
    }

    /// Loads what the conversation has found out.
    pub async fn load(self) {
        let found = self.read().await;
        let is_known = self.found.try_with_untracked(|known| matches!(known, Some(Ok(_)))).unwrap_or(false);
        match found {
            // What is known stays while the engine does not respond.
            Err(_) if is_known => {}
            Ok(found) => {
                let is_same = |known: &Option<Result<Arc<Found>, String>>| matches!(known, Some(Ok(known)) if **known == found);
                if self.found.try_with_untracked(is_same) == Some(false) {
                    self.found.set(Some(Ok(Arc::new(found))));
                }
            }
            Err(error) => self.found.set(Some(Err(error))),
        }
    }

    async fn read(self) -> Result<Found, String> {
        let wanted = Map::from_iter([("include_minizinc".to_owned(), true.into())]);
        let history = self.call("get_conversation_history", wanted).await?;
        let aggregates = self.call("get_aggregated_scr", Map::new()).await?;
        Ok(Found::read(&history, &aggregates))
    }

    /// Calls a tool about this conversation.
    pub async fn call(self, tool: &'static str, more: Map<String, Value>) -> Result<Value, String> {
        let Some(place) = self.place.try_with_value(Clone::clone) else {
            return Err("the conversation was closed".to_owned());
        };
        call(tool, &place, more).await
    }
}

/// Calls a tool about a conversation, as the person who uses this page.
pub async fn call(tool: &str, place: &Place, more: Map<String, Value>) -> Result<Value, String> {
    let mut arguments = members(&[
        ("project_id", place.project_id.as_str()),
        ("conversation_id", place.conversation_id.as_str()),
    ]);
    arguments.extend(more);
    let command = CallInterview { tool: tool.to_owned(), arguments, person: saved_person() };
    door::call(&command).await.map_err(|error| error.to_string())
}

/// Arguments that are texts.
pub fn members(pairs: &[(&str, &str)]) -> Map<String, Value> {
    let mut members = Map::new();
    for (key, value) in pairs {
        members.insert((*key).to_owned(), Value::from(*value));
    }
    members
}
