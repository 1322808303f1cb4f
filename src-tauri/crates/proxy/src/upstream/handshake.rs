//! The first messages on a link: who each side is, and which tools there are.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rmcp::model::Implementation;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::link::{Asked, Head, Link};
use crate::observer::ListedTool;
use crate::wire::{Body, Era, Who, meta, params, version};

/// How long an upstream may take for each of connecting and listing.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);
/// Bytes of all pages of a list.
const MAX_LIST: usize = 64 << 20;
/// Pages of a list followed at most, so that a cursor that never ends does.
const MAX_PAGES: usize = 1_000;

/// What an upstream said of itself, whatever its era. Parts are slices of what was received.
#[derive(Debug, Clone)]
pub(crate) struct Hello {
    pub(crate) era: Era,
    /// The version agreed on.
    pub(crate) version: String,
    /// Its answer to `initialize` or `server/discover`, as sent.
    pub(crate) result: Bytes,
    /// An object.
    pub(crate) capabilities: Bytes,
    pub(crate) info: Option<Bytes>,
    pub(crate) instructions: Option<Bytes>,
}

impl Hello {
    /// Whether it has a feature, by the name of its capability.
    pub(crate) fn has(&self, capability: &str) -> bool {
        params::field(&self.capabilities, capability).is_some_and(|found| found.raw != "null")
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

/// Why an upstream could not be got to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stranger {
    /// It answered, but not as one of this era.
    OtherEra(String),
    /// It did not answer; in plain words.
    Silent(String),
}

impl Stranger {
    pub(crate) fn reason(self) -> String {
        match self {
            Self::OtherEra(reason) | Self::Silent(reason) => reason,
        }
    }
}

/// Introduces a client in the way of an era.
pub(crate) async fn introduce(link: &Arc<Link>, era: Era, who: &Who) -> Result<Hello, Stranger> {
    match era {
        Era::Legacy => initialize(link, who).await,
        Era::Modern => discover(link, who).await,
    }
}

async fn initialize(link: &Arc<Link>, who: &Who) -> Result<Hello, Stranger> {
    let us = Implementation::new("schemascope", env!("CARGO_PKG_VERSION"));
    let us = Bytes::from(serde_json::to_vec(&us).map_err(|error| Stranger::Silent(error.to_string()))?);
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
    let answered = answered.ok_or_else(|| {
        Stranger::Silent("its answer to initialize is not what MCP asks for: no protocolVersion".into())
    })?;
    if version::era(&answered) != Some(Era::Legacy) {
        return Err(Stranger::OtherEra(format!(
            "it speaks protocol version {answered:?}; this program speaks {}",
            version::spoken().join(", ")
        )));
    }
    link.notify("notifications/initialized", None)
        .await
        .map_err(|_| Stranger::Silent("it closed the connection after initialize".into()))?;
    Ok(Hello::new(Era::Legacy, answered, &result, raw("serverInfo")))
}

async fn discover(link: &Arc<Link>, who: &Who) -> Result<Hello, Stranger> {
    let result = ask(link, "server/discover", Some(&who.introduced(None))).await?;
    let raw = |name| params::field(&result, name).map(|found| found.raw);
    let supported: Vec<String> = raw("supportedVersions")
        .and_then(|versions| serde_json::from_slice(&versions).ok())
        .ok_or_else(|| Stranger::OtherEra("its answer to server/discover names no versions".into()))?;
    if !supported.iter().any(|known| known == version::MODERN) {
        return Err(Stranger::OtherEra(format!(
            "it speaks protocol versions {}; this program speaks {}",
            supported.join(", "),
            version::spoken().join(", ")
        )));
    }
    let info = raw("_meta").and_then(|meta| params::field(&meta, meta::SERVER_INFO)).map(|found| found.raw);
    Ok(Hello::new(Era::Modern, version::MODERN.into(), &result, info.or_else(|| raw("serverInfo"))))
}

/// All pages of `tools/list`.
pub(crate) async fn list_tools(link: &Arc<Link>, era: Era) -> Result<Vec<ListedTool>, String> {
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    let mut tools = Vec::new();
    for tool in list(link, era, "tools/list", "tools").await? {
        // A tool without a name cannot be called; the others can.
        if let Ok(Named { name }) = serde_json::from_slice(&tool)
            && !name.is_empty()
        {
            tools.push(ListedTool { name, definition: tool });
        }
    }
    Ok(tools)
}

/// The items of all pages of a list, as sent.
pub(crate) async fn list(
    link: &Arc<Link>,
    era: Era,
    method: &str,
    items: &str,
) -> Result<Vec<Bytes>, String> {
    let (mut found, mut bytes) = (Vec::new(), 0);
    let mut params = None;
    for _ in 0..MAX_PAGES {
        let introduced = match era {
            Era::Legacy => params.clone(),
            Era::Modern => Some(Who::nobody().introduced(params.as_ref())),
        };
        let result = ask(link, method, introduced.as_ref()).await.map_err(Stranger::reason)?;
        let page = params::field(&result, items).map(|found| found.raw);
        let page: Vec<&RawValue> = page
            .as_ref()
            .and_then(|page| serde_json::from_slice(page).ok())
            .ok_or_else(|| format!("its answer to {method} is not what MCP asks for: no {items:?}"))?;
        bytes += result.len();
        if bytes > MAX_LIST {
            return Err(format!("its {method} is longer than {} MB", MAX_LIST >> 20));
        }
        found.extend(page.into_iter().map(|item| result.slice_ref(item.get().as_bytes())));
        match params::field(&result, "nextCursor").map(|found| found.raw) {
            Some(cursor) if cursor != "null" => params = Some(params::with(None, &[("cursor", &cursor)])),
            _ => return Ok(found),
        }
    }
    Err(format!("its {method} did not end after {MAX_PAGES} pages"))
}

/// Asks something for ourselves.
pub(crate) async fn ask(link: &Arc<Link>, method: &str, params: Option<&Bytes>) -> Result<Bytes, Stranger> {
    let head = Box::new(Head { method: method.to_owned(), name: None, arguments: Vec::new() });
    let answer = async {
        let asked = Asked { method, params, head: Some(head), own: true, subscription: None };
        let mut request = link.request(asked).await.ok()?;
        (&mut request.answer).await.ok()
    };
    match tokio::time::timeout(LIMIT, answer).await {
        // A copy: parts of it are kept, and must not keep all that was read with it.
        Ok(Some(Ok(Body::Result(result)))) => Ok(Bytes::copy_from_slice(&result)),
        Ok(Some(Ok(Body::Error(error)))) => Err(Stranger::OtherEra(format!(
            "it answered {method} with an error: {}",
            String::from_utf8_lossy(&error)
        ))),
        Ok(Some(Err(lost))) => Err(Stranger::Silent(lost.reason)),
        Ok(None) => Err(Stranger::Silent(format!("it ended before it answered {method}"))),
        Err(_) => Err(Stranger::Silent(format!("it did not answer {method} within {} s", LIMIT.as_secs()))),
    }
}
