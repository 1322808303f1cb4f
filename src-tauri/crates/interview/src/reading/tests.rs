//! Tests of reading answers without a model.

use serde_json::json;

use super::*;
use crate::pursuit::Pursuit;
use crate::schema::read_schema;
use crate::slots::next_slot;

fn schema() -> DiscoverySchema {
    let file = json!({"DS": {
        "DS-id": "process/x",
        "name": {"val": "bread", "comment": "What do you make?"},
        "kind": {"val": "A", "comment": "One of: A, B."},
        "problems": ["late orders"],
        "cyclical?": true,
        "duration": {"units": "hours", "value-string": "2"},
        "steps": [{"step-id": "mix", "time": {"units": "h", "value-string": "1"}, "tools": ["x"], "n": 2}],
    }});
    read_schema(&file.to_string()).unwrap()
}

fn ask(place: &str) -> Question {
    let schema = schema();
    let pursuit = Pursuit::new("process/x", None);
    let mut slot = next_slot(&schema, &pursuit).unwrap();
    slot.place = place.to_owned();
    crate::question::question(&schema, &pursuit, &slot, "q1")
}

fn read_text(place: &str, text: &str) -> Read {
    read(&schema(), &ask(place), &json!({}), &AnswerInput::Text(text.to_owned()))
}

fn scr(place: &str, text: &str) -> Value {
    match read_text(place, text) {
        Read::Understood { checked, .. } => checked.scr,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn answer_of_every_form_is_read() {
    let steps = json!({"steps": [
        {"step-id": "mix", "time": {"units": "h", "value-string": "1"}, "tools": ["a", "b"], "n": 3},
        {"step-id": "bake"},
    ]});
    for (place, text, expected) in [
        ("/name", "sourdough bread", json!({"name": "sourdough bread"})),
        ("/name", "{\"kind\": \"b\"}", json!({"kind": "B"})),
        ("/name", "\"rye\"", json!({"name": "rye"})),
        ("/name", "[laughs] rye", json!({"name": "[laughs] rye"})),
        ("/kind", "2", json!({"kind": "B"})),
        ("/kind", "a", json!({"kind": "A"})),
        ("/problems", "- late\n- few ovens", json!({"problems": ["late", "few ovens"]})),
        ("/problems", "[\"late\"]", json!({"problems": ["late"]})),
        ("/cyclical?", "No.", json!({"cyclical?": false})),
        ("/duration", "20 hours", json!({"duration": {"units": "hours", "value-string": "20"}})),
        (
            "/steps",
            "| step-id | time | tools | n |\n|--|--|--|--|\n| mix | 1 h | a; b | 3 |\n| bake | | | |",
            steps.clone(),
        ),
        ("/steps", "step id,time,tools,n\nmix,1 h,\"a; b\",3\nbake,,,", steps.clone()),
        (
            "/steps",
            "<table><tr><th>Step-Id<th>n<th>time<th>tools</tr><tr><td>mix<td>3<td>1 h<td>a; b</tr><tr><td>bake</table>",
            steps,
        ),
    ] {
        assert_eq!(scr(place, text), expected, "{text}");
    }
}

#[test]
fn answer_that_cannot_be_read_is_unclear() {
    for (place, text) in [
        ("/name", ""),
        ("/name", "I don't know."),
        ("/name", "{\"name\": "),
        ("/name", "{}"),
        ("/kind", "something else"),
        ("/cyclical?", "sometimes"),
        ("/steps", "We mix and then we bake."),
        ("/steps", "a,b\n1,2"),
        ("/steps", "step-id,n\nmix,many"),
    ] {
        let read = read_text(place, text);
        assert!(matches!(read, Read::Unclear(_)), "{text}: {read:?}");
    }
}

#[test]
fn answer_that_breaks_the_schema_is_rejected() {
    for (place, text, words) in [
        ("/name", "{\"nam\": 1}".to_owned(), "unknown key"),
        ("/steps", "step-id,color\nmix,red".to_owned(), "unknown column \"color\""),
        ("/steps", "[{\"n\": 1}]".to_owned(), "identifies"),
        ("/name", "[".repeat(100_000), "levels"),
        ("/name", format!("{}1{}", "[".repeat(100), "]".repeat(100)), "levels"),
    ] {
        match read_text(place, &text) {
            Read::Rejected(problem) => assert!(problem.contains(words), "{problem}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn value_within_an_item_is_put_there() {
    let aggregate = json!({"steps": [{"step-id": "mix"}, {"step-id": "bake"}]});
    let place = pointer::segments("/steps/bake/tools").unwrap();
    let value = wrapped(Some(&aggregate), &place, json!(["oven"]));
    assert_eq!(value, json!({"steps": [{"tools": ["oven"], "step-id": "bake"}]}));
}
