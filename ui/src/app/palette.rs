//! The palette: a search for commands, pages, tools and servers.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use schemascope_api::{PAGES, PageId};

use super::dialogs::restart;
use super::{App, Dialog, Theme};
use crate::cells::{Memo, RwSignal, StoredValue, click, effect};
use crate::export::Exporting;
use crate::parts::{Icon, Views};
use crate::route::Route;
use crate::{browser, order, text};

/// Most options shown.
const MAX_OPTIONS: usize = 50;
/// First rank of names that contain the letters in order, but not together.
const SCATTERED: usize = 10_000;

/// An option of the palette.
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
    Export,
}

fn choices(app: App) -> Vec<Choice> {
    let go =
        |icon, name: &str, kind, route| Choice { icon, name: name.to_owned(), kind, act: Act::Go(route) };
    let mut choices = Vec::new();
    choices.extend(PAGES.iter().map(|page| go(page.icon, page.title, "page", page.id.into())));
    let filters = [
        ("triangle-alert", "Failed calls", PageId::Calls, "status:error"),
        ("triangle-alert", "Tools breaking their declared schema", PageId::Tools, "violated:yes"),
        ("wrench", "Tools still being learned", PageId::Tools, "source:inferred quality:<high"),
    ];
    choices.extend(
        filters
            .into_iter()
            .map(|(icon, name, page, filter)| go(icon, name, "filter", Route::filtered(page, filter))),
    );
    choices.push(Choice {
        icon: "circle-question-mark",
        name: "Keys, filters and guide".into(),
        kind: "help",
        act: Act::Help,
    });
    choices.push(Choice {
        icon: "download",
        name: "Export schemas, overrides and bundles".into(),
        kind: "command",
        act: Act::Export,
    });
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
        for tool in picture.tools.values() {
            let Some(version) = tool.candidate_version else { continue };
            let name = format!("Promote or reject v{version} of {}", text::visible(&tool.tool_id, 120));
            choices.push(go("inbox", &name, "decision", Route::item(PageId::Review, tool.tool_id.clone())));
        }
        for name in picture.servers.keys() {
            choices.push(go(
                "server",
                &text::visible(name, 80),
                "server",
                Route::item(PageId::Servers, name.clone()),
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

/// Rank of a name that contains all letters in order; lower is better.
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
        Act::Export => app.dialog.set(Some(Dialog::Export(Exporting::all()))),
        Act::Restart(server_name) => restart(app, server_name.clone()),
    }
}

#[component]
pub fn Palette() -> impl IntoView {
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
            // Scattered letters count only if no name contains them together.
            if ranked.first().is_some_and(|(rank, _)| *rank < SCATTERED) {
                ranked.retain(|(rank, _)| *rank < SCATTERED);
            }
            ranked.into_iter().take(MAX_OPTIONS).map(|(_, choice)| choice.clone()).collect::<Vec<_>>()
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
                placeholder="Search pages, tools, servers and commands"
                role="combobox" aria-expanded="true" aria-controls="choices" aria-label="Search"
                aria-activedescendant=move || format!("choice-{}", selected.get())
                on:input:target=move |event| {
                    query.set(event.target().value());
                    selected.set(0);
                }
                on:keydown=keydown
            />
            <div class="options" id="choices" role="listbox" aria-label="Results">
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
                {move || found.with(Vec::is_empty).then(|| view! { <p class="empty">"No matches"</p> }.into_any())}
            </div>
        </div>
    }
}
