//! The picture without a tool in the middle: servers, the numbers of edges between them, and the strongest edges.

use std::collections::BTreeMap;

use schemascope_api::EdgeTotals;

use super::drawing::{Drawing, LABEL, MARGIN, Node, arrange};
use super::labels::labels;
use super::layers::along;
use super::layout::{Gaps, Layout, Link, Rect, Size, layout};
use super::route::{Curve, Point};
use super::scene::Scene;
use crate::text::visible;

/// Height of a server's name, in pixels.
pub const TITLE: f64 = 34.0;
/// Space around the tools of a server.
const INSIDE: f64 = 14.0;
/// Space between servers.
const BETWEEN: f64 = 18.0;
/// Least width of a server.
const MIN_WIDTH: f64 = 216.0;
/// Widths of the rows of servers that are tried, as factors of the width that would be right without gaps.
const ROW_WIDTHS: [f64; 7] = [0.85, 1.0, 1.12, 1.25, 1.4, 1.6, 1.9];

/// A server as a frame around its tools.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Its name.
    pub name: String,
    /// Its name as far as there is room.
    pub title: String,
    /// Number of its tools.
    pub tools: u64,
    /// Numbers of edges between its tools.
    pub inside: EdgeTotals,
    /// Its place.
    pub rect: Rect,
}

/// The edges from one server to another as a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Bundle {
    /// Number of the link in the scene.
    pub link: usize,
    /// The line.
    pub curve: Curve,
    /// Its width, in pixels.
    pub width: f64,
    /// Middle of its label.
    pub label: Point,
}

/// A server before it has a place.
struct Part {
    name: String,
    tools: u64,
    inside: EdgeTotals,
    size: Size,
    layout: Layout,
    nodes: Vec<Node>,
    edges: Vec<usize>,
}

/// Number of edges.
pub fn total(totals: &EdgeTotals) -> u64 {
    totals.seen + totals.possible + totals.broken
}

/// Draws a scene without a tool in the middle, to be shown in an area of which the width is `ratio` times the height.
pub fn overview(scene: &Scene, ratio: f64) -> Drawing {
    let parts = parts(scene);
    let number: BTreeMap<&str, usize> =
        parts.iter().enumerate().map(|(at, part)| (&*part.name, at)).collect();
    let mut joins: Vec<(usize, usize, usize)> = Vec::new();
    for (at, link) in scene.links.iter().enumerate() {
        if let (Some(from), Some(to)) = (number.get(&*link.from), number.get(&*link.to))
            && from != to
        {
            joins.push((at, *from, *to));
        }
    }
    joins.sort_by_key(|(at, ..)| (std::cmp::Reverse(total(&scene.links[*at].totals)), *at));
    let (places, curves, bottom) = joined(&parts, &joins, scene, ratio);
    let mut drawing = Drawing::default();
    for (curve, (link, ..)) in curves.iter().zip(&joins) {
        let width = 1.5 + (total(&scene.links[*link].totals) as f64).ln_1p();
        drawing.bundles.push(Bundle { link: *link, curve: curve.clone(), width, label: Point::default() });
    }
    // Servers that no edge joins to others follow below.
    let others: Vec<Size> = parts
        .iter()
        .enumerate()
        .filter(|(at, _)| !places.contains_key(at))
        .map(|(_, part)| part.size)
        .collect();
    let widest = places.values().map(|rect| rect.x + rect.width).fold(0.0, f64::max);
    let mut packed = pack(&others, Point { x: widest, y: bottom }, ratio).into_iter();
    for (at, part) in parts.into_iter().enumerate() {
        if let Some(place) = places.get(&at).copied().or_else(|| packed.next()) {
            drawing.frame(scene, part, place);
        }
    }
    let titles: Vec<Rect> = drawing.frames.iter().map(|frame| frame.rect).collect();
    let curves: Vec<&Curve> = drawing.bundles.iter().map(|bundle| &bundle.curve).collect();
    let labels = labels(&curves, &titles, LABEL.width + 22.0, LABEL.height);
    drawing.bundles.iter_mut().zip(labels).for_each(|(bundle, label)| bundle.label = label);
    drawing.finish(scene);
    drawing
}

/// The servers with their tools, the largest first.
fn parts(scene: &Scene) -> Vec<Part> {
    let server = |tool: usize| scene.tools[tool].id.split_once("__").map_or("", |(server, _)| server);
    let mut tools: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut edges: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for tool in 0..scene.tools.len() {
        tools.entry(server(tool)).or_default().push(tool);
    }
    for (at, edge) in scene.edges.iter().enumerate() {
        if server(edge.from) == server(edge.to) {
            edges.entry(server(edge.from)).or_default().push(at);
        }
    }
    let mut names: BTreeMap<&str, u64> =
        scene.servers.iter().map(|server| (&*server.name, server.tools)).collect();
    for (name, tools) in &tools {
        names.entry(name).or_insert(tools.len() as u64);
    }
    let is_whole = tools.is_empty() || scene.tools.len() > 1;
    let mut parts: Vec<Part> = names
        .iter()
        .filter(|(name, _)| is_whole || tools.contains_key(*name))
        .map(|(name, count)| {
            let own = tools.get(name).map(Vec::as_slice).unwrap_or_default();
            let edges = edges.get(name).cloned().unwrap_or_default();
            let (layout, nodes) = arrange(scene, own, &edges, None, false);
            let inside = scene.links.iter().find(|link| link.from == *name && link.to == *name);
            let height = if own.is_empty() { TITLE } else { TITLE + layout.height + INSIDE };
            Part {
                name: (*name).to_owned(),
                tools: *count,
                inside: inside.map(|link| link.totals).unwrap_or_default(),
                size: Size { width: (layout.width + 2.0 * INSIDE).max(MIN_WIDTH), height },
                layout,
                nodes,
                edges,
            }
        })
        .collect();
    parts.sort_by(|a, b| b.size.height.total_cmp(&a.size.height).then_with(|| a.name.cmp(&b.name)));
    parts
}

type Placed = (BTreeMap<usize, Rect>, Vec<Curve>, f64);

/// Places servers that edges join, in columns. Returns the places, the lines, and the height below.
///
/// A long chain of servers is wide and flat: then neighbouring columns become one, as far as that lets everything be larger
/// in an area of this ratio.
fn joined(parts: &[Part], joins: &[(usize, usize, usize)], scene: &Scene, ratio: f64) -> Placed {
    let mut places: Vec<usize> = joins.iter().flat_map(|(_, from, to)| [*from, *to]).collect();
    places.sort_unstable();
    places.dedup();
    let place = |part: usize| places.binary_search(&part).unwrap_or_default();
    let ends: Vec<(usize, usize)> = joins.iter().map(|(_, from, to)| (place(*from), place(*to))).collect();
    let layers = along(places.len(), &ends);
    let sizes: Vec<Size> = places.iter().map(|part| parts[*part].size).collect();
    let links: Vec<Link> = joins
        .iter()
        .zip(&ends)
        .map(|((link, ..), (from, to))| {
            let weight = total(&scene.links[*link].totals) as f64;
            Link { from: *from, to: *to, out: TITLE / 2.0, into: TITLE / 2.0, weight }
        })
        .collect();
    let columns = layers.iter().max().map_or(0, |last| last + 1);
    let folded = |to: usize| {
        let layers: Vec<usize> = layers.iter().map(|layer| layer * to / columns.max(1)).collect();
        layout(&sizes, &links, &layers, Gaps { columns: 110.0, rows: BETWEEN })
    };
    let area = |part: &Part| (part.size.width + BETWEEN) * (part.size.height + BETWEEN);
    let others: f64 =
        parts.iter().enumerate().filter(|(at, _)| !places.contains(at)).map(|(_, part)| area(part)).sum();
    let needed = |layout: &Layout| {
        let filled = ((layout.width * layout.height + others) / ratio).sqrt();
        (layout.width / ratio).max(layout.height).max(filled)
    };
    let tried = (columns.min(2)..=columns).rev().map(folded);
    let layout = tried.min_by(|a, b| needed(a).total_cmp(&needed(b))).unwrap_or_default();
    let by = Point { x: MARGIN, y: MARGIN };
    let rects = places
        .iter()
        .zip(&layout.tools)
        .zip(&sizes)
        .map(|((part, rect), size)| {
            (
                *part,
                Rect {
                    x: rect.x + by.x,
                    y: rect.y + by.y,
                    width: rect.width,
                    ..Rect { height: size.height, ..*rect }
                },
            )
        })
        .collect();
    let curves = layout.curves.into_iter().map(|curve| curve.moved(by)).collect();
    let bottom = if layout.tools.is_empty() { MARGIN } else { MARGIN + layout.height + BETWEEN };
    (rects, curves, bottom)
}

/// Places servers in rows below what is above `from.y` and ends at `from.x`, so that everything is as large as possible
/// in an area of this ratio.
fn pack(sizes: &[Size], from: Point, ratio: f64) -> Vec<Rect> {
    let area: f64 = sizes.iter().map(|size| (size.width + BETWEEN) * (size.height + BETWEEN)).sum();
    let least = sizes.iter().map(|size| size.width + MARGIN).fold(from.x, f64::max);
    let right = ((area + from.x * from.y) * ratio).sqrt();
    let packed = |width: f64| {
        let mut packed: Vec<Rect> = Vec::with_capacity(sizes.len());
        for size in sizes {
            packed.push(free_place(&packed, *size, from.y, width));
        }
        packed
    };
    // How large everything can be is the inverse of this.
    let needed = |packed: &[Rect]| {
        let end = |end: fn(&Rect) -> f64, least: f64| packed.iter().map(end).fold(least, f64::max);
        (end(|rect| rect.x + rect.width, from.x) / ratio).max(end(|rect| rect.y + rect.height, from.y))
    };
    let tried = ROW_WIDTHS.map(|factor| packed((right * factor).max(least)));
    tried.into_iter().min_by(|a, b| needed(a).total_cmp(&needed(b))).unwrap_or_default()
}

/// The highest free place of this size among other servers, of those the leftmost.
fn free_place(packed: &[Rect], size: Size, top: f64, width: f64) -> Rect {
    let at = |x: f64, y: f64| Rect { x, y, width: size.width, height: size.height };
    let mut xs: Vec<f64> =
        packed.iter().map(|other| other.x + other.width + BETWEEN).chain([MARGIN]).collect();
    let mut ys: Vec<f64> = packed.iter().map(|other| other.y + other.height + BETWEEN).chain([top]).collect();
    for places in [&mut xs, &mut ys] {
        places.sort_by(f64::total_cmp);
        places.dedup();
    }
    let fits = |rect: &Rect| {
        (rect.x <= MARGIN || rect.x + rect.width <= width)
            && !packed.iter().any(|other| rect.meets(other, BETWEEN - 1.0))
    };
    let all = ys.iter().flat_map(|y| xs.iter().map(|x| at(*x, *y)));
    // Below all others there is always room.
    all.into_iter().find(fits).unwrap_or_else(|| at(MARGIN, ys.last().copied().unwrap_or(top)))
}

impl Drawing {
    fn frame(&mut self, scene: &Scene, part: Part, rect: Rect) {
        let at = Point { x: rect.x + INSIDE, y: rect.y + TITLE };
        let room = ((rect.width - 128.0) / 8.0) as usize;
        self.frames.push(Frame {
            title: visible(&part.name, room),
            name: part.name,
            tools: part.tools,
            inside: part.inside,
            rect,
        });
        self.add(scene, part.layout, part.nodes, &part.edges, at);
        self.width = self.width.max(rect.x + rect.width + MARGIN);
        self.height = self.height.max(rect.y + rect.height + MARGIN);
    }
}

#[cfg(test)]
mod tests {
    use schemascope_api::ServerLink;

    use super::super::scene::samples::{edge, view};
    use super::super::scene::{Request, scene};
    use super::*;

    fn link(from: &str, to: &str, seen: u64) -> ServerLink {
        ServerLink { from: from.into(), to: to.into(), totals: EdgeTotals { seen, ..EdgeTotals::default() } }
    }

    #[test]
    fn servers_hold_their_tools_and_do_not_overlap() {
        let mut view = view(vec![
            edge("a__x", "a__y", 0.9, "seen"),
            edge("b__x", "b__y", 0.8, "seen"),
            edge("c__x", "c__y", 0.8, "possible"),
        ]);
        view.links = vec![link("a", "a", 1), link("a", "b", 4), link("b", "b", 1)];
        let scene = scene(&view, &Request::default());
        let drawing = overview(&scene, 1.0);
        assert_eq!((drawing.frames.len(), drawing.bundles.len(), drawing.wires.len()), (3, 1, 3));
        for (at, frame) in drawing.frames.iter().enumerate() {
            assert!(drawing.frames[..at].iter().all(|other| !frame.rect.meets(&other.rect, 0.0)));
        }
        for node in &drawing.nodes {
            let middle = Point { x: node.rect.x + 1.0, y: node.rect.y + 1.0 };
            let inside: Vec<&str> = drawing
                .frames
                .iter()
                .filter(|frame| frame.rect.contains(middle))
                .map(|frame| &*frame.name)
                .collect();
            assert_eq!(inside, [&scene.tools[node.tool].id[..1]]);
        }
        assert_eq!(drawing, overview(&scene, 1.0));
    }

    #[test]
    fn servers_without_edges_are_shown() {
        let mut view = view(Vec::new());
        view.servers = vec![schemascope_api::GraphServer { name: "idle".into(), tools: 4 }];
        let drawing = overview(&scene(&view, &Request::default()), 1.0);
        assert_eq!((drawing.frames.len(), drawing.frames[0].tools), (1, 4));
    }

    #[test]
    fn chain_of_servers_is_folded_where_it_would_be_flat() {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
        let edges = names.map(|name| edge(&format!("{name}__x"), &format!("{name}__y"), 0.9, "seen"));
        let mut view = view(edges.to_vec());
        view.links = names.windows(2).map(|pair| link(pair[0], pair[1], 3)).collect();
        let scene = scene(&view, &Request::default());
        let needed = |ratio: f64| {
            let drawing = overview(&scene, ratio);
            for (at, frame) in drawing.frames.iter().enumerate() {
                assert!(drawing.frames[..at].iter().all(|other| !frame.rect.meets(&other.rect, 0.0)));
            }
            (drawing.width / ratio).max(drawing.height)
        };
        // In one row, it needs as much height as it has width for this ratio.
        let in_a_row = overview(&scene, 1_000.0).width;
        assert!(needed(1.5) < 0.6 * in_a_row / 1.5, "{} {in_a_row}", needed(1.5));
    }

    #[test]
    fn servers_fill_areas_of_any_shape() {
        let pairs = |server: usize| (0..server).map(move |tool| (server, tool));
        let edges = (1..12).flat_map(pairs).map(|(server, tool)| {
            edge(&format!("s{server}__a{tool}"), &format!("s{server}__b{tool}"), 0.9, "seen")
        });
        let view = view(edges.collect());
        let scene = scene(&view, &Request::default());
        for ratio in [0.5, 1.0, 2.0] {
            let drawing = overview(&scene, ratio);
            let used: f64 = drawing.frames.iter().map(|frame| frame.rect.width * frame.rect.height).sum();
            let height = drawing.height.max(drawing.width / ratio);
            assert!(used > 0.45 * height * height * ratio, "{ratio}: {used} of {}", height * height * ratio);
        }
    }
}
