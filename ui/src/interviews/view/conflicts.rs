//! Conflicts: two answers that say different things of one place, side by side.

use leptos::prelude::*;
use schemascope_api::InterviewDecision;
use serde_json::Value;

use super::conversation::part;
use super::interview::Interview;
use crate::cells::{Memo, click};
use crate::interviews::found::Conflict;
use crate::interviews::nodes::scalar;
use crate::numbers::number_of;
use crate::parts::{Foreign, Revisions, keyed};

#[component]
pub fn Conflicts(
    /// The conversation.
    interview: Interview,
) -> impl IntoView {
    let conflicts = part(interview, |found| found.conflicts.clone());
    let number = Memo::new(move || conflicts.with(Vec::len));
    let any = Memo::new(move || number.get() > 0);
    move || {
        any.get().then(|| {
            let revisions = Revisions::new();
            let rows = move || {
                let key = |conflict: &Conflict| {
                    let Conflict { ds_ids, path, earlier, later, .. } = conflict;
                    format!("{} {path} {earlier} {later}", ds_ids.join(" "))
                };
                let conflicts = conflicts.get();
                let keyed = conflicts.into_iter().map(|conflict| (key(&conflict), conflict));
                revisions.rows(keyed, move |_, conflict| draw(interview, &conflict))
            };
            view! {
                <section class="conflicts" aria-labelledby="conflicts-title">
                    <h3 id="conflicts-title">{move || number_of(number.get(), "conflict", "conflicts")}</h3>
                    {keyed(rows)}
                </section>
            }
            .into_any()
        })
    }
}

fn draw(interview: Interview, conflict: &Conflict) -> AnyView {
    let keep = |label: &'static str, value: &Value| {
        let (path, value, ds_id) = (conflict.path.clone(), value.clone(), conflict.of_one()?.clone());
        let label_of_place = format!("{label}: {}", crate::text::visible(&path, 120));
        let settle = move |_| {
            let decision = InterviewDecision::Settle { path: path.clone(), value: value.clone() };
            interview.perform(interview.decide(Some(ds_id.clone()), decision, "Conflict settled."));
        };
        Some(view! {
            <button class="button small" aria-label=label_of_place prop:disabled=move || interview.busy.get() on:click=click(settle)>{label}</button>
        }.into_any())
    };
    let side = |title: &'static str, value: &Value, button: Option<AnyView>| {
        let (_, text) = scalar(value);
        view! { <div><dt>{title}</dt><dd class="mono"><Foreign text=text limit=1_000 /></dd>{button.map(|button| view! { <dd>{button}</dd> }.into_any())}</div> }
            .into_any()
    };
    let of_two = conflict.of_one().is_none().then(|| {
        view! {
            <p class="dim">"Two Discovery Schemas differ. Answer a question of one of them again to change it."</p>
        }
        .into_any()
    });
    view! {
        <article class="conflict" aria-label=format!("Conflict at {}", crate::text::visible(&conflict.path, 120))>
            <p><span class="mono"><Foreign text=conflict.path.clone() limit=300 /></span>" "<span class="faint"><Foreign text=conflict.ds_ids.join(", ") limit=200 /></span></p>
            <dl>
                {side("Earlier answer", &conflict.earlier, keep("Keep earlier", &conflict.earlier))}
                {side("Later answer", &conflict.later, keep("Keep later", &conflict.later))}
            </dl>
            {of_two}
        </article>
    }
    .into_any()
}
