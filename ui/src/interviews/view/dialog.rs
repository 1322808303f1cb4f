//! The dialogs about interviews, and the frame they share.

use std::sync::Arc;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use super::delete::DeleteDialog;
use super::interview::Place;
use super::start::StartDialog;
use super::write::{AbandonDialog, NoteDialog};
use crate::app::App;
use crate::browser;
use crate::cells::{click, effect};
use crate::parts::{Acting, Foreign, Icon};

/// What a dialog about interviews is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InterviewAsking {
    /// Starting an interview.
    Start,
    /// Abandoning the pursuit of a Discovery Schema.
    Abandon(Place, String),
    /// Leaving a note for the agent.
    Note(Place),
    /// Deleting a project: its id and its name.
    Delete(String, String),
}

/// The dialog.
#[component]
pub fn InterviewDialog(
    /// What it is for.
    asking: InterviewAsking,
) -> impl IntoView {
    match asking {
        InterviewAsking::Start => view! { <StartDialog /> }.into_any(),
        InterviewAsking::Abandon(place, ds_id) => {
            view! { <AbandonDialog place=place ds_id=ds_id /> }.into_any()
        }
        InterviewAsking::Note(place) => view! { <NoteDialog place=place /> }.into_any(),
        InterviewAsking::Delete(project_id, name) => {
            view! { <DeleteDialog project_id=project_id name=name /> }.into_any()
        }
    }
}

/// A dialog that stays open until its action succeeded.
#[component]
pub fn ActingDialog(
    /// Title.
    title: String,
    /// Label of the button.
    act: &'static str,
    /// The element that gets the focus.
    focus: &'static str,
    acting: Acting,
    /// Whether the action is not possible yet.
    disabled: Box<dyn Fn() -> bool + Send + Sync>,
    /// The action.
    submit: Box<dyn Fn() + Send + Sync>,
    /// What the action needs.
    children: Children,
) -> impl IntoView {
    let app = App::get();
    let Acting { busy, problem, .. } = acting;
    effect(move || browser::focus(focus));
    let (disabled, submit) = (Arc::new(disabled), Arc::new(submit));
    let keydown = {
        let (disabled, submit) = (Arc::clone(&disabled), Arc::clone(&submit));
        move |event: KeyboardEvent| {
            if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) && !untrack(|| disabled()) {
                event.prevent_default();
                submit();
            }
        }
    };
    view! {
        <div class="inside decide" on:keydown=keydown>
            <div class="head">
                <h2>{title}</h2>
                <button class="button bare" aria-label="Close" on:click=click(move |_| app.close_dialog())><Icon name="x" /></button>
            </div>
            {children()}
            {move || problem.get().map(|text| view! { <p class="bad" role="alert"><Foreign text=text limit=600 /></p> }.into_any())}
            <div class="buttons">
                <button class="button" id="cancel" on:click=click(move |_| app.close_dialog())>"Cancel"</button>
                <button class="button primary" id="decide" prop:disabled=move || busy.get() || disabled() on:click=click(move |_| submit())>{act}" "<kbd>"Ctrl ↵"</kbd></button>
            </div>
        </div>
    }
}
