//! The report as a page for others: its figures are those of the JSON, and nothing private is in it.

use std::fs;

use schemascope_test_support::{Places, Program, stdio};
use serde_json::{Map, Value, json};

use super::exchange::{WORD, done};

/// The beginning of a name of the hostile upstream's tools.
const MARKUP: &str = "<img src=x onerror=";

fn hosting(scratch: &std::path::Path) -> Program {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let entry = |server: &str, args: &[&str]| stdio(places.fixture(server), args);
    let servers: Map<String, Value> = [("shop", "shop"), ("hostile", "hostile")]
        .map(|(name, server)| (name.to_owned(), entry(server, &[])))
        .into_iter()
        .collect();
    Program::new(&places, scratch, &servers).unwrap()
}

#[test]
fn page_has_the_figures_and_nothing_private() {
    let scratch = tempfile::tempdir().unwrap();
    let program = hosting(scratch.path());
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    for n in 0..12 {
        for tool in ["shop__get_order", "shop__store_info", "shop__exchange_rates"] {
            client.call(tool, &json!({"id": format!("{WORD}{n}")})).unwrap();
        }
    }
    let listed = client.request("tools/list", "{}").unwrap().result().unwrap();
    let tools = listed["tools"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str());
    let hostile = tools.rev().find(|name| name.contains("img")).unwrap();
    client.call(hostile, &json!({"id": WORD})).unwrap();
    let token = serve.token().to_owned();
    serve.stop().unwrap();

    let report = program.json(&["report"]).unwrap();
    let path = scratch.path().join("report.html");
    done(&program.run(&["report", "--out", path.to_str().unwrap()]).unwrap());
    let page = fs::read_to_string(&path).unwrap();

    for (count, around) in [
        (&report["tool_count"], "<b>{}</b><span>tools</span>"),
        (&report["call_count"], "<b>{}</b><span>calls</span>"),
        (&report["observation_count"], "<b>{}</b><span>results observed</span>"),
        (&report["by_source"]["declared"], "declared by the server <b>{}</b>"),
        (&report["by_source"]["inferred"], "inferred from results <b>{}</b>"),
        (&report["by_source"]["unknown"], "unknown <b>{}</b>"),
        (&report["by_quality"]["low"], "low <b>{}</b>"),
        (&report["by_quality"]["high"], "high <b>{}</b>"),
    ] {
        let expected = around.replace("{}", &count.to_string());
        assert!(page.contains(&expected), "{expected} is not in {page}");
    }
    assert_eq!(report["violated"][0]["tool_id"], "shop__exchange_rates");
    assert!(report["violated"][0]["misfit_count"].as_u64() > Some(0), "{report}");
    let tokens = &report["tokens"];
    let observed = program.json(&["tools"]).unwrap();
    let observed = observed.as_array().unwrap().iter().filter(|row| row["observation_count"] != 0).count();
    assert_eq!(tokens["tools"].as_array().map(Vec::len), Some(observed), "{tokens}");
    for row in tokens["tools"].as_array().into_iter().flatten() {
        assert!(
            row["defensive"].as_u64() > Some(20) && row["wrapper"].as_u64() > row["model"].as_u64(),
            "{row}"
        );
    }
    let median = tokens["median"]["model"].as_u64().unwrap();
    assert!(page.contains(&format!(">{median}<")), "the page has {median}");
    assert!(report["coverage"]["points"].as_array().is_some_and(|points| !points.is_empty()));
    assert!(page.contains("Declared schemas that results break") && page.contains("<svg"), "{page}");

    // The only markup is ours, nothing is fetched, and no value, token or path is told.
    assert!(page.contains("&lt;img src=x onerror=") && !page.contains(MARKUP), "{page}");
    let private = scratch.path().to_str().unwrap();
    for absent in ["<script", "<link", "http:", "https:", "url(", "@import", WORD, &token, private] {
        let at = page.find(absent);
        let beyond = at.filter(|at| !page[at.saturating_sub(12)..*at].contains("xmlns="));
        assert_eq!(beyond, None, "{absent} is in {page}");
    }
}

#[test]
fn format_is_chosen_or_follows_the_file() {
    let scratch = tempfile::tempdir().unwrap();
    let program = hosting(scratch.path());
    let page = program.run(&["report", "--format", "html"]).unwrap();
    assert!(
        page.out.starts_with("<!doctype html>") && page.out.contains("No tools are known yet"),
        "{page:?}"
    );
    let file = scratch.path().join("report.JSON");
    done(&program.run(&["report", "--out", file.to_str().unwrap()]).unwrap());
    let report: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!((&report["tool_count"], &report["drift_totals"]["open"]), (&json!(0), &json!(0)));
    let missing = scratch.path().join("no/folder.txt");
    let run = program.run(&["report", "--out", missing.to_str().unwrap()]).unwrap();
    assert!(run.code == Some(1) && run.err.contains("cannot write"), "{run:?}");
}
