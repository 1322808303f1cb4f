//! Settings and redaction rules. Which settings exist, and what they accept, is declared in
//! `schemascope_api::SETTINGS`.
//!
//! A choice is saved at once; a number is saved by a button.

mod promotion;
mod redaction;
mod wrappers;

use leptos::prelude::*;
use schemascope_api::{
    Bounds, ChangeSetting, Choice, GetSettings, SETTINGS, Setting, SettingGroup, SettingKind, SettingRow,
    SettingsReply,
};

use crate::app::{App, OldSetting, Restoring, Undoing};
use crate::cells::{Memo, RwSignal, StoredValue, click};
use crate::door;
use crate::live::Connection;
use crate::parts::{Empty, Foreign, Loading, Views, prose};
use crate::throttle::throttled;
use redaction::Redaction;
use wrappers::Wrappers;

/// The settings, as the engine last sent them.
type Reply = RwSignal<Option<Result<SettingsReply, String>>>;

/// Pause between two loads of the settings, in milliseconds.
const UPDATE_INTERVAL_MS: i32 = 300;

/// Values of a setting of groups besides its words.
const NO_GROUPS: &str = "off";
const ALL_GROUPS: &str = "all";

#[component]
pub fn Settings() -> impl IntoView {
    let app = App::get();
    let reply: Reply = RwSignal::new(None);
    let is_wanted = move || {
        app.live.snapshots.track();
        // A change may have been undone.
        app.decided.track();
        app.live.connection.get() == Connection::Live
    };
    throttled(UPDATE_INTERVAL_MS, is_wanted, move || async move {
        let settings = door::call(&GetSettings {}).await;
        let is_known = reply.try_with_untracked(|reply| matches!(reply, Some(Ok(_)))).unwrap_or(false);
        match settings {
            // What is known stays while the engine does not respond.
            Err(_) if is_known => {}
            settings => reply.set(Some(settings.map_err(|error| error.to_string()))),
        }
    });
    let phase = Memo::new(move || reply.with(|reply| reply.as_ref().map(Result::is_ok)));
    view! {
        <div class="page scrolls settings" tabindex="0" role="region" aria-label="Settings">
            <div class="title-row"><h1>"Settings"</h1></div>
            {move || match phase.get() {
                None => view! { <Loading /> }.into_any(),
                Some(false) => view! {
                    <Empty icon="triangle-alert" title="Cannot read the settings">
                        <p class="bad">{move || reply.get().and_then(Result::err)}</p>
                    </Empty>
                }.into_any(),
                Some(true) => view! {
                    {move || problem(reply)}
                    {SettingGroup::ALL.into_iter().map(|title| group(reply, title)).views()}
                    <Wrappers />
                    <Redaction reply=reply />
                }.into_any(),
            }}
        </div>
    }
}

/// Why the file cannot be used, if so.
fn problem(reply: Reply) -> Option<AnyView> {
    let text = reply.with(|reply| {
        let reply = reply.as_ref()?.as_ref().ok()?;
        let problem = reply.problem.as_ref()?;
        Some(format!(
            "Cannot read {}: {problem}. The previous settings stay in effect; fix or delete the file.",
            reply.file
        ))
    })?;
    Some(view! { <p class="trouble" role="alert"><Foreign text=text limit=400 /></p> }.into_any())
}

fn group(reply: Reply, group: SettingGroup) -> AnyView {
    let settings = SETTINGS.iter().filter(|setting| setting.group == group);
    view! {
        <section class="card group" aria-label=group.title()>
            <h2>{group.title()}</h2>
            {settings.map(|setting| line(reply, setting)).views()}
        </section>
    }
    .into_any()
}

/// A setting, if it is known.
fn row<T>(reply: Reply, name: &str, read: impl FnOnce(&SettingRow) -> T) -> Option<T> {
    reply.with(|reply| {
        let rows = &reply.as_ref()?.as_ref().ok()?.settings;
        rows.iter().find(|row| row.name == name).map(read)
    })
}

/// The value of a setting as text; empty if none is set.
fn value(reply: Reply, name: &str) -> String {
    row(reply, name, |row| row.value.clone()).flatten().unwrap_or_default()
}

/// Whether a change can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Undo {
    Offered,
    /// It deletes calls, or promotes versions, which setting the old value again does not take back.
    Impossible,
}

/// Changes a setting and reports it. `done` runs afterwards, and learns whether it was changed.
fn change(
    app: App,
    reply: Reply,
    name: &'static str,
    to: String,
    undo: Undo,
    done: impl FnOnce(bool) + 'static,
) {
    let command = ChangeSetting { name: name.to_owned(), value: Some(to).filter(|text| !text.is_empty()) };
    let before = row(reply, name, |row| row.value.clone()).flatten();
    leptos::task::spawn_local(async move {
        match door::call(&command).await {
            Ok(now) => {
                reply.set(Some(Ok(now)));
                done(true);
                let is_fixed = row(reply, name, |row| row.fixed) == Some(true);
                let said = if is_fixed { "Saved; takes effect at the next start" } else { "Saved" };
                let old = Undoing::Setting(OldSetting { name, value: before, restore });
                let undo = if undo == Undo::Offered { vec![old] } else { Vec::new() };
                app.notify_decided(said, undo);
            }
            Err(error) => {
                done(false);
                app.report_error(error);
            }
        }
    });
}

/// Sets a value that a setting had before.
fn restore(name: &'static str, value: Option<String>) -> Restoring {
    Box::pin(async move {
        let command = ChangeSetting { name: name.to_owned(), value };
        door::call(&command).await.map(drop).map_err(|error| error.to_string())
    })
}

/// A setting: label, description and control.
fn line(reply: Reply, setting: &'static Setting) -> AnyView {
    let name = setting.name;
    let is_fixed = Memo::new(move || row(reply, name, |row| row.fixed) == Some(true));
    let control = match setting.kind {
        SettingKind::Switch => choose(reply, setting, &[("true", "yes"), ("false", "no")]),
        SettingKind::Choice(choices) => {
            let pairs: Vec<_> = choices.iter().map(|choice| (choice.word, choice.label)).collect();
            if name == promotion::SETTING {
                promotion::choose_with_preview(reply, setting, &pairs)
            } else {
                choose(reply, setting, &pairs)
            }
        }
        SettingKind::Number(bounds) => {
            let unset = setting.default.unwrap_or_default();
            view! { <Typed reply=reply name=name bounds=Some(bounds) unset=unset deletes=false /> }.into_any()
        }
        SettingKind::Limit(bounds) => {
            view! { <Typed reply=reply name=name bounds=Some(bounds) unset="no limit" deletes=true /> }
                .into_any()
        }
        SettingKind::Groups(choices) => select_groups(reply, setting, choices),
        SettingKind::Program => {
            view! { <Typed reply=reply name=name bounds=None unset="[]" deletes=false /> }.into_any()
        }
    };
    view! {
        <div class="setting">
            <div>
                <h3 id=format!("about-{name}")>{setting.label}</h3>
                <p class="dim">{prose(&with_labels(setting))}</p>
                {move || is_fixed.get().then(|| view! {
                    <p class="dim"><span class="tag">"command line"</span>" Set for this run by an option; a change here takes effect at the next start."</p>
                }.into_any())}
            </div>
            <div class="control">{control}</div>
        </div>
    }
    .into_any()
}

/// The details of a setting with the labels that stand here in place of names and values.
fn with_labels(setting: &Setting) -> String {
    let choices = match setting.kind {
        SettingKind::Choice(choices) => choices,
        _ => &[],
    };
    let values = choices.iter().map(|choice| (choice.word, choice.label));
    let names = SETTINGS.iter().map(|other| (other.name, other.label));
    values.chain(names).fold(setting.details.to_owned(), |text, (word, label)| {
        text.replace(&format!("`{word}`"), &format!("\u{201c}{label}\u{201d}"))
    })
}

/// Buttons of a group, one of them pressed; a choice is saved at once.
fn choose(reply: Reply, setting: &'static Setting, choices: &[(&'static str, &'static str)]) -> AnyView {
    let (app, name) = (App::get(), setting.name);
    choose_by(reply, setting, choices, move |word| {
        change(app, reply, name, word.to_owned(), Undo::Offered, |_| ());
    })
}

/// Buttons of a group, one of them pressed.
fn choose_by(
    reply: Reply,
    setting: &'static Setting,
    choices: &[(&'static str, &'static str)],
    press: impl Fn(&'static str) + Copy + 'static,
) -> AnyView {
    let name = setting.name;
    let now = Memo::new(move || value(reply, name));
    let button = move |(word, label): &(&'static str, &'static str)| {
        let (word, label) = (*word, *label);
        let is_pressed = move || now.with(|now| if now == word { "true" } else { "false" });
        view! { <button aria-pressed=is_pressed on:click=click(move |_| press(word))>{label}</button> }
            .into_any()
    };
    view! {
        <span class="segments" role="group" aria-labelledby=format!("about-{name}")>{choices.iter().map(button).views()}</span>
    }
    .into_any()
}

/// Buttons for none, all, or each group.
fn select_groups(reply: Reply, setting: &'static Setting, choices: &'static [Choice]) -> AnyView {
    let (app, name) = (App::get(), setting.name);
    let now = Memo::new(move || value(reply, name));
    // The next choice adds to what the previous one made of it.
    let is_busy = StoredValue::new(false);
    let has = move |word: &str| now.with(|now| now.split(',').any(|one| one.trim() == word));
    let button = move |word: &'static str, label: &'static str, next: Box<dyn Fn() -> String>| {
        let press = click(move |_| {
            if !is_busy.get_value() {
                is_busy.set_value(true);
                let done = move |_| is_busy.set_value(false);
                change(app, reply, name, next(), Undo::Offered, done);
            }
        });
        view! { <button aria-pressed=move || if has(word) { "true" } else { "false" } on:click=press>{label}</button> }
            .into_any()
    };
    let mut buttons = vec![
        button(NO_GROUPS, "none", Box::new(|| NO_GROUPS.to_owned())),
        button(ALL_GROUPS, "all", Box::new(|| ALL_GROUPS.to_owned())),
    ];
    for choice in choices {
        let turn = move || {
            let others =
                choices.iter().map(|other| other.word).filter(|word| *word != choice.word && has(word));
            let own = (!has(choice.word)).then_some(choice.word);
            let words: Vec<&str> = others.chain(own).collect();
            if words.is_empty() { NO_GROUPS.to_owned() } else { words.join(",") }
        };
        buttons.push(button(choice.word, choice.label, Box::new(turn)));
    }
    view! { <span class="segments" role="group" aria-labelledby=format!("about-{name}")>{buttons}</span> }
        .into_any()
}

/// What is typed, saved by a button: a number or nothing, or a text.
#[component]
fn Typed(
    /// The settings.
    reply: Reply,
    /// Its name.
    name: &'static str,
    /// Accepted numbers and their unit; none for text.
    bounds: Option<Bounds>,
    /// Text shown while nothing is set.
    unset: &'static str,
    /// Whether it deletes calls.
    deletes: bool,
) -> impl IntoView {
    let app = App::get();
    let now = Memo::new(move || value(reply, name));
    // Kept in the app, so that what was typed is there again after a look at another page.
    let typed = Memo::new(move || {
        app.unsaved.with(|unsaved| unsaved.iter().find(|(of, _)| *of == name).map(|(_, text)| text.clone()))
    });
    let forget = move || app.unsaved.update(|unsaved| unsaved.retain(|(of, _)| *of != name));
    let shown = Memo::new(move || typed.get().unwrap_or_else(|| now.get()));
    let is_changed = Memo::new(move || shown.get().trim() != now.get());
    let save = StoredValue::new(move || {
        let to = shown.get_untracked().trim().to_owned();
        // What the engine rejects stays typed.
        let done = move |is_changed: bool| {
            if is_changed {
                forget();
            }
        };
        let undo = if deletes { Undo::Impossible } else { Undo::Offered };
        change(app, reply, name, to, undo, done);
    });
    let key = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Enter" && is_changed.get_untracked() {
            save.get_value()();
        }
    };
    view! {
        {move || is_changed.get().then(|| view! {
            <button class="button small" on:click=click(move |_| forget())>"Cancel"</button>
            <button class="button small primary" on:click=click(move |_| save.get_value()())>
                {if deletes && !shown.get().trim().is_empty() { "Save and delete older calls" } else { "Save" }}
            </button>
        }.into_any())}
        <input type=if bounds.is_some() { "number" } else { "text" } class:words=bounds.is_none() spellcheck="false"
            min=bounds.map(|bounds| bounds.min.to_string()) inputmode=bounds.map(|_| "numeric") aria-labelledby=format!("about-{name}") placeholder=unset
            prop:value=move || shown.get() on:keydown=key
            on:input:target=move |event| {
                let text = event.target().value();
                app.unsaved.update(|unsaved| {
                    unsaved.retain(|(of, _)| *of != name);
                    unsaved.push((name, text));
                });
            } />
        {bounds.map(|bounds| view! { <span class="dim unit">{bounds.unit}</span> }.into_any())}
    }
}
