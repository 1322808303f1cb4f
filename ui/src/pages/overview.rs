//! Overview: what can be relied on, what needs a person, what happens now.

use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::{CallRow, Coverage, GetCoverage, Standings, Timestamp, ToolRow, UpstreamState};

use crate::app::App;
use crate::cells::{Memo, RwSignal, StoredValue, click};
use crate::charts::{self, Chart};
use crate::live::Connection;
use crate::numbers::{ago, count, duration, percent};
use crate::pages::tools::NoTools;
use crate::parts::{Column, Empty, Foreign, Head, Ladder, Loading, OutcomeWord, Row, ToolName, Views, keyed};
use crate::route::Route;
use crate::{browser, door, order};

/// Rows of the short lists.
const SHORT: usize = 12;

const BUSIEST: &[Column] = &[
    Column { name: "tool", class: "", sort: None },
    Column { name: "quality", class: "", sort: None },
    Column { name: "observed", class: "right", sort: None },
    Column { name: "consistency", class: "", sort: None },
    Column { name: "last seen", class: "right", sort: None },
];
const LATEST: &[Column] = &[
    Column { name: "time", class: "", sort: None },
    Column { name: "tool", class: "", sort: None },
    Column { name: "took", class: "right", sort: None },
    Column { name: "ended", class: "", sort: None },
];

#[component]
pub fn Overview() -> impl IntoView {
    let app = App::get();
    let waiting = Memo::new(move || app.live.connection.get() == Connection::Connecting);
    view! {
        <div class="page scrolls" tabindex="0" role="region" aria-label="Overview">
            <h1 class="hidden">"Overview"</h1>
            {move || if waiting.get() {
                view! { <Loading /> }.into_any()
            } else {
                view! {
                    <div class="overview">
                        <Reliable />
                        <Calls />
                        <Recorder />
                        <Upstreams />
                        <CoverageOverTime />
                        <Needs />
                        <Busiest />
                        <Latest />
                    </div>
                }.into_any()
            }}
        </div>
    }
}

/// Name, class and number of what tools are told apart by.
type Kind = (&'static str, &'static str, fn(&Standings) -> u64);

#[component]
fn Reliable() -> impl IntoView {
    let app = App::get();
    let standings = Memo::new(move || {
        app.live.tools(|_| ());
        app.live.picture(|picture| picture.standings())
    });
    let kinds: [Kind; 5] = [
        ("declared", "c-declared", |s| s.declared),
        ("learned", "c-learned", |s| s.learned),
        ("violated", "c-violated", |s| s.violated),
        ("learning", "c-learning", |s| s.learning),
        ("unseen", "c-unseen", |s| s.unseen),
    ];
    view! {
        <section class="card kpi wide" id="reliable">
            <h2>"Tools with a schema to rely on"</h2>
            <p class="value">
                {move || count(standings.get().reliable())} <small>" of " {move || count(standings.get().total())}</small>
            </p>
            <div class="stack" aria-hidden="true">
                {kinds.into_iter().map(|(_, class, of)| {
                    view! { <i class=class style:flex-grow=move || of(&standings.get()).to_string()></i> }.into_any()
                }).views()}
            </div>
            <div class="key">
                {kinds.into_iter().map(|(name, class, of)| view! {
                    <span class:faint=move || of(&standings.get()) == 0>
                        <i class=format!("swatch {class}")></i>{name} " " <b>{move || count(of(&standings.get()))}</b>
                    </span>
                }.into_any()).views()}
            </div>
        </section>
    }
}

#[component]
fn Calls() -> impl IntoView {
    let app = App::get();
    view! {
        <section class="card kpi narrow">
            <h2>"Calls"</h2>
            <p class="value">{move || app.live.pulse.with(|pulse| count(pulse.call_count))}</p>
            <p>
                {move || app.live.pulse.with(|pulse| {
                    let failed = format!("{} failed", percent(pulse.failure_count, pulse.call_count));
                    match pulse.latency.count {
                        0 => failed,
                        _ => format!("{failed} · p50 {} · p99 {}", duration(pulse.latency.p50_us), duration(pulse.latency.p99_us)),
                    }
                })}
            </p>
        </section>
    }
}

#[component]
fn Recorder() -> impl IntoView {
    let app = App::get();
    let recorder = Memo::new(move || app.live.pulse.with(|pulse| pulse.recorder.clone()));
    view! {
        <section class="card kpi narrow">
            <h2>"Recorder"</h2>
            <p class="value">
                {move || match (recorder.get().stalled.is_some(), recorder.get().latency.count) {
                    _ if recorder.get().off => view! { <span class="warn">"off"</span> }.into_any(),
                    (true, _) => view! { <span class="bad">"stopped"</span> }.into_any(),
                    (_, 0) => "idle".into_any(),
                    _ if recorder.get().waiting > 500 => view! {
                        {count(recorder.get().waiting)} <small>" waiting"</small>
                    }.into_any(),
                    _ => view! { {duration(recorder.get().latency.p50_us)} <small>" behind"</small> }.into_any(),
                }}
            </p>
            <p>
                {move || {
                    let recorder = recorder.get();
                    if recorder.off {
                        return "calls are not stored or learned from".into_any();
                    }
                    let class = |lost: u64| if lost > 0 { "warn" } else { "" };
                    view! {
                        <span class=class(recorder.dropped)>{count(recorder.dropped)} " dropped"</span> " · "
                        {(recorder.bodies_left_out > 0).then(|| view! {
                            <span class="warn">{count(recorder.bodies_left_out)} " without bodies"</span> " · "
                        }.into_any())}
                        {(recorder.not_judged > 0).then(|| view! {
                            <span class="warn">{count(recorder.not_judged)} " not judged by their schema"</span> " · "
                        }.into_any())}
                        {count(recorder.redacted_values)} " secrets redacted"
                    }
                    .into_any()
                }}
            </p>
        </section>
    }
}

#[component]
fn Upstreams() -> impl IntoView {
    let app = App::get();
    let states = Memo::new(move || {
        app.live.servers(|servers| {
            servers.values().map(|server| (server.server_name.clone(), server.state)).collect::<Vec<_>>()
        })
    });
    let dot = |state| match state {
        UpstreamState::Ready => "dot good",
        UpstreamState::Starting => "dot warn",
        UpstreamState::Failed | UpstreamState::Invalid => "dot bad",
        UpstreamState::Idle | UpstreamState::Disabled => "dot",
    };
    view! {
        <section class="card kpi narrow">
            <h2>"Servers"</h2>
            <p class="value">
                {move || states.get().iter().filter(|(_, state)| *state == UpstreamState::Ready).count()}
                <small>" of " {move || states.get().len()} " ready"</small>
            </p>
            <p class="dots">
                {move || states.get().into_iter().take(12).map(|(name, state)| {
                    let href = Route::Servers { open: Some(name.clone()) }.address();
                    let title = format!("{}: {state}", crate::text::visible(&name, 60));
                    view! { <a href=href title=title.clone() aria-label=title><i class=dot(state)></i></a> }.into_any()
                }).views()}
            </p>
        </section>
    }
}

#[component]
fn CoverageOverTime() -> impl IntoView {
    /// Spans that can be looked at, in milliseconds; none is everything.
    const SPANS: [(&str, Option<u64>); 4] = [
        ("hour", Some(3_600_000)),
        ("day", Some(86_400_000)),
        ("30 days", Some(2_592_000_000)),
        ("all", None),
    ];
    let app = App::get();
    let span = RwSignal::new(SPANS[3]);
    let coverage = RwSignal::new(None::<Coverage>);
    let asked = StoredValue::new(0_u64);
    Effect::new(move |before: Option<(&'static str, Option<u64>)>| {
        let (now, span) = (app.live.now.get(), span.get());
        app.live.snapshots.track();
        // Every five seconds, and at once for another span.
        if before == Some(span) && now.saturating_sub(asked.get_value()) < 5_000 {
            return span;
        }
        asked.set_value(now);
        let since = span.1.map(|millis| Timestamp::from_millis(now.saturating_sub(millis)));
        leptos::task::spawn_local(async move {
            if let Ok(reply) = door::call(&GetCoverage { since }).await {
                coverage.set(Some(reply));
            }
        });
        span
    });
    let label = Signal::derive(move || {
        coverage.with(|coverage| {
            let last = coverage.as_ref().and_then(|coverage| coverage.points.last());
            last.map_or_else(
                || "no tools yet".to_owned(),
                |last| {
                    format!(
                        "schema coverage over time; now {} of {} tools have a schema to rely on",
                        last.tools.reliable(),
                        last.tools.total()
                    )
                },
            )
        })
    });
    let draw = Callback::new(move |size| {
        coverage.with(|coverage| {
            coverage.as_ref().map(|coverage| charts::coverage(&coverage.points, size)).unwrap_or_default()
        })
    });
    view! {
        <section class="card two-thirds">
            <header>
                <h2>"Schema coverage"</h2>
                <span class="segments" role="group" aria-label="Span">
                    {SPANS.into_iter().map(|choice| view! {
                        <button aria-pressed=move || if span.get() == choice { "true" } else { "false" }
                            on:click=click(move |_| span.set(choice))>{choice.0}</button>
                    }.into_any()).views()}
                </span>
            </header>
            <div class="chart-box">
                {move || coverage.with(|c| c.as_ref().is_some_and(|c| c.points.is_empty())).then(|| view! {
                    <p class="empty">"Coverage is drawn as soon as tools are known."</p>
                }.into_any())}
                <Chart label=label draw=draw />
            </div>
        </section>
    }
}

/// Something a person should look at.
#[derive(Clone, PartialEq)]
struct Need {
    kind: &'static str,
    class: &'static str,
    title: String,
    text: String,
    href: String,
}

#[component]
fn Needs() -> impl IntoView {
    let app = App::get();
    let needs = Memo::new(move || needs(app));
    let shown = RwSignal::new(5_usize);
    view! {
        <section class="card third" id="needs">
            <header>
                <h2>"Needs you"</h2>
                <span class="num">{move || match needs.with(Vec::len) { 0 => String::new(), n => n.to_string() }}</span>
            </header>
            <div class="needs">
                {move || needs.with(Vec::is_empty).then(|| view! { <p class="empty">"Nothing. All servers work, and every declared schema is kept."</p> }.into_any())}
                {move || needs.get().into_iter().take(shown.get()).map(|need| view! {
                    <div class="need">
                        <span><span class=format!("tag {}", need.class)>{need.kind}</span></span>
                        <div><Foreign text=need.title limit=120 /><p><Foreign text=need.text limit=260 /></p></div>
                        {(!need.href.is_empty()).then(|| view! { <a class="button small" href=need.href>"Look"</a> }.into_any())}
                    </div>
                }.into_any()).views()}
                {move || (needs.with(Vec::len) > shown.get()).then(|| view! {
                    <button class="button bare" on:click=click(move |_| shown.update(|shown| *shown += 50))>
                        {format!("{} more", needs.with(Vec::len) - shown.get())}
                    </button>
                }.into_any())}
            </div>
        </section>
    }
}

fn needs(app: App) -> Vec<Need> {
    let mut needs = Vec::new();
    if let Some(about) = app.live.about() {
        needs.extend(about.problem.iter().map(|problem| Need {
            kind: "config",
            class: "bad",
            title: about.config.clone(),
            text: problem.clone(),
            href: Route::Servers { open: None }.address(),
        }));
        let (file, problems) = about.overrides.clone();
        needs.extend(problems.into_iter().map(|problem| Need {
            kind: "overrides",
            class: "bad",
            title: file.clone(),
            text: problem,
            href: Route::Servers { open: None }.address(),
        }));
    }
    app.live.servers(|servers| {
        let broken = |state| matches!(state, UpstreamState::Failed | UpstreamState::Invalid);
        needs.extend(servers.values().filter(|server| broken(server.state)).map(|server| Need {
            kind: "server",
            class: "bad",
            title: server.server_name.clone(),
            text: server.reason.clone().unwrap_or_default(),
            href: Route::Servers { open: Some(server.server_name.clone()) }.address(),
        }));
    });
    app.live.tools(|tools| {
        needs.extend(tools.values().filter(|tool| tool.violated).map(|tool| Need {
            kind: "violated",
            class: "warn",
            title: tool.tool_id.replacen("__", " / ", 1),
            text: "Less than 95 % of its results fit the schema its server declares.".into(),
            href: Route::tool(&tool.tool_id).address(),
        }));
    });
    app.live.tools(|tools| {
        needs.extend(tools.values().filter(|tool| tool.drift_waiting > 0).map(|tool| Need {
            kind: "drift",
            class: "warn",
            title: tool.tool_id.replacen("__", " / ", 1),
            text: match tool.drift_waiting {
                1 => "It returns something else than it did.".into(),
                n => format!("It returns something else than it did: {n} changes."),
            },
            href: Route::Review { open: Some(tool.tool_id.clone()) }.address(),
        }));
    });
    if app.live.pulse.with(|pulse| pulse.recorder.index_behind) {
        needs.push(Need {
            kind: "index",
            class: "warn",
            title: "Lists stand still".into(),
            text: "The index refuses to be written. Calls are recorded all the same, and shown after the next start.".into(),
            href: String::new(),
        });
    }
    if let Some(about) = app.live.about() {
        needs.extend(about.recovery.iter().map(|note| Need {
            kind: "mended",
            class: "warn",
            title: "At the last start".into(),
            text: note.clone(),
            href: String::new(),
        }));
    }
    needs
}

#[component]
fn Busiest() -> impl IntoView {
    let app = App::get();
    let rows = Memo::always(move || {
        let mut rows: Vec<Arc<ToolRow>> = app
            .live
            .tools(|tools| tools.values().filter(|tool| tool.last_observed.is_some()).cloned().collect());
        order::sort(&mut rows, |a, b| {
            b.observation_count.cmp(&a.observation_count).then_with(|| a.tool_id.cmp(&b.tool_id))
        });
        rows.truncate(SHORT);
        rows
    });
    let none = Memo::new(move || rows.with(Vec::is_empty));
    view! {
        <section class="card two-thirds busiest">
            <header><h2>"Most observed"</h2><a class="accent" href="/tools">"All tools"</a></header>
            {move || if none.get() {
                view! { <NoTools /> }.into_any()
            } else {
                view! {
                    <Head columns=BUSIEST />
                    <div>
                        {keyed(move || {
                            let row = |row: Arc<ToolRow>| {
                                let key = format!("{} {} {} {} {}", row.tool_id, row.observation_count, row.violated, row.source, row.quality);
                                Row::new(key, move || view! { <Busy row=row /> })
                            };
                            rows.get().into_iter().map(row).collect()
                        })}
                    </div>
                }.into_any()
            }}
        </section>
    }
}

#[component]
fn Busy(
    /// The tool.
    row: Arc<ToolRow>,
) -> impl IntoView {
    let app = App::get();
    let mean = row.mean_consistency.unwrap_or(0.0);
    let class = if mean >= 0.95 {
        ""
    } else if mean >= 0.8 {
        "partly"
    } else {
        "mixed"
    };
    let seen = row.last_observed.map(|at| at.as_millis());
    view! {
        <a class="tr" href=Route::tool(&row.tool_id).address()>
            <span class="mono cut"><ToolName id=row.tool_id.clone() /></span>
            <Ladder quality=row.quality violated=row.violated />
            <span class="num right">{count(row.observation_count)}</span>
            <span class="bar" role="img" aria-label=format!("mean consistency {mean:.2}") title=format!("mean consistency {mean:.2}")>
                <i class=class style:width=format!("{:.1}%", mean * 100.0)></i>
            </span>
            <span class="dim right">{move || seen.map(|at| ago(at, app.live.now.get()))}</span>
        </a>
    }
}

#[component]
fn Latest() -> impl IntoView {
    let app = App::get();
    let rows = Memo::always(move || {
        app.live.calls(|calls| calls.iter().take(SHORT).cloned().collect::<Vec<Arc<CallRow>>>())
    });
    let none = Memo::new(move || rows.with(Vec::is_empty));
    view! {
        <section class="card third latest" id="latest">
            <header><h2>"Live"</h2><a class="accent" href="/calls">"All calls"</a></header>
            {move || if none.get() {
                view! { <Empty icon="activity" title="No calls yet"><p>"They appear here as they are made."</p></Empty> }.into_any()
            } else {
                view! {
                    <Head columns=LATEST />
                    <div>
                        {keyed(move || rows.get().into_iter().map(|row| Row::new(row.id, move || view! {
                            <a class="tr" href=Route::call(row.id.to_string()).address()>
                                <span class="faint num">{browser::short_time(row.at.as_millis())}</span>
                                <span class="mono cut"><ToolName id=row.tool_id.clone() /></span>
                                <span class="num right dim">{row.total_us.map(duration)}</span>
                                <span class="cut"><OutcomeWord outcome=row.outcome /></span>
                            </a>
                        })).collect())}
                    </div>
                }.into_any()
            }}
        </section>
    }
}
