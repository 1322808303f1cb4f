//! Review: tools with drift nobody has seen, or a version that waits for a decision, with its impact beside it; `j k`
//! move, `p` promotes, `x` rejects, `a` acknowledges drift.

use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::{Decision, ListVersions, ToolRow, VersionRow, VersionState};

use crate::app::{App, Dialog};
use crate::cells::{Memo, RwSignal, click, effect};
use crate::door;
use crate::drift::{Drifted, Drifts};
use crate::live::Connection;
use crate::numbers::count;
use crate::order;
use crate::parts::{Empty, Icon, Ladder, List, Loading, Rows, ToolName};
use crate::route::Route;
use crate::versions::{Asking, asked, evidence, impact, wish};

#[component]
pub fn Review() -> impl IntoView {
    let app = App::get();
    let rows = Memo::always(move || {
        let waiting = |row: &&Arc<ToolRow>| waits(row);
        let mut rows = app.live.tools(|tools| tools.values().filter(waiting).cloned().collect::<Vec<_>>());
        // What changed under somebody's hands comes first.
        order::sort(&mut rows, |a, b| {
            (a.drift_waiting == 0).cmp(&(b.drift_waiting == 0)).then_with(|| a.tool_id.cmp(&b.tool_id))
        });
        Arc::new(rows)
    });
    let list = List::new(rows, |row: &Arc<ToolRow>| row.tool_id.clone());
    // The one in the address, else the first.
    let open = Memo::new(move || {
        let chosen = app.route.with(|route| match route {
            Route::Review { open } => open.clone(),
            _ => None,
        });
        let first = || rows.with(|rows| rows.first().map(|row| row.tool_id.clone()));
        let is_there = |id: &String| rows.with(|rows| rows.iter().any(|row| row.tool_id == *id));
        chosen.filter(is_there).or_else(first)
    });
    // With the version in force: another one there changes what this one's impact is.
    let candidate = Memo::new(move || {
        let id = open.get()?;
        rows.with(|rows| {
            let row = rows.iter().find(|row| row.tool_id == id)?;
            Some((id, row.candidate_version?, row.effective_version))
        })
    });
    effect(move || list.selected.set(open.get()));
    // Of the one that is open.
    let drifts = Memo::always(move || open.get().map(Drifts::follow));
    let has_drift = Memo::new(move || {
        drifts.get().is_some_and(|drifts| drifts.open().iter().any(|row| row.acknowledged.is_none()))
    });
    let decide = move |decision: fn(Option<u32>) -> Decision| {
        if let Some((tool_id, version, _)) = candidate.get_untracked() {
            let asking = Asking { tool_id, decision: decision(Some(version)), version: Some(version) };
            app.dialog.set(Some(Dialog::Decide(asking)));
        }
    };
    let promote: fn(Option<u32>) -> Decision = |version| Decision::Promote { version };
    let reject: fn(Option<u32>) -> Decision = |version| Decision::Reject { version };
    let mut keys = list.keys(move |id| app.go(Route::tool(&id)), || false);
    keys.step = Callback::new(move |by| {
        list.step(by);
        app.go_quietly(Route::Review { open: list.selected.get_untracked() });
    });
    keys.act = Callback::new(move |key: String| {
        match key.as_str() {
            "p" => decide(promote),
            "x" => decide(reject),
            "a" => drifts.with_untracked(|drifts| drifts.iter().for_each(|drifts| drifts.ask(app, None))),
            _ => return false,
        }
        true
    });
    app.use_keys(keys);
    let none = Memo::new(move || rows.with(|rows| rows.is_empty()));
    let waiting = Memo::new(move || app.live.connection.get() == Connection::Connecting);
    view! {
        <div class="page review">
            <div class="title-row">
                <h1>"Review"</h1>
                <span class="dim">{move || match rows.with(|rows| rows.len()) {
                    0 => String::new(),
                    1 => "1 tool waits for a decision".to_owned(),
                    n => format!("{} tools wait for a decision", count(n as u64)),
                }}</span>
            </div>
            {move || if waiting.get() {
                view! { <Loading /> }.into_any()
            } else if none.get() {
                view! {
                    <Empty icon="check" title="Nothing waits">
                        <p>"When a tool's schema has held for some results, or has become another, it waits here to be promoted or rejected. When a tool returns something else than it did, that waits here to be seen."</p>
                    </Empty>
                }.into_any()
            } else {
                view! {
                    <div class="review-grid">
                        <section class="card table waiting" aria-label="Waiting">
                            <Rows list=list label="Tools that wait for a decision" draw=drawn
                                href=address revision=revision />
                        </section>
                        <section class="card scrolls" tabindex="0" aria-label="What waits">
                            {move || open.get().map(|id| view! {
                                <header>
                                    <h2><a href=Route::tool(&id).address()><ToolName id=id.clone() /></a></h2>
                                    <span class="side">{move || has_drift.get().then(|| view! {
                                        <button class="button small" title="a" on:click=click(move |_| drifts.with_untracked(|drifts| drifts.iter().for_each(|drifts| drifts.ask(app, None))))>"Acknowledge drift… "<kbd>"a"</kbd></button>
                                    }.into_any())}</span>
                                </header>
                                {move || drifts.get().filter(|drifts| !drifts.open().is_empty()).map(|drifts| view! {
                                    <div class="drift"><Drifted drifts=drifts /></div>
                                }.into_any())}
                            }.into_any())}
                            {move || candidate.get().map(|(id, version, _)| view! {
                                <header>
                                    <h2>{format!("Version {version}")}</h2>
                                    <span class="side">
                                        <button class="button small primary" title="p" on:click=click(move |_| decide(promote))>{wish(promote(Some(version)))} "… "<kbd>"p"</kbd></button>
                                        <button class="button small" title="x" on:click=click(move |_| decide(reject))>{wish(reject(Some(version)))} "… "<kbd>"x"</kbd></button>
                                    </span>
                                </header>
                                <Waiting id=id version=version />
                            }.into_any())}
                        </section>
                    </div>
                }.into_any()
            }}
        </div>
    }
}

/// Whether something of a tool waits for a person.
pub fn waits(row: &ToolRow) -> bool {
    row.candidate_version.is_some() || row.drift_waiting > 0
}

fn address(row: &Arc<ToolRow>) -> String {
    Route::Review { open: Some(row.tool_id.clone()) }.address()
}

fn revision(row: &Arc<ToolRow>) -> u64 {
    u64::from(row.drift_waiting) << 48
        | u64::from(row.effective_version.unwrap_or_default() & 0x1FFF) << 35
        | (u64::from(row.candidate_version.unwrap_or_default()) << 3)
        | row.quality as u64
}

fn drawn(row: &Arc<ToolRow>) -> AnyView {
    let version = row.candidate_version.map(|version| format!("v{version}"));
    let in_force =
        row.effective_version.map_or_else(|| "first".to_owned(), |version| format!("after v{version}"));
    let in_force = row.candidate_version.map(|_| in_force);
    let drift = (row.drift_waiting > 0).then(|| {
        view! { <span class="mark warn" title="drift nobody has seen"><Icon name="triangle-alert" /><span class="hidden">"drift: "</span></span> }
            .into_any()
    });
    view! {
        <span class="cut">{drift}<ToolName id=row.tool_id.clone() /></span>
        <span class="mono">{version} <span class="faint">" " {in_force}</span></span>
        <Ladder quality=row.quality violated=row.violated />
    }
    .into_any()
}

/// A version's impact and what it rests on.
#[component]
fn Waiting(
    /// `server__tool`.
    id: String,
    /// Its number.
    version: u32,
) -> impl IntoView {
    let row = RwSignal::new(None::<Arc<VersionRow>>);
    let command = ListVersions { tool_id: id.clone() };
    leptos::task::spawn_local(async move {
        let Ok(reply) = door::call(&command).await else { return };
        let found = reply.versions.into_iter().find(|row| row.version == version);
        row.set(found.map(Arc::new));
    });
    let known = asked(move || Some((id.clone(), version)));
    view! {
        <div class="compare">
            <h3>"Impact"</h3>
            {impact(known, true)}
            {move || row.get().map(|row| view! {
                {(row.state != VersionState::Candidate).then(|| view! {
                    <p class="quiet"><Icon name="check" />" Decided meanwhile."</p>
                }.into_any())}
                <h3>"Evidence"</h3>
                {evidence(&row)}
            }.into_any())}
        </div>
    }
}
