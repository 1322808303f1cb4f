//! `generate`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow};
use clap::ValueEnum;
use schemascope_api::{
    DiscoveryState, ForgetWrapperTarget, GetReport, ListWrapperTargets, Quality, Report, WrapperFilter,
    WrapperTarget, WriteWrappers, WrittenWrappers,
};
use schemascope_engine::{Front, beside};
use serde_json::json;

use super::discover::{Request, discover};
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
    /// Rust with serde and reqwest
    Rust,
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
    after_help = "Makes the calls of discovery_config.json if it exists, then lists the servers. Files that are current \
    are not touched, and files that Schemascope did not write are never replaced. If you edited a wrapper, its \
    new text is written to a file beside it that ends in .new. Standard output ends with the totals of `report`.\n\n\
    The folder is remembered and kept current while Schemascope runs (settings `evolve` and `evolve_every`).\n\n\
    Examples:\n  \
    schemascope generate              Python, into ./wrappers\n  \
    schemascope generate --lang typescript --out src/tools\n  \
    schemascope generate --tool git__git_status\n  \
    schemascope generate --targets    folders that are kept current"
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
    /// Least quality of an inferred schema that is used [default: that of the folder, else the setting model_from]
    #[arg(long, value_enum)]
    model_from: Option<ModelFrom>,
    /// Replace wrappers that you edited
    #[arg(long)]
    force: bool,
    /// Remove the wrappers of tools that their servers no longer list
    #[arg(long)]
    prune: bool,
    /// Do not make the calls of discovery_config.json first
    #[arg(long)]
    no_discover: bool,
    /// Call this tool of discovery_config.json even if its server declares it destructive; can be repeated
    #[arg(long = "allow", value_name = "TOOL", conflicts_with = "no_discover")]
    allowed: Vec<String>,
    /// Print the folders that are kept current, and write nothing
    #[arg(long, conflicts_with_all = ["forget", "out", "languages", "server", "tool", "model_from", "force", "prune"])]
    targets: bool,
    /// Stop keeping this folder current; its files stay
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "languages", "server", "tool", "model_from", "force", "prune"])]
    forget: Option<PathBuf>,
}

impl WithEngine for Generate {
    async fn run(&self, args: &Args, front: &Front) -> Result<ExitCode> {
        if self.targets {
            return targets(args, &front.call(ListWrapperTargets {}).await?);
        }
        if let Some(folder) = &self.forget {
            return forget(args, front, folder).await;
        }
        let path = absolute(&self.out)?;
        if !self.no_discover {
            self.discover(args, front).await?;
        }
        let command = WriteWrappers {
            path,
            languages: self.languages.iter().map(|lang| lang.word().to_owned()).collect(),
            server: self.server.clone(),
            tool_id: self.tool.clone(),
            model_from: self.model_from.map(ModelFrom::quality),
            force: self.force,
            prune: self.prune,
        };
        let targets = front.call(ListWrapperTargets {}).await?;
        let is_kept = targets.iter().any(|target| target.path == command.path);
        let spinner = output::spinner("listing the tools");
        let written = front.call(command).await;
        spinner.finish_and_clear();
        let written = written?;
        for (server, reason) in &written.unlisted {
            output::note(&harmless(&format!("{server} is not listed: {reason}")));
        }
        for file in &written.edited {
            output::note(&edited(&self.out, file));
        }
        for file in &written.kept {
            output::note(&harmless(&format!(
                "{} has text of yours and stays; --force removes it",
                self.out.join(file).display()
            )));
        }
        let report = front.call(GetReport {}).await?;
        let WrittenWrappers {
            wrapper_count,
            strategies,
            files_written,
            files_current,
            changes,
            edited,
            pruned,
            ..
        } = written;
        if args.json {
            output::json(&json!({
                "wrappers": wrapper_count, "files_written": files_written, "files_current": files_current,
                "changes": changes, "edited": edited, "pruned": pruned, "totals": totals(&report),
            }))?;
            return Ok(ExitCode::SUCCESS);
        }
        let [typed, inferred, helper] = strategies;
        output::line(&format!(
            "{}: {} ({} typed, {} inferred, {} without a known result); {} written, {} current",
            self.out.display(),
            counted(typed + inferred + helper, "tool"),
            count(typed),
            count(inferred),
            count(helper),
            counted(files_written, "file"),
            count(files_current),
        ))?;
        for file in &pruned {
            output::line(&harmless(&format!("removed {file}")))?;
        }
        if !is_kept && !args.quiet {
            let folder = self.out.display();
            output::note(&harmless(&format!(
                "while Schemascope runs, it keeps {folder} current (setting evolve); `schemascope generate --forget \
                 '{folder}'` ends that"
            )));
        }
        output::line("")?;
        for (name, part) in figures(&report) {
            output::line(&format!("{name:<9}{:>6}  {:>5.1} %", count(part), percent(part, &report)))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Generate {
    /// Makes the calls of the discovery file if it exists, except those that may destroy something.
    async fn discover(&self, args: &Args, front: &Front) -> Result<()> {
        let of_tool =
            self.tool.as_ref().and_then(|tool| tool.split_once("__")).map(|(server, _)| server.to_owned());
        let request = Request {
            server: self.server.clone().or(of_tool),
            skip_destructive: true,
            allowed: self.allowed.clone(),
            ..Request::default()
        };
        let discovered = discover(front, request).await.context(
            "nothing was called or written; --no-discover leaves out the calls of discovery_config.json",
        )?;
        for call in &discovered.calls {
            let tool = harmless(&call.tool_id);
            if call.state == DiscoveryState::Destructive {
                output::note(&format!(
                    "{tool} is not called: its server declares it destructive; --allow {tool} calls it"
                ));
            } else if call.state.is_failure() {
                let reason = harmless(call.reason.as_deref().unwrap_or("it failed"));
                output::note(&format!("discovery could not learn from {tool}: {reason}"));
            }
        }
        if !discovered.learned.is_empty() && !args.quiet {
            output::note(&format!("discovery taught {}", counted(discovered.learned.len() as u64, "tool")));
        }
        Ok(())
    }
}

impl Lang {
    fn word(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Typescript => "typescript",
            Self::Rust => "rust",
        }
    }
}

impl ModelFrom {
    fn quality(self) -> Quality {
        match self {
            Self::Low => Quality::Low,
            Self::Medium => Quality::Medium,
            Self::High => Quality::High,
        }
    }
}

/// The absolute path of a folder, which need not exist.
fn absolute(folder: &Path) -> Result<String> {
    let shown = folder.display();
    let path = std::path::absolute(folder).with_context(|| format!("cannot use {shown}"))?;
    path.into_os_string().into_string().map_err(|_| anyhow!("cannot use {shown}: its path is not UTF-8"))
}

/// The warning about a wrapper that was edited.
pub fn edited(folder: &Path, file: &str) -> String {
    let (file, new) = (folder.join(file), folder.join(beside(file)));
    let offered = match new.exists() {
        true => format!("; its new text is in {}", new.display()),
        false => String::new(),
    };
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let is_marked = ["schemascope: begin", "schemascope: end"].iter().all(|mark| text.contains(mark));
    let what_helps = match is_marked {
        true => "`generate --force` replaces it",
        false => "it has lost its marks, so it stays until you delete it or restore them",
    };
    let file = file.display();
    harmless(&format!("{file} was edited and is left as it is{offered}; {what_helps}"))
}

fn targets(args: &Args, targets: &[WrapperTarget]) -> Result<ExitCode> {
    if args.json {
        output::json(&targets)?;
        return Ok(ExitCode::SUCCESS);
    }
    if targets.is_empty() {
        output::note("no folder is kept current; schemascope generate writes one");
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = output::table(&["folder", "languages", "tools", "from quality"], &[]);
    for target in targets {
        let tools: Vec<String> = target.filters.iter().map(filter).collect();
        table.add_row([
            harmless(&target.path),
            target.languages.join(", "),
            harmless(&tools.join(", ")),
            target.model_from.map_or_else(|| "as set".to_owned(), |quality| quality.to_string()),
        ]);
    }
    output::print(&table)?;
    Ok(ExitCode::SUCCESS)
}

fn filter(filter: &WrapperFilter) -> String {
    match (&filter.tool_id, &filter.server) {
        (Some(tool), _) => tool.clone(),
        (None, Some(server)) => format!("all of {server}"),
        (None, None) => "all".to_owned(),
    }
}

async fn forget(args: &Args, front: &Front, folder: &Path) -> Result<ExitCode> {
    let was_target = front.call(ForgetWrapperTarget { path: absolute(folder)? }).await?;
    let shown = folder.display();
    if !was_target {
        return Err(anyhow!(
            "{shown} is not kept current; schemascope generate --targets prints the folders that are"
        ));
    }
    if !args.quiet {
        output::note(&format!("{shown} is no longer kept current; its files stay"));
    }
    Ok(ExitCode::SUCCESS)
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
