//! Interviews that go on by themselves.

use super::*;

#[test]
fn interview_goes_on_by_itself_from_one_schema_to_the_next() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let serve = program.serve(&[]).unwrap();
    let place = program.json(&["interview", "start", "--name", "Bakery"]).unwrap()["started"].clone();
    let run = program.run_with_input(&["interview", "run", "--project", "bakery"], &answers()).unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
    let list = program.json(&["interview", "list"]).unwrap();
    let pursued: Vec<(&str, &str)> = list[0]["pursuits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["ds_id"].as_str().unwrap(), one["state"].as_str().unwrap()))
        .collect();
    assert_eq!(
        pursued,
        [
            ("process/warm-up-with-challenges", "complete"),
            ("process/scheduling-problem-type", "complete"),
            ("process/flow-shop", "complete"),
            ("data/orm", "working"),
        ]
    );
    assert_eq!(list[0]["auto"], true);

    // An agent that asks gets a question of what began by itself.
    let client = serve.connect(OWN).unwrap();
    let tools = tools(&client);
    let question = call(&client, &tools, false, "get_next_question", &place);
    assert_eq!(question["ds_id"], "data/orm", "{question}");

    // The answer that completes it says that the next one began, and finishing again finishes nothing.
    let mut last = place.clone();
    last["question_id"] = question["question_id"].clone();
    last["answer"] = json!({"areas-we-intend-to-discuss": ["orders"], "exhausted?": true});
    let read = call(&client, &tools, false, "process_ds_answer", &last);
    assert_eq!(read["next_action"], "continue", "{read}");
    assert!(read["commit_notes"].as_str().unwrap().contains("resources/resource-inventory began"), "{read}");
    let mut again = place.clone();
    again["ds_id"] = "data/orm".into();
    assert_eq!(call(&client, &tools, false, "finalize_ds", &again)["success"], true);

    let off = program.run(&["interview", "run", "--project", "bakery", "--off"]).unwrap();
    assert_eq!(off.code, Some(0), "{off:?}");
    assert_eq!(program.json(&["interview", "list"]).unwrap()[0]["auto"], false);
}
