//! One session with an upstream, from start to end.
//!
//! Owns: what carries it (a process or HTTP), the handshake, and why it ended. Refuses to know: whose
//! session it is, how many there are, and when to try again.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use schemascope_model::Timestamp;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;

use super::handshake::{self, Hello, Stranger};
use super::http::Carrier;
use super::link::{Asked, Closed, Head, Link, Outgoing, Request};
use super::log::LogTail;
use super::process::{self, ProcessGroup};
use super::{http, lines};
use crate::config::{HttpSpec, StdioSpec};
use crate::exchange::Outbox;
use crate::observer::ListedTool;
use crate::wire::{Era, Who, headers, params};

/// How long the last words of an ended process are waited for.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// How an upstream is reached.
#[derive(Debug, Clone)]
pub(crate) enum Spec {
    Stdio(StdioSpec),
    Http(HttpSpec),
}

/// How a session begins.
pub(crate) struct Opening {
    pub(crate) spec: Spec,
    pub(crate) era: Era,
    pub(crate) who: Who,
    /// The one client it serves, if it does.
    pub(crate) owner: Option<Outbox>,
    pub(crate) log: Arc<LogTail>,
}

/// An open session.
pub(crate) struct Live {
    pub(crate) link: Arc<Link>,
    pub(crate) hello: Hello,
    /// What it was asked for in, where what it asks could not be told apart otherwise: one at a time.
    pub(crate) turn: Option<Arc<Semaphore>>,
    tools: Mutex<Arc<[ListedTool]>>,
    pub(super) over_http: bool,
    pub(crate) pid: Option<u32>,
    pub(crate) since: Timestamp,
}

/// What carries a session.
enum Carrying {
    Process { child: ProcessGroup, reading: JoinHandle<()>, stderr: JoinHandle<()> },
    Http { carrier: Arc<Carrier>, running: JoinHandle<()> },
}

impl Live {
    pub(crate) fn tools(&self) -> Arc<[ListedTool]> {
        Arc::clone(&self.tools.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn take_tools(&self, tools: Arc<[ListedTool]>) {
        *self.tools.lock().unwrap_or_else(PoisonError::into_inner) = tools;
    }

    /// Sends a client's request in the way of this session's era.
    pub(crate) async fn request(
        &self,
        method: &str,
        params: Option<&Bytes>,
        subscription: Option<Bytes>,
        definition: Option<&Bytes>,
    ) -> Result<Request, Closed> {
        let head = (self.over_http && self.hello.era == Era::Modern).then(|| {
            let arguments = params.and_then(|params| params::field(params, "arguments"));
            let arguments = arguments.map(|found| found.raw);
            Box::new(Head {
                method: method.to_owned(),
                name: headers::name(method, params),
                arguments: definition
                    .map(|definition| headers::of_arguments(definition, arguments.as_ref()))
                    .unwrap_or_default(),
            })
        });
        self.link.request(Asked { method, params, head, own: false, subscription }).await
    }
}

/// Runs a session. Once the handshake is over, `serve` has it; the session ends when that does, with its
/// reason, when `stop` is done (without one), or when the upstream goes.
pub(crate) async fn run<S: Future<Output = String> + Send>(
    opening: Opening,
    stop: impl Future<Output = ()> + Send,
    serve: impl FnOnce(Arc<Live>) -> S + Send,
) -> Result<(), Stranger> {
    let Opening { spec, era, who, owner, log } = opening;
    let streams = matches!(spec, Spec::Http(_));
    let (link, messages) = Link::new(Arc::clone(&log), owner, who.clone(), streams);
    let mut carrying = carry(spec, era, &link, messages, &log).map_err(Stranger::Silent)?;
    let pid = carrying.pid();
    let turn = matches!(carrying, Carrying::Process { .. }) && who.may_be_asked() && who.session.is_none();
    let http = carrying.http();
    let served = async {
        let hello = handshake::introduce(&link, era, &who).await?;
        if let Some(carrier) = &http {
            carrier.agreed_on(&hello.version);
        }
        let live = Arc::new(Live {
            link: Arc::clone(&link),
            hello,
            turn: turn.then(|| Arc::new(Semaphore::new(1))),
            tools: Mutex::default(),
            over_http: http.is_some(),
            pid,
            since: Timestamp::now(),
        });
        let reason = tokio::select! {
            reason = serve(live) => reason,
            () = link.closed() => "it ended".to_owned(),
        };
        Ok::<_, Stranger>(reason)
    };
    let outcome = tokio::select! {
        biased;
        () = stop => Ok(None),
        outcome = served => outcome.map(Some),
        () = carrying.ended(&link) => Ok(Some("it ended".to_owned())),
    };
    let lost = link.is_closed();
    link.close();
    let status = carrying.end().await;
    match outcome {
        Ok(None) => Ok(()),
        Ok(Some(reason)) | Err(Stranger::Silent(reason)) if lost => {
            Err(Stranger::Silent(epitaph(reason, status, &log)))
        }
        Ok(Some(reason)) => Err(Stranger::Silent(reason)),
        Err(stranger) => Err(stranger),
    }
}

fn carry(
    spec: Spec,
    era: Era,
    link: &Arc<Link>,
    messages: mpsc::Receiver<Outgoing>,
    log: &Arc<LogTail>,
) -> Result<Carrying, String> {
    match spec {
        Spec::Stdio(spec) => {
            let process = process::start(&spec)?;
            let stderr = tokio::spawn(lines::read_log(process.stderr, Arc::clone(log)));
            let reading = lines::run(link, messages, process.stdout, process.stdin);
            Ok(Carrying::Process { child: process.child, reading, stderr })
        }
        Spec::Http(spec) => {
            let client = http::client(&spec)?;
            let (carrier, running) = Carrier::run(client, spec, era, Arc::clone(link), messages);
            Ok(Carrying::Http { carrier, running })
        }
    }
}

impl Carrying {
    fn pid(&self) -> Option<u32> {
        match self {
            Self::Process { child, .. } => child.id(),
            Self::Http { .. } => None,
        }
    }

    fn http(&self) -> Option<Arc<Carrier>> {
        match self {
            Self::Process { .. } => None,
            Self::Http { carrier, .. } => Some(Arc::clone(carrier)),
        }
    }

    /// Waits until it has ended by itself.
    async fn ended(&mut self, link: &Link) {
        match self {
            // A grandchild may hold its stdout open; what it still had to say is read for a moment.
            Self::Process { child, reading, .. } => {
                child.wait().await;
                let _ = tokio::time::timeout(LAST_WORDS, reading).await;
                link.close();
            }
            Self::Http { running, .. } => {
                let _ = running.await;
            }
        }
    }

    /// Ends it, and waits for that.
    async fn end(self) -> Option<std::process::ExitStatus> {
        match self {
            Self::Process { mut child, mut stderr, reading } => {
                let status = child.end().await;
                // What it wrote last is often the reason; a grandchild holding the pipe must not hold us up.
                let _ = tokio::time::timeout(LAST_WORDS, &mut stderr).await;
                stderr.abort();
                reading.abort();
                status
            }
            Self::Http { running, .. } => {
                // It may have been waited for already.
                if !running.is_finished() {
                    let _ = running.await;
                }
                None
            }
        }
    }
}

/// Why a session that ended did, as far as can be known.
fn epitaph(reason: String, status: Option<std::process::ExitStatus>, log: &LogTail) -> String {
    let Some(status) = status else { return reason };
    let how = match status.code() {
        Some(code) => format!("it exited with code {code}"),
        None => format!("it was ended ({status})"),
    };
    match log.last() {
        Some(line) => format!("{how}; its last output: {line:?}"),
        None => format!("{how} without saying why"),
    }
}
