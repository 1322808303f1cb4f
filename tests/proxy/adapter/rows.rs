//! The rows of the adapter's table, as a client of each era sees them.

use schemascope_model::Rung;
use serde_json::{Value, json};

/// Where the effective schema of a row comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Authority {
    Undeclared,
    Declared,
    Promoted,
    Pinned,
    Enforced,
}
pub use Authority::{Declared, Enforced, Pinned, Promoted, Undeclared};

/// The result that an SDK hands to its user.
#[derive(Debug, Clone, PartialEq)]
pub enum ClientResult {
    /// A result with this structure.
    Structure(Value),
    /// One without.
    Plain,
    /// One that is an error, without structure.
    Error,
    /// A rejected answer: the upstream violates its declared schema.
    Nothing,
}
pub use ClientResult::{Error, Nothing, Plain, Structure};

pub struct Row {
    /// What it shows.
    pub name: &'static str,
    pub word: Authority,
    pub schema: Value,
    /// The upstream's.
    pub result: String,
    pub rung: Option<Rung>,
    /// Clients with a handshake, and those without.
    pub gets: [ClientResult; 2],
}

pub fn text(texts: &[&str]) -> String {
    let blocks: Vec<String> =
        texts.iter().map(|text| format!(r#"{{"type":"text","text":{}}}"#, Value::from(*text))).collect();
    format!(r#"{{"content":[{}]}}"#, blocks.join(","))
}

pub fn structure(value: &str) -> String {
    format!(r#"{{"content":[{{"type":"text","text":"see structure"}}],"structuredContent":{value}}}"#)
}

pub const IMAGE: &str = r#"{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}"#;

pub fn all() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut add = |name, words: &[Authority], schema: &Value, result: &str, rung, gets: [ClientResult; 2]| {
        rows.extend(words.iter().map(|word| {
            let (schema, result, gets) = (schema.clone(), result.to_owned(), gets.clone());
            Row { name, word: *word, schema, result, rung, gets }
        }));
    };
    let (pass, declared, generic) = (Some(Rung::PassThrough), Some(Rung::Declared), Some(Rung::Generic));
    let both = |gets: ClientResult| [gets.clone(), gets];
    let order = json!({"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]});
    let list = json!({"type": "array", "items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"type": "integer"}}});
    let page = json!({"type": "object", "required": ["metadata", "content"],
        "properties": {"metadata": {"type": "object"}, "content": {"type": "string"}}});
    let content =
        json!({"type": "object", "required": ["content"], "properties": {"content": {"type": "string"}}});
    let words = [Declared, Promoted, Pinned, Enforced];
    let lenient = [Promoted, Pinned];
    let result = |value: Value| both(Structure(json!({"result": value})));

    let error = r#"{"content":[{"type":"text","text":"{\"id\":\"x\"}"}],"isError":true}"#;
    add("error", &[Undeclared, Declared, Promoted, Pinned, Enforced], &order, error, None, both(Error));
    let good = both(Structure(json!({"id": 1})));
    add(
        "structure",
        &[Undeclared, Declared, Promoted, Pinned, Enforced],
        &order,
        &structure(r#"{"id":1}"#),
        pass,
        good.clone(),
    );
    let bad = structure(r#"{"id":"x"}"#);
    add(
        "violation",
        &[Undeclared, Promoted, Pinned],
        &order,
        &bad,
        pass,
        both(Structure(json!({"id": "x"}))),
    );
    add("violation", &[Declared], &order, &bad, pass, both(Nothing));
    add("violation", &[Enforced], &order, &bad, pass, both(Error));
    add(
        "json",
        &[Undeclared, Declared, Promoted, Pinned, Enforced],
        &order,
        &text(&[r#"{"id":1}"#]),
        declared,
        good.clone(),
    );
    add(
        "json_in_blocks",
        &[Undeclared, Declared, Promoted],
        &order,
        &text(&[r#"{"id":"#, "1}"]),
        declared,
        good,
    );
    add("json_list", &[Undeclared], &order, &text(&["[1,2]"]), declared, result(json!([1, 2])));
    add(
        "json_list",
        &[Promoted, Pinned, Enforced],
        &list,
        &text(&["[1,2]"]),
        declared,
        [Structure(json!({"result": [1, 2]})), Structure(json!([1, 2]))],
    );
    add("json_number", &[Undeclared], &order, &text(&["1.5"]), declared, result(json!(1.5)));
    let misfit = both(Structure(json!({"id": "x"})));
    add("json_misfit", &lenient, &order, &text(&[r#"{"id":"x"}"#]), pass, misfit);
    add("json_misfit", &[Enforced], &order, &text(&[r#"{"id":"x"}"#]), generic, both(Error));
    add(
        "one_string",
        &words,
        &content,
        &text(&["plain \"text\""]),
        declared,
        both(Structure(json!({"content": "plain \"text\""}))),
    );
    add(
        "metadata",
        &words,
        &page,
        &text(&["METADATA: {\"n\": 1}\n\nbody\n"]),
        declared,
        both(Structure(json!({"metadata": {"n": 1}, "content": "body\n"}))),
    );
    add(
        "string",
        &[Promoted, Enforced],
        &json!({"type": "string"}),
        &text(&["plain"]),
        declared,
        [Structure(json!({"result": "plain"})), Structure(json!("plain"))],
    );
    add("text", &[Undeclared], &order, &text(&["plain"]), None, both(Plain));
    add("text", &lenient, &order, &text(&["pl", "ain"]), generic, result(json!("plain")));
    add("text", &[Declared], &order, &text(&["plain"]), generic, both(Nothing));
    add("text", &[Enforced], &order, &text(&["plain"]), generic, both(Error));
    add("text", &lenient, &list, &text(&["plain"]), generic, result(json!("plain")));
    add("image", &[Undeclared], &order, IMAGE, None, both(Plain));
    add("image", &lenient, &order, IMAGE, generic, result(json!("")));
    add("image", &[Enforced], &order, IMAGE, generic, both(Error));
    // What would make an SDK refuse the whole list, were it told so.
    let broken = json!({"type": "object", "properties": {"a": {"$ref": "https://example.org/a.json"}}});
    add(
        "broken",
        &[Declared, Promoted, Enforced],
        &broken,
        &text(&["plain"]),
        generic,
        result(json!("plain")),
    );
    add(
        "typeless",
        &[Declared, Enforced],
        &json!({"properties": {"a": true}, "required": ["a"]}),
        &text(&[r#"{"a":1}"#]),
        declared,
        both(Structure(json!({"a": 1}))),
    );
    rows
}
