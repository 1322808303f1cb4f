//! The first messages on a connection: `initialize`, and which tools there are.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rmcp::model::{ClientCapabilities, Implementation, InitializeRequestParams};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::connection::Connection;
use crate::observer::ListedTool;
use crate::wire::{Body, version};

/// How long an upstream may take for each of connecting and listing.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);
/// Pages of a list followed at most, so that a cursor that never ends does.
const MAX_PAGES: usize = 1_000;

/// What an upstream said of itself.
#[derive(Debug, Clone)]
pub(crate) struct Hello {
    /// Its `initialize` result, as sent.
    pub(crate) result: Bytes,
    /// The version agreed on.
    pub(crate) version: String,
    /// Whether it has tools at all.
    pub(crate) has_tools: bool,
}

/// Introduces us. Errors are reasons in plain words.
pub(crate) async fn initialize(connection: &Arc<Connection>) -> Result<Hello, String> {
    // No client features are offered: a connection shared by clients could not tell whose they are.
    let us = Implementation::new("schemascope", env!("CARGO_PKG_VERSION"));
    let params = InitializeRequestParams::new(ClientCapabilities::default(), us)
        .with_protocol_version(version::newest());
    let params = serde_json::to_vec(&params).map_err(|error| error.to_string())?;
    let result = ask(connection, "initialize", Some(&params.into())).await?;
    #[derive(Deserialize)]
    struct Answer<'a> {
        #[serde(rename = "protocolVersion")]
        version: String,
        #[serde(borrow, default)]
        capabilities: Option<Capabilities<'a>>,
    }
    #[derive(Deserialize)]
    struct Capabilities<'a> {
        #[serde(borrow)]
        tools: Option<&'a RawValue>,
    }
    let answer: Answer<'_> = serde_json::from_slice(&result)
        .map_err(|error| format!("its answer to initialize is not what MCP asks for: {error}"))?;
    if !version::is_spoken(&answer.version) {
        return Err(format!(
            "it speaks protocol version {:?}; this program speaks {}",
            answer.version,
            version::spoken().join(", ")
        ));
    }
    let has_tools = answer.capabilities.is_some_and(|capabilities| capabilities.tools.is_some());
    let version = answer.version;
    connection
        .notify("notifications/initialized", None)
        .await
        .map_err(|_| "it closed the connection after initialize".to_owned())?;
    Ok(Hello { result, version, has_tools })
}

/// All pages of `tools/list`.
pub(crate) async fn list_tools(connection: &Arc<Connection>) -> Result<Vec<ListedTool>, String> {
    #[derive(Deserialize)]
    struct Page<'a> {
        #[serde(borrow)]
        tools: Vec<&'a RawValue>,
        #[serde(borrow, rename = "nextCursor")]
        next: Option<&'a RawValue>,
    }
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    let mut tools = Vec::new();
    let mut params = None;
    for _ in 0..MAX_PAGES {
        let result = ask(connection, "tools/list", params.as_ref()).await?;
        let page: Page<'_> = serde_json::from_slice(&result)
            .map_err(|error| format!("its answer to tools/list is not what MCP asks for: {error}"))?;
        for tool in page.tools {
            // A tool without a name cannot be called; the others can.
            if let Ok(Named { name }) = serde_json::from_str(tool.get())
                && !name.is_empty()
            {
                tools.push(ListedTool { name, definition: result.slice_ref(tool.get().as_bytes()) });
            }
        }
        match page.next {
            Some(cursor) if cursor.get() != "null" => {
                params = Some(Bytes::from(format!("{{\"cursor\":{}}}", cursor.get())));
            }
            _ => return Ok(tools),
        }
    }
    Err(format!("its tools/list did not end after {MAX_PAGES} pages"))
}

async fn ask(connection: &Arc<Connection>, method: &str, params: Option<&Bytes>) -> Result<Bytes, String> {
    let answer = async {
        let mut request = connection.request(method, params).await.ok()?;
        (&mut request.answer).await.ok()
    };
    match tokio::time::timeout(LIMIT, answer).await {
        Ok(Some(Body::Result(result))) => Ok(result),
        Ok(Some(Body::Error(error))) => {
            Err(format!("it answered {method} with an error: {}", String::from_utf8_lossy(&error)))
        }
        Ok(None) => Err(format!("it ended before it answered {method}")),
        Err(_) => Err(format!("it did not answer {method} within {} s", LIMIT.as_secs())),
    }
}
