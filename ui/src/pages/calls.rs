//! Recorded calls, newest first, filtered; new ones appear as they are made. One can be open beside the list. Calls
//! that have no answer yet are above it.

mod detail;
mod loaded;
mod running;

use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::{CallRow, Filter, PageId, Subject};

use crate::app::App;
use crate::browser;
use crate::cells::{Memo, RwSignal, StoredValue, click, effect};
use crate::layout::{Shown, Width};
use crate::live::Connection;
use crate::numbers::{bytes, count, duration};
use crate::parts::{
    Column, Empty, Foreign, Icon, List, Loading, OutcomeWord, Rows, Time, ToolName, carrier_word, table,
};
use crate::route::Route;
pub use detail::Detail;
use loaded::Loaded;
use running::Running;

const COLUMNS: &[Column<Arc<CallRow>>] = &[
    Column::text("started", "Started", Width::Fixed(88), &|row: &Arc<CallRow>| {
        view! { <Time at=row.at.as_millis() /> }.into_any()
    }),
    Column::text("tool", "Tool", Width::Share(84, 2.0), &|row: &Arc<CallRow>| {
        view! { <span class="mono"><ToolName id=row.tool_id.clone() /></span> }.into_any()
    }),
    Column::text("status", "Status", Width::Fixed(92), &status),
    Column::text("result", "Result", Width::Fixed(112), &|row: &Arc<CallRow>| {
        view! { <span class="dim">{carrier_word(row.carrier)}</span> }.into_any()
    })
    .shown(Shown::Medium),
    Column::number("duration", "Duration", Width::Fixed(74), &|row: &Arc<CallRow>| {
        view! { <span class="dim">{row.total_us.map(duration)}</span> }.into_any()
    })
    .shown(Shown::Small),
    Column::number("size", "Size", Width::Fixed(72), &|row: &Arc<CallRow>| {
        view! { <span class="faint">{bytes(row.result_bytes)}</span> }.into_any()
    })
    .shown(Shown::Medium),
    Column::text("client", "Client", Width::Share(70, 1.0), &|row: &Arc<CallRow>| {
        let client = row.client.clone().map(|client| view! { <Foreign text=client limit=60 /> });
        view! { <span class="faint">{client}</span> }.into_any()
    })
    .shown(Shown::Medium),
];

/// Time for which a mouse that moved over the list holds it, in milliseconds.
const AIMING_MS: u64 = 2_500;
/// Pause after the last key before the search starts, in milliseconds.
const TYPING_PAUSE_MS: i32 = 180;

/// Whether someone aims at a row with the mouse. Rows that move then are missed by the click.
#[derive(Clone, Copy)]
struct Aim {
    taken: RwSignal<bool>,
    /// Time of the latest movement.
    moved: StoredValue<u64>,
}

impl Aim {
    fn new() -> Self {
        Self { taken: RwSignal::new(false), moved: StoredValue::new(0) }
    }

    /// The mouse moved over the list. One that rests there does not hold it.
    fn moved(self, event: &leptos::ev::PointerEvent) {
        if event.pointer_type() != "mouse" {
            return;
        }
        self.moved.set_value(browser::now());
        if self.taken.get_untracked() {
            return;
        }
        self.taken.set(true);
        leptos::task::spawn_local(async move {
            let rest = || {
                let since = browser::now().saturating_sub(self.moved.try_with_value(Clone::clone)?);
                AIMING_MS.checked_sub(since).filter(|rest| *rest > 0)
            };
            while let Some(rest) = rest() {
                browser::sleep(rest as i32).await;
            }
            self.taken.try_update(|taken| *taken = false);
        });
    }
}

#[component]
pub fn Calls() -> impl IntoView {
    let app = App::get();
    let text = Memo::new(move || app.route.with(|route| route.filter_of(PageId::Calls)));
    let open = Memo::new(move || app.route.with(|route| route.item_of(PageId::Calls)));
    let parsed =
        Memo::new(move || Filter::parse(&text.get(), Subject::Calls).map_err(|error| error.to_string()));
    let filter = Memo::new(move || parsed.get().ok());
    let loaded = Loaded::new();
    let paused = RwSignal::new(false);
    let aim = Aim::new();
    let held = Memo::new(move || paused.get() || aim.taken.get());
    // Number of calls that arrived while the list was held, and whether there are more.
    let missed = RwSignal::new((0_usize, false));

    // Loads again for another filter, another engine, or when calls were missed.
    let loaded_for = StoredValue::new(None::<(String, u64)>);
    effect(move || {
        let gap = app.live.gaps.get();
        let Some(filter) = filter.get() else { return };
        let wanted = text.get_untracked();
        if app.live.connection.get() != Connection::Live {
            return;
        }
        let known = loaded_for.get_value();
        let same_filter = known.as_ref().is_some_and(|(text, _)| *text == wanted);
        if known == Some((wanted.clone(), gap)) && !loaded.is_headless.get_value() {
            return;
        }
        if same_filter && held.get() {
            // A held list stays as it is.
            missed.set((loaded.waiting(app, &filter).0, true));
            return;
        }
        let pause = if known.is_some() && !same_filter { TYPING_PAUSE_MS } else { 0 };
        loaded_for.set_value(Some((wanted.clone(), gap)));
        missed.set((0, false));
        if !same_filter {
            loaded.clear();
        }
        loaded.restart(app, wanted, pause);
    });
    effect(move || {
        let Some(filter) = filter.get() else { return };
        let ready = loaded.ready.get();
        let is_held = held.get();
        app.live.calls(|_| ());
        match (ready, is_held) {
            // They are considered once the search is over.
            _ if loaded.is_searching.get() => {}
            (true, false) => {
                missed.set((0, false));
                if !loaded.add_new(app, &filter, text.get_untracked()) {
                    loaded.restart(app, text.get_untracked(), 0);
                }
            }
            // Which of them pass is decided by their bodies.
            (true, true) if filter.needs_bodies() => missed.set((0, false)),
            (true, true) => {
                let (new, more) = loaded.waiting(app, &filter);
                missed.set((new, more || missed.get_untracked().1));
            }
            (false, _) => {}
        }
    });

    let rows = Memo::always(move || loaded.rows.get());
    let list = List::new(rows, |row: &Arc<CallRow>| row.id.to_string());
    effect(move || {
        // A call that is closed stays selected, so that the keys go on from it.
        if let Some(id) = open.get() {
            list.selected.set(Some(id));
        }
    });
    let show = move |id: Option<String>| {
        app.replace(Route { item: id, ..Route::filtered(PageId::Calls, text.get_untracked()) });
    };
    app.use_keys(list.keys(
        move |id| show(Some(id)),
        move || {
            let (was_open, was_filtered) = (open.get_untracked().is_some(), !text.get_untracked().is_empty());
            if was_open {
                show(None);
            } else if was_filtered {
                app.replace(PageId::Calls);
            }
            was_open || was_filtered
        },
    ));
    // While a call is open, moving the selection opens the next one.
    effect(move || {
        let selected = list.selected.get();
        if selected.is_some() && open.get_untracked().is_some() && open.get_untracked() != selected {
            show(selected);
        }
    });
    let again = move || match loaded.is_headless.get_value() {
        true => loaded.restart(app, text.get_untracked(), 0),
        false => loaded.more(text.get_untracked()),
    };
    let near_end = Callback::new(move |()| loaded.more(text.get_untracked()));
    let shown = Memo::new(move || {
        if let Err(error) = parsed.get() {
            return Content::WrongFilter(error);
        }
        let is_empty = rows.with(|rows| rows.is_empty());
        match (is_empty, loaded.error.get(), loaded.ready.get() && loaded.next.get().is_none()) {
            (false, ..) => Content::Rows,
            (true, Some(error), _) => Content::Failed(error),
            (true, None, true) => Content::Nothing,
            (true, None, false) => Content::Searching,
        }
    });
    // A row keeps the filter it was found with.
    let href = move |row: &Arc<CallRow>| {
        Route { item: Some(row.id.to_string()), ..Route::filtered(PageId::Calls, text.get()) }.address()
    };
    let content = move || {
        match shown.get() {
        Content::WrongFilter(error) => view! {
            <Empty icon="search" title="This filter cannot be read"><p><Foreign text=error limit=400 /></p></Empty>
        }
        .into_any(),
        Content::Failed(error) => view! {
            <Empty icon="triangle-alert" title="Cannot list calls">
                <p>{error}</p>
                <p><button class="button" on:click=click(move |_| again())>"Try again"</button></p>
            </Empty>
        }
        .into_any(),
        Content::Nothing => view! { <NoCalls filter=text.get() /> }.into_any(),
        Content::Searching => view! { <Searching loaded=loaded /> }.into_any(),
        Content::Rows => view! {
            <Rows list=list label="List of calls" columns=COLUMNS anchored=true near_end=near_end href=href />
        }
        .into_any(),
    }
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
                            view! { <Icon name="play" />"Resume" }.into_any()
                        } else {
                            view! { <Icon name="pause" />"Pause" }.into_any()
                        }}
                    </button>
                </div>
            </div>
            <Running />
            <div class="split" class:open=move || open.get().is_some()>
                <section class="card" aria-label="Calls"
                    on:pointermove=move |event| aim.moved(&event) on:pointerleave=move |_| aim.taken.set(false)>
                    {table("calls-table", COLUMNS, None, content)}
                    {move || loaded.error.get().filter(|_| rows.with(|rows| !rows.is_empty())).map(|error| view! {
                        <p class="trouble" role="alert">
                            "Cannot list more calls: "<Foreign text=error limit=400 />" "
                            <button class="button small" on:click=click(move |_| again())>"Try again"</button>
                        </p>
                    }.into_any())}
                </section>
                {move || open.get().map(|id| super::call(id, Callback::new(move |()| show(None))))}
            </div>
        </div>
    }
}

/// Content of the table.
#[derive(Clone, PartialEq)]
enum Content {
    Rows,
    Searching,
    Nothing,
    Failed(String),
    WrongFilter(String),
}

/// Progress of a search through many calls.
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
    /// The filter, which may be empty.
    filter: String,
) -> impl IntoView {
    let app = App::get();
    if !filter.is_empty() {
        // Words alone are parts of tool ids, and may be meant as what a call returned.
        let is_words = !filter.contains([':', '"']) && !filter.starts_with('-');
        let search = is_words.then(|| {
            let text = Filter::with_blanks(&format!("text:{filter}")).into_owned();
            let address = Route::filtered(PageId::Calls, text).address();
            view! {
                <p>"A bare word searches tool ids. "<a class="accent" href=address>"Search in arguments and results"</a></p>
            }
            .into_any()
        });
        return view! {
            <Empty icon="search" title="No calls match">
                {search}
                <p><a class="accent" href="/calls">"Clear filter"</a></p>
            </Empty>
        }
        .into_any();
    }
    let url = app.live.picture(|picture| picture.snapshot.as_ref().and_then(|about| about.mcp_url.clone()));
    view! {
        <Empty icon="activity" title="No calls yet">
            <p>"Calls appear here as they are made. Connect your agent to"</p>
            <code>{url.unwrap_or_default()}</code>
        </Empty>
    }
    .into_any()
}

pub fn status(row: &Arc<CallRow>) -> AnyView {
    let violates = (row.fits == Some(false)).then(|| {
        view! { <span class="warn" title="the result does not match the schema that was effective">" ✕ schema"</span> }.into_any()
    });
    view! { <OutcomeWord outcome=row.outcome />{violates} }.into_any()
}
