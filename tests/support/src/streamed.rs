//! A response that is read as it comes, by hand.

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::program::Serve;

/// How long a line is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// A request whose answer is read as it comes. Dropped, its connection closes.
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

    /// Listens to what belongs to no request of a session.
    pub fn get(serve: &Serve, upstream: Option<&str>, session: &str) -> Result<Self> {
        Self::open("GET", serve, upstream, &[("mcp-session-id", session)], "")
    }

    /// Posts a request as a client of the stateless era with these capabilities.
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

    /// The next line; none at the end, or where none comes.
    pub fn next(&self) -> Option<String> {
        self.lines.recv_timeout(PATIENCE).ok()
    }

    /// Waits for a line that says this.
    pub fn until(&self, said: &str) -> Option<String> {
        loop {
            let line = self.next()?;
            if line.contains(said) {
                return Some(line);
            }
        }
    }

    /// What has come and was not read yet.
    pub fn arrived(&self) -> Vec<String> {
        self.lines.try_iter().collect()
    }
}

impl Drop for Streamed {
    fn drop(&mut self) {
        let _ = self.connection.shutdown(Shutdown::Both);
    }
}
