//! Empty states of a new installation: what to do first.

use leptos::prelude::*;

use crate::app::App;
use crate::cells::Memo;
use crate::parts::Empty;

/// An entry of the configuration file.
const EXAMPLE: &str = r#"{"mcpServers": {"git": {"command": "mcp-server-git"}}}"#;

/// Shown where there are no servers.
#[component]
pub fn NoServers() -> impl IntoView {
    let app = App::get();
    move || {
        let config = app.live.about().map(|about| about.config.clone()).unwrap_or_default();
        view! {
            <Empty icon="server" title="No servers yet">
                <p>"Add a server to this file, in the format your agent uses already. Changes apply at once."</p>
                <code>{config} <br /> {EXAMPLE}</code>
            </Empty>
        }
    }
}

/// Shown where there are no tools.
#[component]
pub fn NoTools() -> impl IntoView {
    let app = App::get();
    let none = Memo::new(move || app.live.servers(|servers| servers.values().all(|server| server.built_in)));
    move || {
        if none.get() {
            return view! { <NoServers /> }.into_any();
        }
        let url = app.live.about().and_then(|about| about.mcp_url.clone()).unwrap_or_default();
        view! {
            <Empty icon="wrench" title="No tools listed yet">
                <p>"A server starts when it is first needed. Connect your agent to this address, with the agent token as bearer token:"</p>
                <code>{url}</code>
            </Empty>
        }
        .into_any()
    }
}
