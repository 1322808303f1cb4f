//! Starting interviews, questions and answers.

use std::io::{BufRead, IsTerminal};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use schemascope_api::{DecideInterview, InterviewDecision, ListVersions};
use schemascope_engine::Front;
use serde_json::{Map, Value, json};

use super::records::delete_project;
use super::{Where, call, conversation, in_commands, place};
use crate::args::{Args, person};
use crate::output::{self, harmless, harmless_lines};

/// What an interview begins with.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// Discovery Schema to pursue first.
    pub ds: Option<&'a str>,
    /// Tool to find out about.
    pub tool: Option<&'a str>,
}

pub async fn start(
    args: &Args,
    front: &Front,
    name: Option<String>,
    project: Option<&str>,
    wanted: Wanted<'_>,
) -> Result<ExitCode> {
    let Wanted { ds, tool } = wanted;
    if let Some(tool_id) = tool {
        // An unknown tool is an error before anything is begun.
        front.call(ListVersions { tool_id: tool_id.to_owned() }).await?;
    }
    let mut arguments = Map::new();
    if let Some(name) = name {
        arguments.insert("project_name".to_owned(), name.into());
    }
    if let Some(project) = project {
        let (project, last) = conversation(front, project, None).await?;
        arguments.insert("project_id".to_owned(), project.into());
        if let Some(ds) = ds.filter(|_| tool.is_none())
            && let Some(resumed) = resumed(front, &arguments, &last, ds).await?
        {
            return match args.json {
                true => printed(args, &json!({"started": null, "pursuit": resumed})),
                false => {
                    output::note(&format!("The pursuit of {} goes on; its answers stay.", harmless(ds)));
                    Ok(ExitCode::SUCCESS)
                }
            };
        }
    }
    let started = call(front, "start_interview", arguments).await?;
    let Value::Object(place) = &started else { return printed(args, &started) };
    let with_ds = |ds: &str| {
        let mut all = place.clone();
        all.insert("ds_id".to_owned(), ds.into());
        all.extend(tool.map(|tool| ("tool_id".to_owned(), tool.into())));
        all
    };
    let begun: Result<_> = match ds {
        None => {
            let mut about = place.clone();
            about.extend(tool.map(|tool| ("tool_id".to_owned(), tool.into())));
            let begun = async {
                let next = call(front, "get_next_ds", about).await?;
                let Some(id) = next["ds_id"].as_str() else { return Ok((None, None)) };
                let pursuit = call(front, "start_ds_pursuit", with_ds(id)).await?;
                Ok((Some(next), Some(pursuit)))
            };
            begun.await
        }
        Some(ds) => call(front, "start_ds_pursuit", with_ds(ds)).await.map(|pursuit| (None, Some(pursuit))),
    };
    if let (Err(_), None, Some(id)) = (&begun, project, started["project_id"].as_str()) {
        // Nothing was asked in it.
        delete_project(front, id).await?;
    }
    let (recommended, pursuit) = begun?;
    if args.json {
        return printed(args, &json!({"started": started, "pursuit": pursuit}));
    }
    let text = |key: &str| harmless(place.get(key).and_then(Value::as_str).unwrap_or_default()).to_string();
    output::line(&format!("project {}, conversation {}", text("project_id"), text("conversation_id")))?;
    if let Some(recommended) = recommended {
        output::note(&format!(
            "It pursues {} first: {}",
            harmless(recommended["ds_id"].as_str().unwrap_or_default()),
            harmless(recommended["rationale"].as_str().unwrap_or_default())
        ));
    }
    output::note(&format!("`schemascope interview ask {}` asks the first question.", text("project_id")));
    Ok(ExitCode::SUCCESS)
}

/// Goes on with a pursuit of a conversation that has ended, if there is one.
async fn resumed(
    front: &Front,
    project: &Map<String, Value>,
    conversation: &str,
    ds: &str,
) -> Result<Option<Value>> {
    let mut at = project.clone();
    at.remove("project_name");
    at.insert("conversation_id".to_owned(), conversation.into());
    at.insert("ds_id".to_owned(), ds.into());
    // An error means that it was never pursued there.
    let has_ended =
        call(front, "get_ds_status", at.clone()).await.is_ok_and(|status| status["state"] != "working");
    Ok(if has_ended { Some(call(front, "start_ds_pursuit", at).await?) } else { None })
}

pub async fn ask(args: &Args, front: &Front, at: &Where) -> Result<ExitCode> {
    let mut at = place(front, at).await?;
    if !begin_next(front, &mut at).await? {
        return Ok(ExitCode::SUCCESS);
    }
    let is_person = std::io::stdin().is_terminal() && !args.json;
    loop {
        let question = call(front, "get_next_question", at.clone()).await?;
        if args.json {
            return printed(args, &question);
        }
        print_question(&question)?;
        if !is_person {
            return Ok(ExitCode::SUCCESS);
        }
        output::note("Your answer, then an empty line (an empty line alone ends for now):");
        let text = next_answer(&mut std::io::stdin().lock().lines().take_while(is_text))?;
        if text.is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
        let Some(next) = reply(front, &mut at, &question, &text).await? else { return Ok(ExitCode::SUCCESS) };
        output::note(&next);
    }
}

/// Asks about everything that is recommended, with answers from standard input.
pub async fn run(args: &Args, front: &Front, at: &Where) -> Result<ExitCode> {
    let place = place(front, at).await?;
    let (project_id, conversation_id) = conversation(front, &at.project, at.conversation.as_deref()).await?;
    let decision = InterviewDecision::Auto { on: true };
    let command = DecideInterview { project_id, conversation_id, ds_id: None, decision, person: person() };
    front.call(command).await?;
    let mut lines = std::io::stdin().lock().lines();
    loop {
        let next = call(front, "get_next_ds", place.clone()).await?;
        if next["ds_id"].is_null() {
            output::note("Everything that was to be found out is found out.");
            return Ok(ExitCode::SUCCESS);
        }
        let question = call(front, "get_next_question", place.clone()).await?;
        match args.json {
            true => output::json(&question)?,
            false => print_question(&question)?,
        }
        if std::io::stdin().is_terminal() {
            output::note("Your answer, then an empty line (ctrl-d ends for now):");
        }
        let answer = next_answer(&mut lines.by_ref().skip_while(|line| !is_text(line)).take_while(is_text))?;
        if answer.is_empty() {
            output::note(
                "It goes on by itself from here, with an agent, on the page Interviews, or when you run this again.",
            );
            return Ok(ExitCode::SUCCESS);
        }
        let mut arguments = place.clone();
        arguments.insert("question_id".to_owned(), question["question_id"].clone());
        arguments.insert("answer".to_owned(), answer.into());
        let read = call(front, "process_ds_answer", arguments).await?;
        output::note(&told(&read));
    }
}

/// What became of an answer, and why something of it was not understood.
fn told(read: &Value) -> String {
    let ambiguities = read["ambiguities"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let all = read["commit_notes"].as_str().into_iter().chain(ambiguities);
    all.map(|text| harmless(text).to_string()).collect::<Vec<_>>().join("\n")
}

/// An answer: lines up to an empty one. Bytes that are not UTF-8 are an error, because the rest would answer the next
/// question.
fn next_answer(lines: &mut dyn Iterator<Item = std::io::Result<String>>) -> Result<String> {
    let lines: std::io::Result<Vec<String>> = lines.collect();
    Ok(lines.context("cannot read the answer")?.join("\n"))
}

fn is_text(line: &std::io::Result<String>) -> bool {
    line.as_ref().map_or(true, |line| !line.trim().is_empty())
}

/// Answers a question. What to say next, or nothing if this Discovery Schema is complete and none follows.
async fn reply(
    front: &Front,
    at: &mut Map<String, Value>,
    question: &Value,
    text: &str,
) -> Result<Option<String>> {
    let mut arguments = at.clone();
    arguments.insert("question_id".to_owned(), question["question_id"].clone());
    arguments.insert("answer".to_owned(), text.into());
    let read = call(front, "process_ds_answer", arguments).await?;
    if read["next_action"] != "complete" {
        if read["completeness"] == 1.0 {
            // The conversation goes on by itself.
            at.remove("ds_id");
        }
        return Ok(Some(told(&read)));
    }
    output::note(&told(&read));
    call(front, "finalize_ds", at.clone()).await?;
    at.remove("ds_id");
    Ok(begin_next(front, at)
        .await?
        .then(|| format!("Complete. Next: {}", at.get("ds_id").and_then(Value::as_str).unwrap_or_default())))
}

/// Starts what is recommended next, unless something is being pursued. Whether there is a question to ask.
async fn begin_next(front: &Front, at: &mut Map<String, Value>) -> Result<bool> {
    // An error means that nothing was pursued yet.
    if let Ok(status) = call(front, "get_ds_status", at.clone()).await
        && status["state"] == "working"
    {
        let mut pursued = at.clone();
        pursued.insert("ds_id".to_owned(), status["ds_id"].clone());
        // What is complete ends, so that it proposes descriptions; what breaks its JSON Schema stays open.
        if status["completeness"] == 1.0 {
            call(front, "finalize_ds", pursued).await?;
        } else {
            *at = pursued;
        }
    }
    if at.contains_key("ds_id") {
        return Ok(true);
    }
    let next = call(front, "get_next_ds", at.clone()).await?;
    let Some(id) = next["ds_id"].as_str() else {
        output::note("Everything that was to be found out is found out.");
        return Ok(false);
    };
    at.insert("ds_id".to_owned(), id.into());
    call(front, "start_ds_pursuit", at.clone()).await?;
    Ok(true)
}

fn print_question(question: &Value) -> Result<()> {
    let text = |key: &str| question[key].as_str().unwrap_or_default();
    output::question(text("question"))?;
    for (at, choice) in question["choices"].as_array().into_iter().flatten().enumerate() {
        output::line(&format!("  {}. {}", at + 1, harmless(choice.as_str().unwrap_or(&choice.to_string()))))?;
    }
    if !text("table_template").is_empty() {
        output::line(&harmless_lines(text("table_template")))?;
    }
    if !text("help_text").is_empty() {
        output::note(&harmless(text("help_text")));
    }
    Ok(())
}

pub async fn answer(args: &Args, front: &Front, at: &Where, text: &str) -> Result<ExitCode> {
    let at = place(front, at).await?;
    // Asking for the next one would take the text for an answer to a question that no one has read.
    if !is_question_open(front, &at).await? {
        bail!("no question is open; `schemascope interview ask` asks the next one");
    }
    // Asking for the open question again costs nothing.
    let question = call(front, "get_next_question", at.clone()).await?;
    let mut arguments = at;
    arguments.insert("question_id".to_owned(), question["question_id"].clone());
    arguments.insert("answer".to_owned(), text.into());
    let read = call(front, "process_ds_answer", arguments).await?;
    if args.json {
        output::json(&read)?;
    } else {
        output::json(&read["updated_ascr"])?;
        output::note(&told(&read));
        if read["next_action"] != "needs_clarification" {
            output::note("`schemascope interview ask` asks the next question.");
        }
    }
    Ok(if read["next_action"] == "needs_clarification" { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Whether the pursuit at a place has a question that was asked and not answered.
async fn is_question_open(front: &Front, at: &Map<String, Value>) -> Result<bool> {
    let history = call(front, "get_conversation_history", at.clone()).await?;
    let is_unanswered = |activity: &Value| {
        let mut asked = activity["questions_answers"].as_array().into_iter().flatten();
        asked.any(|asked| asked["answered_at"].is_null())
    };
    let mut activities = history["activities"].as_array().into_iter().flatten();
    Ok(activities.any(|activity| match at.get("ds_id") {
        Some(ds) => activity["pursuing_ds"] == *ds && is_unanswered(activity),
        None => !activity["open_question"].is_null(),
    }))
}

pub async fn finish(args: &Args, front: &Front, at: &Where, force: bool) -> Result<ExitCode> {
    let mut arguments = place(front, at).await?;
    if force {
        arguments.insert("force".to_owned(), true.into());
    }
    let done = call(front, "finalize_ds", arguments).await?;
    if args.json {
        output::json(&done)?;
    } else {
        print_finished(&done)?;
    }
    Ok(if done["success"] == true || force { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print_finished(done: &Value) -> Result<()> {
    let results = &done["validation_results"];
    let listed = |key: &str| results[key].as_array().into_iter().flatten().filter_map(Value::as_str);
    let result = match (done["success"] == true, done["state"].as_str()) {
        (true, _) => "finished",
        (false, Some("working")) => "not finished",
        (false, other) => other.unwrap_or_default(),
    };
    output::note(&format!("{}: {result}", harmless(done["ds_id"].as_str().unwrap_or_default())));
    for path in listed("missing") {
        output::note(&format!("  missing: {}", harmless(path)));
    }
    for problem in listed("problems") {
        output::note(&format!("  {}", harmless(problem)));
    }
    if let Some(advice) = results["advice"].as_str() {
        output::note(&in_commands(advice));
    }
    output::json(&done["data_structure"])
}

pub async fn play(args: &Args, front: &Front, product: &str, level: &str, most: u64) -> Result<ExitCode> {
    let expert = json!({"product": product, "expertise_level": level, "company_size": "medium"});
    let expert =
        call(front, "create_surrogate_expert", expert.as_object().cloned().unwrap_or_default()).await?;
    let run = json!({"surrogate_id": expert["surrogate_id"], "max_questions": most});
    let run = call(front, "run_surrogate_interview", run.as_object().cloned().unwrap_or_default()).await?;
    if args.json {
        return printed(args, &run);
    }
    for turn in run["transcript"].as_array().into_iter().flatten() {
        let text = |key: &str| harmless_lines(turn[key].as_str().unwrap_or_default()).to_string();
        output::line(&format!("[{}] {}", text("ds_id"), text("question")))?;
        output::line(&format!("    {}", text("answer").replace('\n', "\n    ")))?;
    }
    let metrics = &run["success_metrics"];
    output::note(&format!(
        "{} Discovery Schemas completed, {} questions, {} of {} facts arrived, {} conflicts",
        run["completed_ds"].as_array().map_or(0, Vec::len),
        metrics["questions"],
        metrics["facts_arrived"],
        metrics["facts"],
        metrics["conflicts"]
    ));
    Ok(ExitCode::SUCCESS)
}

fn printed(args: &Args, value: &Value) -> Result<ExitCode> {
    match args.json {
        true => output::json(value)?,
        false => output::line(&harmless_lines(&serde_json::to_string_pretty(value)?))?,
    }
    Ok(ExitCode::SUCCESS)
}
