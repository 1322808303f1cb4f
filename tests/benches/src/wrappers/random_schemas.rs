//! Random schemas with values for them. Which values fit is what the crate `jsonschema` says.

use anyhow::Result;
use schemascope_benches::random::Random;
use serde_json::{Map, Value, json};

use crate::cases::{Case, Suite};

/// How many values of a schema are kept, and how many are tried for them.
const KEPT: usize = 12;
const TRIED: usize = 80;

/// Depth below which only scalars are drawn.
const DEPTH: usize = 4;

pub(super) const KEYS: [&str; 24] = [
    "id",
    "name",
    "items",
    "total_count",
    "createdAt",
    "x-rate",
    "a.b",
    "a/b",
    "m~n",
    "1st",
    "class",
    "get",
    "raw",
    "$ref",
    "type",
    "properties",
    "with space",
    "über",
    "_id",
    "Name",
    "NAME",
    "",
    "constructor",
    "model_fields",
];
pub(super) const TEXTS: [&str; 16] = [
    "",
    "a",
    "ab",
    "abc",
    "A1",
    "2026-11-24",
    "2026-11-24T10:00:00Z",
    "é",
    "👍🏽",
    "x-y_z",
    "  ",
    "true",
    "1",
    "null",
    "line\nline",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];
const PATTERNS: [&str; 10] = [
    "^a",
    "b$",
    "^[a-z]+$",
    "^\\d+$",
    "^x-",
    "^.{2,4}$",
    "[0-9]{4}-[0-9]{2}",
    "^(true|false)$",
    "\\S",
    "^[^_]*$",
];
const FORMATS: [&str; 6] = ["date-time", "date", "email", "uri", "uuid", "ipv4"];
const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];

/// So many random schemas, each with values of which some fit and some do not, where there are both.
pub fn suite(seed: u64, count: usize) -> Result<Suite> {
    let mut suite = Suite::default();
    for number in 0..count {
        let mut draw = Draw { random: Random::new(seed, &format!("schema {number}")), defs: Vec::new() };
        let schema = draw.root();
        let validator = jsonschema::draft202012::new(&schema)
            .map_err(|error| anyhow::anyhow!("random {number}: {error}: {schema}"))?;
        let at = suite.schemas.len();
        suite.schemas.push((format!("random {number}"), schema.clone()));
        let (mut seen, mut counts) = (Vec::new(), [0; 2]);
        for _ in 0..TRIED {
            let mut value = draw.value(&schema, &schema, 0);
            if draw.random.chance(0.4) {
                draw.change(&mut value);
            }
            let valid = validator.is_valid(&value);
            let json = value.to_string();
            if counts[usize::from(valid)] >= KEPT / 2 || seen.contains(&json) {
                continue;
            }
            counts[usize::from(valid)] += 1;
            seen.push(json.clone());
            suite.cases.push(Case { schema: at, about: format!("random {number}"), json, valid });
        }
    }
    Ok(suite)
}

/// Draws a schema, and values for it.
pub(super) struct Draw {
    pub(super) random: Random,
    /// Names of `$defs` that exist.
    defs: Vec<String>,
}

impl Draw {
    fn root(&mut self) -> Value {
        let names: Vec<String> = ["node", "Odd name/~", "leaf"]
            .iter()
            .take(self.random.below(4))
            .map(|&name| name.to_owned())
            .collect();
        self.defs.clone_from(&names);
        let mut schema = if self.random.chance(0.8) { self.object(0) } else { self.schema(0) };
        if !schema.is_object() {
            schema = json!({"properties": {"a": schema}});
        }
        let mut defs = Map::new();
        for name in names {
            // A definition that refers to another one only below a property or an item always ends.
            let mut def = if self.random.chance(0.6) { self.object(2) } else { self.array(2) };
            if name == "leaf" && self.random.chance(0.5) {
                def["$anchor"] = json!("leaf");
            }
            defs.insert(name, def);
        }
        if !defs.is_empty() {
            schema["$defs"] = Value::Object(defs);
        }
        if self.random.chance(0.3) {
            schema["title"] = json!(self.random.one(&TEXTS));
        }
        schema
    }

    /// A schema at a depth.
    fn schema(&mut self, depth: usize) -> Value {
        if depth >= DEPTH {
            return self.scalar();
        }
        match self.random.below(20) {
            0 => json!(true),
            1 if depth > 1 => json!(false),
            1..=6 => self.scalar(),
            7..=11 => self.object(depth),
            12..=14 => self.array(depth),
            15..=17 => self.combined(depth),
            18 => self.reference(),
            _ => self.several(),
        }
    }

    fn reference(&mut self) -> Value {
        if self.defs.is_empty() {
            return self.scalar();
        }
        let name = self.defs[self.random.below(self.defs.len())].clone();
        let mut schema = json!({"$ref": format!("#/$defs/{}", name.replace('~', "~0").replace('/', "~1").replace(' ', "%20"))});
        if self.random.chance(0.3) {
            schema["description"] = json!("beside a reference");
            schema["maxProperties"] = json!(self.random.within(1, 6));
        }
        schema
    }

    fn several(&mut self) -> Value {
        let count = self.random.within(2, 3) as usize;
        let types = self.random.some(&TYPES, count);
        let mut schema = json!({"type": types});
        if self.random.chance(0.3) {
            schema["minLength"] = json!(2);
            schema["maximum"] = json!(10);
        }
        schema
    }

    fn scalar(&mut self) -> Value {
        let random = &mut self.random;
        let mut schema = Map::new();
        match random.below(9) {
            0 => drop(schema.insert("type".to_owned(), json!("boolean"))),
            1 => drop(schema.insert("type".to_owned(), json!("null"))),
            2 | 3 => {
                schema.insert("type".to_owned(), json!("string"));
                if random.chance(0.3) {
                    schema.insert("minLength".to_owned(), json!(random.within(0, 3)));
                }
                if random.chance(0.3) {
                    schema.insert("maxLength".to_owned(), json!(random.within(1, 12)));
                }
                if random.chance(0.3) {
                    schema.insert("pattern".to_owned(), json!(random.one(&PATTERNS)));
                }
                if random.chance(0.2) {
                    schema.insert("format".to_owned(), json!(random.one(&FORMATS)));
                }
            }
            4 | 5 => {
                schema.insert("type".to_owned(), json!(random.one(&["integer", "number"])));
                for (name, low, high) in [
                    ("minimum", -5, 3),
                    ("maximum", 3, 100),
                    ("exclusiveMinimum", -5, 2),
                    ("exclusiveMaximum", 4, 50),
                ] {
                    if random.chance(0.2) {
                        schema.insert(name.to_owned(), json!(random.within(low, high)));
                    }
                }
                if random.chance(0.2) {
                    schema.insert(
                        "multipleOf".to_owned(),
                        random.pick(&[json!(2), json!(0.5), json!(0.01)]).clone(),
                    );
                }
            }
            6 => {
                let count = random.within(1, 4) as usize;
                let all = [
                    json!("a"),
                    json!("A"),
                    json!(1),
                    json!(1.5),
                    json!(true),
                    json!(null),
                    json!([]),
                    json!({"a": 1}),
                    json!(""),
                ];
                let mut chosen: Vec<Value> = Vec::new();
                for _ in 0..count {
                    let one = random.pick(&all).clone();
                    if !chosen.contains(&one) {
                        chosen.push(one);
                    }
                }
                schema.insert("enum".to_owned(), Value::Array(chosen));
            }
            7 => {
                let consts = [
                    json!("x"),
                    json!(0),
                    json!(false),
                    json!(null),
                    json!({"k": ["v"]}),
                    json!([1, "a"]),
                    json!(-1.5),
                ];
                schema.insert("const".to_owned(), random.pick(&consts).clone());
            }
            _ => drop(schema.insert("minLength".to_owned(), json!(1))),
        }
        if random.chance(0.15) {
            schema.insert("description".to_owned(), json!(random.one(&TEXTS)));
        }
        if random.chance(0.1) {
            schema.insert("default".to_owned(), json!(random.one(&TEXTS)));
        }
        Value::Object(schema)
    }

    fn object(&mut self, depth: usize) -> Value {
        let mut schema = Map::new();
        if self.random.chance(0.85) {
            schema.insert("type".to_owned(), json!("object"));
        }
        let count = self.random.below(5);
        let keys = self.random.some(&KEYS, count);
        let mut properties = Map::new();
        for key in &keys {
            properties.insert((*key).to_owned(), self.schema(depth + 1));
        }
        if !properties.is_empty() {
            schema.insert("properties".to_owned(), Value::Object(properties));
        }
        let mut required: Vec<&str> = keys.iter().copied().filter(|_| self.random.chance(0.4)).collect();
        if self.random.chance(0.1) {
            required.push("absent");
        }
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        match self.random.below(8) {
            0 | 1 => drop(schema.insert("additionalProperties".to_owned(), json!(false))),
            2 | 3 => {
                let inner = self.schema(depth + 1);
                schema.insert("additionalProperties".to_owned(), inner);
            }
            4 => drop(schema.insert("unevaluatedProperties".to_owned(), json!(false))),
            _ => {}
        }
        if self.random.chance(0.15) {
            let (pattern, inner) = (self.random.one(&PATTERNS), self.schema(depth + 1));
            schema.insert("patternProperties".to_owned(), json!({pattern: inner}));
        }
        if self.random.chance(0.08) {
            schema.insert("propertyNames".to_owned(), json!({"maxLength": self.random.within(1, 8)}));
        }
        if self.random.chance(0.08) {
            schema.insert("minProperties".to_owned(), json!(self.random.within(0, 3)));
        }
        if self.random.chance(0.08) {
            schema.insert("maxProperties".to_owned(), json!(self.random.within(1, 5)));
        }
        if keys.len() > 1 && self.random.chance(0.15) {
            let (one, other) = (keys[0], keys[1]);
            if self.random.chance(0.5) {
                schema.insert("dependentRequired".to_owned(), json!({one: [other]}));
            } else {
                let inner = self.schema(depth + 1);
                schema.insert("dependentSchemas".to_owned(), json!({one: {"properties": {other: inner}}}));
            }
        }
        if depth < 2 && self.random.chance(0.12) {
            let key = if keys.is_empty() { "kind" } else { keys[0] };
            schema.insert("if".to_owned(), json!({"properties": {key: self.scalar()}, "required": [key]}));
            schema.insert("then".to_owned(), json!({"required": ["then"]}));
            if self.random.chance(0.5) {
                schema.insert("else".to_owned(), json!({"maxProperties": 3}));
            }
        }
        Value::Object(schema)
    }

    fn array(&mut self, depth: usize) -> Value {
        let mut schema = Map::new();
        if self.random.chance(0.9) {
            schema.insert("type".to_owned(), json!("array"));
        }
        if self.random.chance(0.3) {
            let prefix: Vec<Value> = (0..=self.random.below(3)).map(|_| self.schema(depth + 1)).collect();
            schema.insert("prefixItems".to_owned(), Value::Array(prefix));
        }
        if self.random.chance(0.75) {
            let inner = if self.random.chance(0.2) { json!(false) } else { self.schema(depth + 1) };
            schema.insert("items".to_owned(), inner);
        } else if self.random.chance(0.3) {
            schema.insert("unevaluatedItems".to_owned(), json!(false));
        }
        if self.random.chance(0.15) {
            schema.insert("minItems".to_owned(), json!(self.random.within(0, 2)));
        }
        if self.random.chance(0.15) {
            schema.insert("maxItems".to_owned(), json!(self.random.within(1, 4)));
        }
        if self.random.chance(0.12) {
            schema.insert("uniqueItems".to_owned(), json!(true));
        }
        if self.random.chance(0.1) {
            schema.insert("contains".to_owned(), self.scalar());
            if self.random.chance(0.5) {
                schema.insert("maxContains".to_owned(), json!(self.random.within(1, 2)));
            }
            if self.random.chance(0.3) {
                schema.insert("minContains".to_owned(), json!(self.random.within(0, 2)));
            }
        }
        Value::Object(schema)
    }

    fn combined(&mut self, depth: usize) -> Value {
        let word = self.random.one(&["anyOf", "oneOf", "allOf", "anyOf", "oneOf", "not"]);
        if word == "not" {
            return json!({"not": self.scalar()});
        }
        let parts: Vec<Value> = (0..self.random.within(1, 3)).map(|_| self.schema(depth + 1)).collect();
        let mut schema = json!({word: parts});
        if self.random.chance(0.25)
            && let Value::Object(sibling) = self.object(depth + 1)
            && let Some(members) = schema.as_object_mut()
        {
            members.extend(sibling);
        }
        schema
    }
}
