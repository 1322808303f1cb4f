//! What the author of a server pastes so that it declares what its tool returns: the schema in the words of an SDK, and
//! the line that returns structured content.

mod pydantic;
mod schemars;
mod zod;

use std::collections::HashSet;

use schemascope_model::ToolId;
use serde_json::{Map, Value, json};

use crate::literal::line;

/// Most notes of a patch.
const MAX_NOTES: usize = 20;

/// An SDK for MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sdk {
    /// The official one in TypeScript, with Zod.
    Typescript,
    /// The official one in Python, with Pydantic.
    Python,
    /// `rmcp`, with schemars.
    Rust,
    /// Any: the JSON Schema.
    Json,
}

/// What is pasted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// The text.
    pub text: String,
    /// What it leaves out.
    pub notes: Vec<String>,
}

/// Writes a patch for a tool that returns what a schema says. `evidence` are sentences about the schema.
pub fn patch(sdk: Sdk, tool: &ToolId, schema: &Value, evidence: &[String]) -> Patch {
    let mut schema = schema.clone();
    let mut notes = Vec::new();
    // Structured content is an object.
    let wrapped = !is_object(&schema);
    if wrapped {
        notes.push("structured content is an object, so the value is its field \"result\"".to_owned());
        schema = json!({"type": "object", "properties": {"result": schema}, "required": ["result"]});
    }
    if let Some(members) = schema.as_object_mut() {
        members.remove("$schema");
    }
    if sdk != Sdk::Json {
        state_types(&mut schema);
    }
    if matches!(sdk, Sdk::Typescript | Sdk::Python)
        && let Some(merged) = one_object(&schema)
    {
        notes.push(
            "this SDK takes one object for the whole value, so the alternatives are merged into one"
                .to_owned(),
        );
        schema = merged;
    }
    let subject = Subject { tool, schema: &schema, wrapped };
    let mut printed = match sdk {
        Sdk::Typescript => zod::print(&subject),
        Sdk::Python => pydantic::print(&subject),
        Sdk::Rust => schemars::print(&subject),
        Sdk::Json => json_patch(&subject),
    };
    printed.notes.truncate(MAX_NOTES);
    notes.append(&mut printed.notes);
    let sign = match sdk {
        Sdk::Typescript | Sdk::Rust => "// ",
        Sdk::Python => "# ",
        // JSON has no comments.
        Sdk::Json => return Patch { text: printed.text, notes },
    };
    let said: String =
        evidence.iter().map(|text| format!("{sign}{}", line(text)).trim_end().to_owned() + "\n").collect();
    Patch { text: format!("{said}\n{}", printed.text), notes }
}

/// Gives alternatives without types of their own those of the schema around them, since each is printed by itself.
fn state_types(schema: &mut Value) {
    match schema {
        Value::Array(each) => each.iter_mut().for_each(state_types),
        Value::Object(members) => {
            if let Some(kind) = members.get("type").cloned() {
                let alternatives = ["anyOf", "oneOf"];
                let each = members.iter_mut().filter(|(keyword, _)| alternatives.contains(&keyword.as_str()));
                for one in each
                    .filter_map(|(_, each)| each.as_array_mut())
                    .flatten()
                    .filter_map(Value::as_object_mut)
                {
                    let is_stated = ["type", "const", "enum", "anyOf", "oneOf"]
                        .iter()
                        .any(|keyword| one.contains_key(*keyword));
                    if !is_stated {
                        one.insert("type".to_owned(), kind.clone());
                    }
                }
            }
            members.values_mut().for_each(state_types);
        }
        _ => {}
    }
}

/// An object with the fields of all alternatives of a union, if the schema is one. It allows all of their values.
fn one_object(schema: &Value) -> Option<Value> {
    let each = alternatives(schema)?.iter().map(|one| one_object(one).unwrap_or_else(|| one.clone()));
    let each: Vec<Value> = each.collect();
    let is_closed = |one: &Value| one.get("additionalProperties") == Some(&Value::Bool(false));
    let mut seen = HashSet::new();
    let keys = each.iter().flat_map(properties).map(|(key, _)| key).filter(|key| seen.insert(*key));
    let (mut fields, mut needed) = (Map::new(), Vec::new());
    for key in keys {
        let mut kinds: Vec<&Value> = Vec::new();
        let mut is_any = false;
        for one in &each {
            match one.get("properties").and_then(|fields| fields.get(key)) {
                Some(kind) if kinds.contains(&kind) => {}
                Some(kind) => kinds.push(kind),
                None => is_any |= !is_closed(one),
            }
        }
        let kind = match kinds.as_slice() {
            _ if is_any => json!({}),
            [single] => (*single).clone(),
            several => json!({"anyOf": several}),
        };
        fields.insert(key.to_owned(), kind);
        if each.iter().all(|one| required(one, key)) {
            needed.push(key.to_owned());
        }
    }
    let others = !each.iter().all(is_closed);
    Some(json!({"type": "object", "properties": fields, "required": needed, "additionalProperties": others}))
}

/// What is written about.
struct Subject<'a> {
    tool: &'a ToolId,
    schema: &'a Value,
    /// Whether the value is in a field `result`.
    wrapped: bool,
}

impl Subject<'_> {
    /// What the author has: the value that is returned as text today.
    fn value(&self) -> &'static str {
        if self.wrapped { "{ result: value }" } else { "value" }
    }
}

#[derive(Default)]
struct Printed {
    text: String,
    notes: Vec<String>,
}

impl Printed {
    fn leave_out(&mut self, keyword: &str, path: &str) {
        let place = if path.is_empty() { "the whole value" } else { path };
        let note = format!("{keyword} of {} is left out", line(place));
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

fn json_patch(subject: &Subject<'_>) -> Printed {
    let text = json!({"name": subject.tool.tool(), "outputSchema": subject.schema});
    Printed { text: serde_json::to_string_pretty(&text).unwrap_or_default() + "\n", notes: Vec::new() }
}

fn is_object(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "object")
        || ["anyOf", "oneOf"].iter().any(|keyword| {
            let each = schema.get(*keyword).and_then(Value::as_array);
            each.is_some_and(|each| !each.is_empty() && each.iter().all(is_object))
        })
}

/// Types of a schema; none if it does not say.
fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Alternatives of a schema; none if it has none.
fn alternatives(schema: &Value) -> Option<&Vec<Value>> {
    ["anyOf", "oneOf"].iter().find_map(|keyword| schema.get(*keyword)?.as_array())
}

/// Keywords that no printer knows.
fn unknown(schema: &Value) -> impl Iterator<Item = &str> {
    const KNOWN: &[&str] = &[
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "prefixItems",
        "minItems",
        "maxItems",
        "enum",
        "const",
        "anyOf",
        "oneOf",
        "description",
        "title",
        "format",
        "default",
        "examples",
        "$comment",
    ];
    schema
        .as_object()
        .into_iter()
        .flatten()
        .map(|(keyword, _)| keyword.as_str())
        .filter(|one| !KNOWN.contains(one))
}

fn required<'a>(schema: &'a Value, key: &str) -> bool {
    let required: Option<&'a Vec<Value>> = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|name| name == key))
}

fn properties(schema: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().map(|(name, schema)| (name.as_str(), schema))
}

/// A path with a further field.
fn inside(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order() -> Value {
        json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
            "required": ["id", "state", "lines"], "additionalProperties": false, "properties": {
                "id": {"type": "integer"},
                "state": {"enum": ["open", "shipped"]},
                "note": {"type": ["string", "null"], "description": "for \"people\"\n*/"},
                "odd-key": {"const": 7},
                "stock": {"type": "object", "additionalProperties": {"type": "number"}},
                "lines": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}}}},
                "pair": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": false,
                    "minItems": 2, "maxItems": 2},
                "mixed": {"anyOf": [{"type": "boolean"}, {"type": "array", "items": {"type": "null"}}]}}})
    }

    fn written(sdk: Sdk, schema: &Value) -> Patch {
        let tool = ToolId::new("shop", "get_order").unwrap();
        patch(sdk, &tool, schema, &["learned from 7 results\n*/".to_owned()])
    }

    /// Inference writes the type of a union once, around it.
    #[test]
    fn unions_are_no_arbitrary_values() {
        let one = |kind: &str, other: &str| {
            json!({"properties": {"kind": {"const": kind}, other: {"type": "integer"}},
            "required": ["kind", other], "additionalProperties": false})
        };
        let union = json!({"type": "object", "oneOf": [one("a", "x"), one("b", "y")]});
        let list = json!({"type": "array", "items": union});
        let zod = written(Sdk::Typescript, &list).text;
        assert!(
            zod.contains("kind: z.literal(\"b\")") && zod.contains("y: integer") && !zod.contains("any"),
            "{zod}"
        );
        let python = written(Sdk::Python, &list).text;
        assert!(
            python.contains("Literal[\"b\"]") && python.contains("\"y\": int") && !python.contains("Any"),
            "{python}"
        );
    }

    /// The TypeScript SDK calls no tool whose whole schema is a union, and the Python SDK wraps its values.
    #[test]
    fn union_as_the_whole_value_becomes_one_object() {
        let union = json!({"type": "object", "oneOf": [
            {"properties": {"kind": {"const": "a"}, "n": {"type": "integer"}}, "required": ["kind", "n"],
                "additionalProperties": false},
            {"properties": {"kind": {"const": "b"}, "n": {"type": "integer"}, "s": {"type": "string"}},
                "required": ["kind"], "additionalProperties": false}]});
        let zod = written(Sdk::Typescript, &union);
        let object = "export const getOrderOutput = z.strictObject({\n  kind: z.union([z.literal(\"a\"), z.literal(\"b\")]),\n  \
                      n: integer.optional(),\n  s: z.string().optional(),\n});\n";
        assert!(zod.text.contains(object), "{}", zod.text);
        assert_eq!(zod.notes.len(), 1);
        let python = written(Sdk::Python, &union).text;
        assert!(
            python.contains("\"kind\": Literal[\"a\"] | Literal[\"b\"],\n        \"n\": NotRequired[int]"),
            "{python}"
        );
        assert!(written(Sdk::Json, &union).text.contains("oneOf"));
        // What an open alternative may have under the same name is not known.
        let open = json!({"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "object"}]});
        assert!(written(Sdk::Typescript, &open).text.contains("  a: z.any().optional(),\n"));
    }

    #[test]
    fn every_sdk_says_all_of_it() {
        for sdk in [Sdk::Typescript, Sdk::Python, Sdk::Rust, Sdk::Json] {
            let patch = written(sdk, &order());
            assert!(patch.text.contains("shipped") && patch.notes.is_empty(), "{sdk:?}: {patch:?}");
        }
    }

    #[test]
    fn zod_says_what_the_schema_says() {
        let text = written(Sdk::Typescript, &order()).text;
        for part in [
            "// learned from 7 results */\n",
            "export const getOrderOutput = z.strictObject({\n  id: integer,\n  state: z.enum([\"open\", \"shipped\"]),\n",
            "  note: z.string().nullable().optional(),\n",
            "  \"odd-key\": z.literal(7).optional(),\n",
            "  stock: z.record(z.string(), z.number()).optional(),\n",
            "  lines: z.array(z.looseObject({\n    sku: z.string().optional(),\n  })),\n",
            "  pair: z.tuple([integer, z.string()]).optional(),\n",
            "  mixed: z.union([z.boolean(), z.array(z.null())]).optional(),\n});\n",
            "  outputSchema: getOrderOutput,\n",
            "structuredContent: value }",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn pydantic_says_what_the_schema_says() {
        let text = written(Sdk::Python, &order()).text;
        for part in [
            "GetOrderOutputLinesItem = TypedDict(\n    \"GetOrderOutputLinesItem\",\n    {\n        \"sku\": NotRequired[str],\n    },\n)\n",
            "        \"state\": Literal[\"open\", \"shipped\"],\n",
            "        \"note\": NotRequired[str | None],\n",
            "        \"stock\": NotRequired[dict[str, float]],\n",
            "        \"pair\": NotRequired[tuple[int, str]],\n",
            "GetOrderOutput.__pydantic_config__ = ConfigDict(extra=\"forbid\")\n",
            "async def get_order(...) -> GetOrderOutput:\n",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn names_of_tools_stay_and_fields_are_distinct() {
        let schema = json!({"type": "object", "properties": {"userId": {"type": "integer"}, "user_id": {"type": "integer"}}});
        let tool = ToolId::new("shop", "get-order").unwrap();
        let text = |sdk: Sdk| patch(sdk, &tool, &schema, &[]).text;
        assert!(text(Sdk::Python).contains("@server.tool(name=\"get-order\")\nasync def get_order_(...)"));
        let rust = text(Sdk::Rust);
        assert!(rust.contains("#[tool(name = \"get-order\", description = \"…\")]"), "{rust}");
        assert!(rust.contains("pub userId: ") && rust.matches("pub user_id: ").count() == 1, "{rust}");
    }

    #[test]
    fn values_that_are_no_objects_are_wrapped() {
        let list = json!({"type": "array", "items": {"type": "string"}});
        for sdk in [Sdk::Typescript, Sdk::Python, Sdk::Rust, Sdk::Json] {
            let patch = written(sdk, &list);
            assert!(patch.text.contains("result") && patch.notes.len() == 1, "{patch:?}");
        }
        let odd = json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "^x"}}});
        assert_eq!(written(Sdk::Typescript, &odd).notes, ["pattern of a is left out"]);
        assert_eq!(written(Sdk::Rust, &odd).notes, Vec::<String>::new());
    }
}
