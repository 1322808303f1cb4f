//! One session with an upstream, from start to end: connection, handshake, and why it ended.

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use schemascope_model::Timestamp;
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;

use super::handshake::{self, Hello, SessionError};
use super::link::{Closed, Head, Link, NewRequest, Request};
use super::log::LogTail;
use super::transport::{Messages, Transport};
use crate::exchange::Outbox;
use crate::observer::ListedTool;
use crate::wire::{Era, Who, headers, params};

/// Time after which an upstream that announces no changes is asked for its tools again, once a client lists them.
const LISTING_AGE: Duration = Duration::from_secs(30);

/// How a session begins.
pub(crate) struct Opening {
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) era: Era,
    pub(crate) who: Who,
    /// The only client of the session, if it serves one.
    pub(crate) owner: Option<Outbox>,
    pub(crate) log: Arc<LogTail>,
    /// Cancelled when the session must end soon.
    pub(crate) hurry: CancellationToken,
}

/// An open session.
pub(crate) struct Live {
    pub(crate) link: Arc<Link>,
    pub(crate) hello: Hello,
    /// Lets requests use the session one at a time, where a question of the upstream could belong to any of them.
    pub(crate) turn: Option<Arc<Semaphore>>,
    tools: Mutex<Arc<[ListedTool]>>,
    /// Why its tools could not be listed the last time.
    listing_error: Mutex<Option<String>>,
    /// Asks for the tools again.
    pub(super) relist: Notify,
    /// When the tools were last asked for because a client listed them.
    looked: Mutex<Instant>,
    /// See [`Transport::separates_requests`].
    pub(super) separates_requests: bool,
    /// Whether it serves one client session alone.
    serves_one: bool,
    /// See [`Connection::keeps_state`](super::transport::Connection::keeps_state).
    pub(super) keeps_state: bool,
    pub(crate) pid: Option<u32>,
    pub(crate) since: Timestamp,
}

impl Live {
    /// Whether several clients use this session, which the upstream takes for one client.
    pub(crate) fn is_shared(&self) -> bool {
        self.hello.era == Era::Legacy && !self.serves_one
    }

    pub(crate) fn tools(&self) -> Arc<[ListedTool]> {
        Arc::clone(&self.tools.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn take_tools(&self, tools: Arc<[ListedTool]>) {
        *self.tools.lock().unwrap_or_else(PoisonError::into_inner) = tools;
    }

    /// Returns why its tools could not be listed the last time; `None` if they could.
    pub(crate) fn listing_error(&self) -> Option<String> {
        self.listing_error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_listing_error(&self, reason: Option<String>) {
        *self.listing_error.lock().unwrap_or_else(PoisonError::into_inner) = reason;
    }

    /// Notes that a client lists the tools. Of an upstream that does not announce changes they are asked for again, in the
    /// background, unless they were a moment ago: clients are notified of what changed.
    pub(crate) fn look_again(&self) {
        if !self.hello.has("tools") || self.hello.announces("tools") {
            return;
        }
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        if looked.elapsed() >= LISTING_AGE {
            *looked = Instant::now();
            self.relist.notify_one();
        }
    }

    /// Sends a client's request in the form of this session's era.
    pub(crate) async fn request(
        &self,
        method: &str,
        params: Option<&Bytes>,
        subscription: Option<Bytes>,
        definition: Option<&Bytes>,
    ) -> Result<Request, Closed> {
        let head = (self.separates_requests && self.hello.era == Era::Modern).then(|| {
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
        self.link.request(NewRequest { method, params, head, own: false, subscription }).await
    }
}

/// Runs a session. `serve` gets it after the handshake. The session ends when `serve` returns a reason, when `stop`
/// is done, or when the upstream ends; only `stop` is no error.
pub(crate) async fn run<S: Future<Output = String> + Send>(
    opening: Opening,
    stop: impl Future<Output = ()> + Send,
    serve: impl FnOnce(Arc<Live>) -> S + Send,
) -> Result<(), SessionError> {
    let Opening { transport, era, who, owner, log, hurry } = opening;
    let separates_requests = transport.separates_requests();
    let (link, outgoing) = Link::new(Arc::clone(&log), owner, who.clone(), separates_requests);
    let messages = Messages { era, link: Arc::clone(&link), outgoing, log };
    let mut connection = transport.open(messages).map_err(SessionError::Failed)?;
    let mut stop = pin!(stop);
    let ended = || SessionError::Failed("it ended".into());
    let hello = tokio::select! {
        biased;
        () = &mut stop => Ok(None),
        hello = handshake::introduce(&link, era, &who) => hello.map(Some),
        () = connection.ended() => Err(ended()),
    };
    let outcome = match hello {
        Ok(Some(hello)) => {
            connection.agreed_on(&hello.version);
            let takes_turns = !separates_requests && who.may_be_asked() && who.session.is_none();
            let live = Arc::new(Live {
                link: Arc::clone(&link),
                hello,
                turn: takes_turns.then(|| Arc::new(Semaphore::new(1))),
                tools: Mutex::default(),
                listing_error: Mutex::default(),
                relist: Notify::new(),
                looked: Mutex::new(Instant::now()),
                separates_requests,
                serves_one: who.session.is_some(),
                keeps_state: connection.keeps_state(),
                pid: connection.pid(),
                since: Timestamp::now(),
            });
            tokio::select! {
                biased;
                () = &mut stop => Ok(()),
                reason = serve(live) => Err(SessionError::Failed(reason)),
                () = link.closed() => Err(ended()),
                () = connection.ended() => Err(ended()),
            }
        }
        Ok(None) => Ok(()),
        Err(error) => Err(error),
    };
    let was_lost = link.is_closed();
    link.close();
    match (outcome, connection.close(hurry).await) {
        (Err(SessionError::Failed(_)), Some(how)) if was_lost => Err(SessionError::Failed(how)),
        (outcome, _) => outcome,
    }
}
