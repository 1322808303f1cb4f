//! The open question, or what can be pursued next.

use leptos::prelude::*;

use super::conversation::part;
use super::form::Form;
use super::interview::Interview;
use super::next::Next;
use crate::cells::{Memo, click, effect};
use crate::interviews::found::Found;
use crate::interviews::question::Question;

#[component]
pub fn OpenQuestion(
    /// The conversation.
    interview: Interview,
) -> impl IntoView {
    let open = part(interview, Found::open_question);
    follow(interview, open);
    let asked = Memo::new(move || interview.asked.with(id));
    // Someone else answered the question, or ended its pursuit, while the user is answering it.
    let is_outdated = Memo::new(move || {
        let open = open.get();
        !interview.busy.get()
            && interview.draft.is_touched.get()
            && asked.with(|asked| asked.is_some() && *asked != open)
    });
    let discard = move |_| interview.show(None);
    view! {
        <section class="open-question" aria-labelledby="open-question-title">
            <h3 id="open-question-title">{move || if asked.with(Option::is_some) { "Open question" } else { "Next" }}</h3>
            {move || is_outdated.get().then(|| view! {
                <p class="warn" role="status">
                    "This question is no longer open: it was answered by someone else, or its pursuit has ended. Your answer is not stored. "
                    <button class="button small" on:click=click(discard)>"Discard it and continue"</button>
                </p>
            }.into_any())}
            {move || match asked.get() {
                // The form stays while the rest of the conversation changes.
                Some(_) => interview.asked.get_untracked().map(|question| view! {
                    <Form interview=interview question=question />
                }.into_any()),
                None => Some(view! { <Next interview=interview /> }.into_any()),
            }}
        </section>
    }
}

fn id(question: &Option<Question>) -> Option<String> {
    question.as_ref().map(|question| question.question_id.clone())
}

/// Shows the question that is open, unless the user has begun to answer another one.
fn follow(interview: Interview, open: Memo<Option<String>>) {
    effect(move || {
        let is_kept = interview.draft.is_touched.get();
        let open = open.get();
        if interview.busy.get() || interview.found.with(Option::is_none) {
            return;
        }
        let shown = interview.asked.with(id);
        match open {
            Some(_) if shown == open => {}
            _ if is_kept && shown.is_some() => {}
            None => {
                if shown.is_some() {
                    interview.show(None);
                }
            }
            Some(_) => leptos::task::spawn_local(async move {
                if let Err(error) = interview.show_open_question().await {
                    interview.problem.set(Some(error));
                }
            }),
        }
    });
}
