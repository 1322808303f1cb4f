//! Servers: the state of each and the reason for it, its log, and a button that restarts it; command-line tools and
//! discovery below.

mod discovery;

use std::sync::Arc;

use leptos::html::Section;
use leptos::prelude::*;
use schemascope_api::{ListServers, PageId, ServerRow, UpstreamState};

use super::start::NoServers;
use crate::app::{App, restart};
use crate::cells::{Memo, RwSignal, StoredValue, click, effect};
use crate::cli_tools::CommandLineTools;
use crate::numbers::span;
use crate::parts::{Foreign, Icon, KeyedRow, List, Loading, Views, keyed};
use crate::route::Route;
use crate::{browser, door};
use discovery::Discovery;

/// The last lines a server wrote, or why they cannot be read; none until they arrive.
type Log = RwSignal<Option<Result<Vec<String>, String>>>;

#[component]
pub fn Servers() -> impl IntoView {
    let app = App::get();
    let open = Memo::new(move || app.route.with(|route| route.item_of(PageId::Servers)));
    let rows = Memo::always(move || {
        Arc::new(app.live.servers(|servers| servers.values().cloned().collect::<Vec<_>>()))
    });
    let list = List::new(rows, |row: &Arc<ServerRow>| row.server_name.clone());
    list.selected.set(open.get_untracked());
    app.use_keys(list.keys(
        move |name| {
            let closing = open.get_untracked().as_ref() == Some(&name);
            app.replace(Route { item: (!closing).then_some(name), ..PageId::Servers.into() });
        },
        move || {
            let was_open = open.get_untracked().is_some();
            app.replace(PageId::Servers);
            was_open
        },
    ));
    let log: Log = RwSignal::new(None);
    let requested = StoredValue::new(None::<String>);
    let busy = StoredValue::new(false);
    // The log of the open server, every second.
    effect(move || {
        app.live.now.track();
        let name = open.get();
        if requested.get_value() != name {
            log.set(None);
            requested.set_value(name.clone());
        }
        let Some(name) = name else { return };
        if busy.get_value() {
            return;
        }
        busy.set_value(true);
        leptos::task::spawn_local(async move {
            let reply = door::call(&ListServers { server_name: Some(name.clone()) }).await;
            busy.set_value(false);
            let lines = reply.map_err(|error| error.to_string()).map(|reply| {
                let server = reply.servers.into_iter().find(|server| server.server_name == name);
                server.map(|server| server.log).unwrap_or_default()
            });
            if open.try_with_untracked(Clone::clone).flatten() == Some(name)
                && log.try_with_untracked(|known| known.as_ref() != Some(&lines)) == Some(true)
            {
                log.set(Some(lines));
            }
        });
    });
    let waiting = Memo::new(move || app.live.is_unknown());
    let names = Memo::new(move || app.live.servers(|servers| servers.keys().cloned().collect::<Vec<_>>()));
    let unknown = Memo::new(move || {
        let name = open.get().filter(|_| !waiting.get())?;
        (!names.with(|names| names.contains(&name))).then_some(name)
    });
    let none_configured =
        Memo::new(move || app.live.servers(|servers| servers.values().all(|row| row.built_in)));
    view! {
        <div class="page scrolls" tabindex="0" role="region" aria-label="Servers">
            <div class="title-row"><h1>"Servers"</h1><ConfigNote /></div>
            {move || (!waiting.get() && none_configured.get()).then(|| view! { <NoServers /> }.into_any())}
            {move || waiting.get().then(|| view! { <Loading /> }.into_any())}
            {move || unknown.get().map(|name| view! {
                <p class="quiet" role="status">"There is no server " <span class="mono"><Foreign text=name limit=64 /></span> ". " <a class="accent" href="/servers">"All servers"</a></p>
            }.into_any())}
            <div class="servers">
                {keyed(move || {
                    let row = |name: String| KeyedRow::new(name.clone(), move || view! {
                        <Server name=name open=open selected=list.selected log=log />
                    });
                    names.get().into_iter().map(row).collect()
                })}
            </div>
            <CommandLineTools />
            <Discovery />
        </div>
    }
}

#[component]
fn ConfigNote() -> impl IntoView {
    let app = App::get();
    move || {
        app.live.about().map(|about| {
            let problem = about.problem.clone();
            view! {
                <span class="dim cut" title="configuration file">"Configured in " <span class="mono">{about.config.clone()}</span></span>
                {problem.map(|problem| view! { <span class="tag bad">{problem}</span> }.into_any())}
            }
        })
    }
}

fn dot(state: UpstreamState) -> &'static str {
    match state {
        UpstreamState::Ready => "dot good",
        UpstreamState::Starting => "dot warn",
        UpstreamState::Failed | UpstreamState::Invalid => "dot bad",
        UpstreamState::Idle | UpstreamState::Disabled => "dot",
    }
}

#[component]
fn Server(
    /// Its name.
    name: String,
    /// The server whose log is shown.
    open: Memo<Option<String>>,
    /// The server selected by keyboard.
    selected: RwSignal<Option<String>>,
    /// The log of the open server.
    log: Log,
) -> impl IntoView {
    let app = App::get();
    let name = StoredValue::new(name);
    let row =
        Memo::always(move || app.live.servers(|servers| name.with_value(|name| servers.get(name).cloned())));
    let is_open = Memo::new(move || name.with_value(|name| open.get().as_ref() == Some(name)));
    let is_selected =
        move || name.with_value(|name| selected.with(|selected| selected.as_ref() == Some(name)));
    let place: NodeRef<Section> = NodeRef::new();
    effect(move || {
        if (is_selected() || is_open.get())
            && let Some(card) = place.get()
        {
            browser::show(&card);
        }
    });
    let toggle = move |_| {
        let open = (!is_open.get_untracked()).then(|| name.get_value());
        selected.set(Some(name.get_value()));
        app.replace(Route { item: open, ..PageId::Servers.into() });
    };
    let can_restart = move || {
        row.get().is_some_and(|row| !matches!(row.state, UpstreamState::Disabled | UpstreamState::Invalid))
    };
    view! {
        <section class="card server" node_ref=place data-selected=move || if is_selected() { "true" } else { "false" }
            aria-label=name.with_value(|name| crate::text::visible(name, 64))>
            <div class="line">
                <h2 class="mono"><Foreign text=name.get_value() limit=64 /></h2>
                <span class="state">
                    {move || row.get().map(|row| view! { <i class=dot(row.state)></i>{row.state.to_string()} }.into_any())}
                </span>
                <div>
                    {move || row.get().map(|row| view! {
                        {row.reason.clone().map(|reason| view! { <p class="reason"><Foreign text=reason limit=400 /></p> }.into_any())}
                        <p class="meta">
                            {row.tool_count.map(|tools| view! { <span>{format!("{tools} {}", if tools == 1 { "tool" } else { "tools" })}</span> }.into_any())}
                            {row.since.map(|since| {
                                let since = since.as_millis();
                                let word = if row.state == UpstreamState::Ready { "ready" } else { "failing" };
                                view! { <span title=browser::date_and_time(since)>{move || format!("{word} for {}", span(since, app.live.now.get()))}</span> }
                            })}
                            {row.pid.map(|pid| view! { <span>{format!("process {pid}")}</span> }.into_any())}
                            {row.protocol_version.clone().map(|version| view! { <span>"protocol " <Foreign text=version limit=40 /></span> }.into_any())}
                        </p>
                    }.into_any())}
                </div>
                <div class="buttons">
                    <button class="button small" on:click=click(toggle) aria-expanded=move || if is_open.get() { "true" } else { "false" }>
                        {move || if is_open.get() { "Hide log" } else { "Show log" }}
                    </button>
                    {move || can_restart().then(|| view! {
                        <button class="button small" on:click=click(move |_| restart(app, name.get_value()))>
                            <Icon name="refresh-cw" />
                            {move || match row.get().map(|row| row.state) {
                                Some(UpstreamState::Idle) => "Start",
                                _ => "Restart",
                            }}
                        </button>
                    }.into_any())}
                </div>
            </div>
            {move || is_open.get().then(|| view! {
                <pre tabindex="0" role="region" aria-label="Last lines of the log">
                    {move || log.with(|log| match log {
                        None => view! { <span class="faint">"Reading the log…"</span> }.into_any(),
                        Some(Err(error)) => view! { <span class="bad"><Foreign text=error.clone() limit=400 /></span> }.into_any(),
                        Some(Ok(lines)) if lines.is_empty() => {
                            view! { <span class="faint">"The server has written nothing to stderr."</span> }.into_any()
                        }
                        Some(Ok(lines)) => lines.iter().map(|line| view! { <Foreign text=line.clone() limit=1_100 />"\n" }.into_any()).views().into_any(),
                    })}
                </pre>
            }.into_any())}
        </section>
    }
}
