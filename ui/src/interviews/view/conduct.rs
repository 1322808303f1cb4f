//! Actions on the open conversation: ask, answer, pursue and finish.

use std::collections::BTreeSet;
use std::future::Future;

use schemascope_api::{DecideInterview, GetOpenQuestion, InterviewDecision};
use serde_json::{Map, Value};

use super::interview::{Interview, Outcome, members};
use super::words::name;
use crate::interviews::found::{text, texts};
use crate::interviews::question::Question;
use crate::numbers::share;
use crate::parts::saved_person;
use crate::{browser, door};

impl Interview {
    /// Runs an action, then shows its outcome and what the conversation has found out since.
    pub fn perform(self, action: impl Future<Output = Result<Outcome, String>> + 'static) {
        if self.busy.get_untracked() {
            return;
        }
        self.busy.set(true);
        self.outcome.set(None);
        self.problem.set(None);
        leptos::task::spawn_local(async move {
            let done = action.await;
            self.load().await;
            match done {
                Ok(outcome) => self.outcome.set(Some(outcome)),
                Err(problem) => self.problem.set(Some(problem)),
            }
            self.busy.set(false);
            self.app.decided.update(|decided| *decided += 1);
        });
    }

    /// Answers a question. When everything is filled, finishes the pursuit and starts the next one.
    pub async fn answer(self, ds_id: String, question_id: String, answer: String) -> Result<Outcome, String> {
        let arguments = members(&[
            ("ds_id", ds_id.as_str()),
            ("question_id", question_id.as_str()),
            ("answer", answer.as_str()),
        ]);
        let reply = self.call("process_ds_answer", arguments).await?;
        self.draft.is_touched.set(false);
        let mut outcome = Outcome::default();
        let is_unclear = text(&reply, "next_action") == "needs_clarification";
        outcome.add(match is_unclear {
            true => "The answer could not be read. The next question asks in other words.",
            false => "Answer stored.",
        });
        let completeness = reply.get("completeness").and_then(Value::as_f64).unwrap_or_default();
        outcome.add(format!("{} complete.", share(completeness)));
        outcome.add(text(&reply, "commit_notes"));
        texts(&reply, "ambiguities").into_iter().for_each(|ambiguity| outcome.add(ambiguity));
        let stored = |error: String| format!("The answer is stored, but the next step failed: {error}");
        if text(&reply, "next_action") == "complete" {
            self.finish(&ds_id, &mut outcome).await.map_err(stored)?;
        } else if completeness >= 1.0 {
            // It is finished, and what is recommended next began by itself.
            self.ask_on().await.map_err(stored)?;
        } else if text(&reply, "state") == "working" {
            self.ask(&ds_id).await.map_err(stored)?;
        }
        Ok(outcome)
    }

    /// Finishes a pursuit, and starts the one that is recommended next.
    pub async fn finish(self, ds_id: &str, outcome: &mut Outcome) -> Result<(), String> {
        let reply = self.call("finalize_ds", members(&[("ds_id", ds_id)])).await?;
        if reply.get("success") != Some(&Value::Bool(true)) {
            outcome.add(format!("{} cannot be finished.", name(ds_id)));
            let results = reply.get("validation_results").cloned().unwrap_or_default();
            let missing = texts(&results, "missing");
            if !missing.is_empty() {
                outcome.add(format!("Missing: {}.", missing.join(", ")));
            }
            texts(&results, "problems").into_iter().for_each(|problem| outcome.add(problem));
            return Ok(());
        }
        outcome.add(format!("{} is complete.", name(ds_id)));
        let next = self.call("get_next_ds", Map::new()).await?;
        let rationale = text(&next, "rationale");
        match next.get("ds_id").and_then(Value::as_str) {
            Some(next_id) => {
                self.pursue(next_id).await?;
                outcome.add(format!("Next: {}. {rationale}", name(next_id)));
            }
            None => outcome.add(rationale),
        }
        Ok(())
    }

    /// Starts a pursuit, and asks its first question.
    pub async fn pursue(self, ds_id: &str) -> Result<(), String> {
        self.call("start_ds_pursuit", members(&[("ds_id", ds_id)])).await?;
        self.ask(ds_id).await
    }

    /// Asks the next question of a pursuit.
    pub async fn ask(self, ds_id: &str) -> Result<(), String> {
        self.ask_with(members(&[("ds_id", ds_id)])).await
    }

    /// Asks the next question of what is pursued now.
    async fn ask_on(self) -> Result<(), String> {
        self.ask_with(Map::new()).await
    }

    /// Asks a question, and moves the focus to its answer.
    async fn ask_with(self, arguments: Map<String, Value>) -> Result<(), String> {
        let reply = self.call("get_next_question", arguments).await?;
        self.show(Some(Question::read(&reply)));
        browser::sleep(0).await;
        browser::focus("#answer");
        Ok(())
    }

    /// Shows the open question. An agent may have answered it meanwhile.
    pub async fn show_open_question(self) -> Result<(), String> {
        let Some(place) = self.place.try_with_value(Clone::clone) else { return Ok(()) };
        let command =
            GetOpenQuestion { project_id: place.project_id, conversation_id: place.conversation_id };
        let open = door::call(&command).await.map_err(|error| error.to_string())?;
        self.show(open.as_ref().map(Question::read));
        Ok(())
    }

    /// Shows a question with an empty form. The one that is shown already keeps what was filled in.
    pub fn show(self, question: Option<Question>) {
        let id = |question: &Option<Question>| question.as_ref().map(|question| question.question_id.clone());
        // The page may have been left.
        let Some(shown) = self.asked.try_with_untracked(id) else { return };
        if shown == id(&question) {
            return;
        }
        let unsent =
            id(&question).and_then(|id| self.app.unsent.update_value(|unsent| unsent.remove(&id))).flatten();
        self.draft.is_touched.set(unsent.is_some());
        let (words, chosen, rows) = unsent.unwrap_or_else(|| {
            let rows = question.as_ref().map(Question::first_rows).unwrap_or_default();
            (String::new(), BTreeSet::new(), rows)
        });
        self.draft.words.set(words);
        self.draft.chosen.set(chosen);
        self.draft.rows.set(rows);
        self.asked.set(question);
    }

    /// Keeps an answer that was not sent, for when the conversation is opened again.
    pub fn keep_unsent(self) {
        let question =
            self.asked.try_with_untracked(|asked| asked.as_ref().map(|asked| asked.question_id.clone()));
        let is_touched = self.draft.is_touched.try_with_untracked(Clone::clone) == Some(true);
        if let Some(id) = question.flatten().filter(|_| is_touched)
            && let Some(words) = self.draft.words.try_with_untracked(Clone::clone)
            && let Some(chosen) = self.draft.chosen.try_with_untracked(Clone::clone)
            && let Some(rows) = self.draft.rows.try_with_untracked(Clone::clone)
        {
            self.app.unsent.update_value(|unsent| unsent.insert(id, (words, chosen, rows)));
        }
    }

    /// Takes a decision about this conversation.
    pub async fn decide(
        self,
        ds_id: Option<String>,
        decision: InterviewDecision,
        done: &'static str,
    ) -> Result<Outcome, String> {
        let Some(place) = self.place.try_with_value(Clone::clone) else {
            return Err("the conversation was closed".to_owned());
        };
        let command = DecideInterview {
            project_id: place.project_id,
            conversation_id: place.conversation_id,
            ds_id,
            decision,
            person: saved_person(),
        };
        door::call(&command).await.map_err(|error| error.to_string())?;
        Ok(Outcome::of(done))
    }
}
