//! The output schema of a tool as clients get it.
//!
//! SDKs reject a whole list because of one schema that they cannot use, and a whole call because of a result that
//! does not fit. Inferred schemas are therefore advertised in a form that every adapted result satisfies, and
//! schemas that cannot be used are not advertised.

use bytes::Bytes;
use schemascope_judge::change_references;
use serde_json::{Map, Value, json};

use super::ToolContext;
use super::effective::{Effective, Schema};
use super::form::Form;
use super::object::Object;

/// Members of a schema that stay at the root when the rest moves inside another schema: references point to them.
const HOISTED: [&str; 3] = ["$schema", "$defs", "definitions"];

/// The tool's definition as a client gets it: unchanged, byte for byte, where the upstream's own schema is
/// advertised.
pub(crate) fn advertise(definition: &Bytes, context: &ToolContext<'_>) -> Bytes {
    let Some(schema) = output_schema(context) else { return definition.clone() };
    let definition_with =
        |schema: Value| Some(Object::of(definition)?.with("outputSchema", &schema.to_string()));
    definition_with(schema).unwrap_or_else(|| definition.clone())
}

/// The schema to advertise; `None` to leave the upstream's own in place.
pub(super) fn output_schema(context: &ToolContext<'_>) -> Option<Value> {
    let form = context.form();
    let generic = || Some(generic(context.modern));
    match context.effective {
        Effective::None => None,
        _ if context.suspended => generic(),
        Effective::Declared(_) if context.judge.is_broken() => generic(),
        Effective::Declared(schema) if context.modern || is_listable(&schema.schema) => None,
        Effective::Declared(schema) => Some(match form {
            Form::Object => listable(&schema.schema),
            Form::Result | Form::Bare => tolerant(&schema.schema, form),
        }),
        _ if !context.judge.is_usable() => generic(),
        Effective::Promoted(Schema { schema, .. }) | Effective::Pinned(Schema { schema, .. }) => {
            Some(tolerant(schema, form))
        }
        Effective::Enforced(Schema { schema, .. }) if context.modern => Some(schema.as_ref().clone()),
        Effective::Enforced(Schema { schema, .. }) => Some(strict(schema, form)),
    }
}

/// A schema that every possible result satisfies.
fn generic(modern: bool) -> Value {
    let mut generic = json!({"type": "object", "properties": {"result": {}}});
    if let Value::Object(map) = &mut generic
        && modern
    {
        map.shift_remove("type");
    }
    generic
}

/// The schema as one alternative, and anything else as the other.
fn tolerant(schema: &Value, form: Form) -> Value {
    match form {
        Form::Object => around(
            schema,
            "/anyOf/0",
            |inner| json!({"type": "object", "anyOf": [inner, {"type": "object"}]}),
        ),
        Form::Result => around(
            schema,
            "/properties/result/anyOf/0",
            |inner| json!({"type": "object", "properties": {"result": {"anyOf": [inner, {}]}}}),
        ),
        Form::Bare => around(schema, "/anyOf/0", |inner| json!({"anyOf": [inner, {}]})),
    }
}

/// The schema without an alternative, for clients of the session era.
fn strict(schema: &Value, form: Form) -> Value {
    match form {
        Form::Object | Form::Bare => listable(schema),
        Form::Result => around(
            schema,
            "/properties/result",
            |inner| json!({"type": "object", "properties": {"result": as_object(inner)}, "required": ["result"]}),
        ),
    }
}

/// A schema inside another one, at `place`, a JSON pointer.
fn around(schema: &Value, place: &str, outer: impl FnOnce(Value) -> Value) -> Value {
    let mut inner = schema.clone();
    let own = schema.get("$id").and_then(Value::as_str).map(|id| id.trim_end_matches('#').to_owned());
    change_references(&mut inner, &|reference| {
        let own = own.as_deref().and_then(|id| reference.strip_prefix(id));
        let local = own.filter(|rest| rest.is_empty() || rest.starts_with('#')).unwrap_or(reference);
        moved(local, place)
    });
    let mut hoisted = Map::new();
    if let Value::Object(inner) = &mut inner {
        inner.shift_remove("$id");
        hoisted.extend(HOISTED.iter().filter_map(|key| inner.shift_remove_entry(*key)));
    }
    let mut whole = Map::new();
    whole.extend(hoisted.shift_remove_entry("$schema"));
    if let Value::Object(outer) = outer(inner) {
        whole.extend(outer);
    }
    whole.extend(hoisted);
    Value::Object(whole)
}

/// The target of a reference after the root has moved to `place`.
fn moved(local: &str, place: &str) -> Option<String> {
    let fragment = local.strip_prefix('#').unwrap_or(local);
    let stays = HOISTED.iter().any(|key| {
        let rest = fragment.strip_prefix('/').and_then(|rest| rest.strip_prefix(key));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    match fragment {
        "" => Some(format!("#{place}")),
        _ if stays || !fragment.starts_with('/') => Some(local.to_owned()),
        _ => Some(format!("#{place}{fragment}")),
    }
}

/// Whether clients of the session era accept the schema in a list: the root has type object, and so do the
/// schemas of its fields.
fn is_listable(schema: &Value) -> bool {
    let fields = schema.get("properties").map(Value::as_object);
    schema.get("type").is_some_and(|kind| kind == "object")
        && fields.is_none_or(|fields| fields.is_some_and(|fields| fields.values().all(Value::is_object)))
}

/// The schema in a form that [`is_listable`].
fn listable(schema: &Value) -> Value {
    if is_listable(schema) {
        return schema.clone();
    }
    around(schema, "/allOf/0", |inner| json!({"type": "object", "allOf": [inner]}))
}

/// The schema as a JSON object instead of a boolean.
fn as_object(schema: Value) -> Value {
    match schema {
        Value::Bool(true) => json!({}),
        Value::Bool(false) => json!({"not": {}}),
        other => other,
    }
}
