//! The picture as a file: SVG, and Mermaid.

use std::fmt::Write;

use schemascope_api::{EdgeCoverage, EdgeState};

use super::drawing::{Drawing, LABEL};
use super::rows::{HEAD, RowKind, middle};
use super::scene::Scene;
use super::words::{class, confidence, dashes, field, mark, marked_totals};
use crate::text::visible;

/// Colours of a picture, as CSS writes them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Colours {
    /// Behind everything.
    pub back: String,
    /// Boxes.
    pub box_: String,
    /// Borders.
    pub line: String,
    /// Text.
    pub text: String,
    /// Text of less weight, and possible edges.
    pub faint: String,
    /// The tool in the middle.
    pub accent: String,
    /// Edges that were seen.
    pub seen: String,
    /// Broken edges.
    pub broken: String,
    /// Threatened edges.
    pub threatened: String,
}

/// The picture as SVG. It contains no scripts and refers to no other file.
pub fn svg(scene: &Scene, drawing: &Drawing, colours: &Colours) -> String {
    let (width, height) = (drawing.width, drawing.height);
    let c = colours;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\">\n<style>text{{font:12px \"JetBrains Mono\",\"DejaVu Sans Mono\",monospace;fill:{}}}\
         .faint{{fill:{}}}.small{{font-size:11px}}.box{{fill:{};stroke:{}}}.focus{{stroke:{};stroke-width:2}}.line{{fill:none}}\
         .seen{{stroke:{}}}.possible{{stroke:{}}}.broken{{stroke:{}}}.threatened{{stroke:{}}}\
         .label{{fill:{}}}.end{{text-anchor:middle}}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
        c.text, c.faint, c.box_, c.line, c.accent, c.seen, c.faint, c.broken, c.threatened, c.back, c.back
    );
    let _ = writeln!(
        out,
        "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
         markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0L8 4L0 8Z\" fill=\"{}\"/></marker></defs>",
        c.faint
    );
    for frame in &drawing.frames {
        rect(&mut out, "box", frame.rect.x, frame.rect.y, frame.rect.width, frame.rect.height, 8.0);
        text(&mut out, "", frame.rect.x + 12.0, frame.rect.y + 21.0, &frame.title);
    }
    for bundle in &drawing.bundles {
        line(&mut out, "possible", &bundle.curve.path(), bundle.width, None);
        let totals = scene.links.get(bundle.link).map(|link| marked_totals(&link.totals)).unwrap_or_default();
        text(&mut out, "small end", bundle.label.x, bundle.label.y + 4.0, &totals);
    }
    for wire in &drawing.wires {
        let edge = &scene.edges[wire.edge].edge;
        line(&mut out, class(edge), &wire.curve.path(), wire.width, dashes(edge.coverage));
    }
    for node in &drawing.nodes {
        let (x, y) = (node.rect.x, node.rect.y);
        let is_focus = scene.focus == Some(node.tool);
        rect(
            &mut out,
            if is_focus { "box focus" } else { "box" },
            x,
            y,
            node.rect.width,
            node.rect.height,
            7.0,
        );
        let base = y + if node.rows.is_empty() { node.rect.height / 2.0 + 4.0 } else { HEAD / 2.0 + 5.0 };
        text(&mut out, "", x + 12.0, base, &node.name());
        for (at, row) in node.rows.iter().enumerate() {
            let is_faint = matches!(row.kind, RowKind::Title | RowKind::More);
            let star = if row.kind == (RowKind::Input { required: true }) { "*" } else { "" };
            let class = if is_faint { "faint small" } else { "" };
            text(&mut out, class, x + 12.0, y + middle(at) + 4.0, &format!("{}{star}", row.text));
        }
    }
    for wire in &drawing.wires {
        let Some(label) = wire.label else { continue };
        let edge = &scene.edges[wire.edge].edge;
        let (x, y) = (label.x - LABEL.width / 2.0, label.y - LABEL.height / 2.0);
        rect(&mut out, &format!("label {}", class(edge)), x, y, LABEL.width, LABEL.height, 9.0);
        text(
            &mut out,
            "small end",
            label.x,
            label.y + 4.0,
            &format!("{} {}", mark(edge), confidence(edge.confidence)),
        );
    }
    out += "</svg>\n";
    out
}

fn rect(out: &mut String, class: &str, x: f64, y: f64, width: f64, height: f64, radius: f64) {
    let _ = writeln!(
        out,
        "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{radius:.1}\"/>"
    );
}

fn line(out: &mut String, class: &str, path: &str, width: f64, dashes: Option<&str>) {
    let dashes = dashes.map(|dashes| format!(" stroke-dasharray=\"{dashes}\"")).unwrap_or_default();
    let _ = writeln!(
        out,
        "<path class=\"line {class}\" d=\"{path}\" stroke-width=\"{width:.1}\"{dashes} marker-end=\"url(#arrow)\"/>"
    );
}

fn text(out: &mut String, class: &str, x: f64, y: f64, text: &str) {
    let _ = writeln!(out, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(text));
}

/// A text in XML: what has a meaning there is escaped, and what misleads or XML does not allow is shown by its code.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text, 400).chars() {
        match c {
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '&' => out += "&amp;",
            '"' => out += "&quot;",
            '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}

/// The edges that are shown, as a Mermaid flowchart. Lines are solid, dotted or thick by what is known of an edge.
pub fn mermaid(scene: &Scene) -> String {
    let mut out = String::from("flowchart LR\n");
    for (at, tool) in scene.tools.iter().enumerate() {
        let _ = writeln!(out, "  t{at}[\"{}\"]", quoted(&super::words::tool(&tool.id)));
    }
    for known in &scene.edges {
        let edge = &known.edge;
        let arrow = match edge.state {
            EdgeState::Seen => "-->",
            EdgeState::Possible => "-.->",
            EdgeState::Broken => "--x",
        };
        let coverage = match edge.coverage {
            EdgeCoverage::Strict => "",
            EdgeCoverage::Partial => ", partial",
            EdgeCoverage::Optional => ", optional",
        };
        let label = edge.fields.first().map(field).unwrap_or_default();
        let label = format!("{} {} {label}{coverage}", mark(edge), confidence(edge.confidence));
        let _ = writeln!(out, "  t{} {arrow}|\"{}\"| t{}", known.from, quoted(&label), known.to);
    }
    out
}

/// A text between Mermaid's quotation marks. Everything but letters, digits and harmless marks becomes a code.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text, 200).chars() {
        if c.is_alphanumeric() || " _-./,→●○✕…".contains(c) {
            out.push(c);
        } else {
            let _ = write!(out, "#{};", u32::from(c));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::drawing::drawing;
    use super::super::scene::samples::{around, edge, view};
    use super::super::scene::scene;
    use super::*;

    fn hostile() -> Scene {
        let name = "s__<img src=x onerror=alert(1)>\"]\n\u{202E}&";
        scene(
            &view(vec![edge(name, "s__b", 0.9, "seen"), edge("s__b", "s__c", 0.6, "broken")]),
            &around("s__b"),
        )
    }

    #[test]
    fn svg_holds_names_as_text() {
        let scene = hostile();
        let svg = svg(&scene, &drawing(&scene), &Colours::default());
        assert!(!svg.contains("<img") && svg.contains("&lt;img") && !svg.contains('\u{202E}'));
        assert_eq!(svg.matches("<path class=\"line").count(), 2);
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn mermaid_holds_names_as_text() {
        let text = mermaid(&hostile());
        assert!(!text.contains('<') && text.matches('"').count() == 2 * 5, "{text}");
        assert!(text.contains("--x|") && text.starts_with("flowchart LR\n"));
        assert_eq!(text.lines().count(), 1 + 3 + 2);
    }
}
