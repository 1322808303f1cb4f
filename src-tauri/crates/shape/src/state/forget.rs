//! Removal of secrets that were counted before a rule identified them.
//!
//! Counts, types and lengths stay; values are removed, and with them the conclusions from them. The
//! written form is changed, because a field may get another name there.

use std::collections::BTreeSet;

use super::{Gathers, InvalidState, WrittenNode};
use crate::keys::{REDACTED, may_be_kept};
use crate::secrets::Secrets;
use crate::shape::Shape;
use crate::values::{Numbers, Strings};

impl Shape {
    /// Returns the same shape without secrets, or `None` if it has none. A field whose name is a
    /// secret is renamed.
    pub fn without_secrets(&self, secrets: &dyn Secrets) -> Result<Option<Self>, InvalidState> {
        let mut state = self.written(Some(self.tree.key), self.tree.veil.clone());
        let sensitive = sensitive_nodes(&state.nodes, secrets);
        let mut forgot = false;
        for at in 0..state.nodes.len() {
            forgot |= forget_tags(&mut state.nodes, at, &sensitive, secrets);
        }
        for (node, is_sensitive) in state.nodes.iter_mut().zip(&sensitive) {
            forgot |= forget_values(node, *is_sensitive, secrets);
        }
        forgot |= rename(&mut state.nodes, secrets);
        if forgot { Self::of_written(state).map(Some) } else { Ok(None) }
    }
}

/// Returns for each node whether its own name, or one above it, marks it as a secret. Of members that are counted
/// together, the names are those of their siblings; if not all were kept, any of them may be a secret.
fn sensitive_nodes(nodes: &[WrittenNode], secrets: &dyn Secrets) -> Vec<bool> {
    // Whether a node is sensitive, and whether one of its members so far is, or may be.
    let mut above: Vec<(bool, bool)> = Vec::new();
    let is_sensitive = |node: &WrittenNode| {
        above.truncate(node.depth);
        let is_secret = node.name.as_ref().is_some_and(|name| secrets.key(name));
        let is_member = matches!(node.gathers, Some(Gathers::Members));
        let (inherited, member) = above.last().copied().unwrap_or_default();
        let is_sensitive = inherited || is_secret || is_member && member;
        if let Some((_, member)) = above.last_mut() {
            *member |= is_secret;
        }
        above.push((is_sensitive, !node.other.is_empty()));
        is_sensitive
    };
    nodes.iter().map(is_sensitive).collect()
}

fn forget_values(node: &mut WrittenNode, is_sensitive: bool, secrets: &dyn Secrets) -> bool {
    let is_secret = |value: &str| is_sensitive || secrets.text(value).is_some();
    let strings = node.strings.as_deref_mut().is_some_and(|strings| strings.forget(is_secret));
    // A range consists of values.
    let numbers = node.numbers.as_deref().is_some_and(|numbers| numbers.holds(is_secret));
    if numbers {
        node.numbers = None;
    }
    strings || numbers
}

impl Strings {
    fn forget(&mut self, is_secret: impl Fn(&str) -> bool) -> bool {
        let Some(times) = self.distinct.forget(is_secret) else { return false };
        self.redacted += times;
        self.be_free();
        true
    }
}

impl Numbers {
    fn holds(&self, is_secret: impl Fn(&str) -> bool) -> bool {
        self.distinct.examples().into_iter().any(&is_secret)
            || self
                .distinct
                .values()
                .is_some_and(|values| values.into_iter().any(|(value, _)| is_secret(value)))
    }
}

/// Removes the joint counts by a field's values if one of these is a secret.
fn forget_tags(nodes: &mut [WrittenNode], at: usize, sensitive: &[bool], secrets: &dyn Secrets) -> bool {
    let mut tags = std::mem::take(&mut nodes[at].tags);
    if tags.is_empty() {
        return false;
    }
    let depth = nodes[at].depth;
    let below = nodes[at + 1..].iter().zip(&sensitive[at + 1..]).take_while(|(node, _)| node.depth > depth);
    let fields = below.filter(|(node, _)| node.depth == depth + 1 && node.name.is_some());
    let fields: Vec<bool> = fields.map(|(_, is_sensitive)| *is_sensitive).collect();
    let mut forgot = false;
    for field in &mut tags {
        let is_sensitive = sensitive[at] || fields.get(field.member()).copied().unwrap_or_default();
        forgot |= field.forget(|value| is_sensitive || secrets.text(value).is_some());
    }
    nodes[at].tags = tags;
    forgot
}

/// Renames fields whose name is a secret. Different fields of an object keep different names.
fn rename(nodes: &mut [WrittenNode], secrets: &dyn Secrets) -> bool {
    let parents = parents(nodes);
    let mut taken: BTreeSet<(usize, Box<str>)> =
        nodes.iter().zip(&parents).filter_map(|(node, parent)| Some((*parent, node.name.clone()?))).collect();
    let mut renamed = false;
    for (node, parent) in nodes.iter_mut().zip(parents) {
        if let Some(name) = &mut node.name
            && let Some(other) = secrets.text(name)
        {
            // The marker may be too long beside the rest of the name.
            let marker = if may_be_kept(&format!("{other} {}", u32::MAX)) {
                other
            } else {
                format!("{REDACTED}key⟧")
            };
            let numbered = (2..=u32::MAX).map(|number| format!("{marker} {number}"));
            let mut names = std::iter::once(marker.clone()).chain(numbered).map(String::into_boxed_str);
            if let Some(free) = names.find(|name| !taken.contains(&(parent, name.clone()))) {
                taken.insert((parent, free.clone()));
                *name = free;
                renamed = true;
            }
        }
    }
    renamed
}

/// The number of the node above each one; its own for the first.
fn parents(nodes: &[WrittenNode]) -> Vec<usize> {
    let mut above: Vec<usize> = Vec::new();
    let parent = |(at, node): (usize, &WrittenNode)| {
        above.truncate(node.depth);
        let parent = above.last().copied().unwrap_or(at);
        above.push(at);
        parent
    };
    nodes.iter().enumerate().map(parent).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Policy;

    struct Planted;

    impl Secrets for Planted {
        fn key(&self, key: &str) -> bool {
            key == "pin"
        }

        fn text(&self, text: &str) -> Option<String> {
            text.contains("hunter").then(|| "[...]".to_owned())
        }

        fn json(&self, json: &str) -> Option<String> {
            self.text(json)
        }

        fn definition(&self, json: &str) -> Option<String> {
            self.text(json)
        }
    }

    fn shape(documents: impl IntoIterator<Item = String>) -> Shape {
        let mut shape = Shape::default();
        documents.into_iter().for_each(|document| shape.observe(document.as_bytes()).unwrap());
        shape
    }

    #[test]
    fn secrets_are_removed_and_counts_stay() {
        let document = |n: u32| {
            let kind = if n.is_multiple_of(2) { "plain" } else { "hunter2" };
            format!(
                r#"{{"type":"{kind}","pin":{},"deep":[{{"pin":["{n}"],"n":{n}}}],"hunter3":{n},"hunter4":"x",
                "many":"hunter-{n}"}}"#,
                918_273 + n
            )
        };
        let shape = shape((0..60).map(document));
        let forgot = shape.without_secrets(&Planted).unwrap().expect("it has secrets");
        let state = String::from_utf8(forgot.to_state()).unwrap();
        for gone in ["hunter", "918273", "918332", "[\"1\"", "\"v\":[[\"2"] {
            assert!(!state.contains(gone), "{gone} is still there: {state}");
        }
        assert!(state.contains("plain") && state.contains("[...] 2"), "{state}");
        assert_eq!(forgot.observations(), 60);
        let schema = forgot.schema(&Policy::default()).to_string();
        assert!(!schema.contains("hunter") && !schema.contains("enum"), "{schema}");
        // Nothing is left to remove, and the state is valid.
        assert!(forgot.without_secrets(&Planted).unwrap().is_none());
        assert_eq!(Shape::from_state(state.as_bytes()).unwrap().to_state(), state.as_bytes());
    }

    /// Such a state could not be read any more, and with it all that was learned.
    #[test]
    fn renamed_fields_are_read_again() {
        struct Numbered;
        impl Secrets for Numbered {
            fn key(&self, _: &str) -> bool {
                false
            }
            fn text(&self, text: &str) -> Option<String> {
                text.contains("hunter").then(|| text.replace("hunter", "⟦redacted string 40⟧"))
            }
            fn json(&self, json: &str) -> Option<String> {
                self.text(json)
            }
            fn definition(&self, json: &str) -> Option<String> {
                self.text(json)
            }
        }
        let long = format!("{}hunter", "path".repeat(30));
        let document = |n: u32| {
            format!(
                r#"{{"hunter":{n},"{long}":1,"{long}s":2,"⟦redacted string 40⟧":"x","a":{{"hunter":{n}}}}}"#
            )
        };
        let forgot =
            shape((0..20).map(document)).without_secrets(&Numbered).unwrap().expect("it has secrets");
        let state = forgot.to_state();
        assert!(!String::from_utf8_lossy(&state).contains("hunter"));
        let read = Shape::from_state(&state).unwrap();
        let fields = read.fields(&Policy::default());
        let paths: Vec<&str> = fields.iter().map(|field| &*field.path).collect();
        let marker = |end: &str| format!("[\"⟦redacted {end}\"]");
        let renamed = ["string 40⟧", "key⟧", "key⟧ 2"].map(marker);
        assert!(renamed.iter().all(|name| paths.contains(&name.as_str())), "{paths:?}");
        assert_eq!((paths.len(), read.observations()), (5, 20), "{paths:?}");
    }

    #[test]
    fn shape_without_secrets_is_unchanged() {
        let shape = shape((0..40).map(|n| format!(r#"{{"a":"b{n}","n":{n},"type":"x"}}"#)));
        assert!(shape.without_secrets(&Planted).unwrap().is_none());
    }
}
