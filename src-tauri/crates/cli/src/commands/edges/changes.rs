//! What a change of a schema does to edges, as text.

use anyhow::Result;
use schemascope_api::{ChangedEdge, EdgeDiff, shown_confidence};

use crate::output::{self, counted};

/// Changes shown of one edge.
const SHOWN: usize = 3;

/// Prints what changes, those in use first.
pub(in crate::commands) fn print(diff: &EdgeDiff) -> Result<()> {
    let EdgeDiff { broken, weakened, new } = diff;
    if broken.is_empty() && weakened.is_empty() && new.is_empty() {
        output::line("no edge changes")?;
    }
    for (word, edges) in [("breaks", broken), ("weakens", weakened), ("adds", new)] {
        for edge in edges {
            print_edge(word, edge)?;
        }
    }
    Ok(())
}

fn print_edge(word: &str, changed: &ChangedEdge) -> Result<()> {
    let ChangedEdge { edge, before, after, changes } = changed;
    let level = |confidence: &Option<f64>| confidence.map_or("none".to_owned(), shown_confidence);
    let used = match edge.evidence.flows {
        0 => "not seen in use".to_owned(),
        flows => format!("seen in use, {}", counted(flows, "call")),
    };
    let (before, after) = (level(before), level(after));
    // Another field can become the best one at nearly the same confidence.
    let confidence = if before == after { after } else { format!("{before} → {after}") };
    let line = format!("{word} {} → {}  ({used}; confidence {confidence})", edge.from, edge.to);
    output::line(&output::harmless(&line))?;
    for change in changes.iter().take(SHOWN) {
        output::line(&output::harmless(&format!("    {}", change.sentence)))?;
    }
    Ok(())
}
