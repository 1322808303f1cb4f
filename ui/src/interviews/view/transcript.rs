//! The transcript: questions and answers of each Discovery Schema.

use leptos::prelude::*;
use serde_json::Value;

use super::conversation::part;
use super::interview::Interview;
use super::words::state;
use crate::browser;
use crate::cells::Memo;
use crate::interviews::found::{Activity, Exchange};
use crate::parts::{Foreign, KeyedRow, Revisions, keyed, shown};
use crate::text::head;

/// Most bytes of an answer that are shown.
const MAX_ANSWER: usize = 8_000;

#[component]
pub fn Transcript(
    /// The conversation.
    interview: Interview,
) -> impl IntoView {
    let ids = ds_ids(interview);
    let none = Memo::new(move || ids.with(Vec::is_empty));
    view! {
        <section class="transcript" aria-labelledby="transcript-title">
            <h3 id="transcript-title">"Transcript"</h3>
            {move || none.get().then(|| view! { <p class="dim">"No question has been asked yet."</p> }.into_any())}
            {keyed(move || {
                let ids = ids.get().into_iter().enumerate();
                ids.map(|(at, ds_id)| KeyedRow::new(ds_id.clone(), move || activity(interview, at, ds_id))).collect()
            })}
        </section>
    }
}

/// Ids of the Discovery Schemas that were pursued, in order.
pub fn ds_ids(interview: Interview) -> Memo<Vec<String>> {
    part(interview, |found| found.activities.iter().map(|activity| activity.ds_id.clone()).collect())
}

/// The pursuit of a Discovery Schema by its position.
pub fn activity_at(interview: Interview, at: usize) -> Memo<Activity> {
    part(interview, move |found| found.activities.get(at).cloned().unwrap_or_default())
}

/// Id of the element of an answer, by the positions of its Discovery Schema and question, both from 0.
pub fn answer_id(activity: usize, question: usize) -> String {
    format!("answer-{activity}-{question}")
}

fn activity(interview: Interview, at: usize, ds_id: String) -> AnyView {
    let known = activity_at(interview, at);
    let word = Memo::new(move || known.with(|known| state(&known.state)));
    let revisions = Revisions::new();
    let exchanges = move || {
        let exchanges = known.with(|known| known.exchanges.clone());
        let rows = exchanges.into_iter().enumerate();
        let rows = rows.map(|(number, exchange)| (exchange.question_id.clone(), (number, exchange)));
        revisions.rows(rows, move |_, (number, exchange)| draw(at, number, &exchange))
    };
    view! {
        <h4 class="mono"><Foreign text=ds_id limit=120 />" "{move || {
            let (word, class) = word.get();
            view! { <span class=format!("tag {class}")>{word}</span> }.into_any()
        }}</h4>
        <ol class="exchanges">{keyed(exchanges)}</ol>
    }
    .into_any()
}

fn draw(at: usize, number: usize, exchange: &Exchange) -> AnyView {
    let answer = match exchange.said() {
        None => view! { <p class="warn">"Not answered yet"</p> }.into_any(),
        Some(answer) => {
            let more = (answer.len() > MAX_ANSWER).then_some("…");
            let unread = (exchange.scr == Value::Null)
                .then(|| view! { <p class="warn">"No value was taken over from this answer"</p> }.into_any());
            view! {
                <p class="said foreign">{shown(head(&answer, MAX_ANSWER))}{more}</p>
                {unread}
                {by(exchange)}
            }
            .into_any()
        }
    };
    view! {
        <li id=answer_id(at, number) tabindex="-1">
            <p class="asked"><span class="faint">{format!("Q{} ", number + 1)}</span><Foreign text=exchange.question.clone() limit=1_000 /></p>
            {answer}
        </li>
    }
    .into_any()
}

/// Who answered, and when.
fn by(exchange: &Exchange) -> AnyView {
    let person = exchange.answered_by.clone().unwrap_or_else(|| "unknown".to_owned());
    let time = exchange.answered_at.map(|millis| {
        view! { " · "<span title=browser::date_and_time(millis)>{browser::short_time(millis)}</span> }
            .into_any()
    });
    view! { <p class="faint"><Foreign text=person limit=80 />{time}</p> }.into_any()
}
