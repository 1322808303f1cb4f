//! Scroll positions of pages that were left, restored when the user goes back.

use wasm_bindgen::JsCast;
use web_sys::Element;

use super::App;
use crate::browser::{document, sleep};
use crate::route::Route;

/// Most addresses whose positions are kept.
const MAX_ADDRESSES: usize = 50;
/// Attempts to restore a position while the page loads, and the pause between two, in milliseconds.
const ATTEMPTS: u32 = 30;
const PAUSE_MS: i32 = 50;

/// Addresses, with the labels of the regions that were scrolled and how far, in pixels; the latest last.
pub type Positions = Vec<(String, Vec<(String, i32)>)>;

/// Notes how far the regions of the page are scrolled.
pub fn leave(app: App, address: String) {
    let mut found = Vec::new();
    for region in regions() {
        if region.scroll_top() > 0
            && let Some(label) = label(&region)
        {
            found.push((label, region.scroll_top()));
        }
    }
    app.positions.update_value(|positions| {
        positions.retain(|(known, _)| *known != address);
        if !found.is_empty() {
            if positions.len() == MAX_ADDRESSES {
                positions.remove(0);
            }
            positions.push((address, found));
        }
    });
}

/// Scrolls the regions to where they were when the address was left, as soon as they are long enough.
pub fn restore(app: App, address: String) {
    let found = |positions: &Positions| positions.iter().find(|(known, _)| *known == address).cloned();
    let Some((_, mut missing)) = app.positions.with_value(found) else { return };
    leptos::task::spawn_local(async move {
        for _ in 0..ATTEMPTS {
            sleep(PAUSE_MS).await;
            // Another page, or another filter.
            if app.route.with_untracked(Route::address) != address {
                break;
            }
            for region in regions() {
                let label = label(&region);
                missing.retain(|(wanted, top)| {
                    let is_ready = Some(wanted) == label.as_ref()
                        && region.scroll_height() - region.client_height() >= *top;
                    if is_ready {
                        region.set_scroll_top(*top);
                    }
                    !is_ready
                });
            }
            if missing.is_empty() {
                break;
            }
        }
    });
}

/// Regions of the page that scroll.
fn regions() -> Vec<Element> {
    let Ok(found) = document().query_selector_all("main [role=region]") else { return Vec::new() };
    (0..found.length()).filter_map(|at| found.item(at)?.dyn_into().ok()).collect()
}

fn label(region: &Element) -> Option<String> {
    region.get_attribute("aria-label")
}
