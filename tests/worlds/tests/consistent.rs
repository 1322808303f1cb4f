//! The simulated servers agree with themselves, and there are enough of them.

use std::collections::{BTreeMap, BTreeSet};

use schemascope_worlds::{Truth, all, labels, traffic};

const SEED: u64 = 18;

#[test]
fn worlds_have_the_agreed_size() {
    let servers = all();
    let labels = labels(&servers);
    let pairs: BTreeSet<_> = labels
        .iter()
        .filter(|(_, truth)| **truth == Truth::True)
        .map(|(label, _)| (&label.from, &label.to, &label.input))
        .collect();
    let either = labels.values().filter(|truth| **truth == Truth::Either).count();
    let tools: usize = servers.iter().map(|server| server.tools.len()).sum();
    println!(
        "{} servers, {tools} tools, {} labelled fields true, {} pairs true, {either} either way",
        servers.len(),
        labels.len() - either,
        pairs.len()
    );
    assert!(servers.len() >= 12 && tools >= 120 && pairs.len() >= 250);
    assert!(either * 10 <= labels.len());
}

#[test]
fn sessions_use_what_the_labels_call_true() {
    let mut servers = all();
    let labels = labels(&servers);
    let mut used: BTreeMap<String, u64> = BTreeMap::new();
    for traffic in traffic(&mut servers, 36, SEED) {
        assert!(traffic.sessions.len() >= 30);
        let (mut calls, mut failed, mut taken) = (0, 0, 0);
        for session in &traffic.sessions {
            for call in session {
                calls += 1;
                failed += u32::from(call.result.is_err());
                for source in &call.sources {
                    let from = &session[source.call];
                    assert!(from.end < call.start, "{}: {} was not out", call.tool, from.tool);
                    taken += 1;
                    let known = labels.keys().any(|label| {
                        label.from == from.tool
                            && label.output == source.output
                            && label.to == call.tool
                            && label.input == source.input
                    });
                    assert!(
                        known,
                        "no label {} {} -> {} {}",
                        from.tool, source.output, call.tool, source.input
                    );
                    *used.entry(format!("{}{}{}", from.tool, call.tool, source.input)).or_default() += 1;
                }
            }
        }
        println!("{:12} {calls:4} calls, {failed:3} failed, {taken:4} values taken", traffic.server);
        assert!(failed * 3 < calls, "{}: {failed} of {calls} fail", traffic.server);
    }
    let thrice = used.values().filter(|count| **count >= 3).count();
    println!("{thrice} pairs used three times, {} once or twice", used.len() - thrice);
}
