//! What a command is: one that works alone, or one that needs an engine.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use schemascope_engine::{Durability, Front, Options, ReadableCopy, is_same_file};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::args::Args;
use crate::output;

/// Exit code of a command that a signal ended.
const INTERRUPTED: i32 = 130;

/// A command that needs no engine, or opens one in its own way.
pub trait Alone {
    /// Carries out the command.
    async fn run(&self, args: &Args) -> Result<ExitCode>;
}

/// A command that asks an engine: the one that runs on the data directory, else one of its own.
pub trait WithEngine {
    /// Carries out the command.
    async fn run(&self, args: &Args, front: &Front) -> Result<ExitCode>;
}

/// A group of commands in `--help` and in the guide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Running the proxy.
    Run,
    /// What was recorded and learned.
    Learned,
    /// Versions and decisions.
    Decide,
    /// Learning from documents and traces.
    Files,
    /// Exchange with other people and machines.
    Share,
    /// Settings and the data directory.
    Maintain,
}

impl Group {
    /// Every group, in the order in which they are shown.
    pub const ALL: [Self; 6] =
        [Self::Run, Self::Learned, Self::Decide, Self::Files, Self::Share, Self::Maintain];

    /// Heading of the group.
    pub fn title(self) -> &'static str {
        match self {
            Self::Run => "Run the proxy",
            Self::Learned => "See what was recorded and learned",
            Self::Decide => "Compare versions and decide",
            Self::Files => "Learn from files",
            Self::Share => "Share and check",
            Self::Maintain => "Configure, maintain and get help",
        }
    }
}

/// Declares the commands of a file: the group they are in, and for each of them whether it works `alone`, needs an
/// `engine`, or is a `reader`, which needs an engine and works on data that cannot be written to as well. Their sentences and options come from the structs of the same names.
macro_rules! verbs {
    ($group:ident: $($kind:ident $verb:ident),+ $(,)?) => {
        #[derive(Debug, clap::Subcommand)]
        pub enum Verbs {
            $($verb($verb),)+
        }

        impl Verbs {
            pub const GROUP: $crate::commands::verb::Group = $crate::commands::verb::Group::$group;
            pub const NAMES: &[&str] = &[$(stringify!($verb)),+];

            pub async fn run(&self, args: &$crate::args::Args) -> anyhow::Result<std::process::ExitCode> {
                match self {
                    $(Self::$verb(verb) => $crate::commands::verb::carry_out!($kind verb, args),)+
                }
            }
        }
    };
}

macro_rules! carry_out {
    (alone $verb:ident, $args:ident) => {
        $crate::commands::verb::Alone::run($verb, $args).await
    };
    (engine $verb:ident, $args:ident) => {
        $crate::commands::verb::with_engine($args, async |front: &schemascope_engine::Front| {
            $crate::commands::verb::WithEngine::run($verb, $args, front).await
        })
        .await
    };
    (reader $verb:ident, $args:ident) => {
        $crate::commands::verb::with_reader($args, async |front: &schemascope_engine::Front| {
            $crate::commands::verb::WithEngine::run($verb, $args, front).await
        })
        .await
    };
}

pub(super) use {carry_out, verbs};

/// Does `work` with an engine, and closes what was opened for it.
pub async fn with_engine(
    args: &Args,
    work: impl AsyncFnOnce(&Front) -> Result<ExitCode>,
) -> Result<ExitCode> {
    with_front(open(args).await?, work).await
}

/// Does `work` with an engine, on a private copy if the data cannot be written to.
pub async fn with_reader(
    args: &Args,
    work: impl AsyncFnOnce(&Front) -> Result<ExitCode>,
) -> Result<ExitCode> {
    let mut options = args.options(Durability::default())?;
    let removing = remove_copy_on_signal(&options.data_dir);
    let Some(copy) = ReadableCopy::of(&options.data_dir)? else {
        return with_engine(args, work).await;
    };
    if !args.quiet {
        output::note(&format!("{} cannot be written to; reading a copy", options.data_dir.display()));
    }
    options.data_dir = copy.path().to_owned();
    let front = Front::open(&options).await?;
    // From here on, a signal also ends what the command does.
    removing.inspect(JoinHandle::abort);
    with_front(front, work).await
}

/// Has a signal that asks the program to end remove the copy of data that cannot be written to, from the moment when it
/// is begun.
pub fn remove_copy_on_signal(data_dir: &Path) -> Option<JoinHandle<()>> {
    ReadableCopy::is_needed(data_dir).then(|| {
        tokio::spawn(async {
            schemascope_engine::asked_to_end().await;
            output::note("interrupted");
            schemascope_engine::remove_copies();
            std::process::exit(INTERRUPTED);
        })
    })
}

async fn with_front(front: Front, work: impl AsyncFnOnce(&Front) -> Result<ExitCode>) -> Result<ExitCode> {
    let front = Arc::new(front);
    let interrupted = CancellationToken::new();
    tokio::spawn(end_on_signal(Arc::clone(&front), interrupted.clone()));
    let done = tokio::select! {
        biased;
        // Dropping the command cancels its call; the other task ends the program.
        () = interrupted.cancelled() => std::future::pending().await,
        done = work(&front) => done,
    };
    if interrupted.is_cancelled() {
        std::future::pending::<()>().await;
    }
    front.close().await;
    done
}

/// Attaches to the running engine, or opens the data. Says so if that created the data directory: a mistyped
/// `--data-dir` should not look like lost data.
pub async fn open(args: &Args) -> Result<Front> {
    let options = args.options(Durability::default())?;
    let is_new = !options.data_dir.exists();
    let front = Front::open(&options).await?;
    check_files(args, &options, &front)?;
    if is_new {
        created(args, &options);
    }
    Ok(front)
}

/// Fails if the running engine works with other files than the options name: what a command says and does would be about
/// those.
fn check_files(args: &Args, options: &Options, front: &Front) -> Result<()> {
    let Front::Attached(attached) = front else { return Ok(()) };
    let Some(used) = &attached.instance().files else { return Ok(()) };
    let named = options.files();
    let files = [
        ("--config", args.config.is_some(), &named.config, &used.config),
        ("--overrides", args.overrides.is_some(), &named.overrides, &used.overrides),
        ("--ai-tools", args.ai_tools.is_some(), &named.ai_tools, &used.ai_tools),
    ];
    for (option, _, named, used) in files.into_iter().filter(|(_, is_given, ..)| *is_given) {
        if !is_same_file(named, used) {
            let pid = attached.instance().pid;
            bail!(
                "Schemascope (pid {pid}) runs on this data directory with {}, so {option} {} has no effect; stop it \
                 first, or leave {option} out",
                used.display(),
                named.display()
            );
        }
    }
    Ok(())
}

/// Reports a data directory that did not exist before.
pub fn created(args: &Args, options: &Options) {
    if !args.quiet {
        output::note(&format!("created the data directory {}", options.data_dir.display()));
    }
}

/// Ends the program, and what was started for its command, when a signal asks for it. A task of its own, because the
/// command may be blocked by an answer or its input.
async fn end_on_signal(front: Arc<Front>, interrupted: CancellationToken) {
    schemascope_engine::asked_to_end().await;
    interrupted.cancel();
    output::note("interrupted");
    // The upstream needs a moment to receive the cancellation before its process ends.
    tokio::time::sleep(Duration::from_millis(50)).await;
    front.close().await;
    schemascope_engine::remove_copies();
    std::process::exit(INTERRUPTED);
}
