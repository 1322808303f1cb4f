//! The detail of a command-line tool: its tools with their options, its limits, and what confines a call.

use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::{CliDefinition, CliToolDetail, CliToolRow, GetCliTool};

use super::definition::{definition, sentences};
use super::list::Line;
use crate::cells::{Memo, RwSignal, StoredValue, click, effect};
use crate::door;
use crate::numbers::{bytes, count};
use crate::parts::{Foreign, ToolName, Views, shown};
use crate::route::Route;

/// The detail, as the engine last sent it.
type Loaded = RwSignal<Option<Result<Arc<CliToolDetail>, String>>>;

#[component]
pub fn Detail(
    /// Name of the command-line tool.
    alias: String,
    /// Its line in the table.
    line: Memo<Option<Line>>,
    /// Whether its help is being read again.
    is_reading: Memo<bool>,
) -> impl IntoView {
    let loaded: Loaded = RwSignal::new(None);
    // Loaded again when the line changes, and when its help was read again.
    effect(move || {
        if is_reading.get() || line.with(Option::is_none) {
            return;
        }
        let command = GetCliTool { alias: alias.clone() };
        leptos::task::spawn_local(async move {
            let reply = door::call(&command).await;
            loaded.set(Some(reply.map(Arc::new).map_err(|error| error.to_string())));
        });
    });
    view! {
        <div class="cli-detail">
            {move || match loaded.get() {
                None => view! { <p class="dim" role="status">"Loading…"</p> }.into_any(),
                Some(Err(error)) => view! { <p class="bad" role="alert"><Foreign text=error limit=600 /></p> }.into_any(),
                Some(Ok(detail)) => draw(&detail),
            }}
        </div>
    }
}

fn draw(detail: &CliToolDetail) -> AnyView {
    let row = &detail.row;
    let is_alone = detail.definitions.len() == 1;
    let tool = |one: &CliDefinition| view! { <OneTool known=one.clone() is_open=is_alone /> }.into_any();
    view! {
        {facts(row)}
        {own_text("Description", row.description.as_deref())}
        {own_text("Instructions", row.system_prompt.as_deref())}
        <h3>"What confines a call"</h3>
        {sentences(&row.confinement)}
        {(!row.notes.is_empty()).then(|| view! { <h3>"Notes"</h3>{sentences(&row.notes)} }.into_any())}
        {detail.definitions.iter().map(tool).views()}
        {(row.withheld > 0).then(|| view! {
            <p class="dim">"To offer an option that runs programs, add its flag to " <code>"allow"</code> " in the entry of this tool."</p>
        }.into_any())}
    }
    .into_any()
}

/// Program and limits.
fn facts(row: &CliToolRow) -> AnyView {
    let limits = &row.limits;
    let roots = match limits.roots.is_empty() {
        true => "any".to_owned(),
        false => limits.roots.join(", "),
    };
    let program = row.program.clone().unwrap_or_else(|| row.command.clone());
    let at_most =
        |limit: Option<u64>| limit.map_or("no limit".to_owned(), |limit| format!("at most {}", bytes(limit)));
    view! {
        <h3>"Program and limits"</h3>
        <dl class="pairs">
            <dt>"Program"</dt><dd class="mono"><Foreign text=program limit=400 /></dd>
            <dt>"Time limit of a call"</dt><dd>{format!("{} s", count(limits.timeout_seconds))}</dd>
            <dt>"Output of a call"</dt><dd>{format!("at most {}", bytes(limits.max_output_bytes as u64))}</dd>
            <dt>"Memory of each process"</dt><dd>{at_most(limits.max_memory_bytes)}</dd>
            <dt>"Each file written"</dt><dd>{at_most(limits.max_file_bytes)}</dd>
            <dt>"Calls at once"</dt><dd>{format!("at most {}", count(limits.concurrency as u64))}</dd>
            <dt>"Folders for paths"</dt><dd class="mono"><Foreign text=roots limit=1_000 /></dd>
        </dl>
    }
    .into_any()
}

/// A text of the entry, if it has one.
fn own_text(title: &'static str, text: Option<&str>) -> Option<AnyView> {
    text.map(|text| view! { <h3>{title}</h3><p class="cli-text foreign">{shown(text)}</p> }.into_any())
}

/// One tool. Its options are drawn when they are shown.
#[component]
fn OneTool(
    /// What its help says.
    known: CliDefinition,
    /// Whether its options are shown at first.
    is_open: bool,
) -> impl IntoView {
    let open = RwSignal::new(is_open);
    let id = known.tool_id.clone();
    let label = crate::text::visible(&id, 80);
    let known = StoredValue::new(known);
    let word = move || if open.get() { "Hide options" } else { "Show options" };
    view! {
        <div class="cli-one">
            <h3><a class="accent" href=Route::tool(&id).address()><ToolName id=id.clone() /></a></h3>
            <button class="button small" aria-label=move || format!("{} of {label}", word())
                aria-expanded=move || if open.get() { "true" } else { "false" }
                on:click=click(move |_| open.update(|open| *open = !*open))>{word}</button>
            {move || open.get().then(|| known.with_value(|known| definition(known, None)))}
        </div>
    }
}
