//! A conversation in the list.

use leptos::prelude::*;
use schemascope_api::PageId;

use super::known::{Line, Pursuit};
use super::words::{budget, state};
use crate::browser;
use crate::cells::{Memo, RwSignal, StoredValue, effect};
use crate::numbers::{number_of, share};
use crate::parts::{Foreign, Icon};
use crate::route::Route;

#[component]
pub fn Row(
    /// Id of the conversation.
    id: String,
    /// All conversations.
    lines: Memo<Option<Vec<Line>>>,
    /// The conversation that is open.
    open: Memo<Option<String>>,
    /// The conversation selected by keyboard.
    selected: RwSignal<Option<String>>,
) -> impl IntoView {
    let href = Route::item(PageId::Interviews, id.clone()).address();
    let line = line_of(id.clone(), lines);
    let id = StoredValue::new(id);
    let is_open = Memo::new(move || id.with_value(|id| open.with(|open| open.as_ref() == Some(id))));
    let is_selected =
        Memo::new(move || id.with_value(|id| selected.with(|selected| selected.as_ref() == Some(id))));
    let place: NodeRef<leptos::html::Li> = NodeRef::new();
    effect(move || {
        if is_selected.get()
            && let Some(row) = place.get()
        {
            browser::show(&row);
        }
    });
    view! {
        <li node_ref=place data-selected=move || if is_selected.get() { "true" } else { "false" }>
            <a class="conversation-row" href=href aria-current=move || is_open.get().then_some("true")>
                {move || line.get().map(|line| draw(&line))}
            </a>
        </li>
    }
}

/// The line of a conversation.
pub fn line_of(id: String, lines: Memo<Option<Vec<Line>>>) -> Memo<Option<Line>> {
    Memo::new(move || {
        lines.with(|lines| lines.as_ref()?.iter().find(|line| line.conversation_id == id).cloned())
    })
}

fn draw(line: &Line) -> AnyView {
    let conflicts = line.conflicts();
    view! {
        <span class="project">
            <Foreign text=line.project_name.clone() limit=80 />
            {line.number.map(|number| view! { <span class="faint">{format!(" · conversation {number}")}</span> }.into_any())}
        </span>
        {match line.current() {
            Some(pursuit) => progress(pursuit),
            None => view! { <span class="dim">"Nothing has been pursued yet"</span> }.into_any(),
        }}
        {(conflicts > 0).then(|| view! {
            <span class="warn"><Icon name="triangle-alert" />" "{number_of(conflicts, "conflict", "conflicts")}</span>
        }.into_any())}
    }
    .into_any()
}

/// What is pursued, its state, completeness and budget.
pub fn progress(pursuit: &Pursuit) -> AnyView {
    let (word, class) = state(&pursuit.state);
    let complete = share(pursuit.completeness);
    let width = format!("{:.1}%", pursuit.completeness.clamp(0.0, 1.0) * 100.0);
    view! {
        <span class="pursued">
            <span class="mono"><Foreign text=pursuit.ds_id.clone() limit=80 /></span>
            <span class=format!("tag {class}")>{word}</span>
        </span>
        <span class="progress">
            <span class="bar" role="img" aria-label=format!("{complete} complete")><i style:width=width></i></span>
            <span class="num" aria-hidden="true">{complete.clone()}</span>
            <span class="num dim" title="Each question has a cost. The interview ends when the budget is used.">{format!("budget {} of {}", budget(pursuit.budget_used), budget(pursuit.budget))}</span>
        </span>
    }
    .into_any()
}
