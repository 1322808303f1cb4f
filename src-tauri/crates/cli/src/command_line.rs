//! The command line as a whole: global options, commands in groups, and help.

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser};

use crate::args::Args;
use crate::commands::{self, Verb};
use crate::output;

#[derive(Debug, Parser)]
#[command(name = "schemascope", version, max_term_width = output::WIDEST, disable_help_subcommand = true)]
struct CommandLine {
    #[command(flatten)]
    args: Args,
    #[command(subcommand)]
    verb: Option<Verb>,
}

const ABOUT: &str = "Runs between agents and their MCP servers, records every call, and learns the output schema of \
    each tool from real results.";

const EXAMPLES: &str = "First steps:\n  \
    schemascope                            open the window\n  \
    schemascope serve --config mcp.json    run the proxy that agents connect to\n  \
    schemascope stdio                      for agents that start their servers\n  \
    schemascope tools                      see what was learned\n  \
    schemascope schema SERVER__TOOL        print one schema\n  \
    schemascope versions SERVER__TOOL      see what can be promoted\n\n\
    Commands use the Schemascope that runs on the same data directory. If none runs, they open the data \
    themselves. Exit codes: 0 success, 1 failure, 2 bad usage.\n\n\
    schemascope COMMAND --help explains a command, and schemascope help TOPIC prints a page of the guide.";

/// Parses the arguments of this process. Prints help or an error and exits if they ask for it.
pub fn parse() -> (Args, Option<Verb>) {
    let matches = program().get_matches();
    match CommandLine::from_arg_matches(&matches) {
        Ok(CommandLine { args, verb }) => match args.problem() {
            Some(problem) => program().error(ErrorKind::ValueValidation, problem).exit(),
            None => (args, verb),
        },
        Err(error) => error.exit(),
    }
}

/// The definition of the command line.
pub fn program() -> clap::Command {
    let program = CommandLine::command().about(ABOUT).long_about(None::<&str>).after_help(EXAMPLES);
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{}\n{{options}}{{after-help}}",
        commands(&program),
        heading("Options:")
    );
    program.help_template(template)
}

/// The commands with their sentences, by group.
fn commands(program: &clap::Command) -> String {
    let mut text = String::new();
    for (group, names) in commands::groups() {
        text += &format!("{}\n", heading(&format!("{}:", group.title())));
        for name in names {
            let about = program.find_subcommand(&name).and_then(clap::Command::get_about);
            let line = format!("  {name:<10} {}", about.map(ToString::to_string).unwrap_or_default());
            text += &format!("{}\n", output::hanging(&line, 13));
        }
        text.push('\n');
    }
    text
}

/// A heading in the style of clap; clap removes the style where output is not a terminal.
fn heading(text: &str) -> String {
    format!("\u{1b}[1m\u{1b}[4m{text}\u{1b}[0m")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definition_is_consistent() {
        program().debug_assert();
    }

    #[test]
    fn every_command_is_in_one_group_and_has_a_sentence() {
        let program = program();
        let mut grouped: Vec<String> = commands::groups().into_iter().flat_map(|(_, names)| names).collect();
        let mut names: Vec<String> = program.get_subcommands().map(|one| one.get_name().to_owned()).collect();
        grouped.sort();
        names.sort();
        assert_eq!(grouped, names);
        for command in program.get_subcommands() {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            assert!((10..=88).contains(&about.chars().count()), "{}: {about:?}", command.get_name());
        }
    }

    /// Help is wrapped to the terminal: a line break within a sentence leaves half-empty lines there, and an example that
    /// is wider is torn apart.
    #[test]
    fn help_fits_any_terminal() {
        fn check(command: &clap::Command) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in help.lines().filter(|line| line.starts_with("  ")) {
                assert!(
                    line.chars().count() <= 80,
                    "{}: wider than 80 columns: {line:?}",
                    command.get_name()
                );
            }
            for lines in help.lines().collect::<Vec<_>>().windows(2) {
                let is_prose = |line: &str| line.starts_with(|first: char| !first.is_whitespace());
                assert!(
                    !lines.iter().all(|line| is_prose(line)),
                    "{}: a line break behind {:?}",
                    command.get_name(),
                    lines[0]
                );
            }
            command.get_subcommands().for_each(check);
        }
        check(&program());
    }
}
