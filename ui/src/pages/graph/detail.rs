//! What is known of the selected edge or tool.

use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::{Edge, Filter, PageId};

use super::explain::reasons;
use super::state::State;
use crate::cells::{Memo, click};
use crate::graph::walk::Selection;
use crate::graph::words::{confidence, covers, evidence, mark, state as state_word, tool};
use crate::numbers::{ago, count};
use crate::parts::{Foreign, Icon, ToolName, Views};
use crate::route::Route;
use crate::text::visible;

#[component]
pub fn Detail(
    /// The page's state.
    state: State,
) -> impl IntoView {
    // Without a selection, the tool in the middle is described.
    let selection = Memo::new(move || {
        let focus = || state.place.with(|place| place.focus.clone()).map(Selection::Tool);
        state.selection().or_else(focus)
    });
    move || match selection.get() {
        Some(Selection::Edge(from, to)) => edge(state, from, to),
        Some(Selection::Tool(id)) => of_tool(state, id),
        None => ().into_any(),
    }
}

fn head(state: State, label: &'static str, title: impl IntoAny, body: impl IntoAny) -> AnyView {
    view! {
        <section class="card detail" class:usual=move || state.selection().is_none() aria-label=label>
            <header>
                <h2>{title.into_any()}</h2>
                {move || state.selection().is_some().then(|| view! {
                    <span class="side">
                        <button class="button bare small" aria-label="Close" title="Close (Esc)" on:click=click(move |_| state.select(None))>
                            <Icon name="x" />
                        </button>
                    </span>
                }.into_any())}
            </header>
            <div class="body" tabindex="0" role="region" aria-label=format!("{label}: facts and reasons")>{body.into_any()}</div>
        </section>
    }
    .into_any()
}

fn edge(state: State, from: String, to: String) -> AnyView {
    let ends = (from.clone(), to.clone());
    let known = Memo::new(move || {
        state.scene.with(|scene| scene.edge(&ends.0, &ends.1).map(|at| Arc::clone(&scene.edges[at].edge)))
    });
    let flows = Memo::new(move || known.with(|known| known.as_ref().map_or(0, |edge| edge.evidence.flows)));
    let name = |id: &str| visible(id.split_once("__").map_or(id, |(_, name)| name), 60);
    let jump = |id: &String| {
        let address = state.place.get_untracked().around(Some(id.clone())).route().address();
        view! { <a class="mono" href=address title=format!("Put {} in the middle", tool(id))>{name(id)}</a> }
            .into_any()
    };
    let title = view! { {jump(&from)}<span class="faint">" → "</span>{jump(&to)} };
    let facts = move || match known.get() {
        Some(edge) => facts(state, &edge),
        None => view! { <p class="quiet">"This edge does not pass the filter, or no longer exists."</p> }
            .into_any(),
    };
    head(state, "Selected edge", title, view! { {facts}{reasons(from, to, flows)} })
}

fn facts(state: State, edge: &Edge) -> AnyView {
    let last = edge.evidence.last_at.map(|at| {
        view! { <dt>"Last"</dt><dd>{move || ago(at.as_millis(), state.app.live.now.get())}</dd> }.into_any()
    });
    let echo = edge.echo.then(|| {
        view! {
            <dt>"Echo"</dt><dd>"the output only repeats an argument of its own call"</dd>
        }
        .into_any()
    });
    let threat = |change: &str| view! { <li><Foreign text=change.to_string() limit=300 /></li> }.into_any();
    let review = |id: &str| Route::item(PageId::Review, id).address();
    let threats = (!edge.threatened_by.is_empty()).then(|| {
        view! {
            <div class="threat">
                <p><b>"▲ Threatened"</b></p>
                <ul>{edge.threatened_by.iter().map(|change| threat(change)).views()}</ul>
                <p>
                    <a class="accent" href=review(&edge.from)>"Review " {visible(&edge.from, 60)}</a>
                </p>
            </div>
        }
        .into_any()
    });
    view! {
        <dl class="grid">
            <dt>"Confidence"</dt><dd><b class="num">{confidence(edge.confidence)}</b>" that this edge is true"</dd>
            <dt>"State"</dt>
            <dd>
                {(!edge.threatened_by.is_empty()).then_some("▲ threatened, ")}
                {format!("{} {}", mark(edge), state_word(edge.state))}
            </dd>
            <dt>"Coverage"</dt><dd>{covers(edge)}</dd>
            <dt>"Evidence"</dt><dd class="num">{evidence(&edge.evidence)}</dd>
            {last}{echo}
        </dl>
        {threats}
    }
    .into_any()
}

fn of_tool(state: State, id: String) -> AnyView {
    let own = id.clone();
    let known = Memo::new(move || {
        state.shown.with(|shown| match shown {
            Some(Ok(view)) => view.tools.iter().find(|tool| tool.tool_id == own).cloned(),
            _ => None,
        })
    });
    let own = id.clone();
    let open = Memo::new(move || state.place.with(|place| place.open.contains(&own)));
    let own = id.clone();
    let is_focus = Memo::new(move || state.place.with(|place| place.focus.as_ref() == Some(&own)));
    let (put, next) = (id.clone(), id.clone());
    let buttons = move || {
        let (put, next) = (put.clone(), next.clone());
        (!is_focus.get()).then(|| view! {
            <button class="button small" title="f" on:click=click(move |_| state.focus(Some(put.clone())))>"Put in the middle"</button>
            <button class="button small" title="+" aria-pressed=move || if open.get() { "true" } else { "false" }
                on:click=click(move |_| state.toggle(&next))>
                {move || if open.get() { "Close next hop" } else { "Open next hop" }}
            </button>
        }.into_any())
    };
    let facts = move || {
        known.get().map(|tool| {
        let required = tool.required.iter().map(|path| visible(path, 80)).collect::<Vec<_>>().join(", ");
        view! {
            <dl class="grid">
                <dt>"Fed by"</dt><dd class="num">{tools(tool.fed_by)}</dd>
                <dt>"Feeds"</dt><dd class="num">{tools(tool.feeds)}</dd>
                <dt>"Read-only"</dt><dd>{if tool.read_only { "yes, its server says so" } else { "not declared" }}</dd>
                {(!required.is_empty()).then(|| view! { <dt>"Requires"</dt><dd class="mono">{required}</dd> }.into_any())}
            </dl>
        }.into_any()
    })
    };
    let calls = Route::filtered(PageId::Calls, Filter::of_tool(&id)).address();
    let page = Route::tool(&id).address();
    let title = view! { <span class="mono"><ToolName id=id /></span> };
    head(
        state,
        "Selected tool",
        title,
        view! {
            {facts}
            <p class="actions">{buttons}<a class="accent" href=page>"Tool page"</a><a class="accent" href=calls>"Calls"</a></p>
        },
    )
}

fn tools(number: u64) -> String {
    format!("{} {}", count(number), if number == 1 { "tool" } else { "tools" })
}
