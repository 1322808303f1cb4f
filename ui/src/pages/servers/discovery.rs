//! Discovery: tools that servers declare to be read-only are proposed, a person chooses which are called and with which
//! arguments, and sees what they taught.

use leptos::prelude::*;
use schemascope_api::{
    DiscoveryCall, DiscoveryState, DiscoverySuggestion, DiscoverySuggestions, KeepDiscovery, RunDiscovery,
    SuggestDiscovery,
};
use serde_json::value::RawValue;

use crate::app::App;
use crate::cells::{Memo, RwSignal, StoredValue, click};
use crate::door;
use crate::numbers::number_of;
use crate::parts::{Foreign, Loading, Views};
use crate::route::Route;

/// Number of proposals that are shown.
const SHOWN: usize = 100;

/// A proposal, with what the person makes of it.
#[derive(Clone)]
struct Row {
    suggestion: StoredValue<DiscoverySuggestion>,
    is_chosen: RwSignal<bool>,
    arguments: RwSignal<String>,
    outcome: RwSignal<Option<Outcome>>,
}

/// What became of a call.
#[derive(Clone)]
enum Outcome {
    Running,
    Done(Box<DiscoveryCall>),
    Failed(String),
}

/// What was asked for.
#[derive(Clone)]
enum Proposals {
    None,
    Waiting,
    Failed(String),
    Rows { file: String, rows: Vec<Row>, unavailable: Vec<(String, String)>, more: usize },
}

impl Row {
    fn of(suggestion: DiscoverySuggestion) -> Self {
        let arguments = suggestion.arguments.as_ref().map_or("", |arguments| arguments.get()).to_owned();
        Self {
            suggestion: StoredValue::new(suggestion),
            is_chosen: RwSignal::new(false),
            arguments: RwSignal::new(arguments),
            outcome: RwSignal::new(None),
        }
    }

    /// The call, if the arguments are a JSON object.
    fn call(&self) -> Option<RunDiscovery> {
        let text = self.arguments.get_untracked();
        let arguments = RawValue::from_string(text.trim().to_owned()).ok()?;
        let tool_id = self.suggestion.with_value(|suggestion| suggestion.tool_id.clone());
        arguments.get().starts_with('{').then_some(RunDiscovery { tool_id, arguments })
    }

    fn is_usable(&self) -> bool {
        self.arguments.with(|text| {
            text.trim_start().starts_with('{')
                && serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text).is_ok()
        })
    }
}

#[component]
pub fn Discovery() -> impl IntoView {
    let app = App::get();
    let proposals = RwSignal::new(Proposals::None);
    let is_running = RwSignal::new(false);
    let propose = click(move |_| {
        proposals.set(Proposals::Waiting);
        leptos::task::spawn_local(async move {
            let now = match door::call(&SuggestDiscovery::default()).await {
                Ok(DiscoverySuggestions { file, tools, unavailable }) => {
                    let more = tools.len().saturating_sub(SHOWN);
                    let rows = tools.into_iter().take(SHOWN).map(Row::of).collect();
                    Proposals::Rows { file, rows, unavailable, more }
                }
                Err(error) => Proposals::Failed(error.to_string()),
            };
            proposals.set(now);
        });
    });
    view! {
        <section class="discovery" aria-labelledby="discovery-title">
            <div class="title-row">
                <h2 id="discovery-title">"Discovery"</h2>
                <span class="dim">"Call tools once to learn what they return"</span>
                <span class="side"><button class="button small" id="propose" prop:disabled=move || is_running.get() on:click=propose>"Propose tools"</button></span>
            </div>
            {move || match proposals.get() {
                Proposals::None => view! {
                    <p class="card quiet">"Nothing is called before you choose it. Tools that their servers declare to be read-only are proposed, with the arguments of a recorded call. The servers are started for it."</p>
                }.into_any(),
                Proposals::Waiting => view! { <Loading /> }.into_any(),
                Proposals::Failed(error) => view! { <p class="trouble" role="alert"><Foreign text=error limit=400 /></p> }.into_any(),
                Proposals::Rows { file, rows, unavailable, more } => proposed(app, is_running, file, rows, unavailable, more),
            }}
        </section>
    }
}

fn proposed(
    app: App,
    is_running: RwSignal<bool>,
    file: String,
    rows: Vec<Row>,
    unavailable: Vec<(String, String)>,
    more: usize,
) -> AnyView {
    let missing = unavailable.into_iter().map(|(server, reason)| {
        view! { <p class="reason"><span class="mono"><Foreign text=server limit=64 /></span>" could not be asked: "<Foreign text=reason limit=300 /></p> }
            .into_any()
    });
    let missing = missing.views();
    if rows.is_empty() {
        return view! {
            <p class="card quiet">"No server declares a tool to be read-only (annotation readOnlyHint). Tools that you know to be safe can be listed in "
                <span class="mono"><Foreign text=file limit=300 /></span>"."</p>
            {missing}
        }
        .into_any();
    }
    let all = StoredValue::new(rows.clone());
    let chosen =
        Memo::new(move || all.with_value(|rows| rows.iter().filter(|row| row.is_chosen.get()).count()));
    let is_ready = Memo::new(move || {
        let usable = all.with_value(|rows| rows.iter().all(|row| !row.is_chosen.get() || row.is_usable()));
        usable && chosen.get() > 0 && !is_running.get()
    });
    let run = click(move |_| {
        let rows: Vec<Row> =
            all.with_value(|rows| rows.iter().filter(|row| row.is_chosen.get_untracked()).cloned().collect());
        is_running.set(true);
        leptos::task::spawn_local(async move {
            for row in rows {
                let Some(call) = row.call() else { continue };
                row.outcome.set(Some(Outcome::Running));
                let outcome = match door::call(&call).await {
                    Ok(done) => Outcome::Done(Box::new(done)),
                    Err(error) => Outcome::Failed(error.to_string()),
                };
                row.outcome.set(Some(outcome));
            }
            is_running.set(false);
        });
    });
    let keep = click(move |_| {
        let calls = all.with_value(|rows| {
            rows.iter().filter(|row| row.is_chosen.get_untracked()).filter_map(Row::call).collect()
        });
        leptos::task::spawn_local(async move {
            match door::call(&KeepDiscovery { calls }).await {
                Ok(kept) => app.notify(format!(
                    "{} added to {}",
                    number_of(kept.added as usize, "call", "calls"),
                    kept.file
                )),
                Err(error) => app.report_error(error),
            }
        });
    });
    view! {
        {missing}
        <div class="card discovery-list" tabindex="0" role="region" aria-label="Proposed tools">
            <ul>{rows.into_iter().map(line).views()}</ul>
            {(more > 0).then(|| view! { <p class="quiet">{format!("… {more} more; schemascope discover --suggest prints them")}</p> }.into_any())}
            <p class="buttons">
                <button class="button small" disabled=move || !is_ready.get() title=format!("Adds them to {file}, which generate runs first") on:click=keep>"Keep for later runs"</button>
                <button class="button small primary" id="run-discovery" disabled=move || !is_ready.get() on:click=run>
                    {move || match chosen.get() {
                        0 => "Call".to_owned(),
                        1 => "Call 1 tool".to_owned(),
                        number => format!("Call {number} tools"),
                    }}
                </button>
            </p>
        </div>
    }
    .into_any()
}

fn line(row: Row) -> AnyView {
    let DiscoverySuggestion { tool_id, earlier, .. } = row.suggestion.get_value();
    let label = format!("Call {tool_id}");
    let about = format!("Arguments of {tool_id}");
    let (is_chosen, arguments, outcome) = (row.is_chosen, row.arguments, row.outcome);
    let is_wrong = Memo::new(move || row.is_chosen.get() && !row.is_usable());
    let proposed = arguments.get_untracked();
    let is_earlier = Memo::new(move || earlier && arguments.with(|text| *text == proposed));
    let id = StoredValue::new(tool_id.clone());
    view! {
        <li>
            <label>
                <input type="checkbox" aria-label=label prop:checked=move || is_chosen.get()
                    on:change:target=move |event| is_chosen.set(event.target().checked()) />
                <span class="mono cut"><Foreign text=tool_id limit=128 /></span>
            </label>
            <div>
                <input type="text" class="mono" class:bad=move || is_wrong.get() spellcheck="false" aria-label=about
                    placeholder="arguments as a JSON object" prop:value=move || arguments.get()
                    on:input:target=move |event| arguments.set(event.target().value()) />
                {move || is_earlier.get().then(|| view! { <span class="dim">"from a recorded call"</span> }.into_any())}
                {move || is_wrong.get().then(|| view! { <span class="bad">"no JSON object"</span> }.into_any())}
            </div>
            <div class="became" aria-live="polite">{move || outcome.get().map(|outcome| shown(id, outcome))}</div>
        </li>
    }
    .into_any()
}

/// What became of a call, and what is known of the tool since.
fn shown(id: StoredValue<String>, outcome: Outcome) -> AnyView {
    let app = App::get();
    let call = match outcome {
        Outcome::Running => return view! { <span class="dim">"calling…"</span> }.into_any(),
        Outcome::Failed(error) => {
            return view! { <span class="bad"><Foreign text=error limit=300 /></span> }.into_any();
        }
        Outcome::Done(call) => *call,
    };
    let (class, word) = match call.state {
        DiscoveryState::Ok => ("good", "called"),
        DiscoveryState::Recent => ("dim", "called within the last day, so not again"),
        DiscoveryState::ToolError => ("bad", "returned an error"),
        DiscoveryState::TimedOut => ("bad", "timed out"),
        DiscoveryState::Invalid => ("bad", "not called, the arguments do not fit"),
        DiscoveryState::Unavailable => ("bad", "not called, the server or the tool is not available"),
        _ => ("bad", "failed"),
    };
    let taught = move || {
        let known = id.with_value(|id| {
            app.live.tools(|tools| tools.get(id).map(|row| (row.quality, row.observation_count)))
        });
        known.map(|(quality, number)| {
            let href = Route::tool(&id.get_value()).address();
            let results = number_of(number as usize, "result", "results");
            view! { <a href=href>{format!("quality {quality}, {results}")}</a> }.into_any()
        })
    };
    view! {
        <span class=class>{word}</span>
        {call.reason.map(|reason| view! { <span class="reason"><Foreign text=reason limit=300 /></span> }.into_any())}
        {taught}
    }
    .into_any()
}
