//! The open conversation: what is pursued, the open question, conflicts, transcript and aggregates.

use leptos::prelude::*;

use super::actions::Actions;
use super::aggregate::Aggregates;
use super::conflicts::Conflicts;
use super::interview::{Interview, Place};
use super::known::Line;
use super::question::OpenQuestion;
use super::row::{line_of, progress};
use super::transcript::Transcript;
use crate::cells::Memo;
use crate::interviews::found::Found;
use crate::parts::{Foreign, Views};

#[component]
pub fn Conversation(
    /// Its id.
    id: String,
    /// All conversations.
    lines: Memo<Option<Vec<Line>>>,
) -> impl IntoView {
    let line = line_of(id.clone(), lines);
    let project = line.with_untracked(|line| line.as_ref().map(|line| line.project_id.clone()));
    let place = Place { project_id: project.unwrap_or_default(), conversation_id: id };
    let interview = Interview::follow(place, line);
    let title = Memo::new(move || {
        line.with(|line| line.as_ref().map(|line| (line.project_name.clone(), line.number)))
    });
    let failure = Memo::new(move || interview.found.with(|found| found.as_ref()?.as_ref().err().cloned()));
    view! {
        <header>
            <h2>
                {move || title.get().map(|(name, number)| view! {
                    <Foreign text=name limit=120 />
                    {number.map(|number| view! { <span class="dim">{format!(" · conversation {number}")}</span> }.into_any())}
                }.into_any())}
            </h2>
            <Actions interview=interview />
        </header>
        <div class="conversation-body">
            {move || failure.get().map(|error| view! {
                <p class="trouble" role="alert">"Cannot read the conversation: "<Foreign text=error limit=600 /></p>
            }.into_any())}
            <ul class="pursuits" aria-label="Pursued Discovery Schemas">
                {move || line.with(|line| line.as_ref().map(|line| {
                    line.pursuits.iter().map(|pursuit| view! { <li>{progress(pursuit)}</li> }.into_any()).views()
                }))}
            </ul>
            {outcome(interview)}
            <OpenQuestion interview=interview />
            <Conflicts interview=interview />
            <div class="conversation-columns">
                <Transcript interview=interview />
                <Aggregates interview=interview />
            </div>
        </div>
    }
}

/// What the last action did, or why it failed.
fn outcome(interview: Interview) -> AnyView {
    let done = move || {
        interview.outcome.get().map(|outcome| {
            let sentence = |text: &String| view! { <Foreign text=text.clone() limit=600 />" " }.into_any();
            view! { <p class="outcome">{outcome.0.iter().map(sentence).views()}</p> }.into_any()
        })
    };
    let failed = move || {
        interview.problem.get().map(|text| {
            view! { <p class="bad" role="alert"><Foreign text=text limit=1_000 /></p> }.into_any()
        })
    };
    view! { <div class="outcomes"><div role="status">{done}</div>{failed}</div> }.into_any()
}

/// A part of what the conversation has found out; the default until it is loaded.
pub fn part<T: Default + PartialEq + Send + Sync + 'static>(
    interview: Interview,
    read: impl Fn(&Found) -> T + Send + Sync + 'static,
) -> Memo<T> {
    Memo::new(move || {
        interview.found.with(|found| match found {
            Some(Ok(found)) => read(found),
            _ => T::default(),
        })
    })
}
