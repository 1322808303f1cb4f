//! What a version rests on, as it was known when it was cut.

use leptos::prelude::*;
use schemascope_api::{FieldEvidence, ImpactedCall, VersionRow};

use crate::browser;
use crate::numbers::{count, percent};
use crate::parts::{Column, Foreign, Head, Json, Ladder, Views};
use crate::route::Route;
use crate::text::visible;

/// Fields drawn.
const FIELDS: usize = 40;

const COLUMNS: &[Column] = &[
    Column { name: "field", class: "", sort: None },
    Column { name: "type", class: "", sort: None },
    Column { name: "present", class: "right", sort: None },
    Column { name: "cons.", class: "right", sort: None },
];

/// Draws it.
pub fn evidence(row: &VersionRow) -> AnyView {
    let known = &row.evidence;
    let more = known.fields.len().saturating_sub(FIELDS) as u64 + known.fields_left_out;
    let example = |example: &schemascope_api::Example| {
        view! {
            <article class="sample">
                <header>
                    <a class="accent" href=Route::call(example.id.to_string()).address()>"Call"</a>
                </header>
                <Json json=example.json.clone() />
            </article>
        }
        .into_any()
    };
    view! {
        <div class="rests">
            <p class="dim">
                "Cut " {browser::date_and_time(row.created.as_millis())} " from "
                {format!("{} observations", count(row.observation_count))}
                {row.mean_consistency.map(|mean| format!(", mean consistency {mean:.2}"))}
                " " <Ladder quality=row.quality violated=false />
            </p>
            {(!known.counter_examples.is_empty()).then(|| view! {
                <h3>"What the version before did not allow"</h3>
                <ul class="broken">{known.counter_examples.iter().map(counter).views()}</ul>
            }.into_any())}
            {(!known.fields.is_empty()).then(|| view! {
                <h3>"Fields at the time"</h3>
                <div class="table then">
                    <Head columns=COLUMNS />
                    {known.fields.iter().take(FIELDS).map(field).views()}
                </div>
                {(more > 0).then(|| view! { <p class="quiet">{format!("… {} more", count(more))}</p> }.into_any())}
            }.into_any())}
            {(!known.examples.is_empty()).then(|| view! {
                <h3>"Results it was cut from, secrets redacted"</h3>
                <div class="samples">{known.examples.iter().map(example).views()}</div>
            }.into_any())}
        </div>
    }
    .into_any()
}

fn field(field: &FieldEvidence) -> AnyView {
    view! {
        <div class="tr">
            <span class="mono cut" title=visible(&field.path, 300)>
                <Foreign text=field.path.clone() limit=160 />
                {field.required.then(|| view! { <span class="required" title="required by this version">"*"</span> }.into_any())}
            </span>
            <span class="mono cut type">{field.kinds.join(" | ")}</span>
            <span class="num right">{percent(field.present, field.parents)}</span>
            <span class="num right">{format!("{:.2}", f64::from(field.consistency) / 1e6)}</span>
        </div>
    }
    .into_any()
}

fn counter(call: &ImpactedCall) -> AnyView {
    let path =
        if call.violation.path.is_empty() { "whole result".to_owned() } else { call.violation.path.clone() };
    view! {
        <li>
            <span class="mono cut" title=visible(&path, 300)><Foreign text=path.clone() limit=120 /></span>
            <span>"broke " <span class="mono"><Foreign text=call.violation.rule.clone() limit=60 /></span></span>
            <span class="num faint">{browser::short_time(call.at.as_millis())}</span>
            <a class="accent" href=Route::call(call.id.to_string()).address()>"call"</a>
        </li>
    }
    .into_any()
}
