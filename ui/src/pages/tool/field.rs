//! One field: its row, and all that is known of it when it is open.

use std::collections::BTreeSet;
use std::sync::Arc;

use leptos::html::Div;
use leptos::prelude::*;
use schemascope_api::FieldRow;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

use super::about::{about, mix_bar};
use super::fields::{Table, toggle};
use crate::cells::{Memo, RwSignal, StoredValue, click, effect};
use crate::evidence::{is_mixed, learned};
use crate::parts::{Foreign, Icon, PresenceBar, Views};
use crate::text::visible;
use crate::tree::{Line, brackets, find};

/// Pixels of one level.
const INDENT: usize = 15;
/// Levels that are indented.
const LEVELS: usize = 12;

#[component]
pub fn Field(
    /// Its path.
    path: String,
    /// The table it is in.
    table: Table,
) -> impl IntoView {
    let Table { lines, closed, open, selected } = table;
    let title = match path.as_str() {
        "" => "the whole result".to_owned(),
        path => visible(path, 100),
    };
    let path = StoredValue::new(path);
    let before = StoredValue::new(0_usize);
    // Only this field's, so that the row stays while others change.
    let line = Memo::new(move || {
        path.with_value(|path| {
            lines.with(|lines| {
                let at = find(lines, path, before.get_value())?;
                before.set_value(at);
                lines.get(at).cloned()
            })
        })
    });
    let is_in = move |fields: RwSignal<BTreeSet<String>>| {
        path.with_value(|path| fields.with(|fields| fields.contains(path)))
    };
    let flip = move |fields| path.with_value(|path| toggle(fields, path));
    let is_selected =
        move || path.with_value(|path| selected.with(|selected| selected.as_ref() == Some(path)));
    let select = move || {
        if !untrack(is_selected) {
            selected.set(Some(path.get_value()));
        }
    };
    let place: NodeRef<Div> = NodeRef::new();
    effect(move || {
        if is_selected()
            && let Some(place) = place.get()
        {
            focus(&place);
        }
    });
    let keydown = move |event: KeyboardEvent| {
        let (is_open, is_closed) = untrack(|| (is_in(open), is_in(closed)));
        let is_parent = line.with_untracked(|line| line.as_ref().is_some_and(|line| line.parent));
        match event.key().as_str() {
            "ArrowRight" if is_parent && is_closed => flip(closed),
            "ArrowRight" if !is_open => flip(open),
            "ArrowLeft" if is_open => flip(open),
            "ArrowLeft" if is_parent && !is_closed => flip(closed),
            _ => return,
        }
        event.prevent_default();
    };
    let twist = move |is_closed: bool| {
        let press = click(move |event| {
            // It is no click on the row.
            event.stop_propagation();
            flip(closed);
        });
        view! {
            <button class="twist" on:click=press aria-expanded=if is_closed { "false" } else { "true" }
                aria-label=path.with_value(|path| format!("Fields below {}", visible(path, 100)))>
                <Icon name=if is_closed { "chevron-right" } else { "chevron-down" } />
            </button>
        }
        .into_any()
    };
    let cells = move |line: Line| {
        let twist = line.parent.then(|| twist(is_in(closed)));
        cells(&line.field, twist)
    };
    view! {
        <div class="field" role="listitem" node_ref=place on:keydown=keydown>
            <div class="tr" class:odd-one=move || line.with(|line| line.as_ref().is_some_and(|line| is_mixed(&line.field)))
                aria-current=move || is_selected().then_some("true")
                on:click=click(move |_| { select(); flip(open); })>
                {move || line.get().map(cells)}
                <button class="more" aria-label=format!("About {title}") on:focus=move |_| select()
                    aria-expanded=move || if is_in(open) { "true" } else { "false" }>
                    <Icon name="chevron-right" />
                </button>
            </div>
            {move || is_in(open).then(|| line.get().map(|line| about(&line.field))).flatten()}
        </div>
    }
}

/// What there is to be seen of a field at once.
fn cells(field: &Arc<FieldRow>, twist: Option<AnyView>) -> AnyView {
    let indent = format!("{}px", field.depth.min(LEVELS) * INDENT);
    let twist = twist.unwrap_or_else(|| view! { <span class="twist"></span> }.into_any());
    let brackets = Some(brackets(field)).filter(|brackets| !brackets.is_empty());
    let brackets =
        brackets.map(|brackets| view! { <span class="faint">{brackets.to_owned()} " "</span> }.into_any());
    let name = match field.path.as_str() {
        "" => view! { <span class="dim">"whole result"</span> }.into_any(),
        _ => view! { <Foreign text=field.name.clone() limit=120 /> }.into_any(),
    };
    let (first, others) =
        field.kinds.split_first().map(|(first, others)| (first.clone(), others.to_vec())).unwrap_or_default();
    let learned = learned(field);
    view! {
        <span class="mono cut" title=visible(&field.path, 300) style:padding-left=indent>
            {twist}{brackets}{name}
            {(field.required && !field.path.is_empty()).then(|| view! {
                <span class="required" title="always there: required by the inferred schema">"*"</span>
            }.into_any())}
        </span>
        <span class="mono cut type" title=field.kinds.join(" | ")>
            {first}
            {others.into_iter().map(|kind| view! { <span class="faint">" | " {kind}</span> }.into_any()).views()}
        </span>
        <PresenceBar field=Arc::clone(field) />
        <span class="num right">{format!("{:.2}", field.consistency)}</span>
        <span class="learned" title=visible(&learned, 300)>
            {mix_bar(field)}
            <span class="dim cut"><Foreign text=learned.clone() /></span>
        </span>
    }
    .into_any()
}

/// Puts the keyboard where the selection is, and scrolls no further than it takes to see that.
fn focus(place: &HtmlElement) {
    let how = web_sys::ScrollIntoViewOptions::new();
    how.set_block(web_sys::ScrollLogicalPosition::Nearest);
    place.scroll_into_view_with_scroll_into_view_options(&how);
    if let Ok(Some(button)) = place.query_selector(".more")
        && let Some(button) = button.dyn_ref::<HtmlElement>()
    {
        let _ = button.focus();
    }
}
