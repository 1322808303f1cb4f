//! Removing calls, oldest first.
//!
//! Owns: that a call goes from all its lists. Refuses to know: which calls go.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;

use schemascope_model::CallId;

use super::{CALLS, Index, LISTS, List, MAX_OPERATIONS, Stored, key};
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
        for chunk in ids.chunks((MAX_OPERATIONS - 1) / (1 + 2 * LISTS)) {
            let mut batch = sled::Batch::default();
            let mut listed: BTreeMap<List, BTreeSet<CallId>> = BTreeMap::new();
            let mut in_batch = 0;
            for id in chunk {
                let Some(Stored::Whole(call) | Stored::Reference(call, _)) = self.call(*id)? else {
                    continue;
                };
                batch.remove(key(CALLS, &[&id.to_bytes()]));
                for list in List::with(&call) {
                    listed.entry(list).or_default().insert(*id);
                }
                in_batch += 1;
            }
            for (list, gone) in listed {
                self.unlist(&list, gone, &mut batch)?;
            }
            self.commit(batch, -in_batch, None)?;
            removed += in_batch.unsigned_abs();
        }
        Ok(removed)
    }
}
