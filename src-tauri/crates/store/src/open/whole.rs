//! Indexes that are not opened to work with: one that is built beside another, one that is compared.
//!
//! Owns: that neither mends what is there. Refuses to know: what becomes of them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use schemascope_journal::Journal;

use super::{Recovery, Refusal, catch_up, compressor, open_guarded};
use crate::index::{self, Index};
use crate::{Error, States};

/// Builds an index at `path`, where there is none, with all that the journal has and the states.
pub(crate) fn fill_new(
    path: &Path,
    journal: &Journal,
    fold: &mut dyn States,
    recovery: &mut Recovery,
) -> Result<(), Error> {
    let index = catch_up(path, journal, &mut *fold, recovery).map_err(Refusal::into_error)?;
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

/// An index as it is, for comparing, or why there is none to compare.
pub(crate) fn open_existing(path: &Path) -> Result<Result<Index, String>, Error> {
    if !path.is_dir() {
        return Ok(Err("there is no index; the next start builds it".into()));
    }
    let index = match open_guarded(path) {
        Ok(index) => index,
        Err(Refusal::Damaged(reason)) => return Ok(Err(reason)),
        Err(Refusal::Fatal(error)) => return Err(error),
    };
    match catch_unwind(AssertUnwindSafe(|| index.format())) {
        Ok(Ok(Some(index::FORMAT))) => Ok(Ok(index)),
        Ok(Ok(found)) => {
            Ok(Err(format!("it has format {}; the next start sees to it", found.unwrap_or_default())))
        }
        Ok(Err(error)) => Ok(Err(error.to_string())),
        Err(_) => Ok(Err("reading it panicked".into())),
    }
}
