//! Keys that work everywhere.

use leptos::prelude::*;
use web_sys::KeyboardEvent;

use super::{App, Dialog};
use crate::browser;
use crate::cells::StoredValue;
use crate::route::Route;

/// What each key does, for the help.
pub const KEYS: &[(&str, &str)] = &[
    ("/", "filter"),
    ("j  k", "next, previous"),
    ("Enter", "open"),
    ("←  →", "close, open a field"),
    ("Esc", "close, go back"),
    ("Ctrl K  ⌘ K", "commands and places"),
    ("g o", "overview"),
    ("g t", "tools"),
    ("g r", "review"),
    ("g c", "calls"),
    ("g s", "servers"),
    ("p  x  a", "in review: promote, reject, acknowledge drift"),
    ("?", "this help"),
];

/// How long `g` waits for its second key, in milliseconds.
const CHORD_MS: u64 = 1_200;

/// Listens for as long as the page lives.
pub fn listen(app: App) {
    let chord = StoredValue::new(0_u64);
    let listener = window_event_listener(leptos::ev::keydown, move |event| handle(app, chord, &event));
    on_cleanup(move || listener.remove());
}

fn handle(app: App, chord: StoredValue<u64>, event: &KeyboardEvent) {
    let key = event.key();
    let command = event.ctrl_key() || event.meta_key();
    if command && key.eq_ignore_ascii_case("k") {
        event.prevent_default();
        let was_open = app.dialog.get_untracked() == Some(Dialog::Palette);
        app.close_dialog();
        if !was_open {
            app.dialog.set(Some(Dialog::Palette));
        }
        return;
    }
    if key == "Escape" {
        escape(app);
        return;
    }
    if command || event.alt_key() || browser::is_typing() || app.dialog.get_untracked().is_some() {
        return;
    }
    if browser::now().saturating_sub(chord.get_value()) < CHORD_MS {
        chord.set_value(0);
        let route = match key.as_str() {
            "o" => Route::Overview,
            "t" => Route::Tools { filter: String::new() },
            "r" => Route::Review { open: None },
            "c" => Route::Calls { filter: String::new(), open: None },
            "s" => Route::Servers { open: None },
            "," => Route::Settings,
            _ => return,
        };
        event.prevent_default();
        app.go(route);
        return;
    }
    let keys = app.keys.get_value();
    match key.as_str() {
        "/" => browser::focus("#filter"),
        "?" => app.dialog.set(Some(Dialog::Help)),
        "g" => chord.set_value(browser::now()),
        "j" => move_by(keys, 1),
        "k" => move_by(keys, -1),
        // A focused link or button opens by itself.
        "Enter" if !on_control() => {
            if let Some(keys) = keys {
                keys.open.run(());
            }
        }
        other => {
            let acted = keys.is_some_and(|keys| keys.act.run(other.to_owned()));
            if !acted {
                return;
            }
        }
    }
    if key != "Enter" {
        event.prevent_default();
    }
}

fn move_by(keys: Option<super::ListKeys>, step: i32) {
    if let Some(keys) = keys {
        keys.step.run(step);
    }
}

fn on_control() -> bool {
    browser::document()
        .active_element()
        .is_some_and(|element| matches!(element.tag_name().as_str(), "A" | "BUTTON" | "SUMMARY"))
}

fn escape(app: App) {
    if app.dialog.get_untracked().is_some() {
        app.close_dialog();
    } else if browser::is_typing() {
        browser::focus("#main [tabindex]");
        if let Some(element) = browser::document().active_element()
            && element.id() == "filter"
        {
            // There was nothing else to take the focus.
            use wasm_bindgen::JsCast;
            if let Some(element) = element.dyn_ref::<web_sys::HtmlElement>() {
                let _ = element.blur();
            }
        }
    } else {
        let left = app.keys.get_value().is_some_and(|keys| keys.leave.run(()));
        if !left && app.route.with_untracked(|route| matches!(route, Route::Tool { .. })) {
            app.go(Route::Tools { filter: String::new() });
        }
    }
}
