//! Documents of older drafts, as the current one would write them.

use std::borrow::Cow;

use serde_json::Value;

/// Draft 4 to 7, in which nothing stands beside a reference.
const OLDER: [&str; 4] = ["draft-04/", "draft-05/", "draft-06/", "draft-07/"];
/// Keywords that say nothing about values.
const KEPT: [&str; 5] = ["$ref", "$schema", "$id", "definitions", "$defs"];

/// Keywords whose values are no schemas.
const VALUES: [&str; 4] = ["const", "enum", "default", "examples"];

/// Returns a document without what its draft ignores. Recursion is bounded by the depth that serde_json reads.
pub(crate) fn current(schema: &Value) -> Cow<'_, Value> {
    let draft = schema.get("$schema").and_then(Value::as_str).unwrap_or_default();
    if !OLDER.iter().any(|older| draft.contains(older)) {
        return Cow::Borrowed(schema);
    }
    let mut schema = schema.clone();
    drop_ignored(&mut schema);
    Cow::Owned(schema)
}

fn drop_ignored(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(drop_ignored),
        Value::Object(map) => {
            // Of `properties`, it is the name of a field.
            if map.get("$ref").is_some_and(Value::is_string) {
                map.retain(|key, _| KEPT.contains(&key.as_str()));
            }
            let inner = map.iter_mut().filter(|(key, _)| !VALUES.contains(&key.as_str()));
            inner.for_each(|(_, value)| drop_ignored(value));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::{Class, compare};

    /// Beside a reference, older drafts ignore what would make the new schema a narrower one.
    #[test]
    fn what_an_older_draft_ignores_proves_nothing() {
        let definitions = json!({"S": {"type": "string"}});
        let listed = json!({"enum": ["a", "b"]});
        let old = json!({"properties": {"p": listed}});
        let beside = |draft: &str| {
            json!({"$schema": draft, "definitions": definitions,
                "properties": {"p": {"$ref": "#/definitions/S", "enum": ["a", "b"]}}})
        };
        let draft_7 = compare(&old, &beside("http://json-schema.org/draft-07/schema#"));
        assert_ne!(draft_7.output, Class::Safe);
        let draft_2020 = compare(&old, &beside("https://json-schema.org/draft/2020-12/schema"));
        assert_eq!(draft_2020.output, Class::Safe);
    }
}
