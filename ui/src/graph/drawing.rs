//! How a scene looks: tools as boxes with their fields, edges as lines from field to field.

use schemascope_api::{Edge, EdgeField};

use super::labels::labels;
use super::layers::{along, around};
use super::layout::{Gaps, Layout, Link, Rect, Size, layout};
use super::overview::{Bundle, Frame};
use super::route::{Curve, Point};
use super::rows::{Row, RowKind, height, port, rows};
use super::scene::Scene;
use crate::text::visible;

/// Most tools that show their fields.
const DETAILED: usize = 26;
/// Most lines with a label.
const LABELLED: usize = 44;
/// Size of a label.
pub const LABEL: Size = Size { width: 54.0, height: 18.0 };
/// Space around everything.
pub const MARGIN: f64 = 16.0;
/// Distance of a handle from its tool, and the space it needs at the edge.
const HANDLE_GAP: f64 = 15.0;
const HANDLE_MARGIN: f64 = 32.0;
/// Widths of a letter: of a tool's name and of a field.
const NAME_LETTER: f64 = 7.55;
const FIELD_LETTER: f64 = 7.25;
/// Space in a tool's head that its name does not use: margins, and the mark of its quality.
const BESIDE_NAME: f64 = 68.0;
const BESIDE_NAME_COMPACT: f64 = 36.0;
/// Narrowest and widest tool.
const MIN_WIDTH: f64 = 130.0;
const MAX_WIDTH: f64 = 268.0;

/// A tool as a box.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Number of the tool in the scene.
    pub tool: usize,
    /// Its place.
    pub rect: Rect,
    /// Server and name, as far as there is room.
    pub title: (String, String),
    /// Its fields, with paths as far as there is room.
    pub rows: Vec<Row>,
    /// Middle of the button that opens or closes the next hop.
    pub handle: Option<Point>,
}

/// An edge as a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Wire {
    /// Number of the edge in the scene.
    pub edge: usize,
    /// The line.
    pub curve: Curve,
    /// Its width, in pixels.
    pub width: f64,
    /// Middle of its label.
    pub label: Option<Point>,
}

/// A picture.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Drawing {
    /// Tools.
    pub nodes: Vec<Node>,
    /// Edges.
    pub wires: Vec<Wire>,
    /// Servers.
    pub frames: Vec<Frame>,
    /// Numbers of edges between servers.
    pub bundles: Vec<Bundle>,
    /// Whether tools show their fields.
    pub detailed: bool,
    /// Width, in pixels.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Node {
    /// Server and name of the tool, as far as there is room.
    pub fn name(&self) -> String {
        if self.title.0.is_empty() {
            self.title.1.clone()
        } else {
            format!("{} / {}", self.title.0, self.title.1)
        }
    }
}

/// Draws a scene with a tool in the middle.
pub fn drawing(scene: &Scene) -> Drawing {
    let Some(focus) = scene.focus else { return Drawing::default() };
    let all: Vec<usize> = (0..scene.tools.len()).collect();
    let edges: Vec<usize> = (0..scene.edges.len()).collect();
    let is_detailed = scene.tools.len() <= DETAILED;
    let (layout, nodes) = arrange(scene, &all, &edges, Some(focus), is_detailed);
    let mut drawing = Drawing { detailed: is_detailed, ..Drawing::default() };
    drawing.add(scene, layout, nodes, &edges, Point { x: HANDLE_MARGIN, y: MARGIN });
    drawing.width += HANDLE_MARGIN - MARGIN;
    drawing.finish(scene);
    drawing
}

/// Lays out some tools and edges of a scene.
pub fn arrange(
    scene: &Scene,
    tools: &[usize],
    edges: &[usize],
    focus: Option<usize>,
    is_detailed: bool,
) -> (Layout, Vec<Node>) {
    let of = |wanted: &dyn Fn(usize) -> bool| -> Vec<&Edge> {
        edges.iter().filter(|edge| wanted(**edge)).map(|edge| &*scene.edges[*edge].edge).collect()
    };
    let mut nodes: Vec<Node> = Vec::with_capacity(tools.len());
    let mut paths: Vec<Vec<Row>> = Vec::with_capacity(tools.len());
    for &tool in tools {
        let shown = &scene.tools[tool];
        let rows = if is_detailed {
            rows(
                shown,
                &of(&|edge| scene.edges[edge].to == tool),
                &of(&|edge| scene.edges[edge].from == tool),
            )
        } else {
            Vec::new()
        };
        let title = shown.id.split_once("__").unwrap_or(("", &shown.id));
        // Without a tool in the middle, tools are drawn within their server.
        let server = if focus.is_some() { visible(title.0, 24) } else { String::new() };
        let title = (server, visible(title.1, 60));
        paths.push(rows.clone());
        nodes.push(Node { tool, rect: Rect::default(), title, rows, handle: None });
    }
    let place = |tool: usize| tools.iter().position(|known| *known == tool).unwrap_or_default();
    let mut places = vec![0; scene.tools.len()];
    tools.iter().for_each(|tool| places[*tool] = place(*tool));
    let ends: Vec<(usize, usize)> =
        edges.iter().map(|edge| (places[scene.edges[*edge].from], places[scene.edges[*edge].to])).collect();
    let layers = match focus {
        Some(focus) => around(tools.len(), &ends, places[focus]),
        None => along(tools.len(), &ends),
    };
    let sizes: Vec<Size> = nodes.iter().map(|node| size(node, is_detailed)).collect();
    let links: Vec<Link> = edges
        .iter()
        .zip(&ends)
        .map(|(edge, (from, to))| {
            let edge = &*scene.edges[*edge].edge;
            let (out, into) = match edge.fields.first() {
                Some(field) => {
                    (port(&paths[*from], true, &field.output), port(&paths[*to], false, &field.input))
                }
                None => (port(&paths[*from], true, ""), port(&paths[*to], false, "")),
            };
            Link { from: *from, to: *to, out, into, weight: 0.2 + edge.confidence }
        })
        .collect();
    let gaps =
        if is_detailed { Gaps { columns: 100.0, rows: 18.0 } } else { Gaps { columns: 78.0, rows: 10.0 } };
    let layout = layout(&sizes, &links, &layers, gaps);
    for (node, rect) in nodes.iter_mut().zip(&layout.tools) {
        fit(node, rect.width, is_detailed);
    }
    (layout, nodes)
}

fn size(node: &Node, is_detailed: bool) -> Size {
    let letters = |text: &str| text.chars().count() as f64;
    let beside = if is_detailed { BESIDE_NAME } else { BESIDE_NAME_COMPACT };
    let server = if node.title.0.is_empty() { 0.0 } else { letters(&node.title.0) + 3.0 };
    let title = (server + letters(&node.title.1)) * NAME_LETTER + beside;
    let field = node.rows.iter().map(|row| letters(&row.text) * FIELD_LETTER + 32.0).fold(0.0, f64::max);
    Size { width: title.max(field).clamp(MIN_WIDTH, MAX_WIDTH).ceil(), height: height(&node.rows) }
}

/// Shortens the texts of a tool to its width.
fn fit(node: &mut Node, width: f64, is_detailed: bool) {
    let beside = if is_detailed { BESIDE_NAME } else { BESIDE_NAME_COMPACT };
    let room = ((width - beside) / NAME_LETTER) as usize;
    let name = node.title.1.chars().count();
    node.title.0 = shorten(&node.title.0, room.saturating_sub(name + 3).max(4));
    let server = if node.title.0.is_empty() { 0 } else { node.title.0.chars().count() + 3 };
    node.title.1 = shorten(&node.title.1, room.saturating_sub(server).max(4));
    let room = ((width - 30.0) / FIELD_LETTER) as usize;
    for row in &mut node.rows {
        // The end of a path says most.
        let text = match &*row.text {
            "" => "whole result".to_owned(),
            path => visible(path, 400),
        };
        let letters = text.chars().count();
        let end: String = text.chars().skip((letters + 1).saturating_sub(room)).collect();
        row.text = if letters > room { format!("…{end}") } else { text }.into();
    }
}

fn shorten(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    text.chars().take(room.saturating_sub(1)).chain(['…']).collect()
}

/// Width of the line of an edge, in pixels.
pub fn line_width(confidence: f64) -> f64 {
    1.1 + 2.6 * confidence.clamp(0.0, 1.0).powi(2)
}

impl Drawing {
    /// Adds tools and edges at a place.
    pub fn add(&mut self, scene: &Scene, layout: Layout, nodes: Vec<Node>, edges: &[usize], at: Point) {
        for (mut node, rect) in nodes.into_iter().zip(layout.tools) {
            node.rect = Rect { x: rect.x + at.x, y: rect.y + at.y, ..rect };
            self.nodes.push(node);
        }
        for (curve, edge) in layout.curves.into_iter().zip(edges) {
            let width = line_width(scene.edges[*edge].edge.confidence);
            self.wires.push(Wire { edge: *edge, curve: curve.moved(at), width, label: None });
        }
        self.width = self.width.max(at.x + layout.width + MARGIN);
        self.height = self.height.max(at.y + layout.height + MARGIN);
    }

    /// Whether nothing that both pictures show is at another place, and both show the same.
    pub fn is_level_with(&self, other: &Self) -> bool {
        let places = |drawing: &Self| -> Vec<Rect> { drawing.nodes.iter().map(|node| node.rect).collect() };
        let edges = |drawing: &Self| -> Vec<usize> { drawing.wires.iter().map(|wire| wire.edge).collect() };
        places(self) == places(other)
            && edges(self) == edges(other)
            && self.frames.len() == other.frames.len()
    }

    /// Places handles and labels.
    pub fn finish(&mut self, scene: &Scene) {
        let middle = self.nodes.iter().find(|node| Some(node.tool) == scene.focus).map(|node| node.rect.x);
        for node in &mut self.nodes {
            let tool = &scene.tools[node.tool];
            let is_focus = Some(node.tool) == scene.focus;
            if scene.focus.is_none() || is_focus || (tool.hidden == 0 && !tool.is_open) {
                continue;
            }
            let is_left = middle.is_some_and(|middle| node.rect.x < middle);
            let x =
                if is_left { node.rect.x - HANDLE_GAP } else { node.rect.x + node.rect.width + HANDLE_GAP };
            let y =
                node.rect.y + if node.rows.is_empty() { node.rect.height } else { super::rows::HEAD } / 2.0;
            node.handle = Some(Point { x, y });
        }
        if self.wires.len() > LABELLED || !self.detailed {
            return;
        }
        let rects: Vec<Rect> = self.nodes.iter().map(|node| node.rect).collect();
        let curves: Vec<&Curve> = self.wires.iter().map(|wire| &wire.curve).collect();
        let places = labels(&curves, &rects, LABEL.width, LABEL.height);
        for (wire, place) in self.wires.iter_mut().zip(places) {
            wire.label = Some(place);
        }
    }

    /// The lines from field to field of an edge, the best first; one line where tools show no fields.
    pub fn fields(&self, scene: &Scene, edge: usize) -> Vec<(usize, Curve)> {
        let Some(known) = scene.edges.get(edge) else { return Vec::new() };
        let node = |tool: usize| self.nodes.iter().find(|node| node.tool == tool);
        let wire = self.wires.iter().find(|wire| wire.edge == edge);
        let (Some(from), Some(to)) = (node(known.from), node(known.to)) else { return Vec::new() };
        let ports = |field: &EdgeField| {
            let of = |node: &Node, is_output: bool, path: &str| self.port(scene, node, is_output, path);
            (of(from, true, &field.output), of(to, false, &field.input))
        };
        let mut lines = Vec::new();
        let mut known_ports: Vec<(f64, f64)> = Vec::new();
        if let Some(wire) = wire {
            // Edges between servers have no line of their own.
            lines.push((0, wire.curve.clone()));
            known_ports.extend(known.edge.fields.first().map(ports));
        }
        for (at, field) in known.edge.fields.iter().enumerate().skip(lines.len()) {
            let (out, into) = ports(field);
            if known_ports.iter().any(|other| (other.0 - out).abs() + (other.1 - into).abs() < 1.0) {
                continue;
            }
            known_ports.push((out, into));
            lines.push((at, between(from.rect, to.rect, from.rect.y + out, to.rect.y + into)));
        }
        lines
    }

    /// Height of a field's port. Texts of rows may be shortened, so rows are made again.
    fn port(&self, scene: &Scene, node: &Node, is_output: bool, path: &str) -> f64 {
        if node.rows.is_empty() {
            return port(&[], is_output, path);
        }
        let of = |is_wanted: &dyn Fn(&super::scene::SceneEdge) -> bool| -> Vec<&Edge> {
            scene.edges.iter().filter(|edge| is_wanted(edge)).map(|edge| &*edge.edge).collect()
        };
        let tool = node.tool;
        port(
            &rows(&scene.tools[tool], &of(&|edge| edge.to == tool), &of(&|edge| edge.from == tool)),
            is_output,
            path,
        )
    }
}

/// A line between two tools at these heights, from the sides that face each other.
fn between(from: Rect, to: Rect, out: f64, into: f64) -> Curve {
    let right = |rect: Rect, y: f64| Point { x: rect.x + rect.width, y };
    let left = |rect: Rect, y: f64| Point { x: rect.x, y };
    if from.x + from.width <= to.x {
        Curve::through(&[right(from, out), left(to, into)])
    } else if to.x + to.width <= from.x {
        Curve::through(&[left(from, out), right(to, into)])
    } else {
        Curve::around(right(from, out), right(to, into))
    }
}

/// Whether a row is a field.
pub fn is_field(row: &Row) -> bool {
    matches!(row.kind, RowKind::Output | RowKind::Input { .. })
}

#[cfg(test)]
mod tests {
    use super::super::scene::samples::{around, edge, view};
    use super::super::scene::scene;
    use super::*;

    #[test]
    fn feeders_are_left_of_the_focus_and_fed_tools_right() {
        let view = view(vec![edge("s__a", "s__b", 0.9, "seen"), edge("s__b", "s__c", 0.8, "possible")]);
        let scene = scene(&view, &around("s__b"));
        let drawing = drawing(&scene);
        let x =
            |id: &str| drawing.nodes.iter().find(|node| &*scene.tools[node.tool].id == id).unwrap().rect.x;
        assert!(x("s__a") < x("s__b") && x("s__b") < x("s__c"));
        assert!(drawing.detailed && drawing.wires.iter().all(|wire| wire.label.is_some()));
        assert!(drawing.wires[0].width > drawing.wires[1].width, "confidence is shown as width");
        // Both neighbours know one more tool.
        assert_eq!(drawing.nodes.iter().filter(|node| node.handle.is_some()).count(), 2);
    }

    #[test]
    fn many_tools_are_drawn_without_fields() {
        let edges = (0..DETAILED).map(|n| edge(&format!("s__a{n}"), "s__hub", 0.9, "seen")).collect();
        let scene = scene(&view(edges), &around("s__hub"));
        let drawing = drawing(&scene);
        assert!(!drawing.detailed && drawing.nodes.iter().all(|node| node.rows.is_empty()));
    }

    #[test]
    fn every_pair_of_fields_has_a_line() {
        let mut several = edge("s__a", "s__b", 0.9, "seen");
        let mut field = several.fields[0].clone();
        field.input = "name".into();
        several.fields.push(field);
        let scene = scene(&view(vec![several]), &around("s__b"));
        let lines = drawing(&scene).fields(&scene, 0);
        assert_eq!(lines.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0, 1]);
        assert!(lines[0].1.at(1.0) != lines[1].1.at(1.0));
    }

    #[test]
    fn long_names_are_shortened() {
        let long = format!("s__{}", "x".repeat(200));
        let scene = scene(&view(vec![edge(&long, "s__b", 0.9, "seen")]), &around("s__b"));
        let drawing = drawing(&scene);
        assert!(drawing.nodes.iter().all(|node| node.title.1.chars().count() < 40));
        assert!(drawing.width < 800.0);
    }
}
