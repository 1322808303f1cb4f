//! `call`.

use std::io::Read;
use std::process::ExitCode;

use anyhow::{Context, Result};
use schemascope_api::{CallReply, CallTool};
use schemascope_engine::Front;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::args::{Args, Call};
use crate::output;

pub async fn run(args: &Args, verb: &Call, front: &Front) -> Result<ExitCode> {
    let mut text = verb.arguments.clone();
    if text == "-" {
        text.clear();
        std::io::stdin()
            .read_to_string(&mut text)
            .context("cannot read the arguments from standard input")?;
    }
    let arguments = RawValue::from_string(text.trim().to_owned())
        .context("the arguments are not JSON; expected an object such as {\"path\": \"README.md\"}")?;
    let spinner = indicatif::ProgressBar::new_spinner();
    spinner.enable_steady_tick(std::time::Duration::from_millis(120));
    spinner.set_message(format!("calling {}", verb.tool_id));
    let called = front.call(CallTool { tool_id: verb.tool_id.clone(), arguments }).await;
    spinner.finish_and_clear();
    let reply = called?;
    match (&reply.result, &reply.error, args.json) {
        (Some(body), _, true) | (None, Some(body), true) => output::line(body.get())?,
        _ => print(&reply)?,
    }
    Ok(ExitCode::from(u8::from(reply.is_error)))
}

/// Text blocks as text, other blocks by their type, structured content where there is no text.
fn print(reply: &CallReply) -> Result<()> {
    if let Some(error) = &reply.error {
        let error: Value = serde_json::from_str(error.get())?;
        let message = error["message"].as_str().map_or_else(|| error.to_string(), str::to_owned);
        output::note(&format!("error: {}", output::harmless(&message)));
        return Ok(());
    }
    let Some(raw) = &reply.result else { return Ok(()) };
    // Nested too deep to be taken apart, but still an answer.
    let Ok(result) = serde_json::from_str::<Value>(raw.get()) else {
        return Ok(output::line(&output::harmless(raw.get()))?);
    };
    let mut has_text = false;
    for block in result["content"].as_array().into_iter().flatten() {
        match (block["text"].as_str(), block["type"].as_str()) {
            (Some(text), _) => {
                has_text = true;
                output::line(&output::harmless(text))?;
            }
            (None, kind) => output::note(&format!("({} block; --json shows it)", kind.unwrap_or("unknown"))),
        }
    }
    let structured = &result["structuredContent"];
    if !has_text && !structured.is_null() {
        output::line(&output::harmless(&serde_json::to_string_pretty(structured)?))?;
    }
    if reply.is_error {
        output::note("the tool says that this is an error");
    }
    Ok(())
}
