//! Clock, storage, clipboard, downloads and focus of the browser.

use js_sys::{Array, Date, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, BlobPropertyBag, Document, Element, HtmlAnchorElement, HtmlDialogElement, HtmlElement, Response,
    Storage, Url, Window,
};

/// The page's window.
pub fn window() -> Window {
    leptos::prelude::window()
}

/// The page.
pub fn document() -> Document {
    leptos::prelude::document()
}

/// Milliseconds since 1970.
pub fn now() -> u64 {
    Date::now() as u64
}

/// A local time of day: `14:03:27`.
pub fn clock(millis: u64) -> String {
    let date = Date::new(&JsValue::from_f64(millis as f64));
    format!("{:02}:{:02}:{:02}", date.get_hours(), date.get_minutes(), date.get_seconds())
}

/// A local date and time: `2026-11-20 14:03:27.042`.
pub fn date_and_time(millis: u64) -> String {
    let date = Date::new(&JsValue::from_f64(millis as f64));
    format!("{} {}.{:03}", day(millis), clock(millis), date.get_milliseconds())
}

/// A local date: `2026-11-20`.
pub fn day(millis: u64) -> String {
    let date = Date::new(&JsValue::from_f64(millis as f64));
    format!("{}-{:02}-{:02}", date.get_full_year(), date.get_month() + 1, date.get_date())
}

/// The time of day of today; of other days, date and time.
pub fn short_time(millis: u64) -> String {
    if day(millis) == day(now()) {
        clock(millis)
    } else {
        format!("{} {}", &day(millis)[5..], &clock(millis)[..5])
    }
}

fn storage() -> Option<Storage> {
    window().local_storage().ok().flatten()
}

/// A length among the tokens of the stylesheet, in pixels.
pub fn token_px(name: &str) -> Option<f64> {
    let root = document().document_element()?;
    let style = window().get_computed_style(&root).ok()??;
    style.get_property_value(name).ok()?.trim().trim_end_matches("px").parse().ok()
}

/// The value saved under a name.
pub fn saved(name: &str) -> Option<String> {
    storage()?.get_item(name).ok().flatten()
}

/// Saves a value for the next visit, if the browser allows it.
pub fn save(name: &str, value: Option<&str>) {
    if let Some(storage) = storage() {
        let _ = match value {
            Some(value) => storage.set_item(name, value),
            None => storage.remove_item(name),
        };
    }
}

/// Whether the system prefers light colours.
pub fn system_is_light() -> bool {
    let query = window().match_media("(prefers-color-scheme: light)");
    query.ok().flatten().is_some_and(|query| query.matches())
}

/// Copies a text to the clipboard; returns whether the browser allowed it.
pub async fn copy(text: &str) -> bool {
    let clipboard = window().navigator().clipboard();
    if !clipboard.is_undefined() && JsFuture::from(clipboard.write_text(text)).await.is_ok() {
        return true;
    }
    false
}

/// Saves a text as a file.
pub fn download(name: &str, text: &str) -> Result<(), JsValue> {
    let parts = Array::of1(&Uint8Array::from(text.as_bytes()).into());
    let options = BlobPropertyBag::new();
    options.set_type("application/json");
    let blob = Blob::new_with_u8_array_sequence_and_options(&parts, &options)?;
    let url = Url::create_object_url_with_blob(&blob)?;
    let anchor: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    anchor.set_href(&url);
    anchor.set_download(name);
    anchor.click();
    // The browser reads the file later.
    let revoke = Closure::once_into_js(move || drop(Url::revoke_object_url(&url)));
    window().set_timeout_with_callback_and_timeout_and_arguments_0(revoke.unchecked_ref(), 60_000)?;
    Ok(())
}

/// Waits this many milliseconds.
pub async fn sleep(millis: i32) {
    let promise = js_sys::Promise::new(&mut |resolve, _| {
        let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, millis);
    });
    let _ = JsFuture::from(promise).await;
}

/// Whether a text field has the focus.
pub fn is_typing() -> bool {
    document().active_element().is_some_and(|element| {
        let name = element.tag_name();
        let editable = element.dyn_ref::<HtmlElement>().is_some_and(HtmlElement::is_content_editable);
        editable || matches!(name.as_str(), "INPUT" | "TEXTAREA" | "SELECT")
    })
}

/// Closes the open dialog, so that the browser returns the focus.
pub fn close_dialog() {
    if let Ok(Some(dialog)) = document().query_selector("dialog[open]")
        && let Some(dialog) = dialog.dyn_ref::<HtmlDialogElement>()
    {
        dialog.close();
    }
}

/// Whether the page is hidden.
pub fn is_hidden() -> bool {
    document().hidden()
}

/// Focuses the first element that matches.
pub fn focus(selector: &str) {
    if let Ok(Some(element)) = document().query_selector(selector)
        && let Some(element) = element.dyn_ref::<HtmlElement>()
    {
        let _ = element.focus();
    }
}

/// Scrolls an element into sight, no further than needed.
pub fn show(element: &Element) {
    let how = web_sys::ScrollIntoViewOptions::new();
    how.set_block(web_sys::ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&how);
}

/// Loads styles that are not part of the first load; returns at once if they are there already.
pub async fn load_styles(path: &str) {
    let found = document().query_selector(&format!("link[href='{path}']")).ok().flatten();
    let link = match found {
        Some(link) => link,
        None => {
            let (Ok(link), Some(head)) = (document().create_element("link"), document().head()) else {
                return;
            };
            let _ = link.set_attribute("rel", "stylesheet");
            let _ = link.set_attribute("href", path);
            let _ = head.append_child(&link);
            link
        }
    };
    // A page without its styles is better than none.
    for _ in 0..200 {
        if js_sys::Reflect::get(&link, &"sheet".into()).is_ok_and(|sheet| sheet.is_object()) {
            break;
        }
        sleep(10).await;
    }
}

/// A text file of the dashboard; none if it does not exist.
pub async fn fetch_text(path: &str) -> Option<String> {
    let response: Response = JsFuture::from(window().fetch_with_str(path)).await.ok()?.dyn_into().ok()?;
    let text = response.ok().then(|| response.text().ok()).flatten()?;
    // The window serves the page itself in place of unknown files.
    JsFuture::from(text).await.ok()?.as_string().filter(|text| !text.starts_with("<!doctype"))
}

/// The topics of the guide: name and title, in order.
pub async fn guide_topics() -> Vec<(String, String)> {
    let list = fetch_text("/guide.txt").await.unwrap_or_default();
    let topics = list.lines().filter_map(|line| line.split_once('\t'));
    topics.map(|(name, title)| (name.to_owned(), title.to_owned())).collect()
}
