//! The header: filter, state of the engine, theme.

use leptos::ev::{KeyboardEvent, SubmitEvent};
use leptos::prelude::*;
use schemascope_api::{Filter, PageId, Subject, UpstreamState};

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
                aria-label="Help" title="Help: keys, filters and guide (?)">
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

/// What a filter on this page filters. On pages without a list it filters the tools.
fn subject(route: &Route) -> Subject {
    match route.page {
        Some(PageId::Calls) => Subject::Calls,
        Some(PageId::Graph) => Subject::Edges,
        _ => Subject::Tools,
    }
}

#[component]
fn FilterBox() -> impl IntoView {
    let app = App::get();
    let subject = Memo::new(move || app.route.with(subject));
    let filter = Memo::new(move || {
        app.route.with(|route| match route.item_instead() {
            None => route.filter.clone(),
            Some(_) => String::new(),
        })
    });
    let focused = RwSignal::new(false);
    let wrong =
        Memo::new(move || Filter::parse(&filter.get(), subject.get()).err().map(|error| error.to_string()));
    let set = move |filter: String| {
        let route = app.route.get_untracked();
        let has_list = matches!(route.page, Some(PageId::Tools | PageId::Calls | PageId::Graph));
        if has_list && route.item_instead().is_none() {
            app.replace(Route { filter, ..route });
        } else {
            app.go(Route::filtered(PageId::Tools, filter));
        }
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
                    Subject::Edges => "tool:git* state:seen confidence:>.9",
                }
                aria-label=move || match subject.get() {
                    Subject::Calls => "Filter calls",
                    Subject::Tools => "Filter tools",
                    Subject::Edges => "Filter edges",
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
    let needs = Memo::new(move || app.needs.with(Vec::len));
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
            {move || match needs.get() {
                0 => ().into_any(),
                n => {
                    let title = match n {
                        1 => "1 problem or decision needs attention".to_owned(),
                        n => format!("{} problems and decisions need attention", count(n as u64)),
                    };
                    view! {
                        <a class="attention" id="attention" href="/#needs" title=title.clone() aria-label=title>
                            <Icon name="triangle-alert" /><b>{count(n as u64)}</b>
                        </a>
                    }
                    .into_any()
                }
            }}
            <span class="optional" title="servers that are ready">
                <b>{move || servers.get().0}</b> " ready"
                {move || (servers.get().1 > 0).then(|| view! { <span class="bad">", " {servers.get().1} " failed"</span> }.into_any())}
            </span>
            <span class="rate" title="mean of the last five seconds">
                <b>{move || match rate.get() {
                    rate if rate >= 10.0 => count(rate.round() as u64),
                    rate => format!("{rate:.1}").trim_end_matches(".0").to_owned(),
                }}</b> " calls/s"
            </span>
            {move || (dropped.get() > 0).then(|| view! {
                <span class="warn" title="calls recorded without their content, or not at all">{count(dropped.get())} " not fully recorded"</span>
            }.into_any())}
        </div>
    }
}
