//! How messages reach an upstream: the seam between a [`Link`] and the outside world.
//!
//! Each kind of upstream implements [`Transport`] for its entry in the configuration. A new kind needs a module here
//! and a line in [`of`]. A transport carries messages and does not interpret them beyond what HTTP headers repeat.

pub(crate) mod built_in;
pub(crate) mod http;
pub(crate) mod lines;
mod process;
mod stdio;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::link::{Link, Outgoing};
use super::log::LogTail;
use crate::config::ServerEntry;
use crate::wire::Era;

pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Returns the transport of an entry, or the reason why it has none.
pub(crate) fn of(entry: &ServerEntry) -> Result<Arc<dyn Transport>, String> {
    match entry {
        ServerEntry::Stdio(spec) => Ok(Arc::new(spec.clone())),
        ServerEntry::Http(spec) => Ok(Arc::new(spec.clone())),
        ServerEntry::BuiltIn(tools) | ServerEntry::CommandLine(tools) => Ok(Arc::new(tools.clone())),
        ServerEntry::Disabled => Err("it is disabled in the configuration".into()),
        ServerEntry::Invalid(reason) => Err(reason.clone()),
    }
}

/// A way to reach one upstream. Every session opens a connection of its own.
pub(crate) trait Transport: Send + Sync {
    /// Whether each request has headers and a response stream of its own, as over HTTP. Otherwise all messages share
    /// one stream, and a question from the upstream does not say which request it belongs to.
    fn separates_requests(&self) -> bool;

    /// Opens a connection that carries `messages`. An error is a reason to show to the user.
    fn open(&self, messages: Messages) -> Result<Box<dyn Connection>, String>;
}

/// The messages of one session, for a transport to carry.
pub(crate) struct Messages {
    /// The protocol era of the session.
    pub(crate) era: Era,
    /// Receives messages from the upstream.
    pub(crate) link: Arc<Link>,
    /// Messages to the upstream.
    pub(crate) outgoing: mpsc::Receiver<Outgoing>,
    /// Receives output that is not a message.
    pub(crate) log: Arc<LogTail>,
}

/// An open connection. Dropping it ends the connection at once.
pub(crate) trait Connection: Send {
    /// The process at the other end.
    fn pid(&self) -> Option<u32> {
        None
    }

    /// Notes the protocol version agreed on in the handshake. Called once.
    fn agreed_on(&self, version: &str) {
        let _ = version;
    }

    /// Whether the upstream may keep state for this connection. Called after the handshake.
    fn keeps_state(&self) -> bool {
        false
    }

    /// Waits until the upstream ends the connection. Safe to cancel and to call again.
    fn ended(&mut self) -> BoxFuture<'_, ()>;

    /// Ends the connection, whose link is closed already, and waits for that, only briefly once `hurry` is cancelled.
    /// Returns how the upstream ended, where that explains why the session was lost.
    fn close(self: Box<Self>, hurry: CancellationToken) -> BoxFuture<'static, Option<String>>;
}
