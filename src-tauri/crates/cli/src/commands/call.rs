//! `call`.

use std::io::Read;
use std::process::ExitCode;

use anyhow::{Context, Result};
use schemascope_api::{CallReply, CallTool};
use schemascope_engine::Front;
use serde_json::Value;
use serde_json::value::RawValue;

use super::verb::{WithEngine, verbs};
use crate::args::Args;
use crate::output;

verbs!(Learned: engine Call);

/// Call a tool, as an agent would
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The call is recorded, unless the `serve` that runs does not record. The exit code is 1 if the \
    tool returns an error.\n\nExample:\n  \
    schemascope call git__git_log '{\"repo_path\": \".\", \"max_count\": 3}'"
)]
pub struct Call {
    /// Tool id, for example git__git_status
    tool_id: String,
    /// Arguments as a JSON object; - reads them from standard input
    #[arg(default_value = "{}", value_name = "JSON")]
    arguments: String,
}

impl WithEngine for Call {
    async fn run(&self, args: &Args, front: &Front) -> Result<ExitCode> {
        let mut text = self.arguments.clone();
        if text == "-" {
            text.clear();
            std::io::stdin()
                .read_to_string(&mut text)
                .context("cannot read the arguments from standard input")?;
        }
        let arguments = RawValue::from_string(text.trim().to_owned())
            .context("the arguments are not JSON; expected an object such as {\"path\": \"README.md\"}")?;
        let spinner = output::spinner(format!("calling {}", output::harmless(&self.tool_id)));
        let called = front.call(CallTool { tool_id: self.tool_id.clone(), arguments }).await;
        spinner.finish_and_clear();
        let reply = called?;
        let written = match (&reply.result, &reply.error, args.json) {
            (Some(body), _, true) | (None, Some(body), true) => {
                output::json_text(body.get()).map_err(Into::into)
            }
            _ => print(&reply),
        };
        output::coded(written, ExitCode::from(u8::from(reply.is_error)))
    }
}

/// Prints text blocks as text and other blocks by their type; structured content only if there is no text.
fn print(reply: &CallReply) -> Result<()> {
    if let Some(error) = &reply.error {
        let error: Value = serde_json::from_str(error.get())?;
        let message = error["message"].as_str().map_or_else(|| error.to_string(), str::to_owned);
        output::error(&message);
        return Ok(());
    }
    let Some(raw) = &reply.result else { return Ok(()) };
    // A result that is nested too deeply to parse is printed as it is.
    let Ok(result) = serde_json::from_str::<Value>(raw.get()) else {
        return Ok(output::json_text(raw.get())?);
    };
    let mut has_text = false;
    for block in result["content"].as_array().into_iter().flatten() {
        match (block["text"].as_str(), block["type"].as_str()) {
            (Some(text), _) => {
                has_text = true;
                output::line(text)?;
            }
            (None, kind) => output::note(&format!("({} block; --json shows it)", kind.unwrap_or("unknown"))),
        }
    }
    let structured = &result["structuredContent"];
    if !has_text && !structured.is_null() {
        output::schema(structured)?;
    }
    if reply.is_error {
        output::note("the tool reports that this is an error");
    }
    Ok(())
}
