//! Actions on the open conversation, in its header.

use leptos::prelude::*;
use schemascope_api::{ExportInterviews, InterviewDecision};

use super::dialog::InterviewAsking;
use super::interview::{Interview, Outcome};
use crate::app::Dialog;
use crate::cells::{Memo, click};
use crate::door;
use crate::saving;
use crate::text::file_stem;

#[component]
pub fn Actions(
    /// The conversation.
    interview: Interview,
) -> impl IntoView {
    let app = interview.app;
    let working = Memo::new(move || {
        interview.line.with(|line| line.as_ref()?.working().map(|pursuit| pursuit.ds_id.clone()))
    });
    let finish = move |_| {
        let Some(ds_id) = working.get_untracked() else { return };
        interview.perform(async move {
            let mut outcome = Outcome::default();
            interview.finish(&ds_id, &mut outcome).await?;
            Ok(outcome)
        });
    };
    let abandon = move |_| {
        let Some(ds_id) = working.get_untracked() else { return };
        let place = interview.place.get_value();
        app.dialog.set(Some(Dialog::Interview(InterviewAsking::Abandon(place, ds_id))));
    };
    let note = move |_| {
        let place = interview.place.get_value();
        app.dialog.set(Some(Dialog::Interview(InterviewAsking::Note(place))));
    };
    let delete = move |_| {
        let (project_id, name) = project(interview);
        app.dialog.set(Some(Dialog::Interview(InterviewAsking::Delete(project_id, name))));
    };
    let is_auto = Memo::new(move || interview.line.with(|line| line.as_ref().is_some_and(|line| line.auto)));
    let switch = move |_| {
        let on = !is_auto.get_untracked();
        let done = match on {
            true => "Whatever is recommended next starts by itself now, with agents as well.",
            false => "Nothing starts by itself any more.",
        };
        interview.perform(interview.decide(None, InterviewDecision::Auto { on }, done));
    };
    let is_blocked = move || interview.busy.get() || working.with(Option::is_none);
    view! {
        <span class="side conversation-actions">
            <button class="button small" aria-pressed=move || if is_auto.get() { "true" } else { "false" }
                title="What is complete ends, and what is recommended next starts" on:click=click(switch)>
                {move || if is_auto.get() { "Continue automatically: on" } else { "Continue automatically: off" }}
            </button>
            <button class="button small" prop:disabled=is_blocked on:click=click(finish)>"Finish"</button>
            <button class="button small" prop:disabled=is_blocked on:click=click(abandon)>"Abandon…"</button>
            <button class="button small" on:click=click(note)>"Leave a note for the agent…"</button>
            <button class="button small" on:click=click(move |_| export(interview))>"Export as JSON"</button>
            <button class="button small" on:click=click(delete)>"Delete project…"</button>
        </span>
    }
}

/// Id and name of the project.
fn project(interview: Interview) -> (String, String) {
    let id = interview.place.with_value(|place| place.project_id.clone());
    let name = interview.line.with_untracked(|line| line.as_ref().map(|line| line.project_name.clone()));
    (id, name.unwrap_or_default())
}

/// Saves the project as a file.
fn export(interview: Interview) {
    let (project_id, name) = project(interview);
    interview.perform(async move {
        let text = door::call(&ExportInterviews { project_ids: vec![project_id] }).await;
        let text = text.map_err(|error| error.to_string())?;
        let file = format!("interview-{}.json", file_stem(&name));
        let said = saving::saved(&file, &text).await?.unwrap_or("Nothing was saved".to_owned());
        Ok(Outcome::of(format!("{said}.")))
    });
}
