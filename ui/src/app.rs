//! The frame around the pages: header, navigation, keyboard, dialogs.
//!
//! Owns: what every page shares ([`App`]). Refuses to know: what pages show.

mod dialogs;
mod header;
mod keyboard;
mod router;
mod side;
mod theme;

use leptos::prelude::*;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::cells::{Memo, RwSignal, StoredValue};
use crate::drift::Seen;
use crate::live::{Connection, Live};
use crate::pages;
use crate::parts::{Empty, Icon, Row, keyed};
use crate::route::Route;
use crate::versions::Asking;
use crate::{browser, door};

pub use dialogs::restart;
use router::navigate;
pub use theme::Theme;

/// What lies over the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dialog {
    /// Commands and places by name.
    Palette,
    /// Keys and filter tokens.
    Help,
    /// A decision, with its impact.
    Decide(Asking),
    /// That drift was seen.
    Acknowledge(Seen),
}

/// A short message that goes by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toast {
    id: u64,
    text: String,
    bad: bool,
}

/// A list that `j`, `k` and Enter move in.
#[derive(Clone, Copy)]
pub struct ListKeys {
    /// Moves the selection by so many.
    pub step: Callback<i32>,
    /// Opens what is selected.
    pub open: Callback<()>,
    /// Leaves what is open; whether there was anything to leave.
    pub leave: Callback<(), bool>,
    /// Does what another key stands for here; whether it stands for anything.
    pub act: Callback<String, bool>,
}

/// What every page shares.
#[derive(Clone, Copy)]
pub struct App {
    /// The engine.
    pub live: Live,
    /// Where we are.
    pub route: RwSignal<Route>,
    /// Light or dark.
    pub theme: RwSignal<Theme>,
    /// What lies over the page.
    pub dialog: RwSignal<Option<Dialog>>,
    /// Bumped with every decision taken here.
    pub decided: RwSignal<u64>,
    /// The list the keyboard moves in.
    pub keys: StoredValue<Option<ListKeys>>,
    toasts: RwSignal<Vec<Toast>>,
}

impl App {
    /// The one of this page.
    pub fn get() -> Self {
        expect_context()
    }

    /// Goes somewhere.
    pub fn go(&self, route: Route) {
        navigate(*self, route, router::Step::Push);
    }

    /// Goes somewhere without leaving a step to go back to.
    pub fn go_quietly(&self, route: Route) {
        navigate(*self, route, router::Step::Replace);
    }

    /// Says something for some seconds.
    pub fn say(&self, text: impl Into<String>) {
        self.toast(text.into(), false);
    }

    /// Says what went wrong.
    pub fn complain(&self, error: impl ToString) {
        self.toast(error.to_string(), true);
    }

    /// Takes away what lies over the page; the focus goes back to where it was.
    pub fn close_dialog(&self) {
        browser::close_dialog();
        self.dialog.set(None);
    }

    fn toast(&self, text: String, bad: bool) {
        let id = browser::now() * 1_000 + self.toasts.with_untracked(Vec::len) as u64;
        self.toasts.update(|toasts| {
            if toasts.len() == 4 {
                toasts.remove(0);
            }
            toasts.push(Toast { id, text, bad });
        });
        let toasts = self.toasts;
        leptos::task::spawn_local(async move {
            browser::sleep(if bad { 8_000 } else { 3_000 }).await;
            toasts.update(|toasts| toasts.retain(|toast| toast.id != id));
        });
    }

    /// The list of this page, while it is shown.
    pub fn use_keys(&self, keys: ListKeys) {
        let stored = self.keys;
        stored.set_value(Some(keys));
        on_cleanup(move || stored.set_value(None));
    }
}

/// Begins. Called by the browser once the module is loaded.
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
    door::log_in();
    if let Some(starting) = browser::document().get_element_by_id("starting") {
        starting.remove();
    }
    mount_to_body(Frame);
}

/// Which page is shown; changes of what is inside its address do not make it anew.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Page {
    Overview,
    Tools,
    Tool(String),
    Review,
    Calls,
    Servers,
    Settings,
    Unknown,
}

impl From<&Route> for Page {
    fn from(route: &Route) -> Self {
        match route {
            Route::Overview => Self::Overview,
            Route::Tools { .. } => Self::Tools,
            Route::Tool { id, .. } => Self::Tool(id.clone()),
            Route::Review { .. } => Self::Review,
            Route::Calls { .. } => Self::Calls,
            Route::Servers { .. } => Self::Servers,
            Route::Settings => Self::Settings,
            Route::Unknown => Self::Unknown,
        }
    }
}

#[component]
fn Frame() -> impl IntoView {
    let app = App {
        live: Live::begin(),
        route: RwSignal::new(router::here()),
        theme: RwSignal::new(Theme::kept()),
        dialog: RwSignal::new(None),
        decided: RwSignal::new(0),
        keys: StoredValue::new(None),
        toasts: RwSignal::default(),
    };
    provide_context(app);
    router::listen(app);
    keyboard::listen(app);
    theme::apply(app);
    let page = Memo::new(move || app.route.with(|route| Page::from(route)));
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
                        Page::Overview => view! { <pages::overview::Overview /> }.into_any(),
                        Page::Tools => view! { <pages::tools::Tools /> }.into_any(),
                        Page::Tool(id) => view! { <pages::tool::Tool id=id /> }.into_any(),
                        Page::Review => view! { <pages::review::Review /> }.into_any(),
                        Page::Calls => view! { <pages::calls::Calls /> }.into_any(),
                        Page::Servers => view! { <pages::servers::Servers /> }.into_any(),
                        Page::Settings => view! { <pages::settings::Settings /> }.into_any(),
                        Page::Unknown => view! { <NoSuchPage /> }.into_any(),
                    }
                }}
            </main>
        </div>
        <dialogs::Dialogs />
        <div class="toasts" role="status" aria-live="polite">
            {keyed(move || {
                let row = |toast: Toast| Row::new(toast.id, move || view! {
                    <div class="toast" class:bad=toast.bad>{toast.text}</div>
                });
                app.toasts.get().into_iter().map(row).collect()
            })}
        </div>
    }
}

#[component]
fn ConnectionBanner() -> impl IntoView {
    let app = App::get();
    let lost = Memo::new(move || match app.live.connection.get() {
        Connection::Lost(reason) => Some(reason),
        _ => None,
    });
    let stalled = Memo::new(move || app.live.pulse.with(|pulse| pulse.recorder.stalled.clone()));
    let off = Memo::new(move || app.live.pulse.with(|pulse| pulse.recorder.off));
    view! {
        <div role="status" aria-live="polite">
            {move || off.get().then(|| view! {
                <div class="banner" id="off">
                    <Icon name="triangle-alert" />
                    <span>"Recording is off (" <b>"serve --record off"</b> "): calls pass, nothing of them is stored or learned from."</span>
                </div>
            }.into_any())}
            {move || lost.get().map(|reason| view! {
                <div class="banner" id="lost">
                    <Icon name="refresh-cw" />
                    <span>"Connection lost: " {reason} ". Trying again; what you see is from before."</span>
                </div>
            }.into_any())}
            {move || stalled.get().map(|reason| view! {
                <div class="banner bad">
                    <Icon name="triangle-alert" />
                    <span>"Recording has stopped: " {reason} ". Calls wait, and are written once the disk takes them."</span>
                </div>
            }.into_any())}
        </div>
    }
}

#[component]
fn Denied() -> impl IntoView {
    view! {
        <Empty icon="key-round" title="This dashboard needs its token">
            <p>
                "Open the address that " <b>"schemascope serve"</b> " prints in a terminal, or "
                <b>"dashboard_url"</b> " in " <b>"instance.json"</b> " in its data directory."
            </p>
        </Empty>
    }
}

#[component]
fn NoSuchPage() -> impl IntoView {
    view! {
        <Empty icon="search" title="There is no such page">
            <p><a class="accent" href="/">"Go to the overview"</a></p>
        </Empty>
    }
}
