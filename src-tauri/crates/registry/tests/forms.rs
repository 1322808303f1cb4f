//! Results that are text: with structure to learn, and without.

use schemascope_model::{
    CallRecord, IdSource, Origin, Outcome, Quality, Source, TextForm, Timestamp, ToolId,
};
use schemascope_registry::exchange::RegistryRow;
use schemascope_registry::{Registry, Tool};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// A tool after these results, each as text.
fn after<'a>(texts: impl IntoIterator<Item = &'a str>) -> (ToolId, Registry) {
    after_results(texts.into_iter().map(|text| json!({"content": [{"type": "text", "text": text}]})))
}

fn after_results(results: impl IntoIterator<Item = Value>) -> (ToolId, Registry) {
    let id: ToolId = "s__t".parse().unwrap();
    let (mut registry, ids) = (Registry::default(), IdSource::new(0, 0));
    for (n, result) in results.into_iter().enumerate() {
        let at = Timestamp::from_millis(n as u64 + 1);
        let mut call = CallRecord::new(ids.at(at), at, id.clone(), Outcome::Ok, Origin::Proxy);
        call.result = Some(RawValue::from_string(result.to_string()).unwrap());
        registry.record(&call);
    }
    (id, registry)
}

#[test]
fn tool_with_only_text_stays_unknown_and_names_its_form() {
    for (text, form) in [("On branch main", TextForm::Plain), ("# Title\n\ntext", TextForm::Markdown)] {
        let (id, registry) = after([text; 150]);
        let tool = registry.tool(&id).unwrap();
        let standing = tool.standing();
        assert_eq!((standing.source, standing.quality), (Source::Unknown, Quality::None));
        assert_eq!((standing.form, tool.shape.observations()), (Some(form), 150));
        let row = RegistryRow::of(&id, tool, None);
        assert_eq!((row.form, row.output_schema, row.observation_count), (Some(form), None, 150));
    }
}

#[test]
fn tool_with_structure_in_text_is_inferred() {
    let (id, registry) = after(["[{'a': 1}]"; 12].into_iter().chain(["No rows."]));
    let tool = registry.tool(&id).unwrap();
    assert_eq!((tool.carriers.python, tool.carriers.text), (12, 1));
    assert_eq!((tool.standing().source, tool.standing().form), (Source::Inferred, None));
}

#[test]
fn key_and_value_lines_are_learned_once_their_keys_recur() {
    let text = "Name: Argo\nYear: 1\nPort: x";
    let (id, registry) = after([text; 9]);
    let tool = registry.tool(&id).unwrap();
    assert_eq!((tool.shape.observations(), tool.carriers.unproven), (0, 9));
    assert_eq!((tool.standing().source, tool.standing().form), (Source::Unknown, Some(TextForm::KeyValue)));
    // A state keeps how often keys recurred.
    let restored = Tool::from_state(&tool.to_state()).unwrap();
    assert_eq!(restored.to_state(), tool.to_state());
    let (id, registry) = after([text; 15]);
    let tool = registry.tool(&id).unwrap();
    assert_eq!((tool.shape.observations(), tool.carriers.key_value), (6, 6));
    assert_eq!(tool.standing().source, Source::Inferred);
}

#[test]
fn state_that_learned_text_as_text_starts_again() {
    let (id, registry) = after(["plain text"; 20]);
    let state = String::from_utf8(registry.tool(&id).unwrap().to_state()).unwrap();
    let older = state.replacen(r#""version":6"#, r#""version":5"#, 1);
    let tool = Tool::from_state(older.as_bytes()).unwrap();
    assert_eq!((tool.shape.observations(), tool.calls, tool.carriers.text), (0, 20, 20));
    assert_eq!(tool.standing().form, Some(TextForm::Plain));
    // A state with structure is kept.
    let (id, registry) = after([r#"{"a":1}"#; 20]);
    let state = String::from_utf8(registry.tool(&id).unwrap().to_state()).unwrap();
    let older = state.replacen(r#""version":6"#, r#""version":5"#, 1);
    assert_eq!(Tool::from_state(older.as_bytes()).unwrap().shape.observations(), 20);
}

/// Regression: FastMCP wraps the text of a tool that returns `str`. Where most texts are JSON and some are sentences, the
/// fields of the former and `result` were learned as optional fields of one object.
#[test]
fn sentences_among_wrapped_structure_are_texts() {
    let wrapped = |text: String| json!({"content": [{"type": "text", "text": &text}], "structuredContent": {"result": text}});
    let quote = |n: usize| wrapped(json!({"symbol": format!("s{n}"), "price": n}).to_string());
    let sentence = |n: usize| wrapped(format!("No quote for q{n} was found."));
    let mixed = |first: usize| {
        let sentences = (0..first).map(sentence);
        let rest = (0..60).map(|n| if n % 10 == 9 { sentence(n) } else { quote(n) });
        after_results(sentences.chain(rest).collect::<Vec<_>>())
    };
    for first in [0, 5] {
        let (id, registry) = mixed(first);
        let tool = registry.tool(&id).unwrap();
        let schema = tool.inferred_schema();
        let kinds: Vec<&Value> = schema["anyOf"].as_array().unwrap().iter().map(|one| &one["type"]).collect();
        assert!(kinds.contains(&&json!("string")) && kinds.contains(&&json!("object")), "{schema}");
        assert!(schema.to_string().contains(r#""required":["price","symbol"]"#), "{schema}");
        assert!(!schema.to_string().contains("result"), "{schema}");
        assert_eq!(tool.drift.open().count(), 0);
        let restored = Tool::from_state(&tool.to_state()).unwrap();
        assert_eq!(restored.to_state(), tool.to_state());
    }
    // Without structure inside, the object is what is learned.
    let (id, registry) = after_results((0..20).map(sentence).collect::<Vec<_>>());
    assert_eq!(registry.tool(&id).unwrap().inferred_schema()["required"], json!(["result"]));
}
