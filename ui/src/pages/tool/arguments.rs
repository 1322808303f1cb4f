//! Arguments whose value determines the structure of the result.

use leptos::prelude::*;
use schemascope_api::{ArgumentRow, ArgumentValueRow};

use super::Detail;
use crate::numbers::{count, share};
use crate::parts::{Foreign, Views};
use crate::text::visible;

/// Most values of an argument, and most parts of one value, that are shown.
const MAX_VALUES: usize = 8;
const MAX_PARTS: usize = 12;

#[component]
pub fn Arguments(
    /// The tool's detail.
    known: Detail,
) -> impl IntoView {
    let arguments = known.part(|detail| detail.by_argument.clone());
    move || {
        let rows = arguments.get();
        (!rows.is_empty()).then(|| {
            view! {
                <section class="card" id="by-argument">
                    <header>
                        <h2>"By argument"</h2>
                        <span title="share of the variety of results that depends on this argument">"determines the result"</span>
                    </header>
                    {rows.iter().map(argument).views()}
                </section>
            }
            .into_any()
        })
    }
}

fn argument(row: &ArgumentRow) -> AnyView {
    let width = format!("{:.1}%", row.explains * 100.0);
    let more = row.values.len().saturating_sub(MAX_VALUES);
    view! {
        <div class="argument">
            <div class="line">
                <span class="mono cut" title=visible(&row.argument, 300)><Foreign text=row.argument.clone() limit=120 /></span>
                <span class="bar" aria-hidden="true"><i style:width=width></i></span>
                <b class="num">{share(row.explains)}</b>
            </div>
            <div class="by-value">{row.values.iter().take(MAX_VALUES).map(value).views()}</div>
            {(more > 0).then(|| view! { <span class="faint">{format!("… {more} more")}</span> }.into_any())}
        </div>
    }
    .into_any()
}

fn value(row: &ArgumentValueRow) -> AnyView {
    let name = match &row.json {
        Some(json) => view! {
            <span class="mono cut" title=visible(json, 300)><Foreign text=json.clone() limit=60 /></span>
        }
        .into_any(),
        None => view! { <span class="dim">"omitted"</span> }.into_any(),
    };
    let part =
        |part: &String| view! { <span class="mono"><Foreign text=part.clone() limit=60 /></span> }.into_any();
    let mut parts: Vec<AnyView> = row.shape.iter().take(MAX_PARTS).map(part).collect();
    if parts.is_empty() {
        parts.push(view! { <span class="faint">"no distinct fields"</span> }.into_any());
    } else if row.shape.len() > MAX_PARTS {
        parts.push(
            view! { <span class="faint">{format!("… {} more", row.shape.len() - MAX_PARTS)}</span> }
                .into_any(),
        );
    }
    view! {
        {name}
        <span class="num right dim">{count(row.count)}</span>
        <span class="names">{parts}</span>
    }
    .into_any()
}
