use schemascope_redact::Rules;
use serde_json::json;

use super::*;

fn open(data: &Path) -> Interviews {
    let redaction = Redaction::new(Rules::default(), []).unwrap();
    let ids = Arc::new(IdSource::new(7, 1));
    let (interviews, notes) = Interviews::open(data, ids, Arc::new(redaction)).unwrap();
    assert!(notes.is_empty(), "{notes:?}");
    interviews
}

fn call(interviews: &Interviews, name: &str, arguments: Value) -> Value {
    let Value::Object(map) = arguments else { panic!("not an object") };
    interviews
        .call(name, map, "test", Aid::default(), |_| Vec::new())
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A whole interview by a scripted expert. Returns the Discovery Schemas that were completed, and the metrics.
fn interview(product: &str, level: &str) -> (Vec<String>, Value) {
    let data = tempfile::tempdir().unwrap();
    let interviews = open(data.path());
    let expert = json!({"product": product, "expertise_level": level, "company_size": "medium"});
    let surrogate = call(&interviews, "create_surrogate_expert", expert);
    let arguments = json!({"surrogate_id": surrogate["surrogate_id"], "max_questions": 400});
    let run = call(&interviews, "run_surrogate_interview", arguments);
    let completed = run["completed_ds"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned());
    (completed.collect(), run["success_metrics"].clone())
}

#[test]
fn own_files_are_all_usable() {
    let library = library::own();
    assert_eq!(library.unusable(), [], "every file can be used");
    assert_eq!(library.entries().count(), 12);
    assert_eq!(library::scripts().unusable(), []);
}

#[test]
fn expert_of_every_kind_of_problem_completes_its_path_and_loses_little() {
    for (product, path) in [
        ("craft beer", "process/flow-shop"),
        ("school timetable", "process/timetabling"),
        ("ball bearings", "process/job-shop--classifiable"),
        ("ship repair", "process/job-shop--unique"),
        ("forged rings", "data/orm"),
        ("pretzels", "process/flow-shop"),
    ] {
        let (completed, metrics) = interview(product, "expert");
        assert_eq!(
            &completed[..2],
            ["process/warm-up-with-challenges", "process/scheduling-problem-type"],
            "{product}"
        );
        assert!(completed.iter().any(|id| id == path), "{product}: {completed:?}");
        assert!(completed.iter().any(|id| id == "optimality/objectives"), "{product}: {completed:?}");
        let unique: BTreeSet<&String> = completed.iter().collect();
        assert_eq!(unique.len(), completed.len(), "nothing is pursued twice: {completed:?}");
        assert!(metrics["fact_share"].as_f64().unwrap() >= 0.95, "{product}: {metrics}");
    }
}

#[test]
fn interviews_are_the_same_after_a_restart_and_secrets_reach_no_disk() {
    let data = tempfile::tempdir().unwrap();
    let interviews = open(data.path());
    let started = call(&interviews, "start_interview", json!({"project_name": "Bakery"}));
    let place = |more: Value| {
        let mut all = started.clone();
        all.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        all
    };
    call(&interviews, "start_ds_pursuit", place(json!({"ds_id": "process/warm-up-with-challenges"})));
    let question = call(&interviews, "get_next_question", place(json!({})));
    let again = call(&interviews, "get_next_question", place(json!({})));
    assert_eq!(question["question_id"], again["question_id"], "an open question is not charged twice");
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let answer =
        json!({"question_id": question["question_id"], "answer": format!("late orders\nthe token {secret}")});
    let first = call(&interviews, "process_ds_answer", place(answer.clone()));
    assert_eq!(first["next_action"], "continue", "{first}");
    let state = interviews.read(Clone::clone);
    drop(interviews);

    let interviews = open(data.path());
    assert_eq!(interviews.read(Clone::clone).projects, state.projects);
    let status = call(&interviews, "get_ds_status", place(json!({})));
    assert_eq!(status["completed_fields"].as_array().unwrap().len(), 1, "{status}");
    assert!(status["data_structure"].to_string().contains("redacted"), "{status}");
    let repeated = call(&interviews, "process_ds_answer", place(answer));
    assert_eq!(
        repeated["updated_ascr"],
        first["updated_ascr"].clone(),
        "the same answer is answered the same"
    );
    for file in std::fs::read_dir(data.path().join("interviews")).unwrap().flatten() {
        let bytes = std::fs::read(file.path()).unwrap();
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()));
    }
}

#[test]
fn file_of_the_user_is_read_when_it_changes_and_a_broken_one_hides_no_other() {
    let data = tempfile::tempdir().unwrap();
    let interviews = open(data.path());
    let folder = interviews.folder().join("mine");
    std::fs::create_dir_all(&folder).unwrap();
    let file = json!({
        "message-type": "DS-INSTRUCTIONS", "interview-objective": "Find out the colour.",
        "DS": {"DS-id": "mine/colour", "colour": {"val": "red", "comment": "Which colour?"}},
    });
    std::fs::write(folder.join("colour.json"), file.to_string()).unwrap();
    std::fs::write(folder.join("broken.json"), "{\n  oops").unwrap();
    let library = interviews.library();
    assert!(library.get("mine/colour").is_some() && library.get("data/orm").is_some());
    let broken = &library.unusable()[0];
    assert!(broken.path.ends_with("broken.json") && broken.line == 2, "{broken:?}");
    std::fs::remove_file(folder.join("colour.json")).unwrap();
    assert!(interviews.library().get("mine/colour").is_none());
}

/// What a kill leaves that comes after a deletion is stored, and before what was deleted is removed.
#[test]
fn deletion_that_a_kill_interrupted_is_finished_at_the_next_start() {
    let data = tempfile::tempdir().unwrap();
    let interviews = open(data.path());
    let said = "smoked beer from the monastery";
    let place = call(&interviews, "start_interview", json!({"project_name": said}));
    let kept = call(&interviews, "start_interview", json!({"project_name": "kept"}));
    let deleted = Event {
        at: interviews.inner.lock().latest,
        actor: "test".to_owned(),
        what: What::Deleted {
            project_id: place["project_id"].as_str().unwrap().to_owned(),
            conversation_id: None,
        },
    };
    let id = interviews.ids.live(Timestamp::now());
    let text = serde_json::to_string(&[deleted]).unwrap();
    interviews.inner.lock().log.append(id, text.as_bytes()).unwrap();
    drop(interviews);
    assert!(entries(data.path()).contains(said));

    let interviews = open(data.path());
    assert!(!entries(data.path()).contains(said));
    let projects: Vec<String> = interviews.read(|state| state.projects.keys().cloned().collect());
    assert_eq!(projects, [kept["project_id"].as_str().unwrap()]);
}

/// Everything that the log of interviews holds.
fn entries(data: &Path) -> String {
    let (_, read, _) = AuditLog::open_interviews(data).unwrap();
    read.entries.iter().map(|entry| String::from_utf8_lossy(entry)).collect()
}
