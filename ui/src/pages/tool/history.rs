//! The history of a tool: versions created, decisions, drift, by whom and why.

use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::{ActorKind, AuditPage, AuditRow, CallId, Decision, ListAudit};

use super::versions::Versions;
use crate::app::App;
use crate::cells::{RwSignal, click, effect};
use crate::door;
use crate::layout::{Shown, Width};
use crate::numbers::count;
use crate::parts::{Column, Empty, Foreign, Loading, Named, Time, Views, cells, table};

/// Most entries shown.
const MAX_ENTRIES: usize = 200;

/// An entry, and whether it is the decision that can be undone.
struct Entry {
    row: AuditRow,
    undo: Option<Callback<CallId>>,
}

const COLUMNS: &[Column<Entry>] = &[
    Column::text("time", "Time", Width::Fixed(104), &|Entry { row, .. }| {
        view! { <Time at=row.at.as_millis() /> }.into_any()
    }),
    Column::text("event", "Event", Width::Share(120, 1.2), &|Entry { row, .. }| {
        let undone = row.undone.then(|| view! { <span class="faint">" · undone"</span> }.into_any());
        view! { {row.sentence()}{undone} }.into_any()
    }),
    Column::text("by", "By", Width::Fixed(110), &|Entry { row, .. }: &Entry| {
        let kind = match row.actor {
            ActorKind::Person => "user",
            ActorKind::File => "file",
            ActorKind::Policy => "automatic",
        };
        view! { <Foreign text=row.name.clone().unwrap_or_else(|| kind.to_owned()) limit=60 /> }.into_any()
    })
    .shown(Shown::Medium),
    Column::text("reason", "Reason", Width::Share(120, 2.0), &|Entry { row, .. }: &Entry| {
        let starts =
            row.starts.clone().map(|starts| view! { <Foreign text=starts limit=200 /> " " }.into_any());
        let reason = row.reason.clone().map(|reason| view! { <Named text=reason limit=400 /> }.into_any());
        view! { <span class="dim">{starts}{reason}</span> }.into_any()
    })
    .shown(Shown::Small),
    Column::number("results", "Results", Width::Fixed(80), &|Entry { row, .. }: &Entry| {
        view! { <span class="faint">{row.observation_count.map(count)}</span> }.into_any()
    })
    .shown(Shown::Medium),
    Column::drawing("undo", "", Width::Fixed(76), &|Entry { row, undo }| {
        let id = row.id;
        let button = undo.map(|undo| {
            let press = click(move |_| undo.run(id));
            view! { <button class="button small bare" on:click=press>"Undo…"</button> }.into_any()
        });
        view! { <span class="right">{button}</span> }.into_any()
    }),
];

#[component]
pub fn History(
    /// The tool's versions.
    versions: Versions,
) -> impl IntoView {
    let app = App::get();
    let page = RwSignal::new(None::<Result<Arc<AuditPage>, String>>);
    effect(move || {
        versions.changes.track();
        let command =
            ListAudit { tool_id: Some(versions.id()), people: false, before: None, limit: MAX_ENTRIES };
        leptos::task::spawn_local(async move {
            let reply = door::call(&command).await;
            page.set(Some(reply.map(Arc::new).map_err(|error| error.to_string())));
        });
    });
    let undo = Callback::new(move |entry: CallId| {
        versions.ask(app, Decision::Undo { entry: Some(entry) }, versions.after_undo());
    });
    move || {
        match page.get() {
        None => view! { <Loading /> }.into_any(),
        Some(Err(error)) => view! { <p class="quiet bad"><Foreign text=error limit=400 /></p> }.into_any(),
        Some(Ok(page)) if page.entries.is_empty() => view! {
            <Empty icon="activity" title="No history yet">
                <p>"New versions, decisions and drift are listed here, with the person and the reason."</p>
            </Empty>
        }
        .into_any(),
        Some(Ok(page)) => {
            // The latest decision that is not undone can be.
            let undoable = page.entries.iter().find(|entry| is_decision(entry) && !entry.undone).map(|entry| entry.id);
            let line = |row: &AuditRow| {
                let entry = Entry { row: row.clone(), undo: (undoable == Some(row.id)).then_some(undo) };
                view! { <div class="tr" class:undone=row.undone>{cells(COLUMNS, &entry)}</div> }.into_any()
            };
            view! {
                {table("history", COLUMNS, None, page.entries.iter().map(line).views())}
                {page.next.is_some().then(|| view! {
                    <p class="quiet">"Older entries: run " <span class="mono">"schemascope audit"</span></p>
                }.into_any())}
            }
            .into_any()
        }
    }
    }
}

fn is_decision(entry: &AuditRow) -> bool {
    matches!(
        entry.event.as_str(),
        "promote"
            | "pin"
            | "unpin"
            | "reject"
            | "rollback"
            | "count_failures"
            | "count_results"
            | "learn_since"
            | "learn_all"
    )
}
