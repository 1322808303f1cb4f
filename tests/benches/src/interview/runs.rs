//! Whole interviews with scripted experts, and what must hold of each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use schemascope_interview::{
    Aid, Conflict, Context, Event, Interviews, Library, Origin, Scripts, SourceFile, Stamp, What, call,
};
use serde_json::{Map, Value, json};

use super::products::{Product, generate};

/// An interview that takes longer hangs.
const LONGEST: Duration = Duration::from_secs(5);
/// Least share of an expert's facts that arrive.
const EXPERT_SHARE: f64 = 0.95;
const QUESTIONS: u64 = 2_000;

/// Figures of one level.
#[derive(Default)]
struct Level {
    runs: usize,
    questions: u64,
    conflicts: u64,
    /// Sum, and the smallest.
    share: f64,
    least_share: f64,
    slowest: Duration,
    completed: usize,
    stated: usize,
}

/// Runs all. Whether nothing went wrong.
pub(super) fn run(count: usize) -> Result<bool> {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets");
    let library = library(&assets.join("discovery-schemas"))?;
    let products = generate(&assets.join("surrogates"), count)?;
    let (mut levels, mut problems) = (BTreeMap::<&str, Level>::new(), Vec::new());
    for product in &products {
        let level =
            levels.entry(product.level).or_insert_with(|| Level { least_share: 1.0, ..Level::default() });
        let found = one(product, &library, level)?;
        problems.extend(found.into_iter().map(|problem| format!("{}: {problem}", product.name)));
    }
    println!("\n{} products\n", products.len());
    println!(
        "| level | interviews | questions, mean | completed Discovery Schemas, mean | conflicts | facts arrived, mean | least | facts stated and kept | slowest |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (name, level) in &levels {
        let runs = level.runs as f64;
        println!(
            "| {name} | {} | {:.1} | {:.1} | {} | {:.3} | {:.3} | {} | {:.0?} |",
            level.runs,
            level.questions as f64 / runs,
            level.completed as f64 / runs,
            level.conflicts,
            level.share / runs,
            level.least_share,
            level.stated,
            level.slowest
        );
    }
    for problem in problems.iter().take(20) {
        println!("  {problem}");
    }
    println!("\n{} problems", problems.len());
    Ok(problems.is_empty())
}

fn library(folder: &Path) -> Result<Library> {
    let mut files = Vec::new();
    for domain in std::fs::read_dir(folder)? {
        let domain = domain?.path();
        let entries = if domain.is_dir() { std::fs::read_dir(&domain)?.collect() } else { Vec::new() };
        for file in entries {
            let file: std::fs::DirEntry = file?;
            let path = file.path();
            let name = path.strip_prefix(folder)?.display().to_string();
            files.push(SourceFile { path: name, origin: Origin::Own, text: std::fs::read_to_string(&path)? });
        }
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    let library = Library::read(&files);
    if let Some(file) = library.unusable().first() {
        bail!("{} cannot be used: {}", file.path, file.reason);
    }
    Ok(library)
}

/// One interview. Returns what is wrong with it.
fn one(product: &Product, library: &Library, level: &mut Level) -> Result<Vec<String>> {
    let scripts = Scripts::read(&[("generated.json".to_owned(), product.script.clone())]);
    let mut interviews = Interviews::default();
    let mut tool = |number: u64, name: &str, arguments: Value| -> Result<(Value, Vec<Event>)> {
        let Value::Object(arguments) = arguments else { bail!("no object") };
        let stamp = Stamp { now: number, actor: "bench".to_owned(), id: number.to_string() };
        let context = Context {
            interviews: &interviews,
            library,
            scripts: &scripts,
            stamp: &stamp,
            validate: &problems_of,
        };
        let step = call(&context, name, arguments, &Aid::default())?;
        step.events.iter().for_each(|event| interviews.apply(event));
        Ok((step.reply, step.events))
    };
    let expert =
        json!({"product": product.name, "expertise_level": product.level, "company_size": product.size});
    let (expert, _) = tool(1, "create_surrogate_expert", expert)?;
    let began = Instant::now();
    let run = json!({"surrogate_id": expert["surrogate_id"], "max_questions": QUESTIONS});
    let (reply, events) = tool(2, "run_surrogate_interview", run)?;
    let took = began.elapsed();

    let mut problems = Vec::new();
    let metrics = &reply["success_metrics"];
    let (questions, share) = (
        metrics["questions"].as_u64().unwrap_or_default(),
        metrics["fact_share"].as_f64().unwrap_or_default(),
    );
    if took > LONGEST || questions >= QUESTIONS {
        problems.push(format!("hangs: {questions} questions in {took:?}"));
    }
    problems.extend(repeated(&events));
    for skipped in metrics["skipped"].as_array().into_iter().flatten() {
        problems.push(format!("was not pursued: {skipped}"));
    }
    if product.level == "expert" && share < EXPERT_SHARE {
        problems.push(format!("only {share:.3} of the expert's facts arrived"));
    }
    let (stated, lost) = lost(&interviews, &events);
    problems.extend(lost);
    let completed = reply["completed_ds"].as_array().map_or(0, Vec::len);
    let known = product.answers.keys().filter(|ds| reply["ascr"].get(ds.as_str()).is_some()).count();
    if product.level == "expert" && completed < known {
        problems.push(format!("only {completed} of {known} were completed"));
    }
    level.runs += 1;
    level.questions += questions;
    level.conflicts += metrics["conflicts"].as_u64().unwrap_or_default();
    level.share += share;
    level.least_share = level.least_share.min(share);
    level.slowest = level.slowest.max(took);
    level.completed += completed;
    level.stated += stated;
    Ok(problems)
}

fn problems_of(schema: &Value, aggregate: &Value) -> Vec<String> {
    let Ok(validator) = jsonschema::validator_for(schema) else { return vec!["no JSON Schema".to_owned()] };
    validator.iter_errors(aggregate).map(|error| error.to_string()).collect()
}

/// Discovery Schemas that were pursued more than once.
fn repeated(events: &[Event]) -> Vec<String> {
    let mut pursued = BTreeSet::new();
    let started = events.iter().filter_map(|event| match &event.what {
        What::PursuitStarted { ds_id, .. } => Some(ds_id),
        _ => None,
    });
    started.filter(|ds| !pursued.insert(*ds)).map(|ds| format!("{ds} was pursued twice")).collect()
}

/// Facts of understood answers that the aggregate does not have and no conflict lists. Also returns how many were stated.
fn lost(interviews: &Interviews, events: &[Event]) -> (usize, Vec<String>) {
    let (mut count, mut lost) = (0, Vec::new());
    for event in events {
        let What::AnswerGiven { project_id, conversation_id, ds_id, answer, .. } = &event.what else {
            continue;
        };
        let Some(scr) = &answer.scr else { continue };
        let pursuits = interviews.conversation(project_id, conversation_id);
        let pursuit =
            pursuits.and_then(|known| known.pursuits.iter().find(|pursuit| pursuit.ds_id == *ds_id));
        let Some(pursuit) = pursuit else {
            lost.push(format!("{ds_id} has no pursuit"));
            continue;
        };
        let mut kept = BTreeSet::new();
        facts(pursuit.aggregate(), "", &mut kept);
        for Conflict { path, earlier, later, .. } in pursuit.conflicts() {
            let place = place_of(path);
            facts(earlier, &place, &mut kept);
            facts(later, &place, &mut kept);
        }
        let mut stated = BTreeSet::new();
        facts(scr, "", &mut stated);
        count += stated.len();
        lost.extend(
            stated.difference(&kept).map(|(place, value)| format!("{ds_id} lost {value} at {place}")),
        );
    }
    (count, lost)
}

/// The plain values of a value, with their places; items of lists of objects are named by their ids.
fn facts(value: &Value, place: &str, found: &mut BTreeSet<(String, String)>) {
    match value {
        Value::Object(members) => {
            // What an answer has beside the form is kept with the answer.
            for (key, member) in members.iter().filter(|(key, _)| *key != "invented") {
                facts(member, &format!("{place}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for item in items {
                let name = item.as_object().map_or(String::new(), |item| format!("/{}", id(item)));
                facts(item, &format!("{place}{name}"), found);
            }
        }
        Value::Null => {}
        plain => {
            found.insert((place.to_owned(), plain.to_string()));
        }
    }
}

fn id(item: &Map<String, Value>) -> String {
    item.iter().find(|(key, _)| key.ends_with("-id")).map_or(String::new(), |(_, id)| text(id))
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The place of a conflict, written as [`facts`] does.
fn place_of(path: &str) -> String {
    path.replace("~1", "/").replace("~0", "~")
}
