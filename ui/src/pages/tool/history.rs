//! What happened to a tool's versions, by whom and why.

use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::{ActorKind, AuditPage, AuditRow, Decision, ListAudit};

use super::versions::Versions;
use crate::app::{App, Dialog};
use crate::cells::{RwSignal, click, effect};
use crate::numbers::count;
use crate::parts::{Column, Empty, Foreign, Head, Loading, Views};
use crate::versions::Asking;
use crate::{browser, door};

/// Entries shown.
const SHOWN: usize = 200;

const COLUMNS: &[Column] = &[
    Column { name: "time", class: "", sort: None },
    Column { name: "what", class: "", sort: None },
    Column { name: "who", class: "", sort: None },
    Column { name: "why", class: "", sort: None },
    Column { name: "observations", class: "right", sort: None },
    Column { name: "", class: "", sort: None },
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
        let command = ListAudit { tool_id: Some(versions.id()), people: false, before: None, limit: SHOWN };
        leptos::task::spawn_local(async move {
            let reply = door::call(&command).await;
            page.set(Some(reply.map(Arc::new).map_err(|error| error.to_string())));
        });
    });
    let undo = move || {
        let asking = Asking { tool_id: versions.id(), decision: Decision::Undo {}, version: None };
        app.dialog.set(Some(Dialog::Decide(asking)));
    };
    move || {
        match page.get() {
        None => view! { <Loading /> }.into_any(),
        Some(Err(error)) => view! { <p class="quiet bad"><Foreign text=error limit=400 /></p> }.into_any(),
        Some(Ok(page)) if page.entries.is_empty() => view! {
            <Empty icon="activity" title="Nothing happened yet">
                <p>"Versions that are cut, and decisions about them, are listed here with who took them and why."</p>
            </Empty>
        }
        .into_any(),
        Some(Ok(page)) => {
            // The latest that stands is what undoing takes back.
            let undoable = page.entries.iter().find(|entry| is_decision(entry) && !entry.undone).map(|entry| entry.id);
            let line = |entry: &AuditRow| line(entry, (undoable == Some(entry.id)).then_some(undo));
            view! {
                <div class="table history">
                    <Head columns=COLUMNS />
                    {page.entries.iter().map(line).views()}
                    {page.next.is_some().then(|| view! { <p class="quiet">"Older ones: schemascope audit"</p> }.into_any())}
                </div>
            }
            .into_any()
        }
    }
    }
}

fn is_decision(entry: &AuditRow) -> bool {
    matches!(entry.event.as_str(), "promote" | "pin" | "unpin" | "reject" | "rollback")
}

fn line(entry: &AuditRow, undo: Option<impl Fn() + 'static>) -> AnyView {
    let version = entry.version.map(|version| format!(" v{version}")).unwrap_or_default();
    let drift = entry.drift.map(|drift| format!(" #{drift}")).unwrap_or_default();
    let what = match entry.event.as_str() {
        "cut" => format!("cut{version}"),
        "promote" => format!("promoted{version}"),
        "pin" if entry.enforced => format!("pinned{version}, enforced"),
        "pin" => format!("pinned{version}"),
        "unpin" => "unpinned".to_owned(),
        "reject" => format!("rejected{version}"),
        "rollback" if version.is_empty() => "rolled back to none".to_owned(),
        "rollback" => format!("rolled back to{version}"),
        "undo" => "undid the decision before".to_owned(),
        "suspend" => "suspended: results kept missing the schema".to_owned(),
        "override" => "shown otherwise by the file of overrides".to_owned(),
        "restore" => "restored: results have structure again".to_owned(),
        "drift" => format!("drift{drift} began"),
        "acknowledge" => format!("acknowledged drift{drift}"),
        "resolve" => format!("drift{drift} is over"),
        other => other.to_owned(),
    };
    let kind = match entry.actor {
        ActorKind::Person => "a person",
        ActorKind::File => "a file",
        ActorKind::Policy => "policy",
    };
    let who = entry.name.clone().unwrap_or_else(|| kind.to_owned());
    view! {
        <div class="tr" class:undone=entry.undone>
            <span class="faint num" title=browser::date_and_time(entry.at.as_millis())>{browser::short_time(entry.at.as_millis())}</span>
            <span class="cut">{what} {entry.undone.then(|| view! { <span class="faint">" · undone"</span> }.into_any())}</span>
            <span class="cut"><Foreign text=who limit=60 /></span>
            <span class="cut dim">{entry.reason.clone().map(|reason| view! { <Foreign text=reason limit=400 /> }.into_any())}</span>
            <span class="num right faint">{entry.observation_count.map(count)}</span>
            <span class="right">{undo.map(|undo| view! {
                <button class="button small bare" on:click=click(move |_| undo())>"Undo…"</button>
            }.into_any())}</span>
        </div>
    }
    .into_any()
}
