//! One file per verb.

mod audit;
mod backfill;
mod call;
mod calls;
mod check;
mod decide;
mod diff;
mod drift;
mod exchange;
mod impact;
mod infer;
mod overrides;
mod redact;
mod report;
mod schema;
mod serve;
mod servers;
mod settings;
mod stdio;
mod store;
mod tools;
mod versions;
mod window;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use schemascope_api::Decision;
use schemascope_engine::{Durability, Front};
use tokio_util::sync::CancellationToken;

use crate::args::{About, Args, FileForm, Overrides, OverridesVerb, Verb};
use crate::output;

pub use diff::choice;

/// Carries out what the command line says.
pub async fn run(args: Args) -> Result<ExitCode> {
    let verb = match &args.verb {
        None => return window::open(&args),
        Some(Verb::Serve(serve)) => return serve::run(&args, serve).await,
        Some(Verb::Stdio(stdio)) => return stdio::run(&args, stdio).await,
        Some(Verb::Infer(infer)) => return infer::run(&args, infer),
        Some(Verb::Diff(diff)) if diff.of.len() == 2 => return diff::files(&args, diff),
        Some(Verb::Overrides(Overrides { what: Some(OverridesVerb::Check { file: Some(file) }) })) => {
            return overrides::check_other(&args, file);
        }
        Some(Verb::Check(check)) => return Ok(check::run(&args, check).await),
        Some(Verb::Export(export)) if export.form == FileForm::Key => {
            return exchange::export_key(&args, export);
        }
        Some(Verb::Import(import)) if import.form == FileForm::Key => {
            return exchange::import_key(&args, import);
        }
        Some(Verb::Verify) => return store::verify(&args),
        Some(Verb::Rebuild | Verb::Compact) => return store::rebuild(&args),
        Some(Verb::Redact(redact)) => return redact::run(&args, redact).await,
        Some(verb) => verb,
    };
    let front = Arc::new(Front::open(&args.options(Durability::default())?).await?);
    let interrupted = CancellationToken::new();
    tokio::spawn(end_on_signal(Arc::clone(&front), interrupted.clone()));
    let done = tokio::select! {
        biased;
        // Dropping the command cancels its call; the other task ends the program.
        () = interrupted.cancelled() => std::future::pending().await,
        done = carry_out(&args, verb, &front) => done,
    };
    if interrupted.is_cancelled() {
        std::future::pending::<()>().await;
    }
    front.close().await;
    done
}

/// Whatever was started for a command ends with it. A task of its own, because a command may be
/// blocked, waiting for an answer or for its input.
async fn end_on_signal(front: Arc<Front>, interrupted: CancellationToken) {
    schemascope_engine::asked_to_end().await;
    interrupted.cancel();
    output::note("interrupted");
    // A moment for the call to be cancelled before what it runs on goes.
    tokio::time::sleep(Duration::from_millis(50)).await;
    front.close().await;
    std::process::exit(130);
}

async fn carry_out(args: &Args, verb: &Verb, front: &Front) -> Result<ExitCode> {
    match verb {
        Verb::Serve(_) | Verb::Stdio(_) | Verb::Infer(_) | Verb::Check(_) => Ok(ExitCode::SUCCESS),
        Verb::Verify | Verb::Rebuild | Verb::Compact | Verb::Redact(_) => Ok(ExitCode::SUCCESS),
        Verb::Servers(servers) => servers::run(args, servers, front).await,
        Verb::Tools(tools) => tools::run(args, tools, front).await,
        Verb::Schema(schema) => schema::run(schema, front).await,
        Verb::Versions(versions) => versions::run(args, versions, front).await,
        Verb::Diff(diff) => diff::versions(args, diff, front).await,
        Verb::Impact(impact) => impact::run(args, impact, front).await,
        Verb::Promote(verb) => {
            decide(args, &verb.tool, Decision::Promote { version: verb.version }, front).await
        }
        Verb::Pin(verb) => {
            decide(args, &verb.tool, Decision::Pin { version: verb.version, enforced: verb.enforce }, front)
                .await
        }
        Verb::Unpin(tool) => decide(args, tool, Decision::Unpin {}, front).await,
        Verb::Reject(verb) => {
            decide(args, &verb.tool, Decision::Reject { version: verb.version }, front).await
        }
        Verb::Rollback(verb) => decide(args, &verb.tool, Decision::Rollback { to: verb.to }, front).await,
        Verb::Undo(tool) => decide(args, tool, Decision::Undo {}, front).await,
        Verb::Drift(drift) => drift::run(args, drift, front).await,
        Verb::Audit(audit) => audit::run(args, audit, front).await,
        Verb::Calls(calls) => calls::run(args, calls, front).await,
        Verb::Call(call) => call::run(args, call, front).await,
        Verb::Overrides(verb) => overrides::run(args, verb, front).await,
        Verb::Backfill(backfill) => backfill::run(args, backfill, front).await,
        Verb::Export(export) => exchange::export(args, export, front).await,
        Verb::Import(import) => exchange::import(args, import, front).await,
        Verb::Report => report::run(args, front).await,
        Verb::Settings(settings) => settings::run(args, settings, front).await,
    }
}

async fn decide(args: &Args, about: &About, decision: Decision, front: &Front) -> Result<ExitCode> {
    decide::run(args, &about.tool_id, decision, about.reason.as_ref(), front).await
}
