//! The fields of a tool's results as a tree, with a summary of the whole.

use std::collections::BTreeSet;

use leptos::prelude::*;
use schemascope_api::FieldRow;

use super::field::{COLUMNS, Field};
use super::summary::Summary;
use super::{Detail, Newest};
use crate::app::{App, ListKeys};
use crate::cells::{Memo, RwSignal, click};
use crate::evidence::root_is_notable;
use crate::numbers::count;
use crate::parts::{Empty, KeyedRow, keyed, table};
use crate::recent::with_recent;
use crate::route::Route;
use crate::tree::{Line, open_lines};

/// Fields shown at first; more on request, as a tool may have thousands.
const FIRST: usize = 150;

/// State shared by all rows.
#[derive(Clone, Copy)]
pub struct Tree {
    /// Visible fields.
    pub lines: Memo<Vec<Line>>,
    /// Collapsed fields.
    pub closed: RwSignal<BTreeSet<String>>,
    /// Fields whose details are shown.
    pub open: RwSignal<BTreeSet<String>>,
    /// The selected field.
    pub selected: RwSignal<Option<String>>,
}

#[component]
pub fn Fields(
    /// The tool's detail.
    known: Detail,
    /// Its newest results.
    recent: Newest,
) -> impl IntoView {
    let all = known.part(|detail| {
        let root = detail.root.iter().filter(|root| root_is_notable(root));
        root.chain(&detail.fields).cloned().collect::<Vec<FieldRow>>()
    });
    let fields = Memo::new(move || all.with(|all| recent.with(|recent| with_recent(all.iter(), &recent.0))));
    let named = known.part(|detail| detail.fields.len());
    let trimmed = known.part(|detail| detail.trimmed);
    let without_values = known.part(|detail| detail.without_values);
    let seen = known.part(|detail| detail.row.observation_count > 0);
    let declared = known.part(|detail| detail.declared_schema.is_some());
    let app = App::get();
    let to_declared = move || app.replace(Route { tab: "declared".to_owned(), ..app.route.get_untracked() });
    let closed = RwSignal::new(BTreeSet::<String>::new());
    let lines = Memo::new(move || fields.with(|fields| closed.with(|closed| open_lines(fields, closed))));
    // Not drawn again with every result, which would take the focus.
    let none = Memo::new(move || fields.with(Vec::is_empty));
    let tree = Tree { lines, closed, open: RwSignal::default(), selected: RwSignal::new(None) };
    let limit = RwSignal::new(FIRST);
    let shown = move || {
        let row = |line: &Line| {
            let path = line.field.path.clone();
            KeyedRow::new(path.clone(), move || view! { <Field path=path tree=tree /> })
        };
        lines.with(|lines| lines.iter().take(limit.get()).map(row).collect())
    };
    keys(tree);
    view! {
        <section class="card" id="fields">
            <header>
                <h2>"Fields"</h2>
                <span class="side">
                    <span class="num">{move || count(named.get() as u64)}</span>
                    {move || trimmed.get().then(|| view! {
                        <span class="tag warn" title="the remaining fields are counted by type">"too many fields; some are not listed"</span>
                    }.into_any())}
                    {move || (without_values.get() > 0).then(|| view! {
                        <span class="tag" title="There are too many fields to keep the values of all. Types and frequency of these are known, formats and enums are not.">
                            {format!("{} without values", count(without_values.get() as u64))}
                        </span>
                    }.into_any())}
                </span>
            </header>
            <Summary known=known />
            {move || if none.get() {
                let text = if seen.get() {
                    "The results are not objects, so they have no named fields. The inferred schema below describes them."
                } else {
                    "Fields appear after the first result with text or structure."
                };
                view! {
                    <Empty icon="wrench" title="No fields">
                        <p>{text}</p>
                        {move || (!seen.get() && declared.get()).then(|| view! {
                            <p>
                                <button class="button small" on:click=click(move |_| to_declared())>"See the declared schema"</button>
                            </p>
                        }.into_any())}
                    </Empty>
                }.into_any()
            } else {
                view! {
                    {table("fields", COLUMNS, None, view! { <div role="list" aria-label="Fields">{keyed(shown)}</div> })}
                    {move || (lines.with(Vec::len) > limit.get()).then(|| view! {
                        <button class="button bare" on:click=click(move |_| limit.update(|limit| *limit += 500))>
                            {format!("Show more of {} fields", count(lines.with(Vec::len) as u64))}
                        </button>
                    }.into_any())}
                }.into_any()
            }}
        </section>
    }
}

/// Adds a field to a set, or removes it.
pub fn toggle(fields: RwSignal<BTreeSet<String>>, path: &str) {
    fields.update(|fields| {
        if !fields.remove(path) {
            fields.insert(path.to_owned());
        }
    });
}

fn keys(tree: Tree) {
    let Tree { lines, selected, .. } = tree;
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
                toggle(tree.open, &path);
            }
        }),
        leave: Callback::new(move |()| selected.try_update(Option::take).flatten().is_some()),
        act: Callback::new(|_| ()),
    });
}
