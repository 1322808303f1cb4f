//! Prints wrappers in Python: Pydantic v2 models and one async function per tool.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::Value;

use crate::classes::{Classes, Container, Finished, Part, output, union};
use crate::compile::{Options, compile};
use crate::graph::Graph;
use crate::literal::{docstring, has_type, line, python, python_json, without_text};
use crate::names::{pascal, python_attribute};
use crate::pattern;
use crate::region::{HASH, NOTE};
use schemascope_model::Strategy;

use crate::tool::{Language, Names, Tool, Wrapper};
use crate::types::{Containers, Nodes, Scalars, Type};
use crate::typing::{Field, Object, Types};

/// Most levels of lists and maps in one annotation.
const MAX_NESTING: usize = 12;

/// Prints the wrapper of a tool.
pub fn print(tool: &Tool, names: &Names) -> Wrapper {
    let title = pascal(&names.tool);
    let (params, result) = (format!("{title}Params"), format!("{title}Result"));
    let mut used = BTreeSet::from([params.clone(), result.clone()]);
    let options = |optional| Options { optional, pattern: pattern::python };
    let graph = compile(&tool.input_schema, options(false));
    let mut printer = Printer {
        graph,
        classes: Classes::new(Part::Params, &mut used),
        strict: true,
        attributes: BTreeMap::new(),
    };
    let mut classes =
        printer.root(&params, "Params", true, &format!("Arguments of `{}`.", line(tool.id.tool())));
    let mut finished = vec![printer.finish(&params)];
    let graph = compile(&output(tool), options(tool.is_optional()));
    let strict = tool.strategy == Strategy::Typed;
    let mut printer = Printer {
        graph,
        classes: Classes::new(Part::Result, &mut used),
        strict,
        attributes: BTreeMap::new(),
    };
    let about = format!("What `{}` returns.", line(tool.id.tool()));
    classes += &printer.root(&result, "Result", false, &about);
    finished.push(printer.finish(&result));

    let mut text = String::new();
    let _ = writeln!(text, "{} {NOTE}", HASH[0]);
    text += "from __future__ import annotations\n\n";
    let bindings: String = finished.iter().map(|part| part.binding.as_str()).collect();
    text += &imports(&classes, &bindings);
    text += &classes;
    let gone = if tool.is_gone { "\n\nThe server no longer lists this tool." } else { "" };
    let doc = format!("{}\n\n{}{gone}", tool.description, tool.standing());
    let _ = write!(
        text,
        "\n\nasync def {}(params: {params}, *, timeout: float | None = None) -> {result}:\n{}    \
         return {result}.parse(await call_mcp_tool({}, params.raw, timeout=timeout))\n",
        names.tool,
        docstring(doc.trim_start(), "    "),
        python(&tool.id.to_string())
    );
    if !bindings.is_empty() {
        text += "\n\n# The schemas, for checks at run time.\n";
        text += &bindings;
    }
    let _ = writeln!(text, "{}", HASH[1]);
    let parse = format!("{result}.parse");
    let names = [
        &format!("{}.py", names.path()),
        &names.path().replace('/', "."),
        &names.tool,
        &params,
        &result,
        &parse,
    ];
    Wrapper { entry: tool.entry(Language::Python, names.map(String::as_str), finished), text }
}

/// Import statements for the names that occur.
fn imports(classes: &str, bindings: &str) -> String {
    let code = without_text(classes, ("#", "\n"));
    let has = |name: &str| has_type(&code, name);
    let mut text = String::new();
    let typing: Vec<&str> = ["Any", "Literal", "Never"].into_iter().filter(|name| has(name)).collect();
    if !typing.is_empty() {
        let _ = writeln!(text, "from typing import {}\n", typing.join(", "));
    }
    if has("Field") {
        text += "from pydantic import Field\n\n";
    }
    let base = |name: &&str| {
        code.contains(&format!("({name})")) || *name == "Schema" && bindings.contains("Schema(")
    };
    let mut ours: Vec<&str> =
        ["Model", "Params", "Result", "RootResult", "Schema"].into_iter().filter(base).collect();
    ours.push("call_mcp_tool");
    let _ = writeln!(text, "from schemascope_runtime import {}", ours.join(", "));
    text
}

/// Attributes of a tool's result type and of the types inside it, as `Class.attribute`, with their types.
pub fn result_attributes(tool: &Tool, title: &str) -> BTreeMap<String, String> {
    let result = format!("{title}Result");
    let mut used = BTreeSet::from([result.clone()]);
    let graph = compile(&output(tool), Options { optional: tool.is_optional(), pattern: pattern::python });
    let classes = Classes::new(Part::Result, &mut used);
    let mut printer = Printer { graph, classes, strict: false, attributes: BTreeMap::new() };
    printer.root(&result, "Result", false, "");
    printer.attributes
}

struct Printer<'a> {
    graph: Graph,
    classes: Classes<'a>,
    strict: bool,
    /// Type of each attribute that was printed, by class and attribute.
    attributes: BTreeMap<String, String>,
}

impl Printer<'_> {
    /// The class of the whole value, and before it those it refers to.
    fn root(&mut self, name: &str, base: &str, is_params: bool, about: &str) -> String {
        let graph = std::mem::replace(&mut self.graph, Graph::anything());
        let types = Types::new(&graph);
        let kind = types.of(0);
        let alternatives = match &kind.objects {
            Containers::Either(some) if kind.is_object() || kind.is_object_at_heart() => Some(some),
            _ => None,
        };
        let mut text = format!(
            "\n\nclass {name}({}):\n{}",
            if alternatives.is_none() && !is_params && !kind.is_object() && kind != Type::ANY {
                "RootResult"
            } else {
                base
            },
            docstring(about, "    ")
        );
        match alternatives {
            Some(alternatives) => {
                if let [single] = alternatives.as_slice() {
                    self.classes.insert_root(single.clone(), name);
                }
                text += &self.fields(&types, types.either_object(alternatives), name);
            }
            None if text.contains("(RootResult)") => {
                let annotation = self.annotation(&types, &kind, name, 0);
                let _ = writeln!(text, "\n    root: {annotation}");
            }
            None => {}
        }
        let mut inner = String::new();
        while let Some((class, nodes)) = self.classes.next() {
            let _ = write!(inner, "\n\nclass {class}(Model):\n");
            let fields = self.fields(&types, types.object(&nodes), &class);
            inner += if fields.is_empty() { "    pass\n" } else { fields.trim_start_matches('\n') };
        }
        self.graph = graph;
        inner + &text
    }

    fn fields(&mut self, types: &Types<'_>, object: Object, class: &str) -> String {
        let mut text = String::new();
        let mut attributes = BTreeSet::new();
        for field in object.fields {
            let attribute = python_attribute(&field.name);
            if !attributes.insert(attribute.clone()) {
                self.classes.note(format!("the field {} has no attribute of its own", line(&field.name)));
                continue;
            }
            if text.is_empty() {
                text.push('\n');
            }
            text += &self.field(types, &field, &attribute, class);
        }
        text
    }

    fn field(&mut self, types: &Types<'_>, field: &Field, attribute: &str, class: &str) -> String {
        let mut annotation =
            self.annotation(types, &field.kind, &format!("{class}{}", pascal(&field.name)), 0);
        let has_none = field.kind.null && !field.kind.is_object_at_heart();
        if !field.required && annotation == "Never" {
            annotation = "None".to_owned();
        } else if !field.required && !has_none && annotation != "Any" {
            annotation += " | None";
        }
        self.attributes.insert(format!("{class}.{attribute}"), annotation.clone());
        let default = match (attribute == field.name, field.required) {
            (true, true) => String::new(),
            (true, false) => " = None".to_owned(),
            (false, required) => {
                let name = python(&field.name);
                let default = if required { "" } else { "default=None, " };
                format!(" = Field({default}validation_alias={name}, serialization_alias={name})")
            }
        };
        let about = line(&field.description);
        let comment = if about.is_empty() { String::new() } else { format!("    # {about}\n") };
        format!("{comment}    {attribute}: {annotation}{default}\n")
    }

    /// A type as an annotation.
    fn annotation(&mut self, types: &Types<'_>, kind: &Type, name: &str, depth: usize) -> String {
        if *kind == Type::ANY {
            return "Any".to_owned();
        }
        if !self.classes.count() {
            return "Any".to_owned();
        }
        if depth > MAX_NESTING {
            self.classes.note(format!("lists in {name} are nested too deeply for a type"));
            return "Any".to_owned();
        }
        let mut parts: Vec<String> = Vec::new();
        if let Containers::Either(alternatives) = &kind.objects {
            for (nodes, class) in types.named(alternatives, name) {
                parts.push(self.object(types, nodes, &class, depth));
            }
        }
        if kind.is_object_at_heart() {
            return self.classes.written(union(parts, "Never"));
        }
        match &kind.arrays {
            Containers::Never => {}
            Containers::All => parts.push("list[Any]".to_owned()),
            Containers::Either(alternatives) => {
                for nodes in alternatives {
                    parts.push(self.array(types, nodes, name, depth));
                }
            }
        }
        if kind.objects == Containers::All {
            parts.push("dict[str, Any]".to_owned());
        }
        let mut literals = Vec::new();
        for (scalars, name) in [(&kind.strings, "str"), (&kind.numbers, "float"), (&kind.booleans, "bool")] {
            match self::literals(scalars) {
                Some(listed) => literals.extend(listed),
                None if *scalars == Scalars::Integers => parts.push("int".to_owned()),
                None => parts.push(name.to_owned()),
            }
        }
        parts.extend((!literals.is_empty()).then(|| format!("Literal[{}]", literals.join(", "))));
        parts.extend(kind.null.then(|| "None".to_owned()));
        self.classes.written(union(parts, "Never"))
    }

    fn object(&mut self, types: &Types<'_>, nodes: &Nodes, name: &str, depth: usize) -> String {
        let object = types.object(nodes);
        if object.fields.is_empty() {
            if object.others == Type::NEVER {
                return "dict[str, Never]".to_owned();
            }
            if !self.classes.enter(Container::Object, nodes) {
                return "dict[str, Any]".to_owned();
            }
            let inner = self.annotation(types, &object.others, &format!("{name}Value"), depth + 1);
            self.classes.leave(Container::Object, nodes);
            return format!("dict[str, {inner}]");
        }
        self.classes.of(types, nodes, name).unwrap_or_else(|| "dict[str, Any]".to_owned())
    }

    fn array(&mut self, types: &Types<'_>, nodes: &Nodes, name: &str, depth: usize) -> String {
        if !self.classes.enter(Container::Array, nodes) {
            return "list[Any]".to_owned();
        }
        let written = self.items(types, nodes, name, depth);
        self.classes.leave(Container::Array, nodes);
        written
    }

    fn items(&mut self, types: &Types<'_>, nodes: &Nodes, name: &str, depth: usize) -> String {
        let array = types.array(nodes);
        let item = format!("{name}Item");
        if array.others == Type::NEVER && array.least == array.first.len() && !array.first.is_empty() {
            let each: Vec<String> = array
                .first
                .iter()
                .enumerate()
                .map(|(at, kind)| self.annotation(types, kind, &format!("{item}{at}"), depth + 1))
                .collect();
            return format!("tuple[{}]", each.join(", "));
        }
        let kind = array.first.into_iter().fold(array.others, Type::join);
        format!("list[{}]", self.annotation(types, &kind, &item, depth + 1))
    }

    fn finish(mut self, root: &str) -> Finished {
        let mut text = String::new();
        let mut bound = vec![root.to_owned()];
        for (class, node) in self.classes.bound(&mut self.graph, root) {
            let _ = writeln!(text, "{class}.__node__ = {node}");
            bound.push(class);
        }
        if !self.strict {
            let _ = writeln!(text, "{root}.__strict__ = False");
        }
        let json = self.graph.json();
        if json != "[{}]" || bound.len() > 1 {
            let _ = writeln!(text, "Schema({}).bind({})", python_json(&json), bound.join(", "));
        }
        Finished::new(text, self.graph, &self.classes)
    }
}

/// Scalars as literals; `None` if they are too many, or some cannot be literals.
fn literals(scalars: &Scalars) -> Option<Vec<String>> {
    let values = match scalars {
        Scalars::Never => return Some(Vec::new()),
        Scalars::Integers | Scalars::All => return None,
        Scalars::Listed(values) => values,
    };
    let literal = |value: &Value| match value {
        Value::String(text) => Some(python(text)),
        Value::Bool(true) => Some("True".to_owned()),
        Value::Bool(false) => Some("False".to_owned()),
        Value::Number(number) if number.is_i64() || number.is_u64() => Some(number.to_string()),
        _ => None,
    };
    values.iter().map(literal).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(output: Value, strategy: Strategy) -> Tool {
        Tool {
            id: schemascope_model::ToolId::new("git", "git_status").unwrap(),
            description: "Shows the state.".to_owned(),
            strategy,
            source: schemascope_model::Source::Inferred,
            quality: schemascope_model::Quality::Low,
            observation_count: 3,
            version: None,
            input_schema: json!({"type": "object", "properties": {"repo_path": {"type": "string"}}, "required": ["repo_path"]}),
            output_schema: Some(output),
            is_text: false,
            is_gone: false,
        }
    }

    #[test]
    fn a_wrapper_has_classes_a_function_and_the_schemas() {
        let names = Names { server: "git".to_owned(), tool: "git_status".to_owned() };
        let schema = json!({"type": "object", "properties": {
            "branch": {"type": "string"},
            "files": {"type": "array", "items": {"type": "object", "properties": {"path": {"type": "string"}}}},
            "class": {"enum": ["a", None::<u8>]}}, "required": ["branch"]});
        let text = print(&tool(schema, Strategy::Inferred), &names).text;
        for part in [
            "class GitStatusParams(Params):",
            "    repo_path: str\n",
            "class GitStatusResultFilesItem(Model):\n    path: str | None = None\n",
            "    branch: str | None = None\n",
            "    files: list[GitStatusResultFilesItem] | None = None\n",
            "    class_: Literal[\"a\"] | None = Field(default=None, validation_alias=\"class\"",
            "async def git_status(params: GitStatusParams, *, timeout: float | None = None) -> GitStatusResult:",
            "GitStatusResult.__strict__ = False",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn recursive_unions_of_lists_end_at_the_first_repetition() {
        let names = Names { server: "git".to_owned(), tool: "git_status".to_owned() };
        let list = |least: usize| json!({"type": "array", "items": {"$ref": "#/$defs/J"}, "minItems": least});
        let schema = |lists: usize| {
            let mut each = vec![json!({"type": "string"})];
            each.extend((0..lists).map(list));
            json!({"type": "object", "properties": {"v": {"$ref": "#/$defs/J"}}, "$defs": {"J": {"anyOf": each}}})
        };
        for print in [print, crate::typescript::print] {
            // A schema of the ordinary form, then some whose types would have k^13 and k! parts.
            for (lists, limit) in [(1, 3_000), (3, 5_000), (30, 3 << 20)] {
                let wrapper = print(&tool(schema(lists), Strategy::Typed), &names);
                assert!(wrapper.text.len() < limit, "{lists}: {}", wrapper.text.len());
                assert!(wrapper.entry.notes.iter().any(|note| note.contains("contain themselves")));
            }
        }
        let text = print(&tool(schema(1), Strategy::Typed), &names).text;
        assert!(text.contains("    v: list[list[Any] | str] | str | None = None\n"), "{text}");
        let text = crate::typescript::print(&tool(schema(1), Strategy::Typed), &names).text;
        assert!(text.contains("  readonly v?: Array<Array<unknown> | string> | string;\n"), "{text}");
    }

    #[test]
    fn imports_are_those_of_the_code_whatever_descriptions_say() {
        let names = Names { server: "git".to_owned(), tool: "git_status".to_owned() };
        let words = "Any \"Field\", Literal or Never of a (Model): JsonMap<JsonRoot>";
        let schema =
            json!({"type": "object", "properties": {"branch": {"type": "string", "description": words}}});
        let text = print(&tool(schema.clone(), Strategy::Typed), &names).text;
        let imports =
            "annotations\n\nfrom schemascope_runtime import Params, Result, Schema, call_mcp_tool\n";
        assert!(text.contains(words) && text.contains(imports), "{text}");
        let text = crate::typescript::print(&tool(schema, Strategy::Typed), &names).text;
        assert!(
            text.contains(words) && text.contains("import type { CallOptions, JsonObject } from"),
            "{text}"
        );
    }
}
