//! Lists whose rows keep their elements while others come and go.
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
