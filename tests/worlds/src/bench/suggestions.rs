//! Suggestions: is the tool that an agent wants next among the first five?

use std::collections::BTreeMap;

use schemascope_compose::Evidence;

use crate::record::{KEY, Registry, stored};

pub(crate) fn run(registry: &Registry) {
    let mut learned = Evidence::default();
    let mut successors: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
    for (traffic, flows) in registry.traffic.iter().zip(&registry.flows) {
        for (session, flows) in traffic.sessions.iter().zip(flows).step_by(2) {
            for (call, flow) in session.iter().zip(flows) {
                learned.add(&stored(call, flow), KEY);
            }
            for pair in session.windows(2) {
                *successors.entry(&pair[0].tool).or_default().entry(&pair[1].tool).or_default() += 1;
            }
        }
    }
    let mut graph = registry.graph(learned, crate::shipped());
    let mut names = registry.graph(Evidence::default(), crate::shipped());
    let (mut asked, mut ours, mut bare, mut frequent) = (0_u32, 0_u32, 0_u32, 0_u32);
    let mut slowest = std::time::Duration::ZERO;
    for traffic in &registry.traffic {
        for session in traffic.sessions.iter().skip(1).step_by(2) {
            for at in 1..session.len() {
                let after: Vec<Box<str>> =
                    session[..at].iter().map(|call| call.tool.as_str().into()).collect();
                let next = &session[at].tool;
                asked += 1;
                let started = std::time::Instant::now();
                ours += u32::from(graph.suggest(&after, 5).iter().any(|one| *one.tool == **next));
                slowest = slowest.max(started.elapsed());
                bare += u32::from(names.suggest(&after, 5).iter().any(|one| *one.tool == **next));
                let mut known: Vec<(&u64, &&str)> = successors
                    .get(session[at - 1].tool.as_str())
                    .map(|known| known.iter().map(|(tool, count)| (count, tool)).collect())
                    .unwrap_or_default();
                known.sort_by(|a, b| b.cmp(a));
                frequent += u32::from(known.iter().take(5).any(|(_, tool)| **tool == next.as_str()));
            }
        }
    }
    let share = |hits: u32| f64::from(hits) / f64::from(asked.max(1));
    println!(
        "\nSuggestions, hit@5 over {asked} calls of sessions left out: {:.3}; names only {:.3}; most frequent successor {:.3}; slowest {slowest:.1?}",
        share(ours),
        share(bare),
        share(frequent)
    );
}
