//! One file per verb.

mod backfill;
mod call;
mod calls;
mod infer;
mod report;
mod schema;
mod serve;
mod servers;
mod tools;

use std::process::ExitCode;

use anyhow::Result;

use crate::args::{Args, Verb};
use crate::front::Front;
use crate::{output, signal};

/// Carries out what the command line says.
pub async fn run(args: Args) -> Result<ExitCode> {
    match &args.verb {
        Verb::Serve(serve) => return serve::run(&args, serve).await,
        Verb::Infer(infer) => return infer::run(infer),
        _ => {}
    }
    let front = Front::open(&args).await?;
    let done = tokio::select! {
        done = carry_out(&args, &front) => done,
        // Whatever was started for this command must end with it.
        () = signal::received() => {
            output::note("interrupted");
            Ok(ExitCode::from(130))
        }
    };
    front.close().await;
    done
}

async fn carry_out(args: &Args, front: &Front) -> Result<ExitCode> {
    match &args.verb {
        Verb::Serve(_) | Verb::Infer(_) => Ok(ExitCode::SUCCESS),
        Verb::Servers(servers) => servers::run(args, servers, front).await,
        Verb::Tools(tools) => tools::run(args, tools, front).await,
        Verb::Schema(schema) => schema::run(schema, front).await,
        Verb::Calls(calls) => calls::run(args, calls, front).await,
        Verb::Call(call) => call::run(args, call, front).await,
        Verb::Backfill(backfill) => backfill::run(args, backfill, front).await,
        Verb::Report => report::run(args, front).await,
    }
}
