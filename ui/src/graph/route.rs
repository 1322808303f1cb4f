//! Lines between tools, as cubic Bézier curves.

use std::fmt::Write;

/// A point, in pixels from the top left corner.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Down.
    pub y: f64,
}

/// A curve: its first point, then two control points and an end for each piece.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curve(pub Vec<Point>);

/// Points in which a piece of a curve is looked at.
const SAMPLES: usize = 12;

impl Curve {
    /// A curve through points that it crosses horizontally.
    pub fn through(points: &[Point]) -> Self {
        let mut curve: Vec<Point> = points.first().copied().into_iter().collect();
        for pair in points.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let reach = (to.x - from.x) / 2.0;
            curve.extend([Point { x: from.x + reach, y: from.y }, Point { x: to.x - reach, y: to.y }, to]);
        }
        Self(curve)
    }

    /// A curve that leaves to the right and comes back from the right.
    pub fn around(from: Point, to: Point) -> Self {
        let reach = 26.0 + ((to.y - from.y).abs() * 0.25).min(48.0);
        let beyond = from.x.max(to.x) + reach;
        Self(vec![from, Point { x: beyond, y: from.y }, Point { x: beyond, y: to.y }, to])
    }

    /// The same curve further right and down.
    #[must_use]
    pub fn moved(mut self, by: Point) -> Self {
        for point in &mut self.0 {
            *point = Point { x: point.x + by.x, y: point.y + by.y };
        }
        self
    }

    /// The `d` of an SVG path.
    pub fn path(&self) -> String {
        let mut path = String::with_capacity(self.0.len() * 12);
        let Some(first) = self.0.first() else { return path };
        let _ = write!(path, "M{:.1} {:.1}", first.x, first.y);
        for [_, b, c, d] in self.pieces() {
            let _ = write!(path, "C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}", b.x, b.y, c.x, c.y, d.x, d.y);
        }
        path
    }

    /// A point of the curve; `t` is 0 at its begin and 1 at its end.
    pub fn at(&self, t: f64) -> Point {
        let count = self.pieces().count();
        let along = t.clamp(0.0, 1.0) * count as f64;
        let piece = (along as usize).min(count.saturating_sub(1));
        self.pieces().nth(piece).map_or_else(Point::default, |points| bezier(points, along - piece as f64))
    }

    /// The distance of a point from the curve, in pixels.
    pub fn distance(&self, from: Point) -> f64 {
        let mut nearest = f64::INFINITY;
        for points in self.pieces() {
            let mut before = points[0];
            for step in 1..=SAMPLES {
                let next = bezier(points, step as f64 / SAMPLES as f64);
                nearest = nearest.min(to_line(from, before, next));
                before = next;
            }
        }
        nearest
    }

    fn pieces(&self) -> impl Iterator<Item = [Point; 4]> + '_ {
        (0..self.0.len().saturating_sub(1) / 3).map(|at| {
            let first = at * 3;
            [self.0[first], self.0[first + 1], self.0[first + 2], self.0[first + 3]]
        })
    }
}

fn bezier([a, b, c, d]: [Point; 4], t: f64) -> Point {
    let u = 1.0 - t;
    let mix = |a: f64, b: f64, c: f64, d: f64| {
        u * u * u * a + 3.0 * u * u * t * b + 3.0 * u * t * t * c + t * t * t * d
    };
    Point { x: mix(a.x, b.x, c.x, d.x), y: mix(a.y, b.y, c.y, d.y) }
}

fn to_line(point: Point, from: Point, to: Point) -> f64 {
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let length = dx * dx + dy * dy;
    let share = if length > 0.0 { ((point.x - from.x) * dx + (point.y - from.y) * dy) / length } else { 0.0 };
    let share = share.clamp(0.0, 1.0);
    (point.x - from.x - share * dx).hypot(point.y - from.y - share * dy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curve_begins_ends_and_turns_where_it_should() {
        let points = [Point { x: 0.0, y: 0.0 }, Point { x: 100.0, y: 50.0 }, Point { x: 200.0, y: 50.0 }];
        let curve = Curve::through(&points);
        assert_eq!((curve.at(0.0), curve.at(0.5), curve.at(1.0)), (points[0], points[1], points[2]));
        assert!(curve.path().starts_with("M0.0 0.0C") && curve.path().ends_with(" 200.0 50.0"));
        assert_eq!(curve.path().matches('C').count(), 2);
        assert!(curve.distance(Point { x: 150.0, y: 53.0 }) < 3.1);
        assert!(curve.distance(Point { x: 150.0, y: 0.0 }) > 30.0);
    }

    #[test]
    fn curve_without_points_is_empty() {
        assert_eq!(Curve::default().path(), "");
        assert_eq!(Curve::default().at(0.5), Point::default());
        assert!(Curve::default().distance(Point::default()).is_infinite());
    }
}
