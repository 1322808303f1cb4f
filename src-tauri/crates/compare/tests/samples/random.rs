//! Random schemas, small changes of schemas, and values that schemas are likely to accept.
//!
//! Everything is drawn from a list of numbers, so that a failing case shrinks with the list.

use serde_json::{Map, Value, json};

/// Source of choices. Once it is exhausted, it always returns the first choice.
pub struct Choices<'a> {
    left: std::slice::Iter<'a, u16>,
}

impl<'a> Choices<'a> {
    pub fn new(numbers: &'a [u16]) -> Self {
        Self { left: numbers.iter() }
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.left.next().map_or(0, |number| usize::from(*number) % limit.max(1))
    }

    fn one<'b, T>(&mut self, of: &'b [T]) -> &'b T {
        &of[self.below(of.len())]
    }
}

const NAMES: &[&str] = &["a", "b", "c", "kind", "x-y"];
const TEXTS: &[&str] = &["", "a", "b", "ab", "abc", "é", "x1", "2024-01-15", "ann@example.com", "😀😀"];
const TYPES: &[&str] = &["string", "integer", "object", "array", "number", "null", "boolean"];
const PATTERNS: &[&str] = &["^a", "b$", "^[a-z]+$", "^x-", "(a|b)", "^.{2}$", "", "\\d"];
const FORMATS: &[&str] = &["date", "email", "date-time", "ipv4", "uri-reference"];

pub fn number(choices: &mut Choices<'_>) -> Value {
    let all = [
        json!(1),
        json!(0),
        json!(2),
        json!(3),
        json!(-1),
        json!(1.0),
        json!(0.5),
        json!(2.5),
        json!(10),
        json!(9007199254740993_u64),
        json!(9007199254740992.0),
        json!(1e300),
        json!(u64::MAX),
        json!(-1e19),
        json!(0.1),
        json!(i64::MIN),
        json!(18446744073709551616.0),
        json!(0.3),
    ];
    let few = if choices.below(6) == 5 { all.len() } else { 9 };
    choices.one(&all[..few]).clone()
}

/// Returns any small value.
pub fn value(choices: &mut Choices<'_>, depth: usize) -> Value {
    match choices.below(if depth == 0 { 5 } else { 8 }) {
        0 => json!(choices.one(TEXTS)),
        1 => number(choices),
        2 => Value::Null,
        3 => json!(true),
        4 => json!(false),
        5 => (0..choices.below(4)).map(|_| value(choices, depth - 1)).collect(),
        _ => {
            let fields =
                (0..choices.below(4)).map(|_| ((*choices.one(NAMES)).to_owned(), value(choices, depth - 1)));
            Value::Object(fields.collect())
        }
    }
}

/// Returns a whole schema, with definitions.
pub fn document(choices: &mut Choices<'_>) -> Value {
    let mut top = schema(choices, 3, true);
    if let Value::Object(map) = &mut top {
        let defs: Map<String, Value> =
            ["d", "e"].iter().map(|name| ((*name).to_owned(), schema(choices, 2, false))).collect();
        map.insert("$defs".into(), Value::Object(defs));
    }
    top
}

fn reference(choices: &mut Choices<'_>) -> Value {
    json!(choices.one(&["#/$defs/d", "#/$defs/e", "#/%24defs/d", "#"]))
}

/// Returns a schema without references that lead back to the same value; `free` says whether a
/// reference is allowed at this level.
pub fn schema(choices: &mut Choices<'_>, depth: usize, free: bool) -> Value {
    match choices.below(16) {
        14 => return json!(true),
        15 if choices.below(2) == 1 => return json!(false),
        _ => {}
    }
    let mut map = Map::new();
    match choices.below(8) {
        0..=3 => _ = map.insert("type".into(), json!(choices.one(TYPES))),
        4 | 5 => _ = map.insert("type".into(), json!([choices.one(TYPES), choices.one(TYPES)])),
        _ => {}
    }
    for _ in 0..choices.below(5) {
        keyword(choices, &mut map, depth, free);
    }
    Value::Object(map)
}

/// Sets one keyword, usually one that applies to the type.
fn keyword(choices: &mut Choices<'_>, map: &mut Map<String, Value>, depth: usize, free: bool) {
    let kind = map.get("type").and_then(Value::as_str).unwrap_or("any").to_owned();
    let small = |choices: &mut Choices<'_>| json!(choices.below(4));
    if choices.below(3) < 2 {
        match kind.as_str() {
            "string" => return text_keyword(choices, map),
            "integer" | "number" => return number_keyword(choices, map),
            "array" => return array_keyword(choices, map, depth),
            "object" => return object_keyword(choices, map, depth),
            _ => {}
        }
    }
    let inner = |choices: &mut Choices<'_>, free| {
        if depth == 0 { json!(true) } else { schema(choices, depth - 1, free) }
    };
    match choices.below(18) {
        0 => object_keyword(choices, map, depth),
        1 => array_keyword(choices, map, depth),
        2 => number_keyword(choices, map),
        3 => text_keyword(choices, map),
        4 => _ = map.insert("const".into(), value(choices, 1)),
        5 | 6 => {
            let values: Vec<Value> = (0..=choices.below(3)).map(|_| value(choices, 1)).collect();
            map.insert("enum".into(), json!(values));
        }
        7..=9 => {
            let list: Vec<Value> = (0..=choices.below(3)).map(|_| inner(choices, free)).collect();
            map.insert((*choices.one(&["anyOf", "oneOf", "allOf"])).into(), json!(list));
        }
        10 => _ = map.insert("not".into(), inner(choices, false)),
        11 => {
            for key in ["if", "then", "else"].into_iter().take(1 + choices.below(3)) {
                map.insert(key.into(), inner(choices, false));
            }
        }
        12 | 13 if free => {
            let target = choices.one(&["#/$defs/d", "#/$defs/e"]);
            map.insert("$ref".into(), json!(target));
        }
        14 => _ = map.insert("description".into(), json!("words")),
        15 => _ = map.insert("weird".into(), small(choices)),
        16 => _ = map.insert("unevaluatedProperties".into(), inner(choices, false)),
        _ => _ = map.insert("unevaluatedItems".into(), inner(choices, false)),
    }
}

fn text_keyword(choices: &mut Choices<'_>, map: &mut Map<String, Value>) {
    match choices.below(4) {
        0 => _ = map.insert("minLength".into(), json!(choices.below(4))),
        1 => _ = map.insert("maxLength".into(), json!(choices.below(4))),
        2 => _ = map.insert("pattern".into(), json!(choices.one(PATTERNS))),
        _ => _ = map.insert("format".into(), json!(choices.one(FORMATS))),
    }
}

fn number_keyword(choices: &mut Choices<'_>, map: &mut Map<String, Value>) {
    let key = choices.one(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]);
    let argument = match *key {
        "multipleOf" => {
            choices.one(&[json!(1), json!(2), json!(0.5), json!(3), json!(4.0), json!(0.1)]).clone()
        }
        _ => number(choices),
    };
    map.insert((*key).into(), argument);
}

fn below(choices: &mut Choices<'_>, depth: usize) -> Value {
    if choices.below(8) == 7 {
        return json!({"$ref": reference(choices)});
    }
    if depth == 0 { json!({"type": choices.one(TYPES)}) } else { schema(choices, depth - 1, true) }
}

fn array_keyword(choices: &mut Choices<'_>, map: &mut Map<String, Value>, depth: usize) {
    match choices.below(7) {
        0 | 1 => _ = map.insert("items".into(), below(choices, depth)),
        2 => {
            let list: Vec<Value> = (0..=choices.below(2)).map(|_| below(choices, depth)).collect();
            map.insert("prefixItems".into(), json!(list));
        }
        3 => _ = map.insert("minItems".into(), json!(choices.below(3))),
        4 => _ = map.insert("maxItems".into(), json!(choices.below(3))),
        5 => _ = map.insert("uniqueItems".into(), json!(choices.below(2) == 0)),
        _ => {
            map.insert("contains".into(), below(choices, depth));
            match choices.below(4) {
                0 => _ = map.insert("minContains".into(), json!(choices.below(3))),
                1 => _ = map.insert("maxContains".into(), json!(choices.below(3))),
                _ => {}
            }
        }
    }
}

fn object_keyword(choices: &mut Choices<'_>, map: &mut Map<String, Value>, depth: usize) {
    match choices.below(12) {
        0..=3 => {
            let mut fields = map.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
            for _ in 0..=choices.below(2) {
                fields.insert((*choices.one(NAMES)).to_owned(), below(choices, depth));
            }
            map.insert("properties".into(), Value::Object(fields));
        }
        4 | 5 => {
            let names: Vec<&str> = (0..=choices.below(2)).map(|_| *choices.one(NAMES)).collect();
            map.insert("required".into(), json!(names));
        }
        6 => _ = map.insert("additionalProperties".into(), json!(false)),
        7 => _ = map.insert("additionalProperties".into(), below(choices, depth)),
        8 => {
            let key = choices.one(&["minProperties", "maxProperties"]);
            map.insert((*key).into(), json!(choices.below(3)));
        }
        9 => {
            map.insert("patternProperties".into(), json!({*choices.one(PATTERNS): below(choices, depth)}));
        }
        10 => _ = map.insert("propertyNames".into(), json!({"pattern": choices.one(PATTERNS)})),
        _ => {
            let (one, two) = (*choices.one(NAMES), *choices.one(NAMES));
            match choices.below(2) {
                0 => _ = map.insert("dependentRequired".into(), json!({one: [two]})),
                _ => _ = map.insert("dependentSchemas".into(), json!({one: if depth == 0 { json!({"required": [two]}) } else { schema(choices, depth - 1, false) }})),
            }
        }
    }
}

/// Changes something at a random place in a schema.
pub fn mutate(choices: &mut Choices<'_>, schema_: &mut Value) {
    let Value::Object(map) = schema_ else {
        *schema_ = schema(choices, 1, false);
        return;
    };
    let keys: Vec<String> = map.keys().cloned().collect();
    let go_down = choices.below(3) > 0;
    if go_down && !keys.is_empty() {
        let key = choices.one(&keys).clone();
        let names = matches!(key.as_str(), "properties" | "$defs" | "patternProperties" | "dependentSchemas");
        let lists = matches!(key.as_str(), "anyOf" | "oneOf" | "allOf" | "prefixItems");
        match map.get_mut(&key) {
            Some(Value::Object(inner)) if names => {
                let names: Vec<String> = inner.keys().cloned().collect();
                if !names.is_empty() && choices.below(4) > 0 {
                    let name = choices.one(&names).clone();
                    if let Some(inner) = inner.get_mut(&name) {
                        mutate(choices, inner);
                    }
                } else if let Some(name) = names.first() {
                    inner.shift_remove(name);
                }
                return;
            }
            Some(Value::Array(inner)) if lists && !inner.is_empty() => {
                let position = choices.below(inner.len());
                match choices.below(4) {
                    0 if inner.len() > 1 => _ = inner.remove(position),
                    1 => inner.reverse(),
                    _ => mutate(choices, &mut inner[position]),
                }
                return;
            }
            Some(Value::Array(inner)) if !inner.is_empty() => {
                if inner.len() > 1 {
                    inner.remove(0);
                }
                return;
            }
            Some(inner @ (Value::Object(_) | Value::Bool(_))) if key != "uniqueItems" && key != "const" => {
                mutate(choices, inner);
                return;
            }
            _ => {}
        }
    }
    match choices.below(4) {
        0 if !keys.is_empty() => _ = map.shift_remove(choices.one(&keys)),
        1 => {
            let whole = Value::Object(std::mem::take(map));
            let other = json!({"type": choices.one(TYPES)});
            let key = choices.one(&["anyOf", "oneOf", "allOf"]);
            let defs = whole.get("$defs").cloned();
            *schema_ = match choices.below(2) {
                0 => json!({*key: [whole]}),
                _ => json!({*key: [whole, other]}),
            };
            if let (Some(defs), Some(map)) = (defs, schema_.as_object_mut()) {
                map.insert("$defs".into(), defs);
            }
        }
        _ => keyword(choices, map, 1, false),
    }
}

/// Returns a value that the schema is likely to accept.
pub fn instance(choices: &mut Choices<'_>, schema_: &Value, root: &Value, depth: usize) -> Value {
    let Value::Object(map) = schema_ else { return value(choices, 1) };
    if depth == 0 || choices.below(12) == 11 {
        return value(choices, 1);
    }
    if let Some(fixed) = map.get("const") {
        return fixed.clone();
    }
    if let Some(Value::Array(values)) = map.get("enum")
        && !values.is_empty()
    {
        return choices.one(values).clone();
    }
    let deeper =
        map.get("$ref").and_then(Value::as_str).and_then(|to| root.pointer(&to.replace("%24", "$")[1..]));
    let mut made = deeper.map(|target| instance(choices, target, root, depth - 1));
    for key in ["anyOf", "oneOf", "allOf"] {
        if let Some(Value::Array(branches)) = map.get(key)
            && !branches.is_empty()
            && choices.below(3) > 0
        {
            let branch = choices.one(branches);
            let other = instance(choices, branch, root, depth - 1);
            made = Some(joined(made, other));
        }
    }
    for key in ["if", "then", "else"] {
        if let Some(branch) = map.get(key)
            && choices.below(2) > 0
        {
            let other = instance(choices, branch, root, depth - 1);
            made = Some(joined(made, other));
        }
    }
    let own = own_instance(choices, map, root, depth);
    match own {
        Some(own) => joined(made, own),
        None => made.unwrap_or_else(|| value(choices, 1)),
    }
}

fn joined(made: Option<Value>, other: Value) -> Value {
    match (made, other) {
        (Some(Value::Object(mut one)), Value::Object(two)) => {
            one.extend(two);
            Value::Object(one)
        }
        (_, other) => other,
    }
}

fn own_instance(
    choices: &mut Choices<'_>,
    map: &Map<String, Value>,
    root: &Value,
    depth: usize,
) -> Option<Value> {
    let kind = match map.get("type") {
        Some(Value::String(kind)) => kind.as_str(),
        Some(Value::Array(kinds)) if !kinds.is_empty() => choices.one(kinds).as_str().unwrap_or("null"),
        _ if map.contains_key("properties") || map.contains_key("required") => "object",
        _ if map.contains_key("items") || map.contains_key("prefixItems") || map.contains_key("contains") => {
            "array"
        }
        _ if map.contains_key("minLength") || map.contains_key("pattern") || map.contains_key("format") => {
            "string"
        }
        _ if map.contains_key("minimum") || map.contains_key("multipleOf") => "number",
        _ => return None,
    };
    Some(match kind {
        "null" => Value::Null,
        "boolean" => json!(choices.below(2) == 0),
        "string" => json!(choices.one(TEXTS)),
        "integer" | "number" => number(choices),
        "array" => {
            let prefix = map.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            let rest = map.get("items").or_else(|| map.get("contains")).unwrap_or(&Value::Null);
            let length = choices.below(4);
            (0..length).map(|at| instance(choices, prefix.get(at).unwrap_or(rest), root, depth - 1)).collect()
        }
        _ => {
            let mut fields = Map::new();
            for (name, inner) in map.get("properties").and_then(Value::as_object).into_iter().flatten() {
                if choices.below(4) > 0 {
                    fields.insert(name.clone(), instance(choices, inner, root, depth - 1));
                }
            }
            for name in
                map.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
            {
                if !fields.contains_key(name) && choices.below(6) > 0 {
                    let inner = map.get("additionalProperties").unwrap_or(&Value::Null);
                    fields.insert(name.to_owned(), instance(choices, inner, root, depth - 1));
                }
            }
            if choices.below(4) == 3 {
                let inner = map.get("additionalProperties").unwrap_or(&Value::Null);
                fields.insert((*choices.one(NAMES)).to_owned(), instance(choices, inner, root, depth - 1));
            }
            Value::Object(fields)
        }
    })
}

/// Returns a document of definitions that mostly refer to each other.
pub fn circular(choices: &mut Choices<'_>) -> Value {
    let mut defs = Map::new();
    for name in ["d", "e", "f"] {
        let mut fields = Map::new();
        for field in ["a", "b"] {
            let target = json!({"$ref": format!("#/$defs/{}", choices.one(&["d", "e", "f"]))});
            let inner = match choices.below(6) {
                0 | 1 => target,
                2 => json!({"anyOf": [target, {"type": choices.one(&["null", "integer"])}]}),
                3 => json!({"type": "array", "items": target}),
                4 => json!({"type": choices.one(&["integer", "number", "string"])}),
                _ => continue,
            };
            fields.insert(field.to_owned(), inner);
        }
        let mut schema = json!({"type": "object", "properties": fields});
        match choices.below(5) {
            0 => schema["required"] = json!(["a"]),
            1 => schema["additionalProperties"] = json!(false),
            2 => schema["minProperties"] = json!(1),
            _ => {}
        }
        defs.insert(name.to_owned(), schema);
    }
    json!({"$ref": "#/$defs/d", "$defs": defs})
}
