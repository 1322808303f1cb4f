//! What a version would have made of the latest observations.

use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::{GetImpact, ImpactReply, RuleCount};

use super::changes;
use crate::cells::{RwSignal, effect};
use crate::door;
use crate::numbers::{count, percent};
use crate::parts::{Foreign, Loading, Views};
use crate::route::Route;
use crate::text::visible;

/// Rules, and changes, drawn.
const RULES: usize = 6;
const CHANGES: usize = 8;

/// The impact of a version, and of the one in force where that is another.
#[derive(Clone, PartialEq)]
pub struct Both {
    /// Of the version.
    pub of: ImpactReply,
    /// Of the one in force.
    pub in_force: Option<ImpactReply>,
}

/// What is known of an impact.
pub type Asked = RwSignal<Option<Result<Arc<Both>, String>>>;

/// Asks for the impact of the version that `wanted` names, again when that changes.
pub fn asked(wanted: impl Fn() -> Option<(String, u32)> + Send + Sync + 'static) -> Asked {
    let known: Asked = RwSignal::new(None);
    let latest = RwSignal::new(None::<(String, u32)>);
    effect(move || {
        let asked = wanted();
        if latest.with_untracked(|latest| *latest == asked) {
            return;
        }
        latest.set(asked.clone());
        known.set(None);
        let Some((tool_id, version)) = asked.clone() else { return };
        leptos::task::spawn_local(async move {
            let reply = both(tool_id, version).await;
            // Something else may be wanted by now.
            if latest.try_with_untracked(|latest| *latest == asked) == Some(true) {
                known.set(Some(reply.map(Arc::new)));
            }
        });
    });
    known
}

async fn both(tool_id: String, version: u32) -> Result<Both, String> {
    let ask = |version| GetImpact { tool_id: tool_id.clone(), version, last: None };
    let of = door::call(&ask(version)).await.map_err(|error| error.to_string())?;
    let other = of.in_force.map(|row| row.version).filter(|other| *other != version);
    let in_force = match other {
        Some(other) => Some(door::call(&ask(other)).await.map_err(|error| error.to_string())?),
        None => None,
    };
    Ok(Both { of, in_force })
}

/// Draws it; with what changes against the version in force, where the page does not tell that already.
pub fn impact(known: Asked, with_changes: bool) -> AnyView {
    let draw = move || match known.get() {
        None => view! { <Loading /> }.into_any(),
        Some(Err(error)) => view! { <p class="quiet bad"><Foreign text=error limit=500 /></p> }.into_any(),
        Some(Ok(both)) => drawn(&both, with_changes),
    };
    view! { <div class="impact" aria-live="polite">{draw}</div> }.into_any()
}

fn drawn(both: &Both, with_changes: bool) -> AnyView {
    let Both { of, in_force } = both;
    let figure = |reply: &ImpactReply, what: String| {
        let class = if reply.violating > 0 { "warn" } else { "good" };
        view! {
            <div>
                <b class=class>{format!("{} of {}", count(reply.violating), count(reply.observation_count))}</b>
                <small>{what}</small>
            </div>
        }
        .into_any()
    };
    let clients = if of.list_changed { "told of it at once" } else { "notice nothing" };
    let rules = of.rules.iter().take(RULES).map(|rule| broken(rule, of.observation_count));
    let further = of.rules.len().saturating_sub(RULES) as u64 + of.other_rules;
    view! {
        <div class="figures">
            {figure(of, format!("latest results do not fit v{}", of.version))}
            {in_force.as_ref().map(|reply| figure(reply, format!("do not fit v{}, in force now", reply.version)))}
            <div><b>{clients}</b><small>"clients of /mcp, when it is promoted"</small></div>
        </div>
        {(of.not_judged > 0).then(|| view! {
            <p class="quiet">{format!("{} more could not be judged.", count(of.not_judged))}</p>
        }.into_any())}
        {(!of.rules.is_empty()).then(|| view! {
            <ul class="broken" aria-label="What does not fit">{rules.views()}</ul>
            {(further > 0).then(|| view! { <p class="quiet">{format!("… {} more kinds", count(further))}</p> }.into_any())}
        }.into_any())}
        {of.comparison.as_ref().filter(|_| with_changes).map(|comparison| view! {
            <h3>"Against what is in force now"</h3>
            {changes(&comparison.changes, CHANGES)}
        }.into_any())}
    }
    .into_any()
}

fn broken(rule: &RuleCount, all: u64) -> AnyView {
    let path =
        if rule.violation.path.is_empty() { "whole result".to_owned() } else { rule.violation.path.clone() };
    let call = |id: &schemascope_api::CallId| {
        view! { <a class="accent" href=Route::call(id.to_string()).address()>"call"</a>" " }.into_any()
    };
    view! {
        <li>
            <span class="mono cut" title=visible(&path, 300)><Foreign text=path.clone() limit=120 /></span>
            <span>"breaks " <span class="mono"><Foreign text=rule.violation.rule.clone() limit=60 /></span></span>
            <span class="num">{count(rule.count)} <span class="faint">" · " {percent(rule.count, all)}</span></span>
            <span>{rule.calls.iter().map(call).views()}</span>
        </li>
    }
    .into_any()
}
