//! The official Python SDK: typed dictionaries, which Pydantic validates. They tell an absent field from null.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::Value;

use super::{Printed, Subject, alternatives, inside, properties, required, types, unknown};
use crate::literal::python;
use crate::names::{pascal, python_attribute};

pub(super) fn print(subject: &Subject<'_>) -> Printed {
    let root = format!("{}Output", pascal(subject.tool.tool()));
    let mut printer = Printer {
        printed: Printed::default(),
        classes: String::new(),
        used: BTreeSet::new(),
        typing: BTreeSet::from(["TypedDict"]),
        has_config: false,
        has_field: false,
    };
    let whole = printer.write(subject.schema, &root, "");
    let mut text = String::new();
    let typing: Vec<&str> = printer.typing.iter().copied().collect();
    // Below Python 3.12, Pydantic reads typed dictionaries of this module only; it depends on it anyway.
    let _ = write!(text, "from typing_extensions import {}\n\n", typing.join(", "));
    let imports = [("ConfigDict", printer.has_config), ("Field", printer.has_field)];
    let imports: Vec<&str> = imports.iter().filter(|(_, is_used)| *is_used).map(|(name, _)| *name).collect();
    if !imports.is_empty() {
        let _ = write!(text, "from pydantic import {}\n\n", imports.join(", "));
    }
    text += &printer.classes;
    // The whole value has a name, whatever it is.
    if whole != root {
        let _ = write!(text, "{root} = {whole}\n\n");
    }
    let tool = subject.tool.tool();
    let function = python_attribute(tool);
    // The SDK takes the tool's name from the function.
    let named = if function == tool { String::new() } else { format!("name={}", python(tool)) };
    let value = if subject.wrapped { "{\"result\": value}" } else { "value" };
    let _ = write!(
        text,
        "# In the tool; the SDK returns the value as structured content and as text:\n\
         @server.tool({named})\nasync def {function}(...) -> {root}:\n    value = ...  # what you turn into text today\n    return {value}\n",
    );
    Printed { text, notes: printer.printed.notes }
}

struct Printer {
    printed: Printed,
    classes: String,
    used: BTreeSet<String>,
    typing: BTreeSet<&'static str>,
    has_config: bool,
    has_field: bool,
}

impl Printer {
    fn any(&mut self) -> String {
        self.typing.insert("Any");
        "Any".to_owned()
    }

    fn write(&mut self, schema: &Value, name: &str, path: &str) -> String {
        if *schema == Value::Bool(false) {
            self.typing.insert("Never");
            return "Never".to_owned();
        }
        for keyword in unknown(schema) {
            self.printed.leave_out(keyword, path);
        }
        let values = schema.get("const").map(|value| vec![value.clone()]);
        let values = values.or_else(|| schema.get("enum").and_then(Value::as_array).cloned());
        if let Some(values) = values {
            return self.literals(&values);
        }
        if let Some(each) = alternatives(schema) {
            let each = each.iter().enumerate();
            let parts: Vec<String> =
                each.map(|(at, one)| self.write(one, &format!("{name}{}", at + 1), path)).collect();
            return union(parts);
        }
        let mut parts: Vec<String> = Vec::new();
        for kind in types(schema) {
            let part = match kind {
                "string" => match schema.get("format").and_then(Value::as_str) {
                    Some(format) => {
                        self.typing.insert("Annotated");
                        self.has_field = true;
                        format!("Annotated[str, Field(json_schema_extra={{\"format\": {}}})]", python(format))
                    }
                    None => "str".to_owned(),
                },
                "integer" => "int".to_owned(),
                "number" => "float".to_owned(),
                "boolean" => "bool".to_owned(),
                "null" => "None".to_owned(),
                "array" => self.array(schema, name, path),
                "object" => self.object(schema, name, path),
                _ => self.any(),
            };
            parts.push(part);
        }
        if parts.is_empty() { self.any() } else { union(parts) }
    }

    fn literals(&mut self, values: &[Value]) -> String {
        let mut listed = Vec::new();
        for value in values {
            listed.push(match value {
                Value::Null => "None".to_owned(),
                Value::Bool(true) => "True".to_owned(),
                Value::Bool(false) => "False".to_owned(),
                Value::String(text) => python(text),
                Value::Number(number) if !number.is_f64() => number.to_string(),
                _ => return self.any(),
            });
        }
        self.typing.insert("Literal");
        format!("Literal[{}]", listed.join(", "))
    }

    fn array(&mut self, schema: &Value, name: &str, path: &str) -> String {
        let (path, item) = (format!("{path}[]"), format!("{name}Item"));
        let limit = |keyword: &str| schema.get(keyword).and_then(Value::as_u64);
        if let Some(first) = schema.get("prefixItems").and_then(Value::as_array) {
            let count = first.len() as u64;
            let is_closed =
                schema.get("items") == Some(&Value::Bool(false)) || limit("maxItems") == Some(count);
            if is_closed && limit("minItems") == Some(count) {
                let each = first.iter().enumerate();
                let each: Vec<String> =
                    each.map(|(at, one)| self.write(one, &format!("{item}{}", at + 1), &path)).collect();
                return format!("tuple[{}]", each.join(", "));
            }
            self.printed.leave_out("prefixItems", &path);
            return format!("list[{}]", self.any());
        }
        for keyword in ["minItems", "maxItems"] {
            if schema.get(keyword).is_some() {
                self.printed.leave_out(keyword, &path);
            }
        }
        match schema.get("items") {
            Some(items) => format!("list[{}]", self.write(items, &item, &path)),
            None => format!("list[{}]", self.any()),
        }
    }

    fn object(&mut self, schema: &Value, name: &str, path: &str) -> String {
        let others = schema.get("additionalProperties");
        if schema.get("properties").and_then(Value::as_object).is_none_or(serde_json::Map::is_empty) {
            let values = match others {
                Some(values) if values.is_object() => {
                    self.write(values, &format!("{name}Value"), &format!("{path}{{}}"))
                }
                _ => self.any(),
            };
            return format!("dict[str, {values}]");
        }
        let (mut class, mut number) = (name.to_owned(), 2);
        while !self.used.insert(class.clone()) {
            class = format!("{name}{number}");
            number += 1;
        }
        let mut fields = String::new();
        for (key, inner) in properties(schema) {
            let written = self.write(inner, &format!("{name}{}", pascal(key)), &inside(path, key));
            let written = match required(schema, key) {
                true => written,
                false => {
                    self.typing.insert("NotRequired");
                    format!("NotRequired[{written}]")
                }
            };
            let _ = writeln!(fields, "        {}: {written},", python(key));
        }
        let _ = write!(self.classes, "{class} = TypedDict(\n    \"{class}\",\n    {{\n{fields}    }},\n)\n");
        let extra = match others {
            Some(Value::Bool(false)) => "forbid",
            Some(values) if values.is_object() => {
                self.printed.leave_out("additionalProperties", path);
                "allow"
            }
            _ => "allow",
        };
        self.has_config = true;
        let _ = write!(self.classes, "{class}.__pydantic_config__ = ConfigDict(extra=\"{extra}\")\n\n");
        class
    }
}

fn union(mut parts: Vec<String>) -> String {
    let mut seen = BTreeSet::new();
    parts.retain(|part| seen.insert(part.clone()));
    // `None` last, as people write it.
    parts.sort_by_key(|part| part == "None");
    parts.join(" | ")
}
