//! A tool's versions: the active one, the changes between two, the evidence for one, and buttons for decisions.

use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::{
    ActiveAfter, CompareVersions, ComparisonReply, Decision, ListVersions, SchemaChoice, VersionRow,
    VersionState, VersionsReply,
};

use crate::app::{App, Dialog};
use crate::browser;
use crate::cells::{Memo, RwSignal, StoredValue, click, effect};
use crate::door;
use crate::export::Exporting;
use crate::live::Connection;
use crate::numbers::{count, number_of};
use crate::parts::{Empty, Foreign, Loading, Views, time};
use crate::route::Route;
use crate::versions::{
    Deciding, Parts, action, changes, effective, evidence, impact, raw, request_impact, state,
};

/// Versions in the card.
const LATEST: usize = 6;
/// Most changes drawn.
const MAX_CHANGES: usize = 200;

/// The versions as signals.
#[derive(Clone, Copy)]
pub struct Versions {
    id: StoredValue<String>,
    known: RwSignal<Option<Arc<VersionsReply>>>,
    /// The selected version.
    open: RwSignal<Option<u32>>,
    /// Number of updates, for data that is loaded besides.
    pub changes: RwSignal<u64>,
}

impl Versions {
    /// Loads the versions of a tool and keeps them up to date.
    pub fn follow(id: String) -> Self {
        let app = App::get();
        let versions = Self {
            id: StoredValue::new(id.clone()),
            known: RwSignal::new(None),
            open: RwSignal::new(None),
            changes: RwSignal::new(0),
        };
        let standing = {
            let id = id.clone();
            Memo::new(move || {
                let row = app.live.tools(|tools| tools.get(&id).cloned());
                let decided = row.as_ref().map(|row| {
                    (row.effective_version, row.pinned, row.enforced, row.candidate_version, row.suspended)
                });
                let found = row.map(|row| (row.drift_count, row.drift_waiting, row.failure_count));
                (decided, found, app.live.snapshots.get(), app.live.connection.get() == Connection::Live)
            })
        };
        effect(move || {
            app.decided.track();
            if !standing.get().3 {
                return;
            }
            let command = ListVersions { tool_id: id.clone() };
            leptos::task::spawn_local(async move {
                // Known versions stay while the engine does not respond; the page reports unknown tools.
                if let Ok(reply) = door::call(&command).await {
                    versions.known.set(Some(Arc::new(reply)));
                    versions.changes.update(|changes| *changes += 1);
                }
            });
        });
        versions
    }

    /// `server__tool`.
    pub fn id(&self) -> String {
        self.id.get_value()
    }

    /// Whether a version is active, once that is known.
    pub fn has_effective(&self) -> Option<bool> {
        self.known.with(|known| known.as_ref().map(|reply| reply.in_force.is_some()))
    }

    /// The active version, in words.
    pub fn effective(&self) -> String {
        let reply = self.known.get();
        let words = effective(reply.as_ref().and_then(|reply| reply.in_force));
        if reply.is_some_and(|reply| reply.suspended) { format!("{words}, paused") } else { words }
    }

    fn rows(&self) -> Vec<VersionRow> {
        self.known.with(|known| known.as_ref().map(|known| known.versions.clone()).unwrap_or_default())
    }

    fn row(&self, number: u32) -> Option<VersionRow> {
        let find =
            |known: &Arc<VersionsReply>| known.versions.iter().find(|row| row.version == number).cloned();
        self.known.with(|known| known.as_ref().and_then(find))
    }

    /// The selected version, else the newest.
    fn shown(&self) -> Option<u32> {
        let newest = self.known.with(|known| known.as_ref()?.versions.last().map(|row| row.version));
        self.open.get().or(newest)
    }

    /// Opens the dialog of a decision, by which this version becomes active or is rejected.
    pub fn ask(&self, app: App, decision: Decision, version: Option<u32>) {
        let active = self.known.with_untracked(|known| Some(known.as_ref()?.in_force?.version));
        app.dialog.set(Some(Dialog::Decide(Deciding { tool_id: self.id(), decision, version, active })));
    }

    /// The version that is active after undoing the latest decision.
    pub fn after_undo(&self) -> Option<u32> {
        self.known.with_untracked(|known| known.as_ref()?.undo?.version)
    }
}

/// Buttons for decisions about the tool as a whole.
#[component]
pub fn Buttons(
    /// Its versions.
    versions: Versions,
) -> impl IntoView {
    let app = App::get();
    let button = move |decision: Decision, version: Option<u32>, class: &'static str| {
        view! {
            <button class=format!("button {class}") on:click=click(move |_| versions.ask(app, decision, version))>
                {action(decision)} "…"
            </button>
        }
        .into_any()
    };
    view! {
        <div class="decisions">
            {move || versions.known.get().map(|known| {
                let candidate = known.versions.iter().rev().find(|row| row.state == VersionState::Candidate);
                let candidate = candidate.map(|row| row.version);
                let mut buttons = Vec::new();
                if candidate.is_some() {
                    // Highlighted only when nothing speaks against it; the dialog says what does.
                    let ready = known.candidate.as_ref().is_some_and(|readiness| readiness.ready);
                    let class = if ready { "primary" } else { "" };
                    buttons.push(button(Decision::Promote { version: candidate }, candidate, class));
                }
                match known.in_force {
                    Some(row) if row.pinned => {
                        let after = known.unpin.and_then(|after| after.version);
                        buttons.push(button(Decision::Unpin {}, after, ""));
                    }
                    Some(row) => {
                        let version = Some(row.version);
                        buttons.push(button(Decision::Pin { version, enforced: false }, version, ""));
                    }
                    None => {}
                }
                let numbers: Vec<u32> = known.versions.iter().rev().take(LATEST).map(|row| row.version).collect();
                if let Some(ActiveAfter { version: to }) = known.rollback {
                    buttons.push(button(Decision::Rollback { to }, to, ""));
                }
                buttons.push(view! {
                    <button class="button" on:click=click(move |_| {
                        let exporting = Exporting::tool(versions.id(), numbers.clone());
                        app.dialog.set(Some(Dialog::Export(exporting)));
                    })>"Export…"</button>
                }.into_any());
                buttons
            })}
        </div>
    }
}

/// The latest versions.
#[component]
pub fn VersionsCard(
    /// Its versions.
    versions: Versions,
) -> impl IntoView {
    let app = App::get();
    let select = move |number: u32| {
        versions.open.set(Some(number));
        app.replace(Route { tab: "versions".into(), ..Route::tool(&versions.id()) });
        browser::focus("#tab-versions");
    };
    let line = move |row: VersionRow| {
        let (word, class) = state(&row);
        let number = row.version;
        view! {
            <button class="version" on:click=click(move |_| select(number))>
                <b class="mono">{format!("v{number}")}</b>
                <span>
                    {format!("{} · quality {}", number_of(row.observation_count as usize, "result", "results"), row.quality)}
                    <small>{time(row.created)} {match row.evidence.counter_examples.len() {
                        0 => String::new(),
                        _ => " · has results the previous version rejects".to_owned(),
                    }}</small>
                </span>
                <span class=format!("tag {class}")>{word}</span>
            </button>
        }
        .into_any()
    };
    view! {
        <section class="card" id="versions">
            <header>
                <h2>"Versions"</h2>
                <span class="num">{move || versions.known.with(|known| known.as_ref().map(|known| count(known.versions.len() as u64)))}</span>
            </header>
            {move || {
                if versions.known.with(Option::is_none) {
                    return view! { <Loading /> }.into_any();
                }
                let rows = versions.rows();
                if rows.is_empty() {
                    return view! { <p class="empty">"The first version is created when the schema stays the same for several results."</p> }.into_any();
                }
                let more = rows.len().saturating_sub(LATEST);
                view! {
                    {rows.into_iter().rev().take(LATEST).map(line).views()}
                    {(more > 0).then(|| view! { <p class="quiet">{format!("… {more} older")}</p> }.into_any())}
                }.into_any()
            }}
        </section>
    }
}

/// A version compared with an older one: changes, impact, evidence.
#[component]
pub fn Compared(
    /// Its versions.
    versions: Versions,
) -> impl IntoView {
    let app = App::get();
    let against = RwSignal::new(None::<String>);
    let is_raw = RwSignal::new(false);
    let comparison = RwSignal::new(None::<Result<Arc<ComparisonReply>, String>>);
    let shown = Memo::new(move || versions.shown());
    // Compared with the chosen schema, else the active version, else the previous one.
    let old = Memo::new(move || {
        let new = shown.get()?;
        let known = versions.known.get()?;
        let before = known.versions.iter().map(|row| row.version).rfind(|number| *number < new);
        let in_force = known.in_force.map(|row| row.version).filter(|number| *number != new);
        against.get().or(in_force.or(before).map(|number| number.to_string()))
    });
    let asked = RwSignal::new(None::<(u32, String)>);
    effect(move || {
        versions.changes.track();
        let pair = shown.get().zip(old.get());
        if asked.with_untracked(|asked| *asked != pair) {
            asked.set(pair.clone());
            comparison.set(None);
        }
        let Some((new, old)) = pair.clone() else { return };
        let old = match old.as_str() {
            "declared" => SchemaChoice::Declared,
            "inferred" => SchemaChoice::Inferred,
            number => SchemaChoice::Version(number.parse().unwrap_or(new)),
        };
        let command = CompareVersions { tool_id: versions.id(), old, new: SchemaChoice::Version(new) };
        leptos::task::spawn_local(async move {
            let reply = door::call(&command).await;
            // Other versions may be chosen by now.
            if asked.try_with_untracked(|asked| *asked == pair) == Some(true) {
                comparison.set(Some(reply.map(Arc::new).map_err(|error| error.to_string())));
            }
        });
    });
    let known_impact =
        request_impact(move || Some((versions.id(), shown.get()?)), move || versions.changes.get());
    let row = Memo::always(move || shown.get().and_then(|number| versions.row(number)));
    let choose = move |of: Signal<Option<String>>, others: &'static [&'static str]| {
        let options = versions.rows().into_iter().rev().map(|row| row.version.to_string());
        let others = others.iter().map(|word| (*word).to_owned());
        let option = move |value: String| {
            let text =
                if value.bytes().all(|b| b.is_ascii_digit()) { format!("v{value}") } else { value.clone() };
            let mine = value.clone();
            view! { <option value=value prop:selected=move || of.get().as_ref() == Some(&mine)>{text}</option> }.into_any()
        };
        options.chain(others).map(option).views()
    };
    let decide = move |decision: Decision, number: u32| {
        view! {
            <button class="button small" on:click=click(move |_| versions.ask(app, decision, Some(number)))>{action(decision)} "…"</button>
        }
        .into_any()
    };
    let buttons = move |row: &VersionRow| {
        let number = row.version;
        let version = Some(number);
        let mut buttons = Vec::new();
        if row.state != VersionState::Promoted && !row.pinned {
            buttons.push(decide(Decision::Promote { version }, number));
        }
        if !row.pinned && row.state != VersionState::Rejected {
            buttons.push(decide(Decision::Pin { version, enforced: false }, number));
        }
        if matches!(row.state, VersionState::Candidate | VersionState::Superseded) && !row.pinned {
            buttons.push(decide(Decision::Reject { version }, number));
        }
        buttons
    };
    view! {
        {move || versions.rows().is_empty().then(|| view! {
            <Empty icon="inbox" title="No versions yet">
                <p>"A version is created when the inferred schema stays the same for several results, or when its quality rises."</p>
            </Empty>
        }.into_any())}
        {move || (!versions.rows().is_empty()).then(|| view! {
            <div class="compare">
                <div class="line">
                    <label>"Version "
                        <select on:change:target=move |event| versions.open.set(event.target().value().parse().ok())>
                            {move || choose(Signal::derive(move || shown.get().map(|number| number.to_string())), &[])}
                        </select>
                    </label>
                    <label>"compared with "
                        <select on:change:target=move |event| against.set(Some(event.target().value()))>
                            {move || choose(Signal::derive(move || old.get()), &["declared", "inferred"])}
                        </select>
                    </label>
                    <span class="segments" role="group" aria-label="Form of the comparison">
                        <button aria-pressed=move || if is_raw.get() { "false" } else { "true" } on:click=click(move |_| is_raw.set(false))>"Changes"</button>
                        <button aria-pressed=move || if is_raw.get() { "true" } else { "false" } on:click=click(move |_| is_raw.set(true))>"Lines"</button>
                    </span>
                    {move || row.get().map(|row| { let (word, class) = state(&row); view! { <span class=format!("tag {class}")>{word}</span> }.into_any() })}
                    <span class="buttons">{move || row.get().as_ref().map(buttons)}</span>
                </div>
                {move || match (old.get(), comparison.get()) {
                    (None, _) => view! { <p class="quiet">"This is the first version; there is nothing to compare it with."</p> }.into_any(),
                    (_, None) => view! { <Loading /> }.into_any(),
                    (_, Some(Err(error))) => view! { <p class="quiet bad"><Foreign text=error limit=400 /></p> }.into_any(),
                    (_, Some(Ok(reply))) if is_raw.get() => raw(&reply.lines),
                    (_, Some(Ok(reply))) => changes(&reply.changes, MAX_CHANGES),
                }}
                <h3>"Impact"</h3>
                {impact(known_impact, Parts { clients: true, changes: false })}
                {move || row.get().as_ref().map(|row| view! { <h3>"Evidence"</h3>{evidence(row)} }.into_any())}
            </div>
        }.into_any())}
    }
}
