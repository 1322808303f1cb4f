//! Walking through the graph with the arrow keys, along edges.

use super::drawing::Drawing;
use super::scene::Scene;

/// What is selected, by the ids of tools, so that the selection outlives new data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// A tool.
    Tool(String),
    /// An edge: the tool that gives and the one that takes.
    Edge(String, String),
}

/// Direction of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Against the edges.
    Left,
    /// Along the edges.
    Right,
    /// To what is above.
    Up,
    /// To what is below.
    Down,
}

/// The selection after a step in the picture. From a tool, left and right lead to its strongest edge, from an edge
/// to the tool at its end. Up and down lead to the tools of the same column, and to the edges of the same tool:
/// `pivot` is the tool from which an edge was reached.
pub fn walk(
    scene: &Scene,
    drawing: &Drawing,
    from: Option<&Selection>,
    pivot: Option<&str>,
    step: Step,
) -> Option<Selection> {
    let tool = |tool: usize| Selection::Tool(scene.tools[tool].id.to_string());
    let edge = |at: usize| {
        let edge = &scene.edges[at].edge;
        Selection::Edge(edge.from.to_string(), edge.to.to_string())
    };
    match from {
        None => scene.focus.or_else(|| (!scene.tools.is_empty()).then_some(0)).map(tool),
        Some(Selection::Tool(id)) => {
            let own = scene.tool(id)?;
            match step {
                Step::Right => scene.edges.iter().position(|edge| edge.from == own).map(edge),
                Step::Left => scene.edges.iter().position(|edge| edge.to == own).map(edge),
                Step::Up | Step::Down => beside(drawing, own, step == Step::Down).map(tool),
            }
        }
        Some(Selection::Edge(giver, taker)) => {
            let own = scene.edge(giver, taker)?;
            match step {
                Step::Right => Some(tool(scene.edges[own].to)),
                Step::Left => Some(tool(scene.edges[own].from)),
                Step::Up | Step::Down => {
                    let is_taker = pivot == Some(taker.as_str()) && giver != taker;
                    let (from, to) = (scene.edges[own].from, scene.edges[own].to);
                    let is_same = |at: &usize| {
                        if is_taker { scene.edges[*at].to == to } else { scene.edges[*at].from == from }
                    };
                    let all: Vec<usize> = (0..scene.edges.len()).filter(is_same).collect();
                    let at = all.iter().position(|at| *at == own)?;
                    next(at, all.len(), step == Step::Down).map(|at| edge(all[at]))
                }
            }
        }
    }
}

/// The edge that follows another one: the strongest that its taker feeds, or that feeds its giver.
pub fn follow(scene: &Scene, giver: &str, taker: &str, step: Step) -> Option<(String, String)> {
    let found = scene.edges.iter().find(|known| match step {
        Step::Right => &*known.edge.from == taker && &*known.edge.to != taker,
        Step::Left => &*known.edge.to == giver && &*known.edge.from != giver,
        Step::Up | Step::Down => false,
    })?;
    Some((found.edge.from.to_string(), found.edge.to.to_string()))
}

/// The tool above or below in the same column.
fn beside(drawing: &Drawing, tool: usize, down: bool) -> Option<usize> {
    let own = drawing.nodes.iter().find(|node| node.tool == tool)?.rect;
    let mut column: Vec<_> = drawing.nodes.iter().filter(|node| (node.rect.x - own.x).abs() < 1.0).collect();
    column.sort_by(|a, b| a.rect.y.total_cmp(&b.rect.y));
    let at = column.iter().position(|node| node.tool == tool)?;
    next(at, column.len(), down).map(|at| column[at].tool)
}

fn next(at: usize, count: usize, down: bool) -> Option<usize> {
    if down { (at + 1 < count).then_some(at + 1) } else { at.checked_sub(1) }
}

#[cfg(test)]
mod tests {
    use super::super::drawing::drawing;
    use super::super::scene::samples::{around, edge, view};
    use super::super::scene::scene;
    use super::*;

    #[test]
    fn arrows_walk_along_edges() {
        let view = view(vec![
            edge("s__a", "s__b", 0.9, "seen"),
            edge("s__b", "s__c", 0.8, "seen"),
            edge("s__b", "s__d", 0.7, "seen"),
        ]);
        let scene = scene(&view, &around("s__b"));
        let drawing = drawing(&scene);
        let mut at = walk(&scene, &drawing, None, None, Step::Right);
        assert_eq!(at, Some(Selection::Tool("s__b".into())));
        for (step, expect) in [
            (Step::Right, Selection::Edge("s__b".into(), "s__c".into())),
            (Step::Down, Selection::Edge("s__b".into(), "s__d".into())),
            (Step::Right, Selection::Tool("s__d".into())),
            (Step::Up, Selection::Tool("s__c".into())),
            (Step::Left, Selection::Edge("s__b".into(), "s__c".into())),
            (Step::Left, Selection::Tool("s__b".into())),
            (Step::Left, Selection::Edge("s__a".into(), "s__b".into())),
        ] {
            at = walk(&scene, &drawing, at.as_ref(), Some("s__b"), step);
            assert_eq!(at.as_ref(), Some(&expect), "{step:?}");
        }
        assert_eq!(walk(&scene, &drawing, Some(&Selection::Tool("s__gone".into())), None, Step::Up), None);
        assert_eq!(follow(&scene, "s__a", "s__b", Step::Right), Some(("s__b".into(), "s__c".into())));
        assert_eq!(follow(&scene, "s__a", "s__b", Step::Left), None);
    }
}
