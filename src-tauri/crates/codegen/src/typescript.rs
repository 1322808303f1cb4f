//! Prints wrappers in TypeScript: interfaces and one async function per tool.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::Value;

use crate::classes::{Classes, Container, Finished, Part, output, union};
use crate::compile::{Options, compile};
use crate::folder::exported;
use crate::graph::Graph;
use crate::literal::{has_type, line, script, script_comment, script_json, without_text};
use crate::names::{pascal, script_member};
use crate::pattern;
use crate::region::{NOTE, SLASHES};
use schemascope_model::Strategy;

use crate::tool::{Entry, Language, Names, Tool, Wrapper};
use crate::types::{Containers, Nodes, Scalars, Type};
use crate::typing::Types;

/// Most levels of arrays and maps in one type.
const MAX_NESTING: usize = 12;

/// Prints the wrapper of a tool.
pub fn print(tool: &Tool, names: &Names) -> Wrapper {
    let title = pascal(&names.tool);
    let (params, result, parse) =
        (format!("{title}Params"), format!("{title}Result"), format!("parse{title}"));
    let mut used = BTreeSet::from([params.clone(), result.clone()]);
    let options = |optional| Options { optional, pattern: pattern::javascript };
    let graph = compile(&tool.input_schema, options(false));
    let mut printer = Printer { graph, classes: Classes::new(Part::Params, &mut used), strict: true };
    let about = format!("Arguments of `{}`.", line(tool.id.tool()));
    let mut types = printer.root(&params, &about);
    let mut finished = vec![printer.finish(&params)];
    let graph = compile(&output(tool), options(tool.is_optional()));
    let strict = tool.strategy == Strategy::Typed;
    let mut printer = Printer { graph, classes: Classes::new(Part::Result, &mut used), strict };
    let about = format!("What `{}` returns.", line(tool.id.tool()));
    types += &printer.root(&result, &about);
    finished.push(printer.finish(&result));

    let mut text = String::new();
    let _ = writeln!(text, "{} {NOTE}", SLASHES[0]);
    text += &imports(&types);
    text += &types;
    let gone = if tool.is_gone { "\n\nThe server no longer lists this tool." } else { "" };
    let doc = format!("{}\n\n{}{gone}", tool.description, tool.standing());
    let _ = write!(
        text,
        "\n{}export async function {}(params: {params}, options: CallOptions = {{}}): Promise<{result}> {{\n  \
         return _result.read(await callTool({}, _params.check(params), options)) as unknown as {result};\n}}\n\n\
         /** Reads a result without a call. */\nexport function {parse}(value: unknown): {result} {{\n  \
         return _result.parse(value) as unknown as {result};\n}}\n\n// The schemas, for checks at run time.\n",
        script_comment(&doc, ""),
        names.tool,
        script(&tool.id.to_string()),
    );
    for Finished { binding, .. } in &finished {
        text += binding;
    }
    let _ = writeln!(text, "{}", SLASHES[1]);
    let path = names.path();
    let names = [&format!("{path}.ts"), &format!("{path}.js"), &names.tool, &params, &result, &parse];
    Wrapper { entry: tool.entry(Language::Typescript, names.map(String::as_str), finished), text }
}

/// The index of a server.
pub(crate) fn index(entries: &[&Entry]) -> String {
    let mut text = String::from("// schemascope: replaced by `schemascope generate`\n");
    for ((module, names), entry) in exported(entries).into_iter().zip(entries) {
        let types: Vec<&str> = names.iter().copied().filter(|name| *name != entry.function).collect();
        if names.contains(&entry.function.as_str()) {
            let _ =
                writeln!(text, "export {{ {}, {} }} from \"./{module}.js\";", entry.function, entry.parse);
        }
        if !types.is_empty() {
            let _ = writeln!(text, "export type {{ {} }} from \"./{module}.js\";", types.join(", "));
        }
    }
    text
}

fn imports(types: &str) -> String {
    let code = without_text(types, ("/*", "*/"));
    let used = |name: &&str| has_type(&code, name);
    let each: Vec<&str> = ["JsonMap", "JsonObject", "JsonRoot"].into_iter().filter(used).collect();
    let mut text = String::from("import { callTool, schema } from \"../../schemascope_runtime/index.js\";\n");
    let list: Vec<&str> = std::iter::once("CallOptions").chain(each).collect();
    let _ =
        writeln!(text, "import type {{ {} }} from \"../../schemascope_runtime/index.js\";", list.join(", "));
    text
}

struct Printer<'a> {
    graph: Graph,
    classes: Classes<'a>,
    strict: bool,
}

impl Printer<'_> {
    fn is_result(&self) -> bool {
        self.classes.part == Part::Result
    }

    /// The type of the whole value, and those it refers to.
    fn root(&mut self, name: &str, about: &str) -> String {
        let graph = std::mem::replace(&mut self.graph, Graph::anything());
        let types = Types::new(&graph);
        let kind = types.of(0);
        let alternatives = match &kind.objects {
            Containers::Either(some) if kind.is_object() || kind.is_object_at_heart() => some.as_slice(),
            _ => &[],
        };
        let comment = script_comment(about, "");
        let mut text = match alternatives {
            [single] => {
                self.classes.insert_root(single.clone(), name);
                self.interface(&types, single, name, &comment)
            }
            [_, ..] => {
                let words = types.words(alternatives);
                let variant = |(at, nodes)| {
                    let word = words.get(at).map_or("Variant", String::as_str);
                    self.object(&types, nodes, &format!("{name}{word}"), 0)
                };
                let written = union(alternatives.iter().enumerate().map(variant).collect(), "never");
                format!("\n{comment}export type {name} = {written};\n")
            }
            [] if self.is_result() && (kind == Type::ANY || kind.is_object()) => {
                format!("\n{comment}export type {name} = JsonObject;\n")
            }
            [] if self.is_result() => {
                let inner = self.written(&types, &kind, name, 0);
                format!("\n{comment}export type {name} = JsonRoot<{inner}>;\n")
            }
            [] => format!("\n{comment}export type {name} = {{ readonly [key: string]: unknown }};\n"),
        };
        while let Some((class, nodes)) = self.classes.next() {
            text += &self.interface(&types, &nodes, &class, "");
        }
        self.graph = graph;
        text
    }

    fn interface(&mut self, types: &Types<'_>, nodes: &Nodes, name: &str, comment: &str) -> String {
        let object = types.object(nodes);
        // Most schemas do not say whether there are others. Then a mistyped name is a mistake.
        let is_unsaid = object.others == Type::ANY && !object.fields.is_empty();
        let has_others = object.others != Type::NEVER && !is_unsaid;
        let extends = if self.is_result() { " extends JsonObject" } else { "" };
        let mut text = format!("\n{comment}export interface {name}{extends} {{\n");
        for field in object.fields {
            let member = if self.is_result() { script_member(&field.name) } else { field.name.clone() };
            let written = self.written(types, &field.kind, &format!("{name}{}", pascal(&field.name)), 0);
            let sign = if field.required { "" } else { "?" };
            text += &script_comment(&line(&field.description), "  ");
            let _ = writeln!(text, "  readonly {}{sign}: {written};", key(&member));
        }
        if !self.is_result() && has_others {
            text += "  readonly [key: string]: unknown;\n";
        }
        text + "}\n"
    }

    /// A type as it is written.
    fn written(&mut self, types: &Types<'_>, kind: &Type, name: &str, depth: usize) -> String {
        if *kind == Type::ANY {
            return "unknown".to_owned();
        }
        if !self.classes.count() {
            return "unknown".to_owned();
        }
        if depth > MAX_NESTING {
            self.classes.note(format!("arrays in {name} are nested too deeply for a type"));
            return "unknown".to_owned();
        }
        let mut parts: Vec<String> = Vec::new();
        if let Containers::Either(alternatives) = &kind.objects {
            for (nodes, class) in types.named(alternatives, name) {
                parts.push(self.object(types, nodes, &class, depth));
            }
        }
        if kind.is_object_at_heart() {
            return self.classes.written(union(parts, "never"));
        }
        match &kind.arrays {
            Containers::Never => {}
            Containers::All => parts.push("Array<unknown>".to_owned()),
            Containers::Either(alternatives) => {
                for nodes in alternatives {
                    parts.push(self.array(types, nodes, name, depth));
                }
            }
        }
        if kind.objects == Containers::All {
            parts.push(
                if self.is_result() { "JsonObject" } else { "{ readonly [key: string]: unknown }" }
                    .to_owned(),
            );
        }
        for (scalars, name) in
            [(&kind.strings, "string"), (&kind.numbers, "number"), (&kind.booleans, "boolean")]
        {
            match scalars {
                Scalars::Never => {}
                Scalars::Integers | Scalars::All => parts.push(name.to_owned()),
                Scalars::Listed(values) => parts.extend(values.iter().map(literal)),
            }
        }
        parts.extend(kind.null.then(|| "null".to_owned()));
        self.classes.written(union(parts, "never"))
    }

    fn object(&mut self, types: &Types<'_>, nodes: &Nodes, name: &str, depth: usize) -> String {
        let object = types.object(nodes);
        let any = if self.is_result() { "JsonObject" } else { "{ readonly [key: string]: unknown }" };
        if !object.fields.is_empty() {
            return self.classes.of(types, nodes, name).unwrap_or_else(|| any.to_owned());
        }
        if object.others == Type::ANY {
            return any.to_owned();
        }
        if !self.classes.enter(Container::Object, nodes) {
            return any.to_owned();
        }
        let inner = self.written(types, &object.others, &format!("{name}Value"), depth + 1);
        self.classes.leave(Container::Object, nodes);
        if self.is_result() {
            format!("JsonMap<{inner}>")
        } else {
            format!("{{ readonly [key: string]: {inner} }}")
        }
    }

    fn array(&mut self, types: &Types<'_>, nodes: &Nodes, name: &str, depth: usize) -> String {
        if !self.classes.enter(Container::Array, nodes) {
            return "Array<unknown>".to_owned();
        }
        let written = self.items(types, nodes, name, depth);
        self.classes.leave(Container::Array, nodes);
        written
    }

    fn items(&mut self, types: &Types<'_>, nodes: &Nodes, name: &str, depth: usize) -> String {
        let array = types.array(nodes);
        let item = format!("{name}Item");
        let others = self.written(types, &array.others, &item, depth + 1);
        if array.first.is_empty() {
            return format!("Array<{others}>");
        }
        let mut parts = Vec::new();
        for (at, kind) in array.first.iter().enumerate() {
            let written = self.written(types, kind, &format!("{item}{at}"), depth + 1);
            parts.push(if at < array.least { written } else { format!("({written})?") });
        }
        if array.others != Type::NEVER {
            parts.push(format!("...Array<{others}>"));
        }
        format!("[{}]", parts.join(", "))
    }

    fn finish(mut self, root: &str) -> Finished {
        self.classes.bound(&mut self.graph, root);
        let variable = match self.classes.part {
            Part::Params => "_params",
            Part::Result => "_result",
        };
        let strict = if self.strict { "" } else { ", false" };
        let text =
            format!("const {variable} = schema(\"{root}\", {}{strict});\n", script_json(&self.graph.json()));
        Finished::new(text, self.graph, &self.classes)
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => script(text),
        other => other.to_string(),
    }
}

/// A property's name as it is written.
fn key(name: &str) -> String {
    let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    if is_name { name.to_owned() } else { script(name) }
}
