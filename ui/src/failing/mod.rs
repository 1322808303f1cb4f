//! Failures that a tool returns as ordinary text: which were found, which count as failures, and deciding about them.

mod dialog;

use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::{FailingTextRow, ListFailingTexts};

use crate::app::{App, Dialog};
use crate::cells::{Memo, RwSignal, click, effect};
use crate::door;
use crate::live::Connection;
use crate::numbers::count;
use crate::parts::{Foreign, Icon, Views};
use crate::route::Route;

pub use dialog::{JudgeDialog, Judging};

/// Loads the beginnings of texts of a tool and keeps them up to date.
fn follow(id: String) -> RwSignal<Arc<Vec<FailingTextRow>>> {
    let app = App::get();
    let known = RwSignal::new(Arc::new(Vec::new()));
    let standing = {
        let id = id.clone();
        Memo::new(move || {
            let row =
                app.live.tools(|tools| tools.get(&id).map(|row| (row.possible_failures, row.failure_count)));
            (row, app.live.snapshots.get(), app.live.connection.get() == Connection::Live)
        })
    };
    effect(move || {
        app.decided.track();
        if !standing.get().2 {
            return;
        }
        let command = ListFailingTexts { tool_id: Some(id.clone()) };
        leptos::task::spawn_local(async move {
            // Known rows stay while the engine does not respond.
            if let Ok(rows) = door::call(&command).await
                && known.try_with_untracked(|old| **old != rows).unwrap_or(false)
            {
                known.set(Arc::new(rows));
            }
        });
    });
    known
}

/// Texts of a tool that count as failures or may be failures, if there are any.
#[component]
pub fn FailingTexts(
    /// `server__tool`.
    id: String,
) -> impl IntoView {
    let app = App::get();
    let known = follow(id);
    move || {
        let rows = known.get();
        (!rows.is_empty()).then(|| {
            let open = rows.iter().filter(|row| !row.fails).count();
            let (title, icon) = match open {
                0 => ("", "check"),
                _ => ("· results that begin like errors", "triangle-alert"),
            };
            view! {
                <section class="card failing" class:drift=(open > 0) aria-label="Failures in text">
                    <header>
                        <h2><Icon name=icon />" Failures in text " <span class="dim">{title}</span></h2>
                    </header>
                    <ul class="drifts">{rows.iter().map(|row| line(app, row)).views()}</ul>
                </section>
            }
            .into_any()
        })
    }
}

fn line(app: App, row: &FailingTextRow) -> AnyView {
    let results = match row.results {
        1 => "1 result".to_owned(),
        n => format!("{} results", count(n)),
    };
    let (kind, class, icon) = match row.fails {
        true => ("failure", "", "check"),
        false => ("undecided", "warn", "triangle-alert"),
    };
    let latest = row.latest.map(|id| {
        view! { <a class="accent" href=Route::call(id.to_string()).address()>"latest call"</a> }.into_any()
    });
    let ask = move |row: FailingTextRow, fails: bool| {
        click(move |_| app.dialog.set(Some(Dialog::Judge(Judging { row: row.clone(), fails }))))
    };
    let buttons = match row.fails {
        true => view! {
            <button class="button small" on:click=ask(row.clone(), false)>"Count as results…"</button>
        }
        .into_any(),
        false => view! {
            <span class="choices">
                <button class="button small" on:click=ask(row.clone(), true)>"Count as failures…"</button>
                <button class="button small" on:click=ask(row.clone(), false)>"Keep as results…"</button>
            </span>
        }
        .into_any(),
    };
    view! {
        <li class:seen=row.fails>
            <span class=format!("tag {class}")><Icon name=icon />" " {kind}</span>
            <div>
                <p class="what"><b class="mono"><Foreign text=row.starts.clone() limit=200 /></b></p>
                <p class="behind dim">{results} {latest}</p>
            </div>
            {buttons}
        </li>
    }
    .into_any()
}
