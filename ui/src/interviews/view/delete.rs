//! The dialog that deletes a project.

use leptos::prelude::*;
use schemascope_api::{DecideInterview, InterviewDecision, PageId};

use super::dialog::ActingDialog;
use crate::app::App;
use crate::door;
use crate::parts::{Acting, saved_person};
use crate::route::Route;

/// Longest wait in milliseconds for answers to earlier questions.
const SETTLE_LIMIT_MS: i32 = 1_000;

#[component]
pub fn DeleteDialog(
    /// Id of the project.
    project_id: String,
    /// Its name.
    name: String,
) -> impl IntoView {
    let app = App::get();
    let acting = Acting::new();
    let shown = super::words::name(&name);
    let title = format!("Delete {shown}");
    let submit = move || {
        if !acting.begin() {
            return;
        }
        let done = format!("{shown} deleted");
        let command = DecideInterview {
            project_id: project_id.clone(),
            conversation_id: String::new(),
            ds_id: None,
            decision: InterviewDecision::Delete {},
            person: saved_person(),
        };
        // The page leaves the conversation first, and what it has asked is answered before: the engine knows nothing
        // of a deleted project.
        let left = app.route.get_untracked();
        app.replace(PageId::Interviews);
        leptos::task::spawn_local(async move {
            door::settle(SETTLE_LIMIT_MS).await;
            match door::call(&command).await {
                Ok(_) => {
                    acting.close();
                    app.notify_decided(done, Vec::new());
                }
                Err(error) => {
                    if app.route.with_untracked(|route| *route == Route::from(PageId::Interviews)) {
                        app.replace(left);
                    }
                    acting.fail(error.to_string());
                }
            }
        });
    };
    view! {
        <ActingDialog title act="Delete" focus="#cancel" acting=acting disabled=Box::new(|| false) submit=Box::new(submit)>
            <p>"Removes all conversations of the project with their questions, answers and aggregates. This cannot be undone. Export the project first to keep a copy."</p>
        </ActingDialog>
    }
}
