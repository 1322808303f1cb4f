//! `report`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use schemascope_api::{GetFullReport, GetReportPage, Need, NeedKind, Report as Totals, TokenCounts, Tokens};
use schemascope_engine::{Durability, Front};

use super::verb::{WithEngine, verbs};
use crate::args::Args;
use crate::output::{self, count, counted, duration};

verbs!(Learned: reader Report);

/// Tools named of those whose version waits for a decision.
const NAMED: usize = 3;
/// Columns in front of texts that take several lines.
const INDENT: usize = 12;

/// Print totals, quality and the state of recording
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    schemascope report\n  \
    schemascope report --out report.html    one page for others\n  \
    schemascope report --format json\n\n\
    The page needs no network and no script. It has names of servers and tools and figures, but no values, \
    fields or paths. JSON also has the drifts, their fields, and the history of the coverage.")]
pub struct Report {
    /// Format [default: by the ending of --out, else text]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Format of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Html,
}

impl Format {
    fn of_file(path: &Path) -> Result<Self> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("html" | "htm") => Ok(Self::Html),
            Some("json") => Ok(Self::Json),
            None | Some("txt" | "text" | "md" | "log") => Ok(Self::Text),
            Some(other) => {
                bail!("a report is .html, .json or .txt, not .{other}; --format chooses one of them")
            }
        }
    }
}

impl WithEngine for Report {
    async fn run(&self, args: &Args, front: &Front) -> Result<ExitCode> {
        let format = match self.format.or(args.json.then_some(Format::Json)) {
            None => self.out.as_deref().map(Format::of_file).transpose()?,
            chosen => chosen,
        };
        if let Some(out) = &self.out
            && in_data_directory(out, &args.options(Durability::default())?.data_dir)
        {
            bail!("{} is in the data directory; write the report elsewhere", out.display());
        }
        let text = match format.unwrap_or(Format::Text) {
            Format::Text => {
                let report = front.call(GetFullReport {}).await?;
                text(&report.totals, front.is_attached()) + &tokens(&report.tokens)
            }
            Format::Json if self.out.is_none() => {
                output::json(&front.call(GetFullReport {}).await?)?;
                return Ok(ExitCode::SUCCESS);
            }
            Format::Json => serde_json::to_string_pretty(&front.call(GetFullReport {}).await?)? + "\n",
            Format::Html => front.call(GetReportPage {}).await?.text,
        };
        match &self.out {
            Some(path) => {
                fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
                output::note(&format!("{} written", path.display()));
            }
            None if format.is_some_and(|format| format != Format::Text) => output::line(text.trim_end())?,
            None => {
                for line in text.trim_end().lines() {
                    output::line(&output::hanging(line, INDENT))?;
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Whether a file would be written among those of Schemascope.
fn in_data_directory(file: &Path, data: &Path) -> bool {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    folder
        .canonicalize()
        .ok()
        .zip(data.canonicalize().ok())
        .is_some_and(|(folder, data)| folder.starts_with(data))
}

/// What code that calls the tools costs, in the median and at worst.
fn tokens(tokens: &Tokens) -> String {
    let (Some(median), Some(worst)) = (&tokens.median, &tokens.worst) else { return String::new() };
    let row = |name: &str, counts: &TokenCounts| {
        let TokenCounts { defensive, helper, model, definition, wrapper } = counts;
        let columns =
            [defensive, helper, model, definition, wrapper].map(|tokens| format!("{:>11}", count(*tokens)));
        format!("  {name:<10}{}\n", columns.concat())
    };
    let heads = ["guards", "helper", "model", "definition", "wrapper"].map(|head| format!("{head:>11}"));
    format!(
        "\ntokens    of Python that prints a result, and of what is read before; {}, {}\n{:12}{}\n{}{}  worst is {}, where the model saves least; \
         all definitions {}, all indexes of wrappers {}\n",
        tokens.encoding,
        counted(tokens.tools.len() as u64, "tool"),
        "",
        heads.concat(),
        row("median", median),
        row("worst", &worst.counts),
        output::harmless(&worst.tool_id),
        count(tokens.definitions),
        count(tokens.indexes),
    )
}

/// What needs attention. Versions that wait share a line, as there is one for most tools.
fn attention(report: &Totals) -> Vec<String> {
    let (waiting, others): (Vec<&Need>, Vec<&Need>) =
        report.attention.iter().partition(|need| need.kind == NeedKind::Candidate);
    let mut lines: Vec<String> = others
        .iter()
        .map(|need| {
            let since = need.since.map(|at| format!(" (since {})", output::time(at))).unwrap_or_default();
            let about = format!("{}: {}", output::harmless(&need.subject), output::harmless(&need.text));
            format!("  {:<10}{about}{since}", need.kind.word())
        })
        .collect();
    if !waiting.is_empty() {
        let names = waiting.iter().take(NAMED).map(|need| output::harmless(&need.subject));
        let names = names.collect::<Vec<_>>().join(", ");
        let more = match waiting.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more; `schemascope report --json` names all"),
        };
        let wait = if waiting.len() == 1 { "waits" } else { "wait" };
        lines.push(format!("  version   {} {wait} for a decision: {names}{more}", waiting.len()));
    }
    let is_listed = |warning: &&String| {
        let says =
            |need: &Need| need.text == **warning || format!("{}: {}", need.subject, need.text) == **warning;
        report.attention.iter().any(says)
    };
    let warnings = report.warnings.iter().filter(|warning| !is_listed(warning));
    lines.extend(warnings.map(|warning| format!("  {}", output::harmless(warning))));
    if !lines.is_empty() {
        lines.splice(0..0, [String::new(), "needs attention".to_owned()]);
    }
    lines
}

fn text(report: &Totals, running: bool) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut line = |text: &str| lines.push(text.to_owned());
    let Totals { by_source, by_quality, recorder, .. } = report;
    line(&format!(
        "{} of {}, {} ({} failed), {}",
        counted(report.tool_count, "tool"),
        counted(report.server_count, "server"),
        counted(report.call_count, "call"),
        count(report.failure_count),
        counted(report.observation_count, "result")
    ));
    attention(report).iter().for_each(|text| line(text));
    line("");
    line("source");
    let share = |part: u64| {
        let all = report.tool_count.max(1);
        format!(
            "{:>7}  {}",
            output::share(part as f64 / all as f64),
            "█".repeat((part * 30).div_ceil(all) as usize)
        )
    };
    for (name, tools) in
        [("declared", by_source.declared), ("inferred", by_source.inferred), ("unknown", by_source.unknown)]
    {
        line(format!("  {name:<10}{:>6}  {}", count(tools), share(tools)).trim_end());
    }
    line(&format!(
        "  {} of {} have a reliable schema: observed, and results fit; {} never called, {} return only text",
        count(report.standings.reliable()),
        counted(report.tool_count, "tool"),
        count(report.never_called),
        count(report.standings.text)
    ));
    if by_source.declared > 0 {
        line(&format!(
            "  {} of the declared tools were observed, {} of them violate their schema",
            count(by_source.hybrid),
            count(by_source.violated)
        ));
    }
    line("");
    line("quality");
    for (name, tools) in [
        ("high", by_quality.high),
        ("medium", by_quality.medium),
        ("low", by_quality.low),
        ("none", by_quality.none),
    ] {
        line(format!("  {name:<10}{:>6}  {}", count(tools), share(tools)).trim_end());
    }
    let edges = &report.edges;
    if edges.seen + edges.possible + edges.broken > 0 {
        line("");
        line(&format!(
            "edges     {} seen, {} possible, {} broken",
            count(edges.seen),
            count(edges.possible),
            count(edges.broken)
        ));
    }
    if report.described_field_count > 0 {
        line("");
        line(&format!("people    described {}", counted(report.described_field_count, "field")));
    }
    if report.evicted_flows > 0 {
        line(&format!(
            "          {} flows are not part of any edge: their tools have too many fields",
            count(report.evicted_flows)
        ));
    }
    if running && recorder.off {
        line("");
        line(
            "recorder  OFF: calls are forwarded, but nothing is stored or learned from them (serve --record off)",
        );
    } else if running {
        line("");
        line(&format!(
            "recorder  {} calls since start, {} waiting, {} dropped, {} without bodies, {} values redacted",
            count(recorder.recorded),
            count(recorder.waiting),
            count(recorder.dropped),
            count(recorder.bodies_left_out),
            count(recorder.redacted_values)
        ));
        if recorder.latency.count > 0 {
            line(&format!(
                "          from answer to journal: 50 % within {}, 99 % within {}, all within {}",
                duration(recorder.latency.p50_us),
                duration(recorder.latency.p99_us),
                duration(recorder.latency.max_us)
            ));
        }
        if recorder.not_judged > 0 {
            line(&format!(
                "          {} results not validated: their schema is invalid or too slow to check",
                count(recorder.not_judged)
            ));
        }
        if recorder.evicted_sessions + recorder.evicted_values > 0 {
            line(&format!(
                "          {} sessions and {} values are no longer followed from call to call (32 MB, 1 000 sessions)",
                count(recorder.evicted_sessions),
                count(recorder.evicted_values)
            ));
        }
        if let Some(reason) = &recorder.stalled {
            line(&format!("          STOPPED: {reason}"));
        }
        if recorder.index_behind {
            line("          the index stays behind until the next start; calls are still recorded");
        }
    }
    for note in &report.recovery.notes {
        line(&format!("at start  {note}"));
    }
    lines.join("\n") + "\n"
}
