//! The dialogs that abandon a pursuit and that leave a note for the agent.

use leptos::prelude::*;
use schemascope_api::{DecideInterview, InterviewDecision};

use super::dialog::ActingDialog;
use super::interview::Place;
use super::words::name;
use crate::app::App;
use crate::cells::RwSignal;
use crate::door;
use crate::parts::{Acting, saved_person};

/// Longest note, in characters.
const MAX_NOTE: &str = "4000";

#[component]
pub fn AbandonDialog(
    /// The conversation.
    place: Place,
    /// Id of the Discovery Schema.
    ds_id: String,
) -> impl IntoView {
    let app = App::get();
    let acting = Acting::new();
    let note = RwSignal::new(String::new());
    let title = format!("Abandon {}", name(&ds_id));
    let submit = move || {
        let decision = InterviewDecision::Abandon { notes: note.get_untracked().trim().to_owned() };
        let done = format!("{} abandoned", name(&ds_id));
        send(app, acting, command(&place, Some(ds_id.clone()), decision), done);
    };
    view! {
        <ActingDialog title act="Abandon" focus="#interview-note" acting=acting disabled=Box::new(|| false) submit=Box::new(submit)>
            <p class="dim">"Ends the pursuit although it is not complete. Its answers stay, and it can be started again."</p>
            {field("Note (optional)", note)}
        </ActingDialog>
    }
}

#[component]
pub fn NoteDialog(
    /// The conversation.
    place: Place,
) -> impl IntoView {
    let app = App::get();
    let acting = Acting::new();
    let note = RwSignal::new(String::new());
    let is_empty = move || note.with(|note| note.trim().is_empty());
    let submit = move || {
        let decision = InterviewDecision::Note { text: note.get_untracked().trim().to_owned() };
        send(app, acting, command(&place, None, decision), "Note left for the agent".to_owned());
    };
    view! {
        <ActingDialog title="Leave a note for the agent".to_owned() act="Leave note" focus="#interview-note" acting=acting disabled=Box::new(is_empty) submit=Box::new(submit)>
            <p class="dim">"The agent receives the note once, with its next question or answer."</p>
            {field("Note", note)}
        </ActingDialog>
    }
}

fn command(place: &Place, ds_id: Option<String>, decision: InterviewDecision) -> DecideInterview {
    DecideInterview {
        project_id: place.project_id.clone(),
        conversation_id: place.conversation_id.clone(),
        ds_id,
        decision,
        person: saved_person(),
    }
}

/// Sends a decision, and closes the dialog once it succeeded.
fn send(app: App, acting: Acting, command: DecideInterview, done: String) {
    if !acting.begin() {
        return;
    }
    leptos::task::spawn_local(async move {
        match door::call(&command).await {
            Ok(_) => {
                acting.close();
                app.notify_decided(done, Vec::new());
            }
            Err(error) => acting.fail(error.to_string()),
        }
    });
}

fn field(label: &'static str, note: RwSignal<String>) -> AnyView {
    view! {
        <p>
            <label>{label}
                <textarea id="interview-note" rows="4" maxlength=MAX_NOTE prop:value=move || note.get()
                    on:input:target=move |event| note.set(event.target().value())></textarea>
            </label>
        </p>
    }
    .into_any()
}
