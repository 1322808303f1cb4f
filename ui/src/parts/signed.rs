//! A dialog that asks for a reason and a name, and stays open until its action succeeded.
//!
//! A decision needs a reason; leaving it out is a second, explicit act.

use std::sync::Arc;

use leptos::prelude::*;

use super::{Acting, Icon, ToolName};
use crate::app::App;
use crate::browser;
use crate::cells::{RwSignal, click, effect};

/// Longest reason the engine accepts, in bytes.
const MAX_REASON: &str = "1000";
/// Key under which the name is saved for the next time.
const PERSON_KEY: &str = "person";

/// Reason and name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The reason; none if left empty.
    pub reason: Option<String>,
    /// Whether the reason was left out on purpose.
    pub no_reason: bool,
    /// The name; none if left empty.
    pub person: Option<String>,
}

/// State of the dialog.
#[derive(Clone, Copy)]
pub struct Signing {
    reason: RwSignal<String>,
    /// The user chose to give no reason.
    no_reason: RwSignal<bool>,
    person: RwSignal<String>,
    acting: Acting,
}

/// The name under which the user decided before, if one was given.
pub fn saved_person() -> Option<String> {
    browser::saved(PERSON_KEY).filter(|person| !person.trim().is_empty())
}

impl Signing {
    /// An empty dialog with the saved name.
    pub fn new() -> Self {
        let person = RwSignal::new(browser::saved(PERSON_KEY).unwrap_or_default());
        Self { reason: RwSignal::default(), no_reason: RwSignal::new(false), person, acting: Acting::new() }
    }

    /// Starts the action; returns reason and name, or none if it runs already.
    pub fn begin(self) -> Option<Signature> {
        if !self.acting.begin() {
            return None;
        }
        let given = |text: RwSignal<String>| {
            Some(text.get_untracked().trim().to_owned()).filter(|text| !text.is_empty())
        };
        let person = given(self.person);
        browser::save(PERSON_KEY, person.as_deref());
        let no_reason = self.no_reason.get_untracked();
        let reason = given(self.reason).filter(|_| !no_reason);
        Some(Signature { reason, no_reason, person })
    }

    /// Whether a reason is given, or left out on purpose.
    fn is_signed(self) -> bool {
        self.no_reason.get() || self.reason.with(|reason| !reason.trim().is_empty())
    }

    /// Reports that the action failed; see [`Acting::fail`].
    pub fn fail(self, why: String) {
        self.acting.fail(why);
    }

    /// Closes the dialog; see [`Acting::close`].
    pub fn close(self) {
        self.acting.close();
    }
}

/// The dialog about a tool.
#[component]
pub fn SignedDialog(
    /// Title.
    title: String,
    /// The tool it is about; empty for several.
    #[prop(optional)]
    tool_id: String,
    /// Whether the reason may be left empty.
    #[prop(optional)]
    optional: bool,
    /// The element that gets the focus.
    #[prop(default = "#reason")]
    focus: &'static str,
    /// Label of the button.
    act: String,
    signing: Signing,
    /// Whether the action is not possible yet.
    disabled: Box<dyn Fn() -> bool + Send + Sync>,
    /// The action.
    submit: Box<dyn Fn() + Send + Sync>,
    /// What the action does.
    children: Children,
) -> impl IntoView {
    let app = App::get();
    let Signing { reason, no_reason, person, acting: Acting { busy, problem, .. } } = signing;
    let user = app.live.about().and_then(|about| about.user.clone());
    effect(move || browser::focus(focus));
    let disabled = Arc::new(move || disabled() || !(optional || signing.is_signed()));
    let submit = Arc::new(submit);
    let keydown = {
        let (disabled, submit) = (Arc::clone(&disabled), Arc::clone(&submit));
        move |event: leptos::ev::KeyboardEvent| {
            if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) && !untrack(|| disabled()) {
                event.prevent_default();
                submit();
            }
        }
    };
    view! {
        <div class="inside decide">
            <div class="head">
                <h2>{title} {(!tool_id.is_empty()).then(|| view! { <span class="dim">" · "<ToolName id=tool_id /></span> }.into_any())}</h2>
                <button class="button bare" aria-label="Close" on:click=click(move |_| app.close_dialog())><Icon name="x" /></button>
            </div>
            {children()}
            <div class="ask" on:keydown=keydown>
                <label>"Reason"
                    <textarea id="reason" rows="2" maxlength=MAX_REASON placeholder=if optional { "optional; shown in the history" } else { "why; shown in the history" } prop:disabled=move || no_reason.get()
                        on:input:target=move |event| reason.set(event.target().value())></textarea>
                </label>
                <label>"Name"
                    <input type="text" maxlength="60" autocomplete="name" placeholder=user.unwrap_or_default() prop:value=person.get_untracked()
                        on:input:target=move |event| person.set(event.target().value()) />
                </label>
                {(!optional).then(|| view! {
                    <label class="check">
                        <input type="checkbox" id="no-reason" prop:checked=move || no_reason.get()
                            on:input:target=move |event| no_reason.set(event.target().checked()) />
                        <span>"Decide without a reason"</span>
                    </label>
                }.into_any())}
            </div>
            {move || problem.get().map(|text| view! { <p class="bad" role="alert">{crate::text::visible(&text, 600)}</p> }.into_any())}
            <div class="buttons">
                <button class="button" on:click=click(move |_| app.close_dialog())>"Cancel"</button>
                <button class="button primary" id="decide" prop:disabled=move || busy.get() || disabled() on:click=click(move |_| submit())>{act}" "<kbd>"Ctrl ↵"</kbd></button>
            </div>
        </div>
    }
}
