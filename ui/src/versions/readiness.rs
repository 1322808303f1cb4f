//! Whether a version is ready: how later results fit it and its rivals, the drift it contains, and the reasons.

use leptos::prelude::*;
use schemascope_api::{DriftRow, FitRow, Readiness, RivalRow};

use crate::browser;
use crate::drift::sentence;
use crate::numbers::count;
use crate::parts::{Foreign, Icon, Named, Views, time};

/// The reasons against promoting a version, or that it is ready.
pub fn reasons(readiness: &Readiness) -> AnyView {
    if readiness.ready {
        return view! { <span class="good"><Icon name="check" />" Ready"</span> }.into_any();
    }
    let text = format!("Not ready: {}", readiness.reasons.join("; "));
    view! { <span class="warn"><Named text=text limit=700 /></span> }.into_any()
}

/// Figures of the results since the creation of a version: those that match it, and those that match its rivals.
pub fn figures(version: u32, readiness: &Readiness) -> AnyView {
    let of = |fits: FitRow, what: String| {
        let all = fits.fits + fits.violates;
        let class = if fits.violates > 0 { "warn" } else { "good" };
        view! { <div><b class=class>{format!("{} of {}", count(fits.fits), count(all))}</b><small>{what}</small></div> }
            .into_any()
    };
    let created = browser::short_time(readiness.created.as_millis());
    if readiness.since.fits + readiness.since.violates == 0 {
        return view! {
            <div><b>"None"</b><small>{format!("no stored result since v{version} was created at {created}")}</small></div>
        }
        .into_any();
    }
    let newest = if readiness.limited { "newest results" } else { "results" };
    let rival = |rival: &RivalRow, active: bool| {
        let name = rival.version.map_or("the declared schema".to_owned(), |version| format!("v{version}"));
        of(
            rival.fits,
            if active {
                format!("match {name}, active now")
            } else {
                format!("match {name}, the previous version")
            },
        )
    };
    view! {
        {of(readiness.since, format!("{newest} since v{version} was created at {created} match it"))}
        {readiness.effective.as_ref().map(|row| rival(row, true))}
        {readiness.previous.as_ref().map(|row| rival(row, false))}
    }
    .into_any()
}

/// The drifts that a version contains.
pub fn contained(readiness: &Readiness) -> AnyView {
    let line = |row: &DriftRow| {
        let state = match &row.acknowledged {
            None => ", not acknowledged".to_owned(),
            Some(seen) => format!(", acknowledged by {}", seen.name.as_deref().unwrap_or("the user")),
        };
        let class = if row.acknowledged.is_none() { "warn" } else { "" };
        view! {
            <li class=class>
                <Icon name="triangle-alert" />
                {format!(" Contains drift {}: ", row.drift)} {sentence(row)}
                " at "{time(row.since)} <Foreign text=state limit=100 />
            </li>
        }
        .into_any()
    };
    (!readiness.drifts.is_empty())
        .then(|| view! { <ul class="contained" aria-label="Drift it contains">{readiness.drifts.iter().map(line).views()}</ul> })
        .into_any()
}
