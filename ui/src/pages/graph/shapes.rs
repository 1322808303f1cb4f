//! The parts of the picture as SVG elements. Names of others are text nodes, never markup.

use leptos::prelude::*;
use schemascope_api::Quality;

use super::state::State;
use crate::graph::drawing::{Drawing, LABEL, Node, Wire};
use crate::graph::hit::HANDLE;
use crate::graph::lit::Lit;
use crate::graph::overview::{Bundle, Frame, TITLE};
use crate::graph::rows::{HEAD, Row, RowKind, middle};
use crate::graph::scene::{Scene, SceneTool};
use crate::graph::words::{class, confidence, dashes, mark, marked_totals};
use crate::numbers::count;
use crate::parts::Views;

/// Kinds of edges, each with markers of its own.
const KINDS: [&str; 6] = ["seen", "possible", "broken", "threatened", "lit", "plan"];

/// Number of tools above which a picture has a box and a name for each, and nothing else.
const LARGE: usize = 100;

/// Ends of lines, which say what is known of an edge: a filled arrow, a hollow one, a cross, or an arrow behind a bar.
pub fn markers() -> AnyView {
    let marker = |kind: &'static str| {
        let (class, sign) = match kind {
            "possible" => ("m-ring", "M1 1.2L8.6 5L1 8.8Z"),
            "broken" => ("m-cross", "M1.5 1.5L8.5 8.5M8.5 1.5L1.5 8.5"),
            "threatened" => ("m-dot", "M0 .5H2V9.5H0ZM3 1L9.5 5L3 9Z"),
            _ => ("m-dot", "M1 1L9.5 5L1 9Z"),
        };
        view! {
            <marker id=format!("to-{kind}") viewBox="0 0 10 10" refX="8.5" refY="5" markerWidth="10" markerHeight="10"
                markerUnits="userSpaceOnUse" orient="auto"><path class=format!("{class} {kind}") d=sign /></marker>
        }
        .into_any()
    };
    view! { <defs>{KINDS.into_iter().map(marker).views()}</defs> }.into_any()
}

/// The line of an edge.
pub fn wire(scene: &Scene, wire: &Wire) -> AnyView {
    let edge = &scene.edges[wire.edge].edge;
    let class = class(edge);
    let weak = if edge.confidence < 0.5 { "weak" } else { "" };
    view! {
        <path class=format!("wire {class} {weak}") d=wire.curve.path() stroke-width=format!("{:.1}", wire.width)
            stroke-dasharray=dashes(edge.coverage) marker-end=format!("url(#to-{class})") />
    }
    .into_any()
}

/// The label of an edge: mark and confidence.
pub fn label(scene: &Scene, wire: &Wire) -> Option<AnyView> {
    let at = wire.label?;
    let edge = &scene.edges[wire.edge].edge;
    let mark = if edge.threatened_by.is_empty() { mark(edge) } else { "▲" };
    let text = format!("{mark} {}", confidence(edge.confidence));
    Some(pill(class(edge), at.x, at.y, LABEL.width, text))
}

fn pill(class: &str, x: f64, y: f64, width: f64, text: String) -> AnyView {
    view! {
        <g class=format!("pill {class}") transform=format!("translate({x:.1} {y:.1})")>
            <rect x=-width / 2.0 y=-LABEL.height / 2.0 width=width height=LABEL.height rx="9" />
            <text y="4">{text}</text>
        </g>
    }
    .into_any()
}

/// The tools. Those of large pictures have few elements each.
pub fn nodes(state: State, scene: &Scene, drawing: &Drawing) -> AnyView {
    let is_large = drawing.nodes.len() > LARGE;
    let (plain, others): (Vec<&Node>, Vec<&Node>) =
        drawing.nodes.iter().partition(|node| is_large && scene.focus != Some(node.tool));
    let plain = (!plain.is_empty()).then(|| {
        let all = plain.into_iter().map(|node| plain_node(scene, node)).views();
        view! { <g class="node">{all}</g> }.into_any()
    });
    view! {
        {plain}
        {others.into_iter().map(|one| node(state, scene, one)).views()}
    }
    .into_any()
}

/// A tool as a box with a name.
fn plain_node(scene: &Scene, node: &Node) -> AnyView {
    let rect = node.rect;
    let base = rect.y + rect.height / 2.0 + 4.0;
    let handle = node.handle.map(|at| bare_handle(at.x, at.y, handle_text(&scene.tools[node.tool])));
    view! {
        <rect x=format!("{:.0}", rect.x) y=format!("{:.0}", rect.y) width=rect.width height=rect.height rx="7" />
        <text class="name" x=format!("{:.0}", rect.x + 12.0) y=format!("{base:.0}")>{node.name()}</text>
        {handle}
    }
    .into_any()
}

fn handle_text(tool: &SceneTool) -> String {
    match (tool.is_open, tool.hidden) {
        (true, _) => "−".to_owned(),
        (false, hidden) if hidden > 99 => "+".to_owned(),
        (false, hidden) => format!("+{hidden}"),
    }
}

fn bare_handle(x: f64, y: f64, text: String) -> AnyView {
    view! { <text class="bare-handle" x=format!("{x:.0}") y=format!("{:.0}", y + 4.0)>{text}</text> }
        .into_any()
}

/// A tool. Tools of large pictures have a name only.
fn node(state: State, scene: &Scene, node: &Node) -> AnyView {
    let tool = &scene.tools[node.tool];
    let is_focus = scene.focus == Some(node.tool);
    let (width, height) = (node.rect.width, node.rect.height);
    let class = if is_focus { "node focus" } else { "node" };
    let base = if node.rows.is_empty() { height / 2.0 + 4.0 } else { HEAD / 2.0 + 4.5 };
    let handle = node.handle.map(|at| {
        let text = handle_text(tool);
        let (x, y) = (at.x - node.rect.x, at.y - node.rect.y);
        if node.rows.is_empty() {
            return bare_handle(x, y, text);
        }
        handle(x, y, text)
    });
    let details = (!node.rows.is_empty()).then(|| {
        let rows = node.rows.iter().enumerate().map(|(at, row)| field(at, row)).views();
        let writes =
            (tool.read_only == Some(false)).then(|| view! { <title>"not read-only"</title> }.into_any());
        view! {
            {quality(state, &tool.id, width)}
            <line class="rule" x1="0" x2=width y1=HEAD y2=HEAD />
            {rows}{writes}
        }
        .into_any()
    });
    let server = (!node.title.0.is_empty())
        .then(|| view! { <tspan class="server">{format!("{} / ", node.title.0)}</tspan> }.into_any());
    view! {
        <g class=class transform=format!("translate({:.0} {:.0})", node.rect.x, node.rect.y)>
            <rect width=width height=height rx="7" />
            <text class="name" x="12" y=base>{server}{node.title.1.clone()}</text>
            {details}{handle}
        </g>
    }
    .into_any()
}

fn handle(x: f64, y: f64, text: String) -> AnyView {
    let width = (text.chars().count() as f64 * 6.6 + 8.0).max(HANDLE * 2.0);
    view! {
        <g class="handle" transform=format!("translate({x:.0} {y:.0})")>
            <rect x=-width / 2.0 y=-HANDLE width=width height=HANDLE * 2.0 rx=HANDLE />
            <text y="4">{text}</text>
        </g>
    }
    .into_any()
}

fn field(at: usize, row: &Row) -> AnyView {
    let class = match row.kind {
        RowKind::Title | RowKind::More => "field small",
        RowKind::Input { .. } | RowKind::Output => "field",
    };
    let star = (row.kind == RowKind::Input { required: true })
        .then(|| view! { <tspan class="required">"*"</tspan> }.into_any());
    view! { <text class=class x="12" y=middle(at) + 4.0>{row.text.to_string()}{star}</text> }.into_any()
}

/// The quality of a tool's schema, as three steps.
fn quality(state: State, id: &str, width: f64) -> Option<AnyView> {
    let (quality, violated) =
        state.app.live.picture(|picture| picture.tools.get(id).map(|row| (row.quality, row.violated)))?;
    let steps = match quality {
        _ if violated => 2,
        Quality::None => 0,
        Quality::Low => 1,
        Quality::Medium => 2,
        Quality::High => 3,
    };
    let step = |at: u32| {
        let class = match at {
            at if at >= steps => "step",
            _ if violated => "step violated",
            0 => "step q1",
            1 => "step q2",
            _ => "step q3",
        };
        view! { <rect class=class x=width - 46.0 + f64::from(at) * 12.0 y="13" width="10" height="6" rx="1.5" /> }.into_any()
    };
    Some((0..3).map(step).views().into_any())
}

/// A server around its tools.
pub fn frame(frame: &Frame) -> AnyView {
    let rect = frame.rect;
    let tools = format!("{} {}", count(frame.tools), if frame.tools == 1 { "tool" } else { "tools" });
    let inside = marked_totals(&frame.inside);
    let counts = if inside.is_empty() { tools } else { format!("{tools} · {inside}") };
    view! {
        <g class="frame" transform=format!("translate({:.0} {:.0})", rect.x, rect.y)>
            <rect width=rect.width height=rect.height rx="9" />
            <text class="name" x="14" y=TITLE / 2.0 + 5.0>{frame.title.clone()}</text>
            <text class="counts" x=rect.width - 14.0 y=TITLE / 2.0 + 5.0>{counts}</text>
        </g>
    }
    .into_any()
}

/// The edges between two servers.
pub fn bundle(scene: &Scene, bundle: &Bundle) -> AnyView {
    let totals = scene.links.get(bundle.link).map(|link| link.totals).unwrap_or_default();
    let class = if totals.seen > 0 { "seen" } else { "possible" };
    let text = marked_totals(&totals);
    let width = text.chars().count() as f64 * 6.4 + 16.0;
    view! {
        <path class=format!("wire {class}") d=bundle.curve.path() stroke-width=format!("{:.1}", bundle.width)
            marker-end=format!("url(#to-{class})") />
        {pill(class, bundle.label.x, bundle.label.y, width, text)}
    }
    .into_any()
}

/// The labels of the edges that stand out.
pub fn lit_labels(scene: &Scene, drawing: &Drawing, lit: &Lit) -> AnyView {
    let wires = drawing.wires.iter().filter(|wire| lit.lines.iter().any(|line| line.edge == wire.edge));
    let label =
        |wire: &Wire| label(scene, wire).map(|label| view! { <g class="chosen">{label}</g> }.into_any());
    view! { {wires.filter_map(label).views()} }.into_any()
}

/// What stands out, drawn over the rest.
pub fn lit(scene: &Scene, drawing: &Drawing, lit: &Lit) -> AnyView {
    let line = |line: &crate::graph::lit::LitLine| {
        let edge = &scene.edges[line.edge].edge;
        let confidence = edge.fields.get(line.field).map_or(edge.confidence, |field| field.confidence);
        let kind = if line.of_plan { "plan" } else { "lit" };
        let broken = edge.fields.get(line.field).is_some_and(|field| field.broken);
        let kind = if broken { "broken" } else { kind };
        view! {
            <path class=format!("wire {kind}") d=line.curve.path()
                stroke-width=format!("{:.1}", crate::graph::drawing::line_width(confidence) + 0.6)
                stroke-dasharray=dashes(edge.coverage) marker-end=format!("url(#to-{kind})") />
        }
        .into_any()
    };
    let outline = |node: &usize| {
        let rect = drawing.nodes[*node].rect;
        view! { <rect class="outline" x=rect.x y=rect.y width=rect.width height=rect.height rx="7" /> }
            .into_any()
    };
    view! { {lit.lines.iter().map(line).views()}{lit.nodes.iter().map(outline).views()} }.into_any()
}
