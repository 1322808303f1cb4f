//! States of format 3, in which every key with a dot, a colon, a slash or a blank counted as data.
//!
//! Values of such keys were also counted together. Where all of these keys are now names and all of
//! their values were kept, what was counted together is left out, as it would be today. Elsewhere it
//! stays, so the object is open until its results are learned again.

use super::{Gathers, WrittenNode};
use crate::keys::looks_like_data;

/// Number of the older format.
pub(super) const FORMAT: u32 = 3;

/// Converts the nodes of an older state.
pub(super) fn convert(nodes: Vec<WrittenNode>) -> Vec<WrittenNode> {
    let mut gone = vec![false; nodes.len()];
    for (at, node) in nodes.iter().enumerate() {
        if matches!(node.gathers, Some(Gathers::Values)) && were_all_names(&nodes, at) {
            gone[at] = true;
            let below = nodes[at + 1..].iter().take_while(|below| below.depth > node.depth).count();
            gone[at + 1..][..below].fill(true);
        }
    }
    nodes.into_iter().zip(gone).filter(|(_, gone)| !gone).map(|(node, _)| node).collect()
}

/// Returns whether the values counted together at a node are those of its siblings whose keys were
/// data, none of which is data now.
fn were_all_names(nodes: &[WrittenNode], values: usize) -> bool {
    let depth = nodes[values].depth;
    let total = |node: &WrittenNode| node.counts.iter().map(|(_, count)| *count).sum::<u64>();
    // Fields come before.
    let siblings = nodes[..values].iter().rev().take_while(|node| node.depth >= depth);
    let mut left = total(&nodes[values]);
    for sibling in siblings.filter(|node| node.depth == depth) {
        let Some(name) = sibling.name.as_deref() else { continue };
        if looks_like_data(name) {
            return false;
        }
        if name.contains(['@', '/', '\\', ':', '.', ' ']) {
            left = left.saturating_sub(total(sibling));
        }
    }
    left == 0
}
