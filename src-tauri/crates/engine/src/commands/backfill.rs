//! Reading traces: our own export, or lines `{"tool_id", "output"[, "is_error", "at", "arguments", "session"]}`.
//!
//! A trace gives the same state as the calls would have given live: lines become call records and pass through the
//! recorder, redaction included.

use std::collections::{BTreeSet, HashSet};

use schemascope_api::{ApiError, Backfill, BackfillReply, ErrorKind, RejectedLine};
use schemascope_model::{CallId, CallRecord, Timestamp};
use schemascope_registry::exchange::latest_plausible;

use super::Handle;
use crate::engine::Engine;
use crate::recording::trace;

/// Most milliseconds between the time in an id and the time of its call. Ids of live calls are made when they end.
const MAX_ID_DRIFT_MS: u64 = 24 * 60 * 60 * 1_000;

handlers![Backfill];

impl Handle<Backfill> for Engine {
    async fn handle(&self, command: Backfill) -> Result<BackfillReply, ApiError> {
        let _alone = self.backfilling.lock().await;
        if self.records.recorder.report().index_behind {
            let message = "the index is behind, so calls that are recorded already cannot be recognised; restart Schemascope first";
            return Err(ApiError::new(ErrorKind::Unavailable, message));
        }
        let mut reply = BackfillReply::default();
        let mut tools = BTreeSet::new();
        let mut seen = HashSet::new();
        let own_node = self.records.recorder.id_at(Timestamp::now()).node();
        let numbers = command.numbers.iter().copied().chain(command.first_line..);
        for (line, number) in command.lines.iter().zip(numbers) {
            if line.trim().is_empty() {
                continue;
            }
            let (record, own_export) = match self.read(line) {
                Ok(read) => read,
                Err(reason) => {
                    reply.rejected.push(RejectedLine { line: number, reason });
                    continue;
                }
            };
            // Calls submitted by this command may not be in the store yet.
            let is_stored = !seen.insert(record.id)
                || own_export && self.records.reader.contains(record.id).map_err(super::internal)?;
            // Only this machine makes such ids, and what was learned from the call stays when it is removed.
            let is_removed = own_export && !is_stored && record.id.node() == own_node;
            if is_stored || is_removed {
                reply.known += 1;
                reply.removed += u64::from(is_removed);
                continue;
            }
            tools.insert(record.tool_id.to_string());
            if command.dry_run || self.records.recorder.submit(record, own_export).await {
                reply.accepted += 1;
            } else {
                let reason = "the recorder is closed".to_owned();
                reply.rejected.push(RejectedLine { line: number, reason });
            }
        }
        self.records.recorder.flush().await;
        reply.tools = tools.into_iter().collect();
        Ok(reply)
    }
}

impl Engine {
    /// The call that a line describes, and whether it is our own export.
    fn read(&self, line: &str) -> Result<(CallRecord, bool), String> {
        let (record, own_export) = trace::read(line, |at| self.new_id(at))?;
        // Other machines would set aside everything that counts such a call.
        if record.at > latest_plausible(Timestamp::now()) {
            return Err(format!("\"at\" is {}, in the future", record.at));
        }
        // Limits remove calls in the order of their ids, so that one from the far future would outlive all others.
        if record.id.time().as_millis().abs_diff(record.at.as_millis()) > MAX_ID_DRIFT_MS {
            return Err(format!("its id says {}, but \"at\" is {}", record.id.time(), record.at));
        }
        Ok((record, own_export))
    }

    /// An id that is not in the store.
    fn new_id(&self, at: Timestamp) -> Result<CallId, String> {
        let mut id = self.records.recorder.id_at(at);
        while self.records.reader.contains(id).map_err(|error| error.to_string())? {
            id = self.records.recorder.id_at(at);
        }
        Ok(id)
    }
}
