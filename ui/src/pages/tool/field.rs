//! One field: its row, and its details when it is open.

use std::collections::BTreeSet;
use std::sync::Arc;

use leptos::html::Div;
use leptos::prelude::*;
use schemascope_api::FieldRow;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

use super::about::{about, mix_bar};
use super::fields::{Tree, toggle};
use crate::browser;
use crate::cells::{Memo, RwSignal, StoredValue, click, effect};
use crate::evidence::{Said, is_mixed, summary};
use crate::layout::Width;
use crate::parts::{Column, Foreign, Icon, PresenceBar, Views, cells};
use crate::text::visible;
use crate::tree::{Line, brackets, find};

/// Columns of the tree. The row itself draws the first, which is indented, and the last, a button.
pub const COLUMNS: &[Column<Arc<FieldRow>>] = &[
    Column::text("field", "Field", Width::Share(164, 2.4), &|_| ().into_any()),
    TYPES,
    PRESENCE,
    CONSISTENCY,
    VALUES,
    Column::drawing("more", "", Width::Fixed(24), &|_| ().into_any()),
];
/// The columns between.
const INNER: &[Column<Arc<FieldRow>>] = &[TYPES, PRESENCE, CONSISTENCY, VALUES];
const TYPES: Column<Arc<FieldRow>> = Column::text("type", "Type", Width::Share(96, 1.3), &types);
const PRESENCE: Column<Arc<FieldRow>> =
    Column::drawing("present", "Present (95 % CI)", Width::Fixed(112), &|field| {
        view! { <PresenceBar field=Arc::clone(field) /> }.into_any()
    });
const CONSISTENCY: Column<Arc<FieldRow>> =
    Column::number("consistency", "Consistency", Width::Fixed(70), &|field| {
        format!("{:.2}", field.consistency).into_any()
    });
const VALUES: Column<Arc<FieldRow>> = Column::text("values", "Values", Width::Share(78, 1.3), &values);

/// Pixels per level.
const INDENT: usize = 12;
/// Most levels that are indented.
const MAX_LEVELS: usize = 7;

#[component]
pub fn Field(
    /// Its path.
    path: String,
    /// The tree it belongs to.
    tree: Tree,
) -> impl IntoView {
    let Tree { lines, closed, open, selected } = tree;
    let title = match path.as_str() {
        "" => "the whole result".to_owned(),
        path => visible(path, 100),
    };
    let path = StoredValue::new(path);
    let before = StoredValue::new(0_usize);
    // This field only, so that the row is not drawn again when others change.
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
            // Not a click on the row.
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
    let row = move |line: Line| {
        let field = Arc::clone(&line.field);
        let twist = line.parent.then(|| twist(is_in(closed)));
        let twist = twist.unwrap_or_else(|| view! { <span class="twist"></span> }.into_any());
        let indent = format!("{}px", field.depth.min(MAX_LEVELS) * INDENT);
        view! {
            <span class="mono cut" title=visible(&field.path, 300) style:padding-left=indent>
                {twist}{name(&field)}
            </span>
            {cells(INNER, &field)}
        }
        .into_any()
    };
    view! {
        <div class="field" role="listitem" node_ref=place on:keydown=keydown>
            <div class="tr" class:odd-one=move || line.with(|line| line.as_ref().is_some_and(|line| is_mixed(&line.field)))
                aria-current=move || is_selected().then_some("true")
                on:click=click(move |_| { select(); flip(open); })>
                {move || line.get().map(row)}
                <button class="more" aria-label=format!("About {title}") on:focus=move |_| select()
                    aria-expanded=move || if is_in(open) { "true" } else { "false" }>
                    <Icon name="chevron-right" />
                </button>
            </div>
            {move || is_in(open).then(|| line.get().map(|line| about(&line.field))).flatten()}
        </div>
    }
}

/// The name of a field, with the brackets before it and a mark if it is required.
fn name(field: &FieldRow) -> AnyView {
    let brackets = Some(brackets(field)).filter(|brackets| !brackets.is_empty());
    let brackets =
        brackets.map(|brackets| view! { <span class="faint">{brackets.to_owned()} " "</span> }.into_any());
    let name = match field.path.as_str() {
        "" => view! { <span class="dim">"whole result"</span> }.into_any(),
        _ => view! { <Foreign text=field.name.clone() limit=120 /> }.into_any(),
    };
    let required = (field.required && !field.path.is_empty()).then(|| {
        view! { <span class="required" title="always present: required by the inferred schema">"*"</span> }.into_any()
    });
    view! { {brackets}{name}{required} }.into_any()
}

fn types(field: &Arc<FieldRow>) -> AnyView {
    let (first, others) =
        field.kinds.split_first().map(|(first, others)| (first.clone(), others.to_vec())).unwrap_or_default();
    let other = |kind: String| view! { <span class="faint">" | " {kind}</span> }.into_any();
    view! {
        <span class="mono type" title=field.kinds.join(" | ")>{first}{others.into_iter().map(other).views()}</span>
    }
    .into_any()
}

fn values(field: &Arc<FieldRow>) -> AnyView {
    let said = summary(field);
    let title = said.iter().map(Said::to_string).collect::<Vec<_>>().join(" · ");
    let words = said.into_iter().enumerate().map(|(at, Said { before, value, behind })| {
        let between = (at > 0).then_some(" · ");
        // A map's reason and a range have text of the tool, too.
        view! { {between}<Foreign text=before /><Foreign text=value />{behind} }.into_any()
    });
    view! {
        <span class="learned" title=visible(&title, 300)>
            {mix_bar(field)}
            <span class="dim cut">{words.views()}</span>
        </span>
    }
    .into_any()
}

/// Focuses the selected row and scrolls it into sight.
fn focus(place: &HtmlElement) {
    browser::show(place);
    if let Ok(Some(button)) = place.query_selector(".more")
        && let Some(button) = button.dyn_ref::<HtmlElement>()
    {
        let _ = button.focus();
    }
}
