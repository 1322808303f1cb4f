//! Transport over the standard input and output of a process.

use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use schemascope_program::ProcessGroup;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::process;
use super::{BoxFuture, Connection, Messages, Transport, lines};
use crate::config::StdioSpec;
use crate::upstream::link::Link;
use crate::upstream::log::{LogMark, LogTail};

/// How long the output of an ended process is read. A grandchild may keep its pipes open for ever.
const LAST_OUTPUT_TIMEOUT: Duration = Duration::from_millis(300);

impl Transport for StdioSpec {
    fn separates_requests(&self) -> bool {
        false
    }

    fn open(&self, messages: Messages) -> Result<Box<dyn Connection>, String> {
        let Messages { link, outgoing, log, .. } = messages;
        let began = log.mark();
        let process = process::start(self)?;
        let stderr = tokio::spawn(lines::read_log(process.stderr, Arc::clone(&log)));
        let reading = lines::run(&link, outgoing, process.stdout, process.stdin);
        Ok(Box::new(ProcessConnection { child: process.child, reading, stderr, link, log, began }))
    }
}

struct ProcessConnection {
    child: ProcessGroup,
    reading: JoinHandle<()>,
    stderr: JoinHandle<()>,
    link: Arc<Link>,
    log: Arc<LogTail>,
    /// The log before the process started.
    began: LogMark,
}

impl Connection for ProcessConnection {
    fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    fn keeps_state(&self) -> bool {
        true
    }

    fn ended(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            self.child.wait().await;
            let _ = tokio::time::timeout(LAST_OUTPUT_TIMEOUT, &mut self.reading).await;
            self.link.close();
        })
    }

    fn close(mut self: Box<Self>, hurry: CancellationToken) -> BoxFuture<'static, Option<String>> {
        Box::pin(async move {
            let status = self.child.end(&hurry).await;
            // The last lines often say why the process ended.
            let last_output = tokio::time::timeout(LAST_OUTPUT_TIMEOUT, &mut self.stderr);
            let _ = hurry.run_until_cancelled(last_output).await;
            self.stderr.abort();
            self.reading.abort();
            status.map(|status| explain(status, self.log.reason(self.began)))
        })
    }
}

/// Says how a process ended, with the last line that says why.
fn explain(status: ExitStatus, last: Option<String>) -> String {
    let how = match status.code() {
        Some(code) => format!("it exited with code {code}"),
        None => format!("it was ended ({status})"),
    };
    // Otherwise as it is, so that secrets in it are recognised when it is shown.
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    match last.map(|line| line.chars().map(plain).collect::<String>()) {
        Some(line) => format!("{how}; its last output: \"{line}\""),
        None => format!("{how} without saying why"),
    }
}
