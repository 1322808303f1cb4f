//! Places in a value: JSON pointers, whose segments may name an item of a list by its id.

use serde_json::Value;

use crate::limits::MAX_DEPTH;

/// Splits a pointer into its segments. `None` if it does not start with `/` or is too deep. The pointer to the whole
/// value, an empty text, has no segments.
pub(crate) fn segments(pointer: &str) -> Option<Vec<String>> {
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    let rest = pointer.strip_prefix('/')?;
    let parts: Vec<String> = rest.split('/').map(|part| part.replace("~1", "/").replace("~0", "~")).collect();
    (parts.len() <= 2 * MAX_DEPTH).then_some(parts)
}

/// Returns a pointer extended by a segment.
pub(crate) fn join(pointer: &str, segment: &str) -> String {
    format!("{pointer}/{}", segment.replace('~', "~0").replace('/', "~1"))
}

/// Returns the first segment of a pointer.
pub(crate) fn top_key(pointer: &str) -> Option<String> {
    segments(pointer)?.into_iter().next()
}

/// Returns whether a place is the same as another, or within it.
pub(crate) fn is_within(place: &str, whole: &str) -> bool {
    place.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the id of an item of a list: the first key that ends in `-id`, with its value.
pub(crate) fn identity(item: &Value) -> Option<(&str, &Value)> {
    let (key, value) = item.as_object()?.iter().find(|(key, _)| key.ends_with("-id"))?;
    (value.is_string() || value.is_number()).then_some((key.as_str(), value))
}

/// Returns an id as the segment of a pointer.
pub(crate) fn id_segment(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

/// Returns the position of the item that a segment names: by its id, or by its number.
pub(crate) fn position(items: &[Value], segment: &str) -> Option<usize> {
    let by_id = items.iter().position(|item| identity(item).is_some_and(|(_, id)| id_segment(id) == segment));
    by_id.or_else(|| segment.parse::<usize>().ok().filter(|at| *at < items.len()))
}

/// Returns the value at a place.
pub(crate) fn get<'v>(value: &'v Value, pointer: &str) -> Option<&'v Value> {
    let mut value = value;
    for segment in segments(pointer)? {
        value = match value {
            Value::Object(members) => members.get(&segment)?,
            Value::Array(items) => items.get(position(items, &segment)?)?,
            _ => return None,
        };
    }
    Some(value)
}

/// Returns a pointer with ids in place of numbers. `None` if nothing is at that place.
pub(crate) fn canonical(value: &Value, pointer: &str) -> Option<String> {
    let mut value = value;
    let mut path = String::new();
    for segment in segments(pointer)? {
        match value {
            Value::Object(members) => {
                value = members.get(&segment)?;
                path = join(&path, &segment);
            }
            Value::Array(items) => {
                let at = position(items, &segment)?;
                value = items.get(at)?;
                let name = identity(value).map_or_else(|| at.to_string(), |(_, id)| id_segment(id));
                path = join(&path, &name);
            }
            _ => return None,
        }
    }
    Some(path)
}

/// Removes the value at a place. Returns whether there was one.
pub(crate) fn remove(value: &mut Value, place: &[String]) -> bool {
    let Some((first, rest)) = place.split_first() else { return false };
    match value {
        Value::Object(members) => {
            if rest.is_empty() {
                return members.shift_remove(first).is_some();
            }
            members.get_mut(first).is_some_and(|inner| remove(inner, rest))
        }
        Value::Array(items) => {
            let Some(at) = position(items, first) else { return false };
            if rest.is_empty() {
                items.remove(at);
                return true;
            }
            items.get_mut(at).is_some_and(|inner| remove(inner, rest))
        }
        _ => false,
    }
}

/// Sets the value at a place whose parent exists. Returns whether it was set.
pub(crate) fn set(value: &mut Value, place: &[String], new: &Value) -> bool {
    let Some((first, rest)) = place.split_first() else { return false };
    match value {
        Value::Object(members) => {
            if rest.is_empty() {
                members.insert(first.clone(), new.clone());
                return true;
            }
            members.get_mut(first).is_some_and(|inner| set(inner, rest, new))
        }
        Value::Array(items) => {
            let Some(item) = position(items, first).and_then(|at| items.get_mut(at)) else { return false };
            if rest.is_empty() {
                *item = new.clone();
                return true;
            }
            set(item, rest, new)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pointer_names_items_by_id_or_number() {
        let value = json!({"a/b": [{"x-id": "one", "n": 1}, {"x-id": "two", "n": 2}]});
        assert_eq!(get(&value, "/a~1b/two/n"), Some(&json!(2)));
        assert_eq!(get(&value, "/a~1b/0/n"), Some(&json!(1)));
        assert_eq!(get(&value, "/a~1b/9/n"), None);
        assert_eq!(canonical(&value, "/a~1b/1/n").as_deref(), Some("/a~1b/two/n"));
        assert_eq!(get(&value, "a"), None);
        assert_eq!(segments(&"/x".repeat(1_000)), None);
    }

    #[test]
    fn remove_and_set_change_one_place() {
        let mut value = json!({"a": [{"x-id": "one", "n": 1}], "b": ["p", "q"]});
        assert!(set(&mut value, &segments("/a/one/n").unwrap(), &json!(5)));
        assert!(remove(&mut value, &segments("/b/0").unwrap()));
        assert!(!remove(&mut value, &segments("/c/0").unwrap()));
        assert_eq!(value, json!({"a": [{"x-id": "one", "n": 5}], "b": ["q"]}));
        assert!(is_within("/a/b", "/a") && !is_within("/ab", "/a"));
    }
}
