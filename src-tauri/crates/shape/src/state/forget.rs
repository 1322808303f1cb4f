//! Forgetting secrets that were counted before they were known to be any.
//!
//! Counts, types and lengths stay; values go, and with them what was concluded from them. It is done to the
//! written form, where a field may get another name. Owns: what goes. Refuses to know: what a secret is.

use std::collections::BTreeSet;

use super::{Flat, InvalidState};
use crate::secrets::Secrets;
use crate::shape::Shape;
use crate::values::{Agreed, Numbers, Strings};

impl Shape {
    /// The same shape without secrets; none if it has none. A field whose name is one gets another name.
    pub fn without_secrets(&self, secrets: &dyn Secrets) -> Result<Option<Self>, InvalidState> {
        let mut state = self.written(Some(self.tree.key), self.tree.veil.clone());
        let tell = telling(&state.nodes, secrets);
        let mut forgot = false;
        for at in 0..state.nodes.len() {
            forgot |= forget_tags(&mut state.nodes, at, &tell, secrets);
        }
        for (node, tells) in state.nodes.iter_mut().zip(&tell) {
            forgot |= forget_values(node, *tells, secrets);
        }
        forgot |= rename(&mut state.nodes, secrets);
        if forgot { Self::of_written(state).map(Some) } else { Ok(None) }
    }
}

/// For each node, whether its own name or one above says that it is a secret.
fn telling(nodes: &[Flat], secrets: &dyn Secrets) -> Vec<bool> {
    let mut above: Vec<bool> = Vec::new();
    let tells = |node: &Flat| {
        above.truncate(node.depth);
        let inherited = above.last().copied().unwrap_or_default();
        let tells = inherited || node.name.as_ref().is_some_and(|name| secrets.key(name));
        above.push(tells);
        tells
    };
    nodes.iter().map(tells).collect()
}

fn forget_values(node: &mut Flat, tells: bool, secrets: &dyn Secrets) -> bool {
    let goes = |value: &str| tells || secrets.text(value).is_some();
    let strings = node.strings.as_deref_mut().is_some_and(|strings| strings.forget(goes));
    // A range is made of values.
    let numbers = node.numbers.as_deref().is_some_and(|numbers| numbers.holds(goes));
    if numbers {
        node.numbers = None;
    }
    strings || numbers
}

impl Strings {
    fn forget(&mut self, goes: impl Fn(&str) -> bool) -> bool {
        let Some(times) = self.distinct.forget(goes) else { return false };
        self.redacted += times;
        self.format = Agreed::Not;
        true
    }
}

impl Numbers {
    fn holds(&self, goes: impl Fn(&str) -> bool) -> bool {
        self.distinct.examples().into_iter().any(&goes)
            || self.distinct.values().is_some_and(|values| values.into_iter().any(|(value, _)| goes(value)))
    }
}

/// Forgets joint counts by a field's values where one of these is a secret.
fn forget_tags(nodes: &mut [Flat], at: usize, tell: &[bool], secrets: &dyn Secrets) -> bool {
    let mut tags = std::mem::take(&mut nodes[at].tags);
    if tags.is_empty() {
        return false;
    }
    let depth = nodes[at].depth;
    let below = nodes[at + 1..].iter().zip(&tell[at + 1..]).take_while(|(node, _)| node.depth > depth);
    let fields = below.filter(|(node, _)| node.depth == depth + 1 && node.name.is_some());
    let fields: Vec<bool> = fields.map(|(_, tells)| *tells).collect();
    let mut forgot = false;
    for field in &mut tags {
        let tells = tell[at] || fields.get(field.member()).copied().unwrap_or_default();
        forgot |= field.forget(|value| tells || secrets.text(value).is_some());
    }
    nodes[at].tags = tags;
    forgot
}

/// Gives fields other names whose own are secrets. Two fields of one object keep two names.
fn rename(nodes: &mut [Flat], secrets: &dyn Secrets) -> bool {
    // Names of the children so far of each node above.
    let mut above: Vec<BTreeSet<Box<str>>> = Vec::new();
    let mut renamed = false;
    for node in nodes {
        above.truncate(node.depth);
        if let Some(name) = &mut node.name
            && let Some(other) = secrets.text(name)
        {
            let taken = |name: &str| above.last().is_some_and(|names| names.contains(name));
            let numbered = (2..).map(|number| format!("{other} {number}"));
            let free = std::iter::once(other.clone()).chain(numbered).find(|name| !taken(name));
            (*name, renamed) = (free.unwrap_or(other).into(), true);
        }
        if let (Some(name), Some(names)) = (&node.name, above.last_mut()) {
            names.insert(name.clone());
        }
        above.push(BTreeSet::new());
    }
    renamed
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
    fn values_go_and_counts_stay() {
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
        // What was forgotten is forgotten, and the state is one like any other.
        assert!(forgot.without_secrets(&Planted).unwrap().is_none());
        assert_eq!(Shape::from_state(state.as_bytes()).unwrap().to_state(), state.as_bytes());
    }

    #[test]
    fn what_has_no_secrets_stays_as_it_is() {
        let shape = shape((0..40).map(|n| format!(r#"{{"a":"b{n}","n":{n},"type":"x"}}"#)));
        assert!(shape.without_secrets(&Planted).unwrap().is_none());
    }
}
