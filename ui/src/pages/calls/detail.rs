//! The detail of one call: status, times, arguments and result.

use std::sync::Arc;

use leptos::prelude::*;
use schemascope_api::{CallId, CallRecord, GetCall, failure_reason};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::app::App;
use crate::cells::{RwSignal, click, effect};
use crate::live::Connection;
use crate::numbers::{bytes, duration, number_of};
use crate::parts::{Empty, Foreign, Icon, Loading, OutcomeWord, Payload, ToolName, Views, carrier_word};
use crate::route::Route;
use crate::{browser, door, wire};

#[component]
pub fn Detail(
    /// ID of the call.
    id: String,
    /// Closes the detail.
    close: Callback<()>,
) -> impl IntoView {
    let app = App::get();
    let found: RwSignal<Option<Result<Arc<CallRecord>, String>>> = RwSignal::new(None);
    match id.parse::<CallId>() {
        Ok(id) => effect(move || {
            let is_live = app.live.connection.get() == Connection::Live;
            if !is_live || found.with_untracked(|found| matches!(found, Some(Ok(_)))) {
                return;
            }
            leptos::task::spawn_local(async move {
                let reply = door::call(&GetCall { id }).await;
                found.set(Some(reply.map(Arc::new).map_err(|error| error.to_string())));
            });
        }),
        Err(error) => found.set(Some(Err(error.to_string()))),
    }
    view! {
        <section class="card detail" aria-label="Call">
            <header>
                <h2>"Call"</h2>
                <span class="side">
                    <button class="button bare small" aria-label="Close" title="Close (Esc)" on:click=click(move |_| close.run(()))>
                        <Icon name="x" />
                    </button>
                </span>
            </header>
            <div class="body" tabindex="0" role="region" aria-label="Detail of the call">
                {move || match found.get() {
                    None => view! { <Loading /> }.into_any(),
                    Some(Err(error)) => view! {
                        <Empty icon="triangle-alert" title="Cannot read this call"><p>{error}</p></Empty>
                    }.into_any(),
                    Some(Ok(call)) => view! { <Record call=call /> }.into_any(),
                }}
            </div>
        </section>
    }
}

#[component]
fn Record(
    /// The call.
    call: Arc<CallRecord>,
) -> impl IntoView {
    let id = call.id.to_string();
    let body = |title: &'static str, name: &str, body: &Option<Box<RawValue>>| {
        let file = format!("{}-{name}.json", &id[..12]);
        body.as_ref()
            .map(|body| view! { <Payload title=title file=file body=body.get().to_owned() /> }.into_any())
    };
    let texts = call.result.as_deref().map(texts).unwrap_or_default();
    let tool = call.tool_id.to_string();
    let (link, graph) = (Route::tool(&tool).address(), Route::graph(&tool).address());
    view! {
        <dl class="grid">
            <dt>"Tool"</dt><dd class="mono"><a class="accent" href=link><ToolName id=tool /></a>" · "<a class="accent" href=graph>"Graph"</a></dd>
            <dt>"Status"</dt>
            <dd>
                <OutcomeWord outcome=call.outcome />
                {call.fit.as_ref().map(|fit| if fit.fits {
                    view! { <span class="dim">", matches the schema that was effective"</span> }.into_any()
                } else {
                    let rule = fit.rule.as_ref().map(|rule| view! {
                        ": " <span class="mono"><Foreign text=rule.to_string() limit=200 /></span>
                    });
                    view! { <span class="warn">", does not match the schema that was effective" {rule}</span> }.into_any()
                })}
            </dd>
            {failure_reason(&call).map(|reason| view! {
                <dt>"Reason"</dt><dd class="bad"><Foreign text=reason limit=500 /></dd>
            }.into_any())}
            <dt>"Started"</dt><dd class="num">{browser::date_and_time(call.at.as_millis())}</dd>
            {call.total_us.map(|total| view! {
                <dt>"Duration"</dt>
                <dd class="num">
                    {duration(total)}
                    {call.upstream_us.map(|upstream| format!(" ({} in the server)", duration(upstream)))}
                </dd>
            }.into_any())}
            <dt>"Result"</dt><dd>{carrier_word(call.carrier)} ", " {bytes(call.result_bytes)}</dd>
            {call.client.as_ref().map(|client| view! {
                <dt>"Client"</dt><dd><Foreign text=format!("{} {}", client.name, client.version) limit=120 /></dd>
            }.into_any())}
            {call.session.as_ref().map(|session| view! {
                <dt>"Session"</dt><dd class="mono"><Foreign text=session.to_string() limit=80 /></dd>
            }.into_any())}
            {(call.redacted > 0).then(|| view! { <dt>"Redacted"</dt><dd>{format!("{}, before the call was stored", number_of(call.redacted as usize, "value", "values"))}</dd> }.into_any())}
            <dt>"ID"</dt><dd class="mono faint">{id.clone()}</dd>
        </dl>
        {call.bodies_left_out.then(|| view! {
            <p class="cut-note warn">"Arguments and result are missing: the recorder was overloaded when the call was made, or they can no longer be read."</p>
        }.into_any())}
        {body("Arguments", "arguments", &call.arguments)}
        {body("Error", "error", &call.error)}
        {texts.into_iter().enumerate().map(|(n, (text, is_json))| {
            let file = format!("{}-text-{}.{}", &id[..12], n + 1, if is_json { "json" } else { "txt" });
            view! { <Payload title=if is_json { "Result (parsed)" } else { "Result text" } file=file body=text plain=!is_json /> }.into_any()
        }).views()}
        {body("Raw result", "result", &call.result)}
    }
}

/// The text blocks of a result, at most three, and whether each is JSON.
fn texts(result: &RawValue) -> Vec<(String, bool)> {
    #[derive(Deserialize)]
    struct Outer {
        #[serde(default)]
        content: Vec<Block>,
    }
    #[derive(Deserialize)]
    struct Block {
        text: Option<String>,
    }
    let outer: Option<Outer> = wire::read(result.get()).ok();
    let blocks = outer.map(|outer| outer.content).unwrap_or_default();
    blocks
        .into_iter()
        .filter_map(|block| block.text)
        .take(3)
        .map(|text| {
            let is_json = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
            (text, is_json)
        })
        .collect()
}
