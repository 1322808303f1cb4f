//! Graph: which tool's results feed which tool, as a picture and as a table.

mod controls;
mod detail;
mod explain;
mod list;
mod place;
mod plan;
mod save;
mod shapes;
mod stage;
mod state;
mod tip;

use leptos::ev::FocusEvent;
use leptos::prelude::*;
use schemascope_api::EdgeState;
use wasm_bindgen::JsCast;
use web_sys::Element;

use crate::app::ListKeys;
use crate::cells::{Memo, RwSignal, click, effect};
use crate::graph::walk::Selection;
use crate::graph::words;
use crate::parts::{Empty, Foreign, Loading};
use controls::Controls;
use detail::Detail;
use list::Edges;
use place::Place;
use plan::PlanBar;
use save::Save;
use stage::Stage;
use state::State;

#[component]
pub fn Graph() -> impl IntoView {
    let state = State::follow();
    // In a narrow window, the table is shown instead of the picture.
    let as_table = RwSignal::new(false);
    use_keys(state, as_table);
    let problem = Memo::new(move || {
        state.shown.with(|shown| match shown {
            Some(Err(error)) => Some(error.clone()),
            _ => None,
        })
    });
    let is_loading = Memo::new(move || state.shown.with(Option::is_none) || state.app.live.is_unknown());
    let is_empty =
        Memo::new(move || state.scene.with(|scene| scene.tools.is_empty() && scene.servers.is_empty()));
    let filter = Memo::new(move || state.place.with(|place| place.filter.clone()));
    view! {
        <div class="page graph" class:as-table=move || as_table.get()>
            <div class="title-row">
                <Title state=state />
                <span class="side">
                    {move || state.held.with(Option::is_some).then(|| view! {
                        <button class="button small" id="graph-update" on:click=click(move |_| state.update())
                            title="Held back so that nothing moves while you use it">"Show new data"</button>
                    }.into_any())}
                    <Save state=state />
                    {move || state.place.with(|place| place.focus.is_some()).then(|| view! {
                        <button class="button small primary" id="plan-to" title="p"
                            aria-pressed=move || if state.place.with(|place| place.plan) { "true" } else { "false" }
                            on:click=click(move |_| state.change(|place| place.plan = !place.plan))>"Plan to here"</button>
                    }.into_any())}
                </span>
            </div>
            <Controls state=state as_table=as_table />
            {move || match (is_loading.get(), problem.get(), is_empty.get()) {
                (true, ..) => view! { <Loading /> }.into_any(),
                (_, Some(error), _) => view! {
                    <Empty icon="waypoints" title="This graph cannot be shown">
                        <p><Foreign text=error limit=500 /></p>
                        <p><a class="accent" href="/graph">"Whole graph"</a></p>
                    </Empty>
                }.into_any(),
                (.., true) if filter.with(|filter| !filter.is_empty()) => view! {
                    <Empty icon="search" title="No edges match">
                        <p><a class="accent" href="/graph">"Clear filter"</a></p>
                    </Empty>
                }.into_any(),
                (.., true) => view! {
                    <Empty icon="waypoints" title="No edges yet">
                        <p>"An edge appears when the results of a tool have what another tool takes. Add servers, and let an agent call their tools."</p>
                    </Empty>
                }.into_any(),
                _ => view! {
                    <div class="graph-body"
                        on:pointerenter=move |_| state.pointed.set(true)
                        on:pointerleave=move |_| state.pointed.set(false)
                        on:focusin=move |_| state.focused.set(true)
                        on:focusout=move |event: FocusEvent| state.focused.set(stays_inside(&event))>
                        <Stage state=state />
                        <div class="beside">
                            <Edges state=state />
                            <Detail state=state />
                        </div>
                    </div>
                    <PlanBar state=state />
                }.into_any(),
            }}
            <p class="hidden" role="status" aria-live="polite">{move || announced(state)}</p>
        </div>
    }
}

/// Whether the focus moves to another part of the picture or table.
fn stays_inside(event: &FocusEvent) -> bool {
    let next = event.related_target().and_then(|target| target.dyn_into::<Element>().ok());
    next.is_some_and(|next| next.closest(".graph-body").ok().flatten().is_some())
}

/// What a screen reader says about the selection.
fn announced(state: State) -> String {
    let selection = state.selection();
    state.scene.with(|scene| match &selection {
        Some(Selection::Edge(from, to)) => {
            scene.edge(from, to).map(|at| words::sentence(&scene.edges[at].edge)).unwrap_or_default()
        }
        Some(Selection::Tool(id)) => {
            let Some(own) = scene.tool(id) else { return String::new() };
            let fed_by = scene.edges.iter().filter(|edge| edge.to == own).count();
            let feeds = scene.edges.iter().filter(|edge| edge.from == own).count();
            format!("{}, fed by {fed_by}, feeds {feeds} of the tools shown", words::tool(id))
        }
        None => String::new(),
    })
}

#[component]
fn Title(
    /// The page's state.
    state: State,
) -> impl IntoView {
    let focus = Memo::new(move || state.place.with(|place| place.focus.clone()));
    let summary = move || {
        state.shown.with(|shown| {
            let Some(Ok(view)) = shown else { return String::new() };
            let Some(focus) = focus.get() else { return words::totals(&view.totals) };
            let tool = view.tools.iter().find(|tool| tool.tool_id == focus);
            let (fed_by, feeds) = tool.map_or((0, 0), |tool| (tool.fed_by, tool.feeds));
            let own = |edge: &&schemascope_api::Edge| *edge.from == *focus || *edge.to == *focus;
            let threatened =
                view.edges.iter().filter(own).filter(|edge| !edge.threatened_by.is_empty()).count();
            let seen = view.edges.iter().filter(own).filter(|edge| edge.state == EdgeState::Seen).count();
            let broken = view.edges.iter().filter(own).filter(|edge| edge.state == EdgeState::Broken).count();
            let mut text = format!("fed by {fed_by}, feeds {feeds} · {seen} seen in use");
            if broken > 0 {
                text += &format!(" · ✕ {broken} broken");
            }
            if threatened > 0 {
                text += &format!(" · ▲ {threatened} threatened");
            }
            text
        })
    };
    view! {
        <h1>
            {move || match focus.get() {
                None => "Graph".into_any(),
                Some(id) => {
                    let (server, tool) = id.split_once("__").map_or((String::new(), id.clone()), |(s, t)| (s.to_owned(), t.to_owned()));
                    view! {
                        <a class="faint" href="/graph">"Graph"</a><span class="faint">" / " <Foreign text=server limit=64 /> " / "</span>
                        <Foreign text=tool limit=120 />
                    }.into_any()
                }
            }}
        </h1>
        <span class="dim cut num" id="graph-summary">{summary}</span>
    }
}

fn use_keys(state: State, as_table: RwSignal<bool>) {
    let target = move || match state.selection() {
        Some(Selection::Tool(tool)) => Some(tool),
        Some(Selection::Edge(_, to)) => Some(to),
        None => None,
    };
    let put = move || {
        if let Some(tool) = untrack(target) {
            state.focus(Some(tool));
        }
    };
    let leave = move || {
        let place = state.place.get_untracked();
        let had_tool = state.tool.get_untracked().is_some();
        if had_tool || place.edge.is_some() {
            state.select(None);
        } else if place.plan {
            state.change(|place| place.plan = false);
        } else if !place.filter.is_empty() {
            state.change(|place| place.filter = String::new());
        } else if place.focus.is_some() {
            state.focus(None);
        } else {
            return false;
        }
        true
    };
    state.app.use_keys(ListKeys {
        step: Callback::new(move |by| list::step(state, by)),
        open: Callback::new(move |()| put()),
        leave: Callback::new(move |()| leave()),
        act: Callback::new(move |key: char| match key {
            '+' => {
                if let Some(tool) = untrack(target) {
                    state.toggle(&tool);
                }
            }
            'f' => put(),
            'p' => state.change(|place: &mut Place| place.plan = !place.plan && place.focus.is_some()),
            'v' => as_table.update(|as_table| *as_table = !*as_table),
            _ => {}
        }),
    });
    // The selection leads the picture as well.
    effect(move || {
        if let Some(Selection::Edge(from, _)) = state.selection()
            && state.pivot.get_untracked().is_none()
        {
            state.pivot.set(Some(from));
        }
    });
}
