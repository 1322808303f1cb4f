//! Below the fields: samples, calls, schemas.

use leptos::prelude::*;
use schemascope_api::{CallRow, Filter, RawSchema, Sample, ToolDetail};

use super::Known;
use super::history::History;
use super::versions::{Compared, Versions};
use crate::app::App;
use crate::browser;
use crate::cells::{Memo, click};
use crate::numbers::{bytes, duration};
use crate::parts::{
    Column, Empty, Foreign, Head, Json, OutcomeWord, Payload, Row, Views, carrier_word, keyed,
};
use crate::route::Route;

/// What can be shown, by the name in the address.
const TABS: &[(&str, &str)] = &[
    ("", "Samples"),
    ("calls", "Calls"),
    ("versions", "Versions"),
    ("history", "History"),
    ("inferred", "Inferred schema"),
    ("declared", "Declared schema"),
    ("input", "Input"),
];

const CALLS: &[Column] = &[
    Column { name: "time", class: "", sort: None },
    Column { name: "ended", class: "", sort: None },
    Column { name: "answered with", class: "", sort: None },
    Column { name: "took", class: "right", sort: None },
    Column { name: "size", class: "right", sort: None },
    Column { name: "client", class: "", sort: None },
];

#[component]
pub fn Tabs(
    /// What is known.
    known: Known,
    /// Its versions.
    versions: Versions,
) -> impl IntoView {
    let app = App::get();
    let tab = Memo::new(move || {
        let tab = app.route.with(|route| match route {
            Route::Tool { tab, .. } => tab.clone(),
            _ => String::new(),
        });
        TABS.iter().map(|(name, _)| *name).find(|name| *name == tab).unwrap_or_default()
    });
    let has_declared = known.part(|detail| detail.declared_schema.is_some());
    let show = move |tab: &'static str| {
        if let Route::Tool { id, .. } = app.route.get_untracked() {
            app.go_quietly(Route::Tool { id, tab: tab.to_owned() });
        }
    };
    view! {
        <section class="card tool-below">
            <div class="tabs" role="tablist" aria-label="More about this tool">
                {TABS.iter().map(|(name, title)| view! {
                    <button role="tab" id=format!("tab-{name}") aria-controls="tab-panel"
                        aria-selected=move || if tab.get() == *name { "true" } else { "false" }
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
                            missing="Nothing was learned yet: the first successful call teaches its shape." />
                    }.into_any(),
                    "declared" => view! {
                        <Schema known=known title="Declared schema" of=|detail| detail.declared_schema.clone()
                            missing="Its server declares no output schema. That is what Schemascope learns one for." />
                    }.into_any(),
                    "input" => view! {
                        <Schema known=known title="Input schema" of=|detail| detail.input_schema.clone()
                            missing="Its server does not list it now." />
                    }.into_any(),
                    _ => view! { <Samples known=known /> }.into_any(),
                }}
            </div>
        </section>
    }
}

#[component]
fn Samples(
    /// What is known.
    known: Known,
) -> impl IntoView {
    let samples = known.part(|detail| detail.samples.clone());
    let none = Memo::new(move || samples.with(Vec::is_empty));
    view! {
        {move || none.get().then(|| view! {
            <Empty icon="activity" title="No samples">
                <p>"The latest results are shown here, with secrets redacted, once there are any."</p>
            </Empty>
        }.into_any())}
        <div class="samples">
            {keyed(move || {
                let row = |sample: Sample| Row::new(sample.id, move || view! { <OneSample sample=sample /> });
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
                <span class="num">{browser::short_time(sample.at.as_millis())}</span>
                <span>{carrier_word(Some(sample.carrier))}</span>
                <span class="num">{bytes(sample.bytes as u64)}</span>
                {cut.then(|| view! { <span class="warn">"cut; the call has all of it"</span> }.into_any())}
                <a class="accent" href=Route::call(sample.id.to_string()).address()>"Call"</a>
            </header>
            <Json json=sample.json />
        </article>
    }
}

#[component]
fn Calls(
    /// What is known.
    known: Known,
) -> impl IntoView {
    let app = App::get();
    let latest = known.part(|detail| detail.latest.iter().take(50).cloned().collect::<Vec<CallRow>>());
    let all = Memo::new(move || {
        app.route.with(|route| match route {
            Route::Tool { id, .. } => Route::Calls { filter: Filter::of_tool(id), open: None }.address(),
            _ => "/calls".into(),
        })
    });
    view! {
        <div class="table tool-calls">
            <Head columns=CALLS />
            <div>
                {keyed(move || latest.get().into_iter().map(|row| Row::new(row.id, move || view! {
                    <a class="tr" href=Route::call(row.id.to_string()).address()>
                        <span class="faint num">{browser::short_time(row.at.as_millis())}</span>
                        <span><OutcomeWord outcome=row.outcome /></span>
                        <span class="dim cut">{carrier_word(row.carrier)}</span>
                        <span class="num right dim">{row.total_us.map(duration)}</span>
                        <span class="num right faint">{bytes(row.result_bytes)}</span>
                        <span class="faint cut">{row.client.map(|client| view! { <Foreign text=client limit=60 /> }.into_any())}</span>
                    </a>
                })).collect())}
            </div>
            <a class="button bare" href=move || all.get()>"All calls of this tool"</a>
        </div>
    }
}

#[component]
fn Schema(
    /// What is known.
    known: Known,
    /// What it is.
    title: &'static str,
    /// Which one.
    of: fn(&ToolDetail) -> Option<RawSchema>,
    /// What to say when there is none.
    missing: &'static str,
) -> impl IntoView {
    let schema = known.part(of);
    move || match schema.get() {
        Some(schema) => {
            let text = schema.0.get().to_owned();
            let file = format!("{}.json", title.to_lowercase().replace(' ', "-"));
            view! { <Payload title=title file=file body=text /> }.into_any()
        }
        None => view! { <Empty icon="wrench" title="None"><p>{missing}</p></Empty> }.into_any(),
    }
}
