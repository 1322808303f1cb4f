//! Tests of the fields of an example.

use serde_json::json;

use super::*;

#[test]
fn fields_keep_the_order_of_the_example() {
    let example = json!({
        "exhausted?": {"val": false, "comment": "Is this all?"},
        "duration": {"val": {"units": "hours", "value-string": "2"}, "comment": "How long does it take?"},
        "span": {"val": {"from": "1", "to": "2"}, "comment": "How far?"},
        "kind": {"val": "a", "comment": "One of: a, b."},
        "list": ["x"],
        "steps": [{"step-id": "one", "time": {"units": "h"}, "parts": [{"part-id": "p"}], "grid": [[1]],
            "codes": [{"value": "0", "meaning": "none"}], "inputs": [{"item-id": "x"}, "water"]}],
    });
    let found = fields(&example);
    let places: Vec<&str> = found.iter().map(|field| field.pointer.as_str()).collect();
    assert_eq!(places, ["/exhausted?", "/duration", "/span/from", "/span/to", "/kind", "/list", "/steps"]);
    assert_eq!(found.get(1).unwrap().kind, FieldKind::Quantity { units: Vec::new() });
    assert_eq!(found.get(2).unwrap().comment, "How far?");
    let FieldKind::Table(table) = &found.last().unwrap().kind else { panic!("no table") };
    let headings: Vec<String> = table.columns.iter().map(Field::heading).collect();
    assert_eq!(headings, ["step-id", "time/units", "codes", "inputs"]);
    assert_eq!(table.id_key.as_deref(), Some("step-id"));
    assert_eq!(table.nested.len(), 1);
}

#[test]
fn field_at_follows_items_and_lists_of_the_same_name() {
    let example = json!({"steps": [{"step-id": "a", "n": 1, "parts": [{"part-id": "p", "steps": []}]}]});
    let found = fields(&example);
    let at = |place: &str| field_at(&found, place).map(|field| field.pointer.clone());
    assert_eq!(at("/steps").as_deref(), Some("/steps"));
    assert_eq!(at("/steps/a/n").as_deref(), Some("/n"));
    assert_eq!(at("/steps/a/parts/p/part-id").as_deref(), Some("/part-id"));
    assert_eq!(at("/steps/a/steps/b/n").as_deref(), Some("/n"));
    assert_eq!(at("/steps/a/none"), None);
    assert_eq!(at("/none"), None);
}

#[test]
fn field_with_only_a_comment_is_text() {
    let found = fields(&json!({"a": {"comment": "What is it?"}}));
    assert_eq!(found.first().unwrap().kind, FieldKind::Text);
}
