//! Why two tools are joined: fields with reasons, chance and the newest calls.

use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::{Edge, EdgeExplanation, EdgeField, ExplainEdge, FieldReasons, FlowCall, is_single};

use crate::browser;
use crate::cells::{Memo, RwSignal, StoredValue, effect};
use crate::door;
use crate::graph::words::{confidence, evidence, field, how};
use crate::numbers::{number_of, share};
use crate::parts::{Foreign, Loading, Views};
use crate::route::Route;
use crate::text::visible;

/// Most fields explained.
const MAX_FIELDS: usize = 8;
/// Pause before the reasons are asked for, in milliseconds, so that walking through many edges asks for few.
const PAUSE_MS: i32 = 120;

/// The reasons of an edge. They are asked for again when its evidence changes.
pub fn reasons(from: String, to: String, flows: Memo<u64>) -> AnyView {
    let known: RwSignal<Option<Result<Arc<EdgeExplanation>, String>>> = RwSignal::new(None);
    let latest = StoredValue::new(0_u64);
    effect(move || {
        flows.get();
        let number = latest.get_value() + 1;
        latest.set_value(number);
        let command = ExplainEdge { from: from.clone(), to: to.clone() };
        leptos::task::spawn_local(async move {
            browser::sleep(PAUSE_MS).await;
            if latest.try_with_value(|latest| *latest == number) != Some(true) {
                return;
            }
            let reply = door::call(&command).await;
            known.set(Some(reply.map(Arc::new).map_err(|error| error.to_string())));
        });
    });
    let draw = move || match known.get() {
        None => view! { <Loading /> }.into_any(),
        Some(Err(error)) => view! { <p class="quiet bad"><Foreign text=error limit=400 /></p> }.into_any(),
        Some(Ok(explanation)) => drawn(&explanation),
    };
    view! { <div class="reasons">{draw}</div> }.into_any()
}

fn drawn(explanation: &EdgeExplanation) -> AnyView {
    let pairs = explanation.edge.fields.iter().take(MAX_FIELDS);
    let why = |known: &EdgeField| {
        explanation.fields.iter().find(|why| *why.output == *known.output && *why.input == *known.input)
    };
    let more = explanation.edge.fields.len().saturating_sub(MAX_FIELDS);
    view! {
        {pairs.map(|known| pair(&explanation.edge, known, why(known))).views()}
        {(more > 0).then(|| view! { <p class="quiet">{format!("… {}", number_of(more, "more pair of fields", "more pairs of fields"))}</p> }.into_any())}
    }
    .into_any()
}

fn pair(edge: &Edge, known: &EdgeField, why: Option<&FieldReasons>) -> AnyView {
    let kind = if known.broken { "broken, " } else { "" };
    let echo = if known.echo { " · echo: it only repeats an argument" } else { "" };
    let reason = |sign: &'static str, class: &'static str, text: &String| {
        view! { <li class=class><span aria-hidden="true">{sign}</span><Foreign text=text.clone() limit=300 /></li> }.into_any()
    };
    let list = why.map(|why| {
        let supporting = why.supporting.iter().map(|text| reason("+", "for", text));
        let opposing = why.opposing.iter().map(|text| reason("−", "against", text));
        view! { <ul>{supporting.chain(opposing).views()}</ul> }.into_any()
    });
    let chance = why.and_then(|why| why.chance).map(|chance| {
        let text = if chance > 0.0 {
            format!("Fields of other things agreed in {} of the recorded calls.", share(chance))
        } else {
            "Fields of other things agreed in none of the recorded calls.".to_owned()
        };
        view! { <p class="faint">{text}</p> }.into_any()
    });
    let calls =
        why.map(|why| why.calls.iter().map(|flow| call(edge, &why.input, flow)).views()).unwrap_or_default();
    let has_calls = !calls.is_empty();
    view! {
        <article class="pair">
            <h3 class="mono"><Foreign text=field(known) limit=300 /></h3>
            <p class="dim"><b class="num">{confidence(known.confidence)}</b>{format!(" · {kind}{}{echo}", how(known.how))}</p>
            <p class="faint num">{evidence(&known.evidence)}</p>
            {list}{chance}
            {has_calls.then(|| view! { <ul class="flows" aria-label="Newest calls">{calls}</ul> }.into_any())}
        </article>
    }
    .into_any()
}

/// A value that one call gave and another took. Of a list or a map, which of its values it was is not known.
fn call(edge: &Edge, input: &str, flow: &FlowCall) -> AnyView {
    let name = |id: &str| visible(id.split_once("__").map_or(id, |(_, name)| name), 60);
    let value = match &flow.value {
        Some(value) => {
            let one_of = (!is_single(input)).then_some("one of ");
            view! { <span class="value mono">{one_of}<Foreign text=value.to_string() limit=120 /></span> }
                .into_any()
        }
        None => view! { <span class="faint">"the value is not available"</span> }.into_any(),
    };
    view! {
        <li>
            <span class="faint num">{browser::short_time(flow.at.as_millis())}</span>
            {value}
            <span class="ends">
                <a class="accent" href=Route::call(flow.from.to_string()).address()>{name(&edge.from)}</a>" → "
                <a class="accent" href=Route::call(flow.to.to_string()).address()>{name(&edge.to)}</a>
            </span>
        </li>
    }
    .into_any()
}
