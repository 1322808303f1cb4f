//! A tool's definition with the user's overrides of name, description, annotations and input schema.

use bytes::Bytes;
use schemascope_model::Presented;
use serde_json::{Map, Value};

use super::object::Object;

/// Replaces the overridden members of a definition and keeps all others as the upstream sent them.
pub(crate) fn present(definition: Bytes, presented: &Presented) -> Bytes {
    let mut members: Vec<(&str, String)> = Vec::new();
    let text = |text: &str| Value::from(text).to_string();
    members.extend(presented.name.as_deref().map(|name| ("name", text(name))));
    members.extend(presented.description.as_deref().map(|description| ("description", text(description))));
    members.extend(presented.input_schema.as_ref().map(|schema| ("inputSchema", schema.to_string())));
    if !presented.annotations.is_empty() {
        let own = Object::of(&definition)
            .and_then(|object| serde_json::from_str::<Map<String, Value>>(object.get("annotations")?).ok());
        let mut annotations = own.unwrap_or_default();
        annotations.extend(presented.annotations.clone());
        members.push(("annotations", Value::Object(annotations).to_string()));
    }
    members.into_iter().fold(definition, |definition, (name, value)| match Object::of(&definition) {
        Some(object) => object.with(name, &value),
        None => definition,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn present_replaces_only_overridden_members() {
        let sent =
            r#"{"name":"a","x":1.10,"annotations":{"title":"A","readOnlyHint":false}, "inputSchema" : {}}"#;
        let presented = Presented {
            name: Some("b".into()),
            description: Some("c".into()),
            annotations: Map::from_iter([("readOnlyHint".to_owned(), json!(true))]),
            ..Presented::default()
        };
        assert_eq!(
            present(sent.into(), &presented),
            r#"{"name":"b","x":1.10,"annotations":{"title":"A","readOnlyHint":true}, "inputSchema" : {},"description":"c"}"#
        );
        assert_eq!(present(sent.into(), &Presented::default()), sent);
    }
}
