//! The results as a whole: how complete and how stable their structure is, and what was irregular.

use leptos::prelude::*;

use super::Detail;
use crate::cells::Memo;
use crate::evidence::stability;
use crate::numbers::{count, share};
use crate::parts::{Foreign, Icon, Views};

#[component]
pub fn Summary(
    /// The tool's detail.
    known: Detail,
) -> impl IntoView {
    let unseen = known.part(|detail| detail.unseen);
    let stable = known.part(|detail| detail.stability.and_then(stability));
    let notes = known.part(|detail| detail.notes.clone());
    let none =
        Memo::new(move || unseen.get().is_none() && stable.get().is_none() && notes.with(Vec::is_empty));
    move || {
        (!none.get()).then(|| {
            view! {
                <div class="summary">
                    {move || unseen.get().map(|unseen| view! {
                        <span title="upper limit with 95 % confidence, from the structures seen only once (Good–Turing)">
                            "A new structure in the next result, if the tool stays as it is: "
                            <b class="num">{format!("at most {}", share(unseen))}</b>
                        </span>
                    }.into_any())}
                    {move || stable.get().map(|(lead, what)| view! {
                        <span title="days with results since a new field or type last appeared">
                            {lead} <b class="num">{what}</b>
                        </span>
                    }.into_any())}
                    {move || notes.get().into_iter().map(|note| view! {
                        <span class="warn">
                            <Icon name="triangle-alert" /> <Foreign text=note.note limit=120 />
                            <span class="num">" · " {count(note.count)}</span>
                        </span>
                    }.into_any()).views()}
                </div>
            }
            .into_any()
        })
    }
}
