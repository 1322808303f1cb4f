//! Layered layout: tools in columns, edges from left to right, few crossings.
//!
//! A line that passes a column gets a place there, so that it does not run across tools.

use super::order::{Segment, order};
use super::place::{Heights, Pull, place};
use super::route::{Curve, Point};

/// Height of a line that passes a column, and the gap below it.
const PASSING: f64 = 10.0;
/// Weight of lines within a passing way, which keeps it straight.
const STRAIGHT: f64 = 6.0;

/// Size of a tool, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size {
    /// Least width; all tools of a column get the largest.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// A line to draw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// Number of the tool where it begins.
    pub from: usize,
    /// Number of the tool where it ends.
    pub to: usize,
    /// Height at which it begins, from the top of the tool.
    pub out: f64,
    /// Height at which it ends.
    pub into: f64,
    /// How strongly it wants to be level.
    pub weight: f64,
}

/// Gaps, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gaps {
    /// Between columns.
    pub columns: f64,
    /// Between the tools of a column.
    pub rows: f64,
}

/// A rectangle, in pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Rect {
    /// Whether a point is inside.
    pub fn contains(&self, point: Point) -> bool {
        (self.x..=self.x + self.width).contains(&point.x)
            && (self.y..=self.y + self.height).contains(&point.y)
    }

    /// Whether two rectangles have points in common, with this much space around.
    pub fn meets(&self, other: &Self, space: f64) -> bool {
        self.x < other.x + other.width + space
            && other.x < self.x + self.width + space
            && self.y < other.y + other.height + space
            && other.y < self.y + self.height + space
    }
}

/// Where everything is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Layout {
    /// The tools, by number.
    pub tools: Vec<Rect>,
    /// The lines, by number.
    pub curves: Vec<Curve>,
    /// Width of all of it.
    pub width: f64,
    /// Height of all of it.
    pub height: f64,
}

/// Lays out tools in the columns that `layers` names. Equal input gives an equal result.
pub fn layout(sizes: &[Size], links: &[Link], layers: &[usize], gaps: Gaps) -> Layout {
    let mut columns = Columns::new(sizes, layers, gaps);
    columns.pass(links, layers);
    let segments = columns.segments();
    order(&mut columns.items, &segments);
    let tops = place(&columns.items, Heights { of: &columns.heights, gaps: &columns.gaps }, &columns.pulls);
    columns.finish(sizes.len(), links, layers, gaps, &tops)
}

/// Columns of items: tools, and the places of lines that pass.
struct Columns {
    items: Vec<Vec<usize>>,
    heights: Vec<f64>,
    gaps: Vec<f64>,
    widths: Vec<f64>,
    pulls: Vec<Pull>,
    /// The places of every line between its ends, from left to right.
    ways: Vec<Vec<usize>>,
}

impl Columns {
    fn new(sizes: &[Size], layers: &[usize], gaps: Gaps) -> Self {
        let count = layers.iter().max().map_or(0, |last| last + 1);
        let mut columns = Self {
            items: vec![Vec::new(); count],
            heights: sizes.iter().map(|size| size.height).collect(),
            gaps: vec![gaps.rows; sizes.len()],
            widths: vec![0.0; count],
            pulls: Vec::new(),
            ways: Vec::new(),
        };
        for (tool, (size, layer)) in sizes.iter().zip(layers).enumerate() {
            columns.items[*layer].push(tool);
            columns.widths[*layer] = columns.widths[*layer].max(size.width);
        }
        columns
    }

    /// Gives lines a place in the columns they pass.
    fn pass(&mut self, links: &[Link], layers: &[usize]) {
        for link in links {
            let (from, to) = (layers[link.from], layers[link.to]);
            let (left, left_at, right, right_at) = if from <= to {
                (link.from, link.out, link.to, link.into)
            } else {
                (link.to, link.into, link.from, link.out)
            };
            let mut way = Vec::new();
            for column in from.min(to) + 1..from.max(to) {
                way.push(self.heights.len());
                self.items[column].push(self.heights.len());
                self.heights.push(0.0);
                self.gaps.push(PASSING);
            }
            let mut before = (left, left_at);
            for item in &way {
                let weight = if before.0 == left { link.weight } else { STRAIGHT };
                self.pulls.push(Pull {
                    left: before.0,
                    right: *item,
                    left_at: before.1,
                    right_at: 0.0,
                    weight,
                });
                before = (*item, 0.0);
            }
            if from != to {
                self.pulls.push(Pull {
                    left: before.0,
                    right,
                    left_at: before.1,
                    right_at,
                    weight: link.weight,
                });
            }
            self.ways.push(way);
        }
    }

    fn segments(&self) -> Vec<Segment> {
        let share = |item: usize, at: f64| match self.heights[item] {
            height if height > 0.0 => at / height,
            _ => 0.5,
        };
        let segment = |pull: &Pull| Segment {
            left: pull.left,
            right: pull.right,
            left_at: share(pull.left, pull.left_at),
            right_at: share(pull.right, pull.right_at),
        };
        self.pulls.iter().map(segment).collect()
    }

    fn finish(&self, tools: usize, links: &[Link], layers: &[usize], gaps: Gaps, tops: &[f64]) -> Layout {
        let mut lefts = Vec::with_capacity(self.widths.len());
        let mut x = 0.0;
        for width in &self.widths {
            lefts.push(x);
            x += width + gaps.columns;
        }
        let rect = |tool: usize| Rect {
            x: lefts[layers[tool]],
            y: tops[tool],
            width: self.widths[layers[tool]],
            height: self.heights[tool],
        };
        let rects: Vec<Rect> = (0..tools).map(rect).collect();
        let curve = |(link, way): (&Link, &Vec<usize>)| {
            let (from, to) = (&rects[link.from], &rects[link.to]);
            let (out, into) = (from.y + link.out, to.y + link.into);
            let right = |rect: &Rect, y: f64| Point { x: rect.x + rect.width, y };
            let left = |rect: &Rect, y: f64| Point { x: rect.x, y };
            let (first, last) = (layers[link.from], layers[link.to]);
            if first == last {
                return Curve::around(right(from, out), right(to, into));
            }
            let mut points = if first < last { vec![right(from, out)] } else { vec![right(to, into)] };
            for (item, column) in way.iter().zip(first.min(last) + 1..) {
                let y = tops[*item];
                points.push(Point { x: lefts[column], y });
                points.push(Point { x: lefts[column] + self.widths[column], y });
            }
            points.push(if first < last { left(to, into) } else { left(from, out) });
            if first > last {
                points.reverse();
            }
            Curve::through(&points)
        };
        let curves: Vec<Curve> = links.iter().zip(&self.ways).map(curve).collect();
        let mut whole = Layout { tools: rects, curves, width: 0.0, height: 0.0 };
        for rect in &whole.tools {
            whole.width = whole.width.max(rect.x + rect.width);
            whole.height = whole.height.max(rect.y + rect.height);
        }
        for point in whole.curves.iter().flat_map(|curve| &curve.0) {
            // A curve stays within its control points; a quarter of their reach is never used.
            whole.width = whole.width.max(point.x - 8.0);
            whole.height = whole.height.max(point.y + 4.0);
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::super::layers::along;
    use super::*;

    const GAPS: Gaps = Gaps { columns: 60.0, rows: 10.0 };

    fn link(from: usize, to: usize) -> Link {
        Link { from, to, out: 10.0, into: 10.0, weight: 1.0 }
    }

    /// Numbers that look random and are always the same.
    fn numbers(count: usize, below: usize) -> impl Iterator<Item = usize> {
        let mut state = 7_u64;
        std::iter::repeat_with(move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        })
        .take(count)
    }

    fn large() -> (Vec<Size>, Vec<Link>, Vec<usize>) {
        let sizes = vec![Size { width: 180.0, height: 26.0 }; 300];
        let ends: Vec<usize> = numbers(1_800, 300).collect();
        let links: Vec<Link> = ends.chunks(2).map(|ends| link(ends[0], ends[1])).collect();
        let layers = along(300, &links.iter().map(|link| (link.from, link.to)).collect::<Vec<_>>());
        (sizes, links, layers)
    }

    #[test]
    fn tools_do_not_overlap_and_curves_touch_them() {
        let (sizes, links, layers) = large();
        let layout = layout(&sizes, &links, &layers, GAPS);
        for (at, rect) in layout.tools.iter().enumerate() {
            assert!(layout.tools[..at].iter().all(|other| !rect.meets(other, 0.0)), "{at}");
        }
        for (link, curve) in links.iter().zip(&layout.curves) {
            let (from, to) = (layout.tools[link.from], layout.tools[link.to]);
            assert!(from.contains(curve.at(0.0)) && to.contains(curve.at(1.0)), "{link:?}");
        }
    }

    #[test]
    fn equal_input_gives_an_equal_layout() {
        let (sizes, links, layers) = large();
        assert_eq!(layout(&sizes, &links, &layers, GAPS), layout(&sizes, &links, &layers, GAPS));
    }

    #[test]
    fn lines_do_not_cross_the_tools_they_pass() {
        let sizes = vec![Size { width: 100.0, height: 40.0 }; 3];
        let layout = layout(&sizes, &[link(0, 1), link(1, 2), link(0, 2)], &[0, 1, 2], GAPS);
        let passed = Rect { x: layout.tools[1].x + 1.0, width: 98.0, ..layout.tools[1] };
        for step in 0..=50 {
            let point = layout.curves[2].at(f64::from(step) / 50.0);
            assert!(!passed.contains(point), "{point:?} in {passed:?}");
        }
    }

    #[test]
    fn no_tools_give_an_empty_layout() {
        assert_eq!(layout(&[], &[], &[], GAPS), Layout::default());
    }
}
