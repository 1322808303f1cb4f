//! Navigation: the browser's history, clicks on links, and the window title.

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{HtmlAnchorElement, MouseEvent};

use super::{App, positions};
use crate::browser::{self, document, sleep, window};
use crate::cells::effect;
use crate::door;
use crate::route::Route;

/// Time until a page is drawn, in milliseconds.
const DRAWN_MS: i32 = 50;

/// How an address enters the browser's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum History {
    /// As a new entry: "back" returns to the current one.
    Push,
    /// In place of the current entry.
    Replace,
}

/// The address the browser shows.
pub fn here() -> Route {
    let location = window().location();
    let query = location.search().unwrap_or_default();
    Route::parse(&location.pathname().unwrap_or_default(), query.trim_start_matches('?'))
}

/// Opens an address.
pub fn navigate(app: App, route: Route, entry: History) {
    if app.route.with_untracked(|known| *known == route) {
        return;
    }
    positions::leave(app, app.route.with_untracked(Route::address));
    if let Ok(history) = window().history() {
        let address = route.address();
        let _ = match entry {
            History::Push => history.push_state_with_url(&JsValue::NULL, "", Some(&address)),
            History::Replace => history.replace_state_with_url(&JsValue::NULL, "", Some(&address)),
        };
    }
    app.route.set(route);
}

/// Follows clicks on links and the browser's own navigation, and keeps the title up to date.
pub fn listen(app: App) {
    // A dialog is about the page that was left.
    let back = window_event_listener(leptos::ev::popstate, move |_| {
        app.leave_dialog();
        positions::leave(app, app.route.with_untracked(Route::address));
        app.route.set(here());
        positions::restore(app, app.route.with_untracked(Route::address));
    });
    let clicks = window_event_listener(leptos::ev::click, move |event| {
        if let Some((route, part)) = internal_link(&event) {
            event.prevent_default();
            app.leave_dialog();
            app.go(route);
            show(part);
        }
    });
    // The address with a token, opened in a tab that shows the dashboard already.
    let token = window_event_listener(leptos::ev::hashchange, move |_| door::log_in());
    on_cleanup(move || {
        token.remove();
        back.remove();
        clicks.remove();
    });
    effect(move || {
        let place = app.route.with(title);
        document().set_title(&format!("{place} · Schemascope"));
    });
}

fn title(route: &Route) -> String {
    match (route.item_instead(), route.page) {
        (Some(item), _) => crate::text::visible(item, 80),
        (None, Some(page)) => page.page().title.to_owned(),
        (None, None) => "Not found".to_owned(),
    }
}

/// Scrolls to a part of the page, `#id`, once the page is drawn.
fn show(part: String) {
    if part.len() < 2 {
        return;
    }
    leptos::task::spawn_local(async move {
        sleep(DRAWN_MS).await;
        if let Ok(Some(element)) = document().query_selector(&part) {
            browser::show(&element);
        }
    });
}

/// The route of a plain click on a link within the dashboard, and the part of the page that it names.
fn internal_link(event: &MouseEvent) -> Option<(Route, String)> {
    let modified = event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key();
    if modified || event.button() != 0 || event.default_prevented() {
        return None;
    }
    let target: web_sys::Element = event.target()?.dyn_into().ok()?;
    let anchor: HtmlAnchorElement = target.closest("a[href]").ok()??.dyn_into().ok()?;
    let inner = anchor.origin() == window().location().origin().ok()? && !anchor.has_attribute("download");
    // Evidence in a dialog opens beside it, where there are tabs.
    if !inner || anchor.target() == "_blank" && !door::is_window() {
        return None;
    }
    Some((Route::parse(&anchor.pathname(), anchor.search().trim_start_matches('?')), anchor.hash()))
}
