//! `evolve`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use schemascope_api::{EvolveWrappers, EvolvedTarget, WrapperChange};
use schemascope_engine::Front;

use super::generate::edited;
use super::verb::{WithEngine, verbs};
use crate::args::Args;
use crate::output::{self, counted, harmless};

verbs!(Learned: engine Evolve);

/// Bring the wrappers that `generate` wrote up to date
#[derive(Debug, clap::Args)]
#[command(
    after_help = "While Schemascope runs, it keeps wrappers current by itself (settings `evolve` and `evolve_every`). This \
    command does it once, for all folders of `generate --targets`. No server is started. The exit code is 1 if a \
    folder cannot be written.\n\nExamples:\n  \
    schemascope evolve --once --dry-run    what would change, and why\n  \
    schemascope evolve --once"
)]
pub struct Evolve {
    /// Look at every wrapper once
    #[arg(long, required = true)]
    once: bool,
    /// Print the changes and write nothing
    #[arg(long)]
    dry_run: bool,
}

impl WithEngine for Evolve {
    async fn run(&self, args: &Args, front: &Front) -> Result<ExitCode> {
        let targets = front.call(EvolveWrappers { dry_run: self.dry_run, due: false }).await?;
        let failed = targets.iter().any(|target| target.problem.is_some());
        if args.json {
            output::json(&targets)?;
        } else {
            print(&targets, self.dry_run)?;
        }
        Ok(ExitCode::from(u8::from(failed)))
    }
}

fn print(targets: &[EvolvedTarget], dry_run: bool) -> Result<()> {
    if targets.is_empty() {
        output::note("no folder is kept current; schemascope generate writes one");
        return Ok(());
    }
    for EvolvedTarget { path, gone, problem, changes, edited: by_hand } in targets {
        let shown = harmless(path);
        for WrapperChange { file, why, edited, .. } in changes {
            let end = if *edited { ".new" } else { "" };
            output::line(&harmless(&format!("{}{end}: {why}", Path::new(path).join(file).display())))?;
        }
        for file in by_hand {
            output::note(&edited(Path::new(path), file));
        }
        if let Some(problem) = problem {
            output::note(&format!("{shown}: {}", harmless(problem)));
        } else if *gone {
            output::note(&format!("{shown} has no wrappers any more and is no longer kept current"));
        } else {
            let verb = if dry_run { "would change" } else { "changed" };
            output::line(&format!("{shown}: {} {verb}", counted(changes.len() as u64, "wrapper")))?;
        }
    }
    Ok(())
}
