//! Tools: a dense table, sorted and filtered.

use std::cmp::Ordering;
use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::{Filter, Subject, ToolRow};

use crate::app::App;
use crate::cells::{Memo, RwSignal};
use crate::live::Connection;
use crate::numbers::{ago, count, percent};
use crate::order;
use crate::parts::{
    Column, Empty, Head, Icon, Ladder, List, Loading, Rows, Sort, Spark, ToolName, source_word,
};
use crate::route::Route;

const COLUMNS: &[Column] = &[
    Column { name: "tool", class: "", sort: Some("tool") },
    Column { name: "source", class: "roomy", sort: Some("source") },
    Column { name: "quality", class: "", sort: Some("quality") },
    Column { name: "observed", class: "right", sort: Some("observed") },
    Column { name: "calls", class: "right", sort: Some("calls") },
    Column { name: "failed", class: "right", sort: Some("failed") },
    Column { name: "consistency", class: "trend", sort: None },
    Column { name: "mean", class: "right roomy", sort: Some("mean") },
    Column { name: "last call", class: "right", sort: Some("last") },
];

#[component]
pub fn Tools() -> impl IntoView {
    let app = App::get();
    let sort = RwSignal::new(Sort { by: "tool", down: false });
    let filter = Memo::new(move || {
        app.route.with(|route| match route {
            Route::Tools { filter } => Filter::parse(filter, Subject::Tools).unwrap_or_default(),
            _ => Filter::default(),
        })
    });
    let rows = Memo::always(move || {
        let (filter, sort) = (filter.get(), sort.get());
        let mut rows: Vec<Arc<ToolRow>> =
            app.live.tools(|tools| tools.values().filter(|row| filter.tool(row)).cloned().collect());
        order::sort(&mut rows, |a, b| {
            let order = compare(a, b, sort.by);
            (if sort.down { order.reverse() } else { order }).then_with(|| a.tool_id.cmp(&b.tool_id))
        });
        Arc::new(rows)
    });
    let list = List::new(rows, |row: &Arc<ToolRow>| row.tool_id.clone());
    app.use_keys(list.keys(
        move |id| app.go(Route::tool(&id)),
        move || {
            let is_filtered = app
                .route
                .with_untracked(|route| matches!(route, Route::Tools { filter } if !filter.is_empty()));
            if is_filtered {
                app.go_quietly(Route::Tools { filter: String::new() });
            }
            is_filtered
        },
    ));
    let all = Memo::new(move || app.live.tools(|tools| tools.len()));
    let shown = Memo::new(move || rows.with(|rows| rows.len()));
    let waiting = Memo::new(move || app.live.connection.get() == Connection::Connecting);
    view! {
        <div class="page">
            <div class="title-row">
                <h1>"Tools"</h1>
                <span class="dim num">
                    {move || if shown.get() == all.get() { count(all.get() as u64) }
                        else { format!("{} of {}", count(shown.get() as u64), count(all.get() as u64)) }}
                </span>
            </div>
            <section class="card fill" aria-label="Tools">
                <div class="table tools-table">
                    <Head columns=COLUMNS sort=sort />
                    {move || match (waiting.get(), all.get(), shown.get()) {
                        (true, ..) => view! { <Loading /> }.into_any(),
                        (_, 0, _) => view! { <NoTools /> }.into_any(),
                        (_, _, 0) => view! {
                            <Empty icon="search" title="No tool passes this filter">
                                <p><a class="accent" href="/tools">"Show all"</a></p>
                            </Empty>
                        }.into_any(),
                        _ => view! {
                            <Rows list=list label="List of tools" draw=draw revision=revision
                                href=href />
                        }.into_any(),
                    }}
                </div>
            </section>
        </div>
    }
}

/// Where there are no tools at all: what to do about it.
#[component]
pub fn NoTools() -> impl IntoView {
    let app = App::get();
    let servers = Memo::new(move || app.live.servers(|servers| servers.len()));
    move || {
        let about = app.live.about();
        let config = about.as_ref().map(|about| about.config.clone()).unwrap_or_default();
        let url = about.and_then(|about| about.mcp_url.clone()).unwrap_or_default();
        match servers.get() {
            0 => view! {
                <Empty icon="server" title="No servers yet">
                    <p>"Name your MCP servers in the file your agent has already:"</p>
                    <code>{config} <br /> r#"{"mcpServers": {"git": {"command": "mcp-server-git"}}}"#</code>
                </Empty>
            }
            .into_any(),
            _ => view! {
                <Empty icon="wrench" title="No tools seen yet">
                    <p>"Servers start when they are first needed. Point your agent here, with the token as bearer:"</p>
                    <code>{url}</code>
                </Empty>
            }
            .into_any(),
        }
    }
}

fn compare(a: &ToolRow, b: &ToolRow, by: &str) -> Ordering {
    match by {
        "source" => a.source.to_string().cmp(&b.source.to_string()),
        "quality" => (a.quality, !a.violated).cmp(&(b.quality, !b.violated)),
        "observed" => a.observation_count.cmp(&b.observation_count),
        "calls" => a.call_count.cmp(&b.call_count),
        "failed" => a.failure_count.cmp(&b.failure_count),
        "mean" => a.mean_consistency.unwrap_or(-1.0).total_cmp(&b.mean_consistency.unwrap_or(-1.0)),
        "last" => a.last_called.cmp(&b.last_called),
        _ => a.tool_id.cmp(&b.tool_id),
    }
}

/// Whatever of a row can change.
fn revision(row: &Arc<ToolRow>) -> u64 {
    // Every change of the others comes with a call or a listing.
    row.call_count * 4
        + u64::from(row.listed) * 2
        + u64::from(row.violated)
        + ((row.source as u64) << 40)
        + (u64::from(row.drift_count * 64 + row.drift_waiting) << 44)
}

/// That results are not what they were.
fn drift_mark(row: &ToolRow) -> Option<AnyView> {
    let class = if row.drift_waiting > 0 { "tag warn mark" } else { "tag mark" };
    let title = match (row.drift_count, row.drift_waiting) {
        (0, _) => return None,
        (_, 0) => "drift goes on, and was acknowledged",
        _ => "drift: it returns something else than it did",
    };
    Some(view! { <span class=class title=title><Icon name="triangle-alert" />" drift"</span> }.into_any())
}

fn href(row: &Arc<ToolRow>) -> String {
    Route::tool(&row.tool_id).address()
}

fn draw(row: &Arc<ToolRow>) -> AnyView {
    let app = App::get();
    let last = row.last_called.map(|at| at.as_millis());
    let quiet = if row.listed { "mono cut" } else { "mono cut faint" };
    view! {
        <span class=quiet title=if row.listed { "" } else { "its server lists it no longer" }>
            <ToolName id=row.tool_id.clone() />{drift_mark(row)}
        </span>
        <span class="dim cut roomy" title=source_word(row.source)>{row.source.to_string()}</span>
        <Ladder quality=row.quality violated=row.violated />
        <span class={number(row.observation_count)}>{count(row.observation_count)}</span>
        <span class={number(row.call_count)}>{count(row.call_count)}</span>
        <span class={if row.failure_count > 0 { "num right bad" } else { "num right faint" }}
            title=percent(row.failure_count, row.call_count)>{count(row.failure_count)}</span>
        <span class="trend"><Spark trend=row.trend.clone() /></span>
        <span class="num right roomy">{row.mean_consistency.map(|mean| format!("{mean:.2}"))}</span>
        <span class="dim right">{move || last.map(|at| ago(at, app.live.now.get()))}</span>
    }
    .into_any()
}

/// Nothing is not to be looked at.
fn number(number: u64) -> &'static str {
    if number == 0 { "num right faint" } else { "num right" }
}
