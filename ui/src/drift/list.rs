//! List of drifts.

use leptos::prelude::*;
use schemascope_api::{Change, DriftRow, LostEdge, Share, broken_rule};

use super::Drifts;
use crate::app::App;
use crate::cells::click;
use crate::numbers::count;
use crate::parts::{Foreign, Icon, Views, time};
use crate::route::Route;

/// Most resolved drifts drawn.
const MAX_RESOLVED: usize = 20;

/// A tool's drifts: those that continue, and resolved ones below, collapsed.
#[component]
pub fn DriftList(
    /// Its drifts.
    drifts: Drifts,
) -> impl IntoView {
    let app = App::get();
    view! {
        <ul class="drifts" aria-label="Current drift">
            {move || drifts.open().iter().map(|row| line(app, drifts, row)).views()}
        </ul>
        {move || {
            let resolved = drifts.resolved();
            (!resolved.is_empty()).then(|| view! {
                <details class="over">
                    <summary>{match resolved.len() {
                        1 => "1 resolved change".to_owned(),
                        n => format!("{} resolved changes", count(n as u64)),
                    }}</summary>
                    <ul class="drifts">{resolved.iter().take(MAX_RESOLVED).map(|row| line(app, drifts, row)).views()}</ul>
                </details>
            }.into_any())
        }}
    }
}

/// The kind of a change, as a word with a colour and an icon.
fn kind(row: &DriftRow) -> AnyView {
    let word = match row.change {
        Change::Removed => "removed",
        Change::Renamed { .. } => "renamed",
        Change::Appeared => "added",
        Change::BecameNull => "null",
        Change::Retyped { .. } => "type changed",
        Change::Violated => "violation",
    };
    let (class, icon) = match (&row.resolved, &row.change) {
        (Some(_), _) => ("", "check"),
        (None, Change::Violated) => ("bad", "triangle-alert"),
        (None, _) => ("warn", "triangle-alert"),
    };
    view! { <span class=format!("tag {class}")><Icon name=icon />" " {word}</span> }.into_any()
}

/// The change, in words.
pub fn sentence(row: &DriftRow) -> AnyView {
    let path = |path: &str| {
        if path.is_empty() {
            view! { <b>"the whole result"</b> }.into_any()
        } else {
            view! { <b class="mono"><Foreign text=path.to_owned() limit=160 /></b> }.into_any()
        }
    };
    let at = path(&row.path);
    match &row.change {
        Change::Removed => view! { {at} " is no longer present" }.into_any(),
        Change::Renamed { to } => view! { {at} " was renamed to " {path(to)} }.into_any(),
        Change::Appeared => view! { {at} " was added" }.into_any(),
        Change::BecameNull => view! { {at} " is now mostly null" }.into_any(),
        Change::Retyped { from, to } => view! { {at} {format!(" changed from {from} to {to}")} }.into_any(),
        Change::Violated => {
            let (place, words) = broken_rule(&row.path);
            view! { {path(&place)} " " {words} }.into_any()
        }
    }
}

/// The share of results in the previous form; nothing where no result was compared.
fn share(name: &'static str, share: Share) -> Option<AnyView> {
    if share.of == 0 {
        return None;
    }
    let (count_of, of) = (u64::from(share.count), u64::from(share.of));
    let words = format!("{} of {}", count(count_of), count(of));
    let drawn = view! {
        <span class="share" title=format!("{words} in the previous form")>
            <small>{name}</small>
            <meter min="0" max=of.max(1).to_string() value=count_of.to_string() aria-label=format!("{name}: {words} in the previous form")></meter>
            <span class="num">{words.clone()} <span class="faint">" in the previous form"</span></span>
        </span>
    };
    Some(drawn.into_any())
}

/// The edges that a drift breaks.
fn breaks(edges: &[LostEdge]) -> Option<AnyView> {
    let text = LostEdge::sentence(edges);
    let from = text.get(..1).map(str::to_uppercase).zip(text.get(1..));
    let text = from.map(|(first, rest)| first + rest)?;
    Some(
        view! { <p class="seen"><Icon name="waypoints" />" " <Foreign text=text limit=600 /></p> }.into_any(),
    )
}

fn line(app: App, drifts: Drifts, row: &DriftRow) -> AnyView {
    let number = row.drift;
    let is_pending = row.resolved.is_none() && row.acknowledged.is_none();
    let call = |(at, id): (usize, &schemascope_api::CallId)| {
        view! { <a class="accent num" href=Route::call(id.to_string()).address()>{format!("call {}", at + 1)}</a> }.into_any()
    };
    let seen = row.acknowledged.as_ref().map(|seen| {
        let who = seen.name.clone().unwrap_or_else(|| "user".to_owned());
        let why =
            seen.reason.clone().map(|reason| view! { ": " <Foreign text=reason limit=400 /> }.into_any());
        view! { <p class="seen"><Icon name="check" />" Acknowledged by " <Foreign text=who limit=60 /> {why}</p> }
            .into_any()
    });
    let resolved = row.resolved.as_ref().map(|resolved| {
        view! { <p class="seen"><Icon name="check" />" Resolved "{time(resolved.at)}{format!(": {}", resolved.sentence)}</p> }
            .into_any()
    });
    view! {
        <li class:seen=move || !is_pending>
            {kind(row)}
            <div>
                <p class="what">{sentence(row)}</p>
                <p class="shares">{share("before", row.before)}{row.resolved.is_none().then(|| share("since", row.after))}</p>
                <p class="behind dim">
                    {format!("#{number} · since ")}{time(row.since)}{format!(" · from result {} on", count(row.began))}
                    <span class="calls">{row.examples.iter().enumerate().map(call).views()}</span>
                </p>
                {breaks(&row.breaks)}{seen}{resolved}
            </div>
            {is_pending.then(|| view! {
                <button class="button small" on:click=click(move |_| drifts.acknowledge(app, Some(number)))>"Acknowledge…"</button>
            }.into_any())}
        </li>
    }
    .into_any()
}
