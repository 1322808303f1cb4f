//! Estimate of how likely the next document has a field or a type that no document had before.

use crate::emit::MapValues;
use crate::node::{Id, Type};
use crate::tree::ROOT;
use crate::view::View;

/// Returns the chance that the next of `documents` has a new field or type: the number of fields and types that one
/// document has, divided by the number of documents (Good 1953). A map's keys are data, so only its values count.
/// Fields inside a field that one document has came with it, and do not count again.
pub(crate) fn chance(tree: View<'_>, documents: u64) -> f64 {
    (seen_once(tree, ROOT) as f64 / documents.max(1) as f64).min(1.0)
}

fn seen_once(tree: View<'_>, id: Id) -> u64 {
    let node = tree.node(id);
    if node.documents == 1 {
        return 1;
    }
    let is_rare = |kind: &Type| node.count(*kind) == 1;
    let types = Type::ALL.iter().filter(|kind| is_rare(kind)).count() as u64;
    let fields: u64 = match MapValues::of(tree, id) {
        Some(values) => {
            let (tree, id) = values.node();
            seen_once(tree, id)
        }
        None => tree.fields(id).map(|(_, field)| seen_once(tree, field)).sum(),
    };
    types + fields + tree.items(id).map_or(0, |items| seen_once(tree, items))
}

#[cfg(test)]
mod tests {
    use crate::Shape;

    fn unseen(documents: impl Iterator<Item = String>) -> f64 {
        let mut shape = Shape::default();
        documents.for_each(|document| shape.observe(document.as_bytes()).unwrap());
        shape.unseen().unwrap()
    }

    #[test]
    fn new_keys_of_a_map_are_no_new_structure() {
        let stock = |n: u32| {
            let items: Vec<_> =
                (0..9).map(|i| format!(r#""{:06}-x{}":{}"#, n * 9 + i, n * 7 + i, i)).collect();
            format!(r#"{{"stock":{{{}}},"at":1}}"#, items.join(","))
        };
        let chance = unseen((0..250).map(stock));
        assert!(chance < 0.01, "{chance}");
    }

    #[test]
    fn fields_of_one_document_count_once_with_their_content() {
        let document = |n: u32| match n {
            7 => r#"{"a":1,"b":{"c":1,"d":[{"e":1}]}}"#.to_owned(),
            _ => r#"{"a":1}"#.to_owned(),
        };
        assert!((unseen((0..100).map(document)) - 0.01).abs() < 1e-9);
    }

    #[test]
    fn structure_of_a_single_document_is_new() {
        assert!((unseen(std::iter::once(r#"{"a":1}"#.to_owned())) - 1.0).abs() < 1e-9);
    }
}
