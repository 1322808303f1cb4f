//! Vertical positions: items as level with what they are joined to as the order and the gaps allow.

/// Number of sweeps over all layers.
const SWEEPS: usize = 10;

/// A line between two items; heights are offsets from the top of an item, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pull {
    /// One item.
    pub left: usize,
    /// The other.
    pub right: usize,
    /// Where the line touches the left item.
    pub left_at: f64,
    /// Where it touches the right item.
    pub right_at: f64,
    /// How strongly the line wants to be level.
    pub weight: f64,
}

/// Heights of items, and the gaps between them, in pixels.
#[derive(Debug, Clone, Copy)]
pub struct Heights<'a> {
    /// Height of every item.
    pub of: &'a [f64],
    /// Least gap below every item.
    pub gaps: &'a [f64],
}

/// The top of every item, in pixels; the highest is at 0.
pub fn place(layers: &[Vec<usize>], heights: Heights<'_>, pulls: &[Pull]) -> Vec<f64> {
    let mut tops = vec![0.0; heights.of.len()];
    for layer in layers {
        let whole: f64 = layer.iter().map(|item| heights.of[*item] + heights.gaps[*item]).sum();
        let mut top = -whole / 2.0;
        for item in layer {
            tops[*item] = top;
            top += heights.of[*item] + heights.gaps[*item];
        }
    }
    let mut joined: Vec<Vec<(usize, f64, f64)>> = vec![Vec::new(); tops.len()];
    for pull in pulls {
        let offset = pull.left_at - pull.right_at;
        joined[pull.right].push((pull.left, offset, pull.weight));
        joined[pull.left].push((pull.right, -offset, pull.weight));
    }
    for sweep in 0..SWEEPS {
        for step in 0..layers.len() {
            let layer = &layers[if sweep % 2 == 0 { step } else { layers.len() - 1 - step }];
            settle(layer, heights, &joined, &mut tops);
        }
    }
    let highest = tops.iter().copied().fold(f64::INFINITY, f64::min);
    tops.iter_mut().for_each(|top| *top = (*top - highest).round());
    tops
}

/// Puts the items of a layer as close to their wanted places as order and gaps allow: the least sum of squared
/// distances, by pooling neighbours that would overlap.
fn settle(layer: &[usize], heights: Heights<'_>, joined: &[Vec<(usize, f64, f64)>], tops: &mut [f64]) {
    // Pool: sum of weighted wanted places, sum of weights, number of items.
    let mut pools: Vec<(f64, f64, usize)> = Vec::with_capacity(layer.len());
    let mut offset = 0.0;
    for &item in layer {
        let weight: f64 = joined[item].iter().map(|(.., weight)| weight).sum();
        let sum: f64 = joined[item].iter().map(|(other, at, weight)| (tops[*other] + at) * weight).sum();
        // An item without lines gives way to all others.
        let (wanted, weight) = if weight > 0.0 { (sum / weight, weight) } else { (tops[item], 0.01) };
        pools.push(((wanted - offset) * weight, weight, 1));
        while let [.., above, below] = pools.as_mut_slice()
            && above.0 / above.1 > below.0 / below.1
        {
            *above = (above.0 + below.0, above.1 + below.1, above.2 + below.2);
            pools.pop();
        }
        offset += heights.of[item] + heights.gaps[item];
    }
    let mut items = layer.iter();
    let mut offset = 0.0;
    for (sum, weight, count) in pools {
        for item in items.by_ref().take(count) {
            tops[*item] = sum / weight + offset;
            offset += heights.of[*item] + heights.gaps[*item];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pull(left: usize, right: usize) -> Pull {
        Pull { left, right, left_at: 5.0, right_at: 5.0, weight: 1.0 }
    }

    #[test]
    fn joined_items_are_level_if_nothing_is_in_the_way() {
        let heights = Heights { of: &[10.0; 4], gaps: &[4.0; 4] };
        let tops = place(&[vec![0, 1], vec![2, 3]], heights, &[pull(0, 2), pull(1, 3)]);
        assert!((tops[0] - tops[2]).abs() < 1.0 && (tops[1] - tops[3]).abs() < 1.0, "{tops:?}");
    }

    #[test]
    fn items_of_a_layer_keep_their_order_and_gaps() {
        let heights = Heights { of: &[10.0, 30.0, 20.0, 8.0, 8.0], gaps: &[6.0; 5] };
        let layers = [vec![0], vec![1, 2, 3, 4]];
        let tops = place(&layers, heights, &[pull(0, 4), pull(0, 1), pull(0, 3), pull(0, 2)]);
        for pair in layers[1].windows(2) {
            let bottom = tops[pair[0]] + heights.of[pair[0]] + 6.0;
            assert!(tops[pair[1]] >= bottom - 1.0, "{tops:?}");
        }
        // The single item is in the middle of those it feeds.
        assert!((tops[0] + 5.0 - 42.0).abs() < 20.0, "{tops:?}");
        assert!(tops.iter().all(|top| *top >= 0.0) && tops.contains(&0.0));
    }
}
