//! What can be done while no question is open: ask the next one, or pursue another Discovery Schema.

use leptos::prelude::*;
use serde_json::{Map, Value};

use super::interview::{Interview, Outcome};
use super::words::name;
use crate::cells::{Memo, RwSignal, click, effect};
use crate::interviews::found::{items, text};
use crate::parts::{Foreign, Views};

/// The pursuit that is worked on: its id, and whether everything is filled.
type Working = Memo<Option<(String, bool)>>;

#[component]
pub fn Next(
    /// The conversation.
    interview: Interview,
) -> impl IntoView {
    let working: Working = Memo::new(move || {
        let working = |pursuit: &super::known::Pursuit| (pursuit.ds_id.clone(), pursuit.completeness >= 1.0);
        interview.line.with(|line| line.as_ref()?.working().map(working))
    });
    move || {
        match working.get() {
        Some((ds_id, true)) => view! {
            <p><span class="mono"><Foreign text=ds_id limit=80 /></span>" is complete. Press \"Finish\" to continue with the next Discovery Schema."</p>
        }
        .into_any(),
        Some((ds_id, false)) => ask(interview, ds_id),
        None => view! { <Recommended interview=interview /> }.into_any(),
    }
    }
}

/// The button that asks the next question.
fn ask(interview: Interview, ds_id: String) -> AnyView {
    let shown = ds_id.clone();
    let ask = move |_| {
        let ds_id = ds_id.clone();
        interview.perform(async move {
            interview.ask(&ds_id).await?;
            Ok(Outcome::default())
        });
    };
    view! {
        <p>
            "No question of "<span class="mono"><Foreign text=shown limit=80 /></span>" is open. An agent asks the next one, or you do. "
            <button class="button small" id="ask-question" prop:disabled=move || interview.busy.get() on:click=click(ask)>"Ask the next question"</button>
        </p>
    }
    .into_any()
}

/// The Discovery Schema that is recommended, and others that can be pursued.
#[component]
fn Recommended(
    /// The conversation.
    interview: Interview,
) -> impl IntoView {
    let reply = RwSignal::new(None::<Result<Value, String>>);
    effect(move || {
        interview.line.with(|_| ());
        if interview.busy.get() {
            return;
        }
        leptos::task::spawn_local(async move {
            reply.set(Some(interview.call("get_next_ds", Map::new()).await));
        });
    });
    move || match reply.get() {
        None => view! { <p class="dim" role="status">"Loading…"</p> }.into_any(),
        Some(Err(error)) => {
            view! { <p class="bad" role="alert"><Foreign text=error limit=600 /></p> }.into_any()
        }
        Some(Ok(reply)) => recommendation(interview, &reply),
    }
}

fn recommendation(interview: Interview, reply: &Value) -> AnyView {
    let recommended = reply.get("ds_id").and_then(Value::as_str).map(str::to_owned);
    let others: Vec<(String, String)> = items(reply, "alternatives")
        .iter()
        .map(|other| (text(other, "ds_id"), text(other, "rationale")))
        .filter(|(ds_id, _)| Some(ds_id) != recommended.as_ref())
        .collect();
    let other = |(ds_id, rationale): &(String, String)| {
        view! {
            <li>{pursue(interview, ds_id.clone(), false)}" "<span class="dim"><Foreign text=rationale.clone() limit=400 /></span></li>
        }
        .into_any()
    };
    view! {
        <p><Foreign text=text(reply, "rationale") limit=600 /></p>
        {recommended.map(|ds_id| view! { <p>{pursue(interview, ds_id, true)}</p> }.into_any())}
        {(!others.is_empty()).then(|| view! {
            <details>
                <summary>"Other Discovery Schemas"</summary>
                <ul class="alternatives">{others.iter().map(other).views()}</ul>
            </details>
        }.into_any())}
    }
    .into_any()
}

/// The button that starts a pursuit.
fn pursue(interview: Interview, ds_id: String, is_primary: bool) -> AnyView {
    let label = format!("Pursue {}", name(&ds_id));
    let start = move |_| {
        let ds_id = ds_id.clone();
        interview.perform(async move {
            interview.pursue(&ds_id).await?;
            Ok(Outcome::of(format!("Pursuing {}.", name(&ds_id))))
        });
    };
    view! {
        <button class="button small" class:primary=is_primary prop:disabled=move || interview.busy.get() on:click=click(start)>{label}</button>
    }
    .into_any()
}
