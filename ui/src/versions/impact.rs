//! The impact of a version: how results match it, what it contains, and what changes for clients and readers.

use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::{AttributeDiff, ChangedEdge, EdgeDiff, GetImpact, ImpactReply, RuleCount};

use super::changes;
use super::readiness::{contained, figures};
use crate::app::App;
use crate::cells::{RwSignal, StoredValue, effect};
use crate::door;
use crate::live::Connection;
use crate::numbers::{count, number_of, percent};
use crate::parts::{Foreign, Loading, Named, Views};
use crate::route::Route;
use crate::text::visible;

/// Most edges and attributes that are listed.
const MAX_EDGES: usize = 8;
const MAX_ATTRIBUTES: usize = 30;
/// Most rules, and most changes, drawn.
const MAX_RULES: usize = 6;
const MAX_CHANGES: usize = 8;

/// Parts of an impact that not every place shows.
#[derive(Debug, Clone, Copy)]
pub struct Parts {
    /// What clients receive once the version is promoted.
    pub clients: bool,
    /// The changes from the active version.
    pub changes: bool,
}

/// An impact that was requested.
pub type Requested = RwSignal<Option<Result<Arc<ImpactReply>, String>>>;

/// Requests the impact of the version `wanted` names, again when that changes. When only `results` changes, the known
/// impact is shown until the new one arrives. One that could not be loaded is requested again once the engine responds.
pub fn request_impact(
    wanted: impl Fn() -> Option<(String, u32)> + Send + Sync + 'static,
    results: impl Fn() -> u64 + Send + Sync + 'static,
) -> Requested {
    let known: Requested = RwSignal::new(None);
    let latest = RwSignal::new(None::<(String, u32)>);
    let counted = StoredValue::new(0_u64);
    let live = App::get().live;
    effect(move || {
        let (asked, results) = (wanted(), results());
        let is_live = live.connection.get() == Connection::Live;
        let is_same = latest.with_untracked(|latest| *latest == asked);
        let failed = known.with_untracked(|known| matches!(known, Some(Err(_))));
        if is_same && counted.get_value() == results && !(failed && is_live) {
            return;
        }
        counted.set_value(results);
        if !is_same {
            latest.set(asked.clone());
            known.set(None);
        }
        let Some((tool_id, version)) = asked.clone() else { return };
        leptos::task::spawn_local(async move {
            let reply = door::call(&GetImpact { tool_id, version, last: None }).await;
            // Another version may be selected by now.
            if latest.try_with_untracked(|latest| *latest == asked) == Some(true) {
                known.set(Some(reply.map(Arc::new).map_err(|error| error.to_string())));
            }
        });
    });
    known
}

/// Draws an impact.
pub fn impact(known: Requested, shown: Parts) -> AnyView {
    let draw = move || match known.get() {
        None => view! { <Loading /> }.into_any(),
        Some(Err(error)) => view! { <p class="quiet bad"><Foreign text=error limit=500 /></p> }.into_any(),
        Some(Ok(of)) => drawn(&of, shown),
    };
    view! { <div class="impact" aria-live="polite">{draw}</div> }.into_any()
}

fn drawn(of: &ImpactReply, shown: Parts) -> AnyView {
    let clients = if of.list_changed {
        format!("Clients receive v{}", of.version)
    } else {
        "Clients see no change".to_owned()
    };
    let rules = of.rules.iter().take(MAX_RULES).map(|rule| broken(rule, of.observation_count));
    let further = of.rules.len().saturating_sub(MAX_RULES) as u64 + of.other_rules;
    view! {
        <div class="figures">
            {figures(of.version, &of.readiness)}
            {shown.clients.then(|| view! {
                <div><b>{clients}</b><small>"on /mcp, with this decision"</small></div>
            }.into_any())}
        </div>
        {contained(&of.readiness)}
        <p class="quiet">{format!(
            "{} of {} recent results match v{}, including those it was learned from.",
            count(of.observation_count.saturating_sub(of.violating)),
            count(of.observation_count),
            of.version
        )}</p>
        {(of.not_judged > 0).then(|| view! {
            <p class="quiet">{format!("{} more could not be checked.", count(of.not_judged))}</p>
        }.into_any())}
        {(!of.rules.is_empty()).then(|| view! {
            <ul class="broken" aria-label="Results that do not match">{rules.views()}</ul>
            {(further > 0).then(|| view! { <p class="quiet">{format!("… {}", number_of(further as usize, "more kind", "more kinds"))}</p> }.into_any())}
        }.into_any())}
        {edges(&of.edges)}
        {attributes(&of.attributes)}
        {of.comparison.as_ref().filter(|_| shown.changes).map(|comparison| view! {
            <h3>"Changes from the active schema"</h3>
            {changes(&comparison.changes, MAX_CHANGES)}
        }.into_any())}
    }
    .into_any()
}

/// Edges that are lost, less sure, or there again, those in use first.
fn edges(diff: &EdgeDiff) -> Option<AnyView> {
    let again = diff.new.iter().filter(|changed| changed.edge.evidence.flows > 0);
    let kinds = [("Breaks", "bad"), ("Weakens", "warn"), ("Repairs", "good")];
    let all = [diff.broken.iter().collect::<Vec<_>>(), diff.weakened.iter().collect(), again.collect()];
    let mut lines = Vec::new();
    for ((word, class), mut changed) in kinds.into_iter().zip(all) {
        changed.sort_by_key(|changed| std::cmp::Reverse(changed.edge.evidence.flows));
        lines.extend(changed.into_iter().map(|changed| (word, class, changed)));
    }
    if lines.is_empty() {
        return None;
    }
    let further = lines.len().saturating_sub(MAX_EDGES);
    let line = |(word, class, changed): &(&'static str, &'static str, &ChangedEdge)| {
        let ChangedEdge { edge, changes, .. } = changed;
        let used = match edge.evidence.flows {
            0 => "not seen in use".to_owned(),
            1 => "used by 1 call".to_owned(),
            flows => format!("used by {} calls", count(flows)),
        };
        let cause = changes.first().map(|change| change.sentence.clone());
        view! {
            <li>
                <span class=format!("tag {class}")>{*word}</span>
                <a class="mono cut" target="_blank" href=Route::graph(&edge.from).address()><Foreign text=format!("{} → {}", edge.from, edge.to) limit=200 /></a>
                <span class="dim">{used}</span>
                {cause.map(|cause| view! { <span class="cause"><Named text=cause limit=300 /></span> }.into_any())}
            </li>
        }
        .into_any()
    };
    Some(
        view! {
            <ul class="edges" aria-label="Edges that change">{lines.iter().take(MAX_EDGES).map(line).views()}</ul>
            {(further > 0).then(|| view! { <p class="quiet">{format!("… {}", number_of(further, "more edge", "more edges"))}</p> }.into_any())}
        }
        .into_any(),
    )
}

/// Attributes of the wrapper that change: scripts that use them notice.
fn attributes(changes: &AttributeDiff) -> Option<AnyView> {
    let AttributeDiff { added, removed, retyped } = changes;
    let all = added.len() + removed.len() + retyped.len();
    if all == 0 {
        return None;
    }
    let removed = removed.iter().map(|(name, kind)| ("−", format!("{name}: {kind}")));
    let retyped = retyped.iter().map(|(name, now, then)| ("~", format!("{name}: {now} → {then}")));
    let added = added.iter().map(|(name, kind)| ("+", format!("{name}: {kind}")));
    let lines = removed.chain(retyped).chain(added).take(MAX_ATTRIBUTES).map(|(sign, text)| {
        view! { <li class="mono"><b>{sign}</b>" "<Foreign text=text limit=200 /></li> }.into_any()
    });
    Some(
        view! {
            <details class="attributes">
                <summary>{format!(
                    "Attributes of the Python wrapper: {} removed, {} retyped, {} added",
                    changes.removed.len(), changes.retyped.len(), changes.added.len()
                )}</summary>
                <ul>{lines.views()}</ul>
                {(all > MAX_ATTRIBUTES).then(|| view! {
                    <p class="quiet">{format!("… {} more", count((all - MAX_ATTRIBUTES) as u64))}</p>
                }.into_any())}
            </details>
        }
        .into_any(),
    )
}

fn broken(rule: &RuleCount, all: u64) -> AnyView {
    let path =
        if rule.violation.path.is_empty() { "whole result".to_owned() } else { rule.violation.path.clone() };
    let call = |id: &schemascope_api::CallId| {
        view! { <a class="accent" target="_blank" href=Route::call(id.to_string()).address()>"call"</a>" " }
            .into_any()
    };
    view! {
        <li>
            <span class="mono cut" title=visible(&path, 300)><Foreign text=path.clone() limit=120 /></span>
            <span>"violates " <span class="mono"><Foreign text=rule.violation.rule.clone() limit=60 /></span></span>
            <span class="num">{count(rule.count)} <span class="faint">" · " {percent(rule.count, all)}</span></span>
            <span>{rule.calls.iter().map(call).views()}</span>
        </li>
    }
    .into_any()
}
