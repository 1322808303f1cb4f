//! Tests of whole interviews, exports and surrogates.

use serde_json::json;

use super::{FIRST, OTHER, SECOND, World, library};
use crate::export::{export, import};
use crate::state::Interviews;

#[test]
fn interview_goes_from_first_question_to_exhausted_recommendations() {
    let mut world = World::new(&[FIRST, SECOND, OTHER]);
    assert_eq!(world.tool("get_next_ds", json!({})).unwrap()["ds_id"], "process/first");
    world.start("process/first");
    let question = world.ask().unwrap();
    assert_eq!(question["question"], "What do you make?");
    assert_eq!(question["budget_cost"], 0.07);
    assert!(question["ds_template"].is_object());
    let reply = world.answer(&question, "bread").unwrap();
    assert_eq!((&reply["next_action"], &reply["completeness"]), (&json!("continue"), &json!(0.333)));
    let question = world.ask().unwrap();
    assert_eq!(
        (&question["question_type"], &question["choices"]),
        (&json!("choice"), &json!(["FLOW", "JOB"]))
    );
    world.answer(&question, "2").unwrap();
    let question = world.ask().unwrap();
    let reply =
        world.answer(&question, json!({"scheduling-challenges": ["late orders"], "kind": "FLOW"})).unwrap();
    assert_eq!((&reply["next_action"], &reply["completeness"]), (&json!("complete"), &json!(1.0)));
    assert_eq!(reply["ambiguities"].as_array().unwrap().len(), 1);
    let all = world.tool("get_aggregated_scr", json!({})).unwrap();
    assert_eq!(all["conflicts"][0]["path"], "/kind");
    assert_eq!(world.tool("finalize_ds", json!({"final_notes": "done"})).unwrap()["state"], "complete");
    let next = world.tool("get_next_ds", json!({})).unwrap();
    assert_eq!(next["ds_id"], "process/second");
    world.start("process/second");
    let question = world.ask().unwrap();
    world.answer(&question, "| step-id | duration |\n|--|--|\n| mix | 1 h |\n| bake | |").unwrap();
    let question = world.ask().unwrap();
    assert!(question["question"].as_str().unwrap().contains("bake"), "{question}");
    let reply = world.answer(&question, "step-id,duration\nbake,2 h").unwrap();
    assert_eq!(reply["next_action"], "complete");
    world.tool("finalize_ds", json!({})).unwrap();
    let next = world.tool("get_next_ds", json!({})).unwrap();
    assert!(next["ds_id"].is_null());
    assert!(next["rationale"].as_str().unwrap().contains("exhausted"));
    let history = world.tool("get_conversation_history", json!({"include_minizinc": true})).unwrap();
    assert_eq!(history["scheduling_challenges"], json!(["late orders"]));
    assert_eq!(history["activities"][1]["questions_answers"].as_array().unwrap().len(), 2);
}

#[test]
fn ended_pursuit_is_not_recommended_and_keeps_its_answers_when_started_again() {
    let mut world = World::new(&[FIRST]);
    world.start("process/first");
    let question = world.ask().unwrap();
    world.answer(&question, "bread").unwrap();
    let finished = world.tool("finalize_ds", json!({})).unwrap();
    assert_eq!((&finished["success"], &finished["state"]), (&json!(false), &json!("working")));
    assert_eq!(finished["validation_results"]["missing"], json!(["/kind", "/scheduling-challenges"]));
    assert_eq!(world.tool("finalize_ds", json!({"force": true})).unwrap()["state"], "abandoned");
    assert!(world.tool("get_next_ds", json!({})).unwrap()["ds_id"].is_null());
    let again = world.start("process/first");
    assert_eq!(again["current_state"], json!({"product": "bread"}));
    let status = world.tool("get_ds_status", json!({})).unwrap();
    assert_eq!((&status["budget_used"], &status["completeness"]), (&json!(0.0), &json!(0.333)));
}

#[test]
fn complete_pursuit_started_again_asks_for_additions() {
    let mut world = World::new(&[FIRST]);
    world.fill_first();
    world.start("process/first");
    let question = world.ask().unwrap();
    assert!(question["question"].as_str().unwrap().contains("added"), "{question}");
    assert_eq!(world.answer(&question, json!({"product": "rye bread"})).unwrap()["next_action"], "complete");
    let status = world.tool("get_ds_status", json!({})).unwrap();
    assert_eq!(status["conflicts"][0]["later"], "rye bread");
}

#[test]
fn changed_file_does_not_concern_a_pursuit_that_has_begun() {
    let mut world = World::new(&[FIRST]);
    world.start("process/first");
    world.library = library(&[&FIRST.replace("What do you make?", "What do you produce?")]);
    let question = world.ask().unwrap();
    assert_eq!(question["question"], "What do you make?");
    assert!(question["ds_changed"].as_str().unwrap().contains("keeps the text"));
}

#[test]
fn export_imports_to_equal_bytes() {
    let mut world = World::new(&[FIRST, SECOND]);
    world.fill_first();
    world.start("process/second");
    world.ask().unwrap();
    let text = export(&world.interviews, &[]).unwrap();
    let mut other = Interviews::default();
    for event in import(&other, &text, "importer", 99).unwrap() {
        other.apply(&event);
    }
    assert_eq!(export(&other, &[]).unwrap(), text);
    assert_eq!(other.projects, world.interviews.projects);
    assert!(import(&other, &text, "importer", 99).unwrap().is_empty());
    let forged = text.replace("\"product\": \"bread\"", "\"product\": \"cake\"");
    assert!(import(&Interviews::default(), &forged, "x", 1).is_ok());
    let forged = text.replacen("\"completeness\": 1.0", "\"completeness\": 0.5", 1);
    assert!(import(&Interviews::default(), &forged, "x", 1).is_err());
    assert!(import(&Interviews::default(), "{}", "x", 1).is_err());
}

#[test]
fn surrogate_of_every_level_completes_and_the_expert_loses_nothing() {
    for level in ["basic", "intermediate", "expert"] {
        let mut world = World::new(&[FIRST, SECOND, OTHER]);
        let arguments = json!({"product": "pretzels", "expertise_level": level, "company_size": "small"});
        let expert = world.call("create_surrogate_expert", arguments).unwrap();
        let arguments = json!({"surrogate_id": expert["surrogate_id"], "max_questions": 100});
        let run = world.call("run_surrogate_interview", arguments.clone()).unwrap();
        assert_eq!(run["completed_ds"], json!(["process/first", "process/second"]), "{level}: {run}");
        assert_eq!(run["success_metrics"]["fact_share"], 1.0, "{level}: {run}");
        assert_eq!(run["ascr"]["process/first"]["product"], "pretzels", "{level}: {run}");
        let again = world.call("run_surrogate_interview", arguments).unwrap();
        assert_eq!(again["transcript"], run["transcript"]);
        assert_ne!(again["project_id"], run["project_id"]);
    }
}

#[test]
fn surrogate_stops_at_the_largest_number_of_questions() {
    let mut world = World::new(&[FIRST, SECOND]);
    let expert = world.call("create_surrogate_expert", json!({"product": "pretzels"})).unwrap();
    let arguments = json!({"surrogate_id": expert["surrogate_id"], "max_questions": 2});
    let run = world.call("run_surrogate_interview", arguments).unwrap();
    assert_eq!(run["success_metrics"]["questions"], 2);
    assert_eq!(run["completed_ds"], json!([]));
}
