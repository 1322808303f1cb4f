//! The browser's history and ours.

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{HtmlAnchorElement, MouseEvent};

use super::App;
use crate::browser::{document, window};
use crate::cells::effect;
use crate::route::Route;

/// Whether "back" comes back here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// It does.
    Push,
    /// It does not.
    Replace,
}

/// Where the browser is.
pub fn here() -> Route {
    let location = window().location();
    let query = location.search().unwrap_or_default();
    Route::parse(&location.pathname().unwrap_or_default(), query.trim_start_matches('?'))
}

/// Goes somewhere.
pub fn navigate(app: App, route: Route, step: Step) {
    if app.route.with_untracked(|known| *known == route) {
        return;
    }
    if let Ok(history) = window().history() {
        let address = route.address();
        let _ = match step {
            Step::Push => history.push_state_with_url(&JsValue::NULL, "", Some(&address)),
            Step::Replace => history.replace_state_with_url(&JsValue::NULL, "", Some(&address)),
        };
    }
    app.route.set(route);
}

/// Takes clicks on links and the browser's own steps, and keeps the title true.
pub fn listen(app: App) {
    let back = window_event_listener(leptos::ev::popstate, move |_| app.route.set(here()));
    let clicks = window_event_listener(leptos::ev::click, move |event| {
        if let Some(route) = inner_link(&event) {
            event.prevent_default();
            app.go(route);
        }
    });
    // The dashboard's address with its token, opened where the dashboard is open already.
    let token = window_event_listener(leptos::ev::hashchange, move |_| crate::door::log_in());
    on_cleanup(move || {
        token.remove();
        back.remove();
        clicks.remove();
    });
    effect(move || {
        let place = app.route.with(|route| match route {
            Route::Overview => "Overview".to_owned(),
            Route::Tools { .. } => "Tools".to_owned(),
            Route::Tool { id, .. } => crate::text::visible(id, 80),
            Route::Calls { .. } => "Calls".to_owned(),
            Route::Servers { .. } => "Servers".to_owned(),
            Route::Settings => "Settings".to_owned(),
            Route::Review { .. } => "Review".to_owned(),
            Route::Unknown => "Not found".to_owned(),
        });
        document().set_title(&format!("{place} · Schemascope"));
    });
}

/// The place a plain click on a link of ours leads to.
fn inner_link(event: &MouseEvent) -> Option<Route> {
    let modified = event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key();
    if modified || event.button() != 0 || event.default_prevented() {
        return None;
    }
    let target: web_sys::Element = event.target()?.dyn_into().ok()?;
    let anchor: HtmlAnchorElement = target.closest("a[href]").ok()??.dyn_into().ok()?;
    let inner = anchor.origin() == window().location().origin().ok()? && !anchor.has_attribute("download");
    inner.then(|| Route::parse(&anchor.pathname(), anchor.search().trim_start_matches('?')))
}
