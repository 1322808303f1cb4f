//! Every row of the ladder's table.

use schemascope_model::Rung;
use schemascope_model::Rung::{Declared, Generic, PassThrough};
use serde_json::{Value, json};

use super::*;

/// The result that a client gets.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Gets {
    Unchanged,
    /// The result with this `structuredContent`, byte for byte, and all else unchanged.
    Structure(&'static str),
    /// An error that keeps the content.
    Rejection,
}
use Gets::{Rejection, Structure, Unchanged};

#[track_caller]
fn check(result: &str, effective: &Effective, modern: bool, mode: Mode, rung: Option<Rung>, gets: Gets) {
    let context = format!("{result}\n{effective:?} {modern} {mode:?}");
    let adapted = adapted(result, effective, modern, mode);
    assert_eq!(adapted.rung, rung, "{context}");
    assert_eq!(adapted.rejected, gets == Rejection, "{context}");
    let text = adapted.result.as_deref().map(|bytes| std::str::from_utf8(bytes).unwrap());
    match gets {
        Unchanged => assert_eq!(text, None, "{context}"),
        Structure(value) => {
            let bytes = Bytes::copy_from_slice(result.as_bytes());
            let expect = object::Object::of(&bytes).unwrap().with("structuredContent", value);
            assert_eq!(text.map(str::as_bytes), Some(expect.as_ref()), "{context}");
        }
        Rejection => {
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

/// A result with structure, and with content that must not be read.
fn structure(value: &str) -> String {
    format!(r#"{{"content":[{{"type":"text","text":"{{}}"}}],"structuredContent":{value},"z":1.10}}"#)
}

const IMAGE: &str = r#"{"content":[{"type":"image","data":"","mimeType":"image/png"},{"type":"resource_link","uri":"a:b","name":"n"}]}"#;

/// Checks for clients of both eras.
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
fn errors_and_unfinished_results_are_unchanged() {
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
fn structure_passes_unless_it_violates_an_enforced_schema() {
    let [declared, promoted, pinned, enforced] = all_origins(&order());
    for result in [structure(r#"{"id":1}"#), structure(r#"{"id":"x"}"#), structure(r#"{ "other" : 1.0 }"#)] {
        for effective in [&Effective::None, &declared, &promoted, &pinned] {
            both(&result, effective, Some(PassThrough), Unchanged);
        }
    }
    both(&structure(r#"{"id":1}"#), &enforced, Some(PassThrough), Unchanged);
    for violating in [r#"{"id":"x"}"#, "{}", "[1]", "1"] {
        both(&structure(violating), &enforced, Some(PassThrough), Rejection);
    }
    // What cannot be judged would pass any schema.
    for unreadable in [r#"{"id":"x","y":"\ud800"}"#, r#"{"id":"x","y":1e999}"#] {
        assert!(adapted(&structure(unreadable), &enforced, false, Mode::On).rejected, "{unreadable}");
        assert!(!adapted(&structure(unreadable), &pinned, false, Mode::On).rejected, "{unreadable}");
    }
}

#[test]
fn structure_that_is_not_an_object_is_wrapped_for_session_clients() {
    let [declared, promoted, ..] = all_origins(&json!({"type": "array", "items": {"type": "integer"}}));
    for effective in [&Effective::None, &declared, &promoted] {
        check(&structure("[1]"), effective, true, Mode::On, Some(PassThrough), Unchanged);
        let gets = Structure(r#"{"result":[1]}"#);
        check(&structure("[1]"), effective, false, Mode::On, Some(PassThrough), gets);
    }
    // A client whose schema says object must get one.
    let [declared, promoted, ..] = all_origins(&order());
    check(&structure("[1]"), &declared, true, Mode::On, Some(PassThrough), Unchanged);
    both(&structure("[1]"), &promoted, Some(PassThrough), Structure(r#"{"result":[1]}"#));
}

#[test]
fn json_in_text_becomes_structure_without_a_schema() {
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
fn other_structure_in_text_is_added_only_after_a_promotion() {
    let [declared, chosen @ ..] = all_origins(&order());
    for sent in [
        text("{'id': 1}"),
        text("Order:\n```json\n{\"id\":1}\n```"),
        r#"{"content":[{"type":"text","text":"Order:"},{"type":"text","text":"{\"id\":1}"}]}"#.to_owned(),
    ] {
        both(&sent, &Effective::None, None, Unchanged);
        let plain: Value = serde_json::from_str(&sent).unwrap();
        let blocks = plain["content"].as_array().unwrap();
        let all: String = blocks.iter().map(|block| block["text"].as_str().unwrap()).collect();
        let generic = json!({"result": all}).to_string();
        let adapted = adapted(&sent, &declared, true, Mode::On);
        assert_eq!(adapted.rung, Some(Generic));
        assert!(std::str::from_utf8(&adapted.result.unwrap()).unwrap().contains(&generic));
        for effective in &chosen {
            both(&sent, effective, Some(Declared), Structure(r#"{"id":1}"#));
        }
    }
    let [_, list, ..] = all_origins(&json!({"type": "array", "items": {"type": "object"}}));
    let table = text("| a | b |\n|---|---|\n| 1 | 2 |");
    check(&table, &list, true, Mode::On, Some(Declared), Structure(r#"[{"a":"1","b":"2"}]"#));
    check(&table, &list, false, Mode::On, Some(Declared), Structure(r#"{"result":[{"a":"1","b":"2"}]}"#));
}

/// A schema that names fields and no type allows a list, but clients get objects by it.
#[test]
fn list_does_not_fit_a_schema_that_names_fields() {
    let [_, promoted, pinned, enforced] = all_origins(&json!({"properties": {}, "required": ["a"]}));
    for sent in ["[]", "[None]"].map(text) {
        let shown: Value = serde_json::from_str(&sent).unwrap();
        let generic = json!({"result": shown["content"][0]["text"]}).to_string();
        for effective in [&promoted, &pinned] {
            let adapted = adapted(&sent, effective, false, Mode::On);
            assert_eq!(adapted.rung, Some(Generic));
            assert!(std::str::from_utf8(&adapted.result.unwrap()).unwrap().contains(&generic));
        }
        both(&sent, &enforced, Some(Generic), Rejection);
    }
}

#[test]
fn structure_inside_a_wrapped_text_is_added_only_after_a_promotion() {
    let wrapped = r#"{"content":[{"type":"text","text":"x"}],"structuredContent":{"result":"{'id': 1}"}}"#;
    let [declared, chosen @ ..] = all_origins(&order());
    for effective in [&Effective::None, &declared] {
        both(wrapped, effective, Some(PassThrough), Unchanged);
    }
    for effective in &chosen {
        both(wrapped, effective, Some(Declared), Structure(r#"{"id":1}"#));
    }
    // A learned schema describes what is inside, though it allows the whole, too.
    let open =
        json!({"type": "object", "properties": {"id": {"type": "integer"}, "result": {"type": "string"}}});
    both(wrapped, &Effective::Promoted(schema(open.clone())), Some(PassThrough), Unchanged);
    let learned = Effective::Promoted(Schema { inferred: true, ..schema(open) });
    both(wrapped, &learned, Some(Declared), Structure(r#"{"id":1}"#));
    // A schema of the wrapped form keeps it.
    let text =
        json!({"type": "object", "properties": {"result": {"type": "string"}}, "required": ["result"]});
    for effective in &all_origins(&text) {
        both(wrapped, effective, Some(PassThrough), Unchanged);
    }
}

#[test]
fn json_in_text_that_fits_becomes_structure() {
    for effective in &all_origins(&order()) {
        both(
            &text(r#" {"id":1.0,"more":1E5} "#),
            effective,
            Some(Declared),
            Structure(r#" {"id":1.0,"more":1E5} "#),
        );
    }
    // Some frameworks declare a field `result` for values that are not objects.
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
fn text_that_fits_as_a_string_becomes_structure() {
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
fn text_fills_the_only_required_string() {
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
    // Regression: `{"status": 200}` reached clients as `{"status": "{\"status\": 200}"}`.
    let status =
        json!({"type": "object", "properties": {"status": {"type": "string"}}, "required": ["status"]});
    let inferred = Effective::Promoted(Schema { inferred: true, ..schema(status) });
    // Nor did any result look like a text: `Error: quota exceeded` is no status.
    both(&text("up"), &inferred, Some(Generic), Structure(r#"{"result":"up"}"#));
    let page =
        json!({"type": "object", "properties": {"content": {"type": "string"}}, "required": ["content"]});
    let inferred_page = Effective::Promoted(Schema { inferred: true, ..schema(page) });
    both(&text("up"), &inferred_page, Some(Declared), Structure(r#"{"content":"up"}"#));
    for misfit in [r#"{"status":200}"#, r#"{"error":"x","code":5}"#] {
        both(&text(misfit), &inferred, Some(PassThrough), Structure(misfit));
    }
    both(&text("[1,2]"), &inferred, Some(Generic), Structure(r#"{"result":"[1,2]"}"#));
    let picky = json!({"type": "object", "properties": {"content": {"type": "string", "maxLength": 3}}, "required": ["content"]});
    both(&text("hello"), &all_origins(&picky)[0], Some(Generic), Structure(r#"{"result":"hello"}"#));
}

#[test]
fn one_item_and_none_fit_a_list_that_was_learned() {
    let list = json!({"type": "array", "items": {"type": "object", "required": ["id"]}});
    let inferred = |schema: Value| Effective::Promoted(Schema { inferred: true, ..self::schema(schema) });
    let empty = r#"{"content":[],"_meta":{"n":1E5}}"#;
    for (result, value) in [
        (text(r#"{"id":1.0}"#), r#"{"result":[{"id":1.0}]}"#),
        (text("{\"id\":1}\n{\"id\":2}\n"), r#"{"result":[{"id":1},{"id":2}]}"#),
        (text(" \n"), r#"{"result":[]}"#),
        (empty.to_owned(), r#"{"result":[]}"#),
        (structure(r#"{"result":"{\"id\":1}"}"#), r#"{"result":[{"id":1}]}"#),
        (structure(r#"{"result":""}"#), r#"{"result":[]}"#),
    ] {
        let effective = inferred(list.clone());
        check(&result, &effective, false, Mode::On, Some(Declared), Structure(value));
        // What is declared may say something about values that are no lists.
        let declared = &all_origins(&list)[0];
        assert_ne!(adapted(&result, declared, false, Mode::On).rung, Some(Declared), "{result}");
    }
    let effective = inferred(list);
    for other in [IMAGE.to_owned(), text("no hits"), text(r#"{"name":"no id"}"#)] {
        assert_ne!(adapted(&other, &effective, false, Mode::On).rung, Some(Declared), "{other}");
    }
}

#[test]
fn metadata_and_body_fill_two_fields() {
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
    both(&missed, &all_origins(&page)[3], Some(Generic), Rejection);
}

#[test]
fn text_that_does_not_fit_is_generic() {
    let [declared, promoted, pinned, enforced] = all_origins(&order());
    for (result, value) in [
        (text("just text"), r#"{"result":"just text"}"#),
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
        both(&result, &enforced, Some(Generic), Rejection);
    }
}

/// Regression: one additional field made a client that had received objects receive a text.
#[test]
fn json_that_does_not_fit_a_promoted_schema_passes_as_it_is() {
    let [declared, promoted, pinned, enforced] = all_origins(&order());
    let sent = text(r#"{"id":"x","n":1.0}"#);
    for effective in [&promoted, &pinned] {
        both(&sent, effective, Some(PassThrough), Structure(r#"{"id":"x","n":1.0}"#));
    }
    both(&sent, &declared, Some(Generic), Structure(r#"{"result":"{\"id\":\"x\",\"n\":1.0}"}"#));
    both(&sent, &enforced, Some(Generic), Rejection);
    let [_, list, ..] = all_origins(&json!({"type": "array", "items": {"type": "integer"}}));
    for sent in [r#"["a"]"#, r#"{"a":1}"#] {
        let wrapped = format!("{{\"result\":{sent}}}").leak();
        check(&text(sent), &list, false, Mode::On, Some(PassThrough), Structure(wrapped));
        check(&text(sent), &list, true, Mode::On, Some(PassThrough), Structure(sent));
    }
    // A number or a word is text.
    check(&text("7"), &list, true, Mode::On, Some(Generic), Structure(r#"{"result":"7"}"#));
}

#[test]
fn mode_decides_which_results_are_adapted() {
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

/// A schema that cannot be used promises nothing and rejects nothing.
#[test]
fn unusable_schemas_reject_nothing() {
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
fn large_results_keep_their_bytes() {
    let row = r#"{"id":1,"name":"\u00e9 \/","price":1.10},"#.repeat(190_000);
    let document = format!(r#"{{"id":12345678901234567890,"rows":[{}]}}"#, row.trim_end_matches(','));
    assert!(document.len() > 7_500_000 && document.len() < MAX_TEXT_BYTES);
    for effective in [&Effective::None, &all_origins(&order())[1]] {
        let adapted = adapted(&text(&document), effective, false, Mode::On);
        let bytes = adapted.result.unwrap();
        let structure = object::Object::of(&bytes).unwrap().get("structuredContent").unwrap();
        assert!(structure == document, "{effective:?}");
    }
}

#[test]
fn text_above_the_limit_gets_an_empty_object_at_most() {
    let object = serde_json::json!({"type": "object", "required": ["n"]});
    for (length, added) in [(MAX_TEXT_BYTES - 100, true), (MAX_TEXT_BYTES + 1, false)] {
        let text = serde_json::json!({"n": 1, "more": "x".repeat(length)}).to_string();
        let result = serde_json::json!({"content": [{"type": "text", "text": text}]}).to_string();
        for mode in [Mode::On, Mode::All] {
            assert_eq!(adapted(&result, &Effective::None, false, mode).result.is_some(), added, "{mode:?}");
        }
        // Validating clients reject a result of a tool with a schema that has no structure.
        let promoted = Effective::Promoted(schema(object.clone()));
        let long = adapted(&result, &promoted, false, Mode::On);
        // A text that is not read is no sign that structure is missing.
        assert_eq!(long.rung.is_some(), added);
        let shown = long.result.unwrap();
        let shown: Value = serde_json::from_slice(&shown).unwrap();
        assert_eq!(shown["structuredContent"] == json!({}), !added);
        // An enforced schema rejects what it does not check.
        let enforced = adapted(&result, &Effective::Enforced(schema(object.clone())), false, Mode::On);
        assert_eq!(enforced.rejected, !added);
    }
}
