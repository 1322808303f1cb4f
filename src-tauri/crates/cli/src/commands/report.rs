//! `report`.

use std::process::ExitCode;

use anyhow::Result;
use schemascope_api::{GetReport, Report as Totals};
use schemascope_engine::Front;

use super::verb::{WithEngine, verbs};
use crate::args::Args;
use crate::output::{self, count, counted, duration};

verbs!(Learned: reader Report);

/// Print totals, quality and the state of recording
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    schemascope report\n  \
    schemascope --json report")]
pub struct Report {}

impl WithEngine for Report {
    async fn run(&self, args: &Args, front: &Front) -> Result<ExitCode> {
        let report = front.call(GetReport {}).await?;
        if args.json {
            output::json(&report)?;
        } else {
            print(&report, front.is_attached())?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn print(report: &Totals, running: bool) -> Result<()> {
    let Totals { by_source, by_quality, recorder, .. } = report;
    output::line(&format!(
        "{} of {}, {} ({} failed), {}",
        counted(report.tool_count, "tool"),
        counted(report.server_count, "server"),
        counted(report.call_count, "call"),
        count(report.failure_count),
        counted(report.observation_count, "observation")
    ))?;
    output::line("")?;
    let share = |part: u64| {
        let all = report.tool_count.max(1);
        format!("{:>3} %  {}", part * 100 / all, "█".repeat((part * 30).div_ceil(all) as usize))
    };
    for (name, tools) in
        [("declared", by_source.declared), ("inferred", by_source.inferred), ("unknown", by_source.unknown)]
    {
        output::line(format!("  {name:<10}{:>6}  {}", count(tools), share(tools)).trim_end())?;
    }
    output::line(&format!(
        "  {} of {} have a reliable schema: observed, and results fit; {} never called, {} return only text",
        count(report.standings.reliable()),
        counted(report.tool_count, "tool"),
        count(report.never_called),
        count(report.standings.text)
    ))?;
    if by_source.declared > 0 {
        output::line(&format!(
            "  {} of the declared tools were observed, {} of them violate their schema",
            count(by_source.hybrid),
            count(by_source.violated)
        ))?;
    }
    output::line("")?;
    for (name, tools) in [
        ("high", by_quality.high),
        ("medium", by_quality.medium),
        ("low", by_quality.low),
        ("none", by_quality.none),
    ] {
        output::line(format!("  {name:<10}{:>6}  {}", count(tools), share(tools)).trim_end())?;
    }
    let edges = &report.edges;
    if edges.seen + edges.possible + edges.broken > 0 {
        output::line("")?;
        output::line(&format!(
            "edges     {} seen, {} possible, {} broken",
            count(edges.seen),
            count(edges.possible),
            count(edges.broken)
        ))?;
    }
    if report.evicted_flows > 0 {
        output::line(&format!(
            "          {} flows are not part of any edge: their tools have too many fields",
            count(report.evicted_flows)
        ))?;
    }
    if running && recorder.off {
        output::line("")?;
        output::line(
            "recorder  OFF: calls are forwarded, but nothing is stored or learned from them (serve --record off)",
        )?;
    } else if running {
        output::line("")?;
        output::line(&format!(
            "recorder  {} calls since start, {} waiting, {} dropped, {} without bodies, {} values redacted",
            count(recorder.recorded),
            count(recorder.waiting),
            count(recorder.dropped),
            count(recorder.bodies_left_out),
            count(recorder.redacted_values)
        ))?;
        if recorder.latency.count > 0 {
            output::line(&format!(
                "          from answer to journal: 50 % within {}, 99 % within {}, all within {}",
                duration(recorder.latency.p50_us),
                duration(recorder.latency.p99_us),
                duration(recorder.latency.max_us)
            ))?;
        }
        if recorder.not_judged > 0 {
            output::line(&format!(
                "          {} observations not validated: the declared schema is invalid or too slow to check",
                count(recorder.not_judged)
            ))?;
        }
        if recorder.evicted_sessions + recorder.evicted_values > 0 {
            output::line(&format!(
                "          {} sessions and {} values are no longer followed from call to call (32 MB, 1 000 sessions)",
                count(recorder.evicted_sessions),
                count(recorder.evicted_values)
            ))?;
        }
        if let Some(reason) = &recorder.stalled {
            output::line(&format!("          STOPPED: {reason}"))?;
        }
        if recorder.index_behind {
            output::line("          the index stays behind until the next start; calls are still recorded")?;
        }
    }
    for need in &report.attention {
        let since = need.since.map(|at| format!(" (since {})", output::time(at))).unwrap_or_default();
        let about = format!("{}: {}", output::harmless(&need.subject), output::harmless(&need.text));
        output::line(&format!("attention {:<10} {about}{since}", need.kind.word()))?;
    }
    let is_listed = |warning: &&String| report.attention.iter().any(|need| need.text == **warning);
    for warning in report.warnings.iter().filter(|warning| !is_listed(warning)) {
        output::line(&format!("attention {}", output::harmless(warning)))?;
    }
    for note in &report.recovery.notes {
        output::line(&format!("at start  {note}"))?;
    }
    Ok(())
}
