//! The shape: what is known of it as a whole, and its fields as a tree.

use std::collections::BTreeSet;
use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::FieldRow;

use super::Known;
use super::field::Field;
use super::summary::Summary;
use crate::app::{App, ListKeys};
use crate::cells::{Memo, RwSignal, click};
use crate::evidence::root_tells;
use crate::numbers::count;
use crate::parts::{Column, Empty, Head, Row, keyed};
use crate::tree::{Line, open_lines};

/// Fields shown at first; more on request, for shapes of thousands.
const FIRST: usize = 150;

const COLUMNS: &[Column] = &[
    Column { name: "field", class: "", sort: None },
    Column { name: "type", class: "", sort: None },
    Column { name: "present · 95 % interval", class: "", sort: None },
    Column { name: "cons.", class: "right", sort: None },
    Column { name: "what was learned", class: "", sort: None },
];

/// What all rows share.
#[derive(Clone, Copy)]
pub struct Table {
    /// Fields in sight.
    pub lines: Memo<Vec<Line>>,
    /// Those with the fields below them out of sight.
    pub closed: RwSignal<BTreeSet<String>>,
    /// Those with all that is known of them in sight.
    pub open: RwSignal<BTreeSet<String>>,
    /// The one the keyboard is at.
    pub selected: RwSignal<Option<String>>,
}

#[component]
pub fn Fields(
    /// What is known.
    known: Known,
) -> impl IntoView {
    let fields = known.part(|detail| {
        let root = detail.root.iter().filter(|root| root_tells(root));
        root.chain(&detail.fields).cloned().map(Arc::new).collect::<Vec<Arc<FieldRow>>>()
    });
    let named = known.part(|detail| detail.fields.len());
    let trimmed = known.part(|detail| detail.trimmed);
    let seen = known.part(|detail| detail.row.observation_count > 0);
    let closed = RwSignal::new(BTreeSet::<String>::new());
    let lines = Memo::new(move || fields.with(|fields| closed.with(|closed| open_lines(fields, closed))));
    let table = Table { lines, closed, open: RwSignal::default(), selected: RwSignal::new(None) };
    let limit = RwSignal::new(FIRST);
    let shown = move || {
        let row = |line: &Line| {
            let path = line.field.path.clone();
            Row::new(path.clone(), move || view! { <Field path=path table=table /> })
        };
        lines.with(|lines| lines.iter().take(limit.get()).map(row).collect())
    };
    keys(table);
    view! {
        <section class="card" id="fields">
            <header>
                <h2>"Fields"</h2>
                <span class="side">
                    <span class="num">{move || count(named.get() as u64)}</span>
                    {move || trimmed.get().then(|| view! {
                        <span class="tag warn" title="the rest is counted by type">"more paths than are kept"</span>
                    }.into_any())}
                </span>
            </header>
            <Summary known=known />
            {move || if fields.with(Vec::is_empty) {
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
                        <div role="list" aria-label="Fields">{keyed(shown)}</div>
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

/// Puts a field in, or takes it out.
pub fn toggle(fields: RwSignal<BTreeSet<String>>, path: &str) {
    fields.update(|fields| {
        if !fields.remove(path) {
            fields.insert(path.to_owned());
        }
    });
}

fn keys(table: Table) {
    let Table { lines, selected, .. } = table;
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
                toggle(table.open, &path);
            }
        }),
        leave: Callback::new(move |()| selected.try_update(Option::take).flatten().is_some()),
        act: Callback::new(|_| false),
    });
}
