//! Long lists: only the rows in sight are in the page.
//!
//! Rows have one height. Owns: scrolling, selection, what is in sight. Refuses to know: what rows show.

use std::sync::Arc;

use leptos::html::Div;
use leptos::prelude::*;
use web_sys::HtmlElement;

use super::{Icon, Row, Views, keyed, on_resize};
use crate::app::ListKeys;
use crate::browser;
use crate::cells::{Memo, RwSignal, StoredValue, click, effect};

/// Rows drawn beyond either edge, so that scrolling shows no gaps.
const MARGIN: usize = 6;

/// What a list shows.
pub struct List<T: Send + Sync + 'static> {
    /// All of it, in order.
    pub rows: Memo<Arc<Vec<T>>>,
    /// What tells rows apart.
    pub key: fn(&T) -> String,
    /// The key of the selected row.
    pub selected: RwSignal<Option<String>>,
}

impl<T: Send + Sync + 'static> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for List<T> {}

impl<T: Send + Sync + 'static> List<T> {
    /// A list of rows that `key` tells apart.
    pub fn new(rows: Memo<Arc<Vec<T>>>, key: fn(&T) -> String) -> Self {
        Self { rows, key, selected: RwSignal::new(None) }
    }

    /// Where the selected row is.
    pub fn position(&self) -> Option<usize> {
        let selected = self.selected.get()?;
        self.rows.with(|rows| rows.iter().position(|row| (self.key)(row) == selected))
    }

    /// Moves the selection. Where there is none it begins at the first row.
    pub fn step(&self, by: i32) {
        let at = untrack(|| self.position());
        let next = self.rows.with_untracked(|rows| {
            let last = rows.len().checked_sub(1)?;
            let next = match at {
                Some(at) => at.saturating_add_signed(by as isize).min(last),
                None => 0,
            };
            rows.get(next).map(|row| (self.key)(row))
        });
        self.selected.set(next);
    }

    /// The keys that move in this list. `open` is told the key of the selected row.
    pub fn keys(
        self,
        open: impl Fn(String) + Send + Sync + 'static,
        leave: impl Fn() -> bool + Send + Sync + 'static,
    ) -> ListKeys {
        ListKeys {
            step: Callback::new(move |by| self.step(by)),
            open: Callback::new(move |()| {
                if let Some(key) = self.selected.get_untracked() {
                    open(key);
                }
            }),
            leave: Callback::new(move |()| leave()),
            act: Callback::new(|_| false),
        }
    }
}

/// The rows in sight of a list.
#[component]
pub fn Rows<T, F, H>(
    /// The list.
    list: List<T>,
    /// What a screen reader calls it.
    #[prop(into)]
    label: String,
    /// Draws one row: its columns.
    draw: F,
    /// What a row's link leads to.
    href: H,
    /// Changes whenever a row of the same key looks otherwise.
    #[prop(default = |_| 0)]
    revision: fn(&T) -> u64,
    /// Rows come in at the top; who has scrolled down keeps what is in sight.
    #[prop(optional)]
    anchored: bool,
    /// Told when the end is near.
    #[prop(optional)]
    near_end: Option<Callback<()>>,
    /// More classes of a row.
    #[prop(optional)]
    class: Option<fn(&T) -> &'static str>,
) -> impl IntoView
where
    T: Clone + Send + Sync + 'static,
    F: Fn(&T) -> AnyView + Copy + Send + Sync + 'static,
    H: Fn(&T) -> String + Copy + Send + Sync + 'static,
{
    let scroller: NodeRef<Div> = NodeRef::new();
    let top = RwSignal::new(0.0_f64);
    let height = RwSignal::new(0.0_f64);
    let row_height = RwSignal::new(29.0_f64);
    observe_size(scroller, height, row_height);

    let total = Memo::new(move || list.rows.with(|rows| rows.len()));
    let range = Memo::new(move || {
        let first = ((top.get() / row_height.get()) as usize).saturating_sub(MARGIN);
        let shown = (height.get() / row_height.get()).ceil() as usize + 2 * MARGIN;
        let total = total.get();
        let first = first.min(total.saturating_sub(shown));
        (first, (first + shown).min(total))
    });
    let one = move |key: String, row: T| {
        let is_selected = move || list.selected.with(|selected| selected.as_ref() == Some(&key));
        let more = class.map_or("", |class| class(&row));
        view! {
            <div role="listitem">
                <a class=format!("tr {more}") tabindex="-1" href={let row = row.clone(); move || href(&row)}
                    aria-current=move || is_selected().then_some("true")>
                    {draw(&row)}
                </a>
            </div>
        }
    };
    let in_sight = move || {
        let (first, end) = range.get();
        list.rows.with(|rows| {
            let slice = rows.get(first..end.min(rows.len())).unwrap_or_default();
            let shown = |row: &T| {
                let (key, row) = ((list.key)(row), row.clone());
                Row::new(format!("{key} {}", revision(&row)), move || one(key, row))
            };
            slice.iter().map(shown).collect()
        })
    };
    keep_in_sight(list, scroller, row_height);
    if anchored {
        keep_still(list, scroller, row_height);
    }
    if let Some(near_end) = near_end {
        effect(move || {
            if range.get().1 + 4 * MARGIN >= total.get() {
                near_end.run(());
            }
        });
    }
    view! {
        <div class="scroll" node_ref=scroller tabindex="0" role="region" aria-label=label
            on:scroll=move |_| if let Some(element) = scroller.get_untracked() { top.set(f64::from(element.scroll_top())) }>
            <div class="sizer" style:height=move || format!("{}px", total.get() as f64 * row_height.get())>
                <div class="window" role="list"
                    style:transform=move || format!("translateY({}px)", range.get().0 as f64 * row_height.get())>
                    {keyed(in_sight)}
                </div>
            </div>
        </div>
    }
}

/// Follows the size of the list and the height of a row, which the style decides.
fn observe_size(scroller: NodeRef<Div>, height: RwSignal<f64>, row_height: RwSignal<f64>) {
    on_resize(scroller, move |element| {
        height.set(f64::from(element.client_height()));
        if let Some(pixels) = browser::token_px("--row").filter(|pixels| *pixels > 1.0) {
            row_height.set(pixels);
        }
    });
}

/// Scrolls as far as it takes to see the selected row.
fn keep_in_sight<T: Send + Sync + 'static>(list: List<T>, scroller: NodeRef<Div>, row_height: RwSignal<f64>) {
    effect(move || {
        list.selected.track();
        let Some(at) = untrack(|| list.position()) else { return };
        let Some(element) = scroller.get_untracked() else { return };
        let row = row_height.get_untracked();
        let (from, to) = (at as f64 * row, (at + 1) as f64 * row);
        let (top, height) = (f64::from(element.scroll_top()), f64::from(element.client_height()));
        if from < top {
            element.set_scroll_top(from as i32);
        } else if to > top + height {
            element.set_scroll_top((to - height).ceil() as i32);
        }
    });
}

/// Moves with the rows when others come in above.
fn keep_still<T: Send + Sync + 'static>(list: List<T>, scroller: NodeRef<Div>, row_height: RwSignal<f64>) {
    let first: StoredValue<Option<String>> = StoredValue::new(None);
    effect(move || {
        let before = first.get_value();
        let moved = list.rows.with(|rows| {
            first.set_value(rows.first().map(|row| (list.key)(row)));
            before.and_then(|before| rows.iter().position(|row| (list.key)(row) == before)).unwrap_or(0)
        });
        if let Some(element) = scroller.get_untracked()
            && moved > 0
            && element.scroll_top() > 0
        {
            let element: &HtmlElement = &element;
            element.set_scroll_top(element.scroll_top() + (moved as f64 * row_height.get_untracked()) as i32);
        }
    });
}

/// One column of a head.
#[derive(Clone, Copy)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Numbers stand at the right.
    pub class: &'static str,
    /// What it is sorted by; none when it is not.
    pub sort: Option<&'static str>,
}

/// By which column, and in which direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sort {
    /// A column's `sort`.
    pub by: &'static str,
    /// From large to small.
    pub down: bool,
}

/// The head of a list.
#[component]
pub fn Head(
    /// Its columns.
    columns: &'static [Column],
    /// How it is sorted, where that can be changed.
    #[prop(optional)]
    sort: Option<RwSignal<Sort>>,
) -> impl IntoView {
    let cell = move |column: &'static Column| {
        let Some((sort, by)) = sort.zip(column.sort) else {
            return view! { <span class=column.class>{column.name}</span> }.into_any();
        };
        let state = move || match sort.get() {
            Sort { by: sorted, down } if sorted == by => Some(if down { "descending" } else { "ascending" }),
            _ => None,
        };
        let turn = move |_| {
            sort.update(|sort| {
                let again = sort.by == by;
                // Numbers are looked at from the largest, names from A.
                *sort = Sort { by, down: if again { !sort.down } else { by != "tool" } };
            });
        };
        view! {
            <span class=column.class data-sort=state>
                <button on:click=click(turn) aria-label=move || format!("{}, {}", column.name, state().unwrap_or("sort"))>
                    {column.name}
                    {move || state().map(|state| view! {
                        <Icon name=if state == "descending" { "arrow-down" } else { "arrow-up" } />
                    }.into_any())}
                </button>
            </span>
        }
        .into_any()
    };
    view! { <div class="thead"><div class="tr">{columns.iter().map(cell).views()}</div></div> }
}
