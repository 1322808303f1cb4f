//! Removal of calls from the index, from all their lists at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;

use schemascope_model::CallId;

use super::{CALLS, Index, LISTS, List, MAX_OPERATIONS, Stored, key};
use crate::Error;

impl Index {
    /// Estimates how many of a file's `bytes` are in use. Files do not shrink when calls are
    /// removed, but their free space is reused.
    pub(crate) fn bytes_used(&self, bytes: u64) -> u64 {
        let peak = u128::from(self.peak.load(Ordering::Relaxed).max(1));
        (u128::from(bytes) * u128::from(self.count()).min(peak) / peak) as u64
    }

    /// Removes calls and returns how many were stored. Unknown ids are ignored.
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
