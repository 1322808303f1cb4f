//! `settings`, and the options of `serve` that set a setting for one run.

use std::io::IsTerminal;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::builder::{PossibleValue, PossibleValuesParser, RangedU64ValueParser};
use clap::{Arg, ArgMatches, Command, FromArgMatches};
use comfy_table::Cell;
use schemascope_api::{
    ChangeSetting, GetSettings, SETTINGS, Setting, SettingKind, SettingRow, SettingsReply,
};
use schemascope_engine::Front;
use serde_json::{Map, Value};

use super::verb::{WithEngine, verbs};
use crate::args::Args;
use crate::output;

verbs!(Maintain: engine Settings);

/// Stands for the default in the command and in the table.
const DEFAULT: &str = "default";
/// Stands for no value.
const NONE: &str = "–";
/// Heading of the options of `serve` in its help.
const FOR_THIS_RUN: &str = "Settings for this run (see: schemascope settings)";

/// List the settings, or change one
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    schemascope settings                       list all settings\n  \
    schemascope settings keep_days 30          remove calls older than 30 days\n  \
    schemascope settings auto_promote at_high  promote candidates of high quality\n  \
    schemascope settings keep_days default     restore the default\n\n\
    Settings are kept in settings.json in the data directory and take effect at once. Options of `serve` \
    take precedence for that run. `schemascope help settings` explains every setting.")]
pub struct Settings {
    /// The setting to print or change
    name: Option<String>,
    /// The new value; `default` restores the default
    value: Option<String>,
    /// Change what is kept without asking
    #[arg(short, long)]
    yes: bool,
}

impl WithEngine for Settings {
    async fn run(&self, args: &Args, front: &Front) -> Result<ExitCode> {
        let reply = match (&self.name, &self.value) {
            (Some(name), Some(value)) => {
                let value = Some(value.clone()).filter(|value| value != DEFAULT);
                if self.removes(front).await? && !agreed(args)? {
                    output::note("Nothing was changed.");
                    return Ok(ExitCode::FAILURE);
                }
                front.call(ChangeSetting { name: name.clone(), value }).await?
            }
            _ => front.call(GetSettings {}).await?,
        };
        let files = [(&reply.file, &reply.problem), (&reply.redaction_file, &reply.redaction_problem)];
        for (file, problem) in files {
            if let Some(problem) = problem {
                output::note(&format!("warning: {file} cannot be used: {problem}"));
            }
        }
        let Some(name) = &self.name else {
            if args.json {
                output::json(&reply.settings)?;
            } else {
                print(&reply)?;
            }
            return Ok(ExitCode::SUCCESS);
        };
        let Some(row) = reply.settings.iter().find(|row| row.name == *name) else {
            let names: Vec<&str> = reply.settings.iter().map(|row| row.name.as_str()).collect();
            bail!("there is no setting {name:?}; expected one of {}", names.join(", "));
        };
        match (&self.value, row.fixed) {
            (None, _) if args.json => output::json(row)?,
            (None, _) => output::line(text(row))?,
            (Some(_), false) => {
                let note = row.note.as_ref().map_or_else(String::new, |note| format!("; {note}"));
                output::note(&format!("{name} is {}{note}", text(row)));
            }
            (Some(_), true) => output::note(&format!(
                "{name} is saved; this run still uses {} from its command line",
                text(row)
            )),
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Settings {
    /// Whether the change may remove calls: a limit that is lower than the one in effect.
    async fn removes(&self, front: &Front) -> Result<bool> {
        let (Some(name), Some(value)) = (&self.name, &self.value) else { return Ok(false) };
        let limit: Option<u64> = value.parse().ok();
        let Some(limit) = limit.filter(|_| !self.yes && name.starts_with("keep_")) else { return Ok(false) };
        let is_valid = |setting: &Setting| setting.check(&limit.into()).is_ok();
        if !Setting::find(name).is_some_and(is_valid) {
            return Ok(false);
        }
        let settings = front.call(GetSettings {}).await?.settings;
        let present = settings.iter().find(|row| row.name == *name).and_then(|row| row.value.as_ref());
        Ok(present.and_then(|value| value.parse::<u64>().ok()).is_none_or(|present| limit < present))
    }
}

/// Asks whether calls may be removed. Scripts are not asked.
fn agreed(args: &Args) -> Result<bool> {
    if args.json || !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Ok(true);
    }
    output::note("Calls that are not kept are removed within seconds, for good. Schemas stay. Go on? [y/N]");
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    Ok(output::is_yes(&line))
}

fn print(reply: &SettingsReply) -> Result<()> {
    let mut table = output::table(&["setting", "value", "set by", "effect"], &[]);
    for row in &reply.settings {
        let set_by = match row {
            SettingRow { fixed: true, .. } => "command line, for this run",
            SettingRow { is_default: true, .. } => DEFAULT,
            _ => "file",
        };
        let effect = Setting::find(&row.name).map_or("", |setting| setting.summary);
        table.add_row([Cell::new(&row.name), Cell::new(text(row)), Cell::new(set_by), Cell::new(effect)]);
    }
    output::print(&table)?;
    for row in &reply.settings {
        if let Some(note) = &row.note {
            output::note(&format!("{}: {note}", row.name));
        }
    }
    let rules = (reply.redaction.keys.len() + reply.redaction.patterns.len()) as u64;
    let rules = output::counted(rules, "redaction rule");
    output::note(&format!("settings are in {}, {rules} in {}", reply.file, reply.redaction_file));
    Ok(())
}

fn text(row: &SettingRow) -> &str {
    row.value.as_deref().unwrap_or(NONE)
}

/// Settings given as options of `serve`: one option for each setting.
#[derive(Debug, Clone)]
pub struct SettingOptions(Map<String, Value>);

impl SettingOptions {
    /// The given values by the names of their settings.
    pub fn values(&self) -> &Map<String, Value> {
        &self.0
    }
}

impl clap::Args for SettingOptions {
    fn augment_args(command: Command) -> Command {
        command.args(SETTINGS.iter().map(option))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SettingOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = SETTINGS.iter().filter_map(|setting| {
            let value = match setting.kind {
                SettingKind::Number(_) | SettingKind::Limit(_) => {
                    Value::from(*matches.get_one::<u64>(setting.name)?)
                }
                SettingKind::Switch => Value::from(matches.get_one::<String>(setting.name)? == "true"),
                SettingKind::Program => read_list(matches.get_one::<String>(setting.name)?),
                SettingKind::Choice(_) | SettingKind::Groups(_) => {
                    Value::from(matches.get_one::<String>(setting.name)?.as_str())
                }
            };
            Some((setting.name.to_owned(), value))
        });
        Ok(Self(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// A list of words; text that is none stays text, which no list accepts.
fn read_list(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

/// The option of `serve` for a setting.
fn option(setting: &'static Setting) -> Arg {
    let option = Arg::new(setting.name).long(setting.option).help_heading(FOR_THIS_RUN).help(format!(
        "{}{}",
        setting.summary[..1].to_uppercase(),
        setting.summary[1..].replace('`', "")
    ));
    match setting.kind {
        SettingKind::Switch => {
            option.value_name("BOOL").value_parser(PossibleValuesParser::new(["true", "false"]))
        }
        SettingKind::Choice(choices) => {
            let values = choices.iter().map(|choice| PossibleValue::new(choice.word).help(choice.effect));
            option.value_name("WORD").value_parser(PossibleValuesParser::new(values))
        }
        SettingKind::Number(bounds) | SettingKind::Limit(bounds) => option
            .value_name(bounds.unit.to_uppercase())
            .value_parser(RangedU64ValueParser::<u64>::new().range(bounds.min..=bounds.max)),
        SettingKind::Groups(_) => option
            .value_name("off|all|GROUP,…")
            .value_parser(move |text: &str| setting.check(&Value::from(text)).map(|()| text.to_owned())),
        SettingKind::Program => option
            .value_name("JSON")
            .value_parser(move |text: &str| setting.check(&read_list(text)).map(|()| text.to_owned())),
    }
}
