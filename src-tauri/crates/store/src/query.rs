//! The reading end.
//!
//! Owns: how calls are looked up and their bodies brought together. Refuses to know: tool states,
//! which live in memory.

use std::iter::Peekable;
use std::path::PathBuf;

use schemascope_model::{CallId, CallRecord, ToolId};

use crate::Error;
use crate::entry::Entry;
use crate::index::{Index, Stored};

/// Calls looked at for one page at most, so that a filter that matches nothing answers at once: it takes
/// some 10 µs a call.
const MAX_SCAN: usize = 2_000;

/// Bytes of bodies from which on a page ends.
const PAGE_BYTES: u64 = 32 << 20;

/// Calls, and where the next page begins.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// Newest first.
    pub calls: Vec<CallRecord>,
    /// [`CallQuery::before`] of the next page; none when there is nothing more to look at.
    pub next: Option<CallId>,
}

/// Which calls to list, newest first.
#[derive(Debug, Clone, Default)]
pub struct CallQuery {
    /// Only of this tool.
    pub tool: Option<ToolId>,
    /// Only of these tools, unless none are named. Each costs a look at the index: they should be some dozens.
    pub among: Vec<ToolId>,
    /// Only those that failed.
    pub failures: bool,
    /// Only older than this one, for the next page.
    pub before: Option<CallId>,
    /// At most this many.
    pub limit: usize,
}

/// Reads calls. Cheap to clone, usable from any thread.
#[derive(Debug, Clone)]
pub struct Reader {
    journal: PathBuf,
    index: Index,
}

impl Reader {
    pub(crate) fn new(journal: PathBuf, index: Index) -> Self {
        Self { journal, index }
    }

    /// Lists calls, newest first. A page ends at its limit, or earlier when its bodies are large or
    /// little of what was looked at matches; it says where to go on.
    pub fn calls(&self, query: &CallQuery) -> Result<Page, Error> {
        self.index.guarded(|| self.scan(query, &|_| true, |stored| self.whole(stored)))
    }

    /// As [`Reader::calls`], of those that also pass, without going to the journal: where bodies are large
    /// they are missing, from what is returned as from what `passes` is shown.
    pub fn records(&self, query: &CallQuery, passes: impl Fn(&CallRecord) -> bool) -> Result<Page, Error> {
        let without_journal = |stored| match stored {
            Stored::Whole(record) | Stored::Reference(record, _) => record,
        };
        self.index.guarded(|| self.scan(query, &passes, without_journal))
    }

    fn scan(
        &self,
        query: &CallQuery,
        passes: &dyn Fn(&CallRecord) -> bool,
        bring: impl Fn(Stored) -> CallRecord,
    ) -> Result<Page, Error> {
        let mut page = Page::default();
        let mut bytes = 0;
        for (looked_at, id) in self.ids(query).enumerate() {
            if page.calls.len() == query.limit || bytes >= PAGE_BYTES || looked_at == MAX_SCAN {
                return Ok(page);
            }
            let id = id?;
            page.next = Some(id);
            let Some(stored) = self.index.call(id)? else { continue };
            let (Stored::Whole(record) | Stored::Reference(record, _)) = &stored;
            if passes(record) {
                let call = bring(stored);
                let kept = |body: &Option<Box<serde_json::value::RawValue>>| {
                    body.as_ref().map_or(0, |body| body.get().len() as u64)
                };
                bytes += kept(&call.arguments) + kept(&call.result) + kept(&call.error);
                page.calls.push(call);
            }
        }
        page.next = None;
        Ok(page)
    }

    /// Ids of the calls a query is about, newest first.
    fn ids(&self, query: &CallQuery) -> Box<dyn Iterator<Item = Result<CallId, Error>>> {
        let of = |tool: Option<&ToolId>| self.index.ids_before(tool, query.failures, query.before);
        match (&query.tool, query.among.as_slice()) {
            (None, among @ [_, _, ..]) => {
                Box::new(newest_first(among.iter().map(|tool| of(Some(tool)).peekable()).collect()))
            }
            (tool, among) => Box::new(of(tool.as_ref().or(among.first()))),
        }
    }

    /// One call.
    pub fn call(&self, id: CallId) -> Result<Option<CallRecord>, Error> {
        self.index.guarded(|| Ok(self.index.call(id)?.map(|stored| self.whole(stored))))
    }

    /// Whether a call is stored.
    pub fn contains(&self, id: CallId) -> Result<bool, Error> {
        self.index.guarded(|| self.index.contains(id))
    }

    /// Brings the bodies of a large call from the journal. If they cannot be read the record says
    /// that they are missing; the rest of it is still true.
    fn whole(&self, stored: Stored) -> CallRecord {
        match stored {
            Stored::Whole(record) => record,
            Stored::Reference(mut record, at) => {
                let read = schemascope_journal::read_at(&self.journal, at).map_err(Error::from);
                let entry = read.and_then(|entry| {
                    Entry::decode(entry.kind, &entry.payload)
                        .map_err(|error| Error::Malformed(error.reason().into_owned()))
                });
                match entry {
                    Ok(Entry::Call(call)) if call.id == record.id => call,
                    Ok(_) => {
                        tracing::warn!(id = %record.id, "the journal holds another record where this call's bodies should be");
                        record.bodies_left_out = true;
                        record
                    }
                    Err(error) => {
                        tracing::warn!(id = %record.id, %error, "bodies of a call cannot be read");
                        record.bodies_left_out = true;
                        record
                    }
                }
            }
        }
    }
}

/// Lists that are each newest first as one.
fn newest_first<I: Iterator<Item = Result<CallId, Error>>>(
    mut lists: Vec<Peekable<I>>,
) -> impl Iterator<Item = Result<CallId, Error>> {
    std::iter::from_fn(move || {
        let first = lists.iter_mut().map(|list| match list.peek() {
            // An error first: nobody knows what is behind it.
            Some(Err(_)) => (2, None),
            Some(Ok(id)) => (1, Some(*id)),
            None => (0, None),
        });
        let newest = first.enumerate().max_by_key(|(_, first)| *first)?.0;
        lists.get_mut(newest)?.next()
    })
}
