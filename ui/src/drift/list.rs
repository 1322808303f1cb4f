//! Drifts one below the other.

use leptos::prelude::*;
use schemascope_api::{Change, DriftRow, Share};

use super::Drifts;
use crate::app::App;
use crate::browser;
use crate::cells::click;
use crate::numbers::{count, percent};
use crate::parts::{Foreign, Icon, Views};
use crate::route::Route;

/// Drifts that are over drawn at most.
const OVER: usize = 20;

/// A tool's drifts: those that go on, and behind a fold those that are over.
#[component]
pub fn Drifted(
    /// Its drifts.
    drifts: Drifts,
) -> impl IntoView {
    let app = App::get();
    view! {
        <ul class="drifts" aria-label="Drift that goes on">
            {move || drifts.open().iter().map(|row| line(app, drifts, row)).views()}
        </ul>
        {move || {
            let over = drifts.over();
            (!over.is_empty()).then(|| view! {
                <details class="over">
                    <summary>{match over.len() {
                        1 => "1 earlier change is over".to_owned(),
                        n => format!("{} earlier changes are over", count(n as u64)),
                    }}</summary>
                    <ul class="drifts">{over.iter().take(OVER).map(|row| line(app, drifts, row)).views()}</ul>
                </details>
            }.into_any())
        }}
    }
}

/// What kind of change, in a word, with its colour and sign.
fn kind(row: &DriftRow) -> AnyView {
    let word = match row.change {
        Change::Removed => "gone",
        Change::Renamed { .. } => "renamed",
        Change::Appeared => "new",
        Change::BecameNull => "null",
        Change::Retyped { .. } => "retyped",
        Change::Violated => "violation",
    };
    let (class, icon) = match (&row.resolved, &row.change) {
        (Some(_), _) => ("", "check"),
        (None, Change::Violated) => ("bad", "triangle-alert"),
        (None, _) => ("warn", "triangle-alert"),
    };
    view! { <span class=format!("tag {class}")><Icon name=icon />" " {word}</span> }.into_any()
}

/// What changed, in words.
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
        Change::Removed => view! { {at} " is gone" }.into_any(),
        Change::Renamed { to } => view! { {at} " is now " {path(to)} }.into_any(),
        Change::Appeared => view! { {at} " is new" }.into_any(),
        Change::BecameNull => view! { {at} " is mostly null now" }.into_any(),
        Change::Retyped { from, to } => view! { {at} {format!(" was {from} and is {to} now")} }.into_any(),
        Change::Violated => view! { "Results break " {at} " of the effective schema" }.into_any(),
    }
}

/// How many were as they used to be.
fn share(name: &'static str, share: Share) -> AnyView {
    let (count_of, of) = (u64::from(share.count), u64::from(share.of));
    let words = format!("{} of {}", count(count_of), count(of));
    view! {
        <span class="share" title=format!("{words} as they used to be")>
            <small>{name}</small>
            <meter min="0" max=of.max(1).to_string() value=count_of.to_string() aria-label=format!("{name}: {words} as they used to be")></meter>
            <span class="num">{percent(count_of, of)} <span class="faint">{format!(" of {}", count(of))}</span></span>
        </span>
    }
    .into_any()
}

fn line(app: App, drifts: Drifts, row: &DriftRow) -> AnyView {
    let number = row.drift;
    let waits = row.resolved.is_none() && row.acknowledged.is_none();
    let call = |(at, id): (usize, &schemascope_api::CallId)| {
        view! { <a class="accent num" href=Route::call(id.to_string()).address()>{format!("call {}", at + 1)}</a> }.into_any()
    };
    let seen = row.acknowledged.as_ref().map(|seen| {
        let who = seen.name.clone().unwrap_or_else(|| "a person".to_owned());
        let why =
            seen.reason.clone().map(|reason| view! { ": " <Foreign text=reason limit=400 /> }.into_any());
        view! { <p class="seen"><Icon name="check" />" Seen by " <Foreign text=who limit=60 /> {why}</p> }
            .into_any()
    });
    let over = row.resolved.as_ref().map(|resolved| {
        let when = browser::short_time(resolved.at.as_millis());
        view! { <p class="seen"><Icon name="check" />{format!(" Over since {when}: {}", resolved.sentence)}</p> }
            .into_any()
    });
    view! {
        <li class:seen=move || !waits>
            {kind(row)}
            <div>
                <p class="what">{sentence(row)}</p>
                <p class="shares">{share("before", row.before)}{share("since", row.after)}</p>
                <p class="behind dim">
                    {format!("#{number} · since {} · observation {}", browser::short_time(row.since.as_millis()), count(row.began))}
                    <span class="calls">{row.examples.iter().enumerate().map(call).views()}</span>
                </p>
                {seen}{over}
            </div>
            {waits.then(|| view! {
                <button class="button small" on:click=click(move |_| drifts.ask(app, Some(number)))>"Acknowledge…"</button>
            }.into_any())}
        </li>
    }
    .into_any()
}
