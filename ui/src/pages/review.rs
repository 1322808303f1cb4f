//! Review: tools with drift to acknowledge or a version to decide about, with its impact; requests of agents and proposals of interviews above.

mod candidates;
mod queue;

use std::collections::BTreeSet;
use std::sync::Arc;

use leptos::ev::MouseEvent;
use leptos::prelude::*;
use schemascope_api::{CandidateRow, Decision, ListVersions, PageId, VersionRow, VersionState};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlAnchorElement};

use crate::app::{App, Dialog};
use crate::cells::{Memo, RwSignal, click, effect};
use crate::cli_tools::{CliList, Requests};
use crate::door;
use crate::drift::{DriftList, Drifts};
use crate::export::Exporting;
use crate::interviews::{Proposals, open_proposals};
use crate::live::Connection;
use crate::numbers::count;
use crate::parts::{Empty, Icon, List, Loading, Rows, ToolName, bare_table};
use crate::route::Route;
use crate::versions::{Batch, Deciding, Parts, Verb, action, evidence, impact, reasons, request_impact};
use queue::{COLUMNS, Marked, address, follow_address, key, mark_to, waiting};

#[component]
pub fn Review() -> impl IntoView {
    let app = App::get();
    let candidates = candidates::follow();
    let requests = CliList::follow().requests();
    let proposals = open_proposals(app);
    let marked: Marked = RwSignal::new(BTreeSet::new());
    let rows = waiting(candidates, marked);
    let list = List::new(rows, key);
    let open = follow_address(list, candidates);
    // The open candidate.
    let candidate = Memo::new(move || {
        let id = open.get()?;
        let settled = app.settled.get();
        rows.with(|rows| {
            let row = rows.iter().find(|row| row.tool.tool_id == id)?;
            let version = row.tool.candidate_version?;
            let is_settled = settled.iter().any(|(of, settled)| *of == id && *settled == version);
            // With the active version, as the impact depends on it.
            (!is_settled).then_some((id, version, row.tool.effective_version))
        })
    });
    let judged = Memo::new(move || {
        let id = open.get()?;
        rows.with(|rows| rows.iter().find(|row| row.tool.tool_id == id)?.candidate.clone())
    });
    // Of the open tool.
    let drifts = Memo::always(move || open.get().map(Drifts::follow));
    let has_drift = Memo::new(move || {
        drifts.get().is_some_and(|drifts| drifts.open().iter().any(|row| row.acknowledged.is_none()))
    });
    let all = move |wanted: &dyn Fn(&CandidateRow) -> bool| {
        rows.with(|rows| {
            rows.iter().filter_map(|row| row.candidate.clone()).filter(wanted).collect::<Vec<_>>()
        })
    };
    // What was decided is no longer marked.
    effect(move || {
        let waits = |id: &String| rows.with(|rows| rows.iter().any(|row| row.tool.tool_id == *id));
        if marked.with_untracked(|marked| !marked.iter().all(waits)) {
            marked.update(|marked| marked.retain(waits));
        }
    });
    let ready = Memo::new(move || all(&|row| row.readiness.ready));
    let ask_all = move |verb: Verb, rows: Vec<CandidateRow>| {
        if !rows.is_empty() {
            app.dialog.set(Some(Dialog::Batch(Batch { verb, rows })));
        }
    };
    let decide_open = move |verb: Verb| {
        if let Some((tool_id, number, active)) = candidate.get_untracked() {
            let version = Some(number);
            let decision = match verb {
                Verb::Promote => Decision::Promote { version },
                Verb::Reject => Decision::Reject { version },
            };
            app.dialog.set(Some(Dialog::Decide(Deciding { tool_id, decision, version, active })));
        }
    };
    // By keys, about the tools that are selected.
    let decide = move |verb: Verb| {
        let chosen = marked.get_untracked();
        if chosen.is_empty() {
            return decide_open(verb);
        }
        let rows = untrack(|| all(&|row| chosen.contains(&row.tool_id)));
        if rows.is_empty() {
            app.notify("None of the selected tools has a version to decide about");
        }
        ask_all(verb, rows);
    };
    let mut keys = list.keys(
        move |id| app.go(Route::tool(&id)),
        move || {
            let had = marked.with_untracked(|marked| !marked.is_empty());
            marked.set(BTreeSet::new());
            had
        },
    );
    let step = move |by: i32| {
        list.step(by);
        app.replace(Route { item: list.selected.get_untracked(), ..PageId::Review.into() });
    };
    keys.step = Callback::new(step);
    let acknowledge = move || {
        drifts.with_untracked(|drifts| drifts.iter().for_each(|drifts| drifts.acknowledge(app, None)));
    };
    let mark = move || marked.update(|marked| marked.extend(list.selected.get_untracked()));
    keys.act = Callback::new(move |key: char| match key {
        'p' => decide(Verb::Promote),
        'x' => decide(Verb::Reject),
        'a' => acknowledge(),
        ' ' => {
            let Some(id) = list.selected.get_untracked() else { return };
            marked.update(|marked| {
                if !marked.remove(&id) {
                    marked.insert(id);
                }
            });
        }
        'J' | 'K' => {
            mark();
            step(if key == 'J' { 1 } else { -1 });
            mark();
        }
        _ => {}
    });
    app.use_keys(keys);
    let extend = click(move |event: MouseEvent| {
        if !event.shift_key() {
            return;
        }
        if let Some(id) = tool_of(&event) {
            event.prevent_default();
            mark_to(list, marked, &id);
        }
    });
    let none = Memo::new(move || rows.with(|rows| rows.is_empty()));
    let loading = Memo::new(move || app.live.is_unknown());
    view! {
        <div class="page review">
            <div class="title-row">
                <h1>"Review"</h1>
                <span class="dim">{move || match (rows.with(|rows| rows.len()), marked.with(BTreeSet::len)) {
                    (0, _) => String::new(),
                    (1, 0) => "1 tool to review".to_owned(),
                    (n, 0) => format!("{} tools to review", count(n as u64)),
                    (n, chosen) => format!("{} of {} tools selected: p promotes, x rejects", count(chosen as u64), count(n as u64)),
                }}</span>
                <span class="side">
                    {move || (!ready.with(Vec::is_empty)).then(|| view! {
                        <button class="button small" id="promote-all" on:click=click(move |_| ask_all(Verb::Promote, ready.get_untracked()))>
                            {move || format!("Promote all that break nothing ({})…", ready.with(Vec::len))}
                        </button>
                    }.into_any())}
                    <button class="button small" on:click=click(move |_| app.dialog.set(Some(Dialog::Export(Exporting::all()))))>"Export…"</button>
                </span>
            </div>
            {move || if loading.get() {
                view! { <Loading /> }.into_any()
            } else if none.get() && requests.with(Vec::is_empty) && proposals.with(Vec::is_empty) {
                view! {
                    <Empty icon="check" title="Nothing to review">
                        <p>"New versions of a schema appear here to be promoted or rejected, changes in the results of a tool to be acknowledged, descriptions of fields from interviews, and programs that agents ask for to be approved or rejected."</p>
                    </Empty>
                }.into_any()
            } else {
                ().into_any()
            }}
            <Requests requests=requests />
            <Proposals proposals=proposals />
            <div class="review-grid" class:absent=move || loading.get() || none.get()>
                <section class="card queue" aria-label="Tools" on:click=extend>
                    {bare_table("waiting", COLUMNS, view! {
                        <Rows list=list label="Tools to review" columns=COLUMNS href=address />
                    })}
                </section>
                <section class="card scrolls" tabindex="0" aria-label="To review">
                    {move || open.get().is_none().then(|| view! { <div class="compare"><p class="dim">"This tool waits for no decision."</p></div> }.into_any())}
                    {move || open.get().map(|id| view! {
                        <header>
                            <h2><a href=Route::tool(&id).address()><ToolName id=id.clone() /></a></h2>
                            <span class="side"><a class="accent" href=Route::graph(&id).address()>"Graph"</a>{move || has_drift.get().then(|| view! {
                                <button class="button small" title="a" on:click=click(move |_| acknowledge())>"Acknowledge drift… "<kbd>"a"</kbd></button>
                            }.into_any())}</span>
                        </header>
                        {move || drifts.get().filter(|drifts| !drifts.open().is_empty()).map(|drifts| view! {
                            <div class="drift"><DriftList drifts=drifts /></div>
                        }.into_any())}
                    }.into_any())}
                    {move || candidate.get().map(|(id, version, _)| view! {
                        <header>
                            <h2>{format!("Version {version}")}</h2>
                            <span class="side">
                                <button class="button small promote" class:primary=move || judged.with(is_ready) title="p" on:click=click(move |_| decide_open(Verb::Promote))>{action(Decision::Promote { version: Some(version) })} "… "<kbd>"p"</kbd></button>
                                <button class="button small" title="x" on:click=click(move |_| decide_open(Verb::Reject))>{action(Decision::Reject { version: Some(version) })} "… "<kbd>"x"</kbd></button>
                            </span>
                        </header>
                        <p class="verdict">{move || judged.with(|judged| judged.as_ref().map(|row| reasons(&row.readiness)))}</p>
                        <Candidate id=id version=version judged=judged />
                    }.into_any())}
                </section>
            </div>
        </div>
    }
}

fn is_ready(judged: &Option<CandidateRow>) -> bool {
    judged.as_ref().is_some_and(|row| row.readiness.ready)
}

/// The tool of the row that was clicked.
fn tool_of(event: &MouseEvent) -> Option<String> {
    let target: Element = event.target()?.dyn_into().ok()?;
    let anchor: HtmlAnchorElement = target.closest("a[href]").ok()??.dyn_into().ok()?;
    Route::parse(&anchor.pathname(), "").item_of(PageId::Review)
}

/// The impact of a version and the evidence for it.
#[component]
fn Candidate(
    /// `server__tool`.
    id: String,
    /// Its number.
    version: u32,
    /// Its readiness, which changes as results arrive.
    judged: Memo<Option<CandidateRow>>,
) -> impl IntoView {
    let app = App::get();
    let row = RwSignal::new(None::<Arc<VersionRow>>);
    let command = ListVersions { tool_id: id.clone() };
    effect(move || {
        let is_live = app.live.connection.get() == Connection::Live;
        if !is_live || row.with_untracked(Option::is_some) {
            return;
        }
        let command = command.clone();
        leptos::task::spawn_local(async move {
            let Ok(reply) = door::call(&command).await else { return };
            let found = reply.versions.into_iter().find(|row| row.version == version);
            row.set(found.map(Arc::new));
        });
    });
    let results = move || {
        judged.with(|judged| {
            judged.as_ref().map_or(0, |row| row.readiness.since.fits + row.readiness.since.violates)
        })
    };
    let known = request_impact(move || Some((id.clone(), version)), results);
    view! {
        <div class="compare">
            <h3>"Impact"</h3>
            {impact(known, Parts { clients: true, changes: true })}
            {move || row.get().map(|row| view! {
                {(row.state != VersionState::Candidate).then(|| view! {
                    <p class="quiet"><Icon name="check" />" This version was decided in the meantime."</p>
                }.into_any())}
                <h3>"Evidence"</h3>
                {evidence(&row)}
            }.into_any())}
        </div>
    }
}
