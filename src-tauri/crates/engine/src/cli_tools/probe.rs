//! Asking a program for its help.
//!
//! Some programs write files, start others or ask the network whatever they are asked. So, where the kernel can do that,
//! a program is asked while it can only read. One that prints no help so is asked again as a user would.

mod secrets;

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::time::Duration;

use schemascope_helptext::{Definition, OptionDefinition, described, fuller_help, mark_as, read};
use schemascope_program::{Confinement, Ended, NotFound, Run, find, run, support};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use tokio::time::{Instant, timeout_at};

use super::entry::{CliEntry, Confine, resources};

/// Time for one question.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);
/// Time for all questions to one command.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(60);
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
    /// Whether something did not answer in time, which it may do another time.
    #[serde(skip)]
    pub is_late: bool,
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
    /// The questions before took all the time there is.
    #[error("it was not asked, because asking the others took {0} s; name it in \"subcommands\"")]
    NotAsked(u64),
    /// It printed nothing.
    #[error("it prints nothing for --help, -h and help")]
    Nothing,
}

impl ProbeError {
    /// Whether the program may answer another time.
    fn is_late(&self) -> bool {
        matches!(self, Self::TimedOut(_) | Self::NotAsked(_))
    }
}

/// Said of a program that was asked without limits.
const FREE: &str = "its help was read without further limits: when it could only read, it printed none";

/// Finds a program and reads what its help says, and that of its subcommands where `leaves` is set.
pub async fn probe(entry: &CliEntry, leaves: bool) -> Result<Probed, ProbeError> {
    let mut probed = ask(entry, leaves).await?;
    if let Some(target) = entry.target().filter(|target| target != entry.program_name()) {
        probed.tools.iter_mut().for_each(|(_, definition)| mark_as(definition, &target));
    }
    probed.tools.iter_mut().for_each(|(_, definition)| secrets::remove_secrets(definition));
    Ok(probed)
}

async fn ask(entry: &CliEntry, leaves: bool) -> Result<Probed, ProbeError> {
    let path = std::env::var_os("PATH");
    let program = find(&entry.command, path.as_deref())
        .map_err(|problem| ProbeError::NotFound(entry.command.clone(), problem))?;
    let Some(temporary) = temporary(entry) else { return read_help(entry, leaves, program, None).await };
    match read_help(entry, leaves, program.clone(), Some(&temporary)).await {
        Err(ProbeError::Nothing) => {
            let mut probed = read_help(entry, leaves, program, None).await?;
            probed.notes.push(FREE.to_owned());
            Ok(probed)
        }
        probed => probed,
    }
}

/// The only folder that a program can write to while it is asked.
fn temporary(entry: &CliEntry) -> Option<TempDir> {
    let is_free = entry.confine == Some(Confine::WherePossible(false));
    support().filter(|_| !is_free)?;
    tempfile::tempdir().ok()
}

async fn read_help(
    entry: &CliEntry,
    leaves: bool,
    program: PathBuf,
    temporary: Option<&TempDir>,
) -> Result<Probed, ProbeError> {
    let deadline = Instant::now() + COMMAND_TIMEOUT;
    let mut asking = Asking { program: &program, entry, deadline, temporary, general: None };
    let (mut notes, mut is_late) = (Vec::new(), false);
    if !entry.subcommands.is_empty() && leaves {
        let mut tools = Vec::new();
        for wanted in entry.subcommands.iter().take(MAX_TOOLS) {
            let words: Vec<String> = wanted.split_whitespace().map(str::to_owned).collect();
            match asking.help(&words).await {
                Ok(help) => tools.push((words, help.definition.with_commands_as_argument())),
                Err(error) => {
                    is_late |= error.is_late();
                    notes.push(format!("{wanted}: {error}"));
                }
            }
        }
        return if tools.is_empty() {
            Err(ProbeError::Nothing)
        } else {
            Ok(Probed { program, tools, notes, is_late })
        };
    }
    let root = asking.help(&[]).await?;
    if root.definition.subcommands.is_empty() || !leaves {
        return Ok(Probed { program, tools: vec![(Vec::new(), root.definition)], notes, is_late });
    }
    if root.definition.subcommands.iter().any(|command| command.name == "help") {
        asking.general = asking.ask(vec!["help".to_owned()]).await.ok().map(|(text, _)| text);
    }
    let knows_help = asking.general.is_some() || root.definition.options.iter().any(is_help);
    let mut tools: Vec<(Vec<String>, Definition)> = Vec::new();
    let mut left_out: Vec<Vec<String>> = Vec::new();
    let mut silent: Vec<(Vec<String>, ProbeError)> = Vec::new();
    let mut groups: Vec<(Vec<String>, Help)> = Vec::new();
    if root.definition.works_alone() {
        tools.push((Vec::new(), root.definition.clone().of_one_command()));
    }
    let mut open: Vec<Vec<String>> = Vec::new();
    let mut next = Some((Vec::new(), Ok(root)));
    while let Some((words, help)) = next.take() {
        match help {
            // `ip address help` says all that there is about `ip address add`, which would run.
            Ok(help)
                if help.is_last || words.len() >= MAX_DEPTH || help.definition.subcommands.is_empty() =>
            {
                tools.push((words, help.definition.with_commands_as_argument()));
            }
            Ok(help) => {
                let below = names(&help.definition, &words);
                let last: Vec<&str> =
                    below.iter().filter_map(|below| below.last()).map(String::as_str).collect();
                // keyctl does not know `--help`, and says in its usage lines what there is.
                let found =
                    if knows_help { None } else { described(&help.text, &asking.name(&words), &last) };
                match found {
                    Some(found) => tools.extend(below.into_iter().zip(found)),
                    None => open.extend(below.into_iter().rev()),
                }
                groups.push((words, help));
            }
            Err(error) => silent.push((words, error)),
        }
        while let Some(words) = open.pop() {
            if tools.len() < MAX_TOOLS && Instant::now() < deadline {
                let mut help = asking.help(&words).await;
                // Programs that print the same for everything have nothing below a subcommand.
                let is_same = |help: &Help| {
                    groups.iter().any(|(over, group)| words.starts_with(over) && help.text == group.text)
                };
                if let Ok(help) = &mut help
                    && is_same(help)
                {
                    help.definition = std::mem::take(&mut help.definition).of_one_command();
                }
                next = Some((words, help));
                break;
            }
            left_out.push(words);
        }
    }
    left_out.extend(tools.drain(MAX_TOOLS.min(tools.len())..).map(|(words, _)| words));
    // Subcommands that say nothing about themselves: what lists them is the tool.
    for (words, help) in groups.into_iter().rev() {
        let mut below = tools.iter().map(|(words, _)| words).chain(&left_out);
        if !below.any(|below| below.starts_with(&words)) {
            silent.retain(|(below, _)| !below.starts_with(&words));
            tools.push((words, help.definition.with_commands_as_argument()));
        }
    }
    is_late |= silent.iter().any(|(_, error)| error.is_late());
    notes.extend(silent.iter().map(|(words, error)| format!("{}: {error}", words.join(" "))));
    if !left_out.is_empty() {
        let count = left_out.len();
        let why = match tools.len() {
            MAX_TOOLS => format!("{MAX_TOOLS} are"),
            _ => format!("asking the others took {} s", COMMAND_TIMEOUT.as_secs()),
        };
        let left_out: Vec<String> = left_out.iter().map(|words| words.join(" ")).collect();
        notes.push(format!(
            "{count} subcommands are not offered, because {why}: {}. Name those you want in \"subcommands\"",
            left_out.join(", ")
        ));
    }
    Ok(Probed { program, tools, notes, is_late })
}

fn names(definition: &Definition, above: &[String]) -> Vec<Vec<String>> {
    let is_help = |name: &str| matches!(name, "help" | "completion" | "completions" | "version");
    let found = definition.subcommands.iter().filter(|command| !is_help(&command.name));
    found.map(|command| above.iter().cloned().chain([command.name.clone()]).collect()).collect()
}

/// The command with the arguments of the entry, if the text calls it so: `python -m json.tool`, also of `python3`.
fn as_written(program: &str, args: &[String], words: &[String], text: &str) -> Option<String> {
    let rest = [args, words].concat().join(" ");
    let at = text.find(&format!(" {rest}")).filter(|_| !args.is_empty())?;
    let written = text[..at].rsplit(char::is_whitespace).next()?;
    let plain = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').to_owned();
    (plain(written) == plain(program)).then(|| format!("{written} {rest}"))
}

/// Whether an option asks for help: `-h` can be another.
fn is_help(option: &OptionDefinition) -> bool {
    let is_short = option.flags.iter().all(|flag| matches!(flag.as_str(), "-h" | "-?"));
    option.flags.iter().any(|flag| flag == "--help" || flag == "-help")
        || is_short && !option.flags.is_empty() && option.description.to_lowercase().contains("help")
}

struct Asking<'a> {
    program: &'a Path,
    entry: &'a CliEntry,
    deadline: Instant,
    /// Where it can write, if it can only read all else.
    temporary: Option<&'a TempDir>,
    /// What `help` alone prints, if it is listed as a subcommand and shows no pages of the manual.
    general: Option<String>,
}

/// What a command says about itself.
struct Help {
    text: String,
    definition: Definition,
    /// Whether it has to be asked behind its name (`address help`), where others would take `--help` for an argument.
    is_last: bool,
}

impl Asking<'_> {
    /// The command that these words are typed for.
    fn name(&self, words: &[String]) -> String {
        let name = std::iter::once(self.entry.program_name().to_owned()).chain(words.iter().cloned());
        name.collect::<Vec<_>>().join(" ")
    }

    /// The help of a command: the first answer to `--help`, `-h` or `help` in which something is understood. A subcommand
    /// that does not know `--help` may act, so a `help` that is listed comes first.
    async fn help(&mut self, words: &[String]) -> Result<Help, ProbeError> {
        let name = self.name(words);
        let behind = |flag: &str| words.iter().cloned().chain([flag.to_owned()]).collect::<Vec<String>>();
        let help: Vec<String> = std::iter::once("help".to_owned()).chain(words.iter().cloned()).collect();
        let mut questions = VecDeque::from([behind("--help"), behind("-h"), help.clone()]);
        if !words.is_empty() && self.general.is_some() {
            questions.rotate_right(1);
        }
        let mut is_last = false;
        let mut best: Option<Help> = None;
        let (mut failed, mut late) = (ProbeError::Nothing, None);
        while let Some(question) = questions.pop_front() {
            let is_help = question == help;
            let (text, is_success) = match self.ask(question).await {
                // Of every subcommand the same.
                Ok((text, _)) if is_help && self.general.as_ref() == Some(&text) => continue,
                Ok(said) => said,
                Err(error) => {
                    late = late.or_else(|| error.is_late().then(|| error.clone()));
                    failed = error;
                    continue;
                }
            };
            // ip: `Command "--help" is unknown, try "ip address help".`
            if !words.is_empty() && !is_last && text.contains(&format!("try \"{name} help\"")) {
                is_last = true;
                questions = VecDeque::from([behind("help")]);
                continue;
            }
            // A manual describes much that is no option of the command.
            let is_manual = is_manual(&text);
            if is_help && is_manual {
                self.general = None;
            }
            let named = as_written(self.entry.program_name(), &self.entry.args, words, &text);
            let definition = read(&text, named.as_deref().unwrap_or(&name));
            // What ends well and has a usage line says all that there is, even if that is little.
            let is_whole = is_success && !definition.usage.is_empty();
            let says_much = !definition.options.is_empty() || !definition.subcommands.is_empty() || is_whole;
            let says_much = says_much && (is_success || late.is_none());
            // After a question that was not answered in time, an error message is no help.
            let is_empty = definition.is_empty() || late.is_some() && !is_success;
            let help = Help { text, definition, is_last };
            if says_much && !is_manual {
                return Ok(Box::pin(self.fuller(help, words, &name)).await);
            }
            if best.is_some() {
                continue;
            }
            if is_empty {
                failed = ProbeError::Nothing;
            } else {
                best = Some(help);
            }
        }
        best.ok_or(late.unwrap_or(failed))
    }

    /// The help that lists all options, if this one says how to get it: `curl --help all`. What only this one says of
    /// arguments and subcommands stays.
    async fn fuller(&self, help: Help, words: &[String], name: &str) -> Help {
        // `-h` asks for help only where it is said so.
        let is_safe = |more: &&'static [&'static str]| {
            more.first() != Some(&"-h")
                || words.is_empty()
                    && help.definition.options.iter().any(|option| {
                        option.flags.iter().any(|flag| flag == "-h")
                            && (is_help(option) || option.description.contains("options"))
                    })
        };
        let Some(more) = fuller_help(&help.text).filter(is_safe) else { return help };
        let question = words.iter().cloned().chain(more.iter().map(|word| (*word).to_owned()));
        let Ok((text, true)) = self.ask(question.collect()).await else { return help };
        let named = as_written(self.entry.program_name(), &self.entry.args, words, &text);
        let mut definition = read(&text, named.as_deref().unwrap_or(name));
        if is_manual(&text) || definition.options.len() <= help.definition.options.len() {
            return help;
        }
        let Definition { usage, positionals, subcommands, description, options, .. } = help.definition;
        let known: HashSet<String> =
            definition.options.iter().flat_map(|option| &option.flags).cloned().collect();
        let is_new = |option: &OptionDefinition| !option.flags.iter().any(|flag| known.contains(flag));
        definition.options.extend(options.into_iter().filter(is_new));
        if definition.usage.is_empty() {
            (definition.usage, definition.positionals) = (usage, positionals);
        }
        if definition.subcommands.is_empty() {
            definition.subcommands = subcommands;
        }
        if definition.description.is_empty() {
            definition.description = description;
        }
        Help { definition, ..help }
    }

    /// What the program prints, and whether it ended well.
    async fn ask(&self, question: Vec<String>) -> Result<(String, bool), ProbeError> {
        let arguments = self.entry.args.iter().cloned().chain(question).collect();
        let mut env = quiet(&self.entry.env);
        let mut confine = self.entry.confinement(self.program, Path::new(""));
        if let Some(folder) = self.temporary.map(TempDir::path) {
            env.insert("TMPDIR".to_owned(), folder.display().to_string());
            // What a call could write to is there, but only to read.
            let read = confine.map(|confine| [confine.read, confine.write].concat());
            let read = read.unwrap_or_else(|| vec![PathBuf::from("/")]);
            confine = Some(Confinement { read, write: vec![folder.to_owned()], network: false });
        }
        let what = Run {
            program: self.program.to_owned(),
            arguments,
            env,
            cwd: self.entry.cwd.clone(),
            stdin: None,
            timeout: PROBE_TIMEOUT,
            max_output: MAX_HELP,
            resources: resources(self.entry),
            confine,
        };
        let seconds = COMMAND_TIMEOUT.as_secs();
        let outcome =
            timeout_at(self.deadline, run(what, |_| {})).await.map_err(|_| ProbeError::NotAsked(seconds))?;
        let outcome = outcome.map_err(|_| ProbeError::Nothing)?;
        if outcome.ended == Ended::TimedOut && outcome.stdout.is_empty() {
            return Err(ProbeError::TimedOut(PROBE_TIMEOUT.as_secs()));
        }
        let text = if outcome.stdout.is_empty() { outcome.stderr.text() } else { outcome.stdout.text() };
        if text.trim().is_empty() {
            return Err(ProbeError::Nothing);
        }
        Ok((self.entry.without_secrets(&text), outcome.ended == Ended::Exit(0)))
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
mod tests;
