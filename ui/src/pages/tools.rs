//! All tools in a table, sorted and filtered. The columns are declared in `schemascope_api::TOOL_COLUMNS`.

use std::sync::{Arc, LazyLock};

use leptos::prelude::*;
use schemascope_api::{Align, Filter, PageId, Source, Subject, TOOL_COLUMNS, ToolCell, ToolColumn, ToolRow};

use super::start::NoTools;
use crate::app::{App, Dialog};
use crate::cells::{Memo, RwSignal, click, effect};
use crate::export::Exporting;
use crate::layout::{Shown, Width};
use crate::numbers::{ago, count, duration};
use crate::parts::{
    Cell, Column, Compare, Empty, Foreign, Icon, Ladder, List, Loading, Rows, Sort, Spark, ToolName,
    sort_rows, source_word, table,
};
use crate::route::Route;

static COLUMNS: LazyLock<Vec<Column<Arc<ToolRow>>>> = LazyLock::new(|| {
    TOOL_COLUMNS.iter().filter(|column| column.shown_in.is_in_dashboard()).map(column).collect()
});

/// A declared column as one of the table.
fn column(declared: &'static ToolColumn) -> Column<Arc<ToolRow>> {
    let cell: &'static Cell<Arc<ToolRow>> =
        Box::leak(Box::new(move |row: &Arc<ToolRow>| draw(row, (declared.cell)(row))));
    let compare: &'static Compare<Arc<ToolRow>> =
        Box::leak(Box::new(move |a: &Arc<ToolRow>, b: &Arc<ToolRow>| declared.order(a, b)));
    let is_name = declared.key == TOOL_COLUMNS[0].key;
    let width = if is_name { Width::Share(declared.width, 1.0) } else { Width::Fixed(declared.width) };
    let column = match declared.align {
        Align::Left => Column::text(declared.key, declared.header, width, cell),
        Align::Right => Column::number(declared.key, declared.header, width, cell),
    };
    // Names are sorted from A, everything else from the largest.
    let column = if is_name { column.ascending(compare) } else { column.descending(compare) };
    column.shown(Shown::from_width(declared.min_table_width))
}

fn draw(row: &ToolRow, cell: ToolCell<'_>) -> AnyView {
    match cell {
        ToolCell::Id(id) => name(row, id),
        ToolCell::Source(row) => {
            let title = match row.remark() {
                Some(remark) => format!("{}, {remark}", source_word(row.source)),
                None => source_word(row.source).to_owned(),
            };
            // Texts without structure have no schema, but a form.
            let form = row.form.filter(|_| row.source == Source::Unknown).map(|form| form.to_string());
            let word = form.unwrap_or_else(|| source_word(row.source).to_owned());
            view! { <span class="dim" title=title>{word}</span> }.into_any()
        }
        ToolCell::Quality(quality, violated, drifting) => {
            view! { <Ladder quality=quality violated=violated drifting=drifting /> }.into_any()
        }
        ToolCell::Count(number) => number_or_zero(number, ""),
        ToolCell::Failures(number) => number_or_zero(number, "bad"),
        ToolCell::Share(share) => share.map(|share| format!("{share:.2}")).into_any(),
        ToolCell::Duration(time) => time.map(duration).into_any(),
        ToolCell::Trend(row) => view! { <Spark trend=row.trend.clone() /> }.into_any(),
        ToolCell::Time(time) => {
            let now = App::get().live.now;
            let time = time.map(|time| time.as_millis());
            view! {
                <span class="dim">{move || time.map_or_else(|| "never".to_owned(), |time| ago(time, now.get()))}</span>
            }
            .into_any()
        }
    }
}

/// What the page shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    WrongFilter,
    Loading,
    NoTools,
    NoMatch,
    Rows,
}

#[component]
pub fn Tools() -> impl IntoView {
    let app = App::get();
    let by_name = Sort { key: TOOL_COLUMNS[0].key, descending: false };
    let sort = RwSignal::new(app.tools_sort.get_value().unwrap_or(by_name));
    effect(move || app.tools_sort.set_value(Some(sort.get())));
    let text = Memo::new(move || app.route.with(|route| route.filter_of(PageId::Tools)));
    let parsed =
        Memo::new(move || Filter::parse(&text.get(), Subject::Tools).map_err(|error| error.to_string()));
    let filter = Memo::new(move || parsed.get().unwrap_or_default());
    let rows = Memo::always(move || {
        let (filter, sort) = (filter.get(), sort.get());
        let mut rows: Vec<Arc<ToolRow>> =
            app.live.tools(|tools| tools.values().filter(|row| filter.tool(row)).cloned().collect());
        sort_rows(&mut rows, &COLUMNS, sort, |a, b| a.tool_id.cmp(&b.tool_id));
        Arc::new(rows)
    });
    let list = List::new(rows, |row: &Arc<ToolRow>| row.tool_id.clone());
    app.use_keys(list.keys(
        move |id| app.go(Route::tool(&id)),
        move || {
            let is_filtered = !text.get_untracked().is_empty();
            if is_filtered {
                app.replace(PageId::Tools);
            }
            is_filtered
        },
    ));
    let all = Memo::new(move || app.live.tools(|tools| tools.len()));
    let shown = Memo::new(move || rows.with(|rows| rows.len()));
    let connecting = Memo::new(move || app.live.is_unknown());
    let wrong = Memo::new(move || parsed.get().err());
    // The rows are drawn again only where something else was shown, so that the list keeps its place.
    let content = Memo::new(move || match (connecting.get(), all.get(), shown.get()) {
        _ if wrong.with(Option::is_some) => Content::WrongFilter,
        (true, ..) => Content::Loading,
        (_, 0, _) => Content::NoTools,
        (_, _, 0) => Content::NoMatch,
        _ => Content::Rows,
    });
    let body = move || {
        match content.get() {
        Content::WrongFilter => view! {
            <Empty icon="search" title="This filter cannot be read">
                <p>{move || wrong.get().map(|error| view! { <Foreign text=error limit=400 /> }.into_any())}</p>
                <p><a class="accent" href="/tools">"Clear filter"</a></p>
            </Empty>
        }
        .into_any(),
        Content::Loading => view! { <Loading /> }.into_any(),
        Content::NoTools => view! { <NoTools /> }.into_any(),
        Content::NoMatch => view! {
            <Empty icon="search" title="No tools match">
                <p><a class="accent" href="/tools">"Clear filter"</a></p>
            </Empty>
        }
        .into_any(),
        Content::Rows => view! { <Rows list=list label="List of tools" columns=&COLUMNS href=href /> }.into_any(),
    }
    };
    view! {
        <div class="page">
            <div class="title-row">
                <h1>"Tools"</h1>
                <span class="dim num">
                    {move || if shown.get() == all.get() { count(all.get() as u64) }
                        else { format!("{} of {}", count(shown.get() as u64), count(all.get() as u64)) }}
                </span>
                <span class="side">
                    <button class="button small" on:click=click(move |_| app.dialog.set(Some(Dialog::Export(Exporting::all()))))>"Export…"</button>
                </span>
            </div>
            <section class="card fill" aria-label="Tools">{table("tools-table", &COLUMNS, Some(sort), body)}</section>
        </div>
    }
}

fn href(row: &Arc<ToolRow>) -> String {
    Route::tool(&row.tool_id).address()
}

fn name(row: &ToolRow, id: &str) -> AnyView {
    let (class, title) =
        if row.listed { ("mono", "") } else { ("mono faint", "its server does not list this tool") };
    view! { <span class=class title=title><ToolName id=id.to_owned() />{drift_mark(row)}</span> }.into_any()
}

/// A mark on tools with drift.
fn drift_mark(row: &ToolRow) -> Option<AnyView> {
    let (class, title) = match (row.drift_count, row.drift_waiting) {
        (0, _) => return None,
        (_, 0) => ("tag mark", "results changed; acknowledged"),
        _ => ("tag warn mark", "results changed; to be reviewed"),
    };
    Some(view! { <span class=class title=title><Icon name="triangle-alert" />" drift"</span> }.into_any())
}

/// A count; zeros are dimmed, others have this class.
fn number_or_zero(number: u64, class: &'static str) -> AnyView {
    let class = if number == 0 { "faint" } else { class };
    view! { <span class=class>{count(number)}</span> }.into_any()
}
