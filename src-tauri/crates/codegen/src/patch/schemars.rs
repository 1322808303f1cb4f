//! `rmcp`: a type for serde, with its JSON Schema as schemars takes it.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::Value;

use super::{Printed, Subject, properties, required, types};
use crate::literal::script;
use crate::names::{pascal, rust_identifier, rust_method, snake};

pub(super) fn print(subject: &Subject<'_>) -> Printed {
    let root = format!("{}Output", pascal(subject.tool.tool()));
    let mut printer = Printer { structs: String::new(), used: BTreeSet::new() };
    let whole = printer.write(subject.schema, &root);
    let schema = serde_json::to_string_pretty(subject.schema).unwrap_or_default();
    let schema = ascii(&schema.replace('\n', "\n    "));
    let mut text =
        String::from("use schemars::{JsonSchema, Schema, SchemaGenerator};\nuse serde::Serialize;\n\n");
    text += &printer.structs;
    if whole != root {
        let _ = write!(text, "#[derive(Serialize)]\npub struct {root}(pub {whole});\n\n");
    }
    let tool = subject.tool.tool();
    let function = rust_identifier(&rust_method(tool));
    // The macro takes the tool's name from the function.
    let named = if function == tool { String::new() } else { format!("name = {}, ", script(tool)) };
    let hashes = "#".repeat(hashes(&schema));
    let _ = write!(
        text,
        "// What the results say, which no derive would.\n\
         impl JsonSchema for {root} {{\n    fn schema_name() -> std::borrow::Cow<'static, str> {{\n        \"{root}\".into()\n    }}\n\n    \
         fn json_schema(_: &mut SchemaGenerator) -> Schema {{\n        \
         serde_json::from_str::<Schema>({literal}).expect(\"a JSON Schema\")\n    }}\n}}\n\n\
         // In the tool; rmcp returns the value as structured content and as text:\n\
         #[tool({named}description = \"…\")]\nasync fn {function}(&self, …) -> rmcp::Json<{root}> {{\n    \
         let value = …; // what you turn into text today\n    rmcp::Json(value)\n}}\n",
        literal = format_args!("r{hashes}\"{schema}\"{hashes}"),
    );
    Printed { text, notes: Vec::new() }
}

/// JSON with escapes in place of letters that are not ASCII; they occur in strings only.
fn ascii(json: &str) -> String {
    let mut text = String::new();
    for letter in json.chars() {
        if letter.is_ascii() && letter != '\u{7f}' {
            text.push(letter);
        } else {
            letter.encode_utf16(&mut [0; 2]).iter().for_each(|unit| text += &format!("\\u{unit:04x}"));
        }
    }
    text
}

/// Number of signs that a raw literal needs.
fn hashes(text: &str) -> usize {
    let after = text.split('"').skip(1).map(|rest| rest.len() - rest.trim_start_matches('#').len());
    after.max().map_or(1, |most| most + 1)
}

struct Printer {
    structs: String,
    used: BTreeSet<String>,
}

impl Printer {
    /// A type that holds the values; what Rust has no word for is any JSON value.
    fn write(&mut self, schema: &Value, name: &str) -> String {
        const ANY: &str = "serde_json::Value";
        let types = types(schema);
        let is_nullable = types.contains(&"null");
        let kinds: Vec<&str> = types.into_iter().filter(|kind| *kind != "null").collect();
        let values = schema.get("enum").and_then(Value::as_array);
        let is_text = values.is_some_and(|values| !values.is_empty() && values.iter().all(Value::is_string))
            || schema.get("const").is_some_and(Value::is_string);
        let kind = match kinds[..] {
            [] if is_text => "String".to_owned(),
            ["string"] => "String".to_owned(),
            ["integer"] => "i64".to_owned(),
            ["number"] => "f64".to_owned(),
            ["boolean"] => "bool".to_owned(),
            ["array"] if schema.get("prefixItems").is_none() => match schema.get("items") {
                Some(items) => format!("Vec<{}>", self.write(items, &format!("{name}Item"))),
                None => format!("Vec<{ANY}>"),
            },
            ["object"] => self.object(schema, name),
            _ => return ANY.to_owned(),
        };
        if is_nullable { format!("Option<{kind}>") } else { kind }
    }

    fn object(&mut self, schema: &Value, name: &str) -> String {
        if properties(schema).next().is_none() {
            let values = match schema.get("additionalProperties") {
                Some(values) if values.is_object() => self.write(values, &format!("{name}Value")),
                _ => "serde_json::Value".to_owned(),
            };
            return format!("std::collections::BTreeMap<String, {values}>");
        }
        let (mut class, mut number) = (name.to_owned(), 2);
        while !self.used.insert(class.clone()) {
            class = format!("{name}{number}");
            number += 1;
        }
        let mut fields = String::new();
        let snaked = |key: &str| rust_method(&snake(key));
        let names: BTreeSet<String> = properties(schema).map(|(key, _)| snaked(key)).collect();
        // Two keys may have one name in snake case.
        let is_snake = names.len() == properties(schema).count();
        for (key, inner) in properties(schema) {
            let written = self.write(inner, &format!("{name}{}", pascal(key)));
            let field = if is_snake { snaked(key) } else { rust_method(key) };
            if field != key {
                let _ = writeln!(fields, "    #[serde(rename = {})]", script(key));
            }
            let written = match required(schema, key) {
                true => written,
                false => {
                    fields += "    #[serde(skip_serializing_if = \"Option::is_none\")]\n";
                    format!("Option<{written}>")
                }
            };
            let _ = writeln!(fields, "    pub {field}: {written},");
        }
        let _ = write!(self.structs, "#[derive(Serialize)]\npub struct {class} {{\n{fields}}}\n\n");
        class
    }
}
