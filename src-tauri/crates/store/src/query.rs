//! Reading of calls: finding them in the index and adding large bodies from the journal.

use std::iter::Peekable;
use std::path::PathBuf;

use schemascope_model::{CallId, CallRecord, ToolId};

use crate::Error;
use crate::entry::Entry;
use crate::index::{Index, Stored};

/// Most calls examined for one page (about 10 µs each), so that a filter without matches answers
/// quickly.
const MAX_SCAN: usize = 2_000;

/// Bytes of bodies, read or returned, after which a page ends.
const PAGE_BYTES: u64 = 32 << 20;

/// One page of calls, and where the next page begins.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// Calls, newest first.
    pub calls: Vec<CallRecord>,
    /// [`CallQuery::before`] of the next page; `None` on the last page.
    pub next: Option<CallId>,
}

/// Query for calls, newest first.
#[derive(Debug, Clone, Default)]
pub struct CallQuery {
    /// Only calls of this tool.
    pub tool: Option<ToolId>,
    /// Only calls of these tools, unless empty. Each tool costs an index lookup, so there should be
    /// a few dozen at most.
    pub among: Vec<ToolId>,
    /// Only failed calls.
    pub failures: bool,
    /// Only calls older than this one, for the next page.
    pub before: Option<CallId>,
    /// Only this call and newer ones.
    pub since: Option<CallId>,
    /// Most calls to return.
    pub limit: usize,
}

/// Tests that a call must pass to be listed.
#[derive(Clone, Copy)]
pub struct Passes<'t> {
    /// A test that needs no bodies; large ones are missing in the record.
    pub record: &'t dyn Fn(&CallRecord) -> bool,
    /// A test that needs all bodies, which are read for it.
    pub bodies: Option<&'t dyn Fn(&CallRecord) -> bool>,
}

/// Reader of calls. Cheap to clone and usable from any thread.
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
    /// few of the examined calls match. It says where the next page begins.
    pub fn calls(&self, query: &CallQuery) -> Result<Page, Error> {
        self.calls_that(query, Passes { record: &|_| true, bodies: None })
    }

    /// Lists calls like [`Reader::calls`], but only those that pass.
    pub fn calls_that(&self, query: &CallQuery, passes: Passes<'_>) -> Result<Page, Error> {
        self.index.guarded(|| self.scan(query, passes, |stored| self.whole(stored)))
    }

    /// Lists calls whose record passes, without reading the journal: large bodies are missing in the result, too.
    pub fn records(&self, query: &CallQuery, passes: impl Fn(&CallRecord) -> bool) -> Result<Page, Error> {
        let without_journal = |stored| match stored {
            Stored::Whole(record) | Stored::Reference(record, _) => record,
        };
        let passes = Passes { record: &passes, bodies: None };
        self.index.guarded(|| self.scan(query, passes, without_journal))
    }

    fn scan(
        &self,
        query: &CallQuery,
        passes: Passes<'_>,
        bring: impl Fn(Stored) -> CallRecord,
    ) -> Result<Page, Error> {
        let mut page = Page::default();
        let mut bytes = 0;
        for (looked_at, id) in self.ids(query).enumerate() {
            if page.calls.len() == query.limit || bytes >= PAGE_BYTES || looked_at == MAX_SCAN {
                return Ok(page);
            }
            let id = id?;
            if query.since.is_some_and(|since| id < since) {
                break;
            }
            page.next = Some(id);
            let Some(stored) = self.index.call(id)? else { continue };
            let (Stored::Whole(record) | Stored::Reference(record, _)) = &stored;
            if !(passes.record)(record) {
                continue;
            }
            let call = if passes.bodies.is_some() { self.whole(stored) } else { bring(stored) };
            let bodies = [&call.arguments, &call.result, &call.error].into_iter().flatten();
            bytes += bodies.map(|body| body.get().len() as u64).sum::<u64>();
            if passes.bodies.is_none_or(|holds| holds(&call)) {
                page.calls.push(call);
            }
        }
        page.next = None;
        Ok(page)
    }

    /// Returns the ids of the calls a query covers, newest first.
    fn ids(&self, query: &CallQuery) -> Box<dyn Iterator<Item = Result<CallId, Error>>> {
        let of = |tool: Option<&ToolId>| self.index.ids_before(tool, query.failures, query.before);
        match (&query.tool, query.among.as_slice()) {
            (None, among @ [_, _, ..]) => {
                Box::new(newest_first(among.iter().map(|tool| of(Some(tool)).peekable()).collect()))
            }
            (tool, among) => Box::new(of(tool.as_ref().or(among.first()))),
        }
    }

    /// Returns one call.
    pub fn call(&self, id: CallId) -> Result<Option<CallRecord>, Error> {
        self.index.guarded(|| Ok(self.index.call(id)?.map(|stored| self.whole(stored))))
    }

    /// Returns whether a call is stored.
    pub fn contains(&self, id: CallId) -> Result<bool, Error> {
        self.index.guarded(|| self.index.contains(id))
    }

    /// Adds the bodies of a large call from the journal. If they cannot be read, the record is
    /// marked as having no bodies; everything else in it stays valid.
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
                        tracing::warn!(id = %record.id, "the journal has another record at the position of this call's bodies");
                        record.bodies_left_out = true;
                        record
                    }
                    Err(error) => {
                        tracing::warn!(id = %record.id, %error, "cannot read the bodies of a call from the journal");
                        record.bodies_left_out = true;
                        record
                    }
                }
            }
        }
    }
}

/// Merges lists that are each sorted newest first.
fn newest_first<I: Iterator<Item = Result<CallId, Error>>>(
    mut lists: Vec<Peekable<I>>,
) -> impl Iterator<Item = Result<CallId, Error>> {
    std::iter::from_fn(move || {
        let first = lists.iter_mut().map(|list| match list.peek() {
            // Errors first, because the order of the ids after them is unknown.
            Some(Err(_)) => (2, None),
            Some(Ok(id)) => (1, Some(*id)),
            None => (0, None),
        });
        let newest = first.enumerate().max_by_key(|(_, first)| *first)?.0;
        lists.get_mut(newest)?.next()
    })
}
