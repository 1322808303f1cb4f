//! Removing calls, oldest first.
//!
//! Owns: that a call goes with all its rows. Refuses to know: which calls go.

use std::sync::atomic::Ordering;

use schemascope_model::CallId;

use super::{CALL_ROWS, CALLS, Index, MAX_OPERATIONS, Stored, key, lookups, rows};
use crate::Error;

impl Index {
    /// Of the room that files of `bytes` take, what holds something: they do not shrink when calls go,
    /// but what is free in them is used again.
    pub(crate) fn bytes_used(&self, bytes: u64) -> u64 {
        let most = u128::from(self.most.load(Ordering::Relaxed).max(1));
        (u128::from(bytes) * u128::from(self.count()).min(most) / most) as u64
    }

    /// Removes calls. Ids that are not there are none of its business.
    pub(crate) fn remove(&self, ids: &[CallId]) -> Result<u64, Error> {
        let mut removed = 0;
        for chunk in ids.chunks((MAX_OPERATIONS - 1) / CALL_ROWS) {
            let mut batch = sled::Batch::default();
            let mut in_batch = 0;
            for id in chunk {
                let Some(Stored::Whole(call) | Stored::Reference(call, _)) = self.call(*id)? else {
                    continue;
                };
                batch.remove(key(CALLS, &[&id.to_bytes()]));
                lookups(&call).for_each(|row| batch.remove(row));
                in_batch += 1;
            }
            self.commit(batch, -in_batch, None)?;
            removed += in_batch.unsigned_abs();
        }
        Ok(removed)
    }

    /// Ids of calls, oldest first.
    pub(crate) fn oldest(&self) -> impl Iterator<Item = Result<CallId, Error>> + use<> {
        rows(self.db().map(|db| db.scan_prefix([CALLS]).keys())).map(|key| {
            let key = key?;
            let id = key.get(1..).and_then(|id| id.try_into().ok());
            id.map(CallId::from_bytes).ok_or_else(|| Error::Malformed("the key of a call".into()))
        })
    }
}
