//! Controls above the picture: confidence, state, server, echoes and hops.

use leptos::prelude::*;

use super::place::MAX_HOPS;
use super::state::State;
use crate::cells::{Memo, RwSignal, click};
use crate::graph::tokens::{token, with_token};
use crate::parts::Views;
use crate::text::visible;

/// Least confidences that are offered.
const CONFIDENCES: [f64; 7] = [0.0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99];
/// Values of the term `state:` and their names.
const STATES: [(&str, &str); 5] = [
    ("", "all states"),
    ("seen", "● seen in use"),
    ("possible", "○ possible"),
    ("broken", "✕ broken"),
    ("threatened", "▲ threatened"),
];

#[component]
pub fn Controls(
    /// The page's state.
    state: State,
    /// Whether the table is shown instead of the picture, in a narrow window.
    as_table: RwSignal<bool>,
) -> impl IntoView {
    let value = move |key: &'static str| {
        Memo::new(move || state.place.with(|place| token(&place.filter, key).unwrap_or_default().to_owned()))
    };
    let (shown_state, server, echo) = (value("state"), value("server"), value("echo"));
    let set = move |key: &'static str, value: String| {
        let value = Some(value.as_str()).filter(|value| !value.is_empty()).map(str::to_owned);
        state.change(|place| place.filter = with_token(&place.filter, key, value.as_deref()));
    };
    let min = Memo::new(move || state.place.with(|place| place.min));
    let has_focus = Memo::new(move || state.place.with(|place| place.focus.is_some()));
    let servers =
        Memo::new(move || state.app.live.servers(|servers| servers.keys().cloned().collect::<Vec<String>>()));
    let without_echo = Memo::new(move || echo.get() == "no");
    let confidences = move || {
        let now = min.get();
        let mut offered: Vec<f64> = CONFIDENCES.to_vec();
        if !offered.iter().any(|known| (known - now).abs() < 1e-9) {
            offered.push(now);
            offered.sort_by(f64::total_cmp);
        }
        offered
            .into_iter()
            .map(|share| {
                let text = if share > 0.0 { format!("≥ {share:.2}") } else { "any".to_owned() };
                view! { <option value=share.to_string() prop:selected=(share - now).abs() < 1e-9>{text}</option> }
                    .into_any()
            })
            .views()
    };
    view! {
        <div class="graph-controls" role="group" aria-label="Filter edges">
            <label>"Confidence "
                <select id="graph-min" on:change:target=move |event| {
                    if let Ok(share) = event.target().value().parse::<f64>() {
                        state.change(|place| place.min = share);
                    }
                }>{confidences}</select>
            </label>
            <label><span class="hidden">"State"</span>
                <select id="graph-state" class:on=move || !shown_state.get().is_empty()
                    on:change:target=move |event| set("state", event.target().value())>
                    {STATES.iter().map(|(value, name)| view! {
                        <option value=*value prop:selected=move || shown_state.get() == *value>{*name}</option>
                    }.into_any()).views()}
                </select>
            </label>
            <label><span class="hidden">"Server"</span>
                <select id="graph-server" class:on=move || !server.get().is_empty()
                    on:change:target=move |event| set("server", event.target().value())>
                    <option value="" prop:selected=move || server.get().is_empty()>"all servers"</option>
                    {move || servers.get().into_iter().map(|name| {
                        let value = name.replace(char::is_whitespace, "*");
                        let own = value.clone();
                        view! {
                            <option value=value prop:selected=move || server.get() == own>{visible(&name, 40)}</option>
                        }.into_any()
                    }).views()}
                </select>
            </label>
            <button class="button small chip" id="graph-echo" title="An echo is an output that only repeats an argument of its own call"
                aria-pressed=move || if without_echo.get() { "true" } else { "false" }
                on:click=click(move |_| set("echo", if without_echo.get_untracked() { String::new() } else { "no".to_owned() }))>
                "Hide echoes"
            </button>
            {move || has_focus.get().then(|| view! {
                <span class="segments" role="group" aria-label="Hops">
                    {(1..=MAX_HOPS).map(|hops| view! {
                        <button aria-pressed=move || if state.place.with(|place| place.hops == hops) { "true" } else { "false" }
                            on:click=click(move |_| state.change(|place| place.hops = hops))>
                            {format!("{hops} {}", if hops == 1 { "hop" } else { "hops" })}
                        </button>
                    }.into_any()).views()}
                </span>
            }.into_any())}
            <span class="segments narrow-only" role="group" aria-label="View">
                <button aria-pressed=move || if as_table.get() { "false" } else { "true" } on:click=click(move |_| as_table.set(false))>"Picture"</button>
                <button aria-pressed=move || if as_table.get() { "true" } else { "false" } on:click=click(move |_| as_table.set(true))>"Table"</button>
            </span>
        </div>
    }
}
