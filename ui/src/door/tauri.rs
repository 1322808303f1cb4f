//! Inside the window: Tauri's `invoke` and `listen`.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Function, Object, Promise, Reflect};
use schemascope_api::{ApiError, Cursor};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::{Ended, unavailable};
use crate::browser::window;
use crate::wire;

/// Whether this page runs in the window.
pub fn is_here() -> bool {
    part("core").is_some()
}

fn part(name: &str) -> Option<JsValue> {
    let tauri = Reflect::get(&window(), &"__TAURI__".into()).ok()?;
    Reflect::get(&tauri, &name.into()).ok().filter(|part| part.is_object())
}

async fn run(part_name: &str, function: &str, first: &JsValue, second: &JsValue) -> Result<JsValue, JsValue> {
    let part = part(part_name).ok_or(JsValue::NULL)?;
    let function: Function = Reflect::get(&part, &function.into())?.dyn_into()?;
    let promise: Promise = function.call2(&part, first, second)?.dyn_into()?;
    JsFuture::from(promise).await
}

async fn invoke(name: &str, args: &[(&str, JsValue)]) -> Result<JsValue, JsValue> {
    let object = Object::new();
    for (key, value) in args {
        Reflect::set(&object, &(*key).into(), value)?;
    }
    run("core", "invoke", &name.into(), &object).await
}

pub async fn call(name: &str, body: &str) -> Result<String, ApiError> {
    match invoke("call", &[("name", name.into()), ("body", body.into())]).await {
        Ok(reply) => reply.as_string().ok_or_else(|| unavailable("the window sent an empty reply")),
        Err(error) => Err(read_error(&error)),
    }
}

/// Asks the user where to save a text. Returns the path, or nothing if that was cancelled.
pub async fn save(name: &str, text: &str) -> Result<Option<String>, ApiError> {
    let saved = invoke("save", &[("name", name.into()), ("text", text.into())]).await;
    saved.map(|path| path.as_string()).map_err(|error| read_error(&error))
}

fn read_error(error: &JsValue) -> ApiError {
    let text = js_sys::JSON::stringify(error).ok().and_then(|text| text.as_string()).unwrap_or_default();
    wire::read(&text).unwrap_or_else(|_| unavailable(text))
}

/// Payload of a Tauri event.
fn payload(event: &JsValue) -> String {
    Reflect::get(event, &"payload".into()).ok().and_then(|payload| payload.as_string()).unwrap_or_default()
}

pub async fn follow(since: Option<Cursor>, take: impl Fn(&str) -> bool + 'static) -> Ended {
    let reason = Rc::new(RefCell::new(String::from("the window lost the connection to its engine")));
    // Not `Function::default()`: that is `new Function()`, which the content security policy forbids.
    let mut end = None;
    let ended = Promise::new(&mut |resolve, _| end = Some(resolve));
    let Some(end) = end else { return Ended::Lost("this window does not support promises".into()) };
    let on_frame = {
        let (end, reason) = (end.clone(), Rc::clone(&reason));
        Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
            if !take(&payload(&event)) {
                *reason.borrow_mut() = "the engine has another version".into();
                let _ = end.call0(&JsValue::NULL);
            }
        })
    };
    let on_lost = {
        let reason = Rc::clone(&reason);
        Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
            *reason.borrow_mut() = payload(&event);
            let _ = end.call0(&JsValue::NULL);
        })
    };
    let since = since.map_or(JsValue::NULL, |cursor| cursor.to_string().into());
    let unlisten = [
        run("event", "listen", &"frame".into(), on_frame.as_ref()).await,
        run("event", "listen", &"lost".into(), on_lost.as_ref()).await,
    ];
    if let Err(error) = invoke("follow", &[("since", since)]).await {
        let text = js_sys::JSON::stringify(&error).ok().and_then(|text| text.as_string());
        *reason.borrow_mut() = text.unwrap_or_default();
    } else {
        let _ = JsFuture::from(ended).await;
    }
    for unlisten in unlisten.into_iter().flatten() {
        if let Ok(unlisten) = unlisten.dyn_into::<Function>() {
            let _ = unlisten.call0(&JsValue::NULL);
        }
    }
    Ended::Lost(reason.take())
}
