//! `help`: a page of the user guide, or the help of a command.

use std::process::ExitCode;

use anyhow::Result;
use clap::Command;
use schemascope_engine::nearest;

use crate::guide::{self, TOPICS};
use crate::output;

/// Print a page of the user guide, or the help of a command
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    schemascope help               list commands and topics\n  \
    schemascope help concepts      print a topic\n  \
    schemascope help promote       print the help of a command\n\n\
    On a terminal, long topics are shown in $PAGER, or in less.")]
pub struct Help {
    /// A topic of the guide or a command; without it, both are listed
    #[arg(value_name = "TOPIC|COMMAND")]
    names: Vec<String>,
}

impl Help {
    /// Prints what was asked for. An unknown name is bad usage.
    pub fn run(&self, program: fn() -> Command) -> Result<ExitCode> {
        let mut program = program();
        program.build();
        let Some(name) = self.names.first() else {
            output::write(&program.render_help())?;
            output::line(&topics())?;
            return Ok(ExitCode::SUCCESS);
        };
        let topic = guide::find(name).filter(|_| self.names.len() == 1);
        let command = find(&mut program, &self.names);
        match (topic, command) {
            (Some(topic), command) => {
                let hint = command.map(|_| format!("For the command: schemascope {name} --help"));
                guide::show(topic, hint.as_deref())?;
                Ok(ExitCode::SUCCESS)
            }
            (None, Some(command)) => {
                output::write(&command.render_long_help())?;
                Ok(ExitCode::SUCCESS)
            }
            (None, None) => {
                let known = program.get_subcommands().map(Command::get_name);
                let known = known.chain(TOPICS.iter().map(|topic| topic.name));
                let hint = match nearest(name, known).as_slice() {
                    [] => "`schemascope help` lists topics and commands".to_owned(),
                    names => format!("did you mean {}?", unique(names).join(" or ")),
                };
                let wrong = output::harmless(&self.names.join(" "));
                output::error(&format!("there is no topic or command {wrong:?}; {hint}"));
                Ok(ExitCode::from(2))
            }
        }
    }
}

/// The command with these names: a command, then its subcommands.
fn find<'a>(program: &'a mut Command, names: &[String]) -> Option<&'a mut Command> {
    names.iter().try_fold(program, |command, name| command.find_subcommand_mut(name))
}

/// A name that is a topic and a command is suggested once.
fn unique<'a>(names: &[&'a str]) -> Vec<&'a str> {
    let mut names = names.to_vec();
    names.dedup();
    names
}

/// The topics with their summaries.
fn topics() -> String {
    let mut text = "\nTopics of the guide (schemascope help TOPIC):".to_owned();
    for topic in TOPICS {
        text += &format!("\n{}", output::hanging(&format!("  {:<20} {}", topic.name, topic.summary()), 23));
    }
    text
}
