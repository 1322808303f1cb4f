//! An aggregate as a tree in which each value names the question whose answer it came from.

use serde_json::Value;

use super::found::Exchange;
use crate::json::Kind;

/// Most members of an object or items of a list that are shown.
const MAX_MEMBERS: usize = 300;
/// Levels that are shown as a tree; what is below them is shown as JSON.
const MAX_DEPTH: usize = 16;

/// A place in an aggregate.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Its key, or its position in a list.
    pub label: String,
    /// Its value as text; none if there are places below it.
    pub value: Option<(Kind, String)>,
    /// Number of the question, from 1, whose answer gave the value.
    pub question: Option<usize>,
    /// The places below it.
    pub below: Vec<Node>,
    /// Number of further places below it, which are left out.
    pub left_out: usize,
}

/// What an answer says of a place: the number of its question, and the value.
type Source<'a> = (usize, &'a Value);

/// The tree of an aggregate, and the number of places at its top that are left out.
pub fn nodes(aggregate: &Value, exchanges: &[Exchange]) -> (Vec<Node>, usize) {
    let sources: Vec<Source<'_>> =
        exchanges.iter().enumerate().map(|(at, exchange)| (at + 1, &exchange.scr)).collect();
    below(aggregate, &sources, 0)
}

fn below(value: &Value, sources: &[Source<'_>], depth: usize) -> (Vec<Node>, usize) {
    let mut nodes = Vec::new();
    let mut all = 0;
    match value {
        Value::Object(members) => {
            all = members.len();
            for (key, inner) in members.iter().take(MAX_MEMBERS) {
                let within: Vec<Source<'_>> = sources
                    .iter()
                    .filter_map(|(number, source)| Some((*number, source.get(key.as_str())?)))
                    .collect();
                nodes.push(node(key.clone(), inner, &within, depth));
            }
        }
        Value::Array(items) => {
            all = items.len();
            for (at, item) in items.iter().take(MAX_MEMBERS).enumerate() {
                let within: Vec<Source<'_>> = sources
                    .iter()
                    .filter_map(|(number, source)| Some((*number, same_item(source, item)?)))
                    .collect();
                nodes.push(node((at + 1).to_string(), item, &within, depth));
            }
        }
        _ => {}
    }
    let left_out = all - nodes.len();
    (nodes, left_out)
}

fn node(label: String, value: &Value, sources: &[Source<'_>], depth: usize) -> Node {
    let is_parent = match value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    };
    if is_parent && depth < MAX_DEPTH {
        let (below, left_out) = below(value, sources, depth + 1);
        return Node { label, value: None, question: None, below, left_out };
    }
    let said = sources.iter().rev().find(|(_, source)| *source == value).or_else(|| sources.last());
    let question = said.map(|(number, _)| *number);
    Node { label, value: Some(scalar(value)), question, below: Vec::new(), left_out: 0 }
}

/// A value as text.
pub fn scalar(value: &Value) -> (Kind, String) {
    match value {
        Value::String(text) => (Kind::Text, text.clone()),
        Value::Number(number) => (Kind::Number, number.to_string()),
        Value::Bool(_) | Value::Null => (Kind::Word, value.to_string()),
        Value::Array(_) | Value::Object(_) => (Kind::Mark, value.to_string()),
    }
}

/// The item of an answer's list that became this item of the aggregate: the one with its id, else an equal one.
fn same_item<'a>(source: &'a Value, item: &Value) -> Option<&'a Value> {
    let items = source.as_array()?;
    match identity(item) {
        Some((key, id)) => items.iter().find(|other| other.get(key) == Some(id)),
        None => items.iter().find(|other| *other == item),
    }
}

/// The member that identifies an item of a list: its first whose key ends in `-id`.
fn identity(item: &Value) -> Option<(&str, &Value)> {
    let members = item.as_object()?;
    let (key, id) = members.iter().find(|(key, _)| key.ends_with("-id"))?;
    Some((key.as_str(), id))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(scr: Value) -> Exchange {
        Exchange { scr, ..Exchange::default() }
    }

    #[test]
    fn values_name_the_question_they_came_from() {
        let exchanges = [
            answer(json!({"name": "bread", "steps": [{"step-id": "mix"}], "tags": ["a"]})),
            answer(Value::Null),
            answer(
                json!({"steps": [{"step-id": "mix", "minutes": 20}, {"step-id": "bake"}], "tags": ["b", "a"]}),
            ),
        ];
        let aggregate = json!({"name": "bread", "steps": [{"step-id": "mix", "minutes": 20}, {"step-id": "bake"}],
            "tags": ["a", "b"]});
        let (tree, left_out) = nodes(&aggregate, &exchanges);
        assert_eq!(left_out, 0);
        assert_eq!((tree[0].label.as_str(), tree[0].question), ("name", Some(1)));
        assert_eq!(tree[0].value, Some((Kind::Text, "bread".to_owned())));
        let mix = &tree[1].below[0];
        assert_eq!((mix.below[0].question, mix.below[1].question), (Some(3), Some(3)));
        assert_eq!(tree[1].below[1].below[0].question, Some(3));
        assert_eq!(tree[2].below[1].question, Some(3));
        assert_eq!(tree[1].value, None);
    }

    #[test]
    fn long_lists_and_deep_values_are_shortened() {
        let (tree, left_out) = nodes(&json!(vec![0; MAX_MEMBERS + 2]), &[]);
        assert_eq!((tree.len(), left_out, tree[0].question), (MAX_MEMBERS, 2, None));
        let mut deep = json!(1);
        for _ in 0..MAX_DEPTH + 5 {
            deep = json!({ "a": deep });
        }
        let mut level = nodes(&deep, &[]).0;
        let mut depth = 0;
        while let Some(node) = level.pop() {
            depth += 1;
            level = node.below;
        }
        assert_eq!(depth, MAX_DEPTH + 1);
    }
}
