//! An upstream over HTTP whose answers a test chooses.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

use anyhow::Result;
use serde_json::{Value, json};

/// A request, as far as tests need it.
#[derive(Debug, Default)]
pub struct ScriptedRequest {
    /// `POST`, `GET` or `DELETE`.
    pub verb: String,
    /// Header lines, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The message; null where there is none.
    pub message: Value,
}

/// A response.
#[derive(Debug, Default)]
pub struct ScriptedResponse {
    /// The HTTP status.
    pub status: u16,
    /// Headers besides the length.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: String,
}

impl ScriptedRequest {
    /// A header's value; empty where it is missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// The message's method.
    pub fn method(&self) -> &str {
        self.message["method"].as_str().unwrap_or_default()
    }

    /// A JSON response with this result.
    pub fn answered(&self, result: &Value) -> ScriptedResponse {
        let answer = json!({"jsonrpc": "2.0", "id": self.message["id"], "result": result});
        ScriptedResponse::json(200, &answer.to_string())
    }

    /// The usual answers of a server with a handshake and these tools; none for tool calls.
    pub fn usual(&self, tools: &[&str]) -> Option<ScriptedResponse> {
        match (self.verb.as_str(), self.method()) {
            ("POST", "initialize") => Some(self.answered(&json!({"protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}}, "serverInfo": {"name": "scripted", "version": "1"}}))),
            ("POST", "tools/list") => {
                let tools = tools.iter().map(|name| json!({"name": name, "inputSchema": {"type": "object"}}));
                Some(self.answered(&json!({"tools": tools.collect::<Vec<_>>()})))
            }
            ("POST", method) if method.starts_with("notifications/") => {
                Some(ScriptedResponse { status: 202, ..ScriptedResponse::default() })
            }
            ("POST", _) => None,
            ("DELETE", _) => Some(ScriptedResponse { status: 200, ..ScriptedResponse::default() }),
            _ => Some(ScriptedResponse { status: 405, ..ScriptedResponse::default() }),
        }
    }
}

impl ScriptedResponse {
    /// A body of JSON.
    pub fn json(status: u16, body: &str) -> Self {
        let headers = vec![("content-type", "application/json".to_owned())];
        Self { status, headers, body: body.to_owned() }
    }

    /// Adds a header.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

/// Answers every request by `answer`, one on each connection, while the test runs. Returns the URL.
pub fn scripted(
    answer: impl Fn(&ScriptedRequest) -> ScriptedResponse + Send + Sync + 'static,
) -> Result<String> {
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for connection in listener.incoming().map_while(Result::ok) {
            let answer = Arc::clone(&answer);
            std::thread::spawn(move || serve(connection, &*answer));
        }
    });
    Ok(url)
}

fn serve(
    mut connection: TcpStream,
    answer: &dyn Fn(&ScriptedRequest) -> ScriptedResponse,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(connection.try_clone()?);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut asked = ScriptedRequest {
        verb: line.split(' ').next().unwrap_or_default().to_owned(),
        ..ScriptedRequest::default()
    };
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        asked.headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut body = vec![0; asked.header("content-length").parse().unwrap_or_default()];
    reader.read_exact(&mut body)?;
    asked.message = serde_json::from_slice(&body).unwrap_or_default();
    let ScriptedResponse { status, headers, body } = answer(&asked);
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!(
        "HTTP/1.1 {status} x\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n",
        body.len()
    );
    connection.write_all(head.as_bytes())?;
    connection.write_all(body.as_bytes())
}
