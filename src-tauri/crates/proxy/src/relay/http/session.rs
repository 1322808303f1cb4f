//! Sessions of HTTP clients that continue at the next instance, under the id that the client knows.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use bytes::Bytes;

use super::url;
use crate::relay::attachment::read_body;
use crate::relay::introduction::Introduction;
use crate::relay::{InstanceAddress, lock};
use crate::upstream::transport::http::plain;
use crate::wire::headers::{PROTOCOL_VERSION, SESSION_ID};
use crate::wire::message::Message;

/// Sessions that can continue.
const MAX_SESSIONS: usize = 1_000;
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const SESSION: HeaderName = HeaderName::from_static(SESSION_ID);

/// A session that requests of one client share.
type Shared = Arc<tokio::sync::Mutex<Session>>;

/// Sessions by the id that the client knows.
#[derive(Default)]
pub(super) struct Sessions(Mutex<HashMap<HeaderValue, Shared>>);

struct Session {
    introduction: Introduction,
    /// Where it is open, and its id there.
    instance: InstanceAddress,
    id: HeaderValue,
    moved: bool,
}

/// A request, with what the relay knows of it.
pub(super) struct Asked<'a> {
    pub(super) parts: &'a Parts,
    pub(super) body: &'a Bytes,
    pub(super) message: Option<&'a Message>,
}

impl Sessions {
    fn of(&self, parts: &Parts) -> Option<Shared> {
        lock(&self.0).get(parts.headers.get(SESSION)?).cloned()
    }

    /// Makes the headers of a request those of its session at an instance, and opens the session there if it is open at
    /// another one.
    pub(super) async fn translate(
        &self,
        http: &reqwest::Client,
        instance: &InstanceAddress,
        asked: &Asked<'_>,
        headers: &mut HeaderMap,
    ) -> Result<(), String> {
        let Some(session) = self.of(asked.parts) else { return Ok(()) };
        let mut session = session.lock().await;
        if session.instance != *instance {
            session.reopen(http, instance, asked.parts).await?;
        }
        headers.insert(SESSION, session.id.clone());
        if session.moved {
            // Events of the previous instance are gone with it.
            headers.remove(LAST_EVENT);
        }
        Ok(())
    }

    /// Remembers of a request that was answered what the next instance must get again.
    pub(super) async fn note(&self, instance: &InstanceAddress, asked: &Asked<'_>, answered: &HeaderMap) {
        let Asked { parts, body, message } = asked;
        if parts.method == Method::DELETE {
            parts.headers.get(SESSION).map(|id| lock(&self.0).remove(id));
            return;
        }
        // Copies, because a slice would keep the whole read buffer.
        let line = || Bytes::copy_from_slice(body);
        match (message, self.of(parts)) {
            (Some(Message::Request { method, .. }), None) if method == "initialize" => {
                let Some(id) = answered.get(SESSION) else { return };
                let session = Session {
                    introduction: Introduction::of(line()),
                    instance: instance.clone(),
                    id: id.clone(),
                    moved: false,
                };
                let mut sessions = lock(&self.0);
                if sessions.len() < MAX_SESSIONS {
                    sessions.insert(id.clone(), Arc::new(tokio::sync::Mutex::new(session)));
                }
            }
            (Some(Message::Request { method, params, .. }), Some(session)) => {
                session.lock().await.introduction.note(method, params.as_ref(), body);
            }
            (Some(Message::Notification { method, .. }), Some(session))
                if method == "notifications/initialized" =>
            {
                session.lock().await.introduction.complete(line());
            }
            _ => {}
        }
    }
}

impl Session {
    /// Opens the session at another instance.
    async fn reopen(
        &mut self,
        http: &reqwest::Client,
        instance: &InstanceAddress,
        request: &Parts,
    ) -> Result<(), String> {
        let Some(hello) = self.introduction.hello() else { return Ok(()) };
        let mut headers = HeaderMap::new();
        for name in [header::HOST, header::AUTHORIZATION, header::ORIGIN] {
            headers.extend(request.headers.get(&name).map(|value| (name, value.clone())));
        }
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        let url = url(instance, request);
        let send = |headers: &HeaderMap, line: &Bytes| {
            let request = http.post(&url).headers(headers.clone()).body(line.clone());
            async move {
                let response = request.send().await.map_err(|error| plain(&error))?;
                let (status, id) = (response.status(), response.headers().get(SESSION).cloned());
                // The client has already got the answer once.
                read_body(response).await?;
                Ok::<_, String>((status, id))
            }
        };
        let (status, id) = send(&headers, hello).await?;
        let id = id.ok_or_else(|| format!("the next Schemascope rejected the session: HTTP {status}"))?;
        headers.insert(SESSION, id.clone());
        let version = HeaderName::from_static(PROTOCOL_VERSION);
        headers.extend(request.headers.get(&version).map(|value| (version, value.clone())));
        for line in self.introduction.rest() {
            send(&headers, line).await?;
        }
        (self.id, self.instance, self.moved) = (id, instance.clone(), true);
        Ok(())
    }
}
