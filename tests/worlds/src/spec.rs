//! The written form of tools: one line per tool side, each field with its type and its meaning.
//!
//! `orders[].id: i @order; total: n; note?: s =hello|bye`
//!
//! Types: `s` string, `i` integer, `n` number, `b` boolean, `date`, `datetime`, `uri`, `email`.
//! Paths: `a.b[].c`, `m{}.x` for the values of a map, `m{key}` for its keys, `$` for the whole value.
//! `?` marks an optional field. `=a|b` lists what people would say. `!` marks an output that only
//! repeats an argument of its own call. Meanings follow `@`, separated by commas:
//!
//! | | in an output | in an input |
//! |---|---|---|
//! | `order` | an order's id | takes an order's id |
//! | `>order` | a text or link that contains an order's id | |
//! | `<order` | | a link or sentence that contains an order's id; the form is after `=` with `{}` |
//! | `&file` | one half of a file's path | |
//! | `~title` | | may take a title, though it is not made for it: either way |
//! | `*url` | understood by every server | understood by every server |

use serde_json::{Map, Value, json};

/// What a field has to do with a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meaning {
    /// It is an id of the kind.
    Is(String),
    /// It contains an id of the kind.
    Contains(String),
    /// It is half of an id of the kind.
    Half(String),
    /// It may take an id of the kind, but is not made for it.
    May(String),
}

/// One field of an input or output.
#[derive(Debug, Clone)]
pub struct Field {
    /// Path as Schemascope writes it.
    pub path: String,
    /// Its type in the written form.
    pub kind: String,
    /// Whether it is always present.
    pub required: bool,
    /// Its meanings.
    pub meanings: Vec<Meaning>,
    /// What people would say.
    pub choices: Vec<String>,
    /// Whether it only repeats an argument.
    pub echo: bool,
}

/// One tool.
#[derive(Debug, Clone)]
pub struct Tool {
    /// Name.
    pub name: &'static str,
    /// Fields of the arguments.
    pub inputs: Vec<Field>,
    /// Fields of the result.
    pub outputs: Vec<Field>,
    /// Whether the server declares an output schema.
    pub declared: bool,
    /// Whether the server annotates the tool as read-only.
    pub read_only: bool,
    /// How often an agent wants it; 0 is never.
    pub weight: u64,
}

impl Field {
    fn parse(line: &str) -> Self {
        let (path, rest) = line.split_once(':').unwrap_or((line, "s"));
        let path = path.trim();
        let (path, required) = path.strip_suffix('?').map_or((path, true), |path| (path, false));
        let (rest, choices) =
            rest.split_once('=').map_or((rest, ""), |(rest, choices)| (rest, choices.trim()));
        let (choices, meanings) = choices.split_once(" @").unwrap_or((choices, ""));
        let rest = if meanings.is_empty() { rest.to_owned() } else { format!("{rest} @{meanings}") };
        let mut words = rest.split_whitespace();
        let kind = words.next().unwrap_or("s").to_owned();
        let mut field = Self {
            path: if path == "$" { String::new() } else { path.to_owned() },
            kind,
            required,
            meanings: Vec::new(),
            choices: choices.split('|').filter(|choice| !choice.is_empty()).map(str::to_owned).collect(),
            echo: false,
        };
        for word in words {
            match word.strip_prefix('@') {
                Some(meanings) => field.meanings.extend(meanings.split(',').map(Meaning::parse)),
                None => field.echo |= word == "!",
            }
        }
        field
    }

    /// Rejects arguments that lack a required field or have it in the wrong type.
    pub(crate) fn check(&self, arguments: &Value) -> Result<(), String> {
        let found = values_at(arguments, &self.path);
        let top = self.path.split(['.', '[', '{']).next().unwrap_or_default();
        if self.required && (arguments.get(top).is_none() || (found.is_empty() && !self.path.contains('['))) {
            return Err(format!("missing argument {}", self.path));
        }
        let fits = |value: &Value| match self.kind.as_str() {
            "i" => value.is_i64() || value.is_u64(),
            "n" => value.is_number(),
            "b" => value.is_boolean(),
            _ => value.is_string(),
        };
        match found.into_iter().find(|(_, value)| !fits(value)) {
            Some((_, value)) => Err(format!("argument {} has the wrong type: {value}", self.path)),
            None => Ok(()),
        }
    }

    fn schema(&self) -> Value {
        match self.kind.as_str() {
            "i" => json!({"type": "integer"}),
            "n" => json!({"type": "number"}),
            "b" => json!({"type": "boolean"}),
            "date" => json!({"type": "string", "format": "date"}),
            "datetime" => json!({"type": "string", "format": "date-time"}),
            "uri" => json!({"type": "string", "format": "uri"}),
            "email" => json!({"type": "string", "format": "email"}),
            _ => json!({"type": "string"}),
        }
    }
}

impl Meaning {
    fn parse(word: &str) -> Self {
        let rest = word.get(1..).unwrap_or_default().to_owned();
        match word.as_bytes().first() {
            Some(b'>' | b'<') => Self::Contains(rest),
            Some(b'&') => Self::Half(rest),
            Some(b'~') => Self::May(rest),
            _ => Self::Is(word.to_owned()),
        }
    }
}

/// Reads the written form of one side of a tool.
fn fields(line: &str) -> Vec<Field> {
    line.split(';').map(str::trim).filter(|field| !field.is_empty()).map(Field::parse).collect()
}

impl Tool {
    /// Reads a tool that only reads and declares its output.
    pub(crate) fn new(name: &'static str, inputs: &str, outputs: &str) -> Self {
        Self {
            name,
            inputs: fields(inputs),
            outputs: fields(outputs),
            declared: true,
            read_only: true,
            weight: 3,
        }
    }

    /// The same tool without a declared output.
    pub(crate) fn bare(mut self) -> Self {
        self.declared = false;
        self
    }

    /// The same tool as one that changes something.
    pub(crate) fn acts(mut self) -> Self {
        self.read_only = false;
        self.weight = 2;
        self
    }

    /// The same tool, wanted as often as said.
    pub(crate) fn weight(mut self, weight: u64) -> Self {
        self.weight = weight;
        self
    }

    /// Returns whether its answers are text.
    pub fn is_text(&self) -> bool {
        self.outputs.iter().any(|field| field.path.is_empty())
    }

    /// Returns the input schema.
    pub fn input_schema(&self) -> Value {
        schema(&self.inputs, true)
    }

    /// Returns the schema that its results have, declared or not. Text answers have none.
    pub fn result_schema(&self) -> Option<Value> {
        (!self.is_text()).then(|| schema(&self.outputs, false))
    }

    /// Returns the output schema if the server declares one. Text answers have none.
    pub fn output_schema(&self) -> Option<Value> {
        self.result_schema().filter(|_| self.declared)
    }
}

/// Builds a schema from fields.
fn schema(fields: &[Field], input: bool) -> Value {
    let mut root = json!({"type": "object", "properties": {}});
    for field in fields {
        let mut node = &mut root;
        let steps = steps(&field.path);
        for (at, step) in steps.iter().enumerate() {
            let last = at + 1 == steps.len();
            let leaf = if last { field.schema() } else { json!({}) };
            node = match step.as_str() {
                "{key}" => {
                    node["type"] = json!("object");
                    object(node).entry("additionalProperties").or_insert(json!({}))
                }
                "[]" | "{}" => {
                    let (kind, member) =
                        if step == "[]" { ("array", "items") } else { ("object", "additionalProperties") };
                    node["type"] = json!(kind);
                    object(node).entry(member).or_insert(json!({}))
                }
                name => {
                    node["type"] = json!("object");
                    let required = object(node).entry("required").or_insert(json!([]));
                    if let Some(required) = required.as_array_mut()
                        && field.required
                        && !required.contains(&json!(name))
                    {
                        required.push(json!(name));
                    }
                    let properties = object(node).entry("properties").or_insert(json!({}));
                    object(properties).entry(name).or_insert(json!({}))
                }
            };
            if last && step != "{key}" {
                object(node).extend(leaf.as_object().cloned().unwrap_or_default());
                if input && !field.choices.is_empty() && field.kind == "enum" {
                    node["enum"] = json!(field.choices);
                }
            }
        }
    }
    root
}

fn object(value: &mut Value) -> &mut Map<String, Value> {
    if !value.is_object() {
        *value = json!({});
    }
    match value {
        Value::Object(map) => map,
        _ => unreachable!("just made an object"),
    }
}

/// Splits a path into names, `[]`, `{}` and `{key}`.
pub(crate) fn steps(path: &str) -> Vec<String> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        let cut = part.find(['[', '{']).unwrap_or(part.len());
        if cut > 0 {
            steps.push(part[..cut].to_owned());
        }
        let mut rest = &part[cut..];
        while let Some(end) = rest.find([']', '}']) {
            steps.push(rest[..=end].to_owned());
            rest = &rest[end + 1..];
        }
    }
    steps
}

/// Returns the values at a path, each with the place in lists and maps where it is.
pub fn values_at(value: &Value, path: &str) -> Vec<(Vec<usize>, Value)> {
    let mut found = vec![(Vec::new(), value.clone())];
    for step in steps(path) {
        let mut next = Vec::new();
        for (place, value) in found {
            let deeper = |at: usize| [place.clone(), vec![at]].concat();
            match (step.as_str(), &value) {
                ("[]", Value::Array(items)) => {
                    next.extend(items.iter().enumerate().map(|(at, item)| (deeper(at), item.clone())));
                }
                ("{}", Value::Object(map)) => {
                    next.extend(map.values().enumerate().map(|(at, item)| (deeper(at), item.clone())));
                }
                ("{key}", Value::Object(map)) => {
                    next.extend(map.keys().enumerate().map(|(at, key)| (deeper(at), json!(key))));
                }
                (name, Value::Object(map)) => next.extend(map.get(name).map(|own| (place, own.clone()))),
                _ => {}
            }
        }
        found = next;
    }
    found.retain(|(_, value)| !value.is_null());
    found
}
