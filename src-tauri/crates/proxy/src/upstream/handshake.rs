//! The first messages of a session: the handshake, and listing tools. Also requests we make for ourselves later.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rmcp::model::Implementation;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::link::{Head, Link, NewRequest};
use crate::observer::ListedTool;
use crate::wire::{Body, Era, Who, meta, params, version};

/// Limit for each request we make for ourselves.
pub(crate) const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(30);
/// Bytes of all pages of a list.
const MAX_LIST_BYTES: usize = 64 << 20;
/// Pages of a list that are followed. A cursor may never end.
const MAX_PAGES: usize = 1_000;

/// How an upstream introduced itself, in either era. Parts are slices of the received message.
#[derive(Debug, Clone)]
pub(crate) struct Hello {
    pub(crate) era: Era,
    /// The version agreed on.
    pub(crate) version: String,
    /// The answer to `initialize` or `server/discover`, as sent.
    pub(crate) result: Bytes,
    /// An object, as sent.
    pub(crate) capabilities: Bytes,
    pub(crate) info: Option<Bytes>,
    pub(crate) instructions: Option<Bytes>,
}

impl Hello {
    /// Whether the upstream has a capability.
    pub(crate) fn has(&self, capability: &str) -> bool {
        params::field(&self.capabilities, capability).is_some_and(|found| found.raw != "null")
    }

    /// Whether the upstream announces changes of the list of a capability.
    pub(crate) fn announces(&self, capability: &str) -> bool {
        self.offers(capability, "listChanged")
    }

    /// Whether the upstream offers a feature of a capability.
    pub(crate) fn offers(&self, capability: &str, feature: &str) -> bool {
        let found = params::field(&self.capabilities, capability);
        found.and_then(|found| params::field(&found.raw, feature)).is_some_and(|found| found.raw == "true")
    }

    fn new(era: Era, version: String, result: &Bytes, info: Option<Bytes>) -> Self {
        let raw = |name| params::field(result, name).map(|found| found.raw);
        Self {
            era,
            version,
            capabilities: raw("capabilities").filter(|raw| raw.starts_with(b"{")).unwrap_or("{}".into()),
            info,
            instructions: raw("instructions"),
            result: result.clone(),
        }
    }
}

/// Why a session failed, in words for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SessionError {
    /// The upstream answered with an error or something unusable, as one that does not speak the session's era does.
    Rejected(String),
    /// Anything else, including the end of an open session.
    Failed(String),
}

impl SessionError {
    pub(crate) fn reason(self) -> String {
        match self {
            Self::Rejected(reason) | Self::Failed(reason) => reason,
        }
    }
}

/// Carries out the handshake of an era.
pub(crate) async fn introduce(link: &Arc<Link>, era: Era, who: &Who) -> Result<Hello, SessionError> {
    match era {
        Era::Legacy => initialize(link, who).await,
        Era::Modern => discover(link, who).await,
    }
}

async fn initialize(link: &Arc<Link>, who: &Who) -> Result<Hello, SessionError> {
    let us = Implementation::new("schemascope", env!("CARGO_PKG_VERSION"));
    let us = Bytes::from(serde_json::to_vec(&us).map_err(|error| SessionError::Failed(error.to_string()))?);
    let version = serde_json::Value::from(version::newest_legacy().as_str()).to_string();
    let params = params::with(
        None,
        &[
            ("protocolVersion", version.as_bytes()),
            ("capabilities", &who.capabilities),
            ("clientInfo", who.info.as_ref().unwrap_or(&us)),
        ],
    );
    let result = ask(link, "initialize", Some(&params)).await?;
    let raw = |name| params::field(&result, name).map(|found| found.raw);
    let answered: Option<String> =
        raw("protocolVersion").and_then(|version| serde_json::from_slice(&version).ok());
    let answered = answered
        .ok_or_else(|| SessionError::Failed("its answer to initialize has no protocolVersion".into()))?;
    if version::era(&answered) != Some(Era::Legacy) {
        return Err(SessionError::Rejected(format!(
            "it speaks protocol version {answered:?}; Schemascope speaks {}",
            version::spoken().join(", ")
        )));
    }
    link.notify("notifications/initialized", None)
        .await
        .map_err(|_| SessionError::Failed("it closed the connection after initialize".into()))?;
    Ok(Hello::new(Era::Legacy, answered, &result, raw("serverInfo")))
}

async fn discover(link: &Arc<Link>, who: &Who) -> Result<Hello, SessionError> {
    let result = ask(link, "server/discover", Some(&who.introduced(None))).await?;
    let raw = |name| params::field(&result, name).map(|found| found.raw);
    let supported: Vec<String> =
        raw("supportedVersions").and_then(|versions| serde_json::from_slice(&versions).ok()).ok_or_else(
            || SessionError::Rejected("its answer to server/discover has no supportedVersions".into()),
        )?;
    if !supported.iter().any(|known| known == version::MODERN) {
        return Err(SessionError::Rejected(format!(
            "it speaks protocol versions {}; Schemascope speaks {}",
            supported.join(", "),
            version::spoken().join(", ")
        )));
    }
    let info = raw("_meta").and_then(|meta| params::field(&meta, meta::SERVER_INFO)).map(|found| found.raw);
    Ok(Hello::new(Era::Modern, version::MODERN.into(), &result, info.or_else(|| raw("serverInfo"))))
}

/// Requests all pages of `tools/list`.
pub(crate) async fn list_tools(link: &Arc<Link>, era: Era) -> Result<Vec<ListedTool>, SessionError> {
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    let mut tools = Vec::new();
    for tool in list(link, era, "tools/list", "tools").await? {
        // A tool without a name cannot be called.
        if let Ok(Named { name }) = serde_json::from_slice(&tool)
            && !name.is_empty()
        {
            tools.push(ListedTool { name, definition: tool });
        }
    }
    Ok(tools)
}

/// Requests all pages of a list. Returns its items as sent. A list that repeats itself ends there: some servers ignore the
/// cursor, or write an empty one on the last page.
pub(crate) async fn list(
    link: &Arc<Link>,
    era: Era,
    method: &str,
    items: &str,
) -> Result<Vec<Bytes>, SessionError> {
    let (mut found, mut bytes) = (Vec::new(), 0);
    let mut params = None;
    let (mut cursors, mut previous) = (HashSet::new(), None);
    for _ in 0..MAX_PAGES {
        let introduced = match era {
            Era::Legacy => params.clone(),
            Era::Modern => Some(Who::unknown().introduced(params.as_ref())),
        };
        let result = ask(link, method, introduced.as_ref()).await?;
        let raw = params::field(&result, items).map(|found| found.raw);
        let page: Vec<&RawValue> = raw
            .as_ref()
            .and_then(|page| serde_json::from_slice(page).ok())
            .ok_or_else(|| SessionError::Rejected(format!("its answer to {method} has no {items:?}")))?;
        bytes += result.len();
        if bytes > MAX_LIST_BYTES {
            let reason = format!("its {method} is longer than {} MB", MAX_LIST_BYTES >> 20);
            return Err(SessionError::Rejected(reason));
        }
        if previous == raw && !page.is_empty() {
            return Ok(found);
        }
        found.extend(page.into_iter().map(|item| result.slice_ref(item.get().as_bytes())));
        previous = raw;
        // In the stateless era an empty cursor is one like any other.
        let is_end = |cursor: &Bytes| cursor == "null" || era == Era::Legacy && cursor == "\"\"";
        match params::field(&result, "nextCursor").map(|found| found.raw) {
            Some(cursor) if !is_end(&cursor) && cursors.insert(cursor.clone()) => {
                params = Some(params::with(None, &[("cursor", &cursor)]));
            }
            _ => return Ok(found),
        }
    }
    Err(SessionError::Rejected(format!("its {method} did not end after {MAX_PAGES} pages")))
}

/// Makes a request for ourselves. Returns a copy of the result.
pub(crate) async fn ask(
    link: &Arc<Link>,
    method: &str,
    params: Option<&Bytes>,
) -> Result<Bytes, SessionError> {
    let head = Box::new(Head { method: method.to_owned(), name: None, arguments: Vec::new() });
    let answer = async {
        let asked = NewRequest { method, params, head: Some(head), own: true, subscription: None };
        let mut request = link.request(asked).await.ok()?;
        (&mut request.answer).await.ok()
    };
    match tokio::time::timeout(HANDSHAKE_TIMEOUT, answer).await {
        // A copy, because parts of it are kept: a slice would keep the whole read buffer.
        Ok(Some(Ok(Body::Result(result)))) => Ok(Bytes::copy_from_slice(&result)),
        Ok(Some(Ok(Body::Error(error)))) => Err(SessionError::Rejected(format!(
            "it answered {method} with an error: {}",
            String::from_utf8_lossy(&error)
        ))),
        Ok(Some(Err(lost))) => Err(SessionError::Failed(lost.reason)),
        Ok(None) => Err(SessionError::Failed(format!("it ended before it answered {method}"))),
        Err(_) => Err(SessionError::Failed(format!(
            "it did not answer {method} within {} s",
            HANDSHAKE_TIMEOUT.as_secs()
        ))),
    }
}
