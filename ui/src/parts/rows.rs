//! Long lists: only the rows in sight are in the page. All rows have the same height.

use std::sync::Arc;

use leptos::html::Div;
use leptos::prelude::*;
use web_sys::HtmlElement;

use super::{Column, Revisions, cells, keyed, on_resize};
use crate::app::ListKeys;
use crate::browser;
use crate::cells::{Memo, RwSignal, StoredValue, effect};

/// Rows drawn beyond either edge, so that scrolling leaves no gaps.
const MARGIN: usize = 6;

/// A list and its selection.
pub struct List<T: Send + Sync + 'static> {
    /// All rows, in order.
    pub rows: Memo<Arc<Vec<T>>>,
    /// Unique key of a row.
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
    /// A list without a selection.
    pub fn new(rows: Memo<Arc<Vec<T>>>, key: fn(&T) -> String) -> Self {
        Self { rows, key, selected: RwSignal::new(None) }
    }

    /// Position of the selected row.
    pub fn position(&self) -> Option<usize> {
        let selected = self.selected.get()?;
        self.rows.with(|rows| rows.iter().position(|row| (self.key)(row) == selected))
    }

    /// Moves the selection by this many rows; without one, selects the first row.
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

    /// Keyboard actions of this list. `open` gets the key of the selected row.
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
            act: Callback::new(|_| ()),
        }
    }
}

/// The rows in sight of a list.
#[component]
pub fn Rows<T, H>(
    /// The list.
    list: List<T>,
    /// Its name for screen readers.
    #[prop(into)]
    label: String,
    /// The columns of its table.
    columns: &'static [Column<T>],
    /// The address a row links to.
    href: H,
    /// Keeps rows in place while new ones arrive above them, once the list is scrolled.
    #[prop(optional)]
    anchored: bool,
    /// Called when the end comes into sight.
    #[prop(optional)]
    near_end: Option<Callback<()>>,
) -> impl IntoView
where
    T: Clone + PartialEq + Send + Sync + 'static,
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
        let cells = cells(columns, &row);
        view! {
            <div role="listitem">
                <a class="tr" tabindex="-1" href=move || href(&row)
                    aria-current=move || is_selected().then_some("true")>
                    {cells}
                </a>
            </div>
        }
        .into_any()
    };
    let revisions = Revisions::new();
    let in_sight = move || {
        let (first, end) = range.get();
        list.rows.with(|rows| {
            let slice = rows.get(first..end.min(rows.len())).unwrap_or_default();
            revisions.rows(slice.iter().map(|row| ((list.key)(row), row.clone())), one)
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

/// Follows the size of the list and the height of a row, which the stylesheet sets.
fn observe_size(scroller: NodeRef<Div>, height: RwSignal<f64>, row_height: RwSignal<f64>) {
    on_resize(scroller, move |element| {
        height.set(f64::from(element.client_height()));
        if let Some(pixels) = browser::token_px("--row").filter(|pixels| *pixels > 1.0) {
            row_height.set(pixels);
        }
    });
}

/// Scrolls the selected row into sight.
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

/// Scrolls along when rows arrive above.
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
