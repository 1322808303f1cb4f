//! The commands of the terminal, one file per subject.

mod audit;
mod backfill;
mod call;
mod calls;
mod check;
mod cli;
mod decide;
mod diff;
mod discover;
mod drift;
mod edges;
mod evolve;
mod exchange;
mod failures;
mod generate;
mod help;
mod impact;
mod infer;
mod interview;
mod overrides;
mod plan;
mod readiness;
mod redact;
mod relearn;
mod report;
mod run;
mod schema;
mod serve;
mod servers;
mod settings;
mod stdio;
mod store;
mod tools;
mod verb;
mod versions;
mod window;

use std::process::ExitCode;

use anyhow::Result;

use crate::args::Args;
use verb::Group;

/// Declares the subjects, in the order in which their commands are listed.
macro_rules! subjects {
    ($($name:ident = $module:ident),+ $(,)?) => {
        /// A command of the terminal.
        #[derive(Debug, clap::Subcommand)]
        pub enum Verb {
            $(#[command(flatten)] $name($module::Verbs),)+
            Help(help::Help),
        }

        impl Verb {
            async fn run(&self, args: &Args, program: fn() -> clap::Command) -> Result<ExitCode> {
                match self {
                    $(Self::$name(verbs) => verbs.run(args).await,)+
                    Self::Help(help) => help.run(program),
                }
            }
        }

        const SUBJECTS: &[(Group, &[&str])] =
            &[$(($module::Verbs::GROUP, $module::Verbs::NAMES),)+ (Group::Maintain, &["Help"])];
    };
}

// A command of an existing subject is added to the `verbs!` of its file only.
subjects! {
    Serve = serve,
    Stdio = stdio,
    Run = run,
    Tools = tools,
    Schema = schema,
    Calls = calls,
    Call = call,
    Drift = drift,
    Failures = failures,
    Edges = edges,
    Plan = plan,
    Servers = servers,
    Report = report,
    Generate = generate,
    Evolve = evolve,
    Versions = versions,
    Diff = diff,
    Impact = impact,
    Decide = decide,
    Relearn = relearn,
    Audit = audit,
    Infer = infer,
    Backfill = backfill,
    Discover = discover,
    Cli = cli,
    Interview = interview,
    Overrides = overrides,
    Exchange = exchange,
    Check = check,
    Settings = settings,
    Store = store,
    Redact = redact,
}

impl Verb {
    /// Whether standard error belongs to another program, so that only errors are logged.
    pub fn lends_stderr(&self) -> bool {
        matches!(self, Self::Run(_))
    }

    /// Whether the command runs the proxy until it is stopped.
    pub fn serves(&self) -> bool {
        matches!(self, Self::Serve(_))
    }
}

/// The names of the commands by group, in the order in which they are shown.
pub fn groups() -> Vec<(Group, Vec<String>)> {
    let names = |group: Group| {
        let subjects = SUBJECTS.iter().filter(move |(of, _)| *of == group);
        subjects.flat_map(|(_, names)| names.iter().map(|name| name.to_lowercase())).collect()
    };
    Group::ALL.into_iter().map(|group| (group, names(group))).collect()
}

/// Carries out a command; without one, opens the window.
pub async fn run(args: &Args, verb: Option<&Verb>, program: fn() -> clap::Command) -> Result<ExitCode> {
    match verb {
        None => window::open(args, program),
        Some(verb) => verb.run(args, program).await,
    }
}
