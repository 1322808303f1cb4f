//! Indexes opened for other purposes than normal work: for a rebuild, or for a comparison, which
//! repairs nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use schemascope_journal::Journal;

use super::{OpenError, Recovery, catch_up, compressor, open_guarded};
use crate::index::{self, Index};
use crate::{Error, States};

/// Builds an index at `path`, which must not exist yet, from everything in the journal, states
/// included.
pub(crate) fn fill_new(
    path: &Path,
    journal: &Journal,
    fold: &mut dyn States,
    recovery: &mut Recovery,
) -> Result<(), Error> {
    let index = catch_up(path, journal, &mut *fold, recovery).map_err(OpenError::into_error)?;
    let mut compressor = compressor(journal.dir())?;
    index.guarded(|| {
        for tool in fold.tools() {
            if let Some(state) = fold.state(&tool) {
                index.save_states(&mut compressor, &[(tool, state)], journal.end())?;
            }
        }
        Ok(index.flush()?)
    })
}

/// Opens an existing index for comparison. The inner error says why there is none to compare.
pub(crate) fn open_existing(path: &Path) -> Result<Result<Index, String>, Error> {
    if !path.is_dir() {
        return Ok(Err("the index does not exist; the next start builds it".into()));
    }
    let index = match open_guarded(path) {
        Ok(index) => index,
        Err(OpenError::Damaged(reason)) => return Ok(Err(reason)),
        Err(OpenError::Ahead) => return Ok(Err("it is ahead of the journal".into())),
        Err(OpenError::Fatal(error)) => return Err(error),
    };
    match catch_unwind(AssertUnwindSafe(|| index.format())) {
        Ok(Ok(Some(index::FORMAT))) => Ok(Ok(index)),
        Ok(Ok(found)) => {
            Ok(Err(format!("the index has format {}; the next start converts it", found.unwrap_or_default())))
        }
        Ok(Err(error)) => Ok(Err(error.to_string())),
        Err(_) => Ok(Err("the index panicked while it was read".into())),
    }
}
