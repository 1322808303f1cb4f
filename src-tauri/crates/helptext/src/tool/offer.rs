//! Which options of a definition a tool offers, and why it withholds the others.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::STDIN;
use crate::definition::{Definition, OptionDefinition, Positional};
use crate::effects::{Effect, is_interpreter};
use crate::known::spellings;
use crate::reader::AT_FILE;

/// What a person decided about a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// Flags or properties that are offered although they run programs.
    #[serde(default)]
    pub allow: BTreeSet<String>,
    /// Whether arguments that run programs are offered at all: for shells, interpreters, `env`, `xargs`.
    #[serde(default)]
    pub interpreter: bool,
}

/// A definition as a tool of MCP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    pub(crate) definition: Definition,
    pub(crate) options: Vec<Offered<OptionDefinition>>,
    pub(crate) positionals: Vec<Offered<Positional>>,
    pub(crate) reads_stdin: bool,
    /// Whether values can be kept from becoming options by `--` and `=`.
    pub(crate) style: Style,
    pub(crate) at_files: bool,
    /// Whether options can begin with a plus sign. `--` does not end those.
    pub(crate) has_plus: bool,
    pub(crate) arguments_first: bool,
}

/// A part of a definition, and whether callers can use it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offered<T> {
    /// The part.
    pub part: T,
    /// Its property in the input schema.
    pub property: String,
    /// Why callers cannot use it.
    pub withheld: Option<Withheld>,
}

/// Why an option is not offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Withheld {
    /// It prints help or the version.
    Help,
    /// It opens a pager or an editor, which need a terminal.
    Interactive,
    /// It runs programs, and no person has allowed it.
    Runs,
}

impl Withheld {
    /// The reason, for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Help => "prints help or the version",
            Self::Interactive => "needs a terminal",
            Self::Runs => "runs programs; allow it with --allow FLAG",
        }
    }
}

/// How a program reads its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// getopt_long and its like: `--x=V`, `-xV`, and `--` ends options.
    Long,
    /// As `Long`, but `--x=V` is not known: curl, jq.
    LongWithSpace,
    /// Nothing is known. Values that begin with `-` are rejected.
    Unknown,
}

/// Programs with long options that do not read `--x=V`.
const WITHOUT_EQUALS: &[&str] = &["curl", "exiftool", "openssl", "ffmpeg", "ffprobe", "zstd", "bc"];
/// Programs whose arguments come before their options.
const ARGUMENTS_FIRST: &[&str] = &["find"];
/// Programs that give `--` another meaning, or do not know it.
const WITHOUT_END_OF_OPTIONS: &[&str] = &[
    "cc", "clang", "ctags", "echo", "ffmpeg", "ffprobe", "find", "g++", "gcc", "git", "jar", "java", "jdeps",
    "jq", "xsltproc",
];
/// Programs that read arguments from a file where one begins with `@`, without all of them saying so.
const AT_FILES: &[&str] = &[
    "addr2line",
    "ar",
    "as",
    "c++",
    "c++filt",
    "c89",
    "c99",
    "cc",
    "clang",
    "clang++",
    "clang-cl",
    "cpp",
    "curl",
    "dlltool",
    "dmypy",
    "elfedit",
    "exiftool",
    "flang",
    "g++",
    "gcc",
    "gcc-ar",
    "gcc-nm",
    "gcc-ranlib",
    "gfortran",
    "ghc",
    "gnat",
    "gold",
    "gprof",
    "http",
    "https",
    "jar",
    "java",
    "javac",
    "javadoc",
    "jlink",
    "kotlinc",
    "ld",
    "ld.bfd",
    "ld.gold",
    "ld.lld",
    "ld64.lld",
    "llc",
    "lld",
    "lto-dump",
    "mypy",
    "nm",
    "objcopy",
    "objdump",
    "opt",
    "protoc",
    "ranlib",
    "readelf",
    "rustc",
    "rustdoc",
    "size",
    "streamlink",
    "strings",
    "strip",
    "swiftc",
    "wasm-ld",
    "windres",
    "xh",
];
/// Programs for which an argument that begins with `+` is an option, without all of them saying so: a toolchain that runs,
/// a command of an editor or pager.
const PLUS_OPTIONS: &[&str] = &[
    "cargo",
    "cargo-clippy",
    "cargo-fmt",
    "clippy-driver",
    "editor",
    "elvis",
    "emacs",
    "emacsclient",
    "ex",
    "gvim",
    "jed",
    "joe",
    "less",
    "mcedit",
    "more",
    "most",
    "nano",
    "nvim",
    "pico",
    "rls",
    "rust-analyzer",
    "rust-gdb",
    "rust-lldb",
    "rustc",
    "rustdoc",
    "rustfmt",
    "rustup",
    "rview",
    "rvim",
    "sensible-editor",
    "vi",
    "view",
    "vim",
    "vimdiff",
];

impl Tool {
    /// Makes a tool of a definition under a policy.
    pub fn new(definition: Definition, policy: &Policy) -> Self {
        let program = definition.command.split_whitespace().next().unwrap_or_default();
        let program = program.rsplit('/').next().unwrap_or_default().to_owned();
        // A link is one program under the name of another.
        let programs: Vec<&str> =
            [program.as_str()].into_iter().chain(definition.target.as_deref()).collect();
        let is_one_of = |list: &[&str]| programs.iter().any(|program| is_listed(program, list));
        let style = style(&definition, is_one_of(WITHOUT_END_OF_OPTIONS), is_one_of(WITHOUT_EQUALS));
        let arguments_first = is_one_of(ARGUMENTS_FIRST);
        let is_flag = |sign: char| {
            let flags =
                definition.options.iter().flat_map(|option| option.flags.iter().chain(&option.negated));
            flags.into_iter().any(|flag| flag.starts_with(sign))
        };
        let is_llvm = programs.iter().any(|program| program.starts_with("llvm-"));
        let at_files = definition.at_files
            || says_at_file(&definition)
            || is_flag('@')
            || is_llvm
            || is_one_of(AT_FILES);
        let has_plus = is_flag('+') || is_one_of(PLUS_OPTIONS);
        let free = policy.interpreter || !is_interpreter(&program);
        // Programs that run what their arguments say do so with their input, too.
        let runs = |positional: &Positional| positional.effects.contains(&Effect::Runs);
        let is_fed_commands = !free || definition.positionals.iter().any(runs);
        let reads_stdin = definition.reads_stdin
            && (!is_fed_commands || policy.interpreter || policy.allow.contains(STDIN));
        let mut taken: BTreeSet<String> = BTreeSet::new();
        if reads_stdin {
            taken.insert(STDIN.to_owned());
        }
        let mut unique = |wanted: &str| {
            let mut name = wanted.to_owned();
            let mut number = 2_u32;
            while !taken.insert(name.clone()) {
                name = format!("{wanted}_{number}");
                number += 1;
            }
            name
        };
        let mut is_withheld = false;
        // Positional arguments first: their names are what callers think of.
        let positionals: Vec<Offered<Positional>> = definition
            .positionals
            .iter()
            .map(|part| {
                let property = unique(&part.property);
                let runs = part.effects.contains(&Effect::Runs);
                let is_allowed = policy.interpreter
                    || [&part.name, &part.property].into_iter().any(|name| policy.allow.contains(name));
                // Without the ones before it, an argument would take their place.
                is_withheld |= (runs || !free) && !is_allowed;
                Offered { part: part.clone(), property, withheld: is_withheld.then_some(Withheld::Runs) }
            })
            .collect();
        let options = definition
            .options
            .iter()
            .map(|part| {
                let property = unique(&part.property);
                let withheld = withheld(part).or_else(|| {
                    let is_allowed = policy.interpreter
                        || part.flags.iter().chain([&part.property]).any(|name| policy.allow.contains(name));
                    (part.effects.contains(&Effect::Runs) && !is_allowed).then_some(Withheld::Runs)
                });
                Offered { part: part.clone(), property, withheld }
            })
            .collect();
        Self { options, positionals, reads_stdin, style, at_files, has_plus, arguments_first, definition }
    }

    /// The definition it was made of.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Whether the command runs what it is given whatever its options are, and no person has allowed it.
    pub fn is_withheld(&self, policy: &Policy) -> bool {
        let words = self.definition.command.split_once(' ').map(|(_, words)| words).unwrap_or_default();
        let runs = self.definition.effects.contains(&Effect::Runs);
        runs && !policy.interpreter && !policy.allow.contains(words)
    }

    /// Names that a policy can allow: flags, arguments, properties, the words of the subcommand.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let words = self.definition.command.split_once(' ').map(|(_, words)| words).unwrap_or_default();
        let options = self.options.iter().map(|option| &option.part);
        let options = options.flat_map(|option| option.flags.iter().chain([&option.property]));
        let positionals = self.positionals.iter().map(|positional| &positional.part);
        let positionals = positionals.flat_map(|positional| [&positional.name, &positional.property]);
        let names = options.chain(positionals).map(String::as_str);
        names.chain([words]).chain(self.definition.reads_stdin.then_some(STDIN))
    }

    /// All options, also those that callers cannot use.
    pub fn options(&self) -> &[Offered<OptionDefinition>] {
        &self.options
    }

    /// Whether the program reads its standard input; why callers cannot write to it, if they cannot.
    pub fn stdin(&self) -> Option<Option<Withheld>> {
        let withheld = (!self.reads_stdin).then_some(Withheld::Runs);
        self.definition.reads_stdin.then_some(withheld)
    }

    /// All positional arguments, also those that callers cannot use.
    pub fn positionals(&self) -> &[Offered<Positional>] {
        &self.positionals
    }

    /// The property of each argument, its standard input among them, and why callers cannot use it, if they cannot.
    pub fn arguments(&self) -> impl Iterator<Item = (&str, Option<Withheld>)> {
        let positionals = self.positionals.iter().map(|part| (part.property.as_str(), part.withheld));
        let options = self.options.iter().map(|part| (part.property.as_str(), part.withheld));
        positionals.chain(options).chain(self.stdin().map(|withheld| (STDIN, withheld)))
    }

    /// Whether callers can use an argument.
    pub fn offers(&self, property: &str) -> bool {
        self.arguments().any(|(own, withheld)| own == property && withheld.is_none())
    }
}

fn withheld(option: &OptionDefinition) -> Option<Withheld> {
    let has = |names: &[&str]| option.flags.iter().any(|flag| names.contains(&flag.as_str()));
    let says = option.description.to_lowercase();
    let is_help = has(&["--help", "-help", "--usage", "--help-all", "--version", "-version", "--longhelp"])
        || option.value_count == 0
            && (has(&["-h", "-?", "-H"]) && says.contains("help")
                || has(&["-V", "-v"]) && says_version(&says));
    let opens = has(&["--pager", "--no-pager", "--paginate", "--edit", "--editor", "--interactive"])
        && (says.contains("pager")
            || says.contains("editor")
            || says.contains("prompt")
            || has(&["--paginate"]));
    match (is_help, opens) {
        (true, _) => Some(Withheld::Help),
        (_, true) => Some(Withheld::Interactive),
        _ => None,
    }
}

/// Whether a description is that of an option which prints the version: not of a sort by version.
fn says_version(says: &str) -> bool {
    let prints = ["print", "show", "display", "output", "report", "about", "info"]
        .iter()
        .any(|word| says.contains(word));
    says.contains("version") && !says.contains("verbos") && (prints || says.split_whitespace().count() <= 2)
}

/// Whether a list has a program, also one with a version in its name.
fn is_listed(program: &str, list: &[&str]) -> bool {
    spellings(program).any(|name| list.contains(&name))
}

fn style(definition: &Definition, has_no_end: bool, has_no_equals: bool) -> Style {
    let is_long = |flag: &String| flag.starts_with("--") && flag.chars().count() > 3;
    let is_one_dash =
        |flag: &String| flag.starts_with('-') && !flag.starts_with("--") && flag.chars().count() > 2;
    let count = |test: &dyn Fn(&String) -> bool| {
        definition.options.iter().filter(|option| option.flags.iter().any(test)).count()
    };
    let (long, one_dash) = (count(&is_long), count(&is_one_dash));
    if has_no_end || long == 0 || one_dash * 2 > long {
        Style::Unknown
    } else if has_no_equals {
        Style::LongWithSpace
    } else {
        Style::Long
    }
}

/// Whether a definition that a person wrote is about files of arguments.
fn says_at_file(definition: &Definition) -> bool {
    let says = |text: &str| AT_FILE.iter().any(|word| text.contains(word));
    definition.usage.iter().any(|usage| says(usage))
        || definition.options.iter().any(|option| says(&option.description))
        || definition
            .positionals
            .iter()
            .any(|positional| says(&positional.name) || says(&positional.description))
}
