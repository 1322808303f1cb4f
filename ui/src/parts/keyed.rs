//! Lists whose rows keep their elements while others come and go.
//!
//! A list is of one type whatever its rows show, so that the code that compares and moves rows exists once.

use std::collections::BTreeMap;

use leptos::prelude::*;

use crate::cells::StoredValue;

/// A row: its key, and how it is drawn.
pub struct KeyedRow {
    key: String,
    draw: Box<dyn FnOnce() -> AnyView + Send>,
}

impl KeyedRow {
    /// A row that is drawn again when its key changes.
    pub fn new<V: IntoAny>(key: impl ToString, draw: impl FnOnce() -> V + Send + 'static) -> Self {
        Self { key: key.to_string(), draw: Box::new(move || draw().into_any()) }
    }
}

/// Draws rows, and updates them whenever their source changes.
pub fn keyed(rows: impl Fn() -> Vec<KeyedRow> + Send + 'static) -> AnyView {
    boxed(Box::new(rows))
}

fn boxed(rows: Box<dyn Fn() -> Vec<KeyedRow> + Send>) -> AnyView {
    view! { <For each=rows key=|row| row.key.clone() children=|row: KeyedRow| (row.draw)() /> }.into_any()
}

/// Revisions of the rows that are drawn: a row gets another one when its value changes.
pub struct Revisions<T: Send + Sync + 'static>(StoredValue<BTreeMap<String, (T, u64)>>);

impl<T: Send + Sync + 'static> Clone for Revisions<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for Revisions<T> {}

impl<T: Clone + PartialEq + Send + Sync + 'static> Revisions<T> {
    /// Knows no rows.
    pub fn new() -> Self {
        Self(StoredValue::new(BTreeMap::new()))
    }

    /// Rows that are drawn again when their value changes. Forgets all others.
    pub fn rows<V: IntoAny>(
        self,
        rows: impl Iterator<Item = (String, T)>,
        draw: impl Fn(String, T) -> V + Copy + Send + 'static,
    ) -> Vec<KeyedRow> {
        let mut next = BTreeMap::new();
        let mut drawn = Vec::new();
        for (key, row) in rows {
            let known =
                self.0.with_value(|known| known.get(&key).map(|(old, at)| at + u64::from(*old != row)));
            let revision = known.unwrap_or_default();
            next.insert(key.clone(), (row.clone(), revision));
            drawn.push(KeyedRow::new(format!("{key} {revision}"), move || draw(key, row)));
        }
        self.0.set_value(next);
        drawn
    }
}

/// Views one after the other.
pub trait Views: Iterator<Item = AnyView> + Sized {
    /// Collects them. `collect` itself would be compiled again for every iterator.
    fn views(self) -> Vec<AnyView> {
        let mut views = Vec::new();
        for view in self {
            views.push(view);
        }
        views
    }
}

impl<I: Iterator<Item = AnyView>> Views for I {}
