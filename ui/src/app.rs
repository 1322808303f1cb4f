//! The frame around the pages: header, navigation, keyboard, dialogs, and the state they share ([`App`]).

mod dialogs;
mod header;
mod help;
mod keyboard;
mod palette;
mod positions;
mod router;
mod side;
mod theme;
mod undo;

use std::collections::{BTreeMap, BTreeSet};

use leptos::prelude::*;
use schemascope_api::{Need, PageId};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::cells::{Memo, RwSignal, StoredValue, click, effect};
use crate::cli_tools::CliAsking;
use crate::drift::Acknowledging;
use crate::export::Exporting;
use crate::failing::Judging;
use crate::interviews::InterviewAsking;
use crate::live::{Connection, Live};
use crate::numbers::count;
use crate::pages;
use crate::parts::{Empty, Icon, KeyedRow, Sort, keyed};
use crate::route::Route;
use crate::versions::{Batch, Deciding};
use crate::{browser, door};

pub use dialogs::restart;
pub use help::Help;
pub use palette::Palette;
use positions::Positions;
use router::navigate;
pub use theme::Theme;
pub use undo::{OldSetting, Restoring, Undoing};

/// Time for which a message offers to undo a decision, in milliseconds.
const UNDO_MS: i32 = 10_000;
/// Longest time until the engine's state shows a decision, in milliseconds.
const SETTLED_MS: i32 = 2_000;

/// A dialog over the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dialog {
    /// Search for commands, pages, tools and servers.
    Palette,
    /// Keys, filter tokens and topics of the guide.
    Help,
    /// A decision, with its impact.
    Decide(Deciding),
    /// One decision about several tools, with their joint impact.
    Batch(Batch),
    /// Acknowledgement of drift.
    Acknowledge(Acknowledging),
    /// Deciding whether texts are failures.
    Judge(Judging),
    /// Export of files.
    Export(Exporting),
    /// Adding a command-line tool, or a decision about one.
    CliTool(CliAsking),
    /// Starting an interview, or a decision about one.
    Interview(InterviewAsking),
}

/// A short message that disappears by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toast {
    id: u64,
    text: String,
    bad: bool,
    /// Decisions that the message offers to undo.
    undo: Vec<Undoing>,
}

/// Keyboard actions of the list on the current page.
#[derive(Clone, Copy)]
pub struct ListKeys {
    /// Moves the selection by this many rows.
    pub step: Callback<i32>,
    /// Opens the selected row.
    pub open: Callback<()>,
    /// Closes what is open; returns whether something was.
    pub leave: Callback<(), bool>,
    /// Handles one of the keys the page declares in `PAGES`.
    pub act: Callback<char>,
}

/// State shared by all pages.
#[derive(Clone, Copy)]
pub struct App {
    /// State of the engine.
    pub live: Live,
    /// What needs attention, the most urgent first.
    pub needs: Memo<Vec<Need>>,
    /// The current address.
    pub route: RwSignal<Route>,
    /// The chosen theme.
    pub theme: RwSignal<Theme>,
    /// The open dialog.
    pub dialog: RwSignal<Option<Dialog>>,
    /// Number of decisions taken in this page.
    pub decided: RwSignal<u64>,
    /// Tools and versions that were decided just now, until the engine's state shows it.
    pub settled: RwSignal<Vec<(String, u32)>>,
    /// Keyboard actions of the current list.
    pub keys: StoredValue<Option<ListKeys>>,
    /// Answers that were typed and not sent, by question.
    pub unsent: StoredValue<BTreeMap<String, Unsent>>,
    /// Values of settings that were typed and not saved, by name.
    pub unsaved: RwSignal<Vec<(&'static str, String)>>,
    /// The order that was chosen for the list of tools.
    pub tools_sort: StoredValue<Option<Sort>>,
    positions: StoredValue<Positions>,
    toasts: RwSignal<Vec<Toast>>,
}

/// An answer that was not sent: words, choices and rows.
pub type Unsent = (String, BTreeSet<String>, Vec<Vec<String>>);

impl App {
    /// The state of this page.
    pub fn get() -> Self {
        expect_context()
    }

    /// Opens an address; "back" returns to the current one.
    pub fn go(&self, route: impl Into<Route>) {
        navigate(*self, route.into(), router::History::Push);
    }

    /// Opens an address in place of the current one.
    pub fn replace(&self, route: impl Into<Route>) {
        navigate(*self, route.into(), router::History::Replace);
    }

    /// Shows a message for a few seconds.
    pub fn notify(&self, text: impl Into<String>) {
        self.toast(text.into(), false, Vec::new());
    }

    /// Shows an error for some seconds.
    pub fn report_error(&self, error: impl ToString) {
        self.toast(error.to_string(), true, Vec::new());
    }

    /// Reports decisions, and offers to undo them for ten seconds.
    pub fn notify_decided(&self, text: impl Into<String>, undo: Vec<Undoing>) {
        self.decided.update(|decided| *decided += 1);
        self.toast(text.into(), false, undo);
    }

    /// Notes that a version was decided, so that the page does not offer it again before the engine's state arrives.
    pub fn settle(&self, tool_id: String, version: u32) {
        let (settled, entry) = (self.settled, (tool_id, version));
        settled.update(|settled| settled.push(entry.clone()));
        leptos::task::spawn_local(async move {
            browser::sleep(SETTLED_MS).await;
            settled.update(|settled| settled.retain(|known| *known != entry));
        });
    }

    /// Closes the dialog; the focus returns to where it was.
    pub fn close_dialog(&self) {
        browser::close_dialog();
        self.dialog.set(None);
    }

    /// Closes the dialog, if one is open.
    fn leave_dialog(&self) {
        if self.dialog.with_untracked(Option::is_some) {
            self.close_dialog();
        }
    }

    fn toast(&self, text: String, bad: bool, undo: Vec<Undoing>) {
        let can_undo = !undo.is_empty();
        let id = browser::now() * 1_000 + self.toasts.with_untracked(Vec::len) as u64;
        self.toasts.update(|toasts| {
            if toasts.len() == 4 {
                toasts.remove(0);
            }
            toasts.push(Toast { id, text, bad, undo });
        });
        let toasts = self.toasts;
        let shown_ms = if can_undo {
            UNDO_MS
        } else if bad {
            8_000
        } else {
            3_000
        };
        leptos::task::spawn_local(async move {
            browser::sleep(shown_ms).await;
            toasts.update(|toasts| toasts.retain(|toast| toast.id != id));
        });
    }

    /// Registers keyboard actions while the current component is shown.
    pub fn use_keys(&self, keys: ListKeys) {
        let stored = self.keys;
        stored.set_value(Some(keys));
        on_cleanup(move || stored.set_value(None));
    }
}

/// Starts the dashboard. Called once the module is loaded.
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
    door::log_in();
    if let Some(starting) = browser::document().get_element_by_id("starting") {
        starting.remove();
    }
    mount_to_body(Frame);
}

/// What the frame draws: a page, and the item shown instead of its list. Filters, tabs and items that open
/// within a page do not draw it again.
fn shown(route: &Route) -> Option<(PageId, Option<String>)> {
    route.page.map(|page| (page, route.item_instead().cloned()))
}

#[component]
fn Frame() -> impl IntoView {
    let live = Live::start();
    let app = App {
        live,
        needs: crate::needs::needs(live),
        route: RwSignal::new(router::here()),
        theme: RwSignal::new(Theme::saved()),
        dialog: RwSignal::new(None),
        decided: RwSignal::new(0),
        settled: RwSignal::default(),
        keys: StoredValue::new(None),
        unsent: StoredValue::new(BTreeMap::new()),
        unsaved: RwSignal::default(),
        tools_sort: StoredValue::new(None),
        positions: StoredValue::new(Vec::new()),
        toasts: RwSignal::default(),
    };
    provide_context(app);
    router::listen(app);
    keyboard::listen(app);
    theme::apply(app);
    load_rest(app);
    let page = Memo::new(move || app.route.with(shown));
    let denied = Memo::new(move || app.live.connection.get() == Connection::Denied);
    view! {
        <div class="app">
            <header::Header />
            <side::Side />
            <main id="main">
                <ConnectionBanner />
                {move || {
                    if denied.get() {
                        return view! { <Denied /> }.into_any();
                    }
                    match page.get() {
                        Some((page, item)) => pages::draw(page, item),
                        None => view! { <UnknownPage /> }.into_any(),
                    }
                }}
            </main>
        </div>
        <dialogs::Dialogs />
        <div class="toasts" role="status" aria-live="polite">
            {keyed(move || {
                let row = |toast: Toast| KeyedRow::new(toast.id, move || {
                    let Toast { id, text, bad, undo } = toast;
                    view! {
                        <div class="toast" class:bad=bad>
                            {text} " "
                            {(!undo.is_empty()).then(|| view! {
                                <button class="button small" on:click=click(move |_| {
                                    app.toasts.update(|toasts| toasts.retain(|toast| toast.id != id));
                                    undo::undo(app, undo.clone());
                                })>"Undo"</button>
                            }.into_any())}
                        </div>
                    }
                });
                app.toasts.get().into_iter().map(row).collect()
            })}
        </div>
    }
}

/// Loads the parts of the dashboard that the first load left out, once the engine's state is shown.
fn load_rest(app: App) {
    let started = StoredValue::new(false);
    effect(move || {
        let is_live = app.live.connection.with(|connection| *connection == Connection::Live);
        if is_live && !started.get_value() {
            started.set_value(true);
            leptos::task::spawn_local(pages::load_all());
        }
    });
}

#[component]
fn ConnectionBanner() -> impl IntoView {
    let app = App::get();
    let lost = Memo::new(move || match app.live.connection.get() {
        Connection::Lost(reason) => Some(reason),
        _ => None,
    });
    let stalled = Memo::new(move || {
        app.live.pulse.with(|pulse| {
            let recorder = &pulse.recorder;
            recorder.stalled.clone().map(|reason| (reason, recorder.waiting, recorder.dropped))
        })
    });
    let off = Memo::new(move || app.live.pulse.with(|pulse| pulse.recorder.off));
    view! {
        <div role="status" aria-live="polite">
            {move || off.get().then(|| view! {
                <div class="banner" id="off">
                    <Icon name="triangle-alert" />
                    <span>"Recording is off (" <b>"serve --record off"</b> "). Calls work, but they are not stored and nothing is learned from them."</span>
                </div>
            }.into_any())}
            {move || lost.get().map(|reason| view! {
                <div class="banner" id="lost">
                    <Icon name="refresh-cw" />
                    <span>"Connection lost: " {reason} ". Reconnecting; the data below may be out of date."</span>
                </div>
            }.into_any())}
            {move || stalled.get().map(|(reason, waiting, dropped)| view! {
                <div class="banner bad">
                    <Icon name="triangle-alert" />
                    <span>
                        "Recording has stopped: " {reason} ". Calls work. Waiting in memory until the disk accepts them: "
                        {count(waiting)} "; not recorded: " {count(dropped)} "."
                    </span>
                </div>
            }.into_any())}
        </div>
    }
}

#[component]
fn Denied() -> impl IntoView {
    view! {
        <Empty icon="key-round" title="Token required">
            <p>
                "Open the address that " <b>"schemascope serve"</b> " prints in the terminal, or the "
                <b>"dashboard_url"</b> " in " <b>"instance.json"</b> " of its data directory. "
                "It contains the owner token. The token of agents does not open the dashboard."
            </p>
        </Empty>
    }
}

#[component]
fn UnknownPage() -> impl IntoView {
    view! {
        <Empty icon="search" title="Page not found">
            <p><a class="accent" href="/">"Open the overview"</a></p>
        </Empty>
    }
}
