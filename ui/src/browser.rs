//! The browser's own things: clock, storage, clipboard, downloads.
//!
//! Owns: talking to `web_sys` about them. What a browser refuses is told to the caller as false or none.

use js_sys::{Array, Date, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, BlobPropertyBag, Document, HtmlAnchorElement, HtmlDialogElement, HtmlElement, Storage, Url, Window,
};

/// The page's window. There is none outside a page, and nothing here runs there.
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

/// A time of day where the user is: `14:03:27`.
pub fn clock(millis: u64) -> String {
    let date = Date::new(&JsValue::from_f64(millis as f64));
    format!("{:02}:{:02}:{:02}", date.get_hours(), date.get_minutes(), date.get_seconds())
}

/// A day and time where the user is: `2026-11-20 14:03:27.042`.
pub fn date_and_time(millis: u64) -> String {
    let date = Date::new(&JsValue::from_f64(millis as f64));
    format!("{} {}.{:03}", day(millis), clock(millis), date.get_milliseconds())
}

/// A day where the user is: `2026-11-20`.
pub fn day(millis: u64) -> String {
    let date = Date::new(&JsValue::from_f64(millis as f64));
    format!("{}-{:02}-{:02}", date.get_full_year(), date.get_month() + 1, date.get_date())
}

/// Today or another day: the time of day, or both.
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

/// A length of the style's tokens, in pixels.
pub fn token_px(name: &str) -> Option<f64> {
    let root = document().document_element()?;
    let style = window().get_computed_style(&root).ok()??;
    style.get_property_value(name).ok()?.trim().trim_end_matches("px").parse().ok()
}

/// What was kept under a name.
pub fn kept(name: &str) -> Option<String> {
    storage()?.get_item(name).ok().flatten()
}

/// Keeps something for the next visit, where the browser allows it.
pub fn keep(name: &str, value: Option<&str>) {
    if let Some(storage) = storage() {
        let _ = match value {
            Some(value) => storage.set_item(name, value),
            None => storage.remove_item(name),
        };
    }
}

/// Whether the system asks for light colours.
pub fn system_is_light() -> bool {
    let query = window().match_media("(prefers-color-scheme: light)");
    query.ok().flatten().is_some_and(|query| query.matches())
}

/// Puts a text on the clipboard. Whether the browser did.
pub async fn copy(text: &str) -> bool {
    let clipboard = window().navigator().clipboard();
    if !clipboard.is_undefined() && JsFuture::from(clipboard.write_text(text)).await.is_ok() {
        return true;
    }
    false
}

/// Offers bytes as a file to be saved.
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
    // The browser reads it after this turn.
    let revoke = Closure::once_into_js(move || drop(Url::revoke_object_url(&url)));
    window().set_timeout_with_callback_and_timeout_and_arguments_0(revoke.unchecked_ref(), 60_000)?;
    Ok(())
}

/// Waits.
pub async fn sleep(millis: i32) {
    let promise = js_sys::Promise::new(&mut |resolve, _| {
        let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, millis);
    });
    let _ = JsFuture::from(promise).await;
}

/// Whether somebody is typing.
pub fn is_typing() -> bool {
    document().active_element().is_some_and(|element| {
        let name = element.tag_name();
        let editable = element.dyn_ref::<HtmlElement>().is_some_and(HtmlElement::is_content_editable);
        editable || matches!(name.as_str(), "INPUT" | "TEXTAREA" | "SELECT")
    })
}

/// Closes the dialog that is open, so that the browser gives the focus back.
pub fn close_dialog() {
    if let Ok(Some(dialog)) = document().query_selector("dialog[open]")
        && let Some(dialog) = dialog.dyn_ref::<HtmlDialogElement>()
    {
        dialog.close();
    }
}

/// Whether nobody can see the page.
pub fn is_hidden() -> bool {
    document().hidden()
}

/// Puts the focus somewhere.
pub fn focus(selector: &str) {
    if let Ok(Some(element)) = document().query_selector(selector)
        && let Some(element) = element.dyn_ref::<HtmlElement>()
    {
        let _ = element.focus();
    }
}
