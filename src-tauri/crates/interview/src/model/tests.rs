//! Tests of prompts and replies.

use serde_json::json;

use super::*;
use crate::pursuit::Pursuit;
use crate::question::question;
use crate::schema::read_schema;
use crate::slots::next_slot;

fn schema() -> DiscoverySchema {
    let file = json!({"interview-objective": "x".repeat(40_000), "DS": {
        "DS-id": "process/x", "name": {"val": "bread", "comment": "What do you make?"}, "count": 3}});
    read_schema(&file.to_string()).unwrap()
}

fn own(schema: &DiscoverySchema) -> Question {
    let pursuit = Pursuit::new("process/x", None);
    let slot = next_slot(schema, &pursuit).unwrap();
    question(schema, &pursuit, &slot, "q1")
}

#[test]
fn prompt_is_bounded_whatever_the_file_and_the_answer_contain() {
    let schema = schema();
    let pursuit = Pursuit::new("process/x", None);
    let prompt = about_answer(&schema, &pursuit, "What?", &"é".repeat(1_000_000));
    assert!(prompt.user.len() < 120_000, "{}", prompt.user.len());
    let prompt = about_question(&schema, &pursuit, &own(&schema));
    assert!(prompt.user.contains("What do you make?"));
    assert!(prompt.again(&"y".repeat(9_000)).user.len() < prompt.user.len() + 2_000);
}

#[test]
fn nonsense_of_a_model_is_an_error_text() {
    let schema = schema();
    for reply in [
        "",
        "I cannot do that.",
        "{",
        "}{",
        "[1]",
        "{\"question\": 3}",
        "{\"scr\": []}",
        "{\"question\": \" \"}",
    ] {
        assert!(parse_wording(reply).is_err(), "{reply}");
        assert!(parse_reading(&schema, reply).is_err(), "{reply}");
    }
    let unknown = parse_reading(&schema, "{\"scr\": {\"nam\": \"x\"}}").unwrap_err();
    assert!(unknown.contains("did you mean \"name\""), "{unknown}");
    let deep = format!("{{\"scr\": {{\"name\": {}}}}}", "[".repeat(100_000));
    assert!(parse_reading(&schema, &deep).is_err());
    assert!(parse_reading(&schema, "{\"scr\": {}, \"confidence\": 7}").is_err());
    assert!(parse_wording("{\"question\": \"a\", \"question_type\": \"choice\"}").is_err());
}

#[test]
fn reply_within_words_or_a_fence_is_read() {
    let reply = "Sure!\n```json\n{\"scr\": {\"name\": {\"val\": \"rye\"}}, \"confidence\": 0.9, \"ambiguities\": [\"?\"]}\n```";
    let reading = parse_reading(&schema(), reply).unwrap();
    assert_eq!(reading.scr, json!({"name": "rye"}));
    assert_eq!(reading.ambiguities, ["?"]);
}

#[test]
fn wording_keeps_the_place_unless_the_model_chose_another_field() {
    let schema = schema();
    let reply = "{\"question\": \"How many?\", \"question_type\": \"text\", \"expected_info\": [\"/count\", \"made-up\"]}";
    let moved = parse_wording(reply).unwrap().apply(own(&schema), &schema);
    assert_eq!((moved.place.as_str(), moved.text.as_str()), ("/count", "How many?"));
    assert_eq!(moved.expected_info, ["count"]);
    let kept = parse_wording("{\"question\": \"And?\"}").unwrap().apply(own(&schema), &schema);
    assert_eq!((kept.place.as_str(), kept.expected_info.first().unwrap().as_str()), ("/name", "name"));
}
