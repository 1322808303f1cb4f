//! What is said about the edge under the pointer, and what the lines mean.

use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::Edge;

use super::state::State;
use crate::graph::lit::Lit;
use crate::graph::words::{confidence, coverage, evidence, field, how, mark, state as state_word};
use crate::parts::Views;

/// Most fields described beside the pointer.
const TIP_FIELDS: usize = 4;

/// What is known of the edge under the pointer, field by field.
pub fn tip(state: State, lit: &Lit, scale: f64) -> Option<AnyView> {
    let at = lit.tip?;
    let (scene, drawing) = (state.scene.get_untracked(), state.drawing.get_untracked());
    let edge = Arc::clone(&scene.edges.get(at)?.edge);
    let middle = drawing.wires.iter().find(|wire| wire.edge == at).map(|wire| wire.curve.at(0.5))?;
    let is_left = middle.x > drawing.width / 2.0;
    let is_low = middle.y > drawing.height * 0.7;
    let class =
        format!("tip {} {}", if is_left { "to-left" } else { "" }, if is_low { "to-top" } else { "" });
    Some(
        view! {
            <div class=class style:left=format!("{:.0}px", middle.x * scale) style:top=format!("{:.0}px", middle.y * scale)>
                {described(&edge)}
            </div>
        }
        .into_any(),
    )
}

fn described(edge: &Edge) -> AnyView {
    let line = |known: &schemascope_api::EdgeField| {
        view! {
            <li><span class="mono">{field(known)}</span><span class="faint">{how(known.how)} " · " {evidence(&known.evidence)}</span></li>
        }
        .into_any()
    };
    let more = edge.fields.len().saturating_sub(TIP_FIELDS);
    view! {
        <p><b>{format!("{} {}", mark(edge), confidence(edge.confidence))}</b>
            {format!(" {} · {}{}", state_word(edge.state), coverage(edge.coverage), if edge.echo { " · echo" } else { "" })}</p>
        <ul>{edge.fields.iter().take(TIP_FIELDS).map(line).views()}</ul>
        {(more > 0).then(|| view! { <p class="faint">{format!("… {more} more")}</p> }.into_any())}
        {edge.threatened_by.first().map(|change| view! { <p class="warn">"▲ " {crate::text::visible(change, 160)}</p> }.into_any())}
    }
    .into_any()
}

#[component]
pub fn Legend() -> impl IntoView {
    let line = |dashes: &'static str, text: &'static str| {
        view! {
            <span><svg aria-hidden="true" viewBox="0 0 26 8"><line x1="0" x2="26" y1="4" y2="4" stroke-dasharray=dashes /></svg>{text}</span>
        }
        .into_any()
    };
    let end = |kind: &'static str, text: &'static str| {
        let marker = format!("url(#to-{kind})");
        view! {
            <span><svg class="end" aria-hidden="true" viewBox="0 0 14 10">
                <path class=format!("wire {kind}") d="M0 5H12" stroke-width="2" marker-end=marker />
            </svg>{text}</span>
        }
        .into_any()
    };
    view! {
        <div class="legend" aria-label="Legend" role="group">
            {line("", "strict")}{line("8 4", "partial")}{line("2 4", "optional")}
            {end("seen", "● seen in use")}{end("possible", "○ possible")}{end("broken", "✕ broken")}{end("threatened", "▲ threatened")}
        </div>
    }
}
