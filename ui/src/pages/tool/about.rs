//! Everything known of a field: what the schema says and why, and its values.

use leptos::prelude::*;
use schemascope_api::{AlternativeRow, DecisionRow, FieldRow, TypeRow, ValueRow};

use crate::evidence::{facts, mix, values};
use crate::numbers::{count, percent};
use crate::parts::{Foreign, Views};
use crate::text::visible;

/// Most values drawn.
const MAX_VALUES: usize = 8;
/// Most characters of a value.
const MAX_CHARS: usize = 120;

/// Draws the parts for which there is data.
pub fn about(field: &FieldRow) -> AnyView {
    let numbers = facts(field)
        .into_iter()
        .map(|(name, text)| view! { <dt>{name}</dt><dd class="num">{text}</dd> }.into_any());
    let says = field.decisions.iter().map(decision);
    let parts = [
        part("Schema", !field.decisions.is_empty(), || pairs(says.collect())),
        part("Counts", true, || pairs(numbers.collect())),
        part("Types", !mix(field).is_empty(), || types(field)),
        part("Values", !field.values.counted.is_empty(), || bars(&field.values.counted)),
        // Examples add nothing where all values are listed.
        part("Examples", field.values.counted.is_empty() && !field.values.examples.is_empty(), || {
            field.values.examples.iter().map(|json| example(json)).views().into_any()
        }),
        part("Alternatives", !field.alternatives.is_empty(), || alternatives(&field.alternatives)),
    ];
    view! { <div class="about">{parts.into_iter().flatten().views()}</div> }.into_any()
}

fn part(title: &'static str, is_known: bool, draw: impl FnOnce() -> AnyView) -> Option<AnyView> {
    let wide = title == "Alternatives";
    is_known.then(|| view! { <div class="part" class:wide=wide><h3>{title}</h3>{draw()}</div> }.into_any())
}

fn pairs(pairs: Vec<AnyView>) -> AnyView {
    view! { <dl class="pairs">{pairs}</dl> }.into_any()
}

fn decision(row: &DecisionRow) -> AnyView {
    view! {
        <dt class="mono"><Foreign text=row.decision.clone() limit=MAX_CHARS /></dt>
        <dd><Foreign text=row.because.clone() /></dd>
    }
    .into_any()
}

/// The types of a union as a stacked bar; the text beside it says the same.
pub fn mix_bar(field: &FieldRow) -> Option<AnyView> {
    let mix = mix(field);
    let piece = |kind: &&TypeRow| {
        view! { <i class=colour(&kind.name) style:flex-grow=kind.count.to_string()></i> }.into_any()
    };
    (!mix.is_empty()).then(|| {
        view! { <span class="stack" aria-hidden="true">{mix.iter().map(piece).views()}</span> }.into_any()
    })
}

fn types(field: &FieldRow) -> AnyView {
    let all = values(field);
    let share = |kind: &TypeRow| {
        view! {
            <span>
                <i class=format!("swatch {}", colour(&kind.name))></i>{kind.name.clone()} " "
                <span class="num dim">{percent(kind.count, all)} " · " {count(kind.count)}</span>
            </span>
        }
        .into_any()
    };
    let shares: Vec<AnyView> = mix(field).into_iter().map(share).collect();
    view! { {mix_bar(field)}<div class="shares">{shares}</div> }.into_any()
}

fn colour(kind: &str) -> String {
    format!("t-{kind}")
}

/// Values by frequency.
fn bars(counted: &[ValueRow]) -> AnyView {
    let all: u64 = counted.iter().map(|value| value.count).sum();
    // Bars are relative to the most frequent value.
    let most = counted.iter().map(|value| value.count).max().unwrap_or(1);
    let bar = |value: &ValueRow| {
        let width = format!("{:.2}%", value.count as f64 * 100.0 / most.max(1) as f64);
        view! {
            <span class="mono cut" title=visible(&value.json, 300)><Foreign text=value.json.clone() limit=MAX_CHARS /></span>
            <span class="bar" aria-hidden="true"><i class="partly" style:width=width></i></span>
            <span class="num right">{percent(value.count, all)}</span>
            <span class="num right faint">{count(value.count)}</span>
        }
        .into_any()
    };
    let more = counted.len().saturating_sub(MAX_VALUES);
    view! {
        <div class="values">{counted.iter().take(MAX_VALUES).map(bar).views()}</div>
        {(more > 0).then(|| view! { <span class="faint">{format!("… {more} more")}</span> }.into_any())}
    }
    .into_any()
}

fn example(json: &str) -> AnyView {
    view! { <div class="mono cut" title=visible(json, 300)><Foreign text=json.to_owned() limit=MAX_CHARS /></div> }
        .into_any()
}

/// A union of records: the fields that go with each value of the tag, or with each field of its own.
fn alternatives(rows: &[AlternativeRow]) -> AnyView {
    let field = |(name, always): &(String, bool)| {
        let name = view! { <Foreign text=name.clone() limit=60 /> };
        if *always {
            view! { <span>{name}<span class="required">"*"</span></span> }.into_any()
        } else {
            view! { <span class="faint">{name}</span> }.into_any()
        }
    };
    let line = |row: &AlternativeRow| {
        // The name of a field is no value.
        let name = serde_json::from_str::<String>(&row.json).ok().filter(|_| row.tag.is_empty());
        let text = name.unwrap_or_else(|| row.json.clone());
        let title = visible(&text, 300);
        view! {
            <div role="row">
                <span role="cell" class="mono cut" title=title><Foreign text=text limit=60 /></span>
                <span role="cell" class="num right">{count(row.count)}</span>
                <span role="cell" class="mono names">{row.fields.iter().map(field).views()}</span>
            </div>
        }
        .into_any()
    };
    let tag = rows.first().map(|row| row.tag.clone()).filter(|tag| !tag.is_empty());
    let tag = tag.unwrap_or_else(|| "with field".to_owned());
    view! {
        <div class="alternatives" role="table" aria-label="Alternatives">
            <div role="row" class="faint">
                <span role="columnheader" class="mono cut"><Foreign text=tag limit=60 /></span>
                <span role="columnheader" class="right">"count"</span>
                <span role="columnheader">"fields (* always present)"</span>
            </div>
            {rows.iter().map(line).views()}
        </div>
    }
    .into_any()
}
