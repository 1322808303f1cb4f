//! `check`.

mod formats;
mod github;
mod junit;
mod sarif;
mod text;

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow};
use schemascope_api::{CallTool, GetTool, ListCalls};
use schemascope_engine::{CheckClass, Checker, Checks, Durability, Front};
use schemascope_model::{Timestamp, ToolId};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::args::{Args, Check, CheckFormat, FailOn};
use crate::output;
use formats::Shown;

/// Calls brought at a time.
const PAGE: usize = 500;
/// A longer line is no call.
const MAX_LINE: u64 = 100 << 20;
/// Lines that are wrong and told one by one.
const MAX_TOLD: usize = 20;

/// Exits with 2 where something cannot be read, so that it is not taken for a finding.
pub async fn run(args: &Args, verb: &Check) -> ExitCode {
    match check(args, verb).await {
        Ok(found) => ExitCode::from(u8::from(found)),
        Err(error) => {
            output::note(&output::harmless(&format!("error: {error:#}")));
            ExitCode::from(2)
        }
    }
}

async fn check(args: &Args, verb: &Check) -> Result<bool> {
    let bundle = super::exchange::read(&verb.baseline)?;
    let mut checker = Checker::against(&bundle).with_context(|| format!("{}", verb.baseline.display()))?;
    match (&verb.traces, &verb.live) {
        (Some(traces), _) => read_traces(&mut checker, traces)?,
        (None, live) => {
            let front = Front::open(&args.options(Durability::default())?).await?;
            let since = verb.since.or(checker.latest());
            let looked = match live {
                Some(calls) => make_calls(&mut checker, calls, &front).await,
                None => read_calls(&mut checker, since, &front).await,
            };
            let declared = match looked {
                Ok(()) => read_declared(&mut checker, &front).await,
                Err(error) => Err(error),
            };
            front.close().await;
            declared?;
        }
    }
    let checks = checker.finish();
    let found = checks.findings.iter().any(|finding| fails(finding.class, verb.fail_on));
    let baseline = verb.baseline.display().to_string();
    let shown = Shown { checks: &checks, baseline: &baseline, bundle: &bundle, fail_on: verb.fail_on };
    write(args, verb, &shown)?;
    match (checks.tools_checked, &verb.live) {
        (0, Some(calls)) => Err(anyhow!(
            "no call of {} got a result from a tool of the baseline, so nothing was checked",
            calls.display()
        )),
        (0, None) => {
            output::note("no tool of the baseline was observed, so nothing was checked");
            Ok(found)
        }
        _ => Ok(found),
    }
}

/// Whether a finding of this class makes the check fail.
fn fails(class: CheckClass, fail_on: FailOn) -> bool {
    match fail_on {
        FailOn::Breaking => class == CheckClass::Breaking,
        FailOn::Risky => class >= CheckClass::Risky,
        FailOn::Any => true,
    }
}

fn write(args: &Args, verb: &Check, shown: &Shown<'_>) -> Result<()> {
    let checks: &Checks = shown.checks;
    match verb.format.unwrap_or(if args.json { CheckFormat::Json } else { CheckFormat::Text }) {
        CheckFormat::Text => output::line(text::write(shown).trim_end())?,
        CheckFormat::Json => output::json(checks)?,
        CheckFormat::Sarif => output::line(&serde_json::to_string_pretty(&sarif::write(shown))?)?,
        CheckFormat::Junit => output::line(junit::write(shown).trim_end())?,
        CheckFormat::Github => {
            let commands = github::write(shown);
            if !commands.is_empty() {
                output::line(commands.trim_end())?;
            }
        }
    }
    Ok(())
}

/// Each line of a file with its number; one that is too long, or no text, is an error of its own.
fn each_line(path: &Path, mut each: impl FnMut(&str) -> Result<()>) -> Result<()> {
    let reader: Box<dyn Read> = if path == Path::new("-") {
        Box::new(std::io::stdin())
    } else {
        Box::new(File::open(path).with_context(|| format!("cannot read {}", path.display()))?)
    };
    let (mut reader, mut line, mut number, mut wrong) = (BufReader::new(reader), Vec::new(), 0_u64, 0_usize);
    loop {
        line.clear();
        let read = reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line).context("cannot read on")?;
        if read == 0 {
            break;
        }
        number += 1;
        if !line.ends_with(b"\n") && read as u64 == MAX_LINE {
            reader.skip_until(b'\n').context("cannot read on")?;
            line = b"(longer than 100 MB)".to_vec();
        }
        let text = std::str::from_utf8(&line).map_err(|_| anyhow!("it is not UTF-8"));
        let done = match text {
            Ok(text) if text.trim().is_empty() => Ok(()),
            Ok(text) => each(text.trim_start_matches('\u{feff}')),
            Err(error) => Err(error),
        };
        if let Err(error) = done {
            wrong += 1;
            if wrong <= MAX_TOLD {
                output::note(&output::harmless(&format!("line {number}: {error}")));
            }
        }
    }
    match wrong {
        0 => Ok(()),
        _ => Err(anyhow!("{wrong} lines of {} tell of no call", path.display())),
    }
}

fn read_traces(checker: &mut Checker, path: &Path) -> Result<()> {
    each_line(path, |line| Ok(checker.add_line(line)?))
}

/// The calls recorded since then, newest first.
async fn read_calls(checker: &mut Checker, since: Option<Timestamp>, front: &Front) -> Result<()> {
    let mut before = None;
    loop {
        let command = ListCalls { tool_id: None, failures: false, before, limit: PAGE };
        let page = front.call(command).await?;
        for call in &page.calls {
            if since.is_none_or(|since| call.at > since) {
                checker.add(call);
            }
        }
        // Ids are ordered by time, as far as clocks are.
        let older = page.calls.last().is_some_and(|last| since.is_some_and(|since| last.id.time() < since));
        before = page.next;
        if before.is_none() || older {
            return Ok(());
        }
    }
}

/// Makes the calls of a file.
async fn make_calls(checker: &mut Checker, path: &Path, front: &Front) -> Result<()> {
    #[derive(Deserialize)]
    struct Line {
        tool_id: ToolId,
        arguments: Option<Box<RawValue>>,
    }
    let mut calls = Vec::new();
    each_line(path, |line| {
        calls.push(serde_json::from_str::<Line>(line)?);
        Ok(())
    })?;
    for Line { tool_id, arguments } in calls {
        let arguments = match arguments {
            Some(arguments) => arguments,
            None => RawValue::from_string("{}".to_owned())?,
        };
        let reply = front.call(CallTool { tool_id: tool_id.to_string(), arguments }).await?;
        let result = reply.result.filter(|_| !reply.is_error);
        if result.is_none() {
            output::note(&output::harmless(&format!("{tool_id} answered with an error; it teaches nothing")));
        }
        checker.add_made(&tool_id, result);
    }
    Ok(())
}

/// What upstreams declare now, as far as they were listed here.
async fn read_declared(checker: &mut Checker, front: &Front) -> Result<()> {
    let listed = front.call(schemascope_api::ListTools {}).await?;
    let listed: Vec<String> = listed.into_iter().filter(|row| row.listed).map(|row| row.tool_id).collect();
    let tools: Vec<ToolId> = checker.tools().to_vec();
    for tool in tools {
        let tool_id = tool.to_string();
        if !listed.contains(&tool_id) {
            continue;
        }
        let detail = front.call(GetTool { tool_id }).await?;
        let schema = detail.declared_schema.and_then(|schema| serde_json::from_str(schema.0.get()).ok());
        checker.declare(&tool, schema);
    }
    Ok(())
}
