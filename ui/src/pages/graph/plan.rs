//! The plan to the tool in the middle: its calls in order, and what the user supplies.

use leptos::prelude::*;
use schemascope_api::{Argument, Plan, Step};

use super::state::State;
use crate::browser;
use crate::cells::{Memo, click};
use crate::graph::plan::{sentence, steps, supplies};
use crate::graph::walk::Selection;
use crate::graph::words::{confidence, path, tool};
use crate::parts::{Foreign, Icon, Loading, Views};
use crate::text::visible;

/// Most names at hand.
const MAX_AT_HAND: usize = 32;

#[component]
pub fn PlanBar(
    /// The page's state.
    state: State,
) -> impl IntoView {
    // The bar stays while its place changes, and with it what is typed.
    let is_shown = Memo::new(move || state.place.with(|place| place.plan && place.focus.is_some()));
    let draw = move || {
        if !is_shown.get() {
            return ().into_any();
        }
        let content = move || match state.plans.get() {
            None => view! { <Loading /> }.into_any(),
            Some(Err(error)) => view! { <p class="bad"><Foreign text=error limit=400 /></p> }.into_any(),
            Some(Ok(plans)) => match plans.plans.get(state.plan.get()) {
                Some(plan) => drawn(state, plan, plans.plans.len()),
                None => {
                    let why =
                        plans.why_none.clone().unwrap_or_else(|| "no chain of calls leads there".to_owned());
                    view! { <p><b>"No plan: "</b><Foreign text=why limit=500 /></p> }.into_any()
                }
            },
        };
        view! {
            <section class="card plan" id="plan" aria-label="Plan">
                {content}
                {at_hand(state)}
                <button class="button bare small" aria-label="Close the plan" title="Close (p)"
                    on:click=click(move |_| state.change(|place| place.plan = false))><Icon name="x" /></button>
            </section>
        }
        .into_any()
    };
    view! { {draw} }
}

/// What the user has already: names of fields, or tools whose results are there.
fn at_hand(state: State) -> AnyView {
    let written = state.place.with_untracked(|place| place.have.join(", "));
    let change = move |event: web_sys::Event| {
        let names = event_target_value(&event);
        let names = names.split([',', ' ']).map(str::trim).filter(|name| !name.is_empty());
        let have: Vec<String> = names.take(MAX_AT_HAND).map(str::to_owned).collect();
        state.change(|place| place.have = have);
    };
    view! {
        <label class="at-hand">"You have "
            <input type="text" class="mono" id="plan-have" autocomplete="off" spellcheck="false" maxlength="400"
                placeholder="fields or tools" title="Names of fields, or tools whose results are there: order_id, shop__list_orders" prop:value=written on:change=change />
        </label>
    }
    .into_any()
}

fn drawn(state: State, plan: &Plan, all: usize) -> AnyView {
    let text = steps(plan);
    let copy = move |_| {
        let text = text.clone();
        leptos::task::spawn_local(async move {
            if browser::copy(&text).await {
                state.app.notify("Steps copied");
            } else {
                state.app.report_error("The browser does not allow copying");
            }
        });
    };
    let supplied = supplies(plan);
    let names = supplied.iter().map(|(input, _)| input.clone()).collect::<Vec<_>>().join(", ");
    let why = supplied.iter().map(|(input, why)| format!("{input}: {why}")).collect::<Vec<_>>().join("; ");
    let writes = plan.steps.iter().filter(|step| !step.read_only).count();
    let one = |at: usize| {
        view! {
            <button aria-pressed=move || if state.plan.get() == at { "true" } else { "false" } aria-label=format!("Plan {}", at + 1)
                on:click=click(move |_| state.plan.set(at))>{at + 1}</button>
        }
        .into_any()
    };
    view! {
        <span class="hidden">{sentence(plan)}</span>
        <ol>{plan.steps.iter().map(|one| step(state, plan, one)).views()}</ol>
        {(!names.is_empty()).then(|| view! { <span class="supply" title=why>"You supply: " <b class="mono">{names}</b></span> }.into_any())}
        <span class="grow"></span>
        {(writes > 0).then(|| view! { <span class="tag warn">{format!("{writes} not read-only")}</span> }.into_any())}
        <span class="num" title="probability that every edge of the plan is true">"confidence " <b>{confidence(plan.confidence)}</b></span>
        {(all > 1).then(|| view! {
            <span class="segments" role="group" aria-label="Plans">{(0..all).map(one).views()}</span>
        }.into_any())}
        <button class="button small" on:click=click(copy)><Icon name="copy" />"Copy steps"</button>
    }
    .into_any()
}

fn step(state: State, plan: &Plan, step: &Step) -> AnyView {
    let id = step.tool_id.to_string();
    let name = visible(id.split_once("__").map_or(id.as_str(), |(_, name)| name), 60);
    let takes = |input: &str, argument: &Argument| match argument {
        Argument::Step { step: from, output, .. } => {
            let giver = plan.steps.iter().find(|other| other.step == *from);
            let giver = giver.map(|giver| tool(&giver.tool_id)).unwrap_or_default();
            format!("{} from {} of {giver}", path(input, "arguments"), path(output, "whole result"))
        }
        Argument::Have { have, output: Some(output), .. } => {
            format!("{} from {} of {}", path(input, "arguments"), path(output, "whole result"), tool(have))
        }
        Argument::Have { have, .. } => format!("{}: {} at hand", path(input, "arguments"), visible(have, 80)),
        Argument::Value { value } => {
            format!("{}: {}", path(input, "arguments"), visible(&value.to_string(), 80))
        }
    };
    let takes =
        step.arguments.iter().map(|(input, argument)| takes(input, argument)).collect::<Vec<_>>().join("; ");
    let title = if takes.is_empty() { tool(&id) } else { format!("{}: {takes}", tool(&id)) };
    view! {
        <li>
            <button class="step mono" class:writes=!step.read_only title=title.clone() aria-label=format!("Step {}, {title}", step.step)
                on:click=click(move |_| state.select(Some(Selection::Tool(id.clone()))))>{name}</button>
        </li>
    }
    .into_any()
}
