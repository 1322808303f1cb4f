//! `schema`.

use std::io::IsTerminal;
use std::process::ExitCode;

use anyhow::Result;
use schemascope_api::{GetSchema, InferWhere, SchemaChoice};
use schemascope_engine::Front;
use schemascope_model::Timestamp;
use serde_json::Value;

use super::verb::{WithEngine, verbs};
use crate::args::{Args, schema_choice, time};
use crate::output::{self, count};

verbs!(Learned: reader Schema);

/// Print a tool's schema
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    schemascope schema git__git_log                      effective, else inferred\n  \
    schemascope schema git__git_log --version inferred   learned from results\n  \
    schemascope schema git__git_log --at 2026-11-01      effective on that day\n  \
    schemascope schema git__git_log --where format=json  calls with this argument")]
pub struct Schema {
    /// Tool id, for example git__git_status
    tool_id: String,
    /// A version number, effective, inferred or declared [default: effective, else inferred]
    #[arg(long, value_name = "N|WHICH", value_parser = schema_choice)]
    version: Option<SchemaChoice>,
    /// The schema that was effective then, else the newest version of that time: 2026-11-21 (the end of that day), or
    /// 2026-11-21T12:00:00Z
    #[arg(long, value_name = "DATE", value_parser = time, conflicts_with = "version")]
    at: Option<Timestamp>,
    /// A schema inferred from the stored calls in which an argument has this value (format=json) or, without a value,
    /// is left out
    #[arg(long = "where", value_name = "ARGUMENT[=VALUE]", conflicts_with_all = ["version", "at"])]
    argument: Option<String>,
}

impl WithEngine for Schema {
    async fn run(&self, _: &Args, front: &Front) -> Result<ExitCode> {
        if let Some(argument) = &self.argument {
            return infer_where(self, argument, front).await;
        }
        let choice = match self.at {
            Some(at) => SchemaChoice::At(at),
            None => self.version.unwrap_or_default(),
        };
        let reply = front.call(GetSchema { tool_id: self.tool_id.clone(), choice }).await?;
        output::schema(&reply.schema)?;
        if std::io::stdout().is_terminal() {
            let version = reply.version.map_or_else(String::new, |version| format!("version {version}, "));
            output::note(&format!(
                "{version}{}, quality {}, {} results",
                reply.source,
                reply.quality,
                count(reply.observation_count)
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}

async fn infer_where(verb: &Schema, argument: &str, front: &Front) -> Result<ExitCode> {
    // A value that is not JSON is a text, so that format=json needs no quotes.
    let value = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
    let (argument, value) = match argument.split_once('=') {
        Some((argument, text)) => (argument, Some(value(text))),
        None => (argument, None),
    };
    let (tool_id, argument) = (verb.tool_id.clone(), argument.to_owned());
    let reply = front.call(InferWhere { tool_id, argument, value }).await?;
    output::schema(&reply.schema)?;
    output::note(&format!(
        "{} results in the latest {} calls",
        count(reply.observation_count),
        count(reply.call_count)
    ));
    Ok(ExitCode::SUCCESS)
}
