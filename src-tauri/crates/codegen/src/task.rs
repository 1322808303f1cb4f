//! One task, written three times in Python: without a wrapper, with a helper, and with a model.
//!
//! The task is fixed, so that the texts can be compared: call the tool and print each scalar of its result down to three
//! levels of fields, of arrays the first item, and `-` where a value is absent or null. Values that can be of several
//! types, and keys that are data, are left out of all three.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::Value;

use crate::classes::output;
use crate::compile::{Options, compile};
use crate::literal::python;
use crate::names::python_attribute;
use crate::pattern;
use crate::tool::{Entry, Tool};
use crate::types::{Containers, Nodes, Scalars, Type};
use crate::typing::Types;

/// Levels of fields.
const LEVELS: usize = 3;
/// Most arrays inside of each other.
const MAX_ARRAYS: usize = 4;
/// Most scalars.
const MAX_SCALARS: usize = 500;

/// Programs that do the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// With guards at each level, because nothing is known of the result.
    pub defensive: Program,
    /// With the accessors of a wrapper that knows nothing of the result.
    pub helper: Program,
    /// With the attributes of a wrapper that has a schema.
    pub model: Program,
}

/// A program in two parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Imports and the call, whose value is `result`.
    pub call: String,
    /// What is done with `result`.
    pub body: String,
}

impl Program {
    /// The whole text.
    pub fn text(&self) -> String {
        format!("{}\n{}", self.call, self.body)
    }
}

/// A part of the result.
struct Part {
    kind: Kind,
    /// Whether it can be null.
    null: bool,
}

enum Kind {
    Scalar,
    Object(Vec<Field>),
    List(Box<Part>),
}

struct Field {
    key: String,
    attribute: String,
    required: bool,
    part: Part,
}

/// The task for a tool whose Python wrapper is `entry`.
pub fn task(tool: &Tool, entry: &Entry) -> Task {
    let graph = compile(&output(tool), Options { optional: tool.is_optional(), pattern: pattern::python });
    let types = Types::new(&graph);
    let mut left = MAX_SCALARS;
    let part = match tool.is_text {
        true => Some(Part { kind: Kind::Scalar, null: false }),
        false => part(&types, &types.of(0), LEVELS, MAX_ARRAYS, &mut left),
    };
    let arguments = arguments(&tool.input_schema);
    let dict: Vec<String> =
        arguments.iter().map(|(key, value)| format!("{}: {value}", python(key))).collect();
    let named: Vec<String> =
        arguments.iter().map(|(key, value)| format!("{}={value}", python_attribute(key))).collect();
    let id = tool.id.to_string();
    let bare = format!(
        "from schemascope_runtime import call_mcp_tool\n\nresult = await call_mcp_tool({}, {{{}}})\n",
        python(&id),
        dict.join(", ")
    );
    let package = entry.module.rsplit_once('.').map_or("servers", |(package, _)| package);
    let with_wrapper = format!(
        "from {package} import {params}, {function}\n\nresult = await {function}({params}({}))\n",
        named.join(", "),
        params = entry.params,
        function = entry.function,
    );
    let program = |style: Style| {
        let mut writer = Writer { style, names: BTreeSet::new(), text: SHOW.to_owned() };
        if let Some(part) = &part {
            writer.whole(part, tool.is_text);
        }
        let call = if style == Style::Defensive { &bare } else { &with_wrapper };
        Program { call: call.clone(), body: writer.text }
    };
    Task {
        defensive: program(Style::Defensive),
        helper: program(Style::Helper),
        model: program(Style::Model),
    }
}

/// Prints a value, in all programs.
const SHOW: &str = "def show(value):\n    print(\"-\" if value is None else value)\n\n";

/// Required arguments with a value of their type.
fn arguments(schema: &Value) -> Vec<(String, &'static str)> {
    let required = schema.get("required").and_then(Value::as_array);
    let value = |key: &str| match schema["properties"][key]["type"].as_str() {
        Some("integer" | "number") => "1",
        Some("boolean") => "True",
        Some("array") => "[]",
        Some("object") => "{}",
        _ => "\"value\"",
    };
    required.into_iter().flatten().filter_map(Value::as_str).map(|key| (key.to_owned(), value(key))).collect()
}

/// What is printed of a type; none if it has several types, or keys that are data.
fn part(types: &Types<'_>, kind: &Type, levels: usize, arrays: usize, left: &mut usize) -> Option<Part> {
    let objects = Type { objects: kind.objects.clone(), ..Type::NEVER };
    let kind = if kind.is_object_at_heart() { &objects } else { kind };
    let is_scalar = [&kind.booleans, &kind.numbers, &kind.strings].iter().any(|one| **one != Scalars::Never);
    let single = |containers: &Containers| -> Option<Nodes> {
        match containers {
            Containers::Either(some) if some.len() == 1 => Some(some[0].clone()),
            _ => None,
        }
    };
    let null = kind.null;
    match (is_scalar, &kind.arrays, &kind.objects) {
        (true, Containers::Never, Containers::Never) => {
            *left = left.checked_sub(1)?;
            Some(Part { kind: Kind::Scalar, null })
        }
        (false, Containers::Never, objects) => {
            let (nodes, levels) = (single(objects)?, levels.checked_sub(1)?);
            let mut fields = Vec::new();
            for field in types.object(&nodes).fields {
                if let Some(part) = part(types, &field.kind, levels, arrays, left) {
                    let attribute = python_attribute(&field.name);
                    fields.push(Field { attribute, key: field.name, required: field.required, part });
                }
            }
            (!fields.is_empty()).then_some(Part { kind: Kind::Object(fields), null })
        }
        (false, arrays_of, Containers::Never) => {
            let array = types.array(&single(arrays_of)?);
            let item = array.first.first().unwrap_or(&array.others);
            let item = part(types, item, levels, arrays.checked_sub(1)?, left)?;
            Some(Part { kind: Kind::List(Box::new(item)), null })
        }
        _ => None,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Defensive,
    Helper,
    Model,
}

struct Writer {
    style: Style,
    names: BTreeSet<String>,
    text: String,
}

impl Writer {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    /// A variable's name that is not used yet.
    fn name(&mut self, key: &str) -> String {
        let wanted = python_attribute(&key.to_lowercase());
        let (mut name, mut number) = (wanted.clone(), 2);
        while ["result", "show", "print"].contains(&name.as_str()) || !self.names.insert(name.clone()) {
            name = format!("{}_{number}", wanted.trim_end_matches('_'));
            number += 1;
        }
        name
    }

    fn whole(&mut self, part: &Part, is_text: bool) {
        match (&part.kind, self.style) {
            (Kind::Object(_), Style::Defensive) => {
                let data = self.name("data");
                self.line(&format!("{data} = result if isinstance(result, dict) else {{}}"));
                self.inside(part, &data, false, "data");
            }
            (Kind::Object(_), _) => self.inside(part, "result", false, "result"),
            (_, Style::Defensive) => self.inside(part, "result", true, "row"),
            (_, Style::Helper) => self.inside(part, "result.raw", part.null, "row"),
            (_, Style::Model) if is_text => self.inside(part, "result.raw", false, "row"),
            (_, Style::Model) => self.inside(part, "result.root", part.null, "row"),
        }
    }

    /// Prints what is in a part, which `value` is. `open` says that it may be absent or of another type.
    fn inside(&mut self, part: &Part, value: &str, open: bool, key: &str) {
        match &part.kind {
            Kind::Scalar => self.line(&format!("show({value})")),
            Kind::Object(fields) => {
                for field in fields {
                    self.field(field, value, open);
                }
            }
            Kind::List(item) => {
                let first = self.first(item, value);
                if let Kind::Scalar = item.kind {
                    return self.line(&format!("show({first})"));
                }
                let singular = key.strip_suffix('s').filter(|rest| rest.len() > 1).unwrap_or("item");
                let name = self.name(singular);
                self.line(&format!("{name} = {first}"));
                self.guard(item, &name);
                self.inside(item, &name, true, singular);
            }
        }
    }

    /// The first item of a list, which may be empty.
    fn first(&self, item: &Part, value: &str) -> String {
        match (self.style, &item.kind) {
            (Style::Defensive, _) => {
                format!("{value}[0] if isinstance({value}, list) and {value} else None")
            }
            (Style::Helper, Kind::Object(_)) if item.null => format!("({value} or [{{}}])[0] or {{}}"),
            (Style::Helper, Kind::Object(_)) => format!("({value} or [{{}}])[0]"),
            (Style::Helper, _) => format!("({value} or [None])[0]"),
            (Style::Model, _) => format!("{value}[0] if {value} else None"),
        }
    }

    /// Makes sure that the value of a variable is an object, where nothing else does.
    fn guard(&mut self, part: &Part, name: &str) {
        if self.style == Style::Defensive && matches!(part.kind, Kind::Object(_)) {
            self.line(&format!("{name} = {name} if isinstance({name}, dict) else {{}}"));
        }
    }

    fn field(&mut self, field: &Field, value: &str, open: bool) {
        let Field { key, attribute, required, part } = field;
        let got = format!("{value}.get({})", python(key));
        let read = match self.style {
            Style::Defensive | Style::Helper => got,
            Style::Model if open => format!("{value} and {value}.{attribute}"),
            Style::Model => format!("{value}.{attribute}"),
        };
        if let Kind::Scalar = part.kind {
            return self.line(&format!("show({read})"));
        }
        let is_open = open || !required || part.null;
        // A path of attributes needs no variable as long as nothing on it can be absent.
        if self.style == Style::Model && !is_open && matches!(part.kind, Kind::Object(_)) {
            return self.inside(part, &read, false, key);
        }
        let name = self.name(key);
        let fallback = match (self.style, &part.kind) {
            (Style::Helper, Kind::Object(_)) => " or {}",
            _ => "",
        };
        self.line(&format!("{name} = {read}{fallback}"));
        self.guard(part, &name);
        self.inside(part, &name, is_open, key);
    }
}

#[cfg(test)]
mod tests {
    use schemascope_model::{Quality, Source, Strategy, ToolId};
    use serde_json::json;

    use super::*;
    use crate::tool::{Language, Names};

    fn tool(output_schema: Value, quality: Quality) -> Tool {
        Tool {
            id: ToolId::new("git", "show").unwrap(),
            description: String::new(),
            strategy: Strategy::Inferred,
            source: Source::Inferred,
            quality,
            observation_count: 1,
            version: None,
            input_schema: json!({"properties": {"repo-path": {"type": "string"}}, "required": ["repo-path"]}),
            output_schema: Some(output_schema),
            is_text: false,
            is_gone: false,
        }
    }

    fn written(tool: &Tool) -> Task {
        let names = Names { server: "git".to_owned(), tool: "show".to_owned() };
        let wrapper = crate::python::print(tool, &names);
        assert_eq!(wrapper.entry.lang, Language::Python);
        task(tool, &wrapper.entry)
    }

    #[test]
    fn three_programs_print_the_same_scalars() {
        let schema = json!({"type": "object", "required": ["commit", "files"], "properties": {
            "commit": {"type": "object", "required": ["sha"], "properties": {
                "sha": {"type": "string"}, "class": {"type": "string"}}},
            "files": {"type": "array", "items": {"type": "object", "properties": {"path": {"type": "string"}}}},
            "mixed": {"type": ["string", "array"]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "deep": {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "object",
                "properties": {"c": {"type": "string"}}}}}}}}});
        let Task { defensive, helper, model } = written(&tool(schema, Quality::High));
        assert!(
            defensive
                .call
                .ends_with("result = await call_mcp_tool(\"git__show\", {\"repo-path\": \"value\"})\n")
        );
        assert!(
            model.call.ends_with("result = await show(ShowParams(repo_path_=\"value\"))\n"),
            "{}",
            model.call
        );
        let body = |program: Program| program.body.strip_prefix(SHOW).unwrap().to_owned();
        assert_eq!(
            body(defensive),
            "data = result if isinstance(result, dict) else {}\n\
             commit = data.get(\"commit\")\n\
             commit = commit if isinstance(commit, dict) else {}\n\
             show(commit.get(\"sha\"))\nshow(commit.get(\"class\"))\n\
             files = data.get(\"files\")\n\
             file = files[0] if isinstance(files, list) and files else None\n\
             file = file if isinstance(file, dict) else {}\n\
             show(file.get(\"path\"))\n\
             tags = data.get(\"tags\")\n\
             show(tags[0] if isinstance(tags, list) and tags else None)\n"
        );
        assert_eq!(
            body(helper),
            "commit = result.get(\"commit\") or {}\n\
             show(commit.get(\"sha\"))\nshow(commit.get(\"class\"))\n\
             files = result.get(\"files\")\n\
             file = (files or [{}])[0]\n\
             show(file.get(\"path\"))\n\
             tags = result.get(\"tags\")\n\
             show((tags or [None])[0])\n"
        );
        assert_eq!(
            body(model),
            "show(result.commit.sha)\nshow(result.commit.class_)\n\
             files = result.files\n\
             file = files[0] if files else None\n\
             show(file and file.path)\n\
             tags = result.tags\n\
             show(tags[0] if tags else None)\n"
        );
    }

    #[test]
    fn results_that_are_no_objects_have_a_task_too() {
        let rows = written(&tool(json!({"type": "array", "items": {"type": "integer"}}), Quality::Low));
        assert!(
            rows.defensive
                .body
                .ends_with("show(result[0] if isinstance(result, list) and result else None)\n")
        );
        assert!(rows.helper.body.ends_with("show((result.raw or [None])[0])\n"));
        assert!(rows.model.body.ends_with("show(result.root[0] if result.root else None)\n"));
        let text = written(&Tool {
            is_text: true,
            output_schema: None,
            strategy: Strategy::Helper,
            ..tool(json!({}), Quality::Low)
        });
        assert!(
            text.model.body.ends_with("show(result.raw)\n")
                && text.defensive.body.ends_with("show(result)\n")
        );
    }
}
