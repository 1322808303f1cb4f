//! The smallest parts: icon, ladder, bar, sparkline, words with a colour.

use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::{Carrier, FieldRow, Outcome, Quality, Source};

use crate::evidence::is_mixed;
use crate::numbers::{interval, percent};

/// A picture of the icon set.
#[component]
pub fn Icon(
    /// Its name in `assets/icons.svg`.
    name: &'static str,
) -> impl IntoView {
    view! { <svg class="icon" aria-hidden="true"><use_ href=format!("#i-{name}")></use_></svg> }
}

/// The mark of the product.
#[component]
pub fn Logo() -> impl IntoView {
    view! { <img src="/logo.svg" width="22" height="22" alt="" /> }
}

/// What to say where there is nothing to show.
#[component]
pub fn Empty(
    /// A picture.
    icon: &'static str,
    /// What is missing.
    #[prop(into)]
    title: String,
    /// What to do about it.
    children: Children,
) -> impl IntoView {
    view! { <div class="empty"><Icon name=icon /><h2>{title}</h2>{children()}</div> }
}

/// Something that is on its way.
#[component]
pub fn Loading() -> impl IntoView {
    view! { <div class="empty" role="status"><span class="loading"></span><span class="hidden">"Loading"</span></div> }
}

/// A named number.
#[component]
pub fn Fact(
    /// Its name.
    name: &'static str,
    /// What it means, for who points at it.
    #[prop(optional)]
    title: &'static str,
    /// The number.
    children: Children,
) -> impl IntoView {
    view! { <div class="fact" title=title><dt>{name}</dt><dd>{children()}</dd></div> }
}

/// How far a schema can be trusted: three steps, and the word.
#[component]
pub fn Ladder(
    /// The level.
    quality: Quality,
    /// It breaks what it declares.
    violated: bool,
    /// For a page's head.
    #[prop(optional)]
    large: bool,
) -> impl IntoView {
    let word = if violated { "violated".to_owned() } else { quality.to_string() };
    let level = if violated { "violated".to_owned() } else { word.clone() };
    let size = if large { "large" } else { "" };
    view! {
        <span class=format!("ladder {level} {size}") title=format!("quality: {quality}")>
            <i></i><i></i><i></i><em>{word}</em>
        </span>
    }
}

/// How often a field is there, with the interval that is known with 95 %.
#[component]
pub fn PresenceBar(
    /// The field.
    field: Arc<FieldRow>,
) -> impl IntoView {
    let share = field.present as f64 / field.parents.max(1) as f64;
    // Present more often than with its main type: it has several.
    let kind = if is_mixed(&field) {
        "mixed"
    } else if field.present < field.parents {
        "partly"
    } else {
        ""
    };
    let (low, high) = field.interval;
    let title = format!(
        "in {} of {} objects ({}); 95 % interval {}",
        field.present,
        field.parents,
        percent(field.present, field.parents),
        interval(field.interval)
    );
    view! {
        <span class="bar" role="img" aria-label=title.clone() title=title>
            <i class=kind style:width=format!("{:.2}%", share * 100.0)></i>
            <u style:left=format!("{:.2}%", low * 100.0) style:right=format!("{:.2}%", (1.0 - high) * 100.0)></u>
        </span>
    }
}

/// A line of percents.
#[component]
pub fn Spark(
    /// From old to new, 0 to 100.
    trend: Vec<u8>,
) -> impl IntoView {
    let Some(last) = trend.last().copied() else { return ().into_any() };
    let step = 90.0 / (trend.len().max(2) - 1) as f64;
    let y = |percent: u8| 17.0 - f64::from(percent.min(100)) * 0.14;
    let last_x = 90.0;
    let mut points: Vec<String> = trend
        .iter()
        .enumerate()
        .map(|(n, percent)| format!("{:.1},{:.1}", n as f64 * step, y(*percent)))
        .collect();
    if points.len() == 1 {
        // One observation is a dot on its line.
        points.push(format!("90,{:.1}", y(last)));
    }
    let area = format!("0,17 {} {last_x:.1},17", points.join(" "));
    view! {
        <svg class="spark" viewBox="0 0 92 18" role="img" aria-label=format!("mean consistency, now {last} %")>
            <title>{format!("mean consistency over observations, now {last} %")}</title>
            <polygon points=area></polygon>
            <polyline points=points.join(" ")></polyline>
            <circle cx="90" cy=format!("{:.1}", y(last)) r="2"></circle>
        </svg>
    }
    .into_any()
}

/// How a call ended, in a word and its colour.
#[component]
pub fn OutcomeWord(
    /// How.
    outcome: Outcome,
) -> impl IntoView {
    let class = match outcome {
        Outcome::Ok => "good",
        Outcome::Cancelled => "dim",
        Outcome::ToolError | Outcome::Error | Outcome::Lost => "bad",
    };
    view! { <span class=class>{outcome.to_string()}</span> }
}

/// How what was learned was carried.
pub fn carrier_word(carrier: Option<Carrier>) -> &'static str {
    match carrier {
        Some(Carrier::Structured) => "structured",
        Some(Carrier::JsonInText) => "JSON in text",
        Some(Carrier::Text) => "text",
        None => "–",
    }
}

/// Where a schema comes from.
pub fn source_word(source: Source) -> &'static str {
    match source {
        Source::Declared => "declared",
        Source::Hybrid => "declared + observed",
        Source::Inferred => "inferred",
        Source::Unknown => "unknown",
    }
}
