//! Reading the entries of one tool from the journal, in their order.

use std::ops::Range;
use std::path::Path;

use schemascope_journal::{Found, Position, Reader};
use schemascope_model::ToolId;

use crate::marks::Mark;
use crate::{Entry, Error};

/// Hands the entries of a tool in a part of the journal to `each`. Entries that cannot be read are skipped, as they are
/// when the journal is replayed.
pub fn entries_of(
    journal: &Path,
    tool: &ToolId,
    part: Range<Position>,
    mut each: impl FnMut(&Entry) -> Result<(), String>,
) -> Result<(), Error> {
    for found in Reader::new(journal, part.start)? {
        let Found::Entry(read) = found? else { continue };
        if read.at >= part.end {
            break;
        }
        if Mark::decode(read.kind, read.id).is_some() {
            continue;
        }
        if let Ok(entry) = Entry::decode(read.kind, &read.payload)
            && entry.tool() == tool
        {
            each(&entry).map_err(Error::Malformed)?;
        }
    }
    Ok(())
}
