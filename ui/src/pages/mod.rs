//! The pages. Overview and the list of calls are part of the first load; the others are loaded on demand, the graph by
//! itself.

mod calls;
mod graph;
mod help;
mod overview;
mod review;
mod servers;
mod settings;
mod start;
mod tool;
mod tools;

use std::future::Future;

use leptos::prelude::*;
use schemascope_api::PageId;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use crate::app::{Help, Palette};
use crate::browser::load_styles;
use crate::cli_tools::{CliAsking, CliDialog};
use crate::drift::{AcknowledgeDialog, Acknowledging};
use crate::export::{ExportDialog, Exporting};
use crate::failing::{JudgeDialog, Judging};
use crate::interviews::{InterviewAsking, InterviewDialog, Interviews};
use crate::parts::{OnDemand, on_demand};
use crate::versions::{Batch, BatchDialog, Deciding, DecisionDialog};

/// Draws a page, or the item that is shown instead of its list.
pub fn draw(page: PageId, item: Option<String>) -> AnyView {
    match (page, item) {
        (PageId::Overview, _) => view! { <overview::Overview /> }.into_any(),
        (PageId::Calls, _) => view! { <calls::Calls /> }.into_any(),
        (PageId::Graph, _) => on_demand(|| styled("/graph.css", load_graph()), || Box::pin(draw_graph())),
        (page, item) => {
            on_demand(|| styled("/more.css", load_more()), move || Box::pin(draw_more(page, item.clone())))
        }
    }
}

/// Draws a page that is not part of the first load.
#[wasm_split(more, fallible, preload(load_more))]
fn draw_more(page: PageId, item: Option<String>) -> Result<AnyView, SplitLoaderError> {
    Ok(match (page, item) {
        (PageId::Tools, Some(id)) => view! { <tool::Tool id=id /> }.into_any(),
        (PageId::Tools, None) => view! { <tools::Tools /> }.into_any(),
        (PageId::Review, _) => view! { <review::Review /> }.into_any(),
        (PageId::Interviews, _) => view! { <Interviews /> }.into_any(),
        (PageId::Servers, _) => view! { <servers::Servers /> }.into_any(),
        (PageId::Settings, _) => view! { <settings::Settings /> }.into_any(),
        (PageId::Help, _) => view! { <help::Help /> }.into_any(),
        (PageId::Overview | PageId::Calls | PageId::Graph, _) => ().into_any(),
    })
}

/// Loads code and the styles it needs.
fn styled(
    path: &'static str,
    code: impl Future<Output = Result<(), SplitLoaderError>> + 'static,
) -> OnDemand<()> {
    let code: OnDemand<()> = Box::pin(code);
    Box::pin(async move {
        load_styles(path).await;
        code.await
    })
}

#[wasm_split(graph, fallible, preload(load_graph))]
fn draw_graph() -> Result<AnyView, SplitLoaderError> {
    Ok(view! { <graph::Graph /> }.into_any())
}

/// Loads the code of the usual pages, so that opening one needs no waiting.
pub async fn load_all() {
    // Without it a page loads its code when it is opened, and reports a failure.
    let _ = styled("/more.css", load_more()).await;
}

/// The detail of a call, beside the list.
fn call(id: String, close: Callback<()>) -> AnyView {
    on_demand(|| styled("/more.css", load_call()), move || Box::pin(draw_call(id.clone(), close)))
}

#[wasm_split(more, fallible, preload(load_call))]
fn draw_call(id: String, close: Callback<()>) -> Result<AnyView, SplitLoaderError> {
    Ok(view! { <calls::Detail id=id close=close /> }.into_any())
}

/// The palette.
pub fn palette() -> AnyView {
    on_demand(|| styled("/more.css", load_palette()), || Box::pin(draw_palette()))
}

#[wasm_split(more, fallible, preload(load_palette))]
fn draw_palette() -> Result<AnyView, SplitLoaderError> {
    Ok(view! { <Palette /> }.into_any())
}

/// The help: keys, topics and filters.
pub fn keys_and_filters() -> AnyView {
    on_demand(|| styled("/more.css", load_help()), || Box::pin(draw_help()))
}

#[wasm_split(more, fallible, preload(load_help))]
fn draw_help() -> Result<AnyView, SplitLoaderError> {
    Ok(view! { <Help /> }.into_any())
}

/// The dialog of a decision.
pub fn decision(asking: Deciding) -> AnyView {
    on_demand(|| styled("/more.css", load_decision()), move || Box::pin(draw_decision(asking.clone())))
}

#[wasm_split(more, fallible, preload(load_decision))]
fn draw_decision(asking: Deciding) -> Result<AnyView, SplitLoaderError> {
    Ok(view! { <DecisionDialog asking=asking /> }.into_any())
}

/// The dialog of a decision about several tools.
pub fn batch(batch: Batch) -> AnyView {
    on_demand(|| styled("/more.css", load_batch()), move || Box::pin(draw_batch(batch.clone())))
}

#[wasm_split(more, fallible, preload(load_batch))]
fn draw_batch(batch: Batch) -> Result<AnyView, SplitLoaderError> {
    Ok(view! { <BatchDialog batch=batch /> }.into_any())
}

/// The dialog that exports files.
pub fn export(exporting: Exporting) -> AnyView {
    on_demand(|| styled("/more.css", load_export()), move || Box::pin(draw_export(exporting.clone())))
}

#[wasm_split(more, fallible, preload(load_export))]
fn draw_export(exporting: Exporting) -> Result<AnyView, SplitLoaderError> {
    Ok(view! { <ExportDialog exporting=exporting /> }.into_any())
}

/// The dialog that acknowledges drift.
pub fn acknowledgement(asking: Acknowledging) -> AnyView {
    on_demand(
        || styled("/more.css", load_acknowledgement()),
        move || Box::pin(draw_acknowledgement(asking.clone())),
    )
}

#[wasm_split(more, fallible, preload(load_acknowledgement))]
fn draw_acknowledgement(asking: Acknowledging) -> Result<AnyView, SplitLoaderError> {
    Ok(view! { <AcknowledgeDialog asking=asking /> }.into_any())
}

/// The dialog that decides whether texts are failures.
pub fn judgement(asking: Judging) -> AnyView {
    on_demand(|| styled("/more.css", load_judgement()), move || Box::pin(draw_judgement(asking.clone())))
}

#[wasm_split(more, fallible, preload(load_judgement))]
fn draw_judgement(asking: Judging) -> Result<AnyView, SplitLoaderError> {
    Ok(view! { <JudgeDialog asking=asking /> }.into_any())
}

/// The dialogs about command-line tools.
pub fn cli_tool(asking: CliAsking) -> AnyView {
    on_demand(|| styled("/more.css", load_cli_tool()), move || Box::pin(draw_cli_tool(asking.clone())))
}

#[wasm_split(more, fallible, preload(load_cli_tool))]
fn draw_cli_tool(asking: CliAsking) -> Result<AnyView, SplitLoaderError> {
    Ok(view! { <CliDialog asking=asking /> }.into_any())
}

/// The dialogs about interviews.
pub fn interview(asking: InterviewAsking) -> AnyView {
    on_demand(|| styled("/more.css", load_interview()), move || Box::pin(draw_interview(asking.clone())))
}

#[wasm_split(more, fallible, preload(load_interview))]
fn draw_interview(asking: InterviewAsking) -> Result<AnyView, SplitLoaderError> {
    Ok(view! { <InterviewDialog asking=asking /> }.into_any())
}
