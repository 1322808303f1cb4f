//! The header: filter, state of the engine, theme.

use leptos::ev::{KeyboardEvent, SubmitEvent};
use leptos::prelude::*;
use schemascope_api::{Filter, Subject, UpstreamState};

use super::{App, Dialog};
use crate::cells::{Memo, RwSignal, click};
use crate::live::Connection;
use crate::numbers::count;
use crate::parts::{Icon, Logo, Views};
use crate::route::Route;

#[component]
pub fn Header() -> impl IntoView {
    let app = App::get();
    view! {
        <header class="top">
            <a class="logo" href="/" aria-label="Schemascope, overview">
                <Logo /><span>"schema"<i>"scope"</i></span>
            </a>
            <FilterBox />
            <Pulse />
            <button class="button bare" on:click=click(move |_| app.dialog.set(Some(Dialog::Help)))
                aria-label="Help" title="Keys and filters (?)">
                <Icon name="circle-question-mark" />
            </button>
            <button class="button bare" id="theme" on:click=click(move |_| app.theme.update(|theme| *theme = theme.next()))
                aria-label=move || format!("Theme: {}", app.theme.get().name())
                title=move || format!("Theme: {}", app.theme.get().name())>
                {move || view! { <Icon name=app.theme.get().icon() /> }}
            </button>
        </header>
    }
}

/// What a filter on this page is about. Where there is no list, one is gone to.
fn subject(route: &Route) -> Subject {
    if matches!(route, Route::Calls { .. }) { Subject::Calls } else { Subject::Tools }
}

#[component]
fn FilterBox() -> impl IntoView {
    let app = App::get();
    let subject = Memo::new(move || app.route.with(subject));
    let filter = Memo::new(move || {
        app.route.with(|route| match route {
            Route::Tools { filter } | Route::Calls { filter, .. } => filter.clone(),
            _ => String::new(),
        })
    });
    let focused = RwSignal::new(false);
    let wrong =
        Memo::new(move || Filter::parse(&filter.get(), subject.get()).err().map(|error| error.to_string()));
    let set = move |filter: String| match app.route.get_untracked() {
        Route::Calls { open, .. } => app.go_quietly(Route::Calls { filter, open }),
        Route::Tools { .. } => app.go_quietly(Route::Tools { filter }),
        _ => app.go(Route::Tools { filter }),
    };
    let down = move |event: KeyboardEvent| {
        if event.key() == "ArrowDown"
            && let Some(keys) = app.keys.get_value()
        {
            event.prevent_default();
            crate::browser::focus("#main [tabindex]");
            keys.step.run(1);
        }
    };
    let enter = move |event: SubmitEvent| {
        event.prevent_default();
        crate::browser::focus("#main [tabindex]");
    };
    view! {
        <form class="find" class:wrong=move || wrong.get().is_some() role="search" on:submit=enter>
            <Icon name="search" />
            <input id="filter" type="text" autocomplete="off" spellcheck="false"
                placeholder=move || match subject.get() {
                    Subject::Calls => "tool:git* status:error duration:>500ms",
                    Subject::Tools => "tool:git* quality:<high source:inferred",
                }
                aria-label=move || match subject.get() {
                    Subject::Calls => "Filter calls",
                    Subject::Tools => "Filter tools",
                }
                aria-invalid=move || wrong.get().is_some().then_some("true")
                aria-describedby="filter-hint"
                prop:value=move || filter.get()
                on:input:target=move |event| set(event.target().value())
                on:focus=move |_| focused.set(true)
                on:blur=move |_| focused.set(false)
                on:keydown=down
            />
            <span class="keys" aria-hidden="true"><kbd>"/"</kbd><kbd>"Ctrl K"</kbd></span>
            <div id="filter-hint">
                {move || (focused.get() && (wrong.get().is_some() || filter.get().is_empty())).then(|| view! {
                    <div class="hint">
                        {wrong.get().map(|error| view! { <p class="bad">{error}</p> }.into_any())}
                        {filter.get().is_empty().then(|| view! {
                            <ul>
                                {subject.get().tokens().iter().map(|(token, meaning)| view! {
                                    <li><span class="mono">{*token}</span><span class="dim">{*meaning}</span></li>
                                }.into_any()).views()}
                            </ul>
                        }.into_any())}
                    </div>
                }.into_any())}
            </div>
        </form>
    }
}

#[component]
fn Pulse() -> impl IntoView {
    let app = App::get();
    let servers = Memo::new(move || {
        app.live.servers(|servers| {
            let in_state = |state| servers.values().filter(|server| server.state == state).count();
            (
                in_state(UpstreamState::Ready),
                in_state(UpstreamState::Failed) + in_state(UpstreamState::Invalid),
            )
        })
    });
    let rate = Memo::new(move || app.live.pulse.with(|pulse| pulse.calls_per_second));
    let dropped = Memo::new(move || {
        app.live.pulse.with(|pulse| pulse.recorder.dropped + pulse.recorder.bodies_left_out)
    });
    let connection = Memo::new(move || match app.live.connection.get() {
        Connection::Live => ("good", "live"),
        Connection::Connecting => ("", "connecting"),
        Connection::Lost(_) => ("warn", "reconnecting"),
        Connection::Denied => ("bad", "no token"),
    });
    view! {
        <div class="live">
            <span class="state" id="connection">
                <i class=move || format!("dot {}", connection.get().0)></i>{move || connection.get().1}
            </span>
            <span class="optional" title="upstreams that are ready">
                <b>{move || servers.get().0}</b> " ready"
                {move || (servers.get().1 > 0).then(|| view! { <span class="bad">", " {servers.get().1} " broken"</span> }.into_any())}
            </span>
            <span title="recorded in the last five seconds">
                <b>{move || match rate.get() {
                    rate if rate >= 10.0 => count(rate.round() as u64),
                    rate => format!("{rate:.1}").trim_end_matches(".0").to_owned(),
                }}</b> " calls/s"
            </span>
            {move || (dropped.get() > 0).then(|| view! {
                <span class="warn" title="recorded without bodies, or not at all">{count(dropped.get())} " incomplete"</span>
            }.into_any())}
        </div>
    }
}
