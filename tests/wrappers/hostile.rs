//! Names, texts and values of upstreams never become code.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use schemascope_api::{Quality, Source, Strategy};
use schemascope_codegen::{Language, Manifest, Tool, folder};
use schemascope_model::ToolId;
use serde_json::{Value, json};

/// Texts that leave literals, comments or names of careless printers.
const TEXTS: &[&str] = &[
    "\"\"\"\nimport os\nos.abort()\n\"\"\"",
    "'''; import os #",
    "*/ process.exit(1); /*",
    "`${process.exit(1)}`",
    "\\",
    "\\\"\"\"",
    "x\\\nimport os",
    "line\r\nimport os\r",
    "\u{2028}import os\u{2029}",
    "\u{85}import os\u{c}\u{b}",
    "\0",
    "\u{202e}gnirts\u{2066}",
    "# schemascope: end\nimport os\n",
    "// schemascope: end\nprocess.exit(1)\n",
    "{}{0}%s%(a)s",
    "\u{1f600}\u{10ffff}\u{feff}",
    "__class__",
    "model_dump",
    "__proto__",
    "constructor",
    "get",
    "self",
    "None",
    "",
    " ",
    "-",
    "é\u{301}",
    "ﬁ",
];

/// Checks that a module consists of classes, one function and calls on literals, and nothing else.
const CHECK: &str = r#"
import ast, json, sys, unicodedata
def literal(node):
    ast.literal_eval(node)
for name, text in json.load(open(sys.argv[1])).items():
    tree = ast.parse(text)
    functions = 0
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            assert node.module in ("__future__", "typing", "pydantic", "schemascope_runtime"), ast.dump(node)
        elif isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.AnnAssign):
                    for inner in ast.walk(part.annotation):
                        assert not isinstance(inner, (ast.Call, ast.Attribute)), ast.dump(part)
                    if isinstance(part.value, ast.Call):
                        assert part.value.func.id == "Field" and not part.value.args
                        for keyword in part.value.keywords:
                            literal(keyword.value)
                    elif part.value is not None:
                        literal(part.value)
                elif isinstance(part, ast.Expr):
                    literal(part.value)
                else:
                    assert isinstance(part, ast.Pass), ast.dump(part)
        elif isinstance(node, ast.AsyncFunctionDef):
            functions += 1
            docstring, result = node.body
            literal(docstring.value)
            assert isinstance(result, ast.Return)
        elif isinstance(node, ast.Assign):
            literal(node.value)
        else:
            call = node.value
            assert isinstance(node, ast.Expr) and isinstance(call, ast.Call) and call.func.attr == "bind", ast.dump(node)
            (schema,) = call.func.value.args
            json.loads(ast.literal_eval(schema))
            assert all(isinstance(arg, ast.Name) for arg in call.args)
    assert functions == 1, name
    for letter in text:
        hidden = unicodedata.category(letter) in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")
        assert letter == "\n" or not hidden, (name, letter)
print("ok")
"#;

fn tool(name: &str, description: &str, strategy: Strategy, input: Value, output: Value) -> Tool {
    Tool {
        id: ToolId::new("s", name).unwrap(),
        description: description.to_owned(),
        strategy,
        source: Source::Inferred,
        quality: Quality::High,
        observation_count: 1,
        version: None,
        input_schema: input,
        output_schema: Some(output),
        is_text: false,
        is_gone: false,
    }
}

fn written(tools: &[Tool]) -> Vec<schemascope_codegen::File> {
    let all: Vec<_> =
        tools.iter().map(|tool| (tool.id.server().to_owned(), tool.id.tool().to_owned())).collect();
    let languages = BTreeSet::from(Language::ALL);
    folder(tools, &all, &languages, &Manifest::default(), |_| None).0
}

/// A schema with a text at every place that is printed.
fn schema(text: &str, other: &str) -> Value {
    json!({"type": "object", "title": text, "description": text, "required": [text], "properties": {
        text: {"description": text, "enum": [text, other, 1, null], "default": text},
        other: {"title": text, "type": "object", "properties": {text: {"const": other}}},
        "pattern": {"pattern": text, "examples": [text]},
        "ref": {"$ref": format!("#/$defs/{text}")},
        "map": {"patternProperties": {text: {"type": "string"}}, "additionalProperties": false}},
        "$defs": {text: {"properties": {text: {"type": "array", "items": {"const": text}}}}, "x": {"$ref": text}}})
}

#[test]
fn text_of_upstreams_stays_inside_literals_and_comments() {
    let mut tools = Vec::new();
    for (at, text) in TEXTS.iter().enumerate() {
        let other = TEXTS[(at * 7 + 3) % TEXTS.len()];
        let name: String = if text.is_empty() { "empty".to_owned() } else { (*text).to_owned() };
        let Ok(_) = ToolId::new("s", name.as_str()) else { continue };
        tools.push(tool(&name, text, Strategy::Inferred, schema(text, other), schema(other, text)));
    }
    assert!(tools.len() > 10, "{}", tools.len());
    for (at, text) in TEXTS.iter().enumerate() {
        let other = TEXTS[(at * 5 + 1) % TEXTS.len()];
        tools.push(tool(&format!("t{at}"), text, Strategy::Typed, schema(text, other), schema(text, other)));
    }
    let files = written(&tools);
    let wrappers = |end: &'static str| {
        files.iter().filter(move |file| {
            let is_index =
                ["/__init__.py", "/index.ts", "/mod.rs"].iter().any(|index| file.path.ends_with(index));
            file.path.starts_with("servers/s/") && file.path.ends_with(end) && !is_index
        })
    };
    for end in [".py", ".ts", ".rs"] {
        assert_eq!(wrappers(end).count(), tools.len());
    }
    let texts: serde_json::Map<String, Value> =
        wrappers(".py").map(|file| (file.path.clone(), file.text.clone().into())).collect();
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("texts.json");
    fs::write(&path, Value::Object(texts).to_string()).unwrap();
    let run = Command::new("python3").args(["-c", CHECK]).arg(&path).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert_eq!(out.trim(), "ok", "{err}");
    for (file, quotes) in
        wrappers(".ts").map(|file| (file, "\"'")).chain(wrappers(".rs").map(|file| (file, "\"")))
    {
        let control = file.text.chars().find(|letter| letter.is_control() && *letter != '\n');
        assert_eq!(control, None, "{}", file.path);
        let code = without_literals(&file.text, quotes);
        let is_code = code.contains("process.") || code.contains("import os");
        assert!(code.is_ascii() && !is_code, "{}", file.text);
    }
}

/// A text of TypeScript or Rust without its comments and strings, none of which may be open at the end.
fn without_literals(text: &str, quotes: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            quote if quotes.contains(quote) => closing(rest, quote),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap(),
            '/' if rest.starts_with("/*") => rest.find("*/").unwrap() + 2,
            '`' => panic!("templates are not printed: {rest}"),
            other => {
                code.push(other);
                other.len_utf8()
            }
        };
        rest = &rest[end..];
    }
    code
}

/// Where a string ends; on its own line.
fn closing(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        assert!(letter != '\n', "a string ends on its line: {text}");
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            letter if letter == quote => return at + 1,
            _ => {}
        }
    }
    panic!("a string is open: {text}");
}

/// Wrappers for `values.py`.
pub fn write_values(out: &Path) {
    let strict = json!({"type": "object", "properties": {
        "size": {"type": "integer"}, "class": {"type": "string"}, "get": {"type": ["string", "null"]},
        "note": {"type": "string"},
        "owner": {"type": ["object", "null"], "properties": {"id": {"type": "integer"}}, "required": ["id"]},
        "items": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}}}}},
        "required": ["size"]});
    let params = json!({"type": "object", "properties": {
        "repo-path": {"type": "string"}, "limit": {"type": "integer"}, "mode": {"enum": ["r", "rw", null]}},
        "required": ["repo-path"]});
    let inner = json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "boolean"}}});
    let tolerant = json!({"type": "object", "properties": {
        "name": {"type": "string"}, "size": {"type": "integer"}, "inner": inner}});
    let rows =
        json!({"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}}}});
    let paid = |kind: &str, field: &str| {
        let inner = json!({"type": "object", "properties": {"id": {"type": "integer"}}});
        json!({"type": "object", "properties": {"kind": {"const": kind}, (field): {"type": "string"}, "by": inner},
            "required": ["kind", field], "additionalProperties": false})
    };
    let either = json!({"type": "object", "oneOf": [paid("card", "last4"), paid("voucher", "code")]});
    let files = written(&[
        tool("either", "", Strategy::Typed, params.clone(), either),
        tool("strict", "", Strategy::Typed, params.clone(), strict),
        tool("tolerant", "", Strategy::Inferred, params.clone(), tolerant),
        tool("rows", "", Strategy::Typed, params, rows),
    ]);
    for file in files {
        let path = out.join(&file.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, file.text).unwrap();
    }
}
