//! The navigation: a link for each page of the register.

use leptos::prelude::*;
use schemascope_api::{PAGES, Page, PageId, UpstreamState};

use super::App;
use crate::cells::Memo;
use crate::numbers::{count, number_of};
use crate::parts::{Icon, Views};
use crate::picture::needs_review;

#[component]
pub fn Side() -> impl IntoView {
    let app = App::get();
    let link = |page: &'static Page| {
        let is_current = move || app.route.with(|route| route.page == Some(page.id)).then_some("page");
        let title = format!("{}: {} ({})", page.title, page.label, page.chord());
        view! {
            <a href=page.address() title=title aria-current=is_current>
                <Icon name=page.icon /><span>{page.title}</span>{badge(app, page.id)}
            </a>
        }
        .into_any()
    };
    view! {
        <nav class="side" aria-label="Pages">
            {PAGES.iter().map(link).views()}
            <div class="foot">
                {move || app.live.about().map(|about| format!("Schemascope {}", about.version))}
            </div>
        </nav>
    }
}

/// The number beside a page's title.
fn badge(app: App, page: PageId) -> AnyView {
    match page {
        PageId::Tools => tools(app),
        PageId::Review => review(app),
        PageId::Servers => servers(app),
        _ => ().into_any(),
    }
}

fn tools(app: App) -> AnyView {
    let tools = Memo::new(move || app.live.tools(|tools| tools.len()));
    let text = move || match tools.get() {
        0 => String::new(),
        n => count(n as u64),
    };
    view! { <span class="count">{text}</span> }.into_any()
}

/// Everything that the page lists.
fn review(app: App) -> AnyView {
    let tools =
        Memo::new(move || app.live.tools(|tools| tools.values().filter(|row| needs_review(row)).count()));
    let others = Memo::new(move || {
        app.live.about().map_or((0, 0), |about| (about.requests.len(), about.proposals.len()))
    });
    let badge = move || {
        let (tools, (requests, proposals)) = (tools.get(), others.get());
        let kinds = [
            (tools, "tool with a version or drift to review", "tools with a version or drift to review"),
            (requests, "request for a command-line tool", "requests for command-line tools"),
            (proposals, "proposed description", "proposed descriptions"),
        ];
        let named = kinds.iter().filter(|(number, ..)| *number > 0);
        let title: Vec<String> = named.map(|(number, one, many)| number_of(*number, one, many)).collect();
        (!title.is_empty()).then(|| {
            view! { <span class="count warn" title=title.join(", ")>{count((tools + requests + proposals) as u64)}</span> }
                .into_any()
        })
    };
    view! { {badge} }.into_any()
}

fn servers(app: App) -> AnyView {
    let servers = Memo::new(move || {
        app.live.servers(|servers| {
            let broken = |state| matches!(state, UpstreamState::Failed | UpstreamState::Invalid);
            (servers.len(), servers.values().filter(|server| broken(server.state)).count())
        })
    });
    let badge = move || match servers.get() {
        (0, _) => ().into_any(),
        (all, 0) => view! { <span class="count">{all}</span> }.into_any(),
        (_, broken) => {
            view! { <span class="count bad" title="servers that failed">{broken} " ✕"</span> }.into_any()
        }
    };
    view! { {badge} }.into_any()
}
