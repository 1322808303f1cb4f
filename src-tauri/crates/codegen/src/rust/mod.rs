//! Prints wrappers in Rust: types whose methods read the value as sent, and one async function per tool.

mod arguments;
mod results;

use std::collections::BTreeSet;
use std::fmt::Write;

use schemascope_model::Strategy;
use serde_json::Value;

use crate::classes::{Classes, Finished, Part, output};
use crate::compile::{Options, compile};
use crate::folder::exported;
use crate::graph::Graph;
use crate::literal::{line, rust_comment, script};
use crate::names::{pascal, rust_identifier};
use crate::region::{NOTE, SLASHES};
use crate::tool::{Entry, Language, Names, Tool, Wrapper};
use crate::types::{Containers, Scalars, Type};
use crate::typing::{Field, Types};

/// Most levels of lists and maps in one type.
const MAX_NESTING: usize = 12;
/// Most values of an enumeration that a comment lists.
const MAX_LISTED: usize = 20;

/// The manifest of the package. Comments of upstreams are no tests.
const CARGO: &str = r#"[package]
name = "schemascope-wrappers"
version = "0.1.0"
edition = "2024"
rust-version = "1.85"
publish = false

[lib]
path = "lib.rs"
doctest = false

[dependencies]
reqwest = { version = "0.13", default-features = false }
serde = "1"
serde_json = { version = "1", features = ["float_roundtrip", "raw_value"] }
"#;

/// Prints the wrapper of a tool.
pub fn print(tool: &Tool, names: &Names) -> Wrapper {
    let title = pascal(&names.tool);
    let (params, result) = (format!("{title}Params"), format!("{title}Result"));
    let mut used = BTreeSet::from([params.clone(), result.clone()]);
    // A regular expression needs an engine, which would be one more library for the user.
    let options = |optional| Options { optional, pattern: |_| None };
    let graph = compile(&tool.input_schema, options(false));
    let mut classes = Classes::new(Part::Params, &mut used);
    let about = format!("Arguments of `{}`.", line(tool.id.tool()));
    let mut types = arguments::print(&graph, &mut classes, &params, &about);
    let mut finished = vec![finish("PARAMS", &params, graph, &classes, true)];
    let mut graph = compile(&output(tool), options(tool.is_optional()));
    let mut classes = Classes::new(Part::Result, &mut used);
    let about = format!("What `{}` returns.", line(tool.id.tool()));
    types += &results::print(&mut graph, &mut classes, &result, &about);
    finished.push(finish("RESULT", &result, graph, &classes, tool.strategy == Strategy::Typed));

    let gone = if tool.is_gone { "\n\nThe server no longer lists this tool." } else { "" };
    let doc = format!("{}\n\n{}{gone}", tool.description, tool.standing());
    let function = rust_identifier(&names.tool);
    let mut text = format!("{} {NOTE}\nuse crate::schemascope_runtime as runtime;\n", SLASHES[0]);
    text += &types;
    let _ = write!(
        text,
        "\n{}pub async fn {function}(params: &{params}) -> Result<{result}, runtime::Error> {{\n    \
         {}_within(params, runtime::TIMEOUT).await\n}}\n\n\
         /// The same with a time limit.\n\
         pub async fn {}_within(\n    params: &{params},\n    limit: std::time::Duration,\n\
         ) -> Result<{result}, runtime::Error> {{\n    \
         let sent = runtime::call_tool({}, PARAMS.check(params)?, limit).await?;\n    \
         RESULT.read(sent).map({result})\n}}\n\n// The schemas, for checks at run time.\n",
        rust_comment(doc.trim_start(), ""),
        names.tool,
        names.tool,
        script(&tool.id.to_string()),
    );
    for Finished { binding, .. } in &finished {
        text += binding;
    }
    let _ = writeln!(text, "{}", SLASHES[1]);
    let (server, parse) = (rust_identifier(&names.server), format!("{result}::parse"));
    let module = format!("servers::{server}::{function}");
    let names = [&format!("{}.rs", names.path()), &module, &function, &params, &result, &parse];
    Wrapper { entry: tool.entry(Language::Rust, names.map(String::as_str), finished), text }
}

/// The index of a server.
pub(crate) fn index(entries: &[&Entry]) -> String {
    let mut text = String::from("//! Tools of a server.\n\n");
    for (function, names) in exported(entries) {
        let _ = writeln!(text, "pub mod {function};\npub use self::{function}::{{{}}};", names.join(", "));
    }
    text
}

/// Files of the package with the sign of their comments: paths and texts. `servers` are names of folders.
pub(crate) fn package(servers: &[&str]) -> [(&'static str, &'static str, String); 3] {
    let lib = "//! Typed wrappers of tools, written by Schemascope.\n\n\
               // Fields have their names in JSON, and types what their schemas say.\n\
               #![allow(non_snake_case, clippy::needless_lifetimes, clippy::type_complexity)]\n\n\
               pub mod schemascope_runtime;\npub mod servers;\n";
    let list = servers.iter().map(|server| format!("pub mod {};\n", rust_identifier(server)));
    [
        ("Cargo.toml", "#", CARGO.to_owned()),
        ("lib.rs", "//", lib.to_owned()),
        ("servers/mod.rs", "//", list.fold("//! Tools by server.\n\n".to_owned(), |text, one| text + &one)),
    ]
}

fn finish(variable: &str, name: &str, graph: Graph, classes: &Classes<'_>, strict: bool) -> Finished {
    let text = format!(
        "static {variable}: runtime::Schema =\n    runtime::Schema::new(\"{name}\", {}, {strict});\n",
        script(&graph.json())
    );
    Finished::new(text, graph, classes)
}

/// What a comment says of a field: its description, and the values that are allowed.
fn about(field: &Field) -> String {
    let values = match &field.kind.strings {
        Scalars::Listed(values) if values.len() <= MAX_LISTED => {
            let list: Vec<String> = values.iter().map(Value::to_string).collect();
            format!("One of: {}", list.join(", "))
        }
        _ => String::new(),
    };
    [&field.description, &values].map(|text| rust_comment(&line(text), "    ")).concat()
}

/// The type of all items of arrays.
fn item(types: &Types<'_>, arrays: &Containers) -> Type {
    match arrays {
        Containers::Either(alternatives) => alternatives.iter().fold(Type::NEVER, |all, nodes| {
            let array = types.array(nodes);
            array.first.into_iter().fold(all, Type::join).join(array.others)
        }),
        Containers::All => Type::ANY,
        Containers::Never => Type::NEVER,
    }
}

/// Name and type of the numbers, if there are any.
fn numbers(numbers: &Scalars) -> Option<(&'static str, &'static str)> {
    match numbers {
        Scalars::Never => None,
        Scalars::Integers => Some(("Integer", "i64")),
        Scalars::Listed(values) if values.iter().all(Value::is_i64) => Some(("Integer", "i64")),
        Scalars::Listed(_) | Scalars::All => Some(("Number", "f64")),
    }
}

#[cfg(test)]
mod tests {
    use schemascope_model::{Quality, Source, ToolId};
    use serde_json::json;

    use super::*;

    /// A method that read a map rejected values that fit the schema.
    #[test]
    fn maps_that_need_not_be_objects_are_views() {
        let output_schema = json!({"type": "object", "required": ["map", "class"], "properties": {
            "map": {"additionalProperties": {"type": "integer"}}, "class": {"properties": {"id": {"type": "integer"}}}}});
        let tool = Tool {
            id: ToolId::new("git", "get").unwrap(),
            description: String::new(),
            strategy: Strategy::Typed,
            source: Source::Declared,
            quality: Quality::High,
            observation_count: 0,
            version: None,
            input_schema: json!({"type": "object"}),
            output_schema: Some(output_schema),
            is_text: false,
            is_gone: false,
        };
        let text = print(&tool, &Names { server: "git".to_owned(), tool: "get".to_owned() }).text;
        assert!(text.contains("fn map<'a>(&'a self) -> Result<runtime::View<'a>, "), "{text}");
        assert!(text.contains("fn class<'a>(&'a self) -> Result<GetResultClass<'a>, "), "{text}");
    }

    #[test]
    fn a_wrapper_has_types_a_function_and_the_schemas() {
        let tool = Tool {
            id: ToolId::new("git", "move").unwrap(),
            description: "Moves\n```\nfn main() {}\n```".to_owned(),
            strategy: Strategy::Typed,
            source: Source::Declared,
            quality: Quality::High,
            observation_count: 1,
            version: None,
            input_schema: json!({"type": "object", "properties": {
                "from": {"type": "string"}, "None": {"type": "integer"}, "self": {"type": "array", "items": {"type": "string"}}},
                "required": ["from", "None"]}),
            output_schema: Some(json!({"type": "object", "required": ["id"], "properties": {
                "id": {"type": ["string", "integer"]},
                "type": {"enum": ["a", "b"], "description": "kind"},
                "pair": {"type": ["array", "null"], "prefixItems": [{"type": "number"}, {"type": "boolean"}],
                    "items": false, "minItems": 2},
                "files": {"type": "array", "items": {"type": "object", "properties": {"path": {"type": "string"}}}}}})),
            is_text: false,
            is_gone: false,
        };
        let names = Names { server: "git".to_owned(), tool: "move".to_owned() };
        let Wrapper { entry, text } = print(&tool, &names);
        for part in [
            "pub fn new(from: impl Into<String>, value_2_: i64) -> Self {\n",
            "            .set(\"None\", value_2_)",
            "    pub fn self_(self, value: Vec<String>) -> Self {\n",
            "    pub fn id<'a>(&'a self) -> Result<MoveResultId<'a>, runtime::Error> {\n        self.0.view().field(\"id\")",
            "    /// kind\n    /// One of: \"a\", \"b\"\n    pub fn type_<'a>(&'a self) -> Result<Option<&'a str>, runtime::Error>",
            "    pub fn pair(&self) -> Result<Option<Option<(f64, bool,)>>, runtime::Error>",
            "-> Result<Option<runtime::List<'a, MoveResultFilesItem<'a>>>, runtime::Error>",
            "runtime::object! {\n    MoveResultFilesItem\n}",
            "            runtime::Kind::String => view.read().map(Self::Text),\n",
            "/// Moves\n/// '''\n/// fn main() {}\n/// '''\n///\n/// Schema: declared, quality high, 1 observation.\n\
             pub async fn r#move(params: &MoveParams) -> Result<MoveResult, runtime::Error> {\n    move_within(",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert_eq!(
            (entry.file.as_str(), entry.module.as_str()),
            ("servers/git/move.rs", "servers::git::r#move")
        );
        assert_eq!((entry.function.as_str(), entry.parse.as_str()), ("r#move", "MoveResult::parse"));
    }
}
