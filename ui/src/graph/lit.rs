//! What stands out: the edges under the pointer, the selected ones and those of a plan, field by field.

use super::drawing::Drawing;
use super::hit::Hit;
use super::route::Curve;
use super::scene::Scene;
use super::walk::Selection;

/// A line that stands out.
#[derive(Debug, Clone, PartialEq)]
pub struct LitLine {
    /// Number of the edge in the scene.
    pub edge: usize,
    /// Number of the edge's field.
    pub field: usize,
    /// The line.
    pub curve: Curve,
    /// Whether it belongs to the plan.
    pub of_plan: bool,
}

/// What stands out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lit {
    /// Lines, in the order they are drawn.
    pub lines: Vec<LitLine>,
    /// Tools, by their number in the drawing.
    pub nodes: Vec<usize>,
    /// The edge that is described beside the pointer.
    pub tip: Option<usize>,
}

/// Finds what stands out.
pub fn lit(
    scene: &Scene,
    drawing: &Drawing,
    hovered: Option<Hit>,
    selection: Option<&Selection>,
    chain: &[(String, String)],
) -> Lit {
    let mut lit = Lit::default();
    let mut tools: Vec<usize> = Vec::new();
    for (from, to) in chain {
        if let Some(edge) = scene.edge(from, to) {
            lit.add(scene, drawing, edge, true);
            tools.extend([scene.edges[edge].from, scene.edges[edge].to]);
        }
    }
    let mut edges = Vec::new();
    match selection {
        Some(Selection::Edge(from, to)) => edges.extend(scene.edge(from, to)),
        Some(Selection::Tool(id)) => {
            let own = scene.tool(id);
            tools.extend(own);
            edges.extend(own.into_iter().flat_map(|own| of_tool(scene, own)));
        }
        None => {}
    }
    match hovered {
        Some(Hit::Wire(wire)) => {
            lit.tip = drawing.wires.get(wire).map(|wire| wire.edge);
            edges.extend(lit.tip);
        }
        Some(Hit::Node(node)) => {
            if let Some(node) = drawing.nodes.get(node) {
                tools.push(node.tool);
                edges.extend(of_tool(scene, node.tool));
            }
        }
        _ => {}
    }
    for edge in edges {
        if !lit.lines.iter().any(|line| line.edge == edge) {
            lit.add(scene, drawing, edge, false);
            tools.extend([scene.edges[edge].from, scene.edges[edge].to]);
        }
    }
    lit.nodes = (0..drawing.nodes.len()).filter(|node| tools.contains(&drawing.nodes[*node].tool)).collect();
    lit
}

fn of_tool(scene: &Scene, tool: usize) -> impl Iterator<Item = usize> + '_ {
    (0..scene.edges.len())
        .filter(move |edge| scene.edges[*edge].from == tool || scene.edges[*edge].to == tool)
}

impl Lit {
    fn add(&mut self, scene: &Scene, drawing: &Drawing, edge: usize, of_plan: bool) {
        let lines = drawing.fields(scene, edge).into_iter();
        self.lines.extend(lines.map(|(field, curve)| LitLine { edge, field, curve, of_plan }));
    }
}

#[cfg(test)]
mod tests {
    use super::super::drawing::drawing;
    use super::super::scene::samples::{around, edge, view};
    use super::super::scene::scene;
    use super::*;

    #[test]
    fn pointer_selection_and_plan_stand_out_together() {
        let view = view(vec![
            edge("s__a", "s__b", 0.9, "seen"),
            edge("s__b", "s__c", 0.8, "seen"),
            edge("s__d", "s__b", 0.7, "possible"),
        ]);
        let scene = scene(&view, &around("s__b"));
        let drawing = drawing(&scene);
        let chain = [("s__a".to_owned(), "s__b".to_owned())];
        let selected = Selection::Edge("s__b".into(), "s__c".into());
        let all = lit(&scene, &drawing, Some(Hit::Wire(2)), Some(&selected), &chain);
        assert_eq!(
            all.lines.iter().map(|line| (line.edge, line.of_plan)).collect::<Vec<_>>(),
            [(0, true), (1, false), (2, false)]
        );
        assert_eq!((all.nodes.len(), all.tip), (4, Some(2)));
        assert_eq!(lit(&scene, &drawing, Some(Hit::Node(0)), None, &[]).lines.len(), 3);
        assert_eq!(lit(&scene, &drawing, None, None, &[]), Lit::default());
    }
}
