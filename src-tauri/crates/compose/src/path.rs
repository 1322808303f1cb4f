//! Paths of fields in their written form: `orders[].id`, `meta{}.x` for the values of a map,
//! `meta{key}` for its keys, `["odd key"]`, and the empty path for the whole value.

use serde_json::{Value, json};

/// Bytes of a key up to which it is the name of a field. Longer ones are data, and have no path.
pub(crate) const MAX_NAME: usize = 256;
/// Bytes of a path. What is deeper has none.
pub(crate) const MAX_PATH: usize = 512;

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    Name(String),
    Items,
    Values,
    Key,
}

impl Step {
    pub(crate) fn is_named(&self, name: &str) -> bool {
        matches!(self, Self::Name(own) if own == name)
    }
}

/// Appends a named member.
pub(crate) fn name(path: &str, key: &str) -> String {
    let mut path = path.to_owned();
    push_name(&mut path, key);
    path
}

/// Appends a named member in place.
pub(crate) fn push_name(path: &mut String, key: &str) {
    let plain = key.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$')
        && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '-'));
    if !plain {
        path.push_str(&format!("[{}]", Value::from(key)));
        return;
    }
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(key);
}

/// Names of fields in a written path, outermost first.
pub fn names(path: &str) -> Vec<String> {
    let steps = steps(path).into_iter();
    steps.filter_map(|step| if let Step::Name(name) = step { Some(name) } else { None }).collect()
}

/// Splits a path into its steps. Text that is no path gives the steps up to the first error.
pub(crate) fn steps(path: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("[]") {
            steps.push(Step::Items);
            rest = after;
        } else if let Some(after) = rest.strip_prefix("{}") {
            steps.push(Step::Values);
            rest = after;
        } else if let Some(after) = rest.strip_prefix("{key}") {
            steps.push(Step::Key);
            rest = after;
        } else if let Some(quoted) = rest.strip_prefix('[') {
            let mut names = serde_json::Deserializer::from_str(quoted).into_iter::<String>();
            let Some(Ok(key)) = names.next() else { break };
            let end = names.byte_offset();
            steps.push(Step::Name(key));
            rest = quoted.get(end + 1..).unwrap_or_default();
        } else {
            let own = rest.strip_prefix('.').unwrap_or(rest);
            let end = own.find(['.', '[', '{']).unwrap_or(own.len());
            if end == 0 {
                break;
            }
            steps.push(Step::Name(own[..end].to_owned()));
            rest = &own[end..];
        }
    }
    steps
}

/// Whether a path that was seen is the path of a schema, where names of the one may be keys of a map in
/// the other.
pub(crate) fn matches(schema: &[Step], seen: &[Step]) -> bool {
    schema.len() == seen.len()
        && schema.iter().zip(seen).all(|(own, other)| {
            own == other
                || matches!((own, other), (Step::Values, Step::Name(_)) | (Step::Name(_), Step::Values))
        })
}

/// Whether a path is another one or below it. Every path is within the empty one.
pub fn is_within(path: &str, other: &str) -> bool {
    let below = |rest: &str| other.is_empty() || rest.is_empty() || rest.starts_with(['.', '[', '{']);
    path.strip_prefix(other).is_some_and(below)
}

/// Whether two paths end in the same name, whatever lists and maps they lead through.
pub(crate) fn same_name(path: &str, other: &str) -> bool {
    let last = |path: &str| steps(path).into_iter().rev().find(|step| matches!(step, Step::Name(_)));
    last(path).is_some_and(|own| last(other) == Some(own))
}

/// Whether a path is that of one field. In lists and maps there are several.
pub fn is_single(path: &str) -> bool {
    steps(path).iter().all(|step| matches!(step, Step::Name(_)))
}

/// Returns the value that a document has at a path; where the path leads into a list or a map, that as a whole.
pub fn value_at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    names_of(&steps(path)).try_fold(value, |value, name| value.get(name))
}

/// The names that a path begins with.
fn names_of(steps: &[Step]) -> impl Iterator<Item = &String> {
    steps.iter().map_while(|step| if let Step::Name(name) = step { Some(name) } else { None })
}

/// Whether a path that was seen leads to the place that a schema has at a path, as names of the one may be keys of a map
/// in the other.
pub fn leads_to(seen: &str, place: &str) -> bool {
    seen == place || matches(&steps(place), &steps(seen))
}

/// Whether a path is a single name.
pub(crate) fn is_name(path: &str) -> bool {
    matches!(steps(path).as_slice(), [Step::Name(_)])
}

/// Returns a schema that has these paths and says nothing of their types. The names are required.
pub(crate) fn schema(paths: &[&str], required: &[&str]) -> Value {
    let mut root = json!({"required": required});
    for path in paths {
        let mut node = &mut root;
        for step in steps(path) {
            let (word, name) = match step {
                Step::Name(name) => ("properties", Some(name)),
                Step::Items => ("items", None),
                Step::Values => ("additionalProperties", None),
                Step::Key => break,
            };
            let Some(members) = node.as_object_mut() else { break };
            node = members.entry(word).or_insert_with(|| json!({}));
            if let Some(name) = name {
                let Some(members) = node.as_object_mut() else { break };
                node = members.entry(name).or_insert_with(|| json!({}));
            }
        }
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_a_path_are_split() {
        assert_eq!(
            steps("a.b[].c"),
            [Step::Name("a".into()), Step::Name("b".into()), Step::Items, Step::Name("c".into())]
        );
        assert_eq!(steps("m{key}"), [Step::Name("m".into()), Step::Key]);
        assert_eq!(steps("[\"odd key\"].x"), [Step::Name("odd key".into()), Step::Name("x".into())]);
        assert_eq!(steps(""), []);
    }

    #[test]
    fn schema_has_the_paths_that_it_is_made_of() {
        let made = schema(&["a.b[].c", "a.d", "m{}.x"], &[]);
        let paths: Vec<String> = crate::schema::outputs(&made).into_iter().map(|field| field.path).collect();
        for path in ["a.b[].c", "a.d", "m{}.x"] {
            assert!(paths.iter().any(|own| own == path), "{paths:?}");
        }
    }

    #[test]
    fn name_quotes_keys_that_are_no_words() {
        assert_eq!(name("a", "b"), "a.b");
        assert_eq!(name("a", "odd key"), "a[\"odd key\"]");
    }
}
