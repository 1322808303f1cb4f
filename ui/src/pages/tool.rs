//! One tool: its fields and how far each can be trusted, how that came to be, and the calls behind it.

mod about;
mod arguments;
mod field;
mod fields;
mod history;
mod summary;
mod tabs;
mod versions;

use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::{ErrorKind, GetTool, HistoryPoint, Source, ToolDetail};

use crate::app::App;
use crate::cells::{Memo, RwSignal, StoredValue, click, effect};
use crate::charts::{self, Chart};
use crate::door;
use crate::drift::{Drifted, Drifts};
use crate::live::Connection;
use crate::numbers::{count, duration, percent};
use crate::parts::{Empty, Fact, Foreign, Icon, Ladder, Loading, Views, source_word};
use arguments::Arguments;
use fields::Fields;
use tabs::Tabs;
use versions::{Buttons, Versions, VersionsCard};

/// Time between two looks at a busy tool, in milliseconds.
const PAUSE_MS: i32 = 1_000;

/// The detail as signals: parts that did not change are not drawn anew.
#[derive(Clone, Copy)]
struct Known(RwSignal<Option<Result<Arc<ToolDetail>, String>>>);

impl Known {
    /// A part of the detail; the default before it is there.
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

/// Keeps the detail of a tool up to date.
fn follow(id: String) -> Known {
    let app = App::get();
    let known = Known(RwSignal::new(None));
    let busy = StoredValue::new(false);
    let again = RwSignal::new(0_u32);
    let wanted = StoredValue::new(false);
    let version = {
        let id = id.clone();
        Memo::new(move || {
            let row = app.live.tools(|tools| tools.get(&id).map(|row| Arc::as_ptr(row) as usize));
            (row, app.live.snapshots.get(), app.live.connection.get() == Connection::Live)
        })
    };
    effect(move || {
        again.track();
        if !version.get().2 {
            return;
        }
        if busy.get_value() {
            wanted.set_value(true);
            return;
        }
        busy.set_value(true);
        wanted.set_value(false);
        let command = GetTool { tool_id: id.clone() };
        leptos::task::spawn_local(async move {
            let reply = door::call(&command).await;
            let is_there = known.0.try_with_untracked(|known| matches!(known, Some(Ok(_)))).unwrap_or(false);
            match reply {
                // What is known stays, when the engine is away for a moment.
                Err(error) if is_there && error.kind != ErrorKind::NotFound => {}
                reply => known.0.set(Some(reply.map(Arc::new).map_err(|error| error.to_string()))),
            }
            crate::browser::sleep(PAUSE_MS).await;
            busy.update_value(|busy| *busy = false);
            if wanted.try_with_value(Clone::clone) == Some(true) {
                again.update(|again| *again += 1);
            }
        });
    });
    known
}

#[component]
pub fn Tool(
    /// `server__tool`.
    id: String,
) -> impl IntoView {
    let known = follow(id.clone());
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
                    <Empty icon="wrench" title="This tool is not known">
                        <p><Foreign text=error limit=500 /></p>
                        <p><a class="accent" href="/tools">"All tools"</a></p>
                    </Empty>
                }.into_any(),
                Some(Ok(())) => view! {
                    <Top known=known versions=versions id=id.clone() />
                    <DriftCard drifts=drifts />
                    <div class="tool-grid">
                        <Fields known=known />
                        <div class="beside"><Progress known=known /><VersionsCard versions=versions /><Arguments known=known /></div>
                    </div>
                    <Tabs known=known versions=versions />
                }.into_any(),
            }}
        </div>
    }
}

/// Where results are not what they were.
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
                                (open, waiting) if open == waiting => "· results are not what they were".to_owned(),
                                (open, waiting) => format!("· {open}, of which {waiting} wait for somebody"),
                            }}</span>
                        </h2>
                        <span class="side">{move || (waiting.get() > 1).then(|| view! {
                            <button class="button small" on:click=click(move |_| drifts.ask(app, None))>"Acknowledge all…"</button>
                        }.into_any())}</span>
                    </header>
                    <Drifted drifts=drifts />
                </section>
            }
            .into_any()
        })
    }
}

#[component]
fn Top(
    /// What is known.
    known: Known,
    /// Its versions.
    versions: Versions,
    /// `server__tool`.
    id: String,
) -> impl IntoView {
    let (server, tool) = id.split_once("__").map(|(s, t)| (s.to_owned(), t.to_owned())).unwrap_or_default();
    let description = known.part(|detail| detail.description.clone());
    let row = known.part(|detail| Some(detail.row.clone()));
    let carriers = known.part(|detail| detail.carriers);
    let fits = known.part(|detail| detail.fits);
    let latency = known.part(|detail| detail.latency);
    view! {
        <div class="tool-head">
            <Buttons versions=versions />
            <h1>
                <span class="faint"><Foreign text=server /> " /"</span>
                <Foreign text=tool limit=200 />
                {move || row.get().map(|row| view! {
                    <span class="tag">{source_word(row.source)}</span>
                    {row.violated.then(|| view! { <span class="tag warn">"violated"</span> }.into_any())}
                    {(!row.listed).then(|| view! { <span class="tag warn">"no longer listed"</span> }.into_any())}
                }.into_any())}
            </h1>
            <p>{move || description.get().map(|text| view! { <Foreign text=text limit=600 /> }.into_any())}</p>
        </div>
        <dl class="facts">
            <Fact name="quality" title="how far its schema can be trusted">
                {move || row.get().map(|row| view! { <Ladder quality=row.quality violated=row.violated large=true /> }.into_any())}
            </Fact>
            <Fact name="observations" title="calls whose result taught its shape">
                <span class="num">{move || row.get().map(|row| count(row.observation_count))}</span>
            </Fact>
            <Fact name="mean consistency" title="mean share of parent objects that have a field with its dominant type">
                {move || row.get().and_then(|row| row.mean_consistency).map_or_else(|| "–".to_owned(), |mean| format!("{mean:.2}"))}
            </Fact>
            <Fact name="in force" title="the version clients of /mcp are told of; without one, what its server declares">
                {move || versions.in_force()}
            </Fact>
            <Fact name="answers with" title="how what was learned was carried">{move || carried(&carriers.get())}</Fact>
            {move || fits.get().map(|fits| {
                let all = fits.fits + fits.violates;
                let class = if fits.violates > 0 { "warn" } else { "" };
                view! {
                    <Fact name="fit what is declared" title="observations that fit the declared schema">
                        <span class=class>{percent(fits.fits, all)}</span>
                    </Fact>
                }
            })}
            <Fact name="calls · failed">
                {move || row.get().map(|row| format!("{} · {}", count(row.call_count), count(row.failure_count)))}
            </Fact>
            {move || (latency.get().count > 0).then(|| view! {
                <Fact name="latency p50 · p99" title="of the latest 200 calls, from request to answer">
                    {format!("{} · {}", duration(latency.get().p50_us), duration(latency.get().p99_us))}
                </Fact>
            }.into_any())}
        </dl>
    }
}

fn carried(carriers: &schemascope_api::CarrierCounts) -> String {
    let all = carriers.structured + carriers.json_in_text + carriers.text;
    let kinds = [
        ("structured content", carriers.structured),
        ("JSON in text", carriers.json_in_text),
        ("text", carriers.text),
    ];
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
    /// What is known.
    known: Known,
) -> impl IntoView {
    let history = known.part(|detail| detail.history.clone());
    let changes = known.part(|detail| detail.changes.clone());
    let none = Memo::new(move || history.with(Vec::is_empty));
    let label = Signal::derive(move || {
        history.with(|points| match points.last() {
            Some(HistoryPoint { observations, mean, lowest, .. }) => format!(
                "mean consistency over observations; after {observations} it is {mean:.2}, the lowest field {lowest:.2}"
            ),
            None => "no observations yet".to_owned(),
        })
    });
    let draw = Callback::new(move |size| history.with(|points| charts::quality(points, size)));
    view! {
        <section class="card" id="progress">
            <header>
                <h2>"Quality over observations"</h2>
                <span class="key">
                    <span><i class="swatch c-declared"></i>"mean consistency"</span>
                    <span><i class="swatch c-lowest"></i>"lowest field"</span>
                </span>
            </header>
            <div class="chart-box">
                {move || none.get().then(|| view! { <p class="empty">"Drawn from the first observation on."</p> }.into_any())}
                <Chart label=label draw=draw />
            </div>
            {move || (!changes.with(Vec::is_empty)).then(|| view! {
                <ul class="changes">
                    {changes.get().into_iter().rev().take(6).map(|change| view! {
                        <li>
                            <span class="faint num">{crate::browser::short_time(change.at.as_millis())}</span>
                            <span>{match change.source {
                                Source::Unknown => "listed, not seen yet".to_owned(),
                                Source::Declared => "declares a schema".to_owned(),
                                source if change.violated => format!("{source}, breaks what it declares"),
                                source => format!("{source}, quality {}", change.quality),
                            }}</span>
                        </li>
                    }.into_any()).views()}
                </ul>
            }.into_any())}
        </section>
    }
}
