//! `schema`.

use std::io::IsTerminal;
use std::process::ExitCode;

use anyhow::Result;
use schemascope_api::{GetSchema, InferWhere, SchemaChoice};
use schemascope_engine::Front;
use serde_json::Value;

use crate::args::Schema;
use crate::output::{self, count};

pub async fn run(verb: &Schema, front: &Front) -> Result<ExitCode> {
    if let Some(argument) = &verb.argument {
        return infer_where(verb, argument, front).await;
    }
    let choice = match verb.at {
        Some(at) => SchemaChoice::At(at),
        None => verb.version.unwrap_or_default(),
    };
    let reply = front.call(GetSchema { tool_id: verb.tool_id.clone(), choice }).await?;
    output::schema(&reply.schema)?;
    if std::io::stdout().is_terminal() {
        let version = reply.version.map_or_else(String::new, |version| format!("version {version}, "));
        output::note(&format!(
            "{version}{}, quality {}, {} observations",
            reply.source,
            reply.quality,
            count(reply.observation_count)
        ));
    }
    Ok(ExitCode::SUCCESS)
}

async fn infer_where(verb: &Schema, argument: &str, front: &Front) -> Result<ExitCode> {
    // What is no JSON is a text: format=json needs no quotes.
    let value = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
    let (argument, value) = match argument.split_once('=') {
        Some((argument, text)) => (argument, Some(value(text))),
        None => (argument, None),
    };
    let (tool_id, argument) = (verb.tool_id.clone(), argument.to_owned());
    let reply = front.call(InferWhere { tool_id, argument, value }).await?;
    output::schema(&reply.schema)?;
    output::note(&format!(
        "{} observations of the latest {} calls",
        count(reply.observation_count),
        count(reply.call_count)
    ));
    Ok(ExitCode::SUCCESS)
}
