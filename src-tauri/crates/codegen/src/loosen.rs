//! What a rule that is left out means for the rules around it: no valid value may be rejected because of it.
//!
//! A part that is left out makes a schema accept more. Under `not`, `if`, `oneOf`, `maxContains` and `unevaluated…` a
//! schema that accepts more makes the whole accept less, so such keywords are left out as well.

use std::collections::HashSet;

use serde_json::Value;

use crate::graph::{Graph, Index};

/// Marks a node that accepts more than its schema.
const LOOSE: &str = "!loose";
/// Marks a node of which it is unknown which fields are additional.
const OPEN: &str = "!open";

/// Marks a node of which something was left out.
pub(crate) fn mark(graph: &mut Graph, at: Index) {
    graph.nodes[at].keywords.insert(LOOSE.to_owned(), Value::Bool(true));
}

/// Marks a node of which a pattern of names was left out.
pub(crate) fn mark_open(graph: &mut Graph, at: Index) {
    graph.nodes[at].keywords.insert(OPEN.to_owned(), Value::Bool(true));
}

/// Leaves out references that lead back without a step into the value, and whatever depends on a part that was left
/// out.
pub(crate) fn loosen(graph: &mut Graph) {
    cut_cycles(graph);
    for at in 0..graph.nodes.len() {
        if graph.nodes[at].keywords.shift_remove(OPEN).is_some() {
            remove(graph, at, "additionalProperties");
        }
    }
    loop {
        let loose: Vec<bool> = spread(graph);
        let mut changed = false;
        for at in 0..graph.nodes.len() {
            let node = &graph.nodes[at];
            let is_loose = |child: Option<Index>| child.is_some_and(|child| loose[child]);
            let mut drop = Vec::new();
            if is_loose(node.one("not")) {
                drop.push("not");
            }
            if is_loose(node.one("if")) {
                drop.extend(["then", "else", "if"].into_iter().filter(|keyword| node.has(keyword)));
            }
            if is_loose(node.one("contains")) && node.has("maxContains") {
                drop.push("maxContains");
            }
            let unknown = is_loose_in_place(graph, at, &loose);
            drop.extend(
                ["unevaluatedProperties", "unevaluatedItems"]
                    .into_iter()
                    .filter(|keyword| unknown && node.has(keyword)),
            );
            let either = node.list("oneOf").into_iter().any(|child| loose[child]);
            for keyword in drop {
                remove(graph, at, keyword);
                changed = true;
            }
            if either {
                let list = graph.nodes[at].keywords.shift_remove("oneOf").unwrap_or_default();
                if !graph.nodes[at].has("anyOf") {
                    graph.nodes[at].keywords.insert("anyOf".to_owned(), list);
                }
                graph.leave_out(at, "oneOf", "an alternative cannot be checked");
                mark(graph, at);
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    for node in &mut graph.nodes {
        node.keywords.shift_remove(LOOSE);
    }
}

fn remove(graph: &mut Graph, at: Index, keyword: &str) {
    if graph.nodes[at].keywords.shift_remove(keyword).is_some() {
        graph.leave_out(at, keyword, "it depends on a part that cannot be checked");
        mark(graph, at);
    }
}

/// Which nodes accept more than their schemas, directly or through others.
fn spread(graph: &Graph) -> Vec<bool> {
    let mut above: Vec<Vec<Index>> = vec![Vec::new(); graph.nodes.len()];
    for (at, node) in graph.nodes.iter().enumerate() {
        for (_, _, child) in node.children() {
            above[child].push(at);
        }
    }
    let mut loose = vec![false; graph.nodes.len()];
    let mut open: Vec<Index> = (0..graph.nodes.len()).filter(|at| graph.nodes[*at].has(LOOSE)).collect();
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut loose[at], true) {
            open.extend(&above[at]);
        }
    }
    loose
}

/// Whether a part that applies to the same value is loose.
fn is_loose_in_place(graph: &Graph, at: Index, loose: &[bool]) -> bool {
    if graph.nodes[at].has(LOOSE) {
        return true;
    }
    graph.nodes[at].children().iter().any(|(_, in_place, child)| *in_place && loose[*child])
}

/// Removes references that close a circle of schemas for the same value.
fn cut_cycles(graph: &mut Graph) {
    let mut done = HashSet::new();
    for root in 0..graph.nodes.len() {
        // Nodes on the way, each with its children that are still to be visited.
        let mut way: Vec<(Index, Vec<(&'static str, Index)>)> = Vec::new();
        let mut on_way = HashSet::new();
        let mut next = (!done.contains(&root)).then_some(root);
        loop {
            if let Some(at) = next.take() {
                let in_place = graph.nodes[at].children().into_iter().filter(|(_, in_place, _)| *in_place);
                way.push((at, in_place.map(|(keyword, _, child)| (keyword, child)).collect()));
                on_way.insert(at);
            }
            let Some((at, children)) = way.last_mut() else { break };
            let at = *at;
            match children.pop() {
                Some((keyword, child)) if on_way.contains(&child) => {
                    graph.nodes[at].keywords.shift_remove(keyword);
                    let written = if keyword == "ref" { "$ref" } else { keyword };
                    graph.leave_out(at, written, "it leads back to itself");
                    mark(graph, at);
                    if let Some((_, children)) = way.last_mut() {
                        children.retain(|(other, _)| *other != keyword);
                    }
                }
                Some((_, child)) if !done.contains(&child) => next = Some(child),
                Some(_) => {}
                None => {
                    way.pop();
                    on_way.remove(&at);
                    done.insert(at);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::compile::{Options, compile};

    fn left_out(schema: &serde_json::Value) -> Vec<(String, String)> {
        let pattern = |text: &str| (text != "?").then(|| text.to_owned());
        let graph = compile(schema, Options { optional: false, pattern });
        graph.unchecked.into_iter().map(|rule| (rule.path, rule.keyword)).collect()
    }

    #[test]
    fn references_without_end_are_left_out() {
        let out = |schema: serde_json::Value| {
            left_out(&schema).into_iter().map(|(_, keyword)| keyword).collect::<Vec<_>>()
        };
        assert_eq!(out(json!({"$ref": "#"})), ["$ref"]);
        assert_eq!(out(json!({"allOf": [{"$ref": "#"}]})), ["$ref"]);
        assert_eq!(out(json!({"properties": {"a": {"$ref": "#"}}})), [""; 0]);
        assert_eq!(
            out(
                json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}})
            ),
            ["$ref"]
        );
    }

    /// Where fields need not be there, what requires them allows more, and rejected valid values through what is around
    /// it.
    #[test]
    fn optional_fields_loosen_what_is_around_them() {
        let compiled = |schema: serde_json::Value| {
            let graph =
                compile(&schema, Options { optional: true, pattern: |text: &str| Some(text.to_owned()) });
            let root = &graph.nodes[0].keywords;
            root.iter().map(|(keyword, _)| keyword.clone()).collect::<Vec<_>>()
        };
        let needs = |name: &str| json!({"required": [name]});
        assert_eq!(compiled(json!({"oneOf": [needs("card"), needs("voucher")]})), ["anyOf"]);
        assert_eq!(compiled(json!({"not": needs("error")})), [""; 0]);
        assert_eq!(compiled(json!({"if": needs("card"), "then": {"minProperties": 2}})), [""; 0]);
        assert_eq!(compiled(json!({"not": {"dependentRequired": {"a": ["b"]}}})), [""; 0]);
        assert_eq!(compiled(json!({"oneOf": [{"type": "string"}, {"type": "null"}]})), ["oneOf"]);
    }

    #[test]
    fn what_depends_on_an_unknown_part_is_left_out() {
        let out = |schema: serde_json::Value| {
            left_out(&schema).into_iter().map(|(_, keyword)| keyword).collect::<Vec<_>>()
        };
        let unknown = json!({"$ref": "#/nowhere"});
        assert_eq!(out(json!({"not": {"properties": {"a": unknown}}})), ["not", "$ref"]);
        assert_eq!(out(json!({"oneOf": [unknown, {"type": "string"}]})), ["oneOf", "$ref"]);
        assert_eq!(out(json!({"if": unknown, "then": false, "else": true})), ["else", "if", "then", "$ref"]);
        assert_eq!(out(json!({"allOf": [unknown], "unevaluatedItems": false})), ["unevaluatedItems", "$ref"]);
        assert_eq!(out(json!({"properties": {"a": unknown}, "unevaluatedItems": false})), ["$ref"]);
        assert_eq!(
            out(json!({"patternProperties": {"?": true}, "additionalProperties": false})),
            ["additionalProperties", "patternProperties"]
        );
    }
}
