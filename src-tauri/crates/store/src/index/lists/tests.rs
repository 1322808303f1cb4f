//! Tests of the lists after arbitrary writes and removals, against a plain model.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample;
use schemascope_journal::{Compressor, Position};
use schemascope_model::{Origin, Outcome, Timestamp};

use super::*;
use crate::entry::Entry;
use crate::index::open;

/// Tool, time in milliseconds, and whether the call failed.
type Called = (u8, u64, bool);

fn called() -> impl Strategy<Value = Called> {
    // Close together, some rows apart, far apart.
    (0..3_u8, prop_oneof![0..20_u64, 0..1_000_u64, 0..1_000_000_000_u64], prop::bool::weighted(0.3))
}

fn tool(n: u8) -> ToolId {
    // The keys of the second tool begin like those of the first.
    ToolId::new("s", ["a", "a\0aaaaaaaaaaaaaaa", "b"][usize::from(n)]).unwrap()
}

fn record(n: usize, (of, at, failed): Called) -> CallRecord {
    let id = id(u128::from(at) << MILLISECOND_SHIFT | n as u128);
    let outcome = if failed { Outcome::Error } else { Outcome::Ok };
    CallRecord::new(id, Timestamp::from_millis(at), tool(of), outcome, Origin::Proxy)
}

fn append(index: &Index, records: &[CallRecord]) {
    let mut compressor = Compressor::new().unwrap();
    let entries: Vec<_> = records.iter().map(|record| Entry::Call(record.clone())).collect();
    let compressed: Vec<_> =
        entries.iter().map(|entry| compressor.compress(&entry.encode()).unwrap()).collect();
    let entries = entries.iter().zip(&compressed).map(|(entry, bytes)| (entry, Position::START, &**bytes));
    index.apply(&mut compressor, entries, Position::START).unwrap();
}

fn check(index: &Index, expected: &BTreeMap<CallId, Called>, before: Option<CallId>) {
    for (of, failures) in
        [None, Some(0), Some(1), Some(2)].into_iter().flat_map(|of| [(of, false), (of, true)])
    {
        let named = of.map(tool);
        let found: Result<Vec<_>, _> = index.ids_before(named.as_ref(), failures, before).collect();
        let is_meant = |call: &Called| of.is_none_or(|of| of == call.0) && (call.2 || !failures);
        let all = expected.iter().rev().filter(|(_, call)| is_meant(call)).map(|(id, _)| *id);
        let all: Vec<_> = all.filter(|id| before.is_none_or(|before| *id < before)).collect();
        assert_eq!(found.unwrap(), all, "{of:?} {failures} {before:?}");
    }
    let failed = expected.values().filter(|call| call.2).count() as u64;
    assert_eq!(index.count_listed().unwrap(), [expected.len() as u64, failed, failed]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// For any groups of calls written together, in any order, and any removals.
    #[test]
    fn every_list_has_its_calls_newest_first(
        groups in prop::collection::vec(
            (prop::collection::vec(called(), 1..90), prop::collection::vec(any::<sample::Index>(), 0..90)), 1..6),
        before in any::<sample::Index>(),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let index = open(&dir.path().join("index")).unwrap();
        let mut expected = BTreeMap::new();
        for (group, (calls, going)) in groups.into_iter().enumerate() {
            let records: Vec<_> =
                calls.iter().enumerate().map(|(n, call)| record(group * 100 + n, *call)).collect();
            append(&index, &records);
            expected.extend(records.iter().map(|record| record.id).zip(calls));
            let known: Vec<_> = expected.keys().copied().collect();
            let gone: BTreeSet<_> = going.iter().map(|going| *going.get(&known)).collect();
            let removed = index.remove(&gone.iter().copied().collect::<Vec<_>>()).unwrap();
            prop_assert_eq!(removed, gone.len() as u64);
            expected.retain(|id, _| !gone.contains(id));
        }
        check(&index, &expected, None);
        let known: Vec<_> = expected.keys().copied().collect();
        if !known.is_empty() {
            check(&index, &expected, Some(*before.get(&known)));
        }
        for (id, (of, _, failed)) in expected {
            let is_listed = |of: Option<u8>, failures| {
                let list = List::of(of.map(tool).as_ref(), failures).unwrap();
                index.is_listed(list, id).unwrap()
            };
            prop_assert!(is_listed(Some(of), false));
            prop_assert!(!is_listed(Some((of + 1) % 3), false));
            prop_assert_eq!(is_listed(None, true), failed);
        }
    }
}

#[test]
fn calls_written_together_share_a_row() {
    let dir = tempfile::tempdir().unwrap();
    let index = open(&dir.path().join("index")).unwrap();
    let records: Vec<_> = (0..40).map(|n| record(n, (0, n as u64, false))).collect();
    append(&index, &records);
    append(&index, &records);
    let rows = || index.db().unwrap().scan_prefix([BY_TOOL]).count();
    assert_eq!((rows(), index.count_listed().unwrap()), (1, [40, 0, 0]));
    // First the oldest, then the newest.
    index.remove(&[records[0].id, records[1].id]).unwrap();
    index.remove(&[records[39].id]).unwrap();
    assert_eq!((rows(), index.count_listed().unwrap()), (1, [37, 0, 0]));
    index.remove(&records.iter().map(|record| record.id).collect::<Vec<_>>()).unwrap();
    assert_eq!(rows(), 0);
}

#[test]
fn truncated_list_is_reported_as_malformed() {
    let dir = tempfile::tempdir().unwrap();
    let index = open(&dir.path().join("index")).unwrap();
    let list = List::of(Some(&tool(0)), false).unwrap();
    index.db().unwrap().insert(list.key(id(7)), &[0; 17]).unwrap();
    let found: Result<Vec<_>, _> = index.ids_before(Some(&tool(0)), false, None).collect();
    assert!(matches!(found, Err(Error::Malformed(_))), "{found:?}");
}
