//! `settings`.

use std::process::ExitCode;

use anyhow::{Result, bail};
use comfy_table::Cell;
use schemascope_api::{ChangeSettings, GetSettings, Settings, SettingsReply};
use schemascope_engine::Front;
use serde_json::{Map, Value};

use crate::args::{self, Args};
use crate::output;

/// The word for what a setting is without anybody's doing.
const DEFAULT: &str = "default";

pub async fn run(args: &Args, verb: &args::Settings, front: &Front) -> Result<ExitCode> {
    let reply = match (&verb.name, &verb.value) {
        (Some(name), Some(value)) => {
            let changes = Map::from_iter([(name.clone(), read(value))]);
            front.call(ChangeSettings { changes }).await?
        }
        _ => front.call(GetSettings {}).await?,
    };
    warn(&reply);
    let all = map(&reply.settings);
    let Some(name) = &verb.name else {
        if args.json {
            output::json(&reply.settings)?;
        } else {
            print(&reply, &all)?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let Some(value) = all.get(name) else {
        let names: Vec<&str> = all.keys().map(String::as_str).collect();
        bail!("there is no setting {name:?}; there are: {}", names.join(", "));
    };
    if verb.value.is_none() {
        output::line(&if args.json { value.to_string() } else { word(value) })?;
    } else if reply.fixed.contains(name) {
        output::note(&format!(
            "{name} is kept; until Schemascope starts anew its command line holds, which set {}",
            word(value)
        ));
    } else {
        output::note(&format!("{name} is {}", word(value)));
    }
    Ok(ExitCode::SUCCESS)
}

fn warn(reply: &SettingsReply) {
    for (file, problem) in [(&reply.file, &reply.problem), (&reply.redaction_file, &reply.redaction_problem)]
    {
        if let Some(problem) = problem {
            output::note(&format!("warning: {file} cannot be used: {problem}"));
        }
    }
}

fn print(reply: &SettingsReply, all: &Map<String, Value>) -> Result<()> {
    let default = map(&Settings::default());
    let mut table = output::table(&["setting", "value", ""], &[]);
    for (name, value) in all {
        let note = match reply.fixed.contains(name) {
            true => "set by the command line, for this run",
            false if default.get(name) == Some(value) => DEFAULT,
            false => "",
        };
        table.add_row([Cell::new(name), Cell::new(word(value)), Cell::new(note)]);
    }
    output::print(&table)?;
    let rules = reply.redaction.keys.len() + reply.redaction.patterns.len();
    output::note(&format!("in {}; {rules} rules of redaction in {}", reply.file, reply.redaction_file));
    Ok(())
}

/// What was typed: a number, true or false, a word; `default` for nothing set.
fn read(text: &str) -> Value {
    if text == DEFAULT {
        return Value::Null;
    }
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

fn word(value: &Value) -> String {
    match value {
        Value::String(word) => word.clone(),
        Value::Null => "–".into(),
        other => other.to_string(),
    }
}

fn map(settings: &Settings) -> Map<String, Value> {
    match serde_json::to_value(settings) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}
