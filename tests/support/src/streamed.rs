//! A response that is read line by line as it arrives.

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{Receiver, sync_channel};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::program::Serve;
use crate::wait::DEADLINE;

/// A request whose answer is read as it arrives. Its connection closes when it is dropped.
#[derive(Debug)]
pub struct Streamed {
    lines: Receiver<String>,
    connection: TcpStream,
}

impl Streamed {
    /// Posts a message.
    pub fn post(
        serve: &Serve,
        upstream: Option<&str>,
        headers: &[(&str, &str)],
        body: &Value,
    ) -> Result<Self> {
        Self::open("POST", serve, upstream, headers, &body.to_string())
    }

    /// Opens the stream of a session for messages that belong to no request.
    pub fn get(serve: &Serve, upstream: Option<&str>, session: &str) -> Result<Self> {
        Self::open("GET", serve, upstream, &[("mcp-session-id", session)], "")
    }

    /// Resumes a stream of a session after an event.
    pub fn resume(serve: &Serve, upstream: Option<&str>, session: &str, event: &str) -> Result<Self> {
        let headers = [("mcp-session-id", session), ("last-event-id", event)];
        Self::open("GET", serve, upstream, &headers, "")
    }

    /// Posts a request as a stateless client with these capabilities.
    pub fn stateless(
        serve: &Serve,
        upstream: Option<&str>,
        capabilities: &Value,
        method: &str,
        mut params: Value,
    ) -> Result<Self> {
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities.clone();
        let body = json!({"jsonrpc": "2.0", "id": "s", "method": method, "params": params});
        let mut headers = vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
        headers.extend(params["name"].as_str().map(|name| ("mcp-name", name)));
        Self::post(serve, upstream, &headers, &body)
    }

    fn open(
        verb: &str,
        serve: &Serve,
        upstream: Option<&str>,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Result<Self> {
        let address = serve.instance["address"].as_str().context("it listens")?;
        let mut connection = TcpStream::connect(address)?;
        let path = upstream.map_or_else(|| "/mcp".to_owned(), |name| format!("/mcp/{name}"));
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let accept = if verb == "GET" { "text/event-stream" } else { "application/json, text/event-stream" };
        let head = format!(
            "{verb} {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
             accept: {accept}\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n{body}",
            serve.token(),
            body.len()
        );
        connection.write_all(head.as_bytes())?;
        let (sender, lines) = sync_channel(10_000);
        let reader = BufReader::new(connection.try_clone()?);
        std::thread::spawn(move || {
            for line in reader.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Self { lines, connection })
    }

    /// The next line; none at the end or at the deadline.
    pub fn next(&self) -> Option<String> {
        self.lines.recv_timeout(DEADLINE).ok()
    }

    /// Waits for a line that contains this.
    pub fn until(&self, said: &str) -> Option<String> {
        loop {
            let line = self.next()?;
            if line.contains(said) {
                return Some(line);
            }
        }
    }

    /// Lines that arrived and were not read yet.
    pub fn arrived(&self) -> Vec<String> {
        self.lines.try_iter().collect()
    }
}

impl Drop for Streamed {
    fn drop(&mut self) {
        let _ = self.connection.shutdown(Shutdown::Both);
    }
}
