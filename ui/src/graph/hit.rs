//! What is under the pointer.

use super::drawing::Drawing;
use super::overview::TITLE;
use super::route::Point;

/// Reach of the pointer around a line, in pixels.
const REACH: f64 = 7.0;
/// Radius of a handle.
pub const HANDLE: f64 = 9.0;

/// A part of a picture, by its number in the drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hit {
    /// The handle of a tool.
    Handle(usize),
    /// A tool.
    Node(usize),
    /// An edge.
    Wire(usize),
    /// The name of a server.
    Frame(usize),
    /// The edges between two servers.
    Bundle(usize),
}

/// The part at a point: handles first, then tools, and of lines the nearest.
pub fn hit(drawing: &Drawing, at: Point) -> Option<Hit> {
    let near = |handle: &Point| (handle.x - at.x).hypot(handle.y - at.y) <= HANDLE + 2.0;
    let handle = drawing.nodes.iter().position(|node| node.handle.as_ref().is_some_and(near));
    let node = || drawing.nodes.iter().position(|node| node.rect.contains(at));
    let nearest = |distances: &mut dyn Iterator<Item = f64>| {
        let best = distances.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        best.filter(|(_, distance)| *distance <= REACH).map(|(number, _)| number)
    };
    let wire = || {
        let label = |wire: &super::drawing::Wire| {
            wire.label.is_some_and(|label| {
                (label.x - at.x).abs() <= super::drawing::LABEL.width / 2.0
                    && (label.y - at.y).abs() <= super::drawing::LABEL.height / 2.0
            })
        };
        let labelled = drawing.wires.iter().position(label);
        labelled.or_else(|| nearest(&mut drawing.wires.iter().map(|wire| wire.curve.distance(at))))
    };
    let bundle = || nearest(&mut drawing.bundles.iter().map(|bundle| bundle.curve.distance(at)));
    let frame =
        || drawing.frames.iter().position(|frame| frame.rect.contains(at) && at.y <= frame.rect.y + TITLE);
    handle
        .map(Hit::Handle)
        .or_else(|| node().map(Hit::Node))
        .or_else(|| wire().map(Hit::Wire))
        .or_else(|| bundle().map(Hit::Bundle))
        .or_else(|| frame().map(Hit::Frame))
}

#[cfg(test)]
mod tests {
    use super::super::drawing::drawing;
    use super::super::scene::samples::{around, edge, view};
    use super::super::scene::scene;
    use super::*;

    #[test]
    fn pointer_finds_tools_lines_and_handles() {
        let view = view(vec![edge("s__a", "s__b", 0.9, "seen"), edge("s__b", "s__c", 0.8, "possible")]);
        let drawing = drawing(&scene(&view, &around("s__b")));
        let inside = |node: usize| {
            let rect = drawing.nodes[node].rect;
            Point { x: rect.x + rect.width / 2.0, y: rect.y + rect.height / 2.0 }
        };
        assert_eq!(hit(&drawing, inside(0)), Some(Hit::Node(0)));
        let line = drawing.wires[1].curve.at(0.3);
        assert_eq!(hit(&drawing, Point { y: line.y + 2.0, ..line }), Some(Hit::Wire(1)));
        let handle = drawing.nodes[1].handle.unwrap();
        assert_eq!(hit(&drawing, handle), Some(Hit::Handle(1)));
        assert_eq!(hit(&drawing, Point { x: 0.0, y: 0.0 }), None);
    }
}
