//! Tests of questions, answers and budgets.

use serde_json::json;

use super::{FIRST, OTHER, SECOND, World};
use crate::error::ErrorKind;
use crate::steps::{Place, get_open_question};

#[test]
fn question_before_start_is_rejected_and_says_so() {
    let mut world = World::new(&[FIRST]);
    let error = world.ask().unwrap_err();
    assert_eq!(error.kind, ErrorKind::NotStarted);
    assert!(error.message.contains("start_ds_pursuit"), "{error}");
    let error = world.tool("get_next_question", json!({"ds_id": "process/frist"})).unwrap_err();
    assert!(error.message.contains("did you mean \"process/first\""), "{error}");
    let error = world.call("get_next_ds", json!({"project_id": "x", "conversation_id": "y"})).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unknown);
}

#[test]
fn open_question_is_returned_again_and_charged_once() {
    let mut world = World::new(&[FIRST]);
    world.start("process/first");
    let first = world.ask().unwrap();
    let before = world.interviews.clone();
    assert_eq!(world.ask().unwrap(), first);
    assert_eq!(world.interviews, before);
    assert_eq!(world.tool("get_ds_status", json!({})).unwrap()["budget_used"], 0.07);
}

/// The page showed an answered question by asking the next one.
#[test]
fn open_question_is_read_without_asking_one() {
    let mut world = World::new(&[FIRST]);
    let (project_id, conversation_id) = (world.project.clone(), world.conversation.clone());
    let place = Place { project_id, conversation_id, ds_id: None };
    let open = |world: &mut World| world.with_context(|context| get_open_question(context, &place)).unwrap();
    assert_eq!(open(&mut world), None);
    world.start("process/first");
    assert_eq!(open(&mut world), None);
    let asked = world.ask().unwrap();
    assert_eq!(open(&mut world), Some(asked.clone()));
    world.answer(&asked, "bread").unwrap();
    assert_eq!(open(&mut world), None);
}

#[test]
fn budget_of_one_gives_fourteen_questions_at_seven_hundredths() {
    let mut world = World::new(&[FIRST, SECOND]);
    world.start("process/first");
    let mut count = 0;
    let error = loop {
        match world.ask() {
            Ok(question) => {
                count += 1;
                let reply = world.answer(&question, "It depends.").unwrap();
                assert_eq!(reply["next_action"], "needs_clarification");
            }
            Err(error) => break error,
        }
    };
    assert_eq!(count, 14);
    assert_eq!(error.kind, ErrorKind::Exhausted);
    assert!(error.message.contains("exhausted"), "{error}");
    assert_eq!(world.tool("get_ds_status", json!({})).unwrap()["state"], "exhausted");
    assert_eq!(world.tool("finalize_ds", json!({})).unwrap()["success"], false);
    assert!(world.tool("get_next_ds", json!({})).unwrap()["ds_id"].is_null());
}

#[test]
fn question_about_the_same_field_has_other_words() {
    let mut world = World::new(&[FIRST]);
    world.start("process/first");
    let first = world.ask().unwrap();
    world.answer(&first, "").unwrap();
    let second = world.ask().unwrap();
    assert_ne!(second["question_id"], first["question_id"]);
    assert_ne!(second["question"], first["question"]);
    assert_eq!(second["expected_info"], first["expected_info"]);
}

#[test]
fn first_answer_stands_and_the_same_text_gets_the_same_reply() {
    let mut world = World::new(&[FIRST]);
    world.start("process/first");
    let question = world.ask().unwrap();
    let reply = world.answer(&question, "{\"product\": \"bread\"}").unwrap();
    let next = world.ask().unwrap();
    world.answer(&next, "FLOW").unwrap();
    let before = world.interviews.clone();
    let mut again = world.answer(&question, "{\"product\": \"bread\"}").unwrap();
    again["budget_remaining"] = reply["budget_remaining"].clone();
    assert_eq!(again, reply);
    world.answer(&question, json!({"product": "bread"})).unwrap();
    assert_eq!(world.answer(&question, "cake").unwrap_err().kind, ErrorKind::Answered);
    assert_eq!(world.interviews, before);
}

#[test]
fn answer_that_does_not_fit_leaves_the_question_open() {
    let mut world = World::new(&[FIRST]);
    world.start("process/first");
    let question = world.ask().unwrap();
    let before = world.interviews.clone();
    for (answer, words) in [
        (json!({"produkt": "bread"}), "\"produkt\""),
        (json!({"kind": 3}), "not a number"),
        (json!("x".repeat(1_000_000)), "256 KB"),
        (json!("[".repeat(100_000)), "levels"),
        (json!({"retract": ["/product"]}), "no value at that place"),
    ] {
        let error = world.answer(&question, answer).unwrap_err();
        assert!(error.message.contains(words), "{error}");
    }
    assert_eq!(world.interviews, before);
    assert_eq!(world.ask().unwrap(), question);
}

#[test]
fn question_of_another_conversation_is_rejected_by_name() {
    let mut world = World::new(&[FIRST]);
    world.start("process/first");
    let question = world.ask().unwrap();
    let project = world.project.clone();
    let other = world.call("start_interview", json!({"project_id": project})).unwrap();
    assert_eq!(other["project_id"], json!(world.project));
    let first =
        std::mem::replace(&mut world.conversation, other["conversation_id"].as_str().unwrap().to_owned());
    let error = world.answer(&question, "bread").unwrap_err();
    assert!(error.message.contains(&first), "{error}");
    world.start("process/first");
    assert_eq!(world.ask().unwrap()["budget_remaining"], 0.93);
}

#[test]
fn unmet_prerequisite_is_named_and_any_met_one_can_start() {
    let mut world = World::new(&[FIRST, SECOND, OTHER]);
    let error = world.tool("start_ds_pursuit", json!({"ds_id": "process/second"})).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Prerequisite);
    assert!(error.message.contains("process/first"), "{error}");
    world.start("data/other");
    assert_eq!(world.tool("get_next_ds", json!({})).unwrap()["ds_id"], "data/other");
}
