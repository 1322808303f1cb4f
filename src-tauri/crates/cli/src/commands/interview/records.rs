//! What an interview found out, decisions about it, and exchange.

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, anyhow, bail};
use schemascope_api::{
    DecideInterview, ExportInterviews, ImportInterviews, InterviewDecision, ListInterviews,
};
use schemascope_engine::Front;
use serde_json::{Map, Value, json};

use super::{DescriptionDecision, Where, call, conversation, in_commands, place};
use crate::args::{Args, person};
use crate::output::{self, harmless, harmless_lines};

pub async fn show(args: &Args, front: &Front, at: &Where) -> Result<ExitCode> {
    let mut at: Map<String, Value> = place(front, at).await?;
    at.remove("ds_id");
    let history = call(front, "get_conversation_history", at.clone()).await?;
    let aggregates = call(front, "get_aggregated_scr", at).await?;
    if args.json {
        output::json(&json!({"history": history, "aggregates": aggregates}))?;
        return Ok(ExitCode::SUCCESS);
    }
    for activity in history["activities"].as_array().into_iter().flatten() {
        output::line(&harmless_lines(activity["pursuing_ds"].as_str().unwrap_or_default()))?;
        for turn in activity["questions_answers"].as_array().into_iter().flatten() {
            let text = |key: &str| match &turn[key] {
                Value::String(text) => harmless_lines(text).to_string(),
                Value::Null => "(not answered)".to_owned(),
                other => other.to_string(),
            };
            output::line(&format!("  {}", text("question").replace('\n', "\n  ")))?;
            output::line(&format!("    {}", text("answer").replace('\n', "\n    ")))?;
        }
    }
    output::line("")?;
    let by_ds = aggregates.get("scr_by_ds").unwrap_or(&aggregates);
    output::line(&harmless_lines(&serde_json::to_string_pretty(by_ds)?))?;
    for conflict in aggregates["conflicts"].as_array().into_iter().flatten() {
        let path = conflict["path"].as_str().unwrap_or_default();
        // Names and paths are what others wrote, so none is part of a command to copy.
        output::note(&format!(
            "conflict at {path}: first {}, then {}; `schemascope interview settle PROJECT PATH VALUE` settles it",
            conflict["earlier"], conflict["later"]
        ));
    }
    Ok(ExitCode::SUCCESS)
}

pub async fn decide(args: &Args, front: &Front, at: &Where, decision: InterviewDecision) -> Result<ExitCode> {
    let (project_id, conversation_id) = conversation(front, &at.project, at.conversation.as_deref()).await?;
    let ds_id = at.ds.clone();
    let done = match &decision {
        InterviewDecision::Settle { path, value } => Some(format!("{path}: settled as {value}")),
        InterviewDecision::Retract { pointers } => Some(format!("taken back: {}", pointers.join(", "))),
        InterviewDecision::Note { .. } => Some("noted; the agent gets it with the next question".to_owned()),
        _ => None,
    };
    let command = DecideInterview { project_id, conversation_id, ds_id, decision, person: person() };
    let reply = front.call(command).await.map_err(|error| anyhow!(in_commands(&error.to_string())))?;
    match done {
        Some(done) if !args.json => output::line(&harmless(&done))?,
        _ => output::json(&reply)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Lists proposals, or decides about one.
pub async fn descriptions(
    args: &Args,
    front: &Front,
    proposal: Option<&str>,
    decision: &DescriptionDecision,
) -> Result<ExitCode> {
    if let Some(id) = proposal {
        let accept = if decision.undo { None } else { Some(decision.accept) };
        let command = DecideInterview {
            project_id: String::new(),
            conversation_id: String::new(),
            ds_id: None,
            decision: InterviewDecision::Descriptions { proposal_id: id.to_owned(), accept },
            person: person(),
        };
        let reply = front.call(command).await?;
        if args.json {
            output::json(&reply)?;
            return Ok(ExitCode::SUCCESS);
        }
        let done = match accept {
            None => "open again",
            Some(true) => "accepted",
            Some(false) => "rejected",
        };
        output::line(&harmless(&format!("{}  {done}", reply["tool_id"].as_str().unwrap_or_default())))?;
        for (path, text) in reply["descriptions"].as_object().into_iter().flatten() {
            described(path, text.as_str().unwrap_or_default())?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let proposals = front.call(ListInterviews {}).await?.proposals;
    if args.json {
        output::json(&proposals)?;
        return Ok(ExitCode::SUCCESS);
    }
    if proposals.is_empty() {
        output::note(
            "No descriptions are proposed. Interviews about tools (tool/output-fields) propose them.",
        );
    }
    for one in &proposals {
        let state = match one.accepted {
            None => "open",
            Some(true) => "accepted",
            Some(false) => "rejected",
        };
        output::line(&harmless(&format!("{}  {}  {state}", one.proposal_id, one.tool_id)))?;
        for (path, text) in &one.descriptions {
            described(path, text)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A description below its tool.
fn described(path: &str, text: &str) -> Result<()> {
    let path = if path.is_empty() { "(the tool)" } else { path };
    Ok(output::line(&harmless(&format!("  {path}: {text}")))?)
}

pub async fn export(front: &Front, projects: &[String]) -> Result<ExitCode> {
    let mut project_ids = Vec::new();
    for project in projects {
        project_ids.push(conversation(front, project, None).await?.0);
    }
    output::json_text(front.call(ExportInterviews { project_ids }).await?.trim_end())?;
    Ok(ExitCode::SUCCESS)
}

pub async fn import(args: &Args, front: &Front, file: &Path) -> Result<ExitCode> {
    let text = output::read_file(file)?;
    let count = front.call(ImportInterviews { text, person: person() }).await?;
    match args.json {
        true => output::json(&json!({"projects": count}))?,
        false => output::note(&format!("{count} projects imported")),
    }
    Ok(ExitCode::SUCCESS)
}

pub async fn delete(front: &Front, project: &str, yes: bool) -> Result<ExitCode> {
    let (project_id, _) = conversation(front, project, None).await?;
    if !yes {
        if !std::io::stdin().is_terminal() {
            bail!("{project_id} would be deleted, which cannot be undone; add --yes");
        }
        output::note(&format!(
            "Delete {project_id} with all its conversations? This cannot be undone. [y/N]"
        ));
        let mut line = String::new();
        std::io::stdin().read_line(&mut line)?;
        if !matches!(line.trim(), "y" | "Y" | "yes") {
            output::note("Nothing was deleted.");
            return Ok(ExitCode::SUCCESS);
        }
    }
    delete_project(front, &project_id).await?;
    output::note(&format!("{project_id} deleted"));
    Ok(ExitCode::SUCCESS)
}

/// Deletes a project without asking.
pub(super) async fn delete_project(front: &Front, project_id: &str) -> Result<()> {
    front
        .call(DecideInterview {
            project_id: project_id.to_owned(),
            conversation_id: String::new(),
            ds_id: None,
            decision: InterviewDecision::Delete {},
            person: person(),
        })
        .await?;
    Ok(())
}
