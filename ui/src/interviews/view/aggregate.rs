//! The aggregates as trees. Each value leads to the answer that it came from.

use leptos::prelude::*;

use super::conversation::part;
use super::interview::Interview;
use super::transcript::{activity_at, answer_id, ds_ids};
use crate::browser;
use crate::cells::{Memo, RwSignal, click};
use crate::interviews::nodes::{Node, nodes};
use crate::json::Kind;
use crate::numbers::count;
use crate::parts::{Foreign, KeyedRow, Views, keyed};
use crate::text::visible;

/// Most lines of a model, and of what was found.
const MAX_LINES: usize = 500;
/// Longest value that is shown, in characters.
const MAX_VALUE: usize = 1_000;

#[component]
pub fn Aggregates(
    /// The conversation.
    interview: Interview,
) -> impl IntoView {
    let ids = ds_ids(interview);
    let none = part(interview, |found| found.activities.is_empty());
    view! {
        <section class="aggregates" aria-labelledby="aggregates-title">
            {model(interview)}
            <h3 id="aggregates-title">"Aggregates"</h3>
            {move || none.get().then(|| view! { <p class="dim">"No answer has been given yet."</p> }.into_any())}
            {keyed(move || {
                let ids = ids.get().into_iter().enumerate();
                let row = |(at, ds_id): (usize, String)| {
                    KeyedRow::new(ds_id.clone(), move || view! { <Aggregate interview=interview at=at ds_id=ds_id /> })
                };
                ids.map(row).collect()
            })}
        </section>
    }
}

/// The MiniZinc model, and what was found.
fn model(interview: Interview) -> AnyView {
    let known = part(interview, |found| found.model.clone());
    let shown = move || {
        let (model, results) = known.get()?;
        Some(
            view! {
                <div class="model">
                    <h3>"MiniZinc"</h3>
                    <pre tabindex="0" aria-label="What MiniZinc found">{lines(&results)}</pre>
                    {(!model.is_empty()).then(|| view! {
                        <details><summary>"Model"</summary><pre tabindex="0" aria-label="Model">{lines(&model)}</pre></details>
                    }.into_any())}
                </div>
            }
            .into_any(),
        )
    };
    view! { {shown} }.into_any()
}

/// Lines of a text, each as text of others.
fn lines(text: &str) -> Vec<AnyView> {
    let line = |line: &str| view! { <Foreign text=line.to_owned() limit=400 />"\n" }.into_any();
    text.lines().take(MAX_LINES).map(line).views()
}

/// The aggregate of a Discovery Schema. Its tree is drawn while it is shown.
#[component]
fn Aggregate(
    /// The conversation.
    interview: Interview,
    /// Position of the pursuit.
    at: usize,
    /// Id of the Discovery Schema.
    ds_id: String,
) -> impl IntoView {
    let open = RwSignal::new(true);
    let known = activity_at(interview, at);
    let tree = Memo::new(move || known.with(|known| nodes(&known.aggregate, &known.exchanges)));
    let label = visible(&ds_id, 80);
    let word = move || if open.get() { "Hide" } else { "Show" };
    view! {
        <div class="aggregate">
            <h4 class="mono"><Foreign text=ds_id limit=120 /></h4>
            <button class="button small" aria-label=move || format!("{} {label}", word())
                aria-expanded=move || if open.get() { "true" } else { "false" }
                on:click=click(move |_| open.update(|open| *open = !*open))>{word}</button>
            {move || open.get().then(|| tree.with(|(tree, left_out)| match tree.is_empty() {
                true => view! { <p class="dim">"Empty"</p> }.into_any(),
                false => list(at, tree, *left_out),
            }))}
        </div>
    }
}

fn list(at: usize, nodes: &[Node], left_out: usize) -> AnyView {
    let more = (left_out > 0).then(|| {
        view! { <li class="faint">{format!("{} more; export to see all", count(left_out as u64))}</li> }
            .into_any()
    });
    view! { <ul class="nodes">{nodes.iter().map(|node| draw(at, node)).views()}{more}</ul> }.into_any()
}

fn draw(at: usize, node: &Node) -> AnyView {
    let below = node.value.is_none().then(|| list(at, &node.below, node.left_out));
    view! {
        <li>
            <span class="key"><Foreign text=node.label.clone() limit=120 /></span>
            {node.value.as_ref().map(value)}
            {node.question.map(|question| origin(at, question))}
            {below}
        </li>
    }
    .into_any()
}

fn value((kind, text): &(Kind, String)) -> AnyView {
    let class = match kind {
        Kind::Text => "s",
        Kind::Number => "n",
        Kind::Word => "w",
        Kind::Mark | Kind::Key => "p",
    };
    view! { <span class=format!("value {class}")><Foreign text=text.clone() limit=MAX_VALUE /></span> }
        .into_any()
}

/// The button that leads to the answer.
fn origin(at: usize, question: usize) -> AnyView {
    let place = format!("#{}", answer_id(at, question - 1));
    view! {
        <button class="origin" title=format!("from the answer to question {question}") aria-label=format!("Q{question}: answer to question {question}")
            on:click=click(move |_| browser::focus(&place))>{format!("Q{question}")}</button>
    }
    .into_any()
}
