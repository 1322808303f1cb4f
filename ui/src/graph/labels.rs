//! Places of labels on lines, where they cover neither tools nor each other.

use super::layout::Rect;
use super::route::{Curve, Point};

/// Places along a line that are tried, the best first.
const PLACES: [f64; 11] = [0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73, 0.2, 0.8, 0.14, 0.86];
/// Distances from the line that are tried, in pixels.
const SHIFTS: [f64; 5] = [0.0, -11.0, 11.0, -20.0, 20.0];
/// Least space between labels, in pixels.
const SPACE: f64 = 2.0;

/// The middle of the label of every curve. A label without a free place stands
/// on the middle of its line.
pub fn labels(curves: &[&Curve], tools: &[Rect], width: f64, height: f64) -> Vec<Point> {
    let mut placed: Vec<Rect> = Vec::with_capacity(curves.len());
    let rect = |at: Point| Rect { x: at.x - width / 2.0, y: at.y - height / 2.0, width, height };
    curves
        .iter()
        .map(|curve| {
            let free = |space: &Rect| {
                !tools.iter().any(|tool| tool.meets(space, 0.0))
                    && !placed.iter().any(|other| other.meets(space, SPACE))
            };
            let shifted = |shift: f64| PLACES.iter().map(move |at| (curve.at(*at), shift));
            let all = SHIFTS.iter().flat_map(|shift| shifted(*shift));
            let mut places = all.map(|(at, shift)| Point { y: at.y + shift, ..at });
            let found = places.find(|at| free(&rect(*at)));
            let at = found.unwrap_or_else(|| curve.at(0.5));
            placed.push(rect(at));
            at
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_off_tools_and_each_other() {
        let line = |y: f64| Curve::through(&[Point { x: 0.0, y }, Point { x: 400.0, y }]);
        let curves = [line(0.0), line(5.0), line(10.0)];
        let tool = Rect { x: 180.0, y: -20.0, width: 40.0, height: 60.0 };
        let places = labels(&curves.iter().collect::<Vec<_>>(), &[tool], 50.0, 18.0);
        let rects: Vec<Rect> = places
            .iter()
            .map(|at| Rect { x: at.x - 25.0, y: at.y - 9.0, width: 50.0, height: 18.0 })
            .collect();
        for (at, rect) in rects.iter().enumerate() {
            assert!(!rect.meets(&tool, 0.0), "{rect:?}");
            assert!(rects[..at].iter().all(|other| !rect.meets(other, 0.0)), "{rects:?}");
        }
    }

    #[test]
    fn label_without_a_free_place_stands_in_the_middle() {
        let curve = Curve::through(&[Point::default(), Point { x: 10.0, y: 0.0 }]);
        let tool = Rect { x: -50.0, y: -50.0, width: 100.0, height: 100.0 };
        assert_eq!(labels(&[&curve], &[tool], 50.0, 18.0), [curve.at(0.5)]);
    }
}
