//! Over HTTP: `POST /api/NAME` and server-sent events.
//!
//! Events are read with `fetch`, because an `EventSource` cannot send a token.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Reflect, Uint8Array};
use schemascope_api::{ApiError, Cursor};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, Headers, ReadableStreamDefaultReader, RequestInit, Response, TextDecodeOptions,
    TextDecoder,
};

use super::{Ended, unavailable};
use crate::browser::{self, document, window};
use crate::wire;

/// Longest silence of a stream; the engine sends a frame every second.
const SILENCE_TIMEOUT_MS: i32 = 6_000;
/// Longest event in bytes.
const MAX_EVENT: usize = 64 << 20;

const TOKEN: &str = "token";

/// Event sent when the page is hidden or shown.
const VISIBILITY_EVENT: &str = "visibilitychange";

thread_local! {
    /// Token of the address, until the engine accepts it: a wrong one must not replace one that works.
    static OFFERED: RefCell<Option<String>> = const { RefCell::new(None) };
}

pub fn take_token() {
    let location = window().location();
    let hash = location.hash().unwrap_or_default();
    let Some(token) = hash.strip_prefix("#token=") else { return };
    OFFERED.set(Some(token.to_owned()));
    // The token must not be bookmarked or seen.
    let path =
        format!("{}{}", location.pathname().unwrap_or_default(), location.search().unwrap_or_default());
    if let Ok(history) = window().history() {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&path));
    }
}

fn token() -> Option<String> {
    OFFERED.with_borrow(Clone::clone).or_else(|| browser::saved(TOKEN))
}

/// Whether the engine rejected the token: it is missing or wrong (401), or that of agents (403).
fn is_denied(response: &Response) -> bool {
    matches!(response.status(), 401 | 403)
}

/// Saves the offered token if the engine accepted it.
fn settle_token(denied: bool) {
    let offered = OFFERED.take();
    if let (Some(token), false) = (offered, denied) {
        browser::save(TOKEN, Some(&token));
    }
}

pub async fn call(name: &str, body: &str) -> Result<String, ApiError> {
    let response = fetch(&format!("/api/{name}"), Some(body), None).await;
    let response = response.map_err(|_| unavailable("the engine does not respond"))?;
    let text = match response.text() {
        Ok(text) => JsFuture::from(text).await,
        Err(error) => Err(error),
    };
    let text = text.ok().and_then(|text| text.as_string()).unwrap_or_default();
    if response.ok() {
        return Ok(text);
    }
    Err(wire::read(&text).unwrap_or_else(|_| {
        unavailable(format!("the engine answered {}: {}", response.status(), text.trim()))
    }))
}

pub async fn follow(since: Option<Cursor>, take: impl Fn(&str) -> bool) -> Ended {
    let lost = |reason: &str| Ended::Lost(reason.to_owned());
    let since = since.map_or_else(String::new, |cursor| format!("?since={cursor}"));
    if browser::is_hidden() {
        return Ended::Hidden;
    }
    let Ok(abort) = AbortController::new() else { return lost("this browser does not support streams") };
    let _hidden = AbortWhenHidden::new(abort.clone());
    let watchdog = Watchdog::new(abort.clone());
    watchdog.feed();
    let response = match fetch(&format!("/api/events{since}"), None, Some(&abort)).await {
        Ok(response) if is_denied(&response) => return Ended::Denied,
        Ok(response) if response.ok() => response,
        Ok(response) => return lost(&format!("the engine answered {}", response.status())),
        Err(_) if browser::is_hidden() => return Ended::Hidden,
        Err(_) => return lost("the engine does not respond"),
    };
    let Some(body) = response.body() else { return lost("the engine sent no content") };
    let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
    let Ok(decoder) = TextDecoder::new() else { return lost("this browser does not support text streams") };
    let partial = TextDecodeOptions::new();
    partial.set_stream(true);
    let mut waiting = String::new();
    while let Ok(chunk) = JsFuture::from(reader.read()).await {
        watchdog.feed();
        let bytes =
            Reflect::get(&chunk, &"value".into()).ok().and_then(|value| value.dyn_into::<Uint8Array>().ok());
        let Some(bytes) = bytes else { break };
        let Ok(text) = decoder.decode_with_js_u8_array_and_options(&bytes, &partial) else { break };
        waiting.push_str(&text);
        while let Some(end) = waiting.find("\n\n") {
            let event: String = waiting.drain(..end + 2).collect();
            let data = event.lines().find_map(|line| line.strip_prefix("data: "));
            if data.is_some_and(|data| !take(data)) {
                return lost("the engine has another version; reload this page");
            }
        }
        if waiting.len() > MAX_EVENT {
            break;
        }
    }
    if browser::is_hidden() { Ended::Hidden } else { lost("the engine closed the connection") }
}

async fn fetch(url: &str, body: Option<&str>, abort: Option<&AbortController>) -> Result<Response, JsValue> {
    let headers = Headers::new()?;
    if let Some(token) = token() {
        headers.set("authorization", &format!("Bearer {token}"))?;
    }
    let request = RequestInit::new();
    if let Some(body) = body {
        request.set_method("POST");
        headers.set("content-type", "application/json")?;
        request.set_body(&body.into());
    }
    request.set_headers(&headers);
    if let Some(abort) = abort {
        request.set_signal(Some(&abort.signal()));
    }
    let response: Response =
        JsFuture::from(window().fetch_with_str_and_init(url, &request)).await?.dyn_into()?;
    settle_token(is_denied(&response));
    Ok(response)
}

/// Aborts a stream that has been silent for too long.
struct Watchdog {
    timer: Rc<Cell<Option<i32>>>,
    abort: AbortController,
    expired: Closure<dyn FnMut()>,
}

impl Watchdog {
    fn new(abort: AbortController) -> Self {
        let aborting = abort.clone();
        Self { timer: Rc::default(), abort, expired: Closure::new(move || aborting.abort()) }
    }

    fn feed(&self) {
        self.stop();
        let timer = window().set_timeout_with_callback_and_timeout_and_arguments_0(
            self.expired.as_ref().unchecked_ref(),
            SILENCE_TIMEOUT_MS,
        );
        self.timer.set(timer.ok());
    }

    fn stop(&self) {
        if let Some(timer) = self.timer.take() {
            window().clear_timeout_with_handle(timer);
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.stop();
        // A browser allows few streams at a time, so one that is no longer read is closed.
        self.abort.abort();
    }
}

/// Aborts a stream when the page is hidden.
struct AbortWhenHidden(Closure<dyn FnMut()>);

impl AbortWhenHidden {
    fn new(abort: AbortController) -> Self {
        let changed = Closure::<dyn FnMut()>::new(move || {
            if browser::is_hidden() {
                abort.abort();
            }
        });
        let _ =
            document().add_event_listener_with_callback(VISIBILITY_EVENT, changed.as_ref().unchecked_ref());
        Self(changed)
    }
}

impl Drop for AbortWhenHidden {
    fn drop(&mut self) {
        let _ =
            document().remove_event_listener_with_callback(VISIBILITY_EVENT, self.0.as_ref().unchecked_ref());
    }
}
