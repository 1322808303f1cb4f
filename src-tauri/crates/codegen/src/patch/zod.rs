//! The official TypeScript SDK: Zod 4.

use std::fmt::Write;

use serde_json::Value;

use super::{Printed, Subject, alternatives, inside, properties, required, types, unknown};
use crate::literal::script;
use crate::names::pascal;

pub(super) fn print(subject: &Subject<'_>) -> Printed {
    let mut printed = Printed::default();
    let pascal = pascal(subject.tool.tool());
    let name = format!("{}{}Output", pascal[..1].to_lowercase(), &pascal[1..]);
    let schema = write(subject.schema, "", 0, &mut printed);
    let mut text = String::from("import { z } from \"zod\";\n\n");
    if schema.contains("integer") {
        text += "const integer = z.number().refine(Number.isInteger).meta({ type: \"integer\" });\n\n";
    }
    let value = subject.value();
    let _ = write!(
        text,
        "export const {name} = {schema};\n\n\
         // In the registration of the tool:\n\
         server.registerTool({tool}, {{\n  // … title, description and inputSchema as they are\n  outputSchema: {name},\n}}, \
         async (args) => {{\n  const value = await … // what you turn into text today\n  \
         return {{ content: [{{ type: \"text\", text: JSON.stringify({value}) }}], structuredContent: {value} }};\n}});\n",
        tool = script(subject.tool.tool()),
    );
    printed.text = text;
    printed
}

fn write(schema: &Value, path: &str, depth: usize, printed: &mut Printed) -> String {
    if *schema == Value::Bool(false) {
        return "z.never()".to_owned();
    }
    for keyword in unknown(schema) {
        printed.leave_out(keyword, path);
    }
    if let Some(constant) = schema.get("const") {
        return literal(constant);
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        if values.iter().all(Value::is_string) {
            let list: Vec<String> = values.iter().filter_map(Value::as_str).map(script).collect();
            return format!("z.enum([{}])", list.join(", "));
        }
        return union(values.iter().map(literal).collect());
    }
    if let Some(each) = alternatives(schema) {
        return union(each.iter().map(|one| write(one, path, depth, printed)).collect());
    }
    let types = types(schema);
    let mut parts: Vec<String> = Vec::new();
    for kind in types.iter().filter(|kind| **kind != "null") {
        parts.push(match *kind {
            "string" => match schema.get("format").and_then(Value::as_str) {
                Some(format) => format!("z.string().meta({{ format: {} }})", script(format)),
                None => "z.string()".to_owned(),
            },
            "integer" => "integer".to_owned(),
            "number" => "z.number()".to_owned(),
            "boolean" => "z.boolean()".to_owned(),
            "array" => array(schema, path, depth, printed),
            "object" => object(schema, path, depth, printed),
            _ => "z.any()".to_owned(),
        });
    }
    let is_nullable = types.contains(&"null");
    match (parts.is_empty(), is_nullable) {
        (true, true) => "z.null()".to_owned(),
        (true, false) => "z.any()".to_owned(),
        (false, true) => union(parts) + ".nullable()",
        (false, false) => union(parts),
    }
}

fn union(mut parts: Vec<String>) -> String {
    if parts.len() == 1 { parts.remove(0) } else { format!("z.union([{}])", parts.join(", ")) }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "z.null()".to_owned(),
        Value::String(text) => format!("z.literal({})", script(text)),
        Value::Bool(_) | Value::Number(_) => format!("z.literal({value})"),
        Value::Array(_) | Value::Object(_) => "z.any()".to_owned(),
    }
}

fn array(schema: &Value, path: &str, depth: usize, printed: &mut Printed) -> String {
    let path = format!("{path}[]");
    let limit = |keyword: &str| schema.get(keyword).and_then(Value::as_u64);
    if let Some(first) = schema.get("prefixItems").and_then(Value::as_array) {
        let each: Vec<String> = first.iter().map(|item| write(item, &path, depth, printed)).collect();
        let count = first.len() as u64;
        let is_closed = schema.get("items") == Some(&Value::Bool(false)) || limit("maxItems") == Some(count);
        if limit("minItems") != Some(count) {
            printed.leave_out("minItems", &path);
        }
        let rest = match schema.get("items").filter(|_| !is_closed) {
            Some(items) => format!(".rest({})", write(items, &path, depth, printed)),
            None if is_closed => String::new(),
            None => ".rest(z.any())".to_owned(),
        };
        return format!("z.tuple([{}]){rest}", each.join(", "));
    }
    let items =
        schema.get("items").map_or_else(|| "z.any()".to_owned(), |items| write(items, &path, depth, printed));
    let least = limit("minItems").map(|least| format!(".min({least})")).unwrap_or_default();
    let most = limit("maxItems").map(|most| format!(".max({most})")).unwrap_or_default();
    format!("z.array({items}){least}{most}")
}

fn object(schema: &Value, path: &str, depth: usize, printed: &mut Printed) -> String {
    let others = schema.get("additionalProperties");
    let indent = "  ".repeat(depth + 1);
    let mut fields = String::new();
    for (key, inner) in properties(schema) {
        let written = write(inner, &inside(path, key), depth + 1, printed);
        let optional = if required(schema, key) { "" } else { ".optional()" };
        let _ = writeln!(fields, "{indent}{}: {written}{optional},", name(key));
    }
    let end = "  ".repeat(depth);
    match others {
        Some(Value::Bool(false)) => format!("z.strictObject({{\n{fields}{end}}})"),
        Some(values) if values.is_object() => {
            let values = write(values, &format!("{path}{{}}"), depth, printed);
            match fields.is_empty() {
                true => format!("z.record(z.string(), {values})"),
                false => format!("z.object({{\n{fields}{end}}}).catchall({values})"),
            }
        }
        _ if fields.is_empty() => "z.looseObject({})".to_owned(),
        _ => format!("z.looseObject({{\n{fields}{end}}})"),
    }
}

/// A key as it is written.
fn name(key: &str) -> String {
    let is_name = key.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && key.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        && key != "__proto__";
    match (is_name, key) {
        (true, _) => key.to_owned(),
        (_, "__proto__") => "[\"__proto__\"]".to_owned(),
        (false, _) => script(key),
    }
}
