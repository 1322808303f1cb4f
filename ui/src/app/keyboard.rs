//! The keyboard: shortcuts, chords that open pages, and keys of lists.

use leptos::prelude::*;
use schemascope_api::{CHORD, PAGES, Page};
use web_sys::KeyboardEvent;

use super::{App, Dialog};
use crate::browser;
use crate::cells::StoredValue;

/// The `key` of a keyboard event, and what it does.
type Action = (&'static str, fn(App));

/// A key that works on every page.
struct Shortcut {
    /// Keys as the help shows them, separated by two spaces.
    shown: &'static str,
    /// What they do.
    label: &'static str,
    /// Empty for keys that other parts handle.
    actions: &'static [Action],
}

const SHORTCUTS: &[Shortcut] = &[
    Shortcut { shown: "/", label: "filter", actions: &[("/", |_| browser::focus("#filter"))] },
    Shortcut {
        shown: "j  k",
        label: "next, previous row",
        actions: &[("j", |app| step(app, 1)), ("k", |app| step(app, -1))],
    },
    Shortcut { shown: "Enter", label: "open the selected row", actions: &[] },
    Shortcut { shown: "←  →", label: "collapse, expand a field", actions: &[] },
    Shortcut { shown: "Esc", label: "close, go back", actions: &[] },
    Shortcut { shown: "Ctrl K  ⌘ K", label: "search commands, pages, tools and servers", actions: &[] },
    Shortcut { shown: "?", label: "this help", actions: &[("?", |app| app.dialog.set(Some(Dialog::Help)))] },
];

/// Every key and what it does, for the help: general keys, then those of the pages.
pub fn keys() -> Vec<(String, String)> {
    let general = SHORTCUTS.iter().map(|key| (key.shown.to_owned(), key.label.to_owned()));
    let chords = PAGES.iter().map(|page| (page.chord(), page.title.to_lowercase()));
    let of_pages = PAGES.iter().flat_map(|page| {
        let key = |(key, label): &(char, &str)| {
            let key = if *key == ' ' { "Space".to_owned() } else { key.to_string() };
            (key, format!("{}: {label}", page.title.to_lowercase()))
        };
        page.keys.iter().map(key)
    });
    general.chain(chords).chain(of_pages).collect()
}

/// Time for the second key of a chord, in milliseconds.
const CHORD_TIMEOUT_MS: u64 = 1_200;

/// Handles keys while the page exists.
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
        let dialog = app.dialog.get_untracked();
        let was_open = dialog == Some(Dialog::Palette);
        // What is typed in another dialog is not thrown away.
        if dialog.is_some_and(|dialog| !matches!(dialog, Dialog::Palette | Dialog::Help)) {
            return;
        }
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
    if browser::now().saturating_sub(chord.get_value()) < CHORD_TIMEOUT_MS {
        chord.set_value(0);
        if let Some(page) = Page::of_key(&key) {
            event.prevent_default();
            app.go(page.id);
        }
        return;
    }
    if act(app, chord, &key) {
        event.prevent_default();
    }
}

/// Handles a key of its own; returns whether the key is used up.
fn act(app: App, chord: StoredValue<u64>, key: &str) -> bool {
    let find = |shortcut: &Shortcut| shortcut.actions.iter().find(|(wanted, _)| *wanted == key).copied();
    if let Some((_, run)) = SHORTCUTS.iter().find_map(find) {
        run(app);
        return true;
    }
    let mut chars = key.chars();
    let single = chars.next().filter(|_| chars.next().is_none());
    if single == Some(CHORD) {
        chord.set_value(browser::now());
        return true;
    }
    let Some(list) = app.keys.get_value() else { return false };
    if single == Some(' ') && on_button() {
        return false;
    }
    // A focused link or button handles Enter by itself.
    if key == "Enter" && !on_control() {
        list.open.run(());
    }
    let page = app.route.with_untracked(|route| route.page);
    let declared = page.and_then(|page| page.page().keys.iter().find(|(key, _)| single == Some(*key)));
    if let Some((key, _)) = declared {
        list.act.run(*key);
    }
    declared.is_some()
}

fn step(app: App, by: i32) {
    if let Some(list) = app.keys.get_value() {
        list.step.run(by);
    }
}

fn on_control() -> bool {
    browser::document()
        .active_element()
        .is_some_and(|element| matches!(element.tag_name().as_str(), "A" | "BUTTON" | "SUMMARY"))
}

fn on_button() -> bool {
    let active = browser::document().active_element();
    active.is_some_and(|element| matches!(element.tag_name().as_str(), "BUTTON" | "SUMMARY"))
}

fn escape(app: App) {
    if app.dialog.get_untracked().is_some() {
        app.close_dialog();
    } else if browser::is_typing() {
        browser::focus("#main [tabindex]");
        if let Some(element) = browser::document().active_element()
            && element.id() == "filter"
        {
            // Nothing else accepted the focus.
            use wasm_bindgen::JsCast;
            if let Some(element) = element.dyn_ref::<web_sys::HtmlElement>() {
                let _ = element.blur();
            }
        }
    } else {
        let left = app.keys.get_value().is_some_and(|keys| keys.leave.run(()));
        let list = app.route.with_untracked(|route| route.item_instead().and(route.page));
        if let Some(page) = list.filter(|_| !left) {
            app.go(page);
        }
    }
}
