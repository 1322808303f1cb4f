//! `schema`.

use std::io::IsTerminal;
use std::process::ExitCode;

use anyhow::Result;
use schemascope_api::{GetSchema, SchemaChoice};
use schemascope_engine::Front;

use crate::args::{Schema, Which};
use crate::output::{self, count};

pub async fn run(verb: &Schema, front: &Front) -> Result<ExitCode> {
    let choice = match verb.version {
        None => SchemaChoice::Best,
        Some(Which::Effective) => SchemaChoice::Effective,
        Some(Which::Inferred) => SchemaChoice::Inferred,
        Some(Which::Declared) => SchemaChoice::Declared,
    };
    let reply = front.call(GetSchema { tool_id: verb.tool_id.clone(), choice }).await?;
    output::schema(&reply.schema)?;
    if std::io::stdout().is_terminal() {
        output::note(&format!(
            "{}, quality {}, {} observations",
            reply.source,
            reply.quality,
            count(reply.observation_count)
        ));
    }
    Ok(ExitCode::SUCCESS)
}
