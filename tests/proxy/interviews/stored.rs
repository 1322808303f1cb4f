//! What is on the disk of interviews, and what is removed from it.

use schemascope_journal::{Found, Position, Reader};

use super::*;

/// What the log of interviews holds, as it was before it was compressed.
fn log_of_interviews(program: &Program) -> Vec<u8> {
    let found = Reader::new(&program.data_dir().join("interviews"), Position::START).unwrap();
    let entries = found.map(|found| match found.unwrap() {
        Found::Entry(entry) => entry.payload,
        Found::Damage(damage) => panic!("{damage:?}"),
    });
    entries.flatten().collect()
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

/// Answers that complete what is recommended first, and a flow shop of three steps.

#[test]
fn deleted_interview_leaves_the_disk_and_its_deletion_stays() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let serve = program.serve(&[]).unwrap();
    for (name, answer) in [("Bakery", "poppy seed rolls"), ("Brewery", "smoked beer")] {
        program.run(&["interview", "start", "--name", name]).unwrap();
        let run = program.run_with_input(&["interview", "run", "--project", name], &format!("{answer}\n\n"));
        assert_eq!(run.unwrap().code, Some(0));
    }
    let list = program.json(&["interview", "list"]).unwrap();
    let (bakery, brewery) =
        (list[0]["project_id"].as_str().unwrap(), program.run(&["interview", "show", "brewery"]));
    program.run(&["interview", "delete", "bakery", "--yes"]).unwrap();
    let bytes = log_of_interviews(&program);
    assert!(!holds(&bytes, "poppy seed rolls") && holds(&bytes, "smoked beer"));
    let audit = program.json_lines(&["audit"]).unwrap();
    let deleted = audit.iter().find(|entry| entry["event"] == "delete_interview").unwrap();
    assert_eq!(deleted["tool_id"], "schemascope__*", "{deleted}");
    assert!(deleted.to_string().contains(bakery), "{deleted}");
    serve.stop().unwrap();
    let after = program.run(&["interview", "show", "brewery"]).unwrap();
    assert_eq!(after.out, brewery.unwrap().out, "the other one is as it was");
    let verified = program.json(&["verify"]).unwrap();
    assert!(verified["sound"] == true && verified["interviews"]["entries"].as_u64() > Some(2), "{verified}");
}

#[test]
fn stored_interviews_are_redacted_and_verified() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    program.run(&["interview", "start", "--name", "Bakery"]).unwrap();
    let said = "recipe number RX-4711\n\n";
    program.run_with_input(&["interview", "run", "--project", "bakery"], said).unwrap();
    assert!(holds(&log_of_interviews(&program), "RX-4711"));
    let rules = json!({"keys": [], "patterns": ["RX-[0-9]+"]});
    std::fs::write(program.data_dir().join("redaction.json"), rules.to_string()).unwrap();
    let redacted = program.json(&["redact"]).unwrap();
    assert!(redacted["interviews"]["changed"].as_u64() > Some(0), "{redacted}");
    assert!(!holds(&log_of_interviews(&program), "RX-4711"));
    let shown = program.run(&["interview", "show", "bakery"]).unwrap();
    assert!(shown.code == Some(0) && shown.out.contains("recipe number"), "{shown:?}");

    // A flipped byte in what was said is found.
    let dir = program.data_dir().join("interviews");
    let files = dir.read_dir().unwrap().map(|file| file.unwrap().path());
    let file = files.max_by_key(|file| file.metadata().unwrap().len()).unwrap();
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    let verified = program.run(&["verify"]).unwrap();
    assert!(verified.code == Some(1) && verified.out.contains("the log of interviews"), "{verified:?}");
}
