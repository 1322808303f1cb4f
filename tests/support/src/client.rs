//! A client of Streamable HTTP that shows the bytes it got.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// A session with an endpoint.
pub struct McpClient {
    agent: ureq::Agent,
    url: String,
    token: String,
    session: Option<String>,
    next: AtomicU64,
    /// The answer to `initialize`.
    pub hello: Exchange,
}

/// One request and everything that came back.
#[derive(Debug, Clone, Default)]
pub struct Exchange {
    /// The HTTP status.
    pub status: u16,
    /// The response's media type.
    pub media_type: String,
    /// Messages in order, as sent. The answer is the last.
    pub messages: Vec<String>,
    pub(crate) session: Option<String>,
}

impl McpClient {
    /// Opens a session.
    pub fn connect(url: &str, token: &str) -> Result<Self> {
        Self::connect_as("test", url, token)
    }

    /// Opens a session under a name.
    pub fn connect_as(name: &str, url: &str, token: &str) -> Result<Self> {
        Self::introduce(name, &json!({}), url, token)
    }

    /// Opens a session as a client with these capabilities.
    pub fn connect_with(capabilities: &Value, url: &str, token: &str) -> Result<Self> {
        Self::introduce("test", capabilities, url, token)
    }

    /// Opens a session in another version of the protocol.
    pub fn connect_in(version: &str, url: &str, token: &str) -> Result<Self> {
        Self::introduce_in(version, "test", &json!({}), url, token)
    }

    fn introduce(name: &str, capabilities: &Value, url: &str, token: &str) -> Result<Self> {
        Self::introduce_in("2025-11-25", name, capabilities, url, token)
    }

    fn introduce_in(version: &str, name: &str, capabilities: &Value, url: &str, token: &str) -> Result<Self> {
        let config = ureq::Agent::config_builder()
            .proxy(None)
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(120)))
            .build();
        let mut client = Self {
            agent: config.into(),
            url: url.to_owned(),
            token: token.to_owned(),
            session: None,
            next: AtomicU64::new(1),
            hello: Exchange::default(),
        };
        let params = json!({"protocolVersion": version, "capabilities": capabilities, "clientInfo": {"name": name, "version": "1"}});
        client.hello = client.request("initialize", &params.to_string())?;
        ensure!(client.hello.result().is_ok(), "initialize was answered with {:?}", client.hello);
        client.session = client.hello.session.clone();
        client.notify("notifications/initialized", "{}")?;
        Ok(client)
    }

    /// Sends a request with these `params`, byte for byte.
    pub fn request(&self, method: &str, params: &str) -> Result<Exchange> {
        self.request_as(&self.next.fetch_add(1, Ordering::Relaxed).to_string(), method, params)
    }

    /// Sends a request with this id.
    pub fn request_as(&self, id: &str, method: &str, params: &str) -> Result<Exchange> {
        let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}");
        self.post(&body, &BTreeMap::new())
    }

    /// Sends a notification.
    pub fn notify(&self, method: &str, params: &str) -> Result<Exchange> {
        let body = format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{params}}}");
        self.post(&body, &BTreeMap::new())
    }

    /// Calls a tool.
    pub fn call(&self, tool: &str, arguments: &Value) -> Result<Exchange> {
        self.request("tools/call", &json!({"name": tool, "arguments": arguments}).to_string())
    }

    /// Sends a request of the stateless era, as a client of this name that can be asked all of these.
    pub fn ask_stateless(
        &self,
        name: &str,
        capabilities: &Value,
        method: &str,
        params: &Value,
    ) -> Result<Exchange> {
        let mut params = params.clone();
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities.clone();
        params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({"name": name, "version": "1"});
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let body = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string();
        let named =
            ["name", "uri", "taskId"].iter().find_map(|key| params[*key].as_str()).unwrap_or_default();
        let headers = [
            ("mcp-session-id", ""),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", method),
            ("mcp-name", named),
        ];
        self.post(&body, &headers.into_iter().collect())
    }

    /// Posts any body. `headers` replace the usual ones; an empty value leaves one out.
    pub fn post(&self, body: &str, headers: &BTreeMap<&str, &str>) -> Result<Exchange> {
        let mut all: BTreeMap<&str, String> = BTreeMap::from([
            ("accept", "application/json, text/event-stream".to_owned()),
            ("content-type", "application/json".to_owned()),
            ("authorization", format!("Bearer {}", self.token)),
            ("mcp-protocol-version", "2025-11-25".to_owned()),
        ]);
        all.extend(self.session.clone().map(|session| ("mcp-session-id", session)));
        all.extend(headers.iter().map(|(name, value)| (*name, (*value).to_owned())));
        let mut request = self.agent.post(&self.url);
        for (name, value) in all.iter().filter(|(_, value)| !value.is_empty()) {
            request = request.header(*name, value);
        }
        let mut response = request.send(body).context("the endpoint does not answer")?;
        let header = |name: &str| {
            response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        let media_type = header("content-type").unwrap_or_default();
        let (status, session) = (response.status().as_u16(), header("mcp-session-id"));
        let text = response.body_mut().with_config().limit(1 << 30).read_to_string()?;
        let messages = match media_type.as_str() {
            "text/event-stream" => {
                let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
                // An event that only tells its id has none.
                data.filter(|data| !data.is_empty()).map(str::to_owned).collect()
            }
            _ if text.is_empty() => Vec::new(),
            _ => vec![text],
        };
        Ok(Exchange { status, media_type, messages, session })
    }

    /// Listens for notifications and passes each message to `each` until it returns false.
    pub fn listen(&self, mut each: impl FnMut(&str) -> bool) -> Result<()> {
        use std::io::BufRead;
        let request = self
            .agent
            .get(&self.url)
            .header("accept", "text/event-stream")
            .header("authorization", format!("Bearer {}", self.token))
            .header("mcp-session-id", self.session.as_deref().unwrap_or_default());
        let response = request.call()?;
        ensure!(response.status().as_u16() == 200, "listening was answered with {}", response.status());
        let reader = std::io::BufReader::new(response.into_body().into_reader());
        for line in reader.lines() {
            if let Some(message) = line?.strip_prefix("data: ").filter(|data| !data.is_empty())
                && !each(message)
            {
                break;
            }
        }
        Ok(())
    }

    /// The session's id.
    pub fn session(&self) -> &str {
        self.session.as_deref().unwrap_or_default()
    }

    /// Ends the session.
    pub fn delete(&self) -> Result<u16> {
        let request = self
            .agent
            .delete(&self.url)
            .header("authorization", format!("Bearer {}", self.token))
            .header("mcp-session-id", self.session.as_deref().unwrap_or_default());
        Ok(request.call()?.status().as_u16())
    }
}

impl Exchange {
    /// The last message.
    pub fn answer(&self) -> Result<Value> {
        let last = self.messages.last().with_context(|| format!("no answer, status {}", self.status))?;
        serde_json::from_str(last).with_context(|| format!("not JSON: {last}"))
    }

    /// The answer's `result`, parsed.
    pub fn result(&self) -> Result<Value> {
        let answer = self.answer()?;
        answer.get("result").cloned().with_context(|| format!("no result: {answer}"))
    }

    /// A field of the answer, byte for byte.
    pub fn raw(&self, field: &str) -> Result<String> {
        let last = self.messages.last().context("no answer")?;
        let fields: BTreeMap<String, Box<RawValue>> = serde_json::from_str(last)?;
        let raw = fields.get(field).with_context(|| format!("no {field}: {last}"))?;
        Ok(raw.get().to_owned())
    }

    /// `params` of the progress notifications that came before the answer.
    pub fn progress(&self) -> Result<Vec<Value>> {
        let before = self.messages.split_last().map_or(&[][..], |(_, before)| before);
        before
            .iter()
            .map(|message| {
                let message: Value = serde_json::from_str(message)?;
                ensure!(message["method"] == "notifications/progress", "not progress: {message}");
                Ok(message["params"].clone())
            })
            .collect()
    }
}
