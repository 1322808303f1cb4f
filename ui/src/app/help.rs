//! Help: keys, topics of the guide, and terms of filters.

use leptos::prelude::*;
use schemascope_api::{PageId, Subject};

use super::App;
use super::keyboard::keys;
use crate::browser;
use crate::cells::{RwSignal, click, effect};
use crate::parts::{Icon, Views};
use crate::route::Route;

#[component]
pub fn Help() -> impl IntoView {
    let app = App::get();
    let tokens = |subject: Subject| {
        subject
            .tokens()
            .iter()
            .map(|(token, meaning)| view! { <dt class="mono">{*token}</dt><dd>{*meaning}</dd> }.into_any())
            .views()
    };
    effect(move || browser::focus("#close-help"));
    let topics = RwSignal::new(Vec::new());
    leptos::task::spawn_local(async move { topics.set(browser::guide_topics().await) });
    let topic = move |(name, title): (String, String)| {
        let href = Route::item(PageId::Help, name).address();
        view! { <li><a class="accent" href=href on:click=click(move |_| app.close_dialog())>{title}</a></li> }
            .into_any()
    };
    view! {
        <div class="inside">
            <div class="head">
                <h2 id="help-title">"Help"</h2>
                <button class="button bare" id="close-help" aria-label="Close" on:click=click(move |_| app.close_dialog())>
                    <Icon name="x" />
                </button>
            </div>
            <div class="help" tabindex="0" role="region" aria-label="Keys, guide and filters">
                <div>
                    <h3>"Keys"</h3>
                    <dl>
                        {keys().into_iter().map(|(key, label)| view! {
                            <dt>{key.split("  ").map(|key| view! { <kbd>{key.to_owned()}</kbd> " " }.into_any()).views()}</dt>
                            <dd>{label}</dd>
                        }.into_any()).views()}
                    </dl>
                </div>
                <div>
                    {move || (!topics.with(Vec::is_empty)).then(|| view! {
                        <h3>"Guide"</h3>
                        <ul class="topics">{topics.get().into_iter().map(topic).views()}</ul>
                    }.into_any())}
                    <h3>"Filters for tools"</h3>
                    <dl>{tokens(Subject::Tools)}</dl>
                    <h3>"Filters for calls"</h3>
                    <dl>{tokens(Subject::Calls)}</dl>
                    <h3>"Filters for edges"</h3>
                    <dl>{tokens(Subject::Edges)}</dl>
                    <p class="dim">"Terms are combined (AND). Prefix " <span class="mono">"-"</span> " to exclude."</p>
                </div>
            </div>
        </div>
    }
}
