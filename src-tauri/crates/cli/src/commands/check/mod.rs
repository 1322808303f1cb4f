//! `check`.

mod formats;
mod github;
mod junit;
mod sarif;
mod text;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow};
use schemascope_api::{
    CallTool, Edge, GetTool, ListCalls, ListEdges, ListServers, UpstreamState, lost_edges,
};
use schemascope_engine::{Checker, Checks, Front};
use schemascope_model::{Timestamp, ToolId};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::verb::{Alone, open, verbs};
use crate::args::{Args, time_since};
use crate::output;
use formats::{FailOn, Findings, fails};

verbs!(Share: alone Check);

/// Number of calls requested at a time.
const PAGE: usize = 500;
/// Longest line of a trace in bytes.
const MAX_LINE: u64 = 100 << 20;
/// Number of malformed lines that are reported one by one.
const MAX_REPORTED: usize = 20;

/// Format of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum CheckFormat {
    Text,
    Json,
    /// SARIF 2.1.0
    Sarif,
    /// JUnit XML, with one test case per tool
    Junit,
    /// Workflow commands of GitHub Actions
    Github,
}

/// Check in CI that tools still return what a baseline says
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  schemascope check --baseline bundle.json --traces calls.ndjson\n  \
    schemascope check --baseline bundle.json --format sarif > findings.sarif\n\n\
    The baseline is a bundle (`export bundle`). Each tool is checked against its effective schema, else the \
    declared one, else the inferred one. A result is breaking only if the baseline does not allow it, so a few \
    calls are enough. With --traces the data directory is not opened.\n\n\
    Exit codes: 0 nothing of the class of --fail-on, 1 something of it, 2 bad usage, unreadable input, or no \
    result from a call of --live.")]
pub struct Check {
    /// The bundle to check against
    #[arg(long, value_name = "BUNDLE")]
    baseline: PathBuf,
    /// Check these calls, one per line as for `backfill`; - reads standard input [default: the calls recorded since
    /// the baseline was made]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["live", "since"])]
    traces: Option<PathBuf>,
    /// Make these calls now and check their results: lines {"tool_id": "git__git_log", "arguments": {…}}. List only
    /// calls that are safe to make
    #[arg(long, value_name = "FILE", conflicts_with = "since")]
    live: Option<PathBuf>,
    /// Check the calls recorded since this time: 2026-11-21T12:00:00Z, or 2026-11-21 (the beginning of that day)
    #[arg(long, value_name = "DATE", value_parser = time_since)]
    since: Option<Timestamp>,
    /// Findings that fail the check
    #[arg(long, value_enum, default_value_t = FailOn::Breaking, value_name = "CLASS")]
    fail_on: FailOn,
    /// Format of the findings [default: text, or json with --json]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<CheckFormat>,
}

impl Alone for Check {
    /// Exits with 2 if something cannot be read, so that CI can distinguish that from a finding.
    async fn run(&self, args: &Args) -> Result<ExitCode> {
        Ok(match check(args, self).await {
            Ok(found) => ExitCode::from(u8::from(found)),
            Err(error) => {
                output::error(&output::harmless(&format!("{error:#}")));
                ExitCode::from(2)
            }
        })
    }
}

async fn check(args: &Args, verb: &Check) -> Result<bool> {
    let bundle = output::read_file(&verb.baseline)?;
    let mut checker = Checker::against(&bundle).with_context(|| format!("{}", verb.baseline.display()))?;
    let checks = match (&verb.traces, &verb.live) {
        (Some(traces), _) => {
            read_traces(&mut checker, traces)?;
            checker.finish()
        }
        (None, live) => {
            let front = open(args).await?;
            let since = verb.since.or(checker.latest());
            let looked = match live {
                Some(calls) => make_calls(&mut checker, calls, &front).await,
                None => read_calls(&mut checker, since, &front).await,
            };
            let declared = match looked {
                Ok(()) => read_declared(&mut checker, &front).await,
                Err(error) => Err(error),
            };
            let checks = match declared {
                Ok(()) => name_edges(checker.finish(), &front).await,
                Err(error) => Err(error),
            };
            front.close().await;
            checks?
        }
    };
    let found = checks.findings.iter().any(|finding| fails(finding.class, verb.fail_on));
    let baseline = verb.baseline.display().to_string();
    let shown = Findings { checks: &checks, baseline: &baseline, bundle: &bundle, fail_on: verb.fail_on };
    if let Err(error) = write(args, verb, &shown)
        && !output::is_closed(&error)
    {
        return Err(error);
    }
    match (checks.tools_checked, verb.traces.as_ref().or(verb.live.as_ref())) {
        (0, Some(calls)) => Err(anyhow!(
            "{} led to no result of a tool in the baseline, so nothing was checked",
            if calls == Path::new("-") { "standard input".into() } else { calls.display().to_string() }
        )),
        (0, None) => {
            output::note("no tool in the baseline was observed, so nothing was checked");
            Ok(found)
        }
        _ => Ok(found),
    }
}

fn write(args: &Args, verb: &Check, shown: &Findings<'_>) -> Result<()> {
    let checks: &Checks = shown.checks;
    match verb.format.unwrap_or(if args.json { CheckFormat::Json } else { CheckFormat::Text }) {
        CheckFormat::Text => output::line(text::write(shown).trim_end())?,
        CheckFormat::Json => output::json(checks)?,
        CheckFormat::Sarif => output::json_text(&serde_json::to_string_pretty(&sarif::write(shown))?)?,
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

/// Calls `each` for every line of a file. Lines that are malformed, too long or not UTF-8 are reported with their
/// number.
fn each_line(path: &Path, mut each: impl FnMut(&str) -> Result<()>) -> Result<()> {
    let reader: Box<dyn Read> = if path == Path::new("-") {
        Box::new(std::io::stdin())
    } else {
        Box::new(File::open(path).with_context(|| format!("cannot read {}", path.display()))?)
    };
    let (mut reader, mut line, mut number, mut wrong) = (BufReader::new(reader), Vec::new(), 0_u64, 0_usize);
    loop {
        line.clear();
        let read = reader
            .by_ref()
            .take(MAX_LINE)
            .read_until(b'\n', &mut line)
            .context("cannot read the rest of the input")?;
        if read == 0 {
            break;
        }
        number += 1;
        if !line.ends_with(b"\n") && read as u64 == MAX_LINE {
            reader.skip_until(b'\n').context("cannot read the rest of the input")?;
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
            if wrong <= MAX_REPORTED {
                output::note(&output::harmless(&format!("line {number}: {error}")));
            }
        }
    }
    match wrong {
        0 => Ok(()),
        _ => Err(anyhow!("{wrong} lines of {} are not calls", path.display())),
    }
}

fn read_traces(checker: &mut Checker, path: &Path) -> Result<()> {
    each_line(path, |line| Ok(checker.add_line(line)?))
}

/// Reads the calls recorded since then, newest first.
async fn read_calls(checker: &mut Checker, since: Option<Timestamp>, front: &Front) -> Result<()> {
    let mut before = None;
    loop {
        let command = ListCalls { before, limit: PAGE, ..ListCalls::default() };
        let page = front.call(command).await?;
        for call in &page.calls {
            if since.is_none_or(|since| call.at > since) {
                checker.add(call);
            }
        }
        // Ids are in the order of time if the clock was not set back.
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
    #[serde(deny_unknown_fields)]
    struct Line {
        tool_id: ToolId,
        arguments: Option<Box<RawValue>>,
    }
    let mut calls = Vec::new();
    each_line(path, |line| {
        calls.push(serde_json::from_str::<Line>(line)?);
        Ok(())
    })?;
    // A mistake is better found before anything was called.
    let servers = front.call(ListServers::default()).await?.servers;
    let is_known = |tool: &ToolId| servers.iter().any(|server| server.server_name == tool.server());
    if let Some(Line { tool_id, .. }) = calls.iter().find(|line| !is_known(&line.tool_id)) {
        let known = servers.iter().map(|server| server.server_name.as_str()).collect::<Vec<_>>().join(", ");
        let text = format!("{tool_id}: there is no server {:?}; there are: {known}", tool_id.server());
        return Err(anyhow!(output::harmless(&text)));
    }
    let mut failed = Vec::new();
    for Line { tool_id, arguments } in calls {
        let arguments = match arguments {
            Some(arguments) => arguments,
            None => RawValue::from_string("{}".to_owned())?,
        };
        let reply = front.call(CallTool { tool_id: tool_id.to_string(), arguments }).await?;
        let result = reply.result.filter(|_| !reply.is_error);
        if result.is_none() {
            output::note(&output::harmless(&format!("{tool_id} returned an error, so it was not checked")));
            failed.extend((!checker.tools().contains(&tool_id)).then(|| tool_id.to_string()));
        }
        checker.add_made(&tool_id, result);
    }
    // Nothing else reports it: findings are about tools of the baseline.
    match failed.first() {
        None => Ok(()),
        Some(first) => Err(anyhow!(output::harmless(&format!(
            "{first} returned an error and is not in the baseline; correct its name or remove its line"
        )))),
    }
}

/// Adds the edges that findings break.
async fn name_edges(mut checks: Checks, front: &Front) -> Result<Checks> {
    let mut known: BTreeMap<String, Vec<Edge>> = BTreeMap::new();
    for finding in &mut checks.findings {
        let Some(lost) = finding.lost_output().map(str::to_owned) else { continue };
        if !known.contains_key(&finding.tool_id) {
            let from = Some(finding.tool_id.clone());
            let edges = front.call(ListEdges { from, ..ListEdges::default() }).await?;
            known.insert(finding.tool_id.clone(), edges);
        }
        finding.breaks =
            known.get(&finding.tool_id).map(|edges| lost_edges(edges, &lost)).unwrap_or_default();
    }
    Ok(checks)
}

/// Reads what upstreams list and declare now, of tools that were listed here. Those that run list all of their tools.
async fn read_declared(checker: &mut Checker, front: &Front) -> Result<()> {
    let servers = front.call(ListServers::default()).await?.servers.into_iter();
    let ready = servers.filter(|server| server.state == UpstreamState::Ready && server.tool_count.is_some());
    let ready: BTreeMap<String, Option<usize>> =
        ready.map(|server| (server.server_name, server.tool_count)).collect();
    let listed = front.call(schemascope_api::ListTools {}).await?;
    let listed: Vec<String> = listed.into_iter().filter(|row| row.listed).map(|row| row.tool_id).collect();
    let tools: Vec<ToolId> = checker.tools().to_vec();
    for tool in tools {
        let tool_id = tool.to_string();
        if !listed.contains(&tool_id) {
            let is_of_server = |other: &String| other.starts_with(&format!("{}__", tool.server()));
            // Its tools may be known a moment later than their number.
            let is_read = |count: &Option<usize>| *count == Some(0) || listed.iter().any(is_of_server);
            if ready.get(tool.server()).is_some_and(is_read) {
                checker.removed(&tool);
            }
            continue;
        }
        let detail = front.call(GetTool { tool_id }).await?;
        let schema = detail.declared_schema.and_then(|schema| serde_json::from_str(schema.0.get()).ok());
        checker.declare(&tool, schema);
    }
    Ok(())
}
