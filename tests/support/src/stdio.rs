//! A client that starts the program itself and speaks with it in lines.

use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::client::Exchange;
use crate::wait::{DEADLINE, try_until};

/// A running `schemascope stdio`. Killed when dropped.
#[derive(Debug)]
pub struct StdioClient {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Lines that came while another one was waited for.
    kept: VecDeque<String>,
    next: u64,
    log: PathBuf,
}

impl StdioClient {
    /// Starts the program; what it writes to stderr goes to a file of its own beside `log`.
    pub(crate) fn start(mut command: Command, log: &std::path::Path) -> Result<Self> {
        static STARTED: AtomicU64 = AtomicU64::new(0);
        let log = log.with_extension(format!("stdio{}.log", STARTED.fetch_add(1, Ordering::Relaxed)));
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(fs::File::create(&log)?)
            .spawn()
            .context("schemascope does not start; was it built?")?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().context("stdout was asked for")?;
        let (sender, lines) = sync_channel(10_000);
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, stdin, lines, kept: VecDeque::new(), next: 1, log })
    }

    /// Initializes a session with these capabilities. Returns the answer unchanged.
    pub fn initialize(&mut self, capabilities: &Value) -> Result<Exchange> {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "stdio", "version": "1"}});
        let hello = self.request("initialize", &params.to_string())?;
        ensure!(hello.result().is_ok(), "initialize was answered with {hello:?}");
        self.notify("notifications/initialized", "{}")?;
        Ok(hello)
    }

    /// Writes any line.
    pub fn say(&mut self, line: &str) -> Result<()> {
        let stdin = self.stdin.as_mut().context("stdin is closed")?;
        stdin.write_all(format!("{line}\n").as_bytes())?;
        Ok(stdin.flush()?)
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: &str) -> Result<()> {
        self.say(&format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{params}}}"))
    }

    /// Sends a request with this id and these `params`, byte for byte, and does not wait.
    pub fn ask_as(&mut self, id: &str, method: &str, params: &str) -> Result<()> {
        self.say(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}"))
    }

    /// Sends a request and does not wait. Returns its id.
    pub fn ask(&mut self, method: &str, params: &str) -> Result<String> {
        let id = self.next.to_string();
        self.next += 1;
        self.ask_as(&id, method, params)?;
        Ok(id)
    }

    /// Calls a tool and does not wait. Returns the request's id.
    pub fn ask_call(&mut self, tool: &str, arguments: &Value) -> Result<String> {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}).to_string())
    }

    /// Calls a tool that reports progress, and waits until the call is under way. Returns the request's id.
    pub fn begin_call(&mut self, tool: &str, arguments: &Value) -> Result<String> {
        let token = self.next;
        let params = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": token}});
        let id = self.ask("tools/call", &params.to_string())?;
        self.progress(token)?;
        Ok(id)
    }

    /// Sends a request and waits for its answer.
    pub fn request(&mut self, method: &str, params: &str) -> Result<Exchange> {
        let id = self.ask(method, params)?;
        self.answer(&id)
    }

    /// Calls a tool.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Result<Exchange> {
        let id = self.ask_call(tool, arguments)?;
        self.answer(&id)
    }

    /// The answer to a request, after the notifications and requests that came before it and were not read yet.
    pub fn answer(&mut self, id: &str) -> Result<Exchange> {
        let expected: Value = serde_json::from_str(id)?;
        let at = self.find(&|message| message.get("method").is_none() && message["id"] == expected)?;
        let answer = self.kept.remove(at).context("it was found")?;
        let mut messages = Vec::new();
        for line in self.kept.drain(..at).collect::<Vec<_>>().into_iter().rev() {
            match serde_json::from_str::<Value>(&line)?.get("method") {
                Some(_) => messages.insert(0, line),
                None => self.kept.push_front(line),
            }
        }
        messages.push(answer);
        Ok(Exchange { status: 200, messages, ..Exchange::default() })
    }

    /// The next message, of whatever kind.
    pub fn next_message(&mut self) -> Result<Value> {
        self.find(&|_| true)?;
        let line = self.kept.pop_front().context("it was found")?;
        Ok(serde_json::from_str(&line)?)
    }

    /// The next request or notification of this method. Messages before it stay unread.
    pub fn told(&mut self, method: &str) -> Result<Value> {
        let at = self.find(&|message| message["method"] == method)?;
        let line = self.kept.remove(at).context("it was found")?;
        Ok(serde_json::from_str(&line)?)
    }

    /// Waits for progress of the call with this token.
    pub fn progress(&mut self, token: u64) -> Result<()> {
        while self.told("notifications/progress")?["params"]["progressToken"] != token {}
        Ok(())
    }

    /// The next message that is an error, parsed.
    pub fn complaint(&mut self) -> Result<Value> {
        let at = self.find(&|message| message.get("error").is_some())?;
        let line = self.kept.remove(at).context("it was found")?;
        Ok(serde_json::from_str(&line)?)
    }

    /// The next line.
    pub fn receive(&mut self) -> Result<String> {
        self.find(&|_| true)?;
        self.kept.pop_front().context("it was found")
    }

    /// The position among the kept lines of the first wanted message.
    fn find(&mut self, wanted: &dyn Fn(&Value) -> bool) -> Result<usize> {
        let mut at = 0;
        loop {
            if at == self.kept.len() {
                let line = self.lines.recv_timeout(DEADLINE);
                let line = line.with_context(|| {
                    format!("nothing more came after {:?}; {}", self.kept, self.log().unwrap_or_default())
                })?;
                self.kept.push_back(line);
            }
            let line = &self.kept[at];
            let message: Value = serde_json::from_str(line).with_context(|| format!("no JSON: {line:?}"))?;
            if wanted(&message) {
                return Ok(at);
            }
            at += 1;
        }
    }

    /// Lines that came and were not read yet.
    pub fn unread(&mut self) -> Vec<String> {
        self.kept.drain(..).chain(self.lines.try_iter()).collect()
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its stderr.
    pub fn log(&self) -> Result<String> {
        Ok(fs::read_to_string(&self.log)?)
    }

    /// Closes its stdin and waits for its end. Returns its exit code.
    pub fn close(mut self) -> Result<Option<i32>> {
        self.hang_up();
        self.wait()
    }

    /// Closes its stdin.
    pub fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Waits for its end. Returns its exit code.
    pub fn wait(&mut self) -> Result<Option<i32>> {
        let status = try_until("the process ends", || Ok(self.child.try_wait()?))
            .with_context(|| self.log().unwrap_or_default())?;
        Ok(status.code())
    }

    /// Ends it with kill -9.
    pub fn kill(mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for StdioClient {
    fn drop(&mut self) {
        // Gone already is fine.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
