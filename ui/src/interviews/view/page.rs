//! The page: conversations and the library on the left, the open conversation on the right.

use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::PageId;

use super::conversation::Conversation;
use super::dialog::InterviewAsking;
use super::known::{Known, Line};
use super::library::LibraryList;
use super::row::Row;
use crate::app::{App, Dialog};
use crate::cells::{Memo, click, effect};
use crate::numbers::number_of;
use crate::parts::{Empty, Foreign, KeyedRow, List, Loading, keyed};
use crate::route::Route;

/// The page of interviews: conversations, and the one that is selected.
#[component]
pub fn Interviews() -> impl IntoView {
    let app = App::get();
    let known = Known::follow();
    let (lines, failure, library) = (known.lines(), known.failure(), known.library());
    let rows = Memo::always(move || Arc::new(lines.get().unwrap_or_default()));
    let list = List::new(rows, |line: &Line| line.conversation_id.clone());
    let open = Memo::new(move || app.route.with(|route| route.item_of(PageId::Interviews)));
    // The keyboard continues from the open conversation.
    effect(move || {
        if let Some(id) = open.get() {
            list.selected.set(Some(id));
        }
    });
    app.use_keys(list.keys(
        move |id| app.go(Route::item(PageId::Interviews, id)),
        move || {
            let was_open = open.get_untracked().is_some();
            app.replace(PageId::Interviews);
            was_open
        },
    ));
    let ids = Memo::new(move || {
        rows.with(|rows| rows.iter().map(|line| line.conversation_id.clone()).collect::<Vec<_>>())
    });
    let number = Memo::new(move || ids.with(Vec::len));
    let pane = Memo::new(move || pane(open.get(), lines.with(Option::is_some), &ids.get()));
    let start = move |_| app.dialog.set(Some(Dialog::Interview(InterviewAsking::Start)));
    view! {
        <div class="page interviews">
            <div class="title-row">
                <h1>"Interviews"</h1>
                <span class="side">
                    <button class="button small" id="start-interview" on:click=click(start)>"Start an interview…"</button>
                </span>
            </div>
            {move || failure.get().map(|error| view! {
                <p class="trouble" role="alert">"Cannot read the interviews: "<Foreign text=error limit=600 /></p>
            }.into_any())}
            <div class="interviews-grid">
                <section class="card conversations" tabindex="0" aria-labelledby="conversations-title">
                    <header>
                        <h2 id="conversations-title">"Conversations"</h2>
                        <span class="side">{move || number_of(number.get(), "conversation", "conversations")}</span>
                    </header>
                    <ul class="conversation-list" aria-label="List of conversations">
                        {keyed(move || {
                            let row = |id: String| KeyedRow::new(id.clone(), move || view! {
                                <Row id=id lines=lines open=open selected=list.selected />
                            });
                            ids.get().into_iter().map(row).collect()
                        })}
                    </ul>
                    <LibraryList library=library />
                </section>
                <section class="card scrolls conversation" tabindex="0" aria-label="Conversation">
                    {move || match pane.get() {
                        Pane::Loading => view! { <Loading /> }.into_any(),
                        Pane::Open(id) => view! { <Conversation id=id lines=lines /> }.into_any(),
                        Pane::None => none(),
                        Pane::Unselected => view! {
                            <Empty icon="messages-square" title="No conversation selected">
                                <p>"Select a conversation to see its questions, answers and aggregates."</p>
                            </Empty>
                        }.into_any(),
                        Pane::Unknown => view! {
                            <Empty icon="search" title="Conversation not found">
                                <p>"It may have been deleted. Select another one."</p>
                            </Empty>
                        }.into_any(),
                    }}
                </section>
            </div>
        </div>
    }
}

/// What the right side shows.
#[derive(Clone, PartialEq)]
enum Pane {
    Loading,
    Open(String),
    None,
    Unselected,
    Unknown,
}

fn pane(open: Option<String>, is_loaded: bool, ids: &[String]) -> Pane {
    match open {
        _ if !is_loaded => Pane::Loading,
        Some(id) if ids.contains(&id) => Pane::Open(id),
        Some(_) => Pane::Unknown,
        None if ids.is_empty() => Pane::None,
        None => Pane::Unselected,
    }
}

fn none() -> AnyView {
    view! {
        <Empty icon="messages-square" title="No interviews yet">
            <p>"An agent interviews a person with the tools of the group interviews. Include the group in the setting own_tools, or connect the agent to /mcp/schemascope. Its conversations appear here."</p>
            <p>"To answer questions yourself, press \"Start an interview\"."</p>
        </Empty>
    }
    .into_any()
}
