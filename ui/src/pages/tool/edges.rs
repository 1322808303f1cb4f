//! The tools that feed this one, and those that it feeds.

use leptos::prelude::*;
use schemascope_api::{Edge, GetGraph};

use crate::app::App;
use crate::browser;
use crate::cells::{Memo, RwSignal, StoredValue, effect};
use crate::door;
use crate::graph::words::{confidence, field, mark, sentence, tool};
use crate::live::Connection;
use crate::parts::{Foreign, Views};
use crate::route::Route;

/// Most edges listed on each side.
const MAX_EDGES: usize = 6;
/// Shortest time between two updates, in milliseconds.
const UPDATE_INTERVAL_MS: i32 = 2_000;

#[component]
pub fn Edges(
    /// `server__tool`.
    id: String,
) -> impl IntoView {
    let app = App::get();
    let known = RwSignal::new(Vec::<Edge>::new());
    let (busy, wanted, again) = (StoredValue::new(false), StoredValue::new(false), RwSignal::new(0_u32));
    let asked = id.clone();
    effect(move || {
        again.track();
        app.live.calls(|_| ());
        app.decided.track();
        if app.live.connection.get() != Connection::Live {
            return;
        }
        if busy.get_value() {
            return wanted.set_value(true);
        }
        busy.set_value(true);
        wanted.set_value(false);
        let command = GetGraph { focus: Some(asked.clone()), ..GetGraph::default() };
        leptos::task::spawn_local(async move {
            if let Ok(view) = door::call(&command).await
                && known.try_with_untracked(|known| *known != view.edges) == Some(true)
            {
                known.set(view.edges);
            }
            browser::sleep(UPDATE_INTERVAL_MS).await;
            busy.update_value(|busy| *busy = false);
            if wanted.try_with_value(Clone::clone) == Some(true) {
                again.update(|again| *again += 1);
            }
        });
    });
    let graph = Route::graph(&id).address();
    let side = move |is_fed: bool| {
        let id = id.clone();
        Memo::new(move || {
            known.with(|known| {
                let own =
                    known.iter().filter(|edge| if is_fed { *edge.to == *id } else { *edge.from == *id });
                own.cloned().collect::<Vec<Edge>>()
            })
        })
    };
    let (fed_by, feeds) = (side(true), side(false));
    move || {
        known.with(|known| !known.is_empty()).then(|| {
            view! {
            <section class="card" id="edges">
                <header>
                    <h2>"Edges"</h2>
                    <span class="side"><a class="accent" href=graph.clone()>"Graph"</a></span>
                </header>
                <div class="edge-list">{list("Is fed by", fed_by, true)}{list("Feeds", feeds, false)}</div>
            </section>
        }.into_any()
        })
    }
}

fn list(title: &'static str, edges: Memo<Vec<Edge>>, is_fed: bool) -> AnyView {
    let draw = move || {
        let edges = edges.get();
        let more = edges.len().saturating_sub(MAX_EDGES);
        (!edges.is_empty()).then(|| {
            view! {
                <h3>{title}</h3>
                <ul>{edges.iter().take(MAX_EDGES).map(|edge| line(edge, is_fed)).views()}</ul>
                {(more > 0).then(|| view! { <p class="quiet">{format!("… {more} more")}</p> }.into_any())}
            }
            .into_any()
        })
    };
    view! { {draw} }.into_any()
}

fn line(edge: &Edge, is_fed: bool) -> AnyView {
    let (own, other) = if is_fed { (&edge.to, &edge.from) } else { (&edge.from, &edge.to) };
    let mut route = Route::graph(own);
    route.params.extend([("from", edge.from.to_string()), ("to", edge.to.to_string())]);
    let best = edge.fields.first().map(field).unwrap_or_default();
    let sign = if edge.threatened_by.is_empty() { mark(edge) } else { "▲" };
    view! {
        <li title=sentence(edge)>
            <span aria-hidden="true">{sign}</span>
            <a class="accent mono cut" href=route.address() aria-label=sentence(edge)>{tool(other)}</a>
            <span class="mono cut fields"><Foreign text=best limit=120 /></span>
            <span class="num right">{confidence(edge.confidence)}</span>
        </li>
    }
    .into_any()
}
