//! Order of the items of a layer, chosen so that few lines cross.

/// Number of sweeps over all layers.
const SWEEPS: usize = 12;

/// A line between items of neighbouring layers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// Item of the left layer.
    pub left: usize,
    /// Item of the right layer.
    pub right: usize,
    /// Where the line touches the left item, as a share of its height from the top.
    pub left_at: f64,
    /// Where it touches the right item.
    pub right_at: f64,
}

/// Orders the items of each layer. Items with equal lines keep their order.
pub fn order(layers: &mut [Vec<usize>], segments: &[Segment]) {
    let items = layers.iter().flatten().max().map_or(0, |last| last + 1);
    let mut left_of: Vec<Vec<(usize, f64)>> = vec![Vec::new(); items];
    let mut right_of: Vec<Vec<(usize, f64)>> = vec![Vec::new(); items];
    for segment in segments {
        left_of[segment.right].push((segment.left, segment.left_at));
        right_of[segment.left].push((segment.right, segment.right_at));
    }
    let mut layer_of = vec![0; items];
    for (at, layer) in layers.iter().enumerate() {
        layer.iter().for_each(|item| layer_of[*item] = at);
    }
    let mut between: Vec<Vec<Segment>> = vec![Vec::new(); layers.len()];
    for segment in segments {
        between[layer_of[segment.left]].push(*segment);
    }
    let mut at = vec![0.0; items];
    note(layers, &mut at);
    let mut best = layers.to_vec();
    let mut fewest = crossings(&between, &at);
    for sweep in 0..SWEEPS {
        if fewest == 0 {
            break;
        }
        let to_right = sweep % 2 == 0;
        for step in 0..layers.len() {
            let layer = if to_right { step } else { layers.len() - 1 - step };
            arrange(&mut layers[layer], if to_right { &left_of } else { &right_of }, &mut at);
        }
        let found = crossings(&between, &at);
        if found < fewest {
            fewest = found;
            best = layers.to_vec();
        }
    }
    layers.clone_from_slice(&best);
}

/// Notes the position of every item within its layer.
fn note(layers: &[Vec<usize>], at: &mut [f64]) {
    for layer in layers {
        layer.iter().enumerate().for_each(|(position, item)| at[*item] = position as f64);
    }
}

/// Sorts a layer by the mean position of what its items are joined to. Items without lines stay where they are.
fn arrange(layer: &mut Vec<usize>, next_to: &[Vec<(usize, f64)>], at: &mut [f64]) {
    let mean = |item: usize| {
        let joined = &next_to[item];
        let sum: f64 = joined.iter().map(|(other, share)| at[*other] + share).sum();
        if joined.is_empty() { at[item] } else { sum / joined.len() as f64 }
    };
    let means: Vec<f64> = layer.iter().map(|item| mean(*item)).collect();
    let mut places: Vec<usize> = (0..layer.len()).collect();
    places.sort_by(|a, b| means[*a].total_cmp(&means[*b]).then(a.cmp(b)));
    *layer = places.into_iter().map(|place| layer[place]).collect();
    layer.iter().enumerate().for_each(|(position, item)| at[*item] = position as f64);
}

/// Number of crossings of lines between neighbouring layers; `between` holds the lines by their left layer.
fn crossings(between: &[Vec<Segment>], at: &[f64]) -> u64 {
    let mut total = 0;
    for segments in between {
        let mut ends: Vec<(f64, f64)> = segments
            .iter()
            .map(|segment| (at[segment.left] + segment.left_at, at[segment.right] + segment.right_at))
            .collect();
        ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut rights: Vec<f64> = ends.iter().map(|end| end.1).collect();
        rights.sort_by(f64::total_cmp);
        rights.dedup_by(|a, b| a.total_cmp(b).is_eq());
        // Counts, from left to right, the earlier lines that end further down: sums over prefixes in a tree of sums.
        let mut sums = vec![0_u64; rights.len() + 1];
        for (seen, end) in ends.iter().enumerate() {
            let place = rights.partition_point(|right| *right < end.1) + 1;
            let (mut node, mut above) = (place, 0);
            while node > 0 {
                above += sums[node];
                node &= node - 1;
            }
            total += seen as u64 - above;
            node = place;
            while node < sums.len() {
                sums[node] += 1;
                node += node & node.wrapping_neg();
            }
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(left: usize, right: usize) -> Segment {
        Segment { left, right, left_at: 0.5, right_at: 0.5 }
    }

    #[test]
    fn crossed_lines_are_uncrossed() {
        let mut layers = vec![vec![0, 1, 2], vec![3, 4, 5]];
        order(&mut layers, &[line(0, 5), line(1, 4), line(2, 3)]);
        let at = |item: usize| layers.iter().find_map(|layer| layer.iter().position(|known| *known == item));
        assert!(at(0) == at(5) && at(1) == at(4) && at(2) == at(3), "{layers:?}");
    }

    #[test]
    fn items_follow_the_fields_of_the_item_they_are_joined_to() {
        let mut layers = vec![vec![0], vec![1, 2]];
        let segment = |right, left_at| Segment { left: 0, right, left_at, right_at: 0.1 };
        order(&mut layers, &[segment(1, 0.8), segment(2, 0.2)]);
        assert_eq!(layers[1], [2, 1]);
    }

    #[test]
    fn crossings_are_counted() {
        let at = [0.0, 1.0, 2.0, 0.0, 1.0, 2.0];
        let all: Vec<Segment> = (0..3).flat_map(|left| (3..6).map(move |right| line(left, right))).collect();
        assert_eq!(crossings(&[all], &at), 9);
        assert_eq!(crossings(&[vec![line(0, 3), line(1, 4)]], &at), 0);
    }
}
