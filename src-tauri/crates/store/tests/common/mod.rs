//! Helpers of the store's tests: a state that reveals any wrong replay, and calls.
#![allow(dead_code, missing_docs, reason = "each test uses a part of it")]

use std::collections::BTreeMap;
use std::path::Path;

use schemascope_model::{CallId, CallRecord, IdSource, Origin, Outcome, Timestamp, ToolId};
use schemascope_store::{CallQuery, Entry, Fold, Reader, Recovery, States, Writer};
use serde_json::value::RawValue;

/// Number of calls per tool: a state that reveals any wrong replay.
#[derive(Default, Clone, PartialEq, Debug)]
pub struct Counter(pub BTreeMap<ToolId, u64>);

impl Fold for Counter {
    fn load(&mut self, tool: ToolId, state: &[u8]) -> Result<(), String> {
        let text = std::str::from_utf8(state).map_err(|error| error.to_string())?;
        self.0.insert(tool, text.parse().map_err(|_| "not a number".to_owned())?);
        Ok(())
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn apply(&mut self, entry: &Entry) -> Result<(), String> {
        match entry {
            Entry::Call(call) => *self.0.entry(call.tool_id.clone()).or_default() += 1,
            Entry::State { tool, state } => self.load(tool.clone(), state)?,
            Entry::Declared(_) => {}
        }
        Ok(())
    }
}

impl Counter {
    pub fn states(&self) -> Vec<(ToolId, Vec<u8>)> {
        self.0.iter().map(|(tool, count)| (tool.clone(), count.to_string().into_bytes())).collect()
    }
}

pub fn open(dir: &Path) -> (Writer, Reader, Recovery, Counter) {
    let mut counter = Counter::default();
    let (writer, reader, recovery) =
        schemascope_store::open(dir, &mut counter, Timestamp::from_millis(1)).unwrap();
    (writer, reader, recovery, counter)
}

pub fn call(ids: &IdSource, tool: &str, body_bytes: usize, outcome: Outcome) -> Entry {
    // Incompressible enough to exceed the size that the index stores inline.
    let body: String = (0..body_bytes).map(|n| char::from(b'a' + (n * n * 31 + n / 7) as u8 % 26)).collect();
    let at = Timestamp::from_millis(1_000);
    Entry::Call(CallRecord {
        result_bytes: body_bytes as u64,
        result: Some(RawValue::from_string(format!("{{\"n\": 1.10, \"body\": \"{body}\"}}")).unwrap()),
        ..CallRecord::new(ids.at(at), at, tool.parse().unwrap(), outcome, Origin::Proxy)
    })
}

/// Appends `count` calls of two tools, in groups of eight, and applies them to the fold as the
/// recorder does.
pub fn fill(writer: &mut Writer, counter: &mut Counter, ids: &IdSource, count: usize) {
    let calls: Vec<Entry> = (0..count)
        .map(|n| {
            let outcome = if n % 5 == 0 { Outcome::Error } else { Outcome::Ok };
            call(
                ids,
                if n % 2 == 0 { "a__x" } else { "b__y" },
                if n % 10 == 3 { 20_000 } else { 10 },
                outcome,
            )
        })
        .collect();
    for group in calls.chunks(8) {
        writer.append(group).unwrap();
        group.iter().for_each(|entry| counter.apply(entry).unwrap());
    }
}

/// Returns every call, over as many pages as necessary.
pub fn all(reader: &Reader) -> Vec<String> {
    let mut query = CallQuery { limit: 10_000, ..CallQuery::default() };
    let mut all = Vec::new();
    loop {
        let page = reader.calls(&query).unwrap();
        all.extend(page.calls.iter().map(|call| serde_json::to_string(call).unwrap()));
        query.before = page.next;
        if page.next.is_none() {
            return all;
        }
    }
}

impl States for Counter {
    fn tools(&self) -> Vec<ToolId> {
        self.0.keys().cloned().collect()
    }

    fn state(&self, tool: &ToolId) -> Option<Vec<u8>> {
        self.0.get(tool).map(|count| count.to_string().into_bytes())
    }
}

/// Returns the ids of all calls, oldest first.
pub fn ids(reader: &Reader) -> Vec<CallId> {
    let mut query = CallQuery { limit: 10_000, ..CallQuery::default() };
    let mut ids = Vec::new();
    loop {
        let page = reader.records(&query, |_| true).unwrap();
        ids.extend(page.calls.iter().map(|call| call.id));
        query.before = page.next;
        if page.next.is_none() {
            ids.reverse();
            return ids;
        }
    }
}

/// Random numbers that are the same in every run.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Copies a folder.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
