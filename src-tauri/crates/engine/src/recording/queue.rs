//! Jobs of the recorder's two stages, in the order they are done.

use std::collections::BTreeMap;
use std::time::Instant;

use parking_lot::Mutex;
use schemascope_model::Timestamp;
use schemascope_proxy::ListedTool;
use schemascope_registry::Detached;
use schemascope_store::{Error, Packed, Position};
use tokio::sync::oneshot;

use super::capacity::Reservation;
use super::draft::Draft;
use super::relearn::Relearning;

/// A job of the first stage.
pub(super) enum Job {
    Call(Box<QueuedCall>),
    /// Journals the newest listing of this server, found in [`Listings`].
    Listed(String),
    Flush(oneshot::Sender<()>),
    /// Changes what is known of a tool.
    Relearn(Relearn),
    Close,
}

/// Steps of learning a tool again.
pub(super) enum Relearn {
    /// Tells the end of the journal.
    Position(oneshot::Sender<Position>),
    /// Reads the rest and replaces what is known of the tool.
    Finish(Box<Relearning>, oneshot::Sender<Result<(), Error>>),
}

/// A call in the queue.
pub(super) struct QueuedCall {
    pub(super) draft: Draft,
    pub(super) since: Instant,
    /// Notified once the call is journaled.
    pub(super) done: Option<oneshot::Sender<()>>,
    pub(super) reservation: Reservation,
}

/// A job of the second stage.
pub(super) enum WriterJob {
    Write(Box<PackedCall>),
    /// Journals the newest listing of this server, and notifies once that is done.
    Listed(String, oneshot::Sender<()>),
    Flush(oneshot::Sender<()>),
    /// Changes what is known of a tool.
    Relearn(Relearn),
    Close,
}

/// A record ready to be written.
pub(super) struct PackedCall {
    pub(super) record: Packed,
    /// Bytes of its bodies.
    pub(super) bytes: usize,
    pub(super) observation: Option<Detached>,
    pub(super) since: Instant,
    pub(super) done: Option<oneshot::Sender<()>>,
    pub(super) reservation: Reservation,
}

/// The newest listing of each server that is not written yet. An upstream that lists again and again replaces its
/// own.
#[derive(Default)]
pub(super) struct Listings(Mutex<BTreeMap<String, (Vec<ListedTool>, Timestamp)>>);

impl Listings {
    /// Keeps a listing. Returns whether none of this server was waiting.
    pub(super) fn put(&self, server: &str, tools: &[ListedTool], at: Timestamp) -> bool {
        self.0.lock().insert(server.to_owned(), (tools.to_vec(), at)).is_none()
    }

    pub(super) fn take(&self, server: &str) -> Option<(Vec<ListedTool>, Timestamp)> {
        self.0.lock().remove(server)
    }
}
