//! How long the tools take in a conversation of 1,000 messages, beside 20 others: the program itself, over HTTP, with
//! every event on the disk before its reply.

use std::collections::BTreeMap;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use schemascope_test_support::{McpClient, Places, Program};
use serde_json::{Map, Value, json};

/// Questions and answers of the conversation.
const MESSAGES: usize = 1_000;
/// Calls of each tool that are measured.
const CALLS: usize = 60;
/// Longest time of 95 of 100 calls, and of any, without a model.
const P95: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(2);
/// A Discovery Schema with more keys than there are questions.
const LONG: &str = "bench/long";

/// Measures all. Whether the bars were passed.
pub(super) fn run() -> Result<bool> {
    let places = Places::beside(program()?)?;
    let scratch = tempfile::tempdir()?;
    let program = Program::new(&places, scratch.path(), &Map::new())?;
    let folder = program.data_dir().join("discovery-schemas/bench");
    // Only a folder of one's own is taken for the data.
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    std::fs::write(folder.join("long.json"), long_schema().to_string())?;
    let serve = program.serve(&[])?;
    let client = serve.connect(Some("schemascope"))?;
    let mut measured = Measured { client, times: BTreeMap::new(), counts: false };

    // Others, so that the conversation is not alone.
    for product in ["craft beer", "ship repair"] {
        for level in schemascope_interview::LEVELS {
            let expert = json!({"product": product, "expertise_level": level});
            let expert = measured.call("create_surrogate_expert", &expert)?;
            for _ in 0..3 {
                let run = json!({"surrogate_id": expert["surrogate_id"], "max_questions": 400});
                measured.call("run_surrogate_interview", &run)?;
            }
        }
    }
    let place = measured.call("start_interview", &json!({"project_name": "Long"}))?;
    let with = |more: Value| -> Value {
        let mut all = place.clone();
        if let (Some(all), Value::Object(more)) = (all.as_object_mut(), more) {
            all.extend(more);
        }
        all
    };
    measured.call("start_ds_pursuit", &with(json!({"ds_id": LONG, "budget": 10})))?;
    for _ in 0..(MESSAGES / 2 - CALLS) {
        measured.exchange(&with(json!({})))?;
    }
    measured.counts = true;
    for number in 0..CALLS {
        measured.exchange(&with(json!({})))?;
        measured.call("get_next_ds", &with(json!({})))?;
        measured.call("list_available_ds", &json!({}))?;
        for tool in ["get_ds_status", "get_conversation_history", "get_aggregated_scr"] {
            measured.call(tool, &with(json!({})))?;
        }
        measured.call("interviewer_formulates_question", &with(json!({})))?;
        let asked = json!({"question_asked": "What is thing 700?", "answer": "a lathe"});
        measured.call("interviewer_interprets_response", &with(asked))?;
        measured.call("finalize_ds", &with(json!({"ds_id": LONG})))?;
        let other = measured.call("start_interview", &json!({"project_name": format!("Other {number}")}))?;
        let mut other = other.clone();
        other["ds_id"] = json!(LONG);
        measured.call("start_ds_pursuit", &other)?;
        let expert = measured.call("create_surrogate_expert", &json!({"product": "craft beer"}))?;
        let run = json!({"surrogate_id": expert["surrogate_id"], "max_questions": 400});
        measured.call("run_surrogate_interview", &run)?;
    }
    let passed = measured.print();
    drop(measured.client);
    serve.stop()?;
    Ok(passed)
}

/// The program, built as users run it.
fn program() -> Result<PathBuf> {
    let program = std::env::current_exe()?.with_file_name("schemascope");
    ensure!(program.is_file(), "{} is missing; cargo xtask bench interview builds it", program.display());
    Ok(program)
}

/// A Discovery Schema of one text for each question and more.
fn long_schema() -> Value {
    let keys = (0..MESSAGES).map(|number| {
        let comment = format!("What is thing {number}?");
        (format!("thing-{number}"), json!({"val": "a thing of the shop floor", "comment": comment}))
    });
    let mut ds = Map::from_iter([("DS-id".to_owned(), json!(LONG))]);
    ds.extend(keys);
    json!({"message-type": "DS-INSTRUCTIONS", "budget-decrement": 0.001, "interview-objective": "Find out what there is.", "DS": ds})
}

struct Measured {
    client: McpClient,
    times: BTreeMap<String, Vec<Duration>>,
    /// Whether calls are measured by now.
    counts: bool,
}

impl Measured {
    fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        let began = Instant::now();
        let result = self.client.call(tool, arguments)?.result()?;
        let took = began.elapsed();
        if result["isError"] == true {
            bail!("{tool}: {}", result["content"]);
        }
        if self.counts {
            self.times.entry(tool.to_owned()).or_default().push(took);
        }
        Ok(result["structuredContent"].clone())
    }

    /// A question and its answer.
    fn exchange(&mut self, place: &Value) -> Result<()> {
        let question = self.call("get_next_question", place)?;
        let mut answer = place.clone();
        answer["question_id"] = question["question_id"].clone();
        let number = question["question_id"].as_str().map_or(0, str::len);
        answer["answer"] = json!(format!("a lathe with {number} spindles, in the second hall"));
        let reply = self.call("process_ds_answer", &answer)?;
        reply["scr"].as_object().context("the answer was not understood").map(|_| ())
    }

    fn print(&mut self) -> bool {
        println!("\nA conversation of {MESSAGES} messages, beside others\n");
        println!("| tool | calls | p50 | p95 | slowest |");
        println!("|---|---|---|---|---|");
        let mut passed = true;
        for (tool, times) in &mut self.times {
            times.sort_unstable();
            let at = |share: f64| {
                let place = (times.len() as f64 * share).ceil() as usize;
                times.get(place.saturating_sub(1)).copied().unwrap_or_default()
            };
            let (p95, slowest) = (at(0.95), at(1.0));
            // A whole interview is no step.
            let is_step = tool != "run_surrogate_interview";
            let is_slow = (is_step && p95 > P95) || slowest > LONGEST;
            passed &= !is_slow;
            let mark = if is_slow { " above the bar" } else { "" };
            println!("| {tool} | {} | {:.1?} | {p95:.1?}{mark} | {slowest:.1?} |", times.len(), at(0.5));
        }
        passed
    }
}
