//! Runs the desktop window on a virtual display (Xvfb) and controls it with WebKitWebDriver, by the few WebDriver
//! commands that the tests need.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::wait::{DEADLINE, try_until};

/// A display without a screen. Gone when dropped.
#[derive(Debug)]
pub struct Display {
    server: Child,
    /// Its name, for `DISPLAY`.
    pub name: String,
}

impl Display {
    /// Starts a display with the first free number.
    pub fn open() -> Result<Self> {
        // Without `-noreset`, a display restarts when its last window is closed, and refuses one that opens meanwhile.
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1600x1000x24", "-nolisten", "tcp", "-noreset"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("Xvfb does not start; it is in the Debian package xvfb")?;
        let stdout = server.stdout.take().context("stdout was asked for")?;
        let mut display = Self { server, name: String::new() };
        let mut number = String::new();
        BufReader::new(stdout).read_line(&mut number)?;
        ensure!(!number.trim().is_empty(), "Xvfb found no free display");
        display.name = format!(":{}", number.trim());
        Ok(display)
    }

    /// Waits for a dialog with this title, presses a key in it that closes it, named as X names it, and waits until it is
    /// closed. Dialogs of the system are not the page's: the driver does not know them.
    pub fn answer(&self, title: &str, key: &str) -> Result<()> {
        let tool = |args: &[&str]| {
            let output = Command::new("xdotool").args(args).env("DISPLAY", &self.name).output();
            output.context("xdotool does not start; it is in the Debian package xdotool")
        };
        let find = || {
            let found = tool(&["search", "--onlyvisible", "--name", &format!("^{title}$")])?;
            anyhow::Ok(String::from_utf8_lossy(&found.stdout).lines().next().map(str::to_owned))
        };
        let mut dialog = None;
        try_until(&format!("there is a dialog {title:?}"), || {
            dialog = find()?;
            Ok(dialog.is_some())
        })?;
        for args in [["windowfocus", dialog.as_deref().unwrap_or_default()], ["key", key]] {
            let output = tool(&args)?;
            ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        try_until(&format!("the dialog {title:?} is closed"), || Ok(find()?.is_none()))
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        // Asked, not killed: it removes its lock and its socket then. Gone already is fine.
        let _ = Command::new("kill").arg(self.server.id().to_string()).stderr(Stdio::null()).status();
        let _ = self.server.wait();
    }
}

/// An open window. It and its driver are killed when this is dropped.
#[derive(Debug)]
pub struct Window {
    driver: Child,
    agent: ureq::Agent,
    url: String,
}

impl Window {
    /// Opens the window a command starts, with its driver's and its own stderr in a file.
    pub fn open(command: &Command, log: &Path) -> Result<Self> {
        // Free a moment ago; the driver cannot choose by itself.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut driver = Command::new("WebKitWebDriver");
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => driver.env(name, value),
                None => driver.env_remove(name),
            };
        }
        let driver = driver
            .arg(format!("--port={port}"))
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::options().create(true).append(true).open(log)?)
            // The window is the driver's child: killing the group kills both.
            .process_group(0)
            .spawn()
            .context("WebKitWebDriver does not start; it is in the Debian package webkit2gtk-driver")?;
        let config = ureq::Agent::config_builder()
            .proxy(None)
            .http_status_as_error(false)
            .timeout_global(Some(DEADLINE))
            .build();
        let mut window = Self { driver, agent: config.into(), url: format!("http://127.0.0.1:{port}") };
        window.begin(command).with_context(|| std::fs::read_to_string(log).unwrap_or_default())?;
        Ok(window)
    }

    fn begin(&mut self, command: &Command) -> Result<()> {
        try_until("WebKitWebDriver answers", || {
            if let Some(status) = self.driver.try_wait()? {
                bail!("WebKitWebDriver ended with {status}");
            }
            Ok(self.agent.get(format!("{}/status", self.url)).call().is_ok())
        })?;
        let args: Vec<_> = command.get_args().map(|arg| arg.to_string_lossy()).collect();
        let options = json!({"binary": command.get_program().to_string_lossy(), "args": args});
        let session = json!({"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}});
        let reply = self.post("/session", &session)?;
        let id = reply["sessionId"].as_str().context("a session has an id")?;
        self.url = format!("{}/session/{id}", self.url);
        Ok(())
    }

    fn read(response: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<Value> {
        let mut response = response?;
        let status = response.status();
        let mut reply: Value = serde_json::from_str(&response.body_mut().read_to_string()?)?;
        ensure!(status.is_success(), "{reply}");
        Ok(reply["value"].take())
    }

    fn post(&self, path: &str, body: &Value) -> Result<Value> {
        Self::read(self.agent.post(format!("{}{path}", self.url)).send(body.to_string()))
    }

    fn get(&self, path: &str) -> Result<Value> {
        Self::read(self.agent.get(format!("{}{path}", self.url)).call())
    }

    /// What the body of a function gives in the page.
    pub fn run(&self, script: &str, args: &[Value]) -> Result<Value> {
        self.post("/execute/sync", &json!({"script": script, "args": args}))
    }

    /// The text of the first element of a selector; empty where there is none.
    pub fn text(&self, selector: &str) -> Result<String> {
        let script = "return document.querySelector(arguments[0])?.textContent ?? ''";
        Ok(self.run(script, &[json!(selector)])?.as_str().unwrap_or_default().to_owned())
    }

    /// Clicks the first element of a selector, as a mouse does.
    pub fn click(&self, selector: &str) -> Result<()> {
        let found = self.post("/element", &json!({"using": "css selector", "value": selector}))?;
        let id = found.as_object().and_then(|found| found.values().next()?.as_str());
        let id = id.with_context(|| format!("there is no {selector}"))?;
        self.post(&format!("/element/{id}/click"), &json!({}))?;
        Ok(())
    }

    /// Where the page is.
    pub fn address(&self) -> Result<String> {
        Ok(self.get("/url")?.as_str().unwrap_or_default().to_owned())
    }

    /// Width and height.
    pub fn size(&self) -> Result<(u64, u64)> {
        let rect = self.get("/window/rect")?;
        rect["width"].as_u64().zip(rect["height"].as_u64()).with_context(|| format!("no size: {rect}"))
    }

    /// Resizes the window.
    pub fn resize(&self, (width, height): (u64, u64)) -> Result<()> {
        self.post("/window/rect", &json!({"width": width, "height": height}))?;
        Ok(())
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // Gone already is fine.
        let group = format!("-{}", self.driver.id());
        let _ = Command::new("kill").args(["-9", "--", &group]).stderr(Stdio::null()).status();
        let _ = self.driver.wait();
    }
}
