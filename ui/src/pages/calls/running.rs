//! Calls that have no answer yet.

use leptos::prelude::*;
use schemascope_api::RunningCall;

use crate::app::App;
use crate::cells::Memo;
use crate::numbers::{count, span};
use crate::parts::{Foreign, ToolName, Views};
use crate::route::Route;

/// Calls in the list; the others are counted.
const ROWS: usize = 5;

#[component]
pub fn Running() -> impl IntoView {
    let app = App::get();
    let running = Memo::new(move || app.live.pulse.with(|pulse| pulse.running.clone()));
    let row = move |call: RunningCall| {
        let at = call.at.as_millis();
        let link = Route::tool(&call.tool_id).address();
        view! {
            <li>
                <i class="dot warn"></i>
                <a class="mono" href=link><ToolName id=call.tool_id /></a>
                <span class="num">{move || span(at, app.live.now.get())}</span>
                <span class="faint">{call.client.map(|client| view! { <Foreign text=client limit=60 /> })}</span>
            </li>
        }
        .into_any()
    };
    move || {
        let running = running.get();
        let more = running.count.saturating_sub(ROWS as u64);
        (running.count > 0).then(|| {
            view! {
                <section class="card running" aria-label="Running calls">
                    <header><h2>{count(running.count)} " running"</h2></header>
                    <ul>{running.calls.into_iter().take(ROWS).map(row).views()}</ul>
                    {(more > 0).then(|| view! { <p class="faint num">"and " {count(more)} " more"</p> })}
                </section>
            }
        })
    }
}
