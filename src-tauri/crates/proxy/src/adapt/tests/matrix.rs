//! Every row of the ladder's table.

use schemascope_model::Rung;
use schemascope_model::Rung::{Declared, Generic, PassThrough};
use serde_json::{Value, json};

use super::*;

/// What a client gets.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Gets {
    Unchanged,
    /// This `structuredContent`, byte for byte, and all else as it was.
    Structure(&'static str),
    /// An error that keeps the content.
    Refusal,
}
use Gets::{Refusal, Structure, Unchanged};

#[track_caller]
fn check(result: &str, effective: &Effective, modern: bool, mode: Mode, rung: Option<Rung>, gets: Gets) {
    let context = format!("{result}\n{effective:?} {modern} {mode:?}");
    let adapted = adapted(result, effective, modern, mode);
    assert_eq!(adapted.rung, rung, "{context}");
    assert_eq!(adapted.refused, gets == Refusal, "{context}");
    let text = adapted.result.as_deref().map(|bytes| std::str::from_utf8(bytes).unwrap());
    match gets {
        Unchanged => assert_eq!(text, None, "{context}"),
        Structure(value) => {
            let bytes = Bytes::copy_from_slice(result.as_bytes());
            let expect = object::Object::of(&bytes).unwrap().with("structuredContent", value);
            assert_eq!(text.map(str::as_bytes), Some(expect.as_ref()), "{context}");
        }
        Refusal => {
            let (got, sent): (Value, Value) =
                (serde_json::from_str(text.unwrap()).unwrap(), serde_json::from_str(result).unwrap());
            assert_eq!((&got["isError"], &got["content"]), (&json!(true), &sent["content"]), "{context}");
            assert_eq!(got.get("structuredContent"), None, "{context}");
        }
    }
}

fn text(text: &str) -> String {
    format!(r#"{{"content":[{{"type":"text","text":{},"x":1.10}}],"_meta":{{"n":1E5}}}}"#, Value::from(text))
}

/// With content that is not looked at.
fn structure(value: &str) -> String {
    format!(r#"{{"content":[{{"type":"text","text":"{{}}"}}],"structuredContent":{value},"z":1.10}}"#)
}

const IMAGE: &str = r#"{"content":[{"type":"image","data":"","mimeType":"image/png"},{"type":"resource_link","uri":"a:b","name":"n"}]}"#;

/// For clients of both eras alike.
#[track_caller]
fn both(result: &str, effective: &Effective, rung: Option<Rung>, gets: Gets) {
    for modern in [false, true] {
        check(result, effective, modern, Mode::On, rung, gets);
    }
}

fn order() -> Value {
    json!({"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]})
}

#[test]
fn errors_and_what_is_no_answer_yet_are_never_touched() {
    for effective in all_origins(&order()).iter().chain([&Effective::None]) {
        for result in [
            r#"{"content":[{"type":"text","text":"{}"}],"isError":true}"#,
            r#"{"content":[],"structuredContent":{"id":"x"},"isError":true}"#,
            r#"{"resultType":"input_required","content":[{"type":"text","text":"{}"}]}"#,
            r#"{"task":{"taskId":"1"}}"#,
            "[]",
            "null",
        ] {
            both(result, effective, None, Unchanged);
        }
    }
}

#[test]
fn structure_passes() {
    let [declared, promoted, pinned, enforced] = all_origins(&order());
    for result in [structure(r#"{"id":1}"#), structure(r#"{"id":"x"}"#), structure(r#"{ "other" : 1.0 }"#)] {
        for effective in [&Effective::None, &declared, &promoted, &pinned] {
            both(&result, effective, Some(PassThrough), Unchanged);
        }
    }
    both(&structure(r#"{"id":1}"#), &enforced, Some(PassThrough), Unchanged);
    for violating in [r#"{"id":"x"}"#, "{}", "[1]", "1"] {
        both(&structure(violating), &enforced, Some(PassThrough), Refusal);
    }
}

#[test]
fn structure_that_is_no_object_reaches_clients_with_sessions_in_a_field() {
    let [declared, promoted, ..] = all_origins(&json!({"type": "array", "items": {"type": "integer"}}));
    for effective in [&Effective::None, &declared, &promoted] {
        check(&structure("[1]"), effective, true, Mode::On, Some(PassThrough), Unchanged);
        let gets = Structure(r#"{"result":[1]}"#);
        check(&structure("[1]"), effective, false, Mode::On, Some(PassThrough), gets);
    }
    // Told that it is an object, a client must get one.
    let [declared, promoted, ..] = all_origins(&order());
    check(&structure("[1]"), &declared, true, Mode::On, Some(PassThrough), Unchanged);
    both(&structure("[1]"), &promoted, Some(PassThrough), Structure(r#"{"result":[1]}"#));
}

#[test]
fn json_in_text_of_tools_nobody_knows_anything_of() {
    let none = Effective::None;
    let declared = Some(Declared);
    both(&text(r#"{"b":1.10,"a":1E5}"#), &none, declared, Structure(r#"{"b":1.10,"a":1E5}"#));
    both(&text("[1.0,2]"), &none, declared, Structure(r#"{"result":[1.0,2]}"#));
    both(&text("12345678901234567890"), &none, declared, Structure(r#"{"result":12345678901234567890}"#));
    both(&text("null"), &none, declared, Structure(r#"{"result":null}"#));
    let blocks =
        r#"{"content":[{"type":"text","text":"{\"a\":"},{"type":"image"},{"type":"text","text":"1.0}"}]}"#;
    both(blocks, &none, declared, Structure(r#"{"a":1.0}"#));
    let first = r#"{"content":[{"type":"image"},{"type":"text","text":"{}"},{"type":"text","text":"done"}]}"#;
    both(first, &none, declared, Structure("{}"));
    let null = r#"{"structuredContent" : null ,"content":[{"type":"text","text":"{}"}]}"#;
    both(null, &none, declared, Structure("{}"));
}

#[test]
fn json_in_text_that_fits() {
    for effective in &all_origins(&order()) {
        both(
            &text(r#" {"id":1.0,"more":1E5} "#),
            effective,
            Some(Declared),
            Structure(r#" {"id":1.0,"more":1E5} "#),
        );
    }
    // A field `result` that holds what is no object, as some frameworks declare it.
    let wrapped =
        json!({"type": "object", "properties": {"result": {"type": "array"}}, "required": ["result"]});
    for effective in &all_origins(&wrapped) {
        both(&text("[1.0]"), effective, Some(Declared), Structure(r#"{"result":[1.0]}"#));
    }
    for effective in &all_origins(&json!({"type": "array", "items": {"type": "integer"}})) {
        let (shown, bare) = (Structure(r#"{"result":[1.0]}"#), Structure("[1.0]"));
        check(&text("[1.0]"), effective, false, Mode::On, Some(Declared), shown);
        check(&text("[1.0]"), effective, true, Mode::On, Some(Declared), bare);
    }
}

#[test]
fn text_that_fits_as_text() {
    for effective in &all_origins(&json!({"type": "string", "minLength": 2})) {
        for (sent, shown, bare) in [
            ("On branch \"main\"", r#"{"result":"On branch \"main\""}"#, r#""On branch \"main\"""#),
            ("42", r#"{"result":"42"}"#, r#""42""#),
        ] {
            check(&text(sent), effective, false, Mode::On, Some(Declared), Structure(shown));
            check(&text(sent), effective, true, Mode::On, Some(Declared), Structure(bare));
        }
    }
}

#[test]
fn text_for_the_one_string_a_schema_requires() {
    let content = json!({"$ref": "#/$defs/file", "$defs": {"file": {"type": "object",
        "properties": {"content": {"type": "string"}, "size": {"type": "integer"}}, "required": ["content"]}}});
    for effective in &all_origins(&content) {
        both(
            &text("hello\n\"you\""),
            effective,
            Some(Declared),
            Structure(r#"{"content":"hello\n\"you\""}"#),
        );
        both(&text("[1]"), effective, Some(Declared), Structure(r#"{"content":"[1]"}"#));
    }
    let picky = json!({"type": "object", "properties": {"content": {"type": "string", "maxLength": 3}}, "required": ["content"]});
    both(&text("hello"), &all_origins(&picky)[0], Some(Generic), Structure(r#"{"result":"hello"}"#));
}

#[test]
fn metadata_and_a_body() {
    let page = json!({"type": "object", "required": ["metadata", "content"], "properties": {
        "metadata": {"type": "object", "required": ["n"]}, "content": {"type": "string"}, "size": {"type": "integer"}}});
    for effective in &all_origins(&page) {
        both(
            &text("METADATA: {\"n\": 1.10}\n\nthe body\n"),
            effective,
            Some(Declared),
            Structure(r#"{"metadata":{"n": 1.10},"content":"the body\n"}"#),
        );
    }
    let missed = text("METADATA: {}\n\nthe body");
    let generic = Structure(r#"{"result":"METADATA: {}\n\nthe body"}"#);
    both(&missed, &all_origins(&page)[0], Some(Generic), generic);
    both(&missed, &all_origins(&page)[3], Some(Generic), Refusal);
}

#[test]
fn everything_else_is_generic() {
    let [declared, promoted, pinned, enforced] = all_origins(&order());
    for (result, value) in [
        (text("just text"), r#"{"result":"just text"}"#),
        (text(r#"{"id":"x"}"#), r#"{"result":"{\"id\":\"x\"}"}"#),
        (text("[1]"), r#"{"result":"[1]"}"#),
        (text(""), r#"{"result":""}"#),
        (IMAGE.to_owned(), r#"{"result":""}"#),
        (r#"{"content":[]}"#.to_owned(), r#"{"result":""}"#),
        ("{}".to_owned(), r#"{"result":""}"#),
        (
            r#"{"content":[{"type":"text","text":"caf\u00e9 "},{"type":"text","text":"\/"}]}"#.to_owned(),
            r#"{"result":"caf\u00e9 \/"}"#,
        ),
    ] {
        for effective in [&declared, &promoted, &pinned] {
            both(&result, effective, Some(Generic), Structure(value));
        }
        both(&result, &enforced, Some(Generic), Refusal);
    }
}

#[test]
fn modes() {
    let none = Effective::None;
    let [declared, promoted, _, enforced] = all_origins(&order());
    let (json, plain) = (text(r#"{"id":1}"#), text("plain"));
    for result in [&plain, IMAGE, &text("{} and more")] {
        both(result, &none, None, Unchanged);
        check(result, &none, false, Mode::Advertised, None, Unchanged);
    }
    check(&plain, &none, false, Mode::All, Some(Generic), Structure(r#"{"result":"plain"}"#));
    check(IMAGE, &none, true, Mode::All, Some(Generic), Structure(r#"{"result":""}"#));
    check(&json, &none, false, Mode::Advertised, None, Unchanged);
    for effective in [&declared, &promoted, &enforced] {
        for mode in [Mode::All, Mode::Advertised] {
            check(&json, effective, false, mode, Some(Declared), Structure(r#"{"id":1}"#));
        }
        for result in [&json, &plain, IMAGE, &structure(r#"{"id":"x"}"#)] {
            check(result, effective, false, Mode::Off, None, Unchanged);
        }
    }
    check(&json, &none, false, Mode::Off, None, Unchanged);
}

/// What cannot be used as a schema promises nothing and refuses nothing.
#[test]
fn schemas_nobody_can_use() {
    for broken in [json!({"type": "object", "$ref": "https://example.org/x"}), json!({"type": 7})] {
        for effective in &all_origins(&broken) {
            check(&text(r#"{"a":1}"#), effective, false, Mode::On, Some(Declared), Structure(r#"{"a":1}"#));
            check(
                &text("plain"),
                effective,
                false,
                Mode::On,
                Some(Generic),
                Structure(r#"{"result":"plain"}"#),
            );
            check(&structure(r#"{"a":1}"#), effective, false, Mode::On, Some(PassThrough), Unchanged);
        }
    }
}

#[test]
fn large_results() {
    let row = r#"{"id":1,"name":"\u00e9 \/","price":1.10},"#.repeat(250_000);
    let document = format!(r#"{{"id":12345678901234567890,"rows":[{}]}}"#, row.trim_end_matches(','));
    assert!(document.len() > 10_000_000);
    for effective in [&Effective::None, &all_origins(&order())[1]] {
        let adapted = adapted(&text(&document), effective, false, Mode::On);
        let bytes = adapted.result.unwrap();
        let structure = object::Object::of(&bytes).unwrap().members.get("structuredContent").unwrap();
        assert!(structure == document, "{effective:?}");
    }
}
