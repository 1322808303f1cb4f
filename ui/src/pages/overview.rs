//! Overview: state of all schemas, problems, and the latest calls.

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::{
    CallRow, Coverage, Filter, GetCoverage, Need, PageId, Place, Standings, Timestamp, ToolRow, UpstreamState,
};
use schemascope_figures::charts;

use crate::app::App;
use crate::cells::{Memo, RwSignal, StoredValue, click};
use crate::charts::{Chart, LOCAL};
use crate::layout::{Shown, Width};
use crate::numbers::{ago, count, duration, percent};
use crate::pages::start::NoTools;
use crate::parts::{Column, Empty, Foreign, Ladder, Loading, Time, ToolName, Views, linked_table, time};
use crate::route::Route;
use crate::{door, order};

/// Needs that are listed at first.
const NEEDS: usize = 5;
/// Rows of the short tables.
const ROWS: usize = 12;

const BUSIEST: &[Column<Arc<ToolRow>>] = &[
    Column::text("tool", "Tool", Width::Share(120, 2.2), &|row| {
        view! { <span class="mono"><ToolName id=row.tool_id.clone() /></span> }.into_any()
    }),
    Column::drawing("quality", "Quality", Width::Fixed(116), &|row| {
        view! { <Ladder quality=row.quality violated=row.violated drifting={row.drift_waiting > 0} /> }
            .into_any()
    }),
    Column::number("calls", "Calls", Width::Fixed(60), &|row: &Arc<ToolRow>| {
        count(row.call_count).into_any()
    })
    .shown(Shown::Small),
    Column::drawing("consistency", "Mean consistency", Width::Share(100, 1.0), &consistency)
        .shown(Shown::Small),
    Column::number("last", "Last call", Width::Fixed(76), &|row: &Arc<ToolRow>| {
        let now = App::get().live.now;
        let last = row.last_called.map(|at| at.as_millis());
        view! { <span class="dim">{move || last.map(|at| ago(at, now.get()))}</span> }.into_any()
    })
    .shown(Shown::Small),
];
const LATEST: &[Column<Arc<CallRow>>] = &[
    Column::text("started", "Started", Width::Fixed(82), &|row| {
        view! { <Time at=row.at.as_millis() /> }.into_any()
    }),
    Column::text("tool", "Tool", Width::Share(90, 1.0), &|row| {
        view! { <span class="mono"><ToolName id=row.tool_id.clone() /></span> }.into_any()
    }),
    Column::number("duration", "Duration", Width::Fixed(64), &|row: &Arc<CallRow>| {
        view! { <span class="dim">{row.total_us.map(duration)}</span> }.into_any()
    })
    .shown(Shown::Small),
    Column::text("status", "Status", Width::Fixed(96), &super::calls::status),
];

#[component]
pub fn Overview() -> impl IntoView {
    let app = App::get();
    let waiting = Memo::new(move || app.live.is_unknown());
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

/// A state of tools: name, class, meaning, and number of tools in it.
type Kind = (&'static str, &'static str, &'static str, fn(&Standings) -> u64);

#[component]
fn Reliable() -> impl IntoView {
    let app = App::get();
    let standings = Memo::new(move || {
        app.live.tools(|_| ());
        app.live.picture(|picture| picture.standings())
    });
    let kinds: [Kind; 7] = [
        ("declared", "c-declared", "declared by the server, and at least 95 % of the results match", |s| {
            s.declared
        }),
        ("learned", "c-learned", "inferred from results, at high quality", |s| s.learned),
        ("breaks its declared schema", "c-violated", "declared, but results do not match", |s| s.violated),
        ("learning", "c-learning", "inferred from few or differing results", |s| s.learning),
        (
            "declared, no result yet",
            "c-unproven",
            "a schema is declared, but no result was compared with it",
            |s| s.unproven,
        ),
        ("only text", "c-text", "no schema declared, and results are text without structure", |s| s.text),
        ("unknown", "c-unseen", "no schema declared and no result yet", |s| s.unseen),
    ];
    view! {
        <section class="card kpi wide" id="reliable">
            <h2>"Tools with a reliable schema"</h2>
            <p class="value">
                {move || count(standings.get().reliable())} <small>" of " {move || count(standings.get().total())}</small>
            </p>
            <div class="stack" aria-hidden="true">
                {kinds.into_iter().map(|(_, class, _, of)| {
                    view! { <i class=class style:flex-grow=move || of(&standings.get()).to_string()></i> }.into_any()
                }).views()}
            </div>
            <div class="key">
                {kinds.into_iter().map(|(name, class, title, of)| view! {
                    <span title=title class:faint=move || of(&standings.get()) == 0>
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
                {move || app.live.pulse.with(|pulse| match pulse.running.count {
                    0 => ().into_any(),
                    running => view! {
                        " · " <a class="accent" href="/calls" title="calls without an answer for a second or more">
                            {count(running)} " running"
                        </a>
                    }.into_any(),
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
            <h2>"Recording"</h2>
            <p class="value">
                {move || match (recorder.get().stalled.is_some(), recorder.get().latency.count) {
                    _ if recorder.get().off => view! { <span class="warn">"off"</span> }.into_any(),
                    (true, _) => view! { <span class="bad">"stopped"</span> }.into_any(),
                    (_, 0) => "ready".into_any(),
                    _ if recorder.get().waiting > 500 => view! {
                        {count(recorder.get().waiting)} <small>" calls behind"</small>
                    }.into_any(),
                    _ => view! {
                        "keeping up" <small>" (" {duration(recorder.get().latency.p50_us)} ")"</small>
                    }.into_any(),
                }}
            </p>
            <p>
                {move || {
                    let recorder = recorder.get();
                    if recorder.off {
                        return "calls are not stored, and nothing is learned from them".into_any();
                    }
                    let class = |lost: u64| if lost > 0 { "warn" } else { "" };
                    view! {
                        <span class=class(recorder.dropped)>{count(recorder.dropped)} " dropped"</span> " · "
                        {(recorder.bodies_left_out > 0).then(|| view! {
                            <span class="warn">{count(recorder.bodies_left_out)} " without content"</span> " · "
                        }.into_any())}
                        {(recorder.not_judged > 0).then(|| view! {
                            <span class="warn">{count(recorder.not_judged)} " not checked against their schema"</span> " · "
                        }.into_any())}
                        {count(recorder.redacted_values)} " secrets redacted"
                    }
                    .into_any()
                }}
            </p>
        </section>
    }
}

/// Servers that are shown as dots.
const DOTS: usize = 36;

#[component]
fn Upstreams() -> impl IntoView {
    let app = App::get();
    let states = Memo::new(move || {
        app.live.servers(|servers| {
            let configured =
                servers.values().filter(|server| !server.built_in && server.state != UpstreamState::Disabled);
            let states = configured.map(|server| (server.server_name.clone(), server.state));
            let works = |(_, state): &(String, UpstreamState)| {
                !matches!(state, UpstreamState::Failed | UpstreamState::Invalid)
            };
            // What does not work is always shown.
            let (works, mut first): (Vec<_>, Vec<_>) = states.partition(works);
            first.extend(works);
            first
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
                {move || states.get().into_iter().take(DOTS).map(|(name, state)| {
                    let href = Route::item(PageId::Servers, name.clone()).address();
                    let title = format!("{}: {state}", crate::text::visible(&name, 60));
                    view! { <a href=href title=title.clone() aria-label=title><i class=dot(state)></i></a> }.into_any()
                }).views()}
            </p>
        </section>
    }
}

#[component]
fn CoverageOverTime() -> impl IntoView {
    /// Periods of the chart, in milliseconds; none for everything.
    const SPANS: [(&str, Option<u64>); 4] = [
        ("Hour", Some(3_600_000)),
        ("Day", Some(86_400_000)),
        ("30 days", Some(2_592_000_000)),
        ("All", None),
    ];
    let app = App::get();
    let span = RwSignal::new(SPANS[3]);
    let coverage = RwSignal::new(None::<Coverage>);
    let problem = RwSignal::new(None::<String>);
    let asked = StoredValue::new(0_u64);
    Effect::new(move |before: Option<(&'static str, Option<u64>)>| {
        let (now, chosen) = (app.live.now.get(), span.get());
        app.live.snapshots.track();
        // Every five seconds, and at once for another period.
        if before == Some(chosen) && now.saturating_sub(asked.get_value()) < 5_000 {
            return chosen;
        }
        if before.is_some_and(|before| before != chosen) {
            coverage.set(None);
        }
        asked.set_value(now);
        let since = chosen.1.map(|millis| Timestamp::from_millis(now.saturating_sub(millis)));
        leptos::task::spawn_local(async move {
            let reply = door::call(&GetCoverage { since }).await;
            // Another period may be chosen by now.
            if span.try_with_untracked(|span| *span == chosen) == Some(true) {
                problem.set(reply.as_ref().err().map(ToString::to_string));
                coverage.update(|coverage| *coverage = reply.ok().or(coverage.take()));
            }
        });
        chosen
    });
    let label = Signal::derive(move || {
        coverage.with(|coverage| {
            let last = coverage.as_ref().and_then(|coverage| coverage.points.last());
            last.map_or_else(
                || "no tools yet".to_owned(),
                |last| {
                    format!(
                        "schema coverage over time; now {} of {} tools have a reliable schema",
                        last.tools.reliable(),
                        last.tools.total()
                    )
                },
            )
        })
    });
    let draw = Callback::new(move |size| {
        coverage.with(|coverage| {
            coverage
                .as_ref()
                .map(|coverage| charts::coverage(&coverage.points, LOCAL, size))
                .unwrap_or_default()
        })
    });
    view! {
        <section class="card two-thirds grows">
            <header>
                <h2>"Schema coverage"</h2>
                <span class="segments" role="group" aria-label="Period">
                    {SPANS.into_iter().map(|choice| view! {
                        <button aria-pressed=move || if span.get() == choice { "true" } else { "false" }
                            on:click=click(move |_| span.set(choice))>{choice.0}</button>
                    }.into_any()).views()}
                </span>
            </header>
            <div class="chart-box">
                {move || coverage.with(|c| c.as_ref().is_some_and(|c| c.points.is_empty())).then(|| view! {
                    <p class="empty">"The chart starts with the first listed tool."</p>
                }.into_any())}
                {move || problem.get().filter(|_| coverage.with(Option::is_none)).map(|problem| view! {
                    <p class="empty bad"><Foreign text=problem limit=300 /></p>
                }.into_any())}
                <Chart label=label draw=draw />
            </div>
        </section>
    }
}

#[component]
fn Needs() -> impl IntoView {
    let app = App::get();
    let needs = app.needs;
    let shown = RwSignal::new(NEEDS);
    let all = Memo::new(move || shown.get() > NEEDS && needs.with(Vec::len) > NEEDS);
    let row = |need: Need| {
        let class = if need.is_failure { "tag bad" } else { "tag warn" };
        let (title, number) = (need.subject.replacen("__", " / ", 1), need.count);
        let since = need.since.map(|at| view! { " · since "{time(at)} }.into_any());
        view! {
            <div class="need">
                <span><span class=class>{need.kind.word()}</span></span>
                <div>
                    <Foreign text=title limit=120 />
                    <p><Foreign text=need.text.replace('`', "") limit=260 /><span class="faint num">{since}</span></p>
                </div>
                {help(&need.place).map(|(label, href)| view! {
                    <a class="button small" href=href title=number.map(count)>{label}</a>
                }.into_any())}
            </div>
        }
        .into_any()
    };
    view! {
        <section class="card third" id="needs">
            <header>
                <h2>"Needs attention"</h2>
                <span class="num">{move || match needs.with(Vec::len) { 0 => String::new(), n => n.to_string() }}</span>
            </header>
            <div class="needs" class:all=move || all.get()>
                {move || needs.with(Vec::is_empty).then(|| view! { <p class="empty">"No problems: servers and tools work, and results match every schema."</p> }.into_any())}
                {move || needs.get().into_iter().take(shown.get()).map(row).views()}
                {move || (needs.with(Vec::len) > shown.get()).then(|| view! {
                    <button class="button bare" on:click=click(move |_| shown.update(|shown| *shown += 50))>
                        {format!("{} more", needs.with(Vec::len) - shown.get())}
                    </button>
                }.into_any())}
            </div>
        </section>
    }
}

/// Label and address of the link to the page that helps.
fn help(place: &Place) -> Option<(&'static str, String)> {
    Some(match place {
        Place::Nowhere => return None,
        Place::Servers => ("See servers", PageId::Servers.page().address()),
        Place::Server(name) => ("See log", Route::item(PageId::Servers, name.as_str()).address()),
        Place::Tool(id) => ("See tool", Route::tool(id).address()),
        Place::FailedCalls(id) => (
            "See calls",
            Route::filtered(PageId::Calls, format!("{} status:error", Filter::of_tool(id))).address(),
        ),
        Place::Calls(id) => ("See calls", Route::filtered(PageId::Calls, Filter::of_tool(id)).address()),
        Place::Requests | Place::Proposals => ("Review", PageId::Review.page().address()),
        Place::Review(id) => ("Review", Route::item(PageId::Review, id.as_str()).address()),
    })
}

#[component]
fn Busiest() -> impl IntoView {
    let app = App::get();
    let rows = Memo::always(move || {
        let mut rows: Vec<Arc<ToolRow>> =
            app.live.tools(|tools| tools.values().filter(|tool| tool.call_count > 0).cloned().collect());
        order::sort(&mut rows, |a, b| {
            b.call_count.cmp(&a.call_count).then_with(|| a.tool_id.cmp(&b.tool_id))
        });
        rows.truncate(ROWS);
        rows
    });
    let none = Memo::new(move || rows.with(Vec::is_empty));
    let no_tools = Memo::new(move || app.live.tools(BTreeMap::is_empty));
    view! {
        <section class="card two-thirds">
            <header><h2>"Most called"</h2><a class="accent" href="/tools">"All tools"</a></header>
            {move || if no_tools.get() {
                view! { <NoTools /> }.into_any()
            } else if none.get() {
                view! { <p class="empty">"No calls yet"</p> }.into_any()
            } else {
                linked_table("busiest", BUSIEST, rows, |row| row.tool_id.clone(), |row| {
                    Route::tool(&row.tool_id).address()
                })
            }}
        </section>
    }
}

fn consistency(row: &Arc<ToolRow>) -> AnyView {
    let Some(mean) = row.mean_consistency else {
        return view! { <span class="faint">"–"</span> }.into_any();
    };
    let class = if mean >= 0.95 {
        ""
    } else if mean >= 0.8 {
        "partly"
    } else {
        "mixed"
    };
    let title = format!("mean consistency {mean:.2}");
    view! {
        <span class="bar" role="img" aria-label=title.clone() title=title>
            <i class=class style:width=format!("{:.1}%", mean * 100.0)></i>
        </span>
    }
    .into_any()
}

#[component]
fn Latest() -> impl IntoView {
    let app = App::get();
    let rows = Memo::always(move || {
        app.live.calls(|calls| calls.iter().take(ROWS).cloned().collect::<Vec<Arc<CallRow>>>())
    });
    let none = Memo::new(move || rows.with(Vec::is_empty));
    view! {
        <section class="card third" id="latest">
            <header><h2>"Latest calls"</h2><a class="accent" href="/calls">"All calls"</a></header>
            {move || if none.get() {
                view! { <Empty icon="activity" title="No calls yet"><p>"Calls appear here as they are made."</p></Empty> }.into_any()
            } else {
                linked_table("latest", LATEST, rows, |row| row.id.to_string(), |row| {
                    Route::call(row.id.to_string()).address()
                })
            }}
        </section>
    }
}
