//! The tools that wait for a decision: their order, the columns, and which of them is open or selected.

use std::collections::BTreeSet;
use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::{CandidateRow, PageId, ToolRow};

use super::candidates::{Candidates, severity};
use crate::app::App;
use crate::cells::{Memo, RwSignal, StoredValue, effect};
use crate::layout::Width;
use crate::order;
use crate::parts::{Column, Icon, List, ToolName};
use crate::picture::needs_review;
use crate::route::Route;

/// A tool that waits for a decision.
#[derive(Clone, PartialEq)]
pub struct Waiting {
    pub tool: Arc<ToolRow>,
    /// Its candidate with its readiness; none until it is loaded, or without a candidate.
    pub candidate: Option<CandidateRow>,
    /// Whether it is selected for a decision about several tools.
    marked: bool,
}

pub const COLUMNS: &[Column<Waiting>] = &[
    Column::text("tool", "Tool", Width::Share(96, 1.0), &name),
    Column::text("version", "Version", Width::Fixed(36), &version),
    Column::text("verdict", "Verdict", Width::Fixed(100), &verdict),
];

/// Tools selected for a decision about several.
pub type Marked = RwSignal<BTreeSet<String>>;

/// The tools that wait, those that are ready first, then by severity.
pub fn waiting(candidates: Candidates, marked: Marked) -> Memo<Arc<Vec<Waiting>>> {
    let app = App::get();
    Memo::always(move || {
        // The first tools arrive with the connection.
        app.live.connection.track();
        let known = candidates.get();
        let settled = app.settled.get();
        let marked = marked.get();
        let mut rows = app.live.tools(|tools| {
            let mut rows = Vec::new();
            for tool in tools.values().filter(|row| needs_review(row)) {
                let is_settled =
                    |version: u32| settled.iter().any(|(id, of)| *id == tool.tool_id && *of == version);
                let waits = tool.candidate_version.is_some_and(|version| !is_settled(version));
                if !waits && tool.drift_waiting == 0 {
                    continue;
                }
                let candidate = known.as_ref().and_then(|known| known.get(&tool.tool_id)).cloned();
                let candidate = candidate.filter(|row| waits && tool.candidate_version == Some(row.version));
                rows.push(Waiting {
                    tool: Arc::clone(tool),
                    candidate,
                    marked: marked.contains(&tool.tool_id),
                });
            }
            rows
        });
        let rank = |row: &Waiting| {
            let ready = row.candidate.as_ref().is_some_and(|row| row.readiness.ready);
            (!ready, severity(row.candidate.as_ref(), row.tool.drift_waiting > 0))
        };
        order::sort(&mut rows, |a, b| {
            rank(a).cmp(&rank(b)).then_with(|| a.tool.tool_id.cmp(&b.tool.tool_id))
        });
        Arc::new(rows)
    })
}

pub fn key(row: &Waiting) -> String {
    row.tool.tool_id.clone()
}

/// The address of a tool on this page.
pub fn address(row: &Waiting) -> String {
    Route::item(PageId::Review, row.tool.tool_id.clone()).address()
}

/// Keeps address, list and pane on the same tool. When the open tool is decided, the next one opens.
pub fn follow_address(list: List<Waiting>, candidates: Candidates) -> Memo<Option<String>> {
    let app = App::get();
    let place = StoredValue::new(0_usize);
    // The tool that was open, if it waited.
    let opened = StoredValue::new(None::<String>);
    let named = Memo::new(move || app.route.with(|route| route.item_of(PageId::Review)));
    effect(move || {
        let is_here = app.route.with(|route| route.page == Some(PageId::Review));
        if !is_here || app.live.is_unknown() {
            return;
        }
        let named = named.get();
        // Their readiness decides which tool is the first.
        if named.is_none() && candidates.with(Option::is_none) {
            return;
        }
        let at = |id: &String| list.rows.with(|rows| rows.iter().position(|row| row.tool.tool_id == *id));
        let waits = named.as_ref().and_then(at);
        // A link to a tool that waits for nothing opens no other one.
        if waits.is_none() && named.is_some() && opened.with_value(|opened| *opened != named) {
            return list.selected.set(None);
        }
        let next = list.rows.with(|rows| {
            if let Some(at) = waits {
                place.set_value(at);
                opened.set_value(named.clone());
                return named.clone();
            }
            let at = place.get_value().min(rows.len().checked_sub(1)?);
            rows.get(at).map(key)
        });
        list.selected.set(next.clone());
        if next != named {
            app.replace(Route { item: next, ..PageId::Review.into() });
        }
    });
    Memo::new(move || {
        let id = named.get()?;
        list.rows.with(|rows| rows.iter().any(|row| row.tool.tool_id == id)).then_some(id)
    })
}

/// Selects all tools from the open one to another.
pub fn mark_to(list: List<Waiting>, marked: Marked, id: &str) {
    list.rows.with_untracked(|rows| {
        let at = |id: &str| rows.iter().position(|row| row.tool.tool_id == id);
        let open = list.selected.get_untracked();
        let (Some(to), Some(from)) = (at(id), open.as_deref().and_then(at)) else { return };
        let range = rows.get(from.min(to)..=from.max(to)).unwrap_or_default();
        marked.update(|marked| marked.extend(range.iter().map(key)));
    });
}

fn name(row: &Waiting) -> AnyView {
    let mark = row.marked.then(|| {
        view! { <span class="mark accent" title="selected"><Icon name="check" /><span class="hidden">"selected: "</span></span> }
            .into_any()
    });
    let drift = (row.tool.drift_waiting > 0).then(|| {
        view! { <span class="mark warn" title="drift to acknowledge"><Icon name="triangle-alert" /><span class="hidden">"drift: "</span></span> }
            .into_any()
    });
    let id = row.tool.tool_id.clone();
    view! { {mark}{drift}<span title=id.clone()><ToolName id=id.clone() /></span> }.into_any()
}

/// The candidate, and the active version it would replace.
fn version(row: &Waiting) -> AnyView {
    let candidate = row.tool.candidate_version.map(|candidate| {
        let active = row.tool.effective_version.map(|active| format!("v{active} → "));
        view! { <span class="faint">{active}</span>{format!("v{candidate}")} }.into_any()
    });
    let title =
        if row.tool.effective_version.is_some() { "active version and candidate" } else { "candidate" };
    view! { <span class="mono" title=title>{candidate}</span> }.into_any()
}

/// The readiness of the candidate in a word, else what waits.
fn verdict(row: &Waiting) -> AnyView {
    let Some(candidate) = &row.candidate else {
        return if row.tool.drift_waiting > 0 {
            view! { <span class="warn">"drift"</span> }.into_any()
        } else {
            ().into_any()
        };
    };
    let readiness = &candidate.readiness;
    if readiness.ready {
        return view! { <span class="good"><Icon name="check" />" ready"</span> }.into_any();
    }
    let contains_drift = readiness.drifts.iter().any(|drift| drift.acknowledged.is_none());
    let word = match severity(Some(candidate), contains_drift) {
        0 => "breaks readers".to_owned(),
        1 => "contains drift".to_owned(),
        2 => "may break".to_owned(),
        _ => match readiness.needed.saturating_sub(readiness.since.fits + readiness.since.violates) {
            0 => "not ready".to_owned(),
            more => format!("needs {more} more"),
        },
    };
    view! { <span class="warn" title=readiness.reasons.join("; ")>{word}</span> }.into_any()
}
