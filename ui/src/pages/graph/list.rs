//! The table: every edge of the picture, and the servers where they are drawn.

use std::collections::BTreeSet;
use std::sync::Arc;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use schemascope_api::{Edge, EdgeTotals, ServerLink};

use super::state::State;
use crate::cells::{Memo, effect};
use crate::graph::scene::{Scene, server as server_of};
use crate::graph::tokens::with_token;
use crate::graph::walk::{Selection, Step, follow};
use crate::graph::words::{
    confidence, coverage, covers, dashes, evidence, field, mark, state as state_word, tool, totals,
};
use crate::layout::{Shown, Width};
use crate::numbers::count;
use crate::parts::{Column, Empty, Foreign, List, Rows, table};
use crate::text::visible;

/// A row of the table.
#[derive(Clone, PartialEq)]
enum Entry {
    /// An edge; without the servers of its tools if all of the picture are of one.
    Edge(Arc<Edge>, bool),
    /// A server: its name, the number of its tools, and the numbers of edges within it.
    Server(String, u64, EdgeTotals),
    /// The edges between two servers.
    Link(ServerLink),
}

impl Entry {
    fn key(&self) -> String {
        match self {
            Self::Edge(edge, _) => edge_key(&edge.from, &edge.to),
            Self::Server(name, ..) => format!("server {name}"),
            Self::Link(link) => format!("link {}\u{1F}{}", link.from, link.to),
        }
    }
}

fn edge_key(from: &str, to: &str) -> String {
    format!("edge {from}\u{1F}{to}")
}

const COLUMNS: &[Column<Entry>] = &[
    Column::drawing("mark", "", Width::Fixed(12), &|entry| match entry {
        Entry::Edge(edge, _) => {
            let threatened = if edge.threatened_by.is_empty() { "" } else { ", threatened" };
            let class = crate::graph::words::class(edge);
            let sign = if edge.threatened_by.is_empty() { mark(edge) } else { "▲" };
            view! {
                <span class=format!("sign {class}") title=format!("{}{threatened}", state_word(edge.state))>
                    <span aria-hidden="true">{sign}</span><span class="hidden">{state_word(edge.state)}{threatened}</span>
                </span>
            }
            .into_any()
        }
        _ => ().into_any(),
    }),
    Column::text("from", "from", Width::Share(60, 1.0), &|entry| match entry {
        Entry::Edge(edge, short) => end(&edge.from, *short),
        Entry::Server(name, ..) => view! { <b>{server(name)}</b> }.into_any(),
        Entry::Link(link) => view! { <b>{server(&link.from)}</b> }.into_any(),
    }),
    Column::text("to", "to", Width::Share(60, 1.0), &|entry| match entry {
        Entry::Edge(edge, short) => end(&edge.to, *short),
        Entry::Server(_, tools, inside) => {
            let edges = all(inside);
            let text = format!("{} {}", count(edges), if edges == 1 { "edge" } else { "edges" });
            let title = format!("{} of {} tools", totals(inside), count(*tools));
            view! { <span class="faint" title=title>{text}</span> }.into_any()
        }
        Entry::Link(link) => server(&link.to),
    }),
    Column::text("fields", "fields", Width::Share(120, 1.4), &|entry| match entry {
        Entry::Edge(edge, _) => {
            let more = edge.fields.len().saturating_sub(1);
            let best = edge.fields.first().map(field).unwrap_or_default();
            let text = if more > 0 { format!("{best} +{more}") } else { best };
            view! { <span class="mono" title=covers(edge)><Foreign text=text limit=200 /></span> }.into_any()
        }
        _ => ().into_any(),
    })
    .shown(Shown::Medium),
    Column::drawing("coverage", "covers", Width::Fixed(40), &|entry| {
        match entry {
        Entry::Edge(edge, _) => view! {
            <span class="form" title=covers(edge)>
                <svg aria-hidden="true" viewBox="0 0 26 8"><line x1="0" x2="26" y1="4" y2="4" stroke-dasharray=dashes(edge.coverage) /></svg>
                <span class="hidden">{coverage(edge.coverage)}</span>
            </span>
        }
        .into_any(),
        _ => ().into_any(),
    }
    }),
    Column::number("seen", "calls", Width::Fixed(46), &|entry| match entry {
        Entry::Edge(edge, _) => {
            let class = if edge.evidence.flows == 0 { "faint" } else { "" };
            view! { <span class=class title=evidence(&edge.evidence)>{count(edge.evidence.flows)}</span> }
                .into_any()
        }
        _ => ().into_any(),
    })
    .shown(Shown::Medium),
    Column::number("confidence", "confidence", Width::Fixed(70), &|entry| match entry {
        Entry::Edge(edge, _) => confidence(edge.confidence).into_any(),
        Entry::Server(..) => ().into_any(),
        Entry::Link(link) => {
            view! { <span class="dim" title=totals(&link.totals)>{count(all(&link.totals))}</span> }
                .into_any()
        }
    }),
];

fn all(numbers: &EdgeTotals) -> u64 {
    numbers.seen + numbers.possible + numbers.broken
}

fn server(name: &str) -> AnyView {
    view! { <span class="mono"><Foreign text=name.to_owned() limit=64 /></span> }.into_any()
}

/// A tool at the end of an edge.
fn end(id: &str, short: bool) -> AnyView {
    let (server, name) = id.split_once("__").unwrap_or(("", id));
    let (name, title) = (name.to_owned(), tool(id));
    let server = (!short).then(|| format!("{} / ", visible(server, 40)));
    view! {
        <span class="mono end" title=title>
            {server.map(|server| view! { <span class="faint">{server}</span> }.into_any())}
            <span><Foreign text=name limit=120 /></span>
        </span>
    }
    .into_any()
}

#[component]
pub fn Edges(
    /// The page's state.
    state: State,
) -> impl IntoView {
    let is_filtered = move || state.place.with(|place| !place.filter.is_empty());
    let rows = Memo::new(move || {
        let is_filtered = is_filtered();
        state.scene.with(|scene| Arc::new(entries(scene, is_filtered)))
    });
    let list = List::new(rows, Entry::key);
    effect(move || {
        list.selected.set(match state.selection() {
            Some(Selection::Edge(from, to)) => Some(edge_key(&from, &to)),
            _ => None,
        });
    });
    let href = move |entry: &Entry| {
        let mut place = state.place.get();
        match entry {
            Entry::Edge(edge, _) => place.edge = Some((edge.from.to_string(), edge.to.to_string())),
            Entry::Server(name, ..) => place.filter = with_token(&place.filter, "server", Some(name)),
            Entry::Link(link) => {
                place.filter =
                    with_token(&with_token(&place.filter, "server", Some(&link.from)), "tool", None);
                place.filter += &format!(" server:{}", link.to.replace(char::is_whitespace, "*"));
            }
        }
        place.route().address()
    };
    let none = Memo::new(move || rows.with(|rows| rows.is_empty()));
    let title = move || {
        state.scene.with(|scene| {
            let edges = scene.edges.len() as u64;
            let word = if edges == 1 { "edge" } else { "edges" };
            match (scene.left_out, scene.focus) {
                (0, _) => format!("{} {word}", count(edges)),
                (more, None) if is_filtered() => {
                    format!("{} {word} of those loaded, {} more not searched", count(edges), count(more))
                }
                (more, None) => format!("The {} strongest of {} edges", count(edges), count(edges + more)),
                (more, _) => format!("{} {word}, {} more not loaded", count(edges), count(more)),
            }
        })
    };
    let body = move || {
        if none.get() {
            view! { <Empty icon="search" title="No edges match"><p>"Lower the confidence, or clear the filter."</p></Empty> }.into_any()
        } else {
            view! { <Rows list=list label="Edges. Up and down select an edge, left and right walk along edges, Enter puts its tool in the middle." columns=COLUMNS href=href /> }.into_any()
        }
    };
    view! {
        <section class="card edges" aria-label="Edges" on:keydown=move |event: KeyboardEvent| key(state, &event)>
            <header><h2 id="edge-count">{title}</h2></header>
            {table("edge-table", COLUMNS, None, body)}
        </section>
    }
}

/// The rows: with a tool in the middle the edges, else every server with its edges, then those between servers. With a
/// filter, the heads of servers count what passes it.
fn entries(scene: &Scene, is_filtered: bool) -> Vec<Entry> {
    let first = scene.tools.first().map(|tool| server_of(&tool.id));
    let is_one = scene.tools.iter().all(|tool| Some(server_of(&tool.id)) == first);
    let mut entries = Vec::new();
    let mut shown: Option<&str> = None;
    let title = |name: &str| {
        let known = scene.servers.iter().find(|server| server.name == name)?;
        let inside = scene.links.iter().find(|link| link.from == name && link.to == name);
        let totals = match is_filtered {
            true => passing(scene, name),
            false => inside.map(|link| link.totals).unwrap_or_default(),
        };
        Some(Entry::Server(name.to_owned(), known.tools, totals))
    };
    let mut named = BTreeSet::new();
    for edge in &scene.edges {
        let (from, to) = (server_of(&edge.edge.from), server_of(&edge.edge.to));
        let is_inside = scene.focus.is_none() && from == to;
        if is_inside && shown != Some(from) {
            shown = Some(from);
            named.insert(from);
            entries.extend(title(from));
        }
        entries.push(Entry::Edge(Arc::clone(&edge.edge), is_inside || is_one));
    }
    entries.extend(scene.links.iter().filter(|link| link.from != link.to).cloned().map(Entry::Link));
    entries.extend(
        scene
            .servers
            .iter()
            .filter(|server| !named.contains(&*server.name))
            .filter_map(|server| title(&server.name)),
    );
    entries
}

/// The edges of the picture within a server, counted.
fn passing(scene: &Scene, server: &str) -> EdgeTotals {
    let is_within = |edge: &&Edge| server_of(&edge.from) == server && server_of(&edge.to) == server;
    let mut totals = EdgeTotals::default();
    for edge in scene.edges.iter().map(|edge| &*edge.edge).filter(is_within) {
        match edge.state {
            schemascope_api::EdgeState::Seen => totals.seen += 1,
            schemascope_api::EdgeState::Possible => totals.possible += 1,
            schemascope_api::EdgeState::Broken => totals.broken += 1,
        }
    }
    totals
}

/// Selects the next or previous edge.
pub fn step(state: State, by: i32) {
    let selection = untrack(|| state.selection());
    let next = state.scene.with_untracked(|scene| {
        let at = match &selection {
            Some(Selection::Edge(from, to)) => scene.edge(from, to),
            _ => None,
        };
        let last = scene.edges.len().checked_sub(1)?;
        let next = at.map_or(0, |at| at.saturating_add_signed(by as isize).min(last));
        let edge = &scene.edges[next].edge;
        Some(Selection::Edge(edge.from.to_string(), edge.to.to_string()))
    });
    if next.is_some() {
        state.pivot.set(None);
        state.select(next);
    }
}

/// The arrow keys in the table: up and down by rows, left and right along edges.
fn key(state: State, event: &KeyboardEvent) {
    let along = match event.key().as_str() {
        "ArrowDown" | "ArrowUp" => {
            event.prevent_default();
            return step(state, if event.key() == "ArrowDown" { 1 } else { -1 });
        }
        "ArrowLeft" => Step::Left,
        "ArrowRight" => Step::Right,
        _ => return,
    };
    event.prevent_default();
    match untrack(|| state.selection()) {
        Some(Selection::Edge(from, to)) => {
            let next = state.scene.with_untracked(|scene| follow(scene, &from, &to, along));
            if let Some((from, to)) = next {
                state.pivot.set(None);
                state.select(Some(Selection::Edge(from, to)));
            }
        }
        _ => step(state, 0),
    }
}
