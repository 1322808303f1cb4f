//! The navigation.

use leptos::prelude::*;
use schemascope_api::UpstreamState;

use super::App;
use crate::cells::Memo;
use crate::numbers::count;
use crate::parts::Icon;
use crate::route::Route;

#[component]
pub fn Side() -> impl IntoView {
    let app = App::get();
    let tools = Memo::new(move || app.live.tools(|tools| tools.len()));
    let waiting = Memo::new(move || {
        app.live.tools(|tools| tools.values().filter(|row| crate::pages::review::waits(row)).count())
    });
    let servers = Memo::new(move || {
        app.live.servers(|servers| {
            let broken = |state| matches!(state, UpstreamState::Failed | UpstreamState::Invalid);
            (servers.len(), servers.values().filter(|server| broken(server.state)).count())
        })
    });
    let is = move |wanted: fn(&Route) -> bool| app.route.with(wanted).then_some("page");
    view! {
        <nav class="side" aria-label="Pages">
            <a href="/" aria-current=move || is(|r| *r == Route::Overview) title="Overview (g o)">
                <Icon name="gauge" /><span>"Overview"</span>
            </a>
            <a href="/tools" title="Tools (g t)"
                aria-current=move || is(|r| matches!(r, Route::Tools { .. } | Route::Tool { .. }))>
                <Icon name="wrench" /><span>"Tools"</span>
                <span class="count">{move || match tools.get() { 0 => String::new(), n => count(n as u64) }}</span>
            </a>
            <a href="/review" title="Review (g r)" aria-current=move || is(|r| matches!(r, Route::Review { .. }))>
                <Icon name="inbox" /><span>"Review"</span>
                {move || (waiting.get() > 0).then(|| view! {
                    <span class="count warn" title="tools with a version or drift that waits for a person">{waiting.get()}</span>
                }.into_any())}
            </a>
            <a href="/calls" aria-current=move || is(|r| matches!(r, Route::Calls { .. })) title="Calls (g c)">
                <Icon name="activity" /><span>"Calls"</span>
            </a>
            <a href="/servers" aria-current=move || is(|r| matches!(r, Route::Servers { .. })) title="Servers (g s)">
                <Icon name="server" /><span>"Servers"</span>
                {move || match servers.get() {
                    (0, _) => ().into_any(),
                    (all, 0) => view! { <span class="count">{all}</span> }.into_any(),
                    (_, broken) => view! {
                        <span class="count bad" title="servers that do not work">{broken} " ✕"</span>
                    }.into_any(),
                }}
            </a>
            <a href="/settings" title="Settings (g ,)" aria-current=move || is(|r| *r == Route::Settings)>
                <Icon name="sliders" /><span>"Settings"</span>
            </a>
            <div class="foot">
                {move || app.live.about().map(|about| format!("Schemascope {}", about.version))}
            </div>
        </nav>
    }
}
