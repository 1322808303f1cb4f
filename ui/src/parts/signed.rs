//! A dialog that is signed: why and who are asked before something is done, and it stays until that is done.
//!
//! Owns: reason, name, waiting and what went wrong. Refuses to know: what is done.

use std::sync::Arc;

use leptos::prelude::*;

use super::{Icon, ToolName};
use crate::app::App;
use crate::browser;
use crate::cells::{RwSignal, click, effect};

/// Longest reason the engine takes, in bytes.
const REASON: &str = "1000";
/// Under which the name is kept for the next time.
const PERSON: &str = "person";

/// Who signs, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// Why; none if nothing was written.
    pub reason: Option<String>,
    /// Who.
    pub person: Option<String>,
}

/// The state of such a dialog.
#[derive(Clone, Copy)]
pub struct Signing {
    reason: RwSignal<String>,
    person: RwSignal<String>,
    busy: RwSignal<bool>,
    problem: RwSignal<Option<String>>,
}

impl Signing {
    /// Nothing is written but the name of the last time.
    pub fn new() -> Self {
        let person = RwSignal::new(browser::kept(PERSON).unwrap_or_default());
        Self { reason: RwSignal::default(), person, busy: RwSignal::new(false), problem: RwSignal::new(None) }
    }

    /// What was written, unless something is under way; from now on something is.
    pub fn sign(self) -> Option<Signature> {
        if self.busy.get_untracked() {
            return None;
        }
        self.busy.set(true);
        self.problem.set(None);
        let given = |text: RwSignal<String>| {
            Some(text.get_untracked().trim().to_owned()).filter(|text| !text.is_empty())
        };
        let person = given(self.person);
        browser::keep(PERSON, person.as_deref());
        Some(Signature { reason: given(self.reason), person })
    }

    /// It did not go well; it may be tried again.
    pub fn fail(self, why: String) {
        self.busy.set(false);
        self.problem.set(Some(why));
    }
}

/// The dialog about a tool.
#[component]
pub fn SignedDialog(
    /// What is to be done.
    title: String,
    /// With which tool.
    tool_id: String,
    /// The button that does it.
    act: String,
    signing: Signing,
    /// Whether it cannot be done yet.
    waits: Box<dyn Fn() -> bool + Send + Sync>,
    /// Does it.
    take: Box<dyn Fn() + Send + Sync>,
    /// What it means.
    children: Children,
) -> impl IntoView {
    let app = App::get();
    let Signing { reason, person, busy, problem } = signing;
    effect(move || browser::focus("#reason"));
    let waits = Arc::new(waits);
    let take = Arc::new(take);
    let keydown = {
        let (waits, take) = (Arc::clone(&waits), Arc::clone(&take));
        move |event: leptos::ev::KeyboardEvent| {
            if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) && !untrack(|| waits()) {
                event.prevent_default();
                take();
            }
        }
    };
    view! {
        <div class="inside decide">
            <div class="head">
                <h2>{title} <span class="dim">" · "<ToolName id=tool_id /></span></h2>
                <button class="button bare" aria-label="Close" on:click=click(move |_| app.close_dialog())><Icon name="x" /></button>
            </div>
            {children()}
            <div class="ask" on:keydown=keydown>
                <label>"Why"
                    <textarea id="reason" rows="2" maxlength=REASON placeholder="kept in the history, for whoever asks later"
                        on:input:target=move |event| reason.set(event.target().value())></textarea>
                </label>
                <label>"Who"
                    <input type="text" maxlength="60" autocomplete="name" placeholder="your name" prop:value=person.get_untracked()
                        on:input:target=move |event| person.set(event.target().value()) />
                </label>
            </div>
            {move || problem.get().map(|text| view! { <p class="bad" role="alert">{crate::text::visible(&text, 600)}</p> }.into_any())}
            <div class="buttons">
                <button class="button" on:click=click(move |_| app.close_dialog())>"Cancel"</button>
                <button class="button primary" id="decide" prop:disabled=move || busy.get() || waits() on:click=click(move |_| take())>{act}" "<kbd>"Ctrl ↵"</kbd></button>
            </div>
        </div>
    }
}
