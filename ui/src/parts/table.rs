//! Tables with declared columns. Head, cells, sorting and the grid all follow from the declaration.

use std::cmp::Ordering;

use leptos::prelude::*;

use super::{Icon, Revisions, Views, keyed};
use crate::cells::{Memo, RwSignal, click};
use crate::layout::{Shown, Width, grid};
use crate::order;

/// What a column contains.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Text on one line, cut where it is too long.
    Text,
    /// A number, aligned right.
    Number,
    /// A drawing, or controls.
    Drawing,
}

/// Order of two rows by a column.
#[derive(Clone, Copy)]
struct Sorting<T: 'static> {
    compare: &'static Compare<T>,
    /// From large to small at first.
    descending: bool,
}

/// Compares two rows.
pub type Compare<T> = dyn Fn(&T, &T) -> Ordering + Send + Sync;
/// Draws a cell.
pub type Cell<T> = dyn Fn(&T) -> AnyView + Send + Sync;

/// A column of a table whose rows are of type `T`.
#[derive(Clone, Copy)]
pub struct Column<T: 'static> {
    key: &'static str,
    header: &'static str,
    kind: Kind,
    width: Width,
    shown: Shown,
    sorting: Option<Sorting<T>>,
    cell: &'static Cell<T>,
}

impl<T: 'static> Column<T> {
    const fn new(
        key: &'static str,
        header: &'static str,
        kind: Kind,
        width: Width,
        cell: &'static Cell<T>,
    ) -> Self {
        Self { key, header, kind, width, shown: Shown::Always, sorting: None, cell }
    }

    /// A column of text.
    pub const fn text(key: &'static str, header: &'static str, width: Width, cell: &'static Cell<T>) -> Self {
        Self::new(key, header, Kind::Text, width, cell)
    }

    /// A column of numbers.
    pub const fn number(
        key: &'static str,
        header: &'static str,
        width: Width,
        cell: &'static Cell<T>,
    ) -> Self {
        Self::new(key, header, Kind::Number, width, cell)
    }

    /// A column of drawings or controls.
    pub const fn drawing(
        key: &'static str,
        header: &'static str,
        width: Width,
        cell: &'static Cell<T>,
    ) -> Self {
        Self::new(key, header, Kind::Drawing, width, cell)
    }

    /// Leaves the column out of narrower tables.
    #[must_use]
    pub const fn shown(mut self, shown: Shown) -> Self {
        self.shown = shown;
        self
    }

    /// Makes the table sortable by this column, from small to large at first.
    #[must_use]
    pub const fn ascending(mut self, compare: &'static Compare<T>) -> Self {
        self.sorting = Some(Sorting { compare, descending: false });
        self
    }

    /// Makes the table sortable by this column, from large to small at first.
    #[must_use]
    pub const fn descending(mut self, compare: &'static Compare<T>) -> Self {
        self.sorting = Some(Sorting { compare, descending: true });
        self
    }

    fn class(&self) -> String {
        let kind = match self.kind {
            Kind::Text => "cut",
            Kind::Number => "num right cut",
            Kind::Drawing => "",
        };
        format!("{kind} {}", self.shown.class())
    }
}

/// The column a table is sorted by, and the direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sort {
    /// Key of the column.
    pub key: &'static str,
    /// From large to small.
    pub descending: bool,
}

/// Sorts rows; `tie` orders those that are equal.
pub fn sort_rows<T: 'static>(
    rows: &mut Vec<T>,
    columns: &[Column<T>],
    sort: Sort,
    tie: fn(&T, &T) -> Ordering,
) {
    let column = columns.iter().find(|column| column.key == sort.key);
    let compare = column.and_then(|column| column.sorting.as_ref()).map(|sorting| sorting.compare);
    order::sort(rows, |a, b| {
        let order = compare.map_or(Ordering::Equal, |compare| compare(a, b));
        (if sort.descending { order.reverse() } else { order }).then_with(|| tie(a, b))
    });
}

/// The cells of a row.
pub fn cells<T: 'static>(columns: &[Column<T>], row: &T) -> Vec<AnyView> {
    let cell =
        |column: &Column<T>| view! { <span class=column.class()>{(column.cell)(row)}</span> }.into_any();
    columns.iter().map(cell).views()
}

/// A table with a head. `body` contains elements of the class `tr` with [`cells`].
pub fn table<T: 'static>(
    class: &'static str,
    columns: &[Column<T>],
    sort: Option<RwSignal<Sort>>,
    body: impl IntoAny,
) -> AnyView {
    let head = columns.iter().map(|column| header(column, sort)).views();
    let head = view! { <div class="thead"><div class="tr">{head}</div></div> };
    framed(class, columns, Some(head.into_any()), body.into_any())
}

/// A table without a head.
pub fn bare_table<T: 'static>(class: &'static str, columns: &[Column<T>], body: impl IntoAny) -> AnyView {
    framed(class, columns, None, body.into_any())
}

fn framed<T: 'static>(
    class: &'static str,
    columns: &[Column<T>],
    head: Option<AnyView>,
    body: AnyView,
) -> AnyView {
    let grid = |size| grid(columns.iter().map(|column| (column.width, column.shown)), size);
    view! {
        <div class=format!("table {class}")>
            <div class="columns"
                style=("--narrow", grid(Shown::Always))
                style=("--small", grid(Shown::Small))
                style=("--medium", grid(Shown::Medium))
                style=("--wide", grid(Shown::Wide))
                style=("--full", grid(Shown::Full))>
                {head}{body}
            </div>
        </div>
    }
    .into_any()
}

fn header<T: 'static>(column: &Column<T>, sort: Option<RwSignal<Sort>>) -> AnyView {
    let (class, name) = (column.class(), sentence_case(column.header));
    let descending = column.sorting.as_ref().map(|sorting| sorting.descending);
    match sort.zip(descending) {
        None => view! { <span class=class>{name}</span> }.into_any(),
        Some((sort, descending)) => sortable(class, name, sort, Sort { key: column.key, descending }),
    }
}

/// A header with a capital letter; the terminal shows the same headers without.
fn sentence_case(header: &str) -> String {
    let mut chars = header.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// A header that sorts; `first` is the direction of the first click.
fn sortable(class: String, name: String, sort: RwSignal<Sort>, first: Sort) -> AnyView {
    let state = move || match sort.get() {
        Sort { key, descending } if key == first.key => {
            Some(if descending { "descending" } else { "ascending" })
        }
        _ => None,
    };
    let turn = move |_| {
        sort.update(|sort| {
            let again = sort.key == first.key;
            *sort =
                Sort { key: first.key, descending: if again { !sort.descending } else { first.descending } };
        });
    };
    let label = name.clone();
    view! {
        <span class=class data-sort=state>
            <button on:click=click(turn) aria-label=move || format!("{label}, {}", state().unwrap_or("sort"))>
                {name}
                {move || state().map(|state| view! {
                    <Icon name=if state == "descending" { "arrow-down" } else { "arrow-up" } />
                }.into_any())}
            </button>
        </span>
    }
    .into_any()
}

/// A table of few rows, each a link. Rows are compared by value.
pub fn linked_table<T: Clone + PartialEq + Send + Sync + 'static>(
    class: &'static str,
    columns: &'static [Column<T>],
    rows: Memo<Vec<T>>,
    key: fn(&T) -> String,
    href: fn(&T) -> String,
) -> AnyView {
    let revisions = Revisions::new();
    let draw = move |_, row: T| view! { <a class="tr" href=href(&row)>{cells(columns, &row)}</a> }.into_any();
    let body = keyed(move || revisions.rows(rows.get().into_iter().map(|row| (key(&row), row)), draw));
    table(class, columns, None, body)
}
