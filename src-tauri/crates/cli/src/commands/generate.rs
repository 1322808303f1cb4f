//! `generate`.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::ValueEnum;
use schemascope_api::{GetReport, GetWrapperTools, Quality, Report, Strategy, WrapperTool};
use schemascope_codegen::{Language, Tool, folder};
use schemascope_engine::{Front, WrapperFolder};
use serde_json::json;

use super::verb::{WithEngine, verbs};
use crate::args::Args;
use crate::output::{self, count, counted, harmless};

verbs!(Learned: engine Generate);

/// A language of wrappers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Lang {
    /// Python with Pydantic v2
    Python,
    /// TypeScript without dependencies
    Typescript,
}

/// Least quality of an inferred schema that is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModelFrom {
    /// From the first observation
    Low,
    /// From 10 observations
    Medium,
    /// From 100 consistent observations
    High,
}

/// Write typed code that calls the tools
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Lists the servers first. Files that are current are not touched, and files that Schemascope did not\n\
    write are never replaced. Standard output ends with the totals of `report`.\n\nExamples:\n  \
    schemascope generate                                    Python, into ./wrappers\n  \
    schemascope generate --lang typescript --out src/tools\n  \
    schemascope generate --tool git__git_status"
)]
pub struct Generate {
    /// Language; can be repeated [default: those the folder has, else python]
    #[arg(long = "lang", value_enum)]
    languages: Vec<Lang>,
    /// The folder
    #[arg(long, value_name = "DIR", default_value = "wrappers")]
    out: PathBuf,
    /// Only tools of this server
    #[arg(long)]
    server: Option<String>,
    /// Only this tool
    #[arg(long, value_name = "TOOL_ID")]
    tool: Option<String>,
    /// Least quality of an inferred schema that is used [default: the setting model_from]
    #[arg(long, value_enum)]
    model_from: Option<ModelFrom>,
}

impl WithEngine for Generate {
    async fn run(&self, args: &Args, front: &Front) -> Result<ExitCode> {
        let target = WrapperFolder::new(&self.out);
        let before = target.manifest()?;
        let model_from = self.model_from.map(|quality| match quality {
            ModelFrom::Low => Quality::Low,
            ModelFrom::Medium => Quality::Medium,
            ModelFrom::High => Quality::High,
        });
        let command = GetWrapperTools { server: self.server.clone(), tool_id: self.tool.clone(), model_from };
        let spinner = indicatif::ProgressBar::new_spinner();
        spinner.enable_steady_tick(std::time::Duration::from_millis(120));
        spinner.set_message("listing the tools");
        let known = front.call(command).await;
        spinner.finish_and_clear();
        let known = known?;
        for (server, reason) in &known.unlisted {
            output::note(&harmless(&format!("{server} is not listed: {reason}")));
        }
        let mut languages: BTreeSet<Language> = self.languages.iter().map(|lang| lang.language()).collect();
        if languages.is_empty() {
            languages.extend(before.tools.iter().map(|entry| entry.lang));
        }
        if languages.is_empty() {
            languages.insert(Language::Python);
        }
        let tools: Vec<Tool> = known.tools.into_iter().map(tool).collect::<Result<_>>()?;
        let (files, manifest) = folder(&tools, &known.all, &languages, &before, |path| target.read(path));
        let done = target.write(&files)?;
        let report = front.call(GetReport {}).await?;
        if args.json {
            output::json(&json!({
                "wrappers": manifest.tools.len(), "files_written": done.written, "files_current": done.current,
                "totals": totals(&report),
            }))?;
            return Ok(ExitCode::SUCCESS);
        }
        let of = |strategy: Strategy| tools.iter().filter(|tool| tool.strategy == strategy).count() as u64;
        output::line(&format!(
            "{}: {} ({} typed, {} inferred, {} without a known result); {} written, {} current",
            self.out.display(),
            counted(tools.len() as u64, "tool"),
            count(of(Strategy::Typed)),
            count(of(Strategy::Inferred)),
            count(of(Strategy::Helper)),
            counted(done.written as u64, "file"),
            count(done.current as u64),
        ))?;
        output::line("")?;
        for (name, part) in figures(&report) {
            output::line(&format!("{name:<9}{:>6}  {:>5.1} %", count(part), percent(part, &report)))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Lang {
    fn language(self) -> Language {
        match self {
            Self::Python => Language::Python,
            Self::Typescript => Language::Typescript,
        }
    }
}

/// A tool as wrappers need it.
fn tool(known: WrapperTool) -> Result<Tool> {
    Ok(Tool {
        id: known.tool_id.parse().with_context(|| format!("{:?} is no tool id", known.tool_id))?,
        description: known.description,
        strategy: known.strategy,
        source: known.source,
        quality: known.quality,
        observation_count: known.observation_count,
        version: known.version,
        input_schema: known.input_schema,
        output_schema: known.output_schema,
        is_text: known.is_text,
        is_gone: !known.listed,
    })
}

/// The report's totals.
fn figures(report: &Report) -> [(&'static str, u64); 5] {
    let Report { by_source, by_quality, .. } = report;
    [
        ("total", report.tool_count),
        ("declared", by_source.declared),
        ("inferred", by_source.inferred),
        ("unknown", by_source.unknown),
        ("high", by_quality.high),
    ]
}

fn percent(part: u64, report: &Report) -> f64 {
    part as f64 * 100.0 / report.tool_count.max(1) as f64
}

fn totals(report: &Report) -> serde_json::Value {
    let each = figures(report).map(|(name, part)| {
        let share = (percent(part, report) * 10.0).round() / 10.0;
        (name.to_owned(), json!({"count": part, "percent": share}))
    });
    serde_json::Value::Object(each.into_iter().collect())
}
