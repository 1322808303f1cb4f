//! Asking a program for its help.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use schemascope_helptext::{Definition, read};
use schemascope_program::{Ended, NotFound, Run, find, run};
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, timeout_at};

use super::entry::{CliEntry, resources};

/// Time for one question.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);
/// Time for all questions to one command.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(20);
/// Bytes of help that are read.
const MAX_HELP: usize = 1 << 20;
/// Deepest subcommands: `git remote add` is 2.
const MAX_DEPTH: usize = 2;
/// Most tools of one command.
pub(crate) const MAX_TOOLS: usize = 64;

/// What a program's help said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Probed {
    /// The program's file.
    pub program: PathBuf,
    /// Its leaf commands: the words behind the program's name, and the definition.
    pub tools: Vec<(Vec<String>, Definition)>,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

/// Why a program's help cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProbeError {
    /// There is no such program.
    #[error("command {0:?} {1}")]
    NotFound(String, NotFound),
    /// It did not answer in time.
    #[error("it printed no help within {0} s; check that it does not wait for input or a terminal")]
    TimedOut(u64),
    /// It printed nothing.
    #[error("it prints nothing for --help, -h and help")]
    Nothing,
}

/// Finds a program and reads what its help says, and that of its subcommands where `leaves` is set.
pub async fn probe(entry: &CliEntry, leaves: bool) -> Result<Probed, ProbeError> {
    let path = std::env::var_os("PATH");
    let program = find(&entry.command, path.as_deref())
        .map_err(|problem| ProbeError::NotFound(entry.command.clone(), problem))?;
    let deadline = Instant::now() + COMMAND_TIMEOUT;
    let mut asking = Asking { program: &program, entry, deadline, general: None };
    let mut notes = Vec::new();
    if !entry.subcommands.is_empty() && leaves {
        let mut tools = Vec::new();
        for wanted in entry.subcommands.iter().take(MAX_TOOLS) {
            let words: Vec<String> = wanted.split_whitespace().map(str::to_owned).collect();
            match asking.definition(&words).await {
                Ok(definition) => tools.push((words, definition)),
                Err(error) => notes.push(format!("{wanted}: {error}")),
            }
        }
        return if tools.is_empty() {
            Err(ProbeError::Nothing)
        } else {
            Ok(Probed { program, tools, notes })
        };
    }
    let root = asking.definition(&[]).await?;
    if root.subcommands.is_empty() || !leaves {
        return Ok(Probed { program, tools: vec![(Vec::new(), root)], notes });
    }
    if root.subcommands.iter().any(|command| command.name == "help") {
        asking.general = asking.ask(vec!["help".to_owned()]).await.ok();
    }
    let mut tools: Vec<(Vec<String>, Definition)> = Vec::new();
    let mut left_out: Vec<String> = Vec::new();
    let mut open: Vec<Vec<String>> = names(&root, &[]);
    open.reverse();
    while let Some(words) = open.pop() {
        if tools.len() >= MAX_TOOLS || Instant::now() >= deadline {
            left_out.push(words.join(" "));
            continue;
        }
        match asking.definition(&words).await {
            Ok(definition) if !definition.subcommands.is_empty() && words.len() < MAX_DEPTH => {
                let mut below = names(&definition, &words);
                below.reverse();
                open.extend(below);
            }
            Ok(definition) => tools.push((words, definition)),
            Err(error) => notes.push(format!("{}: {error}", words.join(" "))),
        }
    }
    if !left_out.is_empty() {
        let (count, limit) = (left_out.len(), tools.len());
        notes.push(format!(
            "{count} subcommands are not offered, because {limit} are: {}. Name those you want in \"subcommands\"",
            left_out.join(", ")
        ));
    }
    // Subcommands that say nothing about themselves: the program itself is the tool.
    if tools.is_empty() {
        tools.push((Vec::new(), root));
    }
    Ok(Probed { program, tools, notes })
}

fn names(definition: &Definition, above: &[String]) -> Vec<Vec<String>> {
    let is_help = |name: &str| matches!(name, "help" | "completion" | "completions" | "version");
    let found = definition.subcommands.iter().filter(|command| !is_help(&command.name));
    found.map(|command| above.iter().cloned().chain([command.name.clone()]).collect()).collect()
}

struct Asking<'a> {
    program: &'a Path,
    entry: &'a CliEntry,
    deadline: Instant,
    /// What `help` alone prints, if it is listed as a subcommand and shows no pages of the manual.
    general: Option<String>,
}

impl Asking<'_> {
    /// The definition of a command: the first answer to `--help`, `-h` or `help` in which something is understood. A
    /// subcommand that does not know `--help` may act, so a `help` that is listed comes first.
    async fn definition(&mut self, words: &[String]) -> Result<Definition, ProbeError> {
        let name = std::iter::once(self.entry.program_name().to_owned()).chain(words.iter().cloned());
        let name = name.collect::<Vec<_>>().join(" ");
        let behind = |flag: &str| words.iter().cloned().chain([flag.to_owned()]).collect::<Vec<String>>();
        let help: Vec<String> = std::iter::once("help".to_owned()).chain(words.iter().cloned()).collect();
        let mut questions = [behind("--help"), behind("-h"), help.clone()];
        if !words.is_empty() && self.general.is_some() {
            questions.rotate_right(1);
        }
        let mut best: Option<Definition> = None;
        let mut failed = ProbeError::Nothing;
        for question in questions {
            let is_help = question == help;
            let text = match self.ask(question).await {
                // Of every subcommand the same.
                Ok(text) if is_help && self.general.as_ref() == Some(&text) => continue,
                Ok(text) => text,
                Err(error) => {
                    failed = error;
                    continue;
                }
            };
            // A manual describes much that is no option of the command.
            let definition = read(&text, &name);
            if is_help && is_manual(&text) {
                self.general = None;
            }
            let says_much = !definition.options.is_empty() || !definition.subcommands.is_empty();
            if says_much && !is_manual(&text) {
                return Ok(definition);
            }
            if !definition.is_empty() && best.is_none() {
                best = Some(definition);
            } else if !text.trim().is_empty() && best.is_none() {
                failed = ProbeError::Nothing;
            }
        }
        best.ok_or(failed)
    }

    async fn ask(&self, question: Vec<String>) -> Result<String, ProbeError> {
        let arguments = self.entry.args.iter().cloned().chain(question).collect();
        let what = Run {
            program: self.program.to_owned(),
            arguments,
            env: quiet(&self.entry.env),
            cwd: self.entry.cwd.clone(),
            stdin: None,
            timeout: PROBE_TIMEOUT,
            max_output: MAX_HELP,
            resources: resources(self.entry),
            confine: self.entry.confinement(self.program),
        };
        let seconds = COMMAND_TIMEOUT.as_secs();
        let outcome =
            timeout_at(self.deadline, run(what, |_| {})).await.map_err(|_| ProbeError::TimedOut(seconds))?;
        let outcome = outcome.map_err(|_| ProbeError::Nothing)?;
        if outcome.ended == Ended::TimedOut && outcome.stdout.is_empty() {
            return Err(ProbeError::TimedOut(PROBE_TIMEOUT.as_secs()));
        }
        let text = if outcome.stdout.is_empty() { outcome.stderr.text() } else { outcome.stdout.text() };
        if text.trim().is_empty() { Err(ProbeError::Nothing) } else { Ok(text) }
    }
}

/// Variables that keep a program from colours, pagers, editors and questions, below the entry's own.
pub(crate) fn quiet(own: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    const QUIET: &[(&str, &str)] = &[
        ("NO_COLOR", "1"),
        ("CLICOLOR", "0"),
        ("TERM", "dumb"),
        ("PAGER", "cat"),
        ("GIT_PAGER", "cat"),
        ("MANPAGER", "cat"),
        ("SYSTEMD_PAGER", "cat"),
        ("EDITOR", "false"),
        ("VISUAL", "false"),
        ("GIT_EDITOR", "false"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("DEBIAN_FRONTEND", "noninteractive"),
        ("COLUMNS", "120"),
    ];
    let quiet = QUIET.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    quiet.chain(own.iter().map(|(name, value)| (name.clone(), value.clone()))).collect()
}

/// Whether a text is a page of the manual: `GIT-CLONE(1)    Git Manual    GIT-CLONE(1)`.
fn is_manual(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let mut words = first.split_whitespace();
    let is_title = |word: &str| word.ends_with(')') && word.contains('(');
    words.next().is_some_and(is_title) && words.next_back().is_some_and(is_title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manual_is_told_from_help() {
        assert!(is_manual("\nGIT-CLONE(1)          Git Manual          GIT-CLONE(1)\n"));
        assert!(!is_manual("usage: git clone (x)"));
    }

    #[tokio::test]
    async fn subcommands_are_not_run_where_the_program_explains_them() {
        let folder = tempfile::tempdir().unwrap();
        let (script, log) = (folder.path().join("backup"), folder.path().join("log"));
        let text = format!(
            "echo \"$@\" >> '{}'\ncase \"$1 $2\" in\n\
             'help prune') printf 'Usage: sh prune [--keep N]\\n';;\n\
             'help '*|'--help '*) printf 'Usage: sh COMMAND\\n\\nCommands:\\n  prune  Remove old ones\\n  list   List all\\n  help   Explain one\\n';;\n\
             *) printf 'Usage: sh list [--all]\\n';;\nesac\n",
            log.display()
        );
        std::fs::write(&script, text).unwrap();
        let mut entry = CliEntry::of_command("sh");
        entry.args = vec![script.display().to_string()];
        let probed = probe(&entry, true).await.unwrap();
        let flags: Vec<&str> =
            probed.tools.iter().map(|(_, tool)| tool.options[0].flags[0].as_str()).collect();
        assert_eq!(flags, ["--keep", "--all"]);
        // `list` has no help of its own, and is asked for it.
        let asked = std::fs::read_to_string(&log).unwrap();
        assert_eq!(
            asked.lines().collect::<Vec<_>>(),
            ["--help", "help", "help prune", "help list", "list --help"]
        );
    }

    #[tokio::test]
    async fn programs_are_probed_or_named_with_the_reason() {
        let probed = probe(&CliEntry::of_command("ls"), true).await.unwrap();
        assert_eq!(probed.tools.len(), 1);
        assert!(probed.tools[0].1.options.iter().any(|option| option.property == "all"));
        let missing = probe(&CliEntry::of_command("no-such-program"), true).await.unwrap_err();
        assert!(missing.to_string().contains("was not found in PATH"), "{missing}");
        let mut git = CliEntry::of_command("git");
        git.subcommands = vec!["remote add".into(), "no-such-command".into()];
        let probed = probe(&git, true).await.unwrap();
        assert_eq!(probed.tools[0].0, ["remote", "add"]);
        assert!(probed.tools[0].1.options.iter().any(|option| option.flags.contains(&"-f".to_owned())));
    }
}
