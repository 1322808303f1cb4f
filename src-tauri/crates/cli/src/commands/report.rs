//! `report`.

use std::process::ExitCode;

use anyhow::Result;
use schemascope_api::{GetReport, Report};
use schemascope_engine::Front;

use crate::args::Args;
use crate::output::{self, count, duration};

pub async fn run(args: &Args, front: &Front) -> Result<ExitCode> {
    let report = front.call(GetReport {}).await?;
    if args.json {
        output::json(&report)?;
    } else {
        print(&report, front.is_attached())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print(report: &Report, running: bool) -> Result<()> {
    let Report { by_source, by_quality, recorder, .. } = report;
    output::line(&format!(
        "{} tools of {} servers, {} calls ({} failed), {} observations",
        count(report.tool_count),
        count(report.server_count),
        count(report.call_count),
        count(report.failure_count),
        count(report.observation_count)
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
    if by_source.declared > 0 {
        output::line(&format!(
            "  of the declared {} were observed, {} break what they declare",
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
    if running && recorder.off {
        output::line("")?;
        output::line(
            "recorder  OFF: calls pass, nothing of them is stored or learned from (serve --record off)",
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
                "          from answer to journal: half within {}, 99 % within {}, all within {}",
                duration(recorder.latency.p50_us),
                duration(recorder.latency.p99_us),
                duration(recorder.latency.max_us)
            ))?;
        }
        if recorder.not_judged > 0 {
            output::line(&format!(
                "          {} observations not judged: the schema their tool declares cannot be used, or would take too long",
                count(recorder.not_judged)
            ))?;
        }
        if let Some(reason) = &recorder.stalled {
            output::line(&format!("          STOPPED: {reason}"))?;
        }
        if recorder.index_behind {
            output::line("          the index is behind until the next start; calls are still recorded")?;
        }
    }
    for warning in &report.warnings {
        output::line(&format!("attention {}", output::harmless(warning)))?;
    }
    for note in &report.recovery.notes {
        output::line(&format!("at start  {note}"))?;
    }
    Ok(())
}
