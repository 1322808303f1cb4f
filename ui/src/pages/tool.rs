//! One tool: its fields and their consistency, versions, history, samples and calls.

mod about;
mod arguments;
mod edges;
mod field;
mod fields;
mod history;
mod summary;
mod tabs;
mod versions;
mod wrapper;

use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::{
    ErrorKind, FailedCall, Filter, GetRecent, GetTool, HistoryPoint, ListAudit, PageId, Recent, Source,
    ToolDetail, ToolRow,
};
use schemascope_figures::charts::{self, Mark};

use crate::app::App;
use crate::cells::{Memo, RwSignal, StoredValue, click, effect};
use crate::charts::Chart;
use crate::cli_tools::ArgumentVector;
use crate::door;
use crate::drift::{DriftList, Drifts};
use crate::failing::FailingTexts;
use crate::live::Connection;
use crate::numbers::{count, duration, percent, span};
use crate::parts::{Empty, Fact, Foreign, Icon, Ladder, Loading, Views, source_word, time};
use crate::recent::marks;
use crate::route::Route;
use crate::throttle::throttled;
use arguments::Arguments;
use fields::Fields;
use tabs::Tabs;
use versions::{Buttons, Versions, VersionsCard};

/// Shortest time between two updates, in milliseconds.
const UPDATE_INTERVAL_MS: i32 = 1_000;

/// Shortest time between two looks at the newest results, in milliseconds.
const RECENT_INTERVAL_MS: u64 = 3_000;

/// The tool's detail as signals: parts that did not change are not drawn again.
#[derive(Clone, Copy)]
struct Detail(RwSignal<Option<Result<Arc<ToolDetail>, Problem>>>);

/// Why the detail is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Problem {
    /// Whether there is no such tool.
    is_unknown: bool,
    text: String,
}

impl Detail {
    /// A part of the detail; its default until the detail is loaded.
    fn part<T: PartialEq + Default + Send + Sync + 'static>(
        self,
        read: impl Fn(&ToolDetail) -> T + Send + Sync + 'static,
    ) -> Memo<T> {
        Memo::new(move || {
            self.0.with(|known| match known {
                Some(Ok(detail)) => read(detail),
                _ => T::default(),
            })
        })
    }
}

/// A tool's row. It is another one when the engine sent it again: the detail says more than the row.
#[derive(Clone)]
struct Row(Option<Arc<ToolRow>>);

impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }
}

/// Loads the detail of a tool and keeps it up to date.
fn follow(id: String) -> Detail {
    let app = App::get();
    let known = Detail(RwSignal::new(None));
    let version = {
        let id = id.clone();
        Memo::new(move || {
            let row = app.live.tools(|tools| Row(tools.get(&id).cloned()));
            (row, app.live.snapshots.get(), app.live.connection.get() == Connection::Live)
        })
    };
    let is_wanted = move || version.get().2;
    throttled(UPDATE_INTERVAL_MS, is_wanted, move || {
        let command = GetTool { tool_id: id.clone() };
        async move {
            let reply = door::call(&command).await;
            let is_there = known.0.try_with_untracked(|known| matches!(known, Some(Ok(_)))).unwrap_or(false);
            match reply {
                // The known detail stays while the engine does not respond.
                Err(error) if is_there && error.kind != ErrorKind::NotFound => {}
                reply => known.0.set(Some(reply.map(Arc::new).map_err(|error| Problem {
                    is_unknown: error.kind == ErrorKind::NotFound,
                    text: error.to_string(),
                }))),
            }
        }
    });
    known
}

/// The newest results of a tool, and the marks of its chart.
type Newest = RwSignal<(Recent, Vec<Mark>)>;

/// Loads what the newest results say when there are new ones.
fn follow_recent(id: String, known: Detail) -> Newest {
    let app = App::get();
    let newest: Newest = RwSignal::default();
    let results = known.part(|detail| (detail.row.observation_count, detail.row.drift_count));
    let asked = StoredValue::new((None, 0_u64));
    effect(move || {
        let ((count, drifts), now) = (results.get(), app.live.now.get());
        let wanted = (count, drifts, app.decided.get());
        let (seen, at) = asked.get_value();
        if count == 0 || seen == Some(wanted) || now.saturating_sub(at) < RECENT_INTERVAL_MS {
            return;
        }
        asked.set_value((Some(wanted), now));
        let recent = GetRecent { tool_id: id.clone() };
        let audit = ListAudit { tool_id: Some(id.clone()), people: false, before: None, limit: 200 };
        leptos::task::spawn_local(async move {
            let (Ok(recent), Ok(audit)) = (door::call(&recent).await, door::call(&audit).await) else {
                asked.update_value(|asked| asked.0 = None);
                return;
            };
            newest.set((recent, marks(&audit.entries)));
        });
    });
    newest
}

#[component]
pub fn Tool(
    /// `server__tool`.
    id: String,
) -> impl IntoView {
    let known = follow(id.clone());
    let recent = follow_recent(id.clone(), known);
    let versions = Versions::follow(id.clone());
    let drifts = Drifts::follow(id.clone());
    let state = Memo::new(move || {
        known.0.with(|known| match known {
            None => None,
            Some(Ok(_)) => Some(Ok(())),
            Some(Err(error)) => Some(Err(error.clone())),
        })
    });
    view! {
        <div class="page scrolls" tabindex="0" role="region" aria-label="Tool">
            {move || match state.get() {
                None => view! { <Loading /> }.into_any(),
                Some(Err(error)) => view! {
                    <Empty icon="wrench" title=if error.is_unknown { "Unknown tool" } else { "This tool cannot be shown" }>
                        <p><Foreign text=error.text limit=500 /></p>
                        <p><a class="accent" href="/tools">"All tools"</a></p>
                    </Empty>
                }.into_any(),
                Some(Ok(())) => view! {
                    <Top known=known versions=versions id=id.clone() />
                    <Failing known=known />
                    <DriftCard drifts=drifts />
                    <FailingTexts id=id.clone() />
                    <div class="tool-grid">
                        <Fields known=known recent=recent />
                        <div class="beside"><Progress known=known recent=recent /><VersionsCard versions=versions /><edges::Edges id=id.clone() /><Arguments known=known /><ArgumentVector id=id.clone() /></div>
                    </div>
                    <Tabs known=known versions=versions />
                }.into_any(),
            }}
        </div>
    }
}

/// The newest failed call, while most calls fail.
#[component]
fn Failing(
    /// The tool's detail.
    known: Detail,
) -> impl IntoView {
    let latest = known.part(|detail| Some((detail.row.clone(), detail.latest_failure.clone()?)));
    move || {
        latest.get().map(|(row, FailedCall { call, reason })| {
            let failed = format!("{} status:error", Filter::of_tool(&row.tool_id));
            let all = Route::filtered(PageId::Calls, failed).address();
            let since = row.failing_since.map(|since| view! { " since " {time(since)} });
            let text = match reason {
                Some(reason) => view! { <p class="said"><Foreign text=reason limit=500 /></p> }.into_any(),
                None => view! { <p class="dim">"The server gave no reason."</p> }.into_any(),
            };
            view! {
                <section class="card fails" aria-label="Failing calls">
                    <header>
                        <h2>
                            <Icon name="triangle-alert" />" Failing "
                            <span class="dim">{format!("· {} of the last {} calls failed", row.recent_failure_count, row.recent_call_count)}{since}</span>
                        </h2>
                        <span class="side"><a class="accent" href=all>"All failed calls"</a></span>
                    </header>
                    {text}
                    <p class="dim">"Latest failure, " {time(call.at)} ". " <a class="accent" href=Route::call(call.id.to_string()).address()>"Open the call"</a></p>
                </section>
            }
            .into_any()
        })
    }
}

/// The drift of the tool, if there is any.
#[component]
fn DriftCard(
    /// The tool's drifts.
    drifts: Drifts,
) -> impl IntoView {
    let app = App::get();
    let open = Memo::new(move || drifts.open().len());
    let waiting = Memo::new(move || drifts.open().iter().filter(|row| row.acknowledged.is_none()).count());
    move || {
        (open.get() > 0).then(|| {
            view! {
                <section class="card drift" aria-label="Drift">
                    <header>
                        <h2>
                            <Icon name="triangle-alert" />" Drift "
                            <span class="dim">{move || match (open.get(), waiting.get()) {
                                (open, 0) => format!("· {open}, acknowledged"),
                                (open, waiting) if open == waiting => "· results changed".to_owned(),
                                (open, waiting) => format!("· {open}, {waiting} to review"),
                            }}</span>
                        </h2>
                        <span class="side">{move || (waiting.get() > 1).then(|| view! {
                            <button class="button small" on:click=click(move |_| drifts.acknowledge(app, None))>"Acknowledge all…"</button>
                        }.into_any())}</span>
                    </header>
                    <DriftList drifts=drifts />
                </section>
            }
            .into_any()
        })
    }
}

#[component]
fn Top(
    /// The tool's detail.
    known: Detail,
    /// Its versions.
    versions: Versions,
    /// `server__tool`.
    id: String,
) -> impl IntoView {
    let (server, tool) = id.split_once("__").map(|(s, t)| (s.to_owned(), t.to_owned())).unwrap_or_default();
    let description = known.part(|detail| detail.description.clone());
    let row = known.part(|detail| Some(detail.row.clone()));
    let carriers = known.part(|detail| detail.carriers);
    let learned_since = known.part(|detail| detail.learned_since);
    let fits = known.part(|detail| detail.fits);
    let latency = known.part(|detail| detail.latency);
    let app = App::get();
    let running_since = Memo::new(move || {
        app.live.pulse.with(|pulse| {
            let longest = pulse.running.calls.iter().find(|call| call.tool_id == id);
            longest.map(|call| call.at.as_millis())
        })
    });
    view! {
        <div class="tool-head">
            <h1>
                <span class="faint"><Foreign text=server /> " /"</span>
                <Foreign text=tool limit=200 />
                {move || row.get().map(|row| view! {
                    <span class="tag">{source_word(row.source)}</span>
                    {row.remark().filter(|_| running_since.get().is_none()).map(|remark| view! { <span class="tag">{remark}</span> }.into_any())}
                    {row.violated.then(|| view! { <span class="tag warn" title="results do not match the declared schema">"breaks its declared schema"</span> }.into_any())}
                    {row.failing_since.is_some().then(|| view! {
                        <span class="tag bad" title=format!("{} of the last {} calls failed", row.recent_failure_count, row.recent_call_count)>"failing"</span>
                    }.into_any())}
                    {(!row.listed).then(|| view! { <span class="tag warn">"not listed by its server"</span> }.into_any())}
                }.into_any())}
            </h1>
            <Buttons versions=versions />
            <p>{move || description.get().map(|text| view! { <Foreign text=text limit=600 /> }.into_any())}</p>
        </div>
        <dl class="facts">
            <Fact name="Quality" title="how reliable its schema is">
                {move || row.get().map(|row| view! { <Ladder quality=row.quality violated=row.violated drifting={row.drift_waiting > 0} large=true /> }.into_any())}
            </Fact>
            <Fact name="Results" title="successful results the schema is inferred from">
                <span class="num">{move || row.get().map(|row| count(row.observation_count))}</span>
                {move || learned_since.get().map(|at| view! { " since " {time(at)} }.into_any())}
            </Fact>
            <Fact name="Mean consistency" title="mean share of parent objects that have a field with its most frequent type">
                {move || row.get().and_then(|row| row.mean_consistency).map_or_else(|| "–".to_owned(), |mean| format!("{mean:.2}"))}
            </Fact>
            <Fact name="Active schema" title="advertised to clients of /mcp">
                {move || match (versions.has_effective(), row.get().map(|row| row.source)) {
                    (None, _) => "–".to_owned(),
                    (Some(false), Some(Source::Declared | Source::Hybrid)) => "declared".to_owned(),
                    _ => versions.effective(),
                }}
            </Fact>
            <Fact name="Result form" title="the form of the results the schema is inferred from">{move || result_forms(&carriers.get())}</Fact>
            {move || fits.get().map(|fits| {
                let all = fits.fits + fits.violates;
                let class = if fits.violates > 0 { "warn" } else { "" };
                view! {
                    <Fact name="Match declared schema" title="share of results that match the declared schema">
                        <span class=class>{percent(fits.fits, all)}</span>
                    </Fact>
                }
            })}
            <Fact name="Calls · failed">
                {move || row.get().map(|row| format!("{} · {}", count(row.call_count), count(row.failure_count)))}
                {move || running_since.get().map(|at| view! {
                    <span class="warn">" · running for " {move || span(at, app.live.now.get())}</span>
                }.into_any())}
            </Fact>
            {move || (latency.get().count > 0).then(|| view! {
                <Fact name="Latency p50 · p95 · p99" title="of all calls, from request to response, within 1 %">
                    {[latency.get().p50_us, latency.get().p95_us, latency.get().p99_us].map(duration).join(" · ")}
                </Fact>
            }.into_any())}
        </dl>
    }
}

fn result_forms(carriers: &schemascope_api::Carriers) -> String {
    let kinds = [
        ("structured content", carriers.structured),
        ("JSON inside text", carriers.json_in_text),
        ("Python literal", carriers.python),
        ("JSON in Markdown", carriers.markdown_json),
        ("Markdown table", carriers.markdown_table),
        ("YAML", carriers.yaml),
        ("key and value lines", carriers.key_value),
        ("key and value lines, not yet learned", carriers.unproven),
        ("Markdown text", carriers.markdown),
        ("text", carriers.text),
    ];
    let all = kinds.iter().map(|(_, n)| n).sum();
    match kinds.iter().filter(|(_, n)| *n > 0).collect::<Vec<_>>().as_slice() {
        [] => "–".into(),
        [(name, _)] => (*name).into(),
        several => several
            .iter()
            .map(|(name, n)| format!("{name} {}", percent(*n, all)))
            .collect::<Vec<_>>()
            .join(" · "),
    }
}

#[component]
fn Progress(
    /// The tool's detail.
    known: Detail,
    /// Its newest results, and the marks.
    recent: Newest,
) -> impl IntoView {
    let history = known.part(|detail| detail.history.clone());
    let changes = known.part(|detail| detail.changes.clone());
    let none = Memo::new(move || history.with(Vec::is_empty));
    let label = Signal::derive(move || {
        history.with(|points| match points.last() {
            Some(HistoryPoint { observations, mean, lowest, .. }) => format!(
                "consistency over {observations} results: mean {mean:.2}, least consistent field {lowest:.2}"
            ),
            None => "no results yet".to_owned(),
        })
    });
    let draw = Callback::new(move |size| {
        history.with(|points| {
            recent.with(|(recent, marks)| charts::quality(points, &recent.windows, marks, size))
        })
    });
    view! {
        <section class="card" id="progress">
            <header>
                <h2>"Consistency over results"</h2>
                <span class="key">
                    <span><i class="swatch c-declared"></i>"mean"</span>
                    <span><i class="swatch c-lowest"></i>"least consistent field"</span>
                    <span title="each point is about 50 results in a row">"dashed: newest 50"</span>
                </span>
            </header>
            <div class="chart-box">
                {move || none.get().then(|| view! { <p class="empty">"The chart starts with the first result."</p> }.into_any())}
                <Chart label=label draw=draw />
            </div>
            {move || (!changes.with(Vec::is_empty)).then(|| view! {
                <ul class="changes">
                    {changes.get().into_iter().rev().take(6).map(|change| view! {
                        <li>
                            <span class="faint num">{time(change.at)}</span>
                            <span>{match change.source {
                                Source::Unknown => match change.form {
                                    Some(form) => format!("results are only {form}"),
                                    None => "listed, nothing learned yet".to_owned(),
                                },
                                Source::Declared => "schema declared".to_owned(),
                                source if change.violated => format!("{source}, results do not match"),
                                source => format!("{source}, quality {}", change.quality),
                            }}</span>
                        </li>
                    }.into_any()).views()}
                </ul>
            }.into_any())}
        </section>
    }
}
