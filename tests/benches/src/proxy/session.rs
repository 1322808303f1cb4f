//! One caller: a session on a connection of its own, with requests as the protocol requires them.

use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::http::{Connection, Response};
use crate::payload;

/// Where and as whom to call.
#[derive(Debug, Clone)]
pub struct Target {
    /// `HOST:PORT`.
    pub address: String,
    /// Such as `/mcp`.
    pub path: String,
    /// What requests must carry.
    pub token: Option<String>,
    /// What stands before the names of tools.
    pub prefix: &'static str,
}

/// An open session.
pub struct Session {
    target: Arc<Target>,
    connection: Connection,
    id: Option<String>,
    /// The last request's.
    request: u64,
    /// The head of every request up to the length of its body.
    head: Vec<u8>,
    /// The request being sent.
    outgoing: Vec<u8>,
}

impl Target {
    /// Of a URL.
    pub fn of(url: &str, token: Option<&str>, prefix: &'static str) -> Result<Self> {
        let rest = url.strip_prefix("http://").context("only http:// is spoken")?;
        let (address, path) = rest.split_once('/').unwrap_or((rest, ""));
        let token = token.map(str::to_owned);
        Ok(Self { address: address.to_owned(), path: format!("/{path}"), token, prefix })
    }

    /// What stands before the length in the head of a request.
    pub fn head(&self, path: &str, session: Option<&str>) -> Vec<u8> {
        let mut head = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n",
            self.address
        );
        if let Some(token) = &self.token {
            head += &format!("authorization: Bearer {token}\r\n");
        }
        if let Some(session) = session {
            head += &format!("mcp-session-id: {session}\r\nmcp-protocol-version: 2025-11-25\r\n");
        }
        head += "content-length: ";
        head.into_bytes()
    }
}

impl Session {
    /// Connects and shakes hands.
    pub fn open(target: &Arc<Target>) -> Result<Self> {
        let mut session = Self {
            target: Arc::clone(target),
            connection: Connection::open(&target.address)?,
            id: None,
            request: 0,
            head: target.head(&target.path, None),
            outgoing: Vec::new(),
        };
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        });
        let response = session.ask("initialize", &hello.to_string())?;
        ensure!(response.status == 200, "initialize was answered with {}", response.status);
        session.id = response.session;
        session.head = target.head(&target.path, session.id.as_deref());
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
        let response = session.post(initialized.as_bytes())?;
        ensure!(response.status < 300, "initialized was answered with {}", response.status);
        Ok(session)
    }

    /// Goes on on a new connection: servers close those that were idle for some seconds.
    pub fn reconnect(&mut self) -> Result<()> {
        self.connection = Connection::open(&self.target.address)?;
        Ok(())
    }

    /// Calls a tool. Gives the request's id, the answer, and when it was there.
    pub fn call(&mut self, payload: usize, variant: usize) -> Result<(u64, &[u8], Instant)> {
        let name = payload::ALL[payload].tool;
        let params =
            format!("{{\"name\":\"{}{name}\",\"arguments\":{{\"variant\":{variant}}}}}", self.target.prefix);
        let id = self.request + 1;
        let response = self.ask("tools/call", &params)?;
        ensure!(response.status == 200, "a call was answered with {}", response.status);
        Ok((id, response.body, response.answered))
    }

    fn ask(&mut self, method: &str, params: &str) -> Result<Response<'_>> {
        self.request += 1;
        let body = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"{method}\",\"params\":{params}}}",
            self.request
        );
        self.post(body.as_bytes())
    }

    fn post(&mut self, body: &[u8]) -> Result<Response<'_>> {
        self.outgoing.clear();
        self.outgoing.extend_from_slice(&self.head);
        write!(self.outgoing, "{}\r\n\r\n", body.len())?;
        self.outgoing.extend_from_slice(body);
        self.connection.exchange(&self.outgoing)
    }
}
