//! Small parts: icon, empty state, quality ladder, bars, sparkline, coloured words.

use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::{Carrier, FieldRow, Outcome, Quality, Source, Timestamp};

use crate::app::App;
use crate::browser;
use crate::evidence::is_mixed;
use crate::numbers::{interval, percent};

/// An icon.
#[component]
pub fn Icon(
    /// Its name in `assets/icons.svg`.
    name: &'static str,
) -> impl IntoView {
    view! { <svg class="icon" aria-hidden="true"><use_ href=format!("#i-{name}")></use_></svg> }
}

/// A time in the text; with its date once that is not today any more.
pub fn time(at: Timestamp) -> AnyView {
    let (today, at) = (App::get().live.today, at.as_millis());
    let shown = move || {
        today.with(|_| ());
        browser::short_time(at)
    };
    shown.into_any()
}

/// The time of something, as a column shows it.
#[component]
pub fn Time(
    /// Milliseconds since 1970.
    at: u64,
) -> impl IntoView {
    view! { <span class="faint num" title=browser::date_and_time(at)>{time(Timestamp::from_millis(at))}</span> }
}

/// The logo.
#[component]
pub fn Logo() -> impl IntoView {
    view! { <img src="/logo.svg" width="22" height="22" alt="" /> }
}

/// An empty state: what is missing, and what to do about it.
#[component]
pub fn Empty(
    /// Its icon.
    icon: &'static str,
    /// What is missing.
    #[prop(into)]
    title: String,
    /// What to do about it.
    children: Children,
) -> impl IntoView {
    view! { <div class="empty"><Icon name=icon /><h2>{title}</h2>{children()}</div> }
}

/// A placeholder while something loads.
#[component]
pub fn Loading() -> impl IntoView {
    view! { <div class="empty" role="status"><span class="loading"></span><span class="hidden">"Loading"</span></div> }
}

/// A named number.
#[component]
pub fn Fact(
    /// Its name.
    name: &'static str,
    /// Its meaning, as a tooltip.
    #[prop(optional)]
    title: &'static str,
    /// The number.
    children: Children,
) -> impl IntoView {
    view! { <div class="fact" title=title><dt>{name}</dt><dd>{children()}</dd></div> }
}

/// The quality of a schema: three steps and a word.
#[component]
pub fn Ladder(
    /// The level.
    quality: Quality,
    /// Results do not match the declared schema.
    violated: bool,
    /// Results changed, and no one acknowledged it.
    #[prop(optional)]
    drifting: bool,
    /// Size for the head of a page.
    #[prop(optional)]
    large: bool,
) -> impl IntoView {
    let (level, word, title) = if violated {
        ("violated".to_owned(), "violated".to_owned(), "results do not match the declared schema".to_owned())
    } else {
        (quality.to_string(), quality.to_string(), format!("quality: {quality}"))
    };
    let size = if large { "large" } else { "" };
    view! {
        <span class=format!("ladder {level} {size}") title=title>
            <i></i><i></i><i></i><em>{word}</em>
            {drifting.then(|| view! {
                <span class="warn" role="img" aria-label="results changed" title="results changed: see Review">
                    <Icon name="triangle-alert" />
                </span>
            }.into_any())}
        </span>
    }
}

/// Difference between all and the newest results from which on a field counts as changed.
const CHANGED: f64 = 0.1;

/// The share of objects that have a field, its consistency in the newest results below, with its 95 % confidence interval.
#[component]
pub fn PresenceBar(
    /// The field.
    field: Arc<FieldRow>,
) -> impl IntoView {
    let share = field.present as f64 / field.parents.max(1) as f64;
    // Present more often than with its main type: it has several types.
    let kind = if is_mixed(&field) {
        "mixed"
    } else if field.present < field.parents {
        "partly"
    } else {
        ""
    };
    let (low, high) = field.interval;
    let has_changed = field.recent.is_some_and(|recent| (recent - field.consistency).abs() > CHANGED);
    let recent = field.recent.map(|recent| {
        let class = if has_changed { "recent changed" } else { "recent" };
        view! { <b class=class style:width=format!("{:.2}%", recent * 100.0)></b> }.into_any()
    });
    let newest = field
        .recent
        .map(|recent| format!("; consistency {:.2}, newest results {recent:.2}", field.consistency));
    let title = format!(
        "in {} of {} objects ({}); 95 % confidence interval {}{}",
        field.present,
        field.parents,
        percent(field.present, field.parents),
        interval(field.interval),
        newest.unwrap_or_default()
    );
    view! {
        <span class="bar" role="img" aria-label=title.clone() title=title>
            <i class=kind style:width=format!("{:.2}%", share * 100.0)></i>
            <u style:left=format!("{:.2}%", low * 100.0) style:right=format!("{:.2}%", (1.0 - high) * 100.0)></u>
            {recent}
        </span>
    }
}

/// A sparkline of percentages.
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
        // A line needs two points.
        points.push(format!("90,{:.1}", y(last)));
    }
    let area = format!("0,17 {} {last_x:.1},17", points.join(" "));
    view! {
        <svg class="spark" viewBox="0 0 92 18" role="img" aria-label=format!("mean consistency, now {last} %")>
            <title>{format!("mean consistency over results, now {last} %")}</title>
            <polygon points=area></polygon>
            <polyline points=points.join(" ")></polyline>
            <circle cx="90" cy=format!("{:.1}", y(last)) r="2"></circle>
        </svg>
    }
    .into_any()
}

/// The status of a call, in its colour.
#[component]
pub fn OutcomeWord(
    /// The status.
    outcome: Outcome,
) -> impl IntoView {
    let class = match outcome {
        Outcome::Ok => "good",
        Outcome::Cancelled => "dim",
        Outcome::ToolError | Outcome::Error | Outcome::Lost => "bad",
    };
    view! { <span class=class>{outcome.to_string()}</span> }
}

/// The form of a result that a schema is inferred from.
pub fn carrier_word(carrier: Option<Carrier>) -> &'static str {
    match carrier {
        Some(Carrier::Structured) => "structured",
        Some(Carrier::JsonInText) => "JSON inside text",
        Some(Carrier::Python) => "Python literal",
        Some(Carrier::MarkdownJson) => "JSON in Markdown",
        Some(Carrier::MarkdownTable) => "Markdown table",
        Some(Carrier::Yaml) => "YAML",
        Some(Carrier::KeyValue) => "key and value lines",
        Some(Carrier::Markdown) => "Markdown text",
        Some(Carrier::Text) => "text",
        None => "–",
    }
}

/// The source of a schema.
pub fn source_word(source: Source) -> &'static str {
    match source {
        Source::Declared => "declared",
        Source::Hybrid => "declared + observed",
        Source::Inferred => "inferred",
        Source::Unknown => "unknown",
    }
}
