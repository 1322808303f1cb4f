//! Text from servers and clients: never markup, and misleading characters are shown by their code.

use leptos::prelude::*;

use crate::text::{self, Piece};

/// Text from servers or clients on one line.
#[component]
pub fn Foreign(
    /// The text.
    #[prop(into)]
    text: String,
    /// Most characters shown.
    #[prop(default = 300)]
    limit: usize,
) -> impl IntoView {
    let line: String =
        text.chars().take(limit).map(|c| if matches!(c, '\n' | '\t') { ' ' } else { c }).collect();
    let more = text.chars().nth(limit).is_some();
    view! { <bdi class="foreign">{shown(&line)}{more.then_some("…")}</bdi> }
}

/// A sentence in which names stand between backticks, as in "`total` changed from a number to a string".
#[component]
pub fn Named(
    /// The sentence.
    #[prop(into)]
    text: String,
    /// Most characters shown.
    #[prop(default = 500)]
    limit: usize,
) -> impl IntoView {
    let line: String = text.chars().take(limit).collect();
    let parts: Vec<&str> = line.split('`').collect();
    // A name may contain one itself.
    if parts.len().is_multiple_of(2) {
        return view! { <Foreign text=text limit=limit /> }.into_any();
    }
    let part = |(at, part): (usize, &str)| {
        let part = part.to_owned();
        match at.is_multiple_of(2) {
            true => view! { <Foreign text=part limit=limit /> }.into_any(),
            false => view! { <code><Foreign text=part limit=limit /></code> }.into_any(),
        }
    };
    let more = text.chars().nth(limit).is_some();
    let drawn: Vec<AnyView> = parts.into_iter().enumerate().map(part).collect();
    view! { {drawn}{more.then_some("…")} }.into_any()
}

/// A text with misleading characters shown by their code.
pub fn shown(text: &str) -> Vec<AnyView> {
    text::pieces(text)
        .into_iter()
        .map(|piece| match piece {
            Piece::Plain(plain) => plain.to_owned().into_any(),
            Piece::Escape(c) => view! { <span class="escape">{text::name(c)}</span> }.into_any(),
        })
        .collect()
}

/// A tool id: the server dimmed, the tool plain.
#[component]
pub fn ToolName(
    /// `server__tool`.
    #[prop(into)]
    id: String,
) -> impl IntoView {
    let (server, tool) = match id.split_once("__") {
        Some((server, tool)) => (server.to_owned(), tool.to_owned()),
        None => (String::new(), id),
    };
    view! {
        <span class="faint server-of"><Foreign text=server limit=64 /> " / "</span><Foreign text=tool limit=160 />
    }
}
