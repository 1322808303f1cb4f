//! `cli`: command-line tools, what their help says, and how they are offered to agents.

mod definition;
pub mod import;
mod manage;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Subcommand;
use schemascope_engine::{CliEntry, probe};
use schemascope_helptext::{Definition, read};

use super::verb::{Alone, verbs};
use crate::args::Args;
use crate::output;
use manage::{Add, Decision};

verbs!(Files: alone Cli);

/// Bytes of a help text that are read.
const MAX_TEXT: u64 = 8 << 20;

/// Offer command-line programs to agents as tools
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A program becomes a server with the name of its alias. Schemascope reads its help, makes an input schema \
    of the options, and runs it for each call with an argument vector; no shell is involved. Options that run \
    other programs are withheld until you allow them. The entries are in ai-tools.json in the data directory.\n\n\
    Examples:\n  \
    schemascope cli probe git log           what the help of git log says\n  \
    schemascope cli read help.txt --json    the same for a text\n  \
    schemascope cli add jq --alias json     offer jq to agents, as the server json\n  \
    schemascope cli show json               its options, and which are withheld\n  \
    schemascope cli approve ask-jq --reason ok an agent asked for it"
)]
pub struct Cli {
    #[command(subcommand)]
    verb: Option<CliVerb>,
}

#[derive(Debug, Subcommand)]
enum CliVerb {
    /// Print what a help text says
    Read {
        /// File with the text; - for standard input
        file: PathBuf,
        /// The command, such as "git clone", if the text does not name it
        #[arg(long, value_name = "NAME", default_value = "")]
        name: String,
    },
    /// Run a program for its help and print what it says
    Probe {
        /// Name of the program in PATH, or its path
        command: String,
        /// Subcommand, such as remote add
        subcommand: Vec<String>,
    },
    /// List the command-line tools with their states [default]
    List,
    /// Print a tool's options, what they do, and which are withheld
    Show {
        /// The alias
        alias: String,
    },
    /// Add a program to ai-tools.json; replaces an entry of the same alias
    Add(Box<Add>),
    /// Remove a tool from ai-tools.json
    Remove {
        /// The alias
        alias: String,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Read the help of a program again, after an update
    Refresh {
        /// The alias
        alias: String,
    },
    /// Approve an agent's request; the program's help is read
    Approve {
        #[command(flatten)]
        decision: Decision,
        /// Offer this option although it runs programs; can be repeated
        #[arg(long, value_name = "FLAG", allow_hyphen_values = true)]
        allow: Vec<String>,
    },
    /// Reject an agent's request
    Reject {
        #[command(flatten)]
        decision: Decision,
    },
}

impl Alone for Cli {
    async fn run(&self, args: &Args) -> Result<ExitCode> {
        match &self.verb {
            Some(CliVerb::Read { file, name }) => read_text(args, file, name),
            Some(CliVerb::Probe { command, subcommand }) => probe_program(args, command, subcommand).await,
            None | Some(CliVerb::List) => manage::list(args).await,
            Some(CliVerb::Show { alias }) => manage::show(args, alias).await,
            Some(CliVerb::Add(add)) => manage::add(args, add).await,
            Some(CliVerb::Remove { alias, reason }) => manage::remove(args, alias, reason.clone()).await,
            Some(CliVerb::Refresh { alias }) => manage::refresh(args, alias).await,
            Some(CliVerb::Approve { decision, allow }) => manage::approve(args, decision, allow).await,
            Some(CliVerb::Reject { decision }) => manage::reject(args, decision).await,
        }
    }
}

fn read_text(args: &Args, file: &Path, name: &str) -> Result<ExitCode> {
    let mut bytes = Vec::new();
    match file.to_str() {
        Some("-") => {
            std::io::stdin().take(MAX_TEXT).read_to_end(&mut bytes).context("cannot read standard input")?
        }
        _ => {
            let opened =
                std::fs::File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
            opened
                .take(MAX_TEXT)
                .read_to_end(&mut bytes)
                .with_context(|| format!("cannot read {}", file.display()))?
        }
    };
    let definition = read(&String::from_utf8_lossy(&bytes), name);
    print(args, &definition)?;
    if definition.is_empty() {
        bail!("no option, argument or subcommand was found in the text; is it the output of --help?");
    }
    Ok(ExitCode::SUCCESS)
}

async fn probe_program(args: &Args, command: &str, subcommand: &[String]) -> Result<ExitCode> {
    let mut entry = CliEntry::of_command(command);
    entry.subcommands = if subcommand.is_empty() { Vec::new() } else { vec![subcommand.join(" ")] };
    let probed = match probe(&entry, !subcommand.is_empty()).await {
        Ok(probed) => probed,
        Err(error) => bail!("{error}"),
    };
    match probed.tools.first() {
        Some((_, definition)) => print(args, definition)?,
        None => bail!("{command} printed nothing that could be understood"),
    }
    for note in &probed.notes {
        output::note(&output::harmless(note));
    }
    Ok(ExitCode::SUCCESS)
}

fn print(args: &Args, definition: &Definition) -> Result<()> {
    match args.json {
        true => output::json(definition)?,
        false => definition::print(definition)?,
    }
    Ok(())
}
