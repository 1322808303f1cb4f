//! An entry of `ai-tools.json`: a program, and how it may be used.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use schemascope_helptext::{Definition, Policy, is_interpreter};
use schemascope_model::{SEPARATOR, check_server_name};
use schemascope_program::{Confinement, Resources, find, needed, support};
use schemascope_redact::{configured_secrets, is_sensitive_key};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::config::mcp_json::secret_arguments;

/// Seconds a call may take, unless the entry says another number.
const TIMEOUT_SECONDS: u64 = 120;
/// Longest time limit of a call, in seconds.
const MAX_TIMEOUT_SECONDS: u64 = 24 * 3600;
/// Bytes of output that a result holds, unless the entry says another number.
const MAX_OUTPUT_BYTES: usize = 1 << 20;
/// Largest limit of output.
const MOST_OUTPUT_BYTES: usize = 64 << 20;
/// Bytes of memory of a confined process, unless the entry says another number.
const MAX_MEMORY_BYTES: u64 = 4 << 30;
/// Bytes of a file that a confined call writes, unless the entry says another number.
const MAX_FILE_BYTES: u64 = 4 << 30;
/// Least limit of memory: programs need some to start.
const LEAST_MEMORY_BYTES: u64 = 16 << 20;
/// Calls of one entry at once, unless the entry says another number.
const CONCURRENCY: usize = 8;
/// Shortest value under a telling name that is hidden, in bytes.
const MIN_SECRET: usize = 6;

/// A command-line tool, as the user writes it. Unknown keys stay in the file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CliEntry {
    /// Name of the program in PATH, or its path.
    pub command: String,
    /// Name of the upstream.
    #[serde(default)]
    pub alias: String,
    /// Whether it is used.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub enabled: bool,
    /// What the tool is for; by default what its help says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Instructions for a program that takes a prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Where the definition comes from: `cli-auto` reads the help, `custom` takes `definition`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_type: Option<String>,
    /// The definition, given by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Definition>,
    /// Arguments that fill in what a call leaves out, by property.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub default_args: Map<String, Value>,
    /// Words in front of every other argument.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Variables besides the usual ones.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Working directory; that of Schemascope by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
    /// Subcommands to offer, such as `remote add`; all by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subcommands: Vec<String>,
    /// Flags that are offered although they run programs.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub allow: BTreeSet<String>,
    /// Whether a program that does nothing but run others may be used.
    #[serde(default, skip_serializing_if = "is_false")]
    pub interpreter: bool,
    /// Folders in which paths must lie.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roots: Vec<PathBuf>,
    /// Whether the kernel confines calls to the system's folders, the working directory and `roots`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confine: Option<Confine>,
    /// Whether a confined call can use TCP; yes by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<bool>,
    /// Time limit of a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
    /// Bytes of output that a result holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_bytes: Option<usize>,
    /// Bytes of memory of each process of a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_memory_bytes: Option<u64>,
    /// Bytes of each file that a call writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_file_bytes: Option<u64>,
    /// Calls at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<usize>,
    /// Exit codes that are no error; 0 by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ok_exit_codes: Vec<i32>,
}

/// Whether calls are confined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Confine {
    /// Yes, where the kernel can; or no.
    WherePossible(bool),
    /// Calls are rejected where the kernel cannot.
    Required(Required),
}

/// The word `require`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Required {
    /// `require`.
    Require,
}

/// Whether the kernel can keep a program from using TCP.
pub(crate) fn confines_tcp() -> bool {
    support() == Some("files and TCP")
}

/// Seconds a call may take.
pub(crate) fn timeout_seconds(entry: &CliEntry) -> u64 {
    entry.timeout_seconds.unwrap_or(TIMEOUT_SECONDS)
}

/// Bytes of stdout that a result holds, and of stderr.
pub(crate) fn max_output(entry: &CliEntry) -> usize {
    entry.max_output_bytes.unwrap_or(MAX_OUTPUT_BYTES)
}

/// What the kernel gives a call: as the entry says, and by default limited where calls are confined.
pub(crate) fn resources(entry: &CliEntry) -> Resources {
    let default = |bytes: u64| (entry.is_confined() && Resources::SUPPORTED).then_some(bytes);
    Resources {
        memory_bytes: entry.max_memory_bytes.or(default(MAX_MEMORY_BYTES)),
        file_bytes: entry.max_file_bytes.or(default(MAX_FILE_BYTES)),
    }
}

/// Calls at once.
pub(crate) fn concurrency(entry: &CliEntry) -> usize {
    entry.concurrency.unwrap_or(CONCURRENCY)
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_true(value: &bool) -> bool {
    *value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

impl CliEntry {
    /// An entry that only names a program. The alias is `ask-NAME`.
    pub fn of_command(command: &str) -> Self {
        let mut entry = Self { command: command.to_owned(), enabled: true, ..Self::default() };
        entry.complete();
        entry
    }

    /// Fills in the alias.
    pub(crate) fn complete(&mut self) {
        if self.alias.is_empty() {
            let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') { c } else { '-' };
            self.alias = format!("ask-{}", self.program_name().chars().map(plain).collect::<String>());
        }
    }

    /// File name of the program.
    pub(crate) fn program_name(&self) -> &str {
        self.command.rsplit(['/', '\\']).next().unwrap_or(&self.command)
    }

    /// File name of the program that a link of this name leads to.
    pub(super) fn target(&self) -> Option<String> {
        let path = std::env::var_os("PATH");
        let found = find(&self.command, path.as_deref()).ok()?.canonicalize().ok()?;
        let name = found.file_name()?.to_string_lossy().into_owned();
        // One file for many programs, which act by the name they are called by.
        (!["busybox", "toybox", "coreutils"].contains(&name.as_str())).then_some(name)
    }

    /// What is wrong with it by itself, in a sentence that names the key.
    pub(crate) fn problem(&self) -> Option<String> {
        if self.command.trim().is_empty() {
            return Some("\"command\" is empty; name a program".to_owned());
        }
        if self.command.contains(char::is_whitespace) && !self.command.contains(['/', '\\']) {
            return Some(format!(
                "\"command\" is {:?}; name the program alone and put further words into \"args\" or \"subcommands\"",
                self.command
            ));
        }
        if let Err(problem) = check_server_name(&self.alias) {
            let why = if self.alias.contains(SEPARATOR) {
                format!("contains {SEPARATOR:?}")
            } else {
                problem.to_string()
            };
            return Some(format!("\"alias\" {:?} cannot be used: {why}", self.alias));
        }
        if !self.interpreter
            && (is_interpreter(self.program_name())
                || self.target().is_some_and(|name| is_interpreter(&name)))
        {
            return Some(format!(
                "{} runs whatever it is given; set \"interpreter\": true to use it all the same",
                self.program_name()
            ));
        }
        // The engine's own working directory is no one's choice.
        let folders =
            self.roots.iter().map(|root| ("roots", root)).chain(self.cwd.iter().map(|cwd| ("cwd", cwd)));
        if let Some((key, folder)) = folders.into_iter().find(|(_, folder)| folder.is_relative()) {
            return Some(format!(
                "\"{key}\" has the relative path {:?}; write the whole path",
                folder.display().to_string()
            ));
        }
        match self.provider_type.as_deref() {
            None | Some("cli-auto") => {}
            Some("custom") if self.definition.is_some() => {}
            Some("custom") => {
                return Some("\"providerType\" is \"custom\", but there is no \"definition\"".to_owned());
            }
            Some(other) => {
                return Some(format!(
                    "\"providerType\" is {other:?}; it has to be \"cli-auto\" or \"custom\""
                ));
            }
        }
        if self.timeout_seconds.is_some_and(|seconds| !(1..=MAX_TIMEOUT_SECONDS).contains(&seconds)) {
            return Some(format!("\"timeoutSeconds\" has to be from 1 to {MAX_TIMEOUT_SECONDS}"));
        }
        if self.max_output_bytes.is_some_and(|bytes| !(1_000..=MOST_OUTPUT_BYTES).contains(&bytes)) {
            return Some(format!("\"maxOutputBytes\" has to be from 1000 to {MOST_OUTPUT_BYTES}"));
        }
        if self.max_memory_bytes.is_some_and(|bytes| bytes < LEAST_MEMORY_BYTES) {
            return Some(format!("\"maxMemoryBytes\" has to be at least {LEAST_MEMORY_BYTES}"));
        }
        if !Resources::SUPPORTED && (self.max_memory_bytes.is_some() || self.max_file_bytes.is_some()) {
            return Some("this system cannot limit \"maxMemoryBytes\" and \"maxFileBytes\"".to_owned());
        }
        if self.concurrency.is_some_and(|count| !(1..=256).contains(&count)) {
            return Some("\"concurrency\" has to be from 1 to 256".to_owned());
        }
        if self.args.iter().chain(self.env.values()).any(|text| text.contains('\0')) {
            return Some("\"args\" and \"env\" cannot contain NUL characters".to_owned());
        }
        if self.confine == Some(Confine::Required(Required::Require)) && support().is_none() {
            return Some("\"confine\" is \"require\", but this system cannot confine programs".to_owned());
        }
        if self.confine.is_some_and(|confine| matches!(confine, Confine::Required(_)))
            && self.network == Some(false)
            && !confines_tcp()
        {
            return Some("\"network\" is false, but this system cannot confine the network".to_owned());
        }
        let missing = self.cwd.iter().chain(&self.roots).find(|folder| !folder.is_dir())?;
        Some(format!("{} is not a folder; correct \"cwd\" or \"roots\"", missing.display()))
    }

    /// Values of its environment and of its defaults, which may be secrets, and secrets among its arguments, with their
    /// names.
    pub(crate) fn values(&self) -> Vec<(String, String)> {
        let all = self.named_values().map(|(name, value)| (name.to_owned(), value.to_owned()));
        all.collect()
    }

    fn named_values(&self) -> impl Iterator<Item = (&str, &str)> {
        let env = self.env.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let defaults =
            self.default_args.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)));
        let defaults = defaults.filter(|(name, _)| is_sensitive_key(name));
        env.chain(defaults).chain(secret_arguments(&self.args))
    }

    /// A text for agents, without the secrets of the entry: clap writes `[env: API_TOKEN=…]` into its help.
    pub(crate) fn without_secrets(&self, text: &str) -> String {
        let short = |(name, value): (&str, &str)| {
            let is_secret = is_sensitive_key(name) && value.len() >= MIN_SECRET;
            is_secret.then(|| value.to_owned())
        };
        let found = self.named_values().flat_map(|(name, value)| configured_secrets(name, value));
        let mut secrets: Vec<String> = found.chain(self.named_values().filter_map(short)).collect();
        // One can be a part of another.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret, "[redacted]"))
    }

    /// Exit codes of calls that succeed. Programs that compare or search say with 1 that they found nothing.
    pub(crate) fn ok_exit_codes(&self) -> &[i32] {
        const SEARCHING: [&str; 12] =
            ["ag", "cmp", "diff", "egrep", "fgrep", "grep", "look", "pgrep", "rg", "sdiff", "zdiff", "zgrep"];
        let program = self.program_name();
        match self.ok_exit_codes.as_slice() {
            [] if SEARCHING.contains(&program) => &[0, 1],
            [] => &[0],
            own => own,
        }
    }

    /// Whether calls are to be confined: as the entry says, and by default where it names roots.
    pub(crate) fn is_confined(&self) -> bool {
        match self.confine {
            Some(Confine::WherePossible(wanted)) => wanted,
            Some(Confine::Required(_)) => true,
            None => !self.roots.is_empty(),
        }
    }

    /// What a call can do, if it is confined. It cannot read `data`, our own folder.
    pub(crate) fn confinement(&self, program: &Path, data: &Path) -> Option<Confinement> {
        if !self.is_confined() || support().is_none() {
            return None;
        }
        let (path, home) = (std::env::var_os("PATH"), std::env::home_dir());
        Some(Confinement {
            read: needed(program, path.as_deref(), home.as_deref(), data),
            write: self.roots.iter().chain(&self.cwd).cloned().collect(),
            network: self.network.unwrap_or(true),
        })
    }

    /// What a person decided about its options.
    pub(crate) fn policy(&self) -> Policy {
        Policy { allow: self.allow.clone(), interpreter: self.interpreter }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_is_checked_and_names_the_key() {
        assert_eq!(CliEntry::of_command("/usr/bin/qwen").alias, "ask-qwen");
        let base = || CliEntry::of_command("git");
        assert_eq!(base().problem(), None);
        for (entry, says) in [
            (CliEntry { command: " ".into(), ..base() }, "\"command\" is empty"),
            (CliEntry { command: "git log".into(), ..base() }, "name the program alone"),
            (CliEntry { alias: "a__b".into(), ..base() }, "\"alias\""),
            (CliEntry { command: "bash".into(), ..base() }, "\"interpreter\": true"),
            (CliEntry { provider_type: Some("custom".into()), ..base() }, "no \"definition\""),
            (CliEntry { provider_type: Some("x".into()), ..base() }, "\"cli-auto\""),
            (CliEntry { timeout_seconds: Some(0), ..base() }, "timeoutSeconds"),
            (CliEntry { max_output_bytes: Some(1), ..base() }, "maxOutputBytes"),
            (CliEntry { max_memory_bytes: Some(1), ..base() }, "maxMemoryBytes"),
            (CliEntry { cwd: Some("/no/such".into()), ..base() }, "is not a folder"),
        ] {
            let problem = entry.problem().unwrap();
            assert!(problem.contains(says), "{problem}");
        }
    }
}
