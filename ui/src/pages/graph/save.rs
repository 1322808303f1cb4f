//! Buttons that save the picture.

use leptos::prelude::*;

use super::state::State;
use crate::browser;
use crate::cells::click;
use crate::graph::export::{Colours, mermaid, svg};
use crate::saving;
use crate::text::file_stem;

#[component]
pub fn Save(
    /// The page's state.
    state: State,
) -> impl IntoView {
    let save = move |is_svg: bool| {
        let scene = state.scene.get_untracked();
        let text = if is_svg {
            state.drawing.with_untracked(|drawing| svg(&scene, drawing, &colours()))
        } else {
            mermaid(&scene)
        };
        let focus = state.place.with_untracked(|place| place.focus.clone()).unwrap_or_default();
        let stem = file_stem(&focus);
        let dash = if stem.is_empty() { "" } else { "-" };
        let name = format!("graph{dash}{stem}.{}", if is_svg { "svg" } else { "mmd" });
        saving::save(state.app, name, text);
    };
    let no_picture =
        move || state.drawing.with(|drawing| drawing.nodes.is_empty() && drawing.frames.is_empty());
    view! {
        <span class="segments" role="group" aria-label="Export">
            <button id="save-svg" title="Save the picture as SVG" prop:disabled=no_picture on:click=click(move |_| save(true))>"SVG"</button>
            <button id="save-mermaid" title="Save the edges as a Mermaid flowchart" on:click=click(move |_| save(false))>"Mermaid"</button>
        </span>
    }
}

/// The colours of the current theme.
fn colours() -> Colours {
    let root = browser::document().document_element();
    let style = root.and_then(|root| browser::window().get_computed_style(&root).ok().flatten());
    let token = |name: &str| {
        let value = style.as_ref().and_then(|style| style.get_property_value(name).ok());
        value
            .map(|value| value.trim().to_owned())
            .filter(|value| value.starts_with('#'))
            .unwrap_or_else(|| "#808080".to_owned())
    };
    Colours {
        back: token("--panel"),
        box_: token("--raise"),
        line: token("--line"),
        text: token("--text"),
        faint: token("--faint"),
        accent: token("--accent"),
        seen: token("--q2"),
        broken: token("--bad"),
        threatened: token("--warn"),
    }
}
