//! Tests of merging.

use serde_json::json;

use super::*;

fn answer(question: &str, scr: Value) -> Change {
    Change::Merge { question_id: question.to_owned(), scr, at: 5 }
}

#[test]
fn later_fields_keep_earlier_ones_of_the_same_item() {
    let merged = fold(&[
        answer(
            "q1",
            json!({"steps": [{"step-id": "mash", "duration": {"units": "h", "value-string": "2"}}]}),
        ),
        answer("q2", json!({"steps": [{"step-id": "mash", "resources": ["tun"]}, {"step-id": "boil"}]})),
    ]);
    let expected = json!({"steps": [
        {"step-id": "mash", "duration": {"units": "h", "value-string": "2"}, "resources": ["tun"]},
        {"step-id": "boil"},
    ]});
    assert_eq!(merged.value, expected);
    assert!(merged.conflicts.is_empty());
    assert_eq!(merged.origin("/steps/mash/duration/units"), ["q1"]);
    assert_eq!(merged.origin("/steps/mash/resources/0"), ["q2"]);
}

#[test]
fn different_value_wins_and_is_listed_until_settled() {
    let changes = [answer("q1", json!({"a": {"n": 1}})), answer("q2", json!({"a": {"n": 2}}))];
    let mut merged = fold(&changes);
    assert_eq!(merged.value, json!({"a": {"n": 2}}));
    let conflict = merged.conflicts.first().unwrap();
    assert_eq!((conflict.path.as_str(), &conflict.earlier, &conflict.later), ("/a/n", &json!(1), &json!(2)));
    assert_eq!(conflict.question_ids, ["q1", "q2"]);
    merged.apply(&Change::Settle { path: "/a/n".into(), value: json!(1), at: 9 });
    assert_eq!(merged.value, json!({"a": {"n": 1}}));
    assert!(merged.conflicts.is_empty());
}

#[test]
fn null_blank_and_silence_erase_nothing() {
    let merged = fold(&[
        answer("q1", json!({"a": "x", "b": [1], "c": {"d": true}})),
        answer("q2", json!({"a": null, "b": [], "c": {"d": null}})),
        answer("q3", json!({"a": "  ", "c": {}})),
    ]);
    assert_eq!(merged.value, json!({"a": "x", "b": [1], "c": {"d": true}}));
    assert!(merged.conflicts.is_empty());
}

#[test]
fn plain_lists_are_united_in_order_and_keep_repetitions_of_one_answer() {
    let merged = fold(&[
        answer("q1", json!({"keys": ["", "must", ""], "l": ["b", "a"]})),
        answer("q2", json!({"keys": ["", "must", ""], "l": ["c", "a", "d"]})),
    ]);
    assert_eq!(merged.value, json!({"keys": ["", "must", ""], "l": ["b", "a", "c", "d"]}));
}

#[test]
fn retraction_removes_value_conflicts_and_origins() {
    let mut merged = fold(&[
        answer("q1", json!({"l": ["a", "b", "c"], "s": [{"s-id": "x", "n": 1}]})),
        answer("q2", json!({"s": [{"s-id": "x", "n": 2}]})),
    ]);
    let pointers = vec!["/l/1".to_owned(), "/s/0/n".to_owned(), "/none".to_owned(), "bad".to_owned()];
    merged.apply(&Change::Retract { pointers, at: 9 });
    assert_eq!(merged.value, json!({"l": ["a", "c"], "s": [{"s-id": "x"}]}));
    assert!(merged.conflicts.is_empty());
    assert_eq!(merged.origin("/l/1"), ["q1"]);
    assert!(!merged.origins.contains_key("/l/2"));
}

/// All places are those that the person saw.
#[test]
fn several_entries_of_a_list_are_retracted_together() {
    for places in [["/l/0", "/l/1"], ["/l/1", "/l/0"]] {
        let mut merged = fold(&[answer("q1", json!({"l": ["a", "b", "c"]}))]);
        merged.apply(&Change::Retract { pointers: places.map(str::to_owned).to_vec(), at: 9 });
        assert_eq!(merged.value, json!({"l": ["c"]}));
    }
    let many: Vec<u32> = (0..12).collect();
    let mut merged = fold(&[answer("q1", json!({"l": many}))]);
    let places = vec!["/l/2".to_owned(), "/l/10".to_owned(), "/l/2".to_owned()];
    merged.apply(&Change::Retract { pointers: places, at: 9 });
    assert_eq!(merged.value, json!({"l": [0, 1, 3, 4, 5, 6, 7, 8, 9, 11]}));
}

#[test]
fn invented_values_are_not_merged() {
    let merged = fold(&[answer("q1", json!({"a": 1, "invented": {"z": 2}}))]);
    assert_eq!(merged.value, json!({"a": 1}));
}

#[test]
fn same_answer_twice_equals_once_even_with_an_id_twice() {
    let one = answer("q1", json!({"s": [{"s-id": "x", "n": 1}, {"s-id": "x", "n": 2}], "l": [1, 1.0, 2]}));
    assert_eq!(fold(&[one.clone(), one.clone()]), fold(&[one]));
}
