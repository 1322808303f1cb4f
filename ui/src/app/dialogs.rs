//! What lies over the page: the palette and the help.

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::prelude::*;
use schemascope_api::{RestartServer, Subject};
use wasm_bindgen::JsCast;
use web_sys::HtmlDialogElement;

use super::keyboard::KEYS;
use super::{App, Dialog, Theme};
use crate::cells::{Memo, RwSignal, StoredValue, click, effect};
use crate::drift::AcknowledgeDialog;
use crate::parts::{Icon, Views};
use crate::route::Route;
use crate::versions::DecisionDialog;
use crate::{browser, door, order, text};

/// Options shown at most.
const SHOWN: usize = 50;
/// Rank from which on letters are in order but not together.
const SCATTERED: usize = 10_000;

#[component]
pub fn Dialogs() -> impl IntoView {
    let app = App::get();
    move || {
        app.dialog.get().map(|dialog| match dialog {
            Dialog::Palette => view! { <Modal label="Commands and places"><Palette /></Modal> }.into_any(),
            Dialog::Decide(asking) => view! {
                <Modal label="Decision"><DecisionDialog asking=asking /></Modal>
            }
            .into_any(),
            Dialog::Acknowledge(seen) => view! {
                <Modal label="Drift"><AcknowledgeDialog seen=seen /></Modal>
            }
            .into_any(),
            Dialog::Help => view! { <Modal label="Keys and filters"><Help /></Modal> }.into_any(),
        })
    }
}

/// Something over the page that keeps the focus until it is closed, and then gives it back; the browser
/// does both.
#[component]
fn Modal(
    /// What it is.
    label: &'static str,
    /// What is in it.
    children: Children,
) -> impl IntoView {
    let app = App::get();
    let place: NodeRef<leptos::html::Dialog> = NodeRef::new();
    effect(move || {
        if let Some(dialog) = place.get() {
            let _ = dialog.show_modal();
        }
    });
    let press = click(move |event: MouseEvent| {
        // Beside it.
        if event.target().is_some_and(|target| target.dyn_ref::<HtmlDialogElement>().is_some()) {
            app.close_dialog();
        }
    });
    let cancel = move |event: web_sys::Event| {
        event.prevent_default();
        app.close_dialog();
    };
    view! {
        <dialog class="dialog" aria-label=label node_ref=place on:mousedown=press on:cancel=cancel>
            {children()}
        </dialog>
    }
}

/// Something the palette offers.
#[derive(Clone, PartialEq)]
struct Choice {
    icon: &'static str,
    name: String,
    kind: &'static str,
    act: Act,
}

#[derive(Clone, PartialEq)]
enum Act {
    Go(Route),
    Theme(Theme),
    Restart(String),
    Help,
}

fn choices(app: App) -> Vec<Choice> {
    let go =
        |icon, name: &str, kind, route| Choice { icon, name: name.to_owned(), kind, act: Act::Go(route) };
    let mut choices = vec![
        go("gauge", "Overview", "page", Route::Overview),
        go("wrench", "Tools", "page", Route::Tools { filter: String::new() }),
        go("inbox", "Review", "page", Route::Review { open: None }),
        go("activity", "Calls", "page", Route::Calls { filter: String::new(), open: None }),
        go("server", "Servers", "page", Route::Servers { open: None }),
        go("sliders", "Settings", "page", Route::Settings),
        go(
            "triangle-alert",
            "Failed calls",
            "filter",
            Route::Calls { filter: "status:error".into(), open: None },
        ),
        go(
            "triangle-alert",
            "Tools that break what they declare",
            "filter",
            Route::Tools { filter: "violated:yes".into() },
        ),
        go(
            "wrench",
            "Tools still being learned",
            "filter",
            Route::Tools { filter: "source:inferred quality:<high".into() },
        ),
        Choice {
            icon: "circle-question-mark",
            name: "Keys and filters".into(),
            kind: "help",
            act: Act::Help,
        },
    ];
    choices.extend([Theme::System, Theme::Light, Theme::Dark].into_iter().map(|theme| Choice {
        icon: theme.icon(),
        name: format!("Theme: {}", theme.name()),
        kind: "setting",
        act: Act::Theme(theme),
    }));
    app.live.picture(|picture| {
        choices.extend(picture.tools.keys().map(|id| Choice {
            icon: "wrench",
            name: text::visible(id, 120),
            kind: "tool",
            act: Act::Go(Route::tool(id)),
        }));
        for name in picture.servers.keys() {
            choices.push(go(
                "server",
                &text::visible(name, 80),
                "server",
                Route::Servers { open: Some(name.clone()) },
            ));
            choices.push(Choice {
                icon: "refresh-cw",
                name: format!("Restart {}", text::visible(name, 80)),
                kind: "command",
                act: Act::Restart(name.clone()),
            });
        }
    });
    choices
}

/// Whether all characters come in order, and how well: less is better.
fn rank(name: &str, query: &str) -> Option<usize> {
    let name = name.to_lowercase();
    if let Some(at) = name.find(query) {
        return Some(at);
    }
    let mut rest = name.chars();
    query.chars().all(|wanted| rest.any(|c| c == wanted)).then_some(SCATTERED + name.len())
}

fn act(app: App, choice: &Choice) {
    app.close_dialog();
    match &choice.act {
        Act::Go(route) => app.go(route.clone()),
        Act::Theme(theme) => app.theme.set(*theme),
        Act::Help => app.dialog.set(Some(Dialog::Help)),
        Act::Restart(server_name) => restart(app, server_name.clone()),
    }
}

/// Asks the engine to restart an upstream, and says what became of it.
pub fn restart(app: App, server_name: String) {
    leptos::task::spawn_local(async move {
        match door::call(&RestartServer { server_name: server_name.clone() }).await {
            Ok(()) => app.say(format!("{} is being restarted", text::visible(&server_name, 60))),
            Err(error) => app.complain(error),
        }
    });
}

#[component]
fn Palette() -> impl IntoView {
    let app = App::get();
    let all = StoredValue::new(choices(app));
    let query = RwSignal::new(String::new());
    let selected = RwSignal::new(0_usize);
    let found = Memo::new(move || {
        let query = query.get().trim().to_lowercase();
        all.with_value(|all| {
            let mut ranked: Vec<(usize, &Choice)> =
                all.iter().filter_map(|choice| Some((rank(&choice.name, &query)?, choice))).collect();
            order::sort(&mut ranked, |a, b| a.0.cmp(&b.0));
            // Letters scattered over a name count only where nothing has them together.
            if ranked.first().is_some_and(|(rank, _)| *rank < SCATTERED) {
                ranked.retain(|(rank, _)| *rank < SCATTERED);
            }
            ranked.into_iter().take(SHOWN).map(|(_, choice)| choice.clone()).collect::<Vec<_>>()
        })
    });
    let keydown = move |event: KeyboardEvent| {
        let last = found.with_untracked(Vec::len).saturating_sub(1);
        match event.key().as_str() {
            "ArrowDown" => selected.update(|at| *at = (*at + 1).min(last)),
            "ArrowUp" => selected.update(|at| *at = at.saturating_sub(1)),
            "Enter" => {
                let choice = found.with_untracked(|found| found.get(selected.get_untracked()).cloned());
                if let Some(choice) = choice {
                    act(app, &choice);
                }
            }
            "Tab" => {}
            _ => return,
        }
        event.prevent_default();
    };
    effect(move || browser::focus("#palette"));
    effect(move || {
        let at = selected.get();
        if let Some(option) = browser::document().get_element_by_id(&format!("choice-{at}")) {
            let how = web_sys::ScrollIntoViewOptions::new();
            how.set_block(web_sys::ScrollLogicalPosition::Nearest);
            option.scroll_into_view_with_scroll_into_view_options(&how);
        }
    });
    view! {
        <div class="inside">
            <input id="palette" type="text" autocomplete="off" spellcheck="false"
                placeholder="Go to a tool, a server, a page; or do something"
                role="combobox" aria-expanded="true" aria-controls="choices" aria-label="Command or place"
                aria-activedescendant=move || format!("choice-{}", selected.get())
                on:input:target=move |event| {
                    query.set(event.target().value());
                    selected.set(0);
                }
                on:keydown=keydown
            />
            <div class="options" id="choices" role="listbox" aria-label="Choices">
                {move || found.get().into_iter().enumerate().map(|(at, choice)| {
                    let picked = choice.clone();
                    view! {
                        <div class="option" role="option" id=format!("choice-{at}")
                            aria-selected=move || if selected.get() == at { "true" } else { "false" }
                            on:mousemove=click(move |_| if selected.get_untracked() != at { selected.set(at) })
                            on:click=click(move |_| act(app, &picked))>
                            <Icon name=choice.icon />
                            <span class="what cut foreign">{choice.name.clone()}</span>
                            <span class="kind">{choice.kind}</span>
                        </div>
                    }.into_any()
                }).views()}
                {move || found.with(Vec::is_empty).then(|| view! { <p class="empty">"Nothing of that name."</p> }.into_any())}
            </div>
        </div>
    }
}

#[component]
fn Help() -> impl IntoView {
    let app = App::get();
    let tokens = |subject: Subject| {
        subject
            .tokens()
            .iter()
            .map(|(token, meaning)| view! { <dt class="mono">{*token}</dt><dd>{*meaning}</dd> }.into_any())
            .views()
    };
    effect(move || browser::focus("#close-help"));
    view! {
        <div class="inside">
            <div class="head">
                <h2 id="help-title">"Keys and filters"</h2>
                <button class="button bare" id="close-help" aria-label="Close" on:click=click(move |_| app.close_dialog())>
                    <Icon name="x" />
                </button>
            </div>
            <div class="help" tabindex="0" role="region" aria-label="All keys and filters">
                <div>
                    <h3>"Keys"</h3>
                    <dl>
                        {KEYS.iter().map(|(key, meaning)| view! {
                            <dt>{key.split("  ").map(|key| view! { <kbd>{key.to_owned()}</kbd> " " }.into_any()).views()}</dt>
                            <dd>{*meaning}</dd>
                        }.into_any()).views()}
                    </dl>
                </div>
                <div>
                    <h3>"Filter of tools"</h3>
                    <dl>{tokens(Subject::Tools)}</dl>
                    <h3>"Filter of calls"</h3>
                    <dl>{tokens(Subject::Calls)}</dl>
                    <p class="dim">"All must hold; - before one turns it round."</p>
                </div>
            </div>
        </div>
    }
}
