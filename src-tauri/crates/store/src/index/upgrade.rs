//! Conversion of indexes in older formats, one function per format.

use std::sync::atomic::Ordering;

use super::{CALLS, FORMAT, Index, KEY_COUNT, KEY_FORMAT, LISTS, List, MAX_OPERATIONS, Stored};
use super::{count_value, decode};
use crate::Error;

impl Index {
    /// Converts an index of format 1, which had neither a count nor lists of failures. Can be
    /// interrupted and started again.
    pub(crate) fn upgrade_from_1(&self) -> Result<(), Error> {
        let (mut batch, mut operations, mut count) = (sled::Batch::default(), 0, 0_u64);
        let db = self.db()?;
        for item in db.scan_prefix([CALLS]) {
            let (Stored::Whole(call) | Stored::Reference(call, _)) = decode(&item?.1)?;
            count += 1;
            // One row per call, as format 1 has for tools, because a call must not be in two rows
            // of a list.
            for list in List::with(&call) {
                batch.insert(list.key(call.id), &[][..]);
                operations += 1;
            }
            if operations + LISTS > MAX_OPERATIONS {
                db.apply_batch(std::mem::take(&mut batch))?;
                operations = 0;
            }
        }
        batch.insert(KEY_COUNT, &count_value(count, count));
        batch.insert(KEY_FORMAT, &[FORMAT]);
        db.apply_batch(batch)?;
        self.count.store(count, Ordering::Relaxed);
        self.peak.store(count, Ordering::Relaxed);
        Ok(())
    }

    /// Converts an index of format 2, which had one row per call in each list. Such rows are valid
    /// as they are.
    pub(crate) fn upgrade_from_2(&self) -> sled::Result<()> {
        self.set_format()
    }
}
