//! Settings: policies, adapting, which calls are kept, rules of redaction.
//!
//! What takes nothing away is kept as soon as it is chosen; what removes calls is asked for by a button.

mod redaction;

use leptos::prelude::*;
use schemascope_api::{ChangeSetting, GetSettings, SettingRow, SettingsReply};

use crate::app::App;
use crate::cells::{Memo, RwSignal, StoredValue, click};
use crate::door;
use crate::parts::{Empty, Foreign, Loading, Views};
use redaction::Redaction;

/// The settings, as the engine told them last.
type Reply = RwSignal<Option<Result<SettingsReply, String>>>;

#[component]
pub fn Settings() -> impl IntoView {
    let reply: Reply = RwSignal::new(None);
    leptos::task::spawn_local(async move {
        let told = door::call(&GetSettings {}).await;
        reply.set(Some(told.map_err(|error| error.to_string())));
    });
    let phase = Memo::new(move || reply.with(|reply| reply.as_ref().map(Result::is_ok)));
    view! {
        <div class="page scrolls settings" tabindex="0" role="region" aria-label="Settings">
            <div class="title-row"><h1>"Settings"</h1></div>
            {move || match phase.get() {
                None => view! { <Loading /> }.into_any(),
                Some(false) => view! {
                    <Empty icon="triangle-alert" title="The settings cannot be read">
                        <p class="bad">{move || reply.get().and_then(Result::err)}</p>
                    </Empty>
                }.into_any(),
                Some(true) => view! { <Groups reply=reply /> }.into_any(),
            }}
        </div>
    }
}

#[component]
fn Groups(
    /// The settings.
    reply: Reply,
) -> impl IntoView {
    let told = move |read: fn(&SettingsReply) -> Option<String>| {
        move || {
            reply.with(|reply| reply.as_ref().and_then(|reply| reply.as_ref().ok()).and_then(read)).map(
                |text| {
                    view! { <p class="trouble" role="alert"><Foreign text=text limit=400 /></p> }.into_any()
                },
            )
        }
    };
    view! {
        {told(|reply| {
            let problem = reply.problem.as_ref()?;
            Some(format!("{} cannot be used: {problem}. What held before still does; mend or remove the file.", reply.file))
        })}
        <Group title="Versions">
            <Choose reply=reply name="auto_promote" label="Promote by policy"
                about="A candidate is promoted without a person once its quality is high, unless something is pinned or somebody took it back. It stands in the history as decided by policy."
                choices=&[("never", "never"), ("at_high", "at high quality")] />
            <Amount reply=reply name="cut_after" label="Observations before a version"
                about="How many results in a row an inferred schema must stay the same for before it becomes a candidate."
                unset="10" unit="observations" takes_away=false />
        </Group>
        <Group title="Results for clients of /mcp">
            <Choose reply=reply name="adapt" label="Give results structure"
                about="on: from text that is JSON or fits the schema in force. all: from plain text too. advertised: only where clients are told a schema. /mcp/NAME is never touched."
                choices=&[("on", "on"), ("all", "all"), ("advertised", "advertised"), ("off", "off")] />
            <Choose reply=reply name="suspend" label="Suspend schemas that results keep missing"
                about="After two results in a row without structure, clients are no longer told the schema, or they would refuse results; the next one with structure restores it. Pins are never suspended."
                choices=&[("true", "yes"), ("false", "no")] />
        </Group>
        <Group title="Stored calls">
            <Amount reply=reply name="keep_days" label="Remove calls older than"
                about="What was learned from calls stays: schemas, versions, decisions and their evidence."
                unset="keep all" unit="days" takes_away=true />
            <Amount reply=reply name="keep_calls" label="Keep at most the newest" about="" unset="keep all" unit="calls" takes_away=true />
            <Amount reply=reply name="keep_mb" label="Keep journal and index below" about="" unset="no limit" unit="MB" takes_away=true />
        </Group>
        <Redaction reply=reply />
    }
}

#[component]
fn Group(
    /// What the settings in it are about.
    title: &'static str,
    children: Children,
) -> impl IntoView {
    view! { <section class="card group" aria-label=title><h2>{title}</h2>{children()}</section> }
}

/// What is known of a setting.
fn row<T>(reply: Reply, name: &str, read: impl FnOnce(&SettingRow) -> T) -> Option<T> {
    reply.with(|reply| {
        let rows = &reply.as_ref()?.as_ref().ok()?.settings;
        rows.iter().find(|row| row.name == name).map(read)
    })
}

/// What a setting is now, as it is written; empty where nothing is set.
fn value(reply: Reply, name: &str) -> String {
    row(reply, name, |row| row.value.clone()).flatten().unwrap_or_default()
}

/// Sets one, and says so.
fn change(app: App, reply: Reply, name: &'static str, to: String) {
    let command = ChangeSetting { name: name.to_owned(), value: Some(to).filter(|text| !text.is_empty()) };
    leptos::task::spawn_local(async move {
        match door::call(&command).await {
            Ok(now) => {
                reply.set(Some(Ok(now)));
                let is_fixed = row(reply, name, |row| row.fixed) == Some(true);
                app.say(if is_fixed { "Kept for the next start" } else { "Kept, and in force" });
            }
            Err(error) => app.complain(error),
        }
    });
}

/// A setting's line: what it is, and in `children` how to change it.
#[component]
fn Line(
    /// The settings.
    reply: Reply,
    /// As it is written.
    name: &'static str,
    /// For people.
    label: &'static str,
    /// What it does; may be empty.
    about: &'static str,
    children: Children,
) -> impl IntoView {
    let is_fixed = Memo::new(move || row(reply, name, |row| row.fixed) == Some(true));
    view! {
        <div class="setting">
            <div>
                <h3 id=format!("about-{name}")>{label}</h3>
                {(!about.is_empty()).then(|| view! { <p class="dim">{about}</p> }.into_any())}
                {move || is_fixed.get().then(|| view! {
                    <p class="dim"><span class="tag">"command line"</span>" set for this run; a change here holds from the next start on"</p>
                }.into_any())}
            </div>
            <div class="control">{children()}</div>
        </div>
    }
}

/// One of a few words; kept at once.
#[component]
fn Choose(
    /// The settings.
    reply: Reply,
    /// As it is written.
    name: &'static str,
    /// For people.
    label: &'static str,
    /// What it does.
    about: &'static str,
    /// As they are written, and for people.
    choices: &'static [(&'static str, &'static str)],
) -> impl IntoView {
    let app = App::get();
    let now = Memo::new(move || value(reply, name));
    let choice = move |(written, shown): &(&'static str, &'static str)| {
        let written = *written;
        let choose = move |_| change(app, reply, name, written.to_owned());
        view! {
            <button aria-pressed=move || now.with(|now| if now == written { "true" } else { "false" }) on:click=click(choose)>{*shown}</button>
        }
        .into_any()
    };
    view! {
        <Line reply=reply name=name label=label about=about>
            <span class="segments" role="group" aria-labelledby=format!("about-{name}")>{choices.iter().map(choice).views()}</span>
        </Line>
    }
}

/// A number, or nothing; kept when a button says so.
#[component]
fn Amount(
    /// The settings.
    reply: Reply,
    /// As it is written.
    name: &'static str,
    /// For people.
    label: &'static str,
    /// What it does.
    about: &'static str,
    /// What holds without one.
    unset: &'static str,
    /// What is counted.
    unit: &'static str,
    /// Calls are removed by it.
    takes_away: bool,
) -> impl IntoView {
    let app = App::get();
    let now = Memo::new(move || value(reply, name));
    let typed = RwSignal::new(None::<String>);
    let shown = Memo::new(move || typed.get().unwrap_or_else(|| now.get()));
    let is_other = Memo::new(move || shown.get().trim() != now.get());
    let keep = StoredValue::new(move || {
        let to = shown.get_untracked().trim().to_owned();
        typed.set(None);
        change(app, reply, name, to);
    });
    let key = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Enter" && is_other.get_untracked() {
            keep.get_value()();
        }
    };
    view! {
        <Line reply=reply name=name label=label about=about>
            {move || is_other.get().then(|| view! {
                <button class="button small" on:click=click(move |_| typed.set(None))>"Cancel"</button>
                <button class="button small primary" on:click=click(move |_| keep.get_value()())>
                    {if takes_away && !shown.get().trim().is_empty() { "Keep, and remove the others" } else { "Keep" }}
                </button>
            }.into_any())}
            <input type="number" min="1" inputmode="numeric" aria-labelledby=format!("about-{name}") placeholder=unset
                prop:value=move || shown.get() on:keydown=key
                on:input:target=move |event| typed.set(Some(event.target().value())) />
            <span class="dim unit">{unit}</span>
        </Line>
    }
}
