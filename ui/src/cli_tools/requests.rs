//! Requests of agents for command-line tools. Nothing is run for one before the user asks for it.

use leptos::prelude::*;
use schemascope_api::{CliRequest, ProbeCliTool};

use super::decide::CliDecision;
use super::dialog::CliAsking;
use super::probe::{Preview, Probe};
use super::words::name;
use crate::app::{App, Dialog};
use crate::cells::{Memo, click};
use crate::numbers::number_of;
use crate::parts::{Foreign, KeyedRow, keyed, shown, time};

/// The group of the review page; nothing if there are no requests.
#[component]
pub fn Requests(
    /// The requests.
    requests: Memo<Vec<CliRequest>>,
) -> impl IntoView {
    let any = Memo::new(move || requests.with(|requests| !requests.is_empty()));
    let count = Memo::new(move || requests.with(Vec::len));
    move || {
        any.get().then(|| {
            let row = |request: CliRequest| {
                let key = format!("{} {}", request.alias, request.at.as_millis());
                KeyedRow::new(key, move || view! { <Request request=request /> })
            };
            view! {
                <section class="card cli-requests" tabindex="0" aria-labelledby="cli-requests-title">
                    <header>
                        <h2 id="cli-requests-title">"Requests for command-line tools"</h2>
                        <span class="side">{move || number_of(count.get(), "request", "requests")}</span>
                    </header>
                    {keyed(move || requests.get().into_iter().map(row).collect())}
                </section>
            }
            .into_any()
        })
    }
}

#[component]
fn Request(
    /// The request.
    request: CliRequest,
) -> impl IntoView {
    let app = App::get();
    let probe = Probe::new();
    let (alias, command) = (request.alias.clone(), request.command.clone());
    let read = ProbeCliTool { command: command.clone(), subcommand: String::new() };
    let approve = {
        let (alias, command, persist) = (alias.clone(), command.clone(), request.persist);
        move |_| {
            let allow = probe.allowed().into_iter().collect();
            let (alias, command) = (alias.clone(), command.clone());
            let decision = CliDecision::Approve { alias, command, persist, allow };
            app.dialog.set(Some(Dialog::CliTool(CliAsking::Decide(decision))));
        }
    };
    let reject = move |_| {
        let (alias, command) = (alias.clone(), command.clone());
        let decision = CliDecision::Reject { alias, command };
        app.dialog.set(Some(Dialog::CliTool(CliAsking::Decide(decision))));
    };
    let shown_name = name(&request.alias);
    let is_busy = Memo::new(move || probe.is_busy());
    let about = facts(&request);
    view! {
        <article class="cli-request" aria-label=format!("Request for {shown_name}")>
            <div class="title-row">
                <h3 class="mono">{shown_name.clone()}</h3>
                <span class="side">
                    <button class="button small" aria-label=format!("Approve {shown_name}") on:click=click(approve)>"Approve…"</button>
                    <button class="button small" aria-label=format!("Reject {shown_name}") on:click=click(reject)>"Reject…"</button>
                </span>
            </div>
            {about}
            <p>
                <button class="button small" aria-label=format!("Read its help: {shown_name}") prop:disabled=move || is_busy.get()
                    on:click=click(move |_| probe.read(read.clone()))>
                    {move || if is_busy.get() { "Reading its help…" } else { "Read its help" }}
                </button>
                <span class="dim">" Runs the program with --help, -h or help. Nothing is run for this request before."</span>
            </p>
            <Preview probe=probe />
        </article>
    }
}

/// Who asks for what. Texts of the agent are marked.
fn facts(request: &CliRequest) -> AnyView {
    let client = request.client.clone().unwrap_or_else(|| "an agent without a name".to_owned());
    let kept = match request.persist {
        true => "in ai-tools.json",
        false => "until Schemascope ends",
    };
    view! {
        <dl class="pairs">
            <dt>"Requested by"</dt>
            <dd><Foreign text=client limit=120 />" · "{time(request.at)}</dd>
            <dt>"Alias"</dt>
            <dd class="mono"><Foreign text=request.alias.clone() limit=64 /></dd>
            <dt>"Program"</dt>
            <dd class="mono"><Foreign text=request.command.clone() limit=120 />" · "<Foreign text=request.program.clone() limit=400 /></dd>
            <dt>"Kept, once approved"</dt>
            <dd>{kept}</dd>
            {agent_text("Description", request.description.as_deref())}
            {agent_text("Instructions", request.system_prompt.as_deref())}
        </dl>
    }
    .into_any()
}

/// A text that the agent wrote.
fn agent_text(title: &'static str, text: Option<&str>) -> Option<AnyView> {
    text.filter(|text| !text.trim().is_empty()).map(|text| {
        view! {
            <dt>{title}" "<span class="tag">"written by the agent"</span></dt>
            <dd class="cli-text foreign">{shown(text)}</dd>
        }
        .into_any()
    })
}
