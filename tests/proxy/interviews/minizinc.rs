//! Models for MiniZinc from what an interview found out.

use super::*;

#[test]
fn complete_flow_shop_becomes_a_model_that_minizinc_solves() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let wrong = program.run(&["settings", "minizinc_hook", "python3 hook.py"]).unwrap();
    assert!(wrong.code == Some(1) && wrong.err.contains("JSON list"), "{wrong:?}");
    let hook = json!([env!("CARGO_BIN_EXE_schemascope"), "interview", "minizinc", "--batches", "2"]);
    let set = program.run(&["settings", "minizinc_hook", &hook.to_string()]).unwrap();
    assert_eq!(set.code, Some(0), "{set:?}");
    let serve = program.serve(&[]).unwrap();
    let place = program.json(&["interview", "start", "--name", "Bakery"]).unwrap()["started"].clone();
    program.run_with_input(&["interview", "run", "--project", "bakery"], &answers()).unwrap();
    let client = serve.connect(OWN).unwrap();
    let tools = tools(&client);
    let mut asked = place.clone();
    asked["include_minizinc"] = true.into();
    let history = until("the model", || {
        let history = call(&client, &tools, false, "get_conversation_history", &asked);
        history["minizinc_results"].is_string().then_some(history)
    });
    let (model, results) =
        (history["minizinc"].as_str().unwrap(), history["minizinc_results"].as_str().unwrap());
    assert!(model.contains("array[1..steps] of int: duration = [30, 40, 2];"), "{model}");
    // The baker mixes and heats two batches one after the other, mixing first: 140 minutes, and the last baking is over
    // before.
    if has_minizinc() {
        assert!(results.contains("makespan = 140 minutes"), "{results}");
    } else {
        assert!(results.contains("minizinc was not found"), "{results}");
    }
}

/// Whether MiniZinc is installed. It is not needed otherwise, so tests without it check the model alone.
#[allow(clippy::print_stderr, reason = "it says why models are not solved")]
fn has_minizinc() -> bool {
    let found = std::process::Command::new("minizinc").arg("--version").output();
    let found = found.is_ok_and(|run| run.status.success());
    if !found {
        eprintln!("MiniZinc is not installed, so models are not solved here");
    }
    found
}

#[test]
fn models_of_flow_shops_have_the_known_optimum() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let step = |name: &str, minutes: u32, from: &str, resource: &str| {
        json!({
            "process-id": name, "inputs": [{"item-id": "x", "from": from}], "resources": [resource],
            "duration": {"units": "minutes", "value-string": minutes.to_string()},
        })
    };
    let solves = has_minizinc();
    for (what, steps, batches, makespan) in [
        (
            "one after the other",
            json!([step("a", 10, "", "m1"), step("b", 20, "a", "m2"), step("c", 5, "b", "m3")]),
            1,
            35,
        ),
        // `b` and `c` could run at the same time, but share a machine.
        (
            "a shared machine",
            json!([step("a", 10, "", "m1"), step("b", 20, "a", "m2"), step("c", 7, "a", "m2")]),
            1,
            37,
        ),
        // Johnson's rule for two machines: 2 + 3 × 3.
        ("three batches", json!([step("a", 2, "", "m1"), step("b", 3, "a", "m2")]), 3, 11),
    ] {
        let aggregate = json!({"process-id": what, "subprocesses": steps}).to_string();
        let batches = batches.to_string();
        let run =
            program.run_with_input(&["interview", "minizinc", "--batches", &batches], &aggregate).unwrap();
        assert!(run.code == Some(0) && run.out.contains("solve minimize makespan"), "{run:?}");
        if solves {
            let file = scratch.path().join("model.mzn");
            std::fs::write(&file, &run.out).unwrap();
            let solved = std::process::Command::new("minizinc")
                .arg("--solver")
                .arg("gecode")
                .arg(&file)
                .output()
                .unwrap();
            let text = String::from_utf8_lossy(&solved.stdout);
            assert!(text.contains(&format!("makespan = {makespan} minutes")), "{what}: {text}");
        }
    }
    let run = program.run_with_input(&["interview", "minizinc"], "{}").unwrap();
    assert!(run.code == Some(1) && run.err.contains("subprocesses"), "{run:?}");
}
