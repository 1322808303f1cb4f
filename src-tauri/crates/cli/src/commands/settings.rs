//! `settings`.

use std::process::ExitCode;

use anyhow::{Result, bail};
use comfy_table::Cell;
use schemascope_api::{ChangeSetting, GetSettings, SettingRow, SettingsReply};
use schemascope_engine::Front;

use crate::args::{self, Args};
use crate::output;

/// The word for what a setting is without anybody's doing.
const DEFAULT: &str = "default";
/// The word for nothing set.
const NONE: &str = "–";

pub async fn run(args: &Args, verb: &args::Settings, front: &Front) -> Result<ExitCode> {
    let reply = match (&verb.name, &verb.value) {
        (Some(name), Some(value)) => {
            let value = Some(value.clone()).filter(|value| value != DEFAULT);
            front.call(ChangeSetting { name: name.clone(), value }).await?
        }
        _ => front.call(GetSettings {}).await?,
    };
    for (file, problem) in [(&reply.file, &reply.problem), (&reply.redaction_file, &reply.redaction_problem)]
    {
        if let Some(problem) = problem {
            output::note(&format!("warning: {file} cannot be used: {problem}"));
        }
    }
    let Some(name) = &verb.name else {
        if args.json {
            output::json(&reply.settings)?;
        } else {
            print(&reply)?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let Some(row) = reply.settings.iter().find(|row| row.name == *name) else {
        let names: Vec<&str> = reply.settings.iter().map(|row| row.name.as_str()).collect();
        bail!("there is no setting {name:?}; there are: {}", names.join(", "));
    };
    match (&verb.value, row.fixed) {
        (None, _) if args.json => output::json(row)?,
        (None, _) => output::line(word(row))?,
        (Some(_), false) => output::note(&format!("{name} is {}", word(row))),
        (Some(_), true) => output::note(&format!(
            "{name} is kept; until Schemascope starts anew its command line holds, which set {}",
            word(row)
        )),
    }
    Ok(ExitCode::SUCCESS)
}

fn print(reply: &SettingsReply) -> Result<()> {
    let mut table = output::table(&["setting", "value", ""], &[]);
    for row in &reply.settings {
        let note = match row {
            SettingRow { fixed: true, .. } => "set by the command line, for this run",
            SettingRow { is_default: true, .. } => DEFAULT,
            _ => "",
        };
        table.add_row([Cell::new(&row.name), Cell::new(word(row)), Cell::new(note)]);
    }
    output::print(&table)?;
    let rules = reply.redaction.keys.len() + reply.redaction.patterns.len();
    output::note(&format!("in {}; {rules} rules of redaction in {}", reply.file, reply.redaction_file));
    Ok(())
}

fn word(row: &SettingRow) -> &str {
    row.value.as_deref().unwrap_or(NONE)
}
