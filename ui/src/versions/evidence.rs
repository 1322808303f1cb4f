//! The evidence for a version, as it was when the version was created.

use leptos::prelude::*;
use schemascope_api::{FieldEvidence, ImpactedCall, VersionRow};

use crate::browser;
use crate::layout::{Shown, Width};
use crate::numbers::{count, number_of, percent};
use crate::parts::{Column, Foreign, Json, Ladder, Views, cells, table, time};
use crate::route::Route;
use crate::text::visible;

/// Most fields drawn.
const MAX_FIELDS: usize = 40;

const COLUMNS: &[Column<FieldEvidence>] = &[
    Column::text("field", "Field", Width::Share(140, 1.6), &|field| {
        let required = field
            .required
            .then(|| view! { <span class="required" title="required by this version">"*"</span> }.into_any());
        let path = view! { <Foreign text=field.path.clone() limit=160 /> };
        view! { <span class="mono" title=visible(&field.path, 300)>{path}{required}</span> }.into_any()
    }),
    Column::text("type", "Type", Width::Share(90, 1.0), &|field| {
        view! { <span class="mono type">{field.kinds.join(" | ")}</span> }.into_any()
    }),
    Column::number("present", "Present", Width::Fixed(70), &|field| {
        percent(field.present, field.parents).into_any()
    }),
    Column::number("consistency", "Consistency", Width::Fixed(76), &|field: &FieldEvidence| {
        format!("{:.2}", f64::from(field.consistency) / 1e6).into_any()
    })
    .shown(Shown::Small),
];

/// Draws it.
pub fn evidence(row: &VersionRow) -> AnyView {
    let known = &row.evidence;
    let more = known.fields.len().saturating_sub(MAX_FIELDS) as u64 + known.fields_left_out;
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
                "Created " {browser::date_and_time(row.created.as_millis())} " from "
                {number_of(row.observation_count as usize, "result", "results")}
                {row.mean_consistency.map(|mean| format!(", mean consistency {mean:.2}"))}
                " " <Ladder quality=row.quality violated=false />
            </p>
            {(!known.counter_examples.is_empty()).then(|| view! {
                <h3>"Results the previous version rejects"</h3>
                <ul class="broken">{known.counter_examples.iter().map(counter).views()}</ul>
            }.into_any())}
            {(!known.fields.is_empty()).then(|| view! {
                <h3>"Fields in this version"</h3>
                {table("then", COLUMNS, None, known.fields.iter().take(MAX_FIELDS).map(field).views())}
                {(more > 0).then(|| view! { <p class="quiet">{format!("… {} more", count(more))}</p> }.into_any())}
            }.into_any())}
            {(!known.examples.is_empty()).then(|| view! {
                <h3>"Sample results (secrets redacted)"</h3>
                <div class="samples">{known.examples.iter().map(example).views()}</div>
            }.into_any())}
        </div>
    }
    .into_any()
}

fn field(field: &FieldEvidence) -> AnyView {
    view! { <div class="tr">{cells(COLUMNS, field)}</div> }.into_any()
}

fn counter(call: &ImpactedCall) -> AnyView {
    let path =
        if call.violation.path.is_empty() { "whole result".to_owned() } else { call.violation.path.clone() };
    view! {
        <li>
            <span class="mono cut" title=visible(&path, 300)><Foreign text=path.clone() limit=120 /></span>
            <span>"violates " <span class="mono"><Foreign text=call.violation.rule.clone() limit=60 /></span></span>
            <span class="num faint">{time(call.at)}</span>
            <a class="accent" href=Route::call(call.id.to_string()).address()>"call"</a>
        </li>
    }
    .into_any()
}
