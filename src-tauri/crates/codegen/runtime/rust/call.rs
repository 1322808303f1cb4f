//! Calls of tools through Schemascope: one HTTP request each, in the stateless era of MCP (2026-07-28).
//!
//! Address and token are those of `SCHEMASCOPE_URL` and `SCHEMASCOPE_TOKEN`, else of the running instance.

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderValue, ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use reqwest::{Client, Response, Url};
use serde_json::value::RawValue;
use serde_json::{json, Value};

use super::document::Document;
use super::error::Error;

const PROTOCOL_VERSION: &str = "2026-07-28";
/// How long a call may take.
pub const TIMEOUT: Duration = Duration::from_secs(120);
/// Most bytes of an answer.
const MAX_ANSWER: usize = 256 << 20;
/// Asks Schemascope for the value that it learns from, whatever it sends to other clients.
const OBSERVATION: &str = "schemascope/observation";
/// Why an enforced schema turned a result into an error.
const VIOLATION: &str = "schemascope/violation";

/// What a call returned: the JSON value of its result, and its text.
#[derive(Debug, Clone)]
pub struct Sent {
    pub(super) value: Value,
    pub(super) text: String,
    pub(super) is_exact: bool,
}

/// Calls a tool and returns the JSON value of its result, or its text.
///
/// # Errors
/// Those of the tool, the protocol and the connection.
pub async fn call_mcp_tool(tool_id: &str, arguments: Value) -> Result<Document, Error> {
    let Sent { value, text, is_exact } = call_tool(tool_id, arguments, TIMEOUT).await?;
    Ok(Document { text: Some(text), is_exact, ..Document::anything(tool_id, value) })
}

/// Calls a tool. A call that is dropped is cancelled upstream.
///
/// # Errors
/// Those of the tool, the protocol and the connection.
pub async fn call_tool(tool_id: &str, arguments: Value, limit: Duration) -> Result<Sent, Error> {
    let (url, token) = target()?;
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": tool_id,
        "arguments": arguments,
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": PROTOCOL_VERSION,
            "io.modelcontextprotocol/clientInfo": {"name": "schemascope-wrappers-rust", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
            OBSERVATION: true,
        },
    }});
    let unreachable = |why: reqwest::Error| {
        if why.is_timeout() {
            return Error::connection(format!("{tool_id} did not answer within {} s", limit.as_secs_f64()));
        }
        let mut causes = Vec::new();
        let mut cause: Option<&dyn std::error::Error> = Some(&why);
        while let Some(one) = cause {
            causes.push(one.to_string());
            cause = one.source();
        }
        let why = causes.pop().unwrap_or_default();
        Error::connection(format!("cannot reach Schemascope at {url}: {why}. Is `schemascope serve` running?"))
    };
    // No proxy: the token is for this machine.
    let client = Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build();
    let request = client.map_err(unreachable)?.post(url.clone()).timeout(limit);
    let request = request.headers(headers(tool_id, token.as_deref())?).body(body.to_string());
    let response = request.send().await.map_err(unreachable)?;
    let status = response.status().as_u16();
    let answer = read_body(response).await.map_err(|why| why.map_or_else(
        || Error::protocol(format!("the answer is larger than {} MB", MAX_ANSWER >> 20), None),
        unreachable,
    ))?;
    read_answer(tool_id, status, &answer)
}

fn headers(tool_id: &str, token: Option<&str>) -> Result<HeaderMap, Error> {
    let value = |text: &str| {
        HeaderValue::from_str(text)
            .map_err(|_| Error::connection("the token has characters that no header can have"))
    };
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    headers.insert("mcp-protocol-version", HeaderValue::from_static(PROTOCOL_VERSION));
    headers.insert("mcp-method", HeaderValue::from_static("tools/call"));
    headers.insert("mcp-name", value(&header(tool_id))?);
    if let Some(token) = token {
        headers.insert(AUTHORIZATION, value(&format!("Bearer {token}"))?);
    }
    Ok(headers)
}

/// The body of an answer; of an event stream, the first answer in it. `None` is an answer that is too large.
async fn read_body(mut response: Response) -> Result<String, Option<reqwest::Error>> {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_stream = kind.starts_with("text/event-stream");
    let (mut body, mut start) = (Vec::new(), 0);
    while let Some(part) = response.chunk().await.map_err(Some)? {
        body.extend_from_slice(&part);
        if body.len() > MAX_ANSWER {
            return Err(None);
        }
        if is_stream {
            while let Some((data, next)) = event(&body, start) {
                if is_answer(&data) {
                    return Ok(data);
                }
                start = next;
            }
        }
    }
    Ok(String::from_utf8_lossy(&body).into_owned())
}

/// The data of the event that begins at `start`, and where the next one begins; `None` if it has not ended.
fn event(body: &[u8], start: usize) -> Option<(String, usize)> {
    let rest = &body[start..];
    let end = |sign: &[u8]| rest.windows(sign.len()).position(|part| part == sign).map(|at| (at, sign.len()));
    let (end, width) = end(b"\n\n").into_iter().chain(end(b"\r\n\r\n")).min()?;
    let text = String::from_utf8_lossy(&rest[..end]);
    let lines = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let lines: Vec<&str> = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    Some((lines.join("\n"), start + end + width))
}

fn is_answer(data: &str) -> bool {
    members(data).is_some_and(|members| {
        !members.contains_key("method") && (members.contains_key("result") || members.contains_key("error"))
    })
}

/// The members of a JSON object as they are written.
fn members(text: &str) -> Option<BTreeMap<String, &RawValue>> {
    serde_json::from_str(text).ok()
}

fn read_answer(tool_id: &str, status: u16, answer: &str) -> Result<Sent, Error> {
    let members = members(answer).unwrap_or_default();
    if let Some(error) = members.get("error") {
        let error: Value = serde_json::from_str(error.get()).unwrap_or_default();
        let message = error.get("message").and_then(Value::as_str).unwrap_or("no reason given");
        return Err(Error::protocol(message, error.get("code").and_then(Value::as_i64)));
    }
    if status == 401 {
        let message = "Schemascope rejects the token. Set SCHEMASCOPE_TOKEN to the agent token.";
        return Err(Error::protocol(message, Some(401)));
    }
    match members.get("result") {
        Some(result) if status == 200 => read_result(tool_id, result.get()),
        _ => Err(Error::protocol("the answer is no result", Some(status.into()))),
    }
}

/// The value of a `tools/call` result, given as JSON: its structured content, else JSON in its text, else its text.
/// Several blocks of JSON are a list; several blocks of text are joined by line breaks.
/// With it, results that come another way can be read, such as those of an MCP SDK.
///
/// # Errors
/// [`Error::Tool`] if the tool failed, [`Error::InputRequired`] if it asks something.
pub fn read_result(tool_id: &str, text: &str) -> Result<Sent, Error> {
    let not_json = |why: serde_json::Error| Error::protocol(format!("{tool_id}: the result cannot be read: {why}"), None);
    let result: Value = serde_json::from_str(text).map_err(not_json)?;
    let members = members(text).ok_or_else(|| Error::protocol(format!("{tool_id}: the result is no object"), None))?;
    let blocks = result.get("content").and_then(Value::as_array);
    let texts: Vec<&str> = blocks
        .into_iter()
        .flatten()
        .filter(|block| block.get("type").is_some_and(|kind| kind == "text"))
        .filter_map(|block| block.get("text").and_then(Value::as_str))
        .collect();
    if result.get("isError") == Some(&Value::Bool(true)) {
        let violation = result.get("_meta").and_then(|meta| meta.get(VIOLATION)?.get("reason")?.as_str());
        let said = if texts.is_empty() { "no reason given".to_owned() } else { texts.join("\n") };
        let text = violation.map_or(said, str::to_owned);
        return Err(Error::Tool { tool_id: tool_id.to_owned(), text, result });
    }
    if result.get("resultType").is_some_and(|kind| kind != "complete") {
        return Err(Error::InputRequired { tool_id: tool_id.to_owned() });
    }
    let meta: BTreeMap<String, &RawValue> =
        members.get("_meta").and_then(|meta| serde_json::from_str(meta.get()).ok()).unwrap_or_default();
    let structured = members.get("structuredContent").filter(|value| value.get() != "null");
    if let Some(value) = meta.get(OBSERVATION).or(structured) {
        return sent(value.get()).map_err(not_json);
    }
    let all = texts.concat();
    if texts.len() > 1 && texts.iter().all(|text| sent(text).is_ok()) {
        return sent(&format!("[{}]", texts.join(","))).map_err(not_json);
    }
    for one in texts.first().copied().into_iter().chain([all.as_str()]) {
        if let Ok(sent) = sent(one) {
            return Ok(sent);
        }
    }
    let is_text = !texts.is_empty() || blocks.is_none_or(Vec::is_empty);
    let whole = if is_text { Value::from(texts.join("\n")).to_string() } else { text.to_owned() };
    sent(&whole).map_err(not_json)
}

fn sent(text: &str) -> Result<Sent, serde_json::Error> {
    Ok(Sent { value: serde_json::from_str(text)?, text: text.to_owned(), is_exact: is_exact(text) })
}

/// Whether every integer of a JSON text fits in 64 bits.
fn is_exact(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'-' | b'0'..=b'9' => {
                let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                let length = bytes[at..].iter().take_while(|byte| is_part(byte)).count();
                let token = &text[at..at + length];
                let is_integer = token.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit());
                if is_integer && token.parse::<i64>().is_err() && token.parse::<u64>().is_err() {
                    return false;
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    true
}

/// A value as HTTP headers hold it.
fn header(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~')) && text.trim() == text;
    if is_plain && !text.is_empty() && !text.starts_with("=?base64?") {
        return text.to_owned();
    }
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut encoded = String::new();
    for part in text.as_bytes().chunks(3) {
        let bits = part.iter().fold(0, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - part.len()));
        for place in 0..4 {
            let sign = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
            encoded.push(if place <= part.len() { char::from(sign) } else { '=' });
        }
    }
    format!("=?base64?{encoded}?=")
}

/// Address of the endpoint and the agent token.
fn target() -> Result<(Url, Option<String>), Error> {
    let named = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let mut token = named("SCHEMASCOPE_TOKEN");
    let address = match named("SCHEMASCOPE_URL") {
        Some(address) => address,
        None => {
            let text = std::fs::read_to_string(data_dir().join("instance.json")).unwrap_or_default();
            let instance: Value = serde_json::from_str(&text).unwrap_or_default();
            let text = |key: &str| instance.get(key).and_then(Value::as_str).map(str::to_owned);
            token = token.or_else(|| text("token"));
            text("mcp_url").ok_or_else(|| Error::connection(
                "Schemascope is not running. Start the program with `schemascope run -- CMD`, or set SCHEMASCOPE_URL and SCHEMASCOPE_TOKEN.",
            ))?
        }
    };
    let mut url = Url::parse(&address)
        .map_err(|_| Error::connection("SCHEMASCOPE_URL must look like http://127.0.0.1:7347"))?;
    if url.path() == "/" {
        url.set_path("/mcp");
    }
    Ok((url, token))
}

/// The data directory that Schemascope uses by default.
fn data_dir() -> PathBuf {
    let folder = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(named) = folder("SCHEMASCOPE_DATA_DIR") {
        return named;
    }
    let home = folder("HOME").or_else(|| folder("USERPROFILE")).unwrap_or_default();
    if cfg!(windows) {
        return folder("APPDATA").unwrap_or(home).join("schemascope").join("data");
    }
    if cfg!(target_os = "macos") {
        return home.join("Library/Application Support/schemascope");
    }
    folder("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share")).join("schemascope")
}
