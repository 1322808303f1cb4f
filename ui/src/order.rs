//! Stable sorting whose code is compiled once for all types.

use std::cmp::Ordering;

/// Sorts; equal items keep their order.
pub fn sort<T>(items: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    let order = {
        let items: &[T] = items;
        order(items.len(), &|a, b| compare(&items[a], &items[b]))
    };
    let mut taken: Vec<Option<T>> = items.drain(..).map(Some).collect();
    items.extend(order.into_iter().filter_map(|at| taken[at].take()));
}

fn order(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sort_keeps_the_order_of_equal_items() {
        let mut items: Vec<(u32, usize)> = (0..50).map(|n| (n * 7 % 5, n as usize)).collect();
        let mut expect = items.clone();
        expect.sort();
        sort(&mut items, |a, b| a.0.cmp(&b.0));
        assert_eq!(items, expect);
        sort(&mut items, |a, b| b.1.cmp(&a.1));
        assert!(items.iter().map(|(_, at)| *at).eq((0..50).rev()));
    }
}
