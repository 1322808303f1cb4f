//! Lists: drawn as a whole, or with rows that keep their elements while others come and go.
//!
//! A list is of one type whatever its rows show, so that the code that compares and moves them exists once.

use leptos::prelude::*;

/// A row: what tells it apart, and what draws it when it is new.
pub struct Row {
    key: String,
    draw: Box<dyn FnOnce() -> AnyView + Send>,
}

impl Row {
    /// A row that is drawn anew when its key is another.
    pub fn new<V: IntoAny>(key: impl ToString, draw: impl FnOnce() -> V + Send + 'static) -> Self {
        Self { key: key.to_string(), draw: Box::new(move || draw().into_any()) }
    }
}

/// Shows rows, and again whenever what they are made of changes.
pub fn keyed(rows: impl Fn() -> Vec<Row> + Send + 'static) -> AnyView {
    boxed(Box::new(rows))
}

fn boxed(rows: Box<dyn Fn() -> Vec<Row> + Send>) -> AnyView {
    view! { <For each=rows key=|row| row.key.clone() children=|row: Row| (row.draw)() /> }.into_any()
}

/// Views that come one after the other.
pub trait Views: Iterator<Item = AnyView> + Sized {
    /// Draws them all. Collecting would be made anew, and at length, for every iterator.
    fn views(self) -> Vec<AnyView> {
        let mut views = Vec::new();
        for view in self {
            views.push(view);
        }
        views
    }
}

impl<I: Iterator<Item = AnyView>> Views for I {}
