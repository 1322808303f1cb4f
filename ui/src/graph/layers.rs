//! Layers: the column in which each tool is drawn, so that edges lead from left to right.

use std::collections::VecDeque;

/// An edge from one tool to another, by their numbers.
pub type Ends = (usize, usize);

/// Layers around a tool: what feeds it is left of it, what it feeds is right of it. `edges` are in order of
/// precedence: the first one between two tools decides their sides. The leftmost layer is 0.
pub fn around(count: usize, edges: &[Ends], focus: usize) -> Vec<usize> {
    let mut layers: Vec<Option<i64>> = vec![None; count];
    let mut next_to: Vec<Vec<(usize, i64)>> = vec![Vec::new(); count];
    for &(from, to) in edges.iter().filter(|(from, to)| from != to) {
        next_to[from].push((to, 1));
        next_to[to].push((from, -1));
    }
    let mut waiting = VecDeque::new();
    let mut place = |tool: usize, layer: i64, waiting: &mut VecDeque<(usize, i64)>| {
        if layers.get(tool).is_some_and(Option::is_none) {
            layers[tool] = Some(layer);
            waiting.push_back((tool, layer));
        }
    };
    place(focus, 0, &mut waiting);
    while let Some((tool, layer)) = waiting.pop_front() {
        for &(other, step) in &next_to[tool] {
            place(other, layer + step, &mut waiting);
        }
    }
    let first = layers.iter().flatten().min().copied().unwrap_or_default();
    let right_of_first = |layer: i64| usize::try_from(layer - first).unwrap_or_default();
    layers.into_iter().map(|layer| right_of_first(layer.unwrap_or_default())).collect()
}

/// Layers such that edges lead to the right. Of a cycle, the edge that comes last in `edges` leads to the left.
pub fn along(count: usize, edges: &[Ends]) -> Vec<usize> {
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut kept: Vec<Ends> = Vec::with_capacity(edges.len());
    for &(from, to) in edges.iter().filter(|(from, to)| from != to) {
        if !leads(&after, to, from) {
            after[from].push(to);
            kept.push((from, to));
        }
    }
    let layers = longest(count, &after, &kept);
    pull(layers, &kept)
}

/// Whether a way leads from one tool to another.
fn leads(after: &[Vec<usize>], from: usize, to: usize) -> bool {
    let mut known = vec![false; after.len()];
    let mut waiting = vec![from];
    while let Some(at) = waiting.pop() {
        if at == to {
            return true;
        }
        if !std::mem::replace(&mut known[at], true) {
            waiting.extend(&after[at]);
        }
    }
    false
}

/// The number of edges of the longest way that ends at each tool. The edges have no cycle.
fn longest(count: usize, after: &[Vec<usize>], edges: &[Ends]) -> Vec<usize> {
    let mut open = vec![0_usize; count];
    for &(_, to) in edges {
        open[to] += 1;
    }
    let mut layers = vec![0; count];
    let mut ready: VecDeque<usize> = (0..count).filter(|tool| open[*tool] == 0).collect();
    while let Some(from) = ready.pop_front() {
        for &to in &after[from] {
            layers[to] = layers[to].max(layers[from] + 1);
            open[to] -= 1;
            if open[to] == 0 {
                ready.push_back(to);
            }
        }
    }
    layers
}

/// Moves tools that nothing feeds next to the first tool they feed, which makes edges short.
fn pull(mut layers: Vec<usize>, edges: &[Ends]) -> Vec<usize> {
    let mut is_fed = vec![false; layers.len()];
    let mut first_fed = vec![usize::MAX; layers.len()];
    for &(from, to) in edges {
        is_fed[to] = true;
        first_fed[from] = first_fed[from].min(layers[to]);
    }
    for (tool, layer) in layers.iter_mut().enumerate() {
        if !is_fed[tool] && first_fed[tool] != usize::MAX {
            *layer = first_fed[tool] - 1;
        }
    }
    layers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feeders_are_left_and_fed_tools_right_of_the_focus() {
        // 1 and 2 feed 0, 0 feeds 3, 3 feeds 4, 5 feeds 1; 6 is alone.
        let edges = [(1, 0), (2, 0), (0, 3), (3, 4), (5, 1), (0, 0)];
        assert_eq!(around(7, &edges, 0), [2, 1, 1, 3, 4, 0, 2]);
    }

    #[test]
    fn first_edge_decides_the_side_of_a_tool_that_feeds_and_is_fed() {
        assert_eq!(around(2, &[(1, 0), (0, 1)], 0), [1, 0]);
        assert_eq!(around(2, &[(0, 1), (1, 0)], 0), [0, 1]);
    }

    #[test]
    fn edges_lead_right_except_the_last_of_a_cycle() {
        let layers = along(4, &[(0, 1), (1, 2), (2, 0), (3, 2), (2, 2)]);
        assert_eq!(layers, [0, 1, 2, 1]);
    }
}
