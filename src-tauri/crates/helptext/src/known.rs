//! What options of well-known programs do, where their help text does not say it.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::effects::Effect;

/// The table. Its head describes the form.
const TABLE: &str = include_str!("known.txt");
/// The line of a program that reads its standard input.
const READS_STDIN: &str = "stdin";
/// The line of a program that reads options from its first word.
const BUNDLE: &str = "bundle";

static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| parse(TABLE));
static BY_NAME: LazyLock<HashMap<&'static str, usize>> = LazyLock::new(|| {
    let places = LazyLock::force(&KNOWN).iter().enumerate();
    places.flat_map(|(at, known)| known.names.iter().map(move |name| (*name, at))).collect()
});

/// A program with options or arguments that have effects.
#[derive(Debug, Default)]
pub struct Known {
    /// File names of the program, without version suffix: `git`, `tar`.
    names: Vec<&'static str>,
    /// Whether the program only runs what it is given: shells, interpreters, `env`, `xargs`.
    pub interpreter: bool,
    /// Whether it reads its standard input.
    pub reads_stdin: bool,
    /// Whether its first word is read as options, even without a dash.
    pub bundle: bool,
    /// Flags that can be given several times, also of a subcommand: `commit>-m`.
    repeatable: HashSet<&'static str>,
    /// Effects by flag, or by subcommand and flag (`fetch>--upload-pack`).
    options: HashMap<&'static str, Vec<Effect>>,
    /// Effects of all positional arguments.
    pub positionals: Vec<Effect>,
    /// Effects of subcommands, whatever their options are.
    subcommands: HashMap<&'static str, Vec<Effect>>,
}

impl Known {
    /// The entry of a program, also of one with a version in its name: `python3.11`, `gcc-12`.
    pub fn of(program: &str) -> Option<&'static Self> {
        KNOWN.get(*spellings(program).find_map(|name| BY_NAME.get(name))?)
    }

    /// Effects of a flag of a subcommand; none if nothing is known, an empty list if it is known to be harmless.
    pub fn option(&self, subcommand: &str, flag: &str) -> Option<&[Effect]> {
        let of_subcommand = || self.options.get(format!("{subcommand} {flag}").replace(' ', ">").as_str());
        let found = if subcommand.is_empty() { None } else { of_subcommand() };
        found.or_else(|| self.options.get(flag)).map(Vec::as_slice)
    }

    /// Whether a flag of a subcommand can be given several times.
    pub fn is_repeatable(&self, subcommand: &str, flag: &str) -> bool {
        let name = match subcommand {
            "" => flag.to_owned(),
            words => format!("{words} {flag}").replace(' ', ">"),
        };
        self.repeatable.contains(name.as_str())
    }

    /// Effects of a subcommand, and of all below it.
    pub fn below(&self, subcommand: &str) -> Vec<Effect> {
        let own = subcommand.replace(' ', ">");
        let is_below =
            |name: &str| name.strip_prefix(&own).is_some_and(|rest| rest.is_empty() || rest.starts_with('>'));
        self.subcommands
            .iter()
            .filter(|(name, _)| is_below(name))
            .flat_map(|(_, effects)| effects)
            .copied()
            .collect()
    }

    /// Effects of a subcommand.
    pub fn subcommand(&self, subcommand: &str) -> &[Effect] {
        self.subcommands.get(subcommand.replace(' ', ">").as_str()).map(Vec::as_slice).unwrap_or_default()
    }
}

/// Names under which a program can be listed: its file name, and the same without a version, a platform or a flavour.
pub fn spellings<'p>(program: &'p str) -> impl Iterator<Item = &'p str> {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    // Debian's names: `x86_64-linux-gnu-gcc-12`, `perl5.36-x86_64-linux-gnu`, `vim.basic`.
    let name = name.split_once("-linux-gnu-").map_or(name, |(_, name)| name);
    let bare = name.strip_suffix("-linux-gnu").and_then(|name| name.rsplit_once('-')).map(|(name, _)| name);
    let flavours =
        [".basic", ".tiny", ".nox", ".gtk3", ".athena", ".bin", ".real", ".orig", "-im6.q16", "-im6"];
    let plain = flavours.iter().find_map(|end| name.strip_suffix(end));
    let names = [Some(name), bare, plain].into_iter().flatten();
    names.flat_map(|name| {
        let without =
            |name: &'p str| name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
        let exact = without(name);
        // `python3.7m`, but not `sum`.
        let built = name.strip_suffix(['m', 'd']).filter(|name| name.ends_with(|c: char| c.is_ascii_digit()));
        let unversioned = built.map_or(exact, without);
        [name, exact, unversioned]
    })
}

fn parse(table: &'static str) -> Vec<Known> {
    let mut all: Vec<Known> = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        if !line.starts_with(' ') {
            let names: Vec<&str> = line.split_whitespace().filter(|word| *word != "!").collect();
            let interpreter = line.ends_with('!');
            let positionals = if interpreter { vec![Effect::Runs] } else { Vec::new() };
            all.push(Known { names, interpreter, positionals, ..Known::default() });
            continue;
        }
        let Some(known) = all.last_mut() else { continue };
        let Some((left, right)) = line.trim().split_once(": ") else {
            known.reads_stdin |= line.trim() == READS_STDIN;
            known.bundle |= line.trim() == BUNDLE;
            continue;
        };
        let items = right.split_whitespace();
        match left.strip_prefix("subcommand ") {
            _ if left == "repeatable" => known.repeatable.extend(items),
            _ if left == "arguments" => known.positionals = effects(right),
            Some(words) => known.subcommands.extend(items.map(|item| (item, effects(words)))),
            None => known.options.extend(items.map(|item| (item, effects(left)))),
        }
    }
    all
}

fn effects(words: &str) -> Vec<Effect> {
    words.split_whitespace().filter_map(Effect::of_word).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn table_is_complete_and_each_line_has_its_form() {
        assert!(KNOWN.len() >= 600, "{} programs", KNOWN.len());
        let mut seen = HashSet::new();
        for known in KNOWN.iter() {
            for name in &known.names {
                assert!(!name.contains('/') && seen.insert(*name), "{name} is duplicated or no file name");
            }
            for flag in known.options.keys() {
                let (words, name) = match flag.strip_prefix('-') {
                    Some(_) => ("", *flag),
                    None => flag.rsplit_once('>').unwrap(),
                };
                assert!(name.len() > 1 && name.starts_with('-') && !words.starts_with('-'), "{flag:?}");
            }
            let bare = known.options.iter().filter(|(flag, _)| flag.starts_with('-'));
            assert!(bare.clone().all(|(_, effects)| !effects.is_empty()), "{:?}", known.names);
            assert!(
                known.subcommands.iter().all(|(name, effects)| !name.starts_with('-') && !effects.is_empty())
            );
        }
        for line in TABLE
            .lines()
            .filter(|line| line.starts_with(' '))
            .filter(|line| ![READS_STDIN, BUNDLE].contains(&line.trim()))
        {
            assert!(line.contains(": "), "{line}");
            let left = line.trim().split(": ").next().unwrap();
            let words = left
                .split_whitespace()
                .filter(|word| !matches!(*word, "subcommand" | "arguments" | "none" | "repeatable"));
            assert!(words.clone().all(|word| Effect::of_word(word).is_some()), "{line}");
        }
    }

    #[test]
    fn well_known_escapes_are_marked() {
        for (name, flag) in [
            ("tar", "--checkpoint-action"),
            ("find", "-exec"),
            ("git", "-c"),
            ("rsync", "-e"),
            ("curl", "--engine"),
            ("zip", "-TT"),
            ("tcpdump", "-z"),
            ("man", "--pager"),
            ("yt-dlp", "--exec"),
        ] {
            let effects = Known::of(name).unwrap().option("", flag).unwrap();
            assert!(effects.contains(&Effect::Runs), "{name} {flag}");
        }
        for name in ["bash", "python3.11", "env", "xargs", "sudo", "ssh", "awk", "node", "busybox", "gdb"] {
            let known = Known::of(name).unwrap();
            assert!(known.interpreter && known.positionals.contains(&Effect::Runs), "{name}");
        }
        assert_eq!(Known::of("git").unwrap().option("commit", "-c"), Some(&[][..]));
    }

    /// The help of jq does not say that it reads its standard input.
    #[test]
    fn filters_read_their_standard_input() {
        let reads = |command: &str| crate::read("Usage: x [options] filter [files...]", command).reads_stdin;
        assert!(reads("jq") && reads("/usr/bin/jq-1.6") && !reads("jo"));
    }
}
