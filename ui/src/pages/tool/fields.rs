//! The fields as a tree, each with how often it is there and of what type.

use std::collections::BTreeSet;
use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::FieldRow;

use super::Known;
use crate::app::{App, ListKeys};
use crate::cells::{Memo, RwSignal, StoredValue, click, effect};
use crate::numbers::{count, percent};
use crate::order;
use crate::parts::{Column, Empty, Foreign, Head, Icon, PresenceBar, Row, keyed};

/// Fields shown at first; more on request, for shapes of thousands.
const FIRST: usize = 150;

const COLUMNS: &[Column] = &[
    Column { name: "field", class: "", sort: None },
    Column { name: "type", class: "", sort: None },
    Column { name: "present · 95 % interval", class: "", sort: None },
    Column { name: "cons.", class: "right", sort: None },
    Column { name: "what was learned", class: "", sort: None },
];

/// A field and whether others are below it.
#[derive(Debug, Clone, PartialEq)]
struct Line {
    field: FieldRow,
    parent: bool,
}

#[component]
pub fn Fields(
    /// What is known.
    known: Known,
) -> impl IntoView {
    let fields = known.part(|detail| Arc::new(detail.fields.clone()));
    let trimmed = known.part(|detail| detail.trimmed);
    let seen = known.part(|detail| detail.row.observation_count > 0);
    let closed = RwSignal::new(BTreeSet::<String>::new());
    let limit = RwSignal::new(FIRST);
    let selected = RwSignal::new(None::<String>);
    let lines = Memo::new(move || fields.with(|fields| closed.with(|closed| open_lines(fields, closed))));
    let shown = move || {
        let row = |line: Line| {
            let key = format!(
                "{} {} {} {:?}",
                line.field.path, line.field.parents, line.field.present, line.field.kinds
            );
            Row::new(key, move || view! { <Field line=line closed=closed selected=selected /> })
        };
        lines.get().into_iter().take(limit.get()).map(row).collect()
    };
    keys(lines, selected, closed);
    view! {
        <section class="card" id="fields">
            <header>
                <h2>"Fields"</h2>
                <span class="side">
                    <span class="num">{move || fields.with(|fields| count(fields.len() as u64))}</span>
                    {move || trimmed.get().then(|| view! {
                        <span class="tag warn" title="the rest is counted by type">"more paths than are kept"</span>
                    }.into_any())}
                </span>
            </header>
            {move || if fields.with(|fields| fields.is_empty()) {
                let text = if seen.get() {
                    "Its results are no objects: there are no named fields. The inferred schema below says what they are."
                } else {
                    "They appear with the first successful call."
                };
                view! { <Empty icon="wrench" title="No fields"><p>{text}</p></Empty> }.into_any()
            } else {
                view! {
                    <div class="table fields">
                        <Head columns=COLUMNS />
                        <div role="list" aria-label="Fields">
                            {keyed(shown)}
                        </div>
                        {move || (lines.with(Vec::len) > limit.get()).then(|| view! {
                            <button class="button bare" on:click=click(move |_| limit.update(|limit| *limit += 500))>
                                {format!("Show more of {} fields", count(lines.with(Vec::len) as u64))}
                            </button>
                        }.into_any())}
                    </div>
                }.into_any()
            }}
        </section>
    }
}

/// The fields no closed one is above of.
fn open_lines(fields: &[FieldRow], closed: &BTreeSet<String>) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut hidden_below: Option<usize> = None;
    for (at, field) in fields.iter().enumerate() {
        if hidden_below.is_some_and(|depth| field.depth > depth) {
            continue;
        }
        let parent = fields.get(at + 1).is_some_and(|next| next.depth > field.depth);
        hidden_below = (parent && closed.contains(&field.path)).then_some(field.depth);
        lines.push(Line { field: field.clone(), parent });
    }
    lines
}

fn toggle(closed: RwSignal<BTreeSet<String>>, path: &str) {
    closed.update(|closed| {
        if !closed.remove(path) {
            closed.insert(path.to_owned());
        }
    });
}

fn keys(lines: Memo<Vec<Line>>, selected: RwSignal<Option<String>>, closed: RwSignal<BTreeSet<String>>) {
    let step = move |by: i32| {
        let next = lines.with_untracked(|lines| {
            let last = lines.len().checked_sub(1)?;
            let at = selected.with_untracked(|selected| {
                let selected = selected.as_ref()?;
                lines.iter().position(|line| line.field.path == *selected)
            });
            let next = at.map_or(0, |at| at.saturating_add_signed(by as isize).min(last));
            lines.get(next).map(|line| line.field.path.clone())
        });
        selected.set(next);
    };
    App::get().use_keys(ListKeys {
        step: Callback::new(step),
        open: Callback::new(move |()| {
            if let Some(path) = selected.get_untracked() {
                toggle(closed, &path);
            }
        }),
        leave: Callback::new(move |()| selected.try_update(Option::take).flatten().is_some()),
    });
}

#[component]
fn Field(
    /// The field.
    line: Line,
    /// Those whose children are hidden.
    closed: RwSignal<BTreeSet<String>>,
    /// The one the keyboard is at.
    selected: RwSignal<Option<String>>,
) -> impl IntoView {
    let Line { field, parent } = line;
    let path = StoredValue::new(field.path.clone());
    let is_selected =
        move || path.with_value(|path| selected.with(|selected| selected.as_ref() == Some(path)));
    let is_closed = move || path.with_value(|path| closed.with(|closed| closed.contains(path)));
    let row: NodeRef<leptos::html::Div> = NodeRef::new();
    effect(move || {
        if is_selected()
            && let Some(row) = row.get()
        {
            let how = web_sys::ScrollIntoViewOptions::new();
            how.set_block(web_sys::ScrollLogicalPosition::Nearest);
            row.scroll_into_view_with_scroll_into_view_options(&how);
        }
    });
    let share = field.present as f64 / field.parents.max(1) as f64;
    let mixed = field.consistency + 1e-9 < share;
    let above = field.path.strip_suffix(&field.name).unwrap_or_default().to_owned();
    // Only what the indentation does not say: the brackets between it and the field above.
    let brackets: String = above
        .rsplit(|c: char| !matches!(c, '[' | ']' | '{' | '}' | '.'))
        .next()
        .unwrap_or_default()
        .to_owned();
    let brackets = brackets.trim_start_matches('.').trim_end_matches('.').to_owned();
    let (first, others) =
        field.kinds.split_first().map(|(first, others)| (first.clone(), others.to_vec())).unwrap_or_default();
    let title = field.path.clone();
    view! {
        <div class="tr" class:odd-one=mixed role="listitem" node_ref=row
            aria-current=move || is_selected().then_some("true")
            on:click=click(move |_| selected.set(Some(path.get_value())))>
            <span class="mono cut" title=crate::text::visible(&title, 300) style:padding-left=format!("{}px", field.depth.min(12) * 15)>
                {if parent {
                    view! {
                        <button class="twist" aria-expanded=move || if is_closed() { "false" } else { "true" }
                            aria-label=format!("Fields below {}", crate::text::visible(&title, 100))
                            on:click=click(move |_| path.with_value(|path| toggle(closed, path)))>
                            {move || view! { <Icon name=if is_closed() { "chevron-right" } else { "chevron-down" } /> }}
                        </button>
                    }.into_any()
                } else {
                    view! { <span class="twist"></span> }.into_any()
                }}
                {(!brackets.is_empty()).then(|| view! { <span class="faint">{brackets} " "</span> }.into_any())}
                <Foreign text=field.name.clone() limit=120 />
                {field.required.then(|| view! { <span class="required" title="always there: required by the inferred schema">"*"</span> }.into_any())}
            </span>
            <span class="mono cut type" title=field.kinds.join(" | ")>
                {first}{others.into_iter().map(|kind| view! { <s>" | " {kind}</s> }.into_any()).collect_view()}
            </span>
            <PresenceBar field=field.clone() />
            <span class="num right">{format!("{:.2}", field.consistency)}</span>
            <span class="dim cut" title=learned(&field)>{learned(&field)}</span>
        </div>
    }
}

/// What the counts say, in a few words.
fn learned(field: &FieldRow) -> String {
    let values: u64 = field.types.iter().map(|kind| kind.count).sum();
    let nulls = field.types.iter().find(|kind| kind.name == "null").map_or(0, |kind| kind.count);
    let mut others: Vec<_> = field.types.iter().filter(|kind| kind.name != "null").collect();
    order::sort(&mut others, |a, b| b.count.cmp(&a.count));
    let numbers_only = others.iter().all(|kind| matches!(kind.name.as_str(), "integer" | "number"));
    let mut words = Vec::new();
    if others.len() > 1 && !numbers_only {
        let shares = others.iter().map(|kind| format!("{} {}", kind.name, percent(kind.count, values)));
        words.push(shares.collect::<Vec<_>>().join(", "));
    }
    match nulls {
        0 => {}
        nulls if nulls == values => words.push("always null".into()),
        nulls => words.push(format!("null in {}", percent(nulls, values))),
    }
    if field.present < field.parents {
        words.push(format!("missing in {}", percent(field.parents - field.present, field.parents)));
    }
    if words.is_empty() {
        words.push(format!("all {} agree", count(values)));
    }
    words.join(" · ")
}
