//! Text of the guide and of descriptions, drawn as elements.

use leptos::prelude::*;
use schemascope_api::PageId;

use super::Views;
use crate::markdown::{self, Inline};
use crate::route::Route;

/// Draws a text with code, emphasis and links.
pub fn prose(text: &str) -> Vec<AnyView> {
    inlines(&markdown::inlines(text))
}

/// Draws the pieces of a text.
pub fn inlines(text: &[Inline]) -> Vec<AnyView> {
    text.iter().map(inline).views()
}

fn inline(inline: &Inline) -> AnyView {
    match inline {
        Inline::Text(text) => text.clone().into_any(),
        Inline::Code(code) => view! { <code>{code.clone()}</code> }.into_any(),
        Inline::Emphasis(true, text) => view! { <strong>{text.clone()}</strong> }.into_any(),
        Inline::Emphasis(false, text) => view! { <em>{text.clone()}</em> }.into_any(),
        Inline::Link(text, target) => link(text.clone(), target),
    }
}

/// A link to another topic or to a web site; other targets are shown as text.
fn link(text: String, target: &str) -> AnyView {
    let file = target.split('#').next().unwrap_or_default();
    if let Some(name) =
        file.rsplit('/').next().and_then(|file| file.strip_suffix(".md")).filter(|_| !target.contains(':'))
    {
        let href = Route::item(PageId::Help, name).address();
        return view! { <a class="accent" href=href>{text}</a> }.into_any();
    }
    if target.starts_with("https://") {
        let href = target.to_owned();
        return view! { <a class="accent" href=href target="_blank" rel="noopener noreferrer">{text}</a> }
            .into_any();
    }
    text.into_any()
}
