//! Prints wrappers in Python: Pydantic v2 models and one async function per tool.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;

use serde_json::Value;

use crate::compile::{Options, compile};
use crate::graph::{Graph, Unchecked};
use crate::literal::{docstring, line, python, python_json};
use crate::names::{pascal, python_attribute};
use crate::pattern;
use crate::tool::{Entry, Language, Names, Strategy, Tool, Wrapper};
use crate::types::{Containers, Field, Nodes, Scalars, Type, Types};

/// Most classes of one schema.
const MAX_CLASSES: usize = 1_000;
/// Most levels of lists and maps in one annotation.
const MAX_NESTING: usize = 12;

/// First and last line of what is written by Schemascope; text outside is kept.
pub(crate) const REGION: [&str; 2] = ["# schemascope: begin", "# schemascope: end"];

/// Prints the wrapper of a tool.
pub fn print(tool: &Tool, names: &Names) -> Wrapper {
    let title = pascal(&names.tool);
    let (params, result) = (format!("{title}Params"), format!("{title}Result"));
    let mut used = BTreeSet::from([params.clone(), result.clone()]);
    let options = |optional| Options { optional, pattern: pattern::python };
    let mut printer = Printer::new(compile(&tool.input_schema, options(false)), "parameters", &mut used);
    let mut classes = printer.root(&params, "Params", true, &format!("Arguments of `{}`.", line(tool.id.tool())));
    let mut finished = vec![printer.finish(&params)];
    let schema = match (&tool.output_schema, tool.strategy) {
        (Some(schema), Strategy::Typed | Strategy::Inferred) => schema.clone(),
        _ => Value::Bool(true),
    };
    let mut printer = Printer::new(compile(&schema, options(tool.is_optional())), "result", &mut used);
    printer.strict = tool.strategy == Strategy::Typed;
    let about = format!("What `{}` returns.\n\n{}", line(tool.id.tool()), tool.standing());
    classes += &printer.root(&result, "Result", false, &about);
    finished.push(printer.finish(&result));

    let mut text = String::new();
    let _ = writeln!(text, "{} (replaced when the tool's schema changes; text outside is kept)", REGION[0]);
    text += "from __future__ import annotations\n\n";
    text += &imports(&classes);
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
    text += "\n\n# The schemas, for checks at run time.\n";
    for Finished { binding, .. } in &finished {
        text += binding;
    }
    let _ = writeln!(text, "{}", REGION[1]);
    Wrapper { entry: entry(tool, names, params, result, finished), text }
}

fn entry(tool: &Tool, names: &Names, params: String, result: String, finished: Vec<Finished>) -> Entry {
    let (mut unchecked, mut notes) = (Vec::new(), Vec::new());
    for part in finished {
        unchecked.extend(part.unchecked);
        notes.extend(part.notes);
    }
    Entry {
        tool_id: tool.id.to_string(),
        lang: Language::Python,
        strategy: tool.strategy,
        source: tool.source,
        quality: tool.quality,
        observation_count: tool.observation_count,
        version: tool.version,
        file: format!("servers/{}/{}.py", names.server, names.tool),
        module: format!("servers.{}.{}", names.server, names.tool),
        function: names.tool.clone(),
        params,
        parse: format!("{result}.parse"),
        result,
        unchecked,
        notes,
    }
}

/// Import statements for the names that occur.
fn imports(classes: &str) -> String {
    let has = |name: &str| {
        classes.match_indices(name).any(|(at, _)| {
            let around = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
            !around(classes[..at].chars().next_back()) && !around(classes[at + name.len()..].chars().next())
        })
    };
    let list = |names: &[&'static str]| names.iter().copied().filter(|name| has(name)).collect::<Vec<_>>().join(", ");
    let mut text = String::new();
    let typing = list(&["Any", "Literal"]);
    if !typing.is_empty() {
        let _ = writeln!(text, "from typing import {typing}\n");
    }
    let third = [("pydantic", list(&["Field"])), ("typing_extensions", list(&["Never"]))];
    for (module, names) in third.iter().filter(|(_, names)| !names.is_empty()) {
        let _ = writeln!(text, "from {module} import {names}");
    }
    let mut ours = vec!["Schema", "call_mcp_tool"];
    ours.extend(["Model", "Params", "Result", "RootResult"].iter().filter(|name| classes.contains(&format!("({name})"))));
    ours.sort_unstable();
    let _ = writeln!(text, "{}from schemascope_runtime import {}", if third.iter().all(|(_, names)| names.is_empty()) { "" } else { "\n" }, ours.join(", "));
    text
}

/// What is left when a schema's classes are printed.
struct Finished {
    binding: String,
    unchecked: Vec<Unchecked>,
    notes: Vec<String>,
}

struct Printer<'a> {
    graph: Graph,
    /// Which of the tool's schemas it is.
    part: &'static str,
    /// Names of classes in the file.
    used: &'a mut BTreeSet<String>,
    /// Names of the classes of this schema.
    classes: BTreeMap<Nodes, String>,
    waiting: VecDeque<Nodes>,
    notes: Vec<String>,
    strict: bool,
}

impl<'a> Printer<'a> {
    fn new(graph: Graph, part: &'static str, used: &'a mut BTreeSet<String>) -> Self {
        Self { graph, part, used, classes: BTreeMap::new(), waiting: VecDeque::new(), notes: Vec::new(), strict: true }
    }

    /// The class of the whole value, and before it those it refers to.
    fn root(&mut self, name: &str, base: &str, is_params: bool, about: &str) -> String {
        let graph = std::mem::replace(&mut self.graph, Graph::anything());
        let types = Types::new(&graph);
        let kind = types.of(0);
        let single = match &kind.objects {
            Containers::Either(some) if some.len() == 1 => Some(some[0].clone()),
            _ => None,
        };
        let fields = single.filter(|_| kind.is_object() || kind.is_object_at_heart());
        let mut text = format!(
            "\n\nclass {name}({}):\n{}",
            if fields.is_none() && !is_params && !kind.is_object() && kind != Type::ANY { "RootResult" } else { base },
            docstring(about, "    ")
        );
        match fields {
            Some(nodes) => {
                self.classes.insert(nodes.clone(), name.to_owned());
                text += &self.fields(&types, &nodes, name);
            }
            None if text.contains("(RootResult)") => {
                let annotation = self.annotation(&types, &kind, name, 0);
                let _ = writeln!(text, "\n    root: {annotation}");
            }
            None => {}
        }
        let mut inner = String::new();
        let mut printed = BTreeSet::new();
        while let Some(nodes) = self.waiting.pop_front() {
            let class = self.classes[&nodes].clone();
            if class == name || !printed.insert(class.clone()) {
                continue;
            }
            let _ = write!(inner, "\n\nclass {class}(Model):\n");
            let fields = self.fields(&types, &nodes, &class);
            inner += if fields.is_empty() { "    pass\n" } else { fields.trim_start_matches('\n') };
        }
        self.graph = graph;
        inner + &text
    }

    fn fields(&mut self, types: &Types<'_>, nodes: &Nodes, class: &str) -> String {
        let mut text = String::new();
        let mut attributes = BTreeSet::new();
        for field in types.object(nodes).fields {
            let attribute = python_attribute(&field.name);
            if !attributes.insert(attribute.clone()) {
                self.note(format!("the field {} has no attribute of its own", line(&field.name)));
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
        let mut annotation = self.annotation(types, &field.kind, &format!("{class}{}", pascal(&field.name)), 0);
        if !field.required && !field.kind.null && annotation != "Any" {
            annotation += " | None";
        }
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
        if depth > MAX_NESTING {
            self.note(format!("lists in {name} are nested too deeply for a type"));
            return "Any".to_owned();
        }
        let mut parts: Vec<String> = Vec::new();
        if let Containers::Either(alternatives) = &kind.objects {
            for nodes in alternatives {
                parts.push(self.object(types, nodes, name, depth));
            }
        }
        if kind.is_object_at_heart() {
            return union(parts);
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
        parts.extend(scalars(&kind.strings, "str"));
        parts.extend(scalars(&kind.numbers, "float"));
        parts.extend(scalars(&kind.booleans, "bool"));
        parts.extend(kind.null.then(|| "None".to_owned()));
        union(parts)
    }

    fn object(&mut self, types: &Types<'_>, nodes: &Nodes, name: &str, depth: usize) -> String {
        if let Some(known) = self.classes.get(nodes) {
            return known.clone();
        }
        let object = types.object(nodes);
        if object.fields.is_empty() {
            return match &object.others {
                kind if *kind == Type::NEVER => "dict[str, Never]".to_owned(),
                kind => format!("dict[str, {}]", self.annotation(types, kind, &format!("{name}Value"), depth + 1)),
            };
        }
        if self.classes.len() >= MAX_CLASSES {
            self.note("the schema has too many different objects for a class each".to_owned());
            return "dict[str, Any]".to_owned();
        }
        let definition = nodes.iter().find_map(|at| {
            let place = &types.graph().nodes[*at].place;
            place.strip_prefix("/$defs/").or_else(|| place.strip_prefix("/definitions/"))
        });
        let prefix = if self.part == "result" { "Result" } else { "Params" };
        let wanted = match definition.filter(|rest| !rest.contains('/')) {
            Some(rest) => {
                let title = name.split_once(prefix).map_or(name, |(title, _)| title);
                format!("{title}{prefix}{}", pascal(rest))
            }
            None => name.to_owned(),
        };
        let wanted: String = wanted.chars().take(100).collect();
        let mut class = wanted.clone();
        let mut number = 2;
        while !self.used.insert(class.clone()) {
            class = format!("{wanted}{number}");
            number += 1;
        }
        self.classes.insert(nodes.clone(), class.clone());
        self.waiting.push_back(nodes.clone());
        class
    }

    fn array(&mut self, types: &Types<'_>, nodes: &Nodes, name: &str, depth: usize) -> String {
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

    fn note(&mut self, text: String) {
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }

    fn finish(self, root: &str) -> Finished {
        let part = self.part;
        let mut notes: Vec<String> =
            self.graph.notes.iter().map(|note| format!("{part}: {}", line(note))).collect();
        notes.extend(self.notes.iter().map(|note| format!("{part}: {note}")));
        let mut text = String::new();
        let mut bound = vec![root.to_owned()];
        for (nodes, class) in &self.classes {
            // Several nodes together are known by the first of them.
            let node = nodes.first().copied().unwrap_or(0);
            if class != root {
                bound.push(class.clone());
                let _ = writeln!(text, "{class}.__node__ = {node}");
            }
        }
        if !self.strict {
            let _ = writeln!(text, "{root}.__strict__ = False");
        }
        let json = self.graph.json();
        if json != "[{}]" || bound.len() > 1 {
            let _ = writeln!(text, "Schema({}).bind({})", python_json(&json), bound.join(", "));
        }
        Finished { binding: text, unchecked: self.graph.unchecked, notes }
    }
}

fn union(mut parts: Vec<String>) -> String {
    let mut seen = BTreeSet::new();
    parts.retain(|part| seen.insert(part.clone()));
    if parts.is_empty() { "Never".to_owned() } else { parts.join(" | ") }
}

/// Scalars as an annotation.
fn scalars(scalars: &Scalars, name: &str) -> Option<String> {
    Some(match scalars {
        Scalars::Never => return None,
        Scalars::Integers => "int".to_owned(),
        Scalars::All => name.to_owned(),
        Scalars::Listed(values) => {
            let mut literals = Vec::new();
            for value in values {
                match value {
                    Value::String(text) => literals.push(python(text)),
                    Value::Bool(true) => literals.push("True".to_owned()),
                    Value::Bool(false) => literals.push("False".to_owned()),
                    Value::Number(number) if number.is_i64() || number.is_u64() => literals.push(number.to_string()),
                    // A literal cannot be a fraction.
                    _ => return Some(name.to_owned()),
                }
            }
            format!("Literal[{}]", literals.join(", "))
        }
    })
}

/// The parameters' class of every printed wrapper is an object's, so a root that is none has no attributes.
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
}
