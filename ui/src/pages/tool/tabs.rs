//! Tabs below the fields: samples, calls, versions, history, schemas.

use leptos::prelude::*;
use schemascope_api::{CallRow, Filter, PageId, RawSchema, Sample, ToolDetail};

use super::Detail;
use super::history::History;
use super::versions::{Compared, Versions};
use super::wrapper::Wrapper;
use crate::app::App;
use crate::browser;
use crate::cells::{Memo, click};
use crate::layout::{Shown, Width};
use crate::numbers::{bytes, duration};
use crate::parts::{
    Column, Empty, Foreign, Json, KeyedRow, OutcomeWord, Payload, Time, Views, carrier_word, keyed,
    linked_table, time,
};
use crate::route::Route;

/// The tabs: name in the address, and title.
const TABS: &[(&str, &str)] = &[
    ("", "Samples"),
    ("calls", "Calls"),
    ("versions", "Versions"),
    ("history", "History"),
    ("inferred", "Inferred schema"),
    ("declared", "Declared schema"),
    ("input", "Input schema"),
    ("wrapper", "Wrapper"),
];

const CALLS: &[Column<CallRow>] = &[
    Column::text("started", "Started", Width::Fixed(104), &|row| {
        view! { <Time at=row.at.as_millis() /> }.into_any()
    }),
    Column::text("status", "Status", Width::Fixed(70), &|row| {
        view! { <OutcomeWord outcome=row.outcome /> }.into_any()
    }),
    Column::text("result", "Result", Width::Fixed(116), &|row| {
        view! { <span class="dim">{carrier_word(row.carrier)}</span> }.into_any()
    }),
    Column::number("duration", "Duration", Width::Fixed(80), &|row: &CallRow| {
        view! { <span class="dim">{row.total_us.map(duration)}</span> }.into_any()
    })
    .shown(Shown::Small),
    Column::number("size", "Size", Width::Fixed(80), &|row: &CallRow| {
        view! { <span class="faint">{bytes(row.result_bytes)}</span> }.into_any()
    })
    .shown(Shown::Small),
    Column::text("client", "Client", Width::Share(80, 1.0), &|row: &CallRow| {
        let client = row.client.clone().map(|client| view! { <Foreign text=client limit=60 /> }.into_any());
        view! { <span class="faint">{client}</span> }.into_any()
    })
    .shown(Shown::Medium),
];

#[component]
pub fn Tabs(
    /// The tool's detail.
    known: Detail,
    /// Its versions.
    versions: Versions,
) -> impl IntoView {
    let app = App::get();
    let tab = Memo::new(move || {
        let tab = app.route.with(|route| route.tab.clone());
        TABS.iter().map(|(name, _)| *name).find(|name| *name == tab).unwrap_or_default()
    });
    let has_declared = known.part(|detail| detail.declared_schema.is_some());
    let show = move |tab: &'static str| {
        app.replace(Route { tab: tab.to_owned(), ..app.route.get_untracked() });
    };
    let keydown = move |event: leptos::ev::KeyboardEvent| {
        if event.ctrl_key() || event.alt_key() || event.meta_key() || event.shift_key() {
            return;
        }
        let at = TABS.iter().position(|(name, _)| *name == tab.get_untracked()).unwrap_or_default();
        let next = match event.key().as_str() {
            "ArrowRight" => (at + 1) % TABS.len(),
            "ArrowLeft" => (at + TABS.len() - 1) % TABS.len(),
            "Home" => 0,
            "End" => TABS.len() - 1,
            _ => return,
        };
        event.prevent_default();
        show(TABS[next].0);
        browser::focus(&format!("#tab-{}", TABS[next].0));
    };
    view! {
        <section class="card tool-below">
            <div class="tabs" role="tablist" aria-label="More about this tool" on:keydown=keydown>
                {TABS.iter().map(|(name, title)| view! {
                    <button role="tab" id=format!("tab-{name}") aria-controls="tab-panel"
                        aria-selected=move || if tab.get() == *name { "true" } else { "false" }
                        tabindex=move || if tab.get() == *name { "0" } else { "-1" }
                        class:faint=move || *name == "declared" && !has_declared.get()
                        on:click=click(move |_| show(name))>{*title}</button>
                }.into_any()).views()}
            </div>
            <div role="tabpanel" id="tab-panel" aria-labelledby=move || format!("tab-{}", tab.get())>
                {move || match tab.get() {
                    "calls" => view! { <Calls known=known /> }.into_any(),
                    "versions" => view! { <Compared versions=versions /> }.into_any(),
                    "history" => view! { <History versions=versions /> }.into_any(),
                    "inferred" => view! {
                        <Schema known=known title="Inferred schema" of=|detail| detail.inferred_schema.clone()
                            missing="The schema is inferred from the first successful result on." />
                    }.into_any(),
                    "declared" => view! {
                        <Schema known=known title="Declared schema" of=|detail| detail.declared_schema.clone()
                            missing="The server declares no output schema, so Schemascope infers one from results." />
                    }.into_any(),
                    "input" => view! {
                        <Schema known=known title="Input schema" of=|detail| detail.input_schema.clone()
                            missing="The server does not list this tool at the moment." />
                    }.into_any(),
                    "wrapper" => view! { <Wrapper known=known /> }.into_any(),
                    _ => view! { <Samples known=known /> }.into_any(),
                }}
            </div>
        </section>
    }
}

#[component]
fn Samples(
    /// The tool's detail.
    known: Detail,
) -> impl IntoView {
    let samples = known.part(|detail| detail.samples.clone());
    let none = Memo::new(move || samples.with(Vec::is_empty));
    view! {
        {move || none.get().then(|| view! {
            <Empty icon="activity" title="No samples yet">
                <p>"The latest results appear here, with secrets redacted."</p>
            </Empty>
        }.into_any())}
        <div class="samples">
            {keyed(move || {
                let row = |sample: Sample| KeyedRow::new(sample.id, move || view! { <OneSample sample=sample /> });
                samples.get().into_iter().map(row).collect()
            })}
        </div>
    }
}

#[component]
fn OneSample(
    /// The sample.
    sample: Sample,
) -> impl IntoView {
    let cut = sample.bytes > sample.json.len();
    view! {
        <article class="sample">
            <header>
                <span class="num">{time(sample.at)}</span>
                <span>{carrier_word(Some(sample.carrier))}</span>
                <span class="num">{bytes(sample.bytes as u64)}</span>
                {cut.then(|| view! { <span class="warn">"shortened; open the call to see all of it"</span> }.into_any())}
                <a class="accent" href=Route::call(sample.id.to_string()).address()>"Call"</a>
            </header>
            <Json json=sample.json />
        </article>
    }
}

#[component]
fn Calls(
    /// The tool's detail.
    known: Detail,
) -> impl IntoView {
    let app = App::get();
    let latest = known.part(|detail| detail.latest.iter().take(50).cloned().collect::<Vec<CallRow>>());
    let all = Memo::new(move || {
        let id = app.route.with(|route| route.item.clone()).unwrap_or_default();
        Route::filtered(PageId::Calls, Filter::of_tool(&id)).address()
    });
    view! {
        {linked_table("tool-calls", CALLS, latest, |row| row.id.to_string(), |row| Route::call(row.id.to_string()).address())}
        <a class="button bare" href=move || all.get()>"All calls of this tool"</a>
    }
}

#[component]
fn Schema(
    /// The tool's detail.
    known: Detail,
    /// Its title.
    title: &'static str,
    /// Reads it from the detail.
    of: fn(&ToolDetail) -> Option<RawSchema>,
    /// Text if there is none.
    missing: &'static str,
) -> impl IntoView {
    let schema = known.part(of);
    move || match schema.get() {
        Some(schema) => {
            let text = schema.0.get().to_owned();
            let file = format!("{}.json", title.to_lowercase().replace(' ', "-"));
            view! { <Payload title=title file=file body=text /> }.into_any()
        }
        None => view! { <Empty icon="wrench" title="No schema"><p>{missing}</p></Empty> }.into_any(),
    }
}
