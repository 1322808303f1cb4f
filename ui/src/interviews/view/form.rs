//! The form that answers a question.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use super::choosing::{choices, table};
use super::interview::Interview;
use super::words::budget;
use crate::cells::{Memo, StoredValue, click};
use crate::interviews::question::{AnswerForm, Question};
use crate::parts::{Foreign, Views, shown};

/// Longest answer, in characters. The engine accepts 256 KB.
const MAX_ANSWER: &str = "250000";

#[component]
pub fn Form(
    /// The conversation.
    interview: Interview,
    /// The question.
    question: Question,
) -> impl IntoView {
    let draft = interview.draft;
    let form = StoredValue::new(question.form.clone());
    let answer = Memo::new(move || {
        let (words, chosen, rows) = (draft.words.get(), draft.chosen.get(), draft.rows.get());
        // The rows of a template are no answer yet.
        let is_touched = draft.is_touched.get();
        form.with_value(|form| form.answer(&words, &chosen, &rows)).filter(|_| is_touched)
    });
    let ids = StoredValue::new((question.ds_id.clone(), question.question_id.clone()));
    let submit = move || {
        let Some(answer) = answer.get_untracked() else { return };
        let (ds_id, question_id) = ids.get_value();
        interview.perform(interview.answer(ds_id, question_id, answer));
    };
    let keydown = move |event: KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            submit();
        }
    };
    let cost = format!("costs {} of the budget, {} left", budget(question.cost), budget(question.remaining));
    view! {
        <div class="answer-form" on:keydown=keydown>
            {input(interview, &question)}
            <p class="dim" id="answer-help"><Foreign text=help(&question) limit=1_000 /></p>
            {about(&question)}
            <div class="buttons">
                <button class="button primary" id="answer-question"
                    prop:disabled=move || interview.busy.get() || answer.with(Option::is_none)
                    on:click=click(move |_| submit())>"Answer "<kbd>"Ctrl ↵"</kbd></button>
                <span class="faint"><span class="mono"><Foreign text=question.ds_id.clone() limit=80 /></span>{format!(" · {cost}")}</span>
            </div>
        </div>
    }
}

/// How to answer here. The question itself says how agents may answer.
fn help(question: &Question) -> String {
    match &question.form {
        AnswerForm::Choice(_, false) => "Choose one.".to_owned(),
        AnswerForm::Choice(_, true) => "Choose all that apply.".to_owned(),
        _ => question.help_text.clone(),
    }
}

/// The question with the field for its answer.
fn input(interview: Interview, question: &Question) -> AnyView {
    let draft = interview.draft;
    match &question.form {
        AnswerForm::Text => view! {
            <label>
                <span class="question-text">{shown(&question.text)}</span>
                <textarea id="answer" rows="4" maxlength=MAX_ANSWER aria-describedby="answer-help" prop:value=move || draft.words.get()
                    on:input:target=move |event| {
                        draft.words.set(event.target().value());
                        draft.is_touched.set(draft.words.with_untracked(|words| !words.is_empty()));
                    }></textarea>
            </label>
        }
        .into_any(),
        AnswerForm::Choice(all, takes_several) => choices(draft, &question.text, all, *takes_several),
        AnswerForm::Table(headings, _) => table(draft, &question.text, headings),
    }
}

/// Why the question is asked, and what was said with it.
fn about(question: &Question) -> AnyView {
    let changed = question.changed.clone();
    let note = |note: &String| {
        view! { <p class="dim">"Note for the agent: "<Foreign text=note.clone() limit=1_000 /></p> }
            .into_any()
    };
    view! {
        <p class="dim"><Foreign text=question.rationale.clone() limit=600 /></p>
        {changed.map(|text| view! { <p class="warn"><Foreign text=text limit=600 /></p> }.into_any())}
        {question.notes.iter().map(note).views()}
    }
    .into_any()
}
