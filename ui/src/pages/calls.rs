//! Calls: the stream as it comes and all that was recorded, filtered, with one opened beside.

mod detail;

use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::{BrowseCalls, CallId, CallRow, Filter, Subject};

use crate::app::App;
use crate::cells::{Memo, RwSignal, StoredValue, click, effect};
use crate::live::Connection;
use crate::numbers::{bytes, count, duration};
use crate::parts::{
    Column, Empty, Foreign, Head, Icon, List, Loading, OutcomeWord, Rows, ToolName, carrier_word,
};
use crate::route::Route;
use crate::{browser, door};
use detail::Detail;

/// Calls asked for at once.
const PAGE: usize = 300;
/// Calls kept here; older ones are asked for again when they are looked at.
const KEPT: usize = 20_000;

const COLUMNS: &[Column] = &[
    Column { name: "time", class: "", sort: None },
    Column { name: "tool", class: "", sort: None },
    Column { name: "ended", class: "", sort: None },
    Column { name: "answered with", class: "extra", sort: None },
    Column { name: "took", class: "right", sort: None },
    Column { name: "size", class: "right extra", sort: None },
    Column { name: "client", class: "extra", sort: None },
];

/// Rows a load goes on for, so that a screen is filled.
const SCREEN: usize = 60;
/// How long somebody may go on typing before the search begins, in milliseconds.
const TYPING_MS: i32 = 180;

/// What was loaded of the list.
#[derive(Clone, Copy)]
struct Loaded {
    /// Newest first.
    rows: RwSignal<Arc<Vec<Arc<CallRow>>>>,
    /// Where the next page begins; none when there is none.
    next: RwSignal<Option<CallId>>,
    /// Arrivals in the picture that were looked at.
    looked: StoredValue<u64>,
    /// Counts loads from the start, so that answers to earlier ones are told apart.
    run: StoredValue<u64>,
    busy: RwSignal<bool>,
    /// The first page is there.
    ready: RwSignal<bool>,
    error: RwSignal<Option<String>>,
}

impl Loaded {
    fn new() -> Self {
        Self {
            rows: RwSignal::default(),
            next: RwSignal::new(None),
            looked: StoredValue::new(0),
            run: StoredValue::new(0),
            busy: RwSignal::new(false),
            ready: RwSignal::new(false),
            error: RwSignal::new(None),
        }
    }

    /// Loads the newest page in place of everything, after a pause.
    fn restart(self, app: App, filter: String, pause_ms: i32) {
        self.run.update_value(|run| *run += 1);
        self.ready.set(false);
        // What arrives from now on is new; what is in both is taken once.
        self.looked.set_value(app.live.picture(|picture| picture.arrived));
        let run = self.run.get_value();
        self.busy.set(true);
        leptos::task::spawn_local(async move {
            if pause_ms > 0 {
                browser::sleep(pause_ms).await;
            }
            self.load(run, filter, None).await;
        });
    }

    fn more(self, filter: String) {
        let next = self.next.get_untracked();
        if next.is_some() && !self.busy.get_untracked() && self.ready.get_untracked() {
            let run = self.run.get_value();
            self.busy.set(true);
            leptos::task::spawn_local(self.load(run, filter, next));
        }
    }

    /// Loads until a screen is filled or there is nothing more.
    async fn load(self, run: u64, filter: String, mut before: Option<CallId>) {
        let is_current = || self.run.try_with_value(Clone::clone) == Some(run);
        let mut found = 0;
        while is_current() {
            let command = BrowseCalls { filter: filter.clone(), before, limit: PAGE };
            let reply = door::call(&command).await;
            if !is_current() {
                return;
            }
            match reply {
                Ok(page) => {
                    found += page.rows.len();
                    let fresh = page.rows.into_iter().map(Arc::new);
                    self.rows.update(|rows| match before {
                        None => *rows = Arc::new(fresh.collect()),
                        Some(_) => Arc::make_mut(rows).extend(fresh),
                    });
                    before = page.next;
                    self.next.set(page.next);
                    self.error.set(None);
                }
                Err(error) => {
                    self.error.set(Some(error.to_string()));
                    before = None;
                }
            }
            self.ready.set(true);
            if before.is_none() || found >= SCREEN {
                break;
            }
        }
        if is_current() {
            self.busy.set(false);
        }
    }

    /// Takes what arrived. False when some of it is not known here any more.
    fn take_new(self, app: App, filter: &Filter) -> bool {
        let fresh: Option<Vec<Arc<CallRow>>> = app.live.picture(|picture| {
            let new = picture.since(self.looked.get_value())?;
            let fresh = new.filter(|row| filter.call(row)).cloned().collect();
            self.looked.set_value(picture.arrived);
            Some(fresh)
        });
        let Some(fresh) = fresh else { return false };
        if fresh.is_empty() {
            return true;
        }
        let open_end = self.next.get_untracked().is_some();
        self.rows.update(|rows| {
            let rows = Arc::make_mut(rows);
            for row in fresh.into_iter().rev() {
                let at = rows.partition_point(|known| known.id > row.id);
                let known = rows.get(at).is_some_and(|known| known.id == row.id);
                // What belongs behind the last one comes with its page.
                if !known && (at < rows.len() || !open_end) {
                    rows.insert(at, row);
                }
            }
            if rows.len() > KEPT {
                rows.truncate(KEPT);
                self.next.set(rows.last().map(|row| row.id));
            }
        });
        true
    }

    /// How many arrived that are not looked at, and whether there were more.
    fn waiting(self, app: App, filter: &Filter) -> (usize, bool) {
        app.live.picture(|picture| match picture.since(self.looked.get_value()) {
            Some(new) => (new.filter(|row| filter.call(row)).count(), false),
            None => (picture.arrivals.iter().filter(|row| filter.call(row)).count(), true),
        })
    }
}

#[component]
pub fn Calls() -> impl IntoView {
    let app = App::get();
    let text = Memo::new(move || {
        app.route.with(|route| match route {
            Route::Calls { filter, .. } => filter.clone(),
            _ => String::new(),
        })
    });
    let open = Memo::new(move || {
        app.route.with(|route| match route {
            Route::Calls { open, .. } => open.clone(),
            _ => None,
        })
    });
    let filter = Memo::new(move || Filter::parse(&text.get(), Subject::Calls).ok());
    let loaded = Loaded::new();
    let paused = RwSignal::new(false);
    // How many came while paused, and whether there were more.
    let missed = RwSignal::new((0_usize, false));

    // Anew with another filter, another engine, or when too much was missed.
    let loaded_for = StoredValue::new(None::<(String, u64)>);
    effect(move || {
        let snapshot = app.live.snapshots.get();
        let Some(filter) = filter.get() else { return };
        let wanted = text.get_untracked();
        if app.live.connection.get() != Connection::Live {
            return;
        }
        let known = loaded_for.get_value();
        let same_filter = known.as_ref().is_some_and(|(text, _)| *text == wanted);
        if known == Some((wanted.clone(), snapshot)) {
            return;
        }
        if same_filter && paused.get() {
            // Whoever holds the list still wants it still.
            missed.set((loaded.waiting(app, &filter).0, true));
            return;
        }
        let pause = if known.is_some() && !same_filter { TYPING_MS } else { 0 };
        loaded_for.set_value(Some((wanted.clone(), snapshot)));
        missed.set((0, false));
        if !same_filter {
            loaded.rows.set(Arc::default());
        }
        loaded.restart(app, wanted, pause);
    });
    effect(move || {
        let Some(filter) = filter.get() else { return };
        let ready = loaded.ready.get();
        let is_paused = paused.get();
        app.live.calls(|_| ());
        match (ready, is_paused) {
            (true, false) => {
                missed.set((0, false));
                if !loaded.take_new(app, &filter) {
                    loaded.restart(app, text.get_untracked(), 0);
                }
            }
            (true, true) => {
                let (new, more) = loaded.waiting(app, &filter);
                missed.set((new, more || missed.get_untracked().1));
            }
            (false, _) => {}
        }
    });

    let rows = Memo::always(move || loaded.rows.get());
    let list = List::new(rows, |row: &Arc<CallRow>| row.id.to_string());
    effect(move || list.selected.set(open.get()));
    let show = move |id: Option<String>| {
        app.go_quietly(Route::Calls { filter: text.get_untracked(), open: id });
    };
    app.use_keys(list.keys(
        move |id| show(Some(id)),
        move || {
            let (was_open, was_filtered) = (open.get_untracked().is_some(), !text.get_untracked().is_empty());
            if was_open {
                show(None);
            } else if was_filtered {
                app.go_quietly(Route::Calls { filter: String::new(), open: None });
            }
            was_open || was_filtered
        },
    ));
    // With a call open, moving on opens the next.
    effect(move || {
        let selected = list.selected.get();
        if selected.is_some() && open.get_untracked().is_some() && open.get_untracked() != selected {
            show(selected);
        }
    });
    let near_end = Callback::new(move |()| loaded.more(text.get_untracked()));
    let shown = Memo::new(move || {
        let is_empty = rows.with(|rows| rows.is_empty());
        match (is_empty, loaded.error.get(), loaded.ready.get() && loaded.next.get().is_none()) {
            (false, ..) => Shown::Rows,
            (true, Some(error), _) => Shown::Failed(error),
            (true, None, true) => Shown::Nothing { filtered: !text.get().is_empty() },
            (true, None, false) => Shown::Searching,
        }
    });
    // A row keeps the filter it was found with.
    let href = move |row: &Arc<CallRow>| {
        Route::Calls { filter: text.get(), open: Some(row.id.to_string()) }.address()
    };
    view! {
        <div class="page">
            <div class="title-row">
                <h1>"Calls"</h1>
                <span class="dim num">
                    {move || {
                        let shown = rows.with(|rows| rows.len()) as u64;
                        let all = app.live.pulse.with(|pulse| pulse.call_count);
                        match (text.get().is_empty(), loaded.next.get().is_some()) {
                            (true, _) => format!("{} recorded", count(all)),
                            (false, more) => format!("{}{} of {}", count(shown), if more { "+" } else { "" }, count(all)),
                        }
                    }}
                </span>
                <div class="side">
                    {move || match missed.get() {
                        (0, _) => None,
                        (new, more) => {
                            let text = format!("{}{} new", count(new as u64), if more { "+" } else { "" });
                            Some(view! { <span class="tag accent num">{text}</span> })
                        }
                    }}
                    <button class="button" id="pause" aria-pressed=move || if paused.get() { "true" } else { "false" }
                        on:click=click(move |_| paused.update(|paused| *paused = !*paused))>
                        {move || if paused.get() {
                            view! { <Icon name="play" />"Go on" }.into_any()
                        } else {
                            view! { <Icon name="pause" />"Pause" }.into_any()
                        }}
                    </button>
                </div>
            </div>
            <div class="split" class:open=move || open.get().is_some()>
                <section class="card" aria-label="Calls">
                    <div class="table calls-table">
                        <Head columns=COLUMNS />
                        {move || match shown.get() {
                            Shown::Failed(error) => view! {
                                <Empty icon="triangle-alert" title="The calls could not be listed"><p>{error}</p></Empty>
                            }.into_any(),
                            Shown::Nothing { filtered } => view! { <NoCalls filtered=filtered /> }.into_any(),
                            Shown::Searching => view! { <Searching loaded=loaded /> }.into_any(),
                            Shown::Rows => view! {
                                <Rows list=list label="List of calls" draw=draw anchored=true near_end=near_end
                                    href=href />
                            }.into_any(),
                        }}
                    </div>
                </section>
                {move || open.get().map(|id| view! { <Detail id=id close=Callback::new(move |()| show(None)) /> }.into_any())}
            </div>
        </div>
    }
}

/// What stands in the place of the list.
#[derive(Clone, PartialEq)]
enum Shown {
    Rows,
    Searching,
    Nothing { filtered: bool },
    Failed(String),
}

/// A search through many calls says how far it is.
#[component]
fn Searching(
    /// The list.
    loaded: Loaded,
) -> impl IntoView {
    let back_to =
        Memo::new(move || loaded.next.get().map(|id| browser::date_and_time(id.time().as_millis())));
    view! {
        <Loading />
        {move || back_to.get().map(|time| view! { <p class="empty num">"Searched back to " {time}</p> }.into_any())}
    }
}

#[component]
fn NoCalls(
    /// There is a filter.
    filtered: bool,
) -> impl IntoView {
    let app = App::get();
    if filtered {
        return view! {
            <Empty icon="search" title="No call passes this filter">
                <p><a class="accent" href="/calls">"Show all"</a></p>
            </Empty>
        }
        .into_any();
    }
    let url = app.live.picture(|picture| picture.snapshot.as_ref().and_then(|about| about.mcp_url.clone()));
    view! {
        <Empty icon="activity" title="No calls yet">
            <p>"They appear here as they are made. Point your agent at"</p>
            <code>{url.unwrap_or_default()}</code>
        </Empty>
    }
    .into_any()
}

fn draw(row: &Arc<CallRow>) -> AnyView {
    let at = row.at.as_millis();
    view! {
        <span class="faint num" title=browser::date_and_time(at)>{browser::short_time(at)}</span>
        <span class="mono cut"><ToolName id=row.tool_id.clone() /></span>
        <span class="cut">
            <OutcomeWord outcome=row.outcome />
            {(row.fits == Some(false)).then(|| view! { <span class="warn" title="does not fit the declared schema">" ✕ schema"</span> }.into_any())}
        </span>
        <span class="dim cut extra">{carrier_word(row.carrier)}</span>
        <span class="num right dim">{row.total_us.map(duration)}</span>
        <span class="num right faint extra">{bytes(row.result_bytes)}</span>
        <span class="faint cut extra">{row.client.clone().map(|client| view! { <Foreign text=client limit=60 /> }.into_any())}</span>
    }
    .into_any()
}
