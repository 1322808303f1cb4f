//! `cargo xtask bench help`: how much of labelled help texts is read rightly.
//!
//! `tests/benches/help` holds the texts by family, with program, version and command line. Labels come from the programs
//! themselves (parser objects, completions) or were made by looking. Half of the texts were set aside before the parser
//! was written.
#![allow(clippy::print_stdout, reason = "its tables go to stdout")]

mod commands;
mod lists;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use regex::Regex;
use schemascope_helptext::{Definition, OptionDefinition, Value, read};
use serde::Deserialize;
use serde::de::DeserializeOwned;

const USAGE: &str = "\
cargo xtask bench help [--details|--all]

--details lists what is read wrongly of the texts that were open while the parser was written; --all also of those set
aside.";

/// Bars on the texts set aside: least share found, of exact flags, of values, and largest share invented.
const BARS: (f64, f64, f64, f64) = (0.95, 0.95, 0.95, 0.02);

#[derive(Debug, Deserialize)]
struct Case {
    command: String,
    set: String,
    labels: Option<Labels>,
}

#[derive(Debug, Deserialize)]
struct Labels {
    /// Whom they come from: `looking`, or the program.
    by: String,
    /// Whether every option of the text is labelled.
    complete: bool,
    options: Vec<Label>,
    #[serde(default)]
    positionals: Option<Vec<PositionalLabel>>,
    #[serde(default)]
    subcommands: Option<Vec<Named>>,
}

#[derive(Debug, Deserialize)]
struct Label {
    flags: Vec<String>,
    #[serde(default)]
    negated: Vec<String>,
    value: Option<Value>,
    #[serde(default)]
    choices: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct PositionalLabel {
    required: bool,
    repeated: bool,
}

#[derive(Debug, Deserialize)]
struct Named {
    name: String,
}

/// Right ones of all.
#[derive(Debug, Clone, Copy, Default)]
struct Share(usize, usize);

impl Share {
    fn add(&mut self, right: bool) {
        self.0 += usize::from(right);
        self.1 += 1;
    }

    fn merge(&mut self, other: Self) {
        self.0 += other.0;
        self.1 += other.1;
    }

    fn value(self) -> f64 {
        self.0 as f64 / self.1.max(1) as f64
    }

    fn shown(self) -> String {
        if self.1 == 0 { "     –".to_owned() } else { format!("{:>6.3}", self.value()) }
    }
}

#[derive(Debug, Clone, Default)]
struct Row {
    programs: usize,
    labelled: usize,
    found: Share,
    flags: Share,
    value: Share,
    choices: Share,
    false_lists: Share,
    positionals: Share,
    subcommands: Share,
    invented: Share,
    seed: Share,
    parse_help: Share,
}

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        println!("{USAGE}");
        return Ok(ExitCode::SUCCESS);
    }
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("help");
    let mut rows: BTreeMap<(String, String), Row> = BTreeMap::new();
    let (mut lines, mut seconds) = (0_usize, 0.0_f64);
    for (family, path) in texts(&folder) {
        let read_text = |path: &Path| {
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
        };
        let (text, labels) = (read_text(&path)?, path.with_extension("json"));
        let case: Case = serde_json::from_str(&read_text(&labels)?)
            .with_context(|| format!("cannot read {}", labels.display()))?;
        let began = Instant::now();
        let definition = read(&text, &case.command);
        seconds += began.elapsed().as_secs_f64();
        lines += text.lines().count();
        let tells = has("--all") || (has("--details") && case.set == "open");
        for key in [(case.set.clone(), family.clone()), (case.set.clone(), "all".to_owned())] {
            let row = rows.entry(key.clone()).or_default();
            row.programs += 1;
            if let Some(labels) = &case.labels {
                row.labelled += 1;
                // Each mistake once, not for the whole half as well.
                judge(row, &case, labels, &definition, &text, tells && key.1 == family)?;
            }
        }
    }
    println!(
        "{:<16}{:>9}{:>9}{:>8}{:>7}{:>7}{:>7}{:>7}{:>7}{:>7}{:>9}{:>8}{:>8}",
        "",
        "programs",
        "labelled",
        "found",
        "flags",
        "value",
        "choic.",
        "false",
        "posit.",
        "subc.",
        "invented",
        "seed",
        "p.-help"
    );
    let aside = rows.get(&("aside".to_owned(), "all".to_owned())).cloned();
    for ((set, family), row) in rows {
        println!(
            "{:<16}{:>9}{:>9}  {} {} {} {} {} {} {}   {}  {}  {}",
            format!("{set} {family}"),
            row.programs,
            row.labelled,
            row.found.shown(),
            row.flags.shown(),
            row.value.shown(),
            row.choices.shown(),
            row.false_lists.shown(),
            row.positionals.shown(),
            row.subcommands.shown(),
            row.invented.shown(),
            row.seed.shown(),
            row.parse_help.shown()
        );
    }
    println!(
        "\n{lines} lines in {:.1} ms: {:.2} ms per 1,000",
        seconds * 1e3,
        seconds * 1e6 / lines.max(1) as f64
    );
    let tells = |set: &str| has("--all") || has("--details") && set == "open";
    lists::print(&folder.join("lists"), tells)?;
    commands::print(&folder.join("commands"), tells)?;
    let (found, flags, value, invented) = BARS;
    let passes = aside.is_some_and(|row| {
        row.found.value() >= found
            && row.flags.value() >= flags
            && row.value.value() >= value
            && row.invented.value() <= invented
    });
    Ok(if passes { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The lines of a file, each a case.
fn cases<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let cannot = || format!("cannot read {}", path.display());
    let file = std::fs::read_to_string(path).with_context(cannot)?;
    file.lines().map(|line| serde_json::from_str(line).with_context(cannot)).collect()
}

/// Prints a line for each family of the cases in `open.ndjson` and `later.ndjson`, and one for all: what `judge` says
/// of a case, added up. `tells` says of which files the mistakes are listed.
fn print_families<C: DeserializeOwned, const N: usize>(
    folder: &Path,
    tells: impl Fn(&str) -> bool,
    family: impl Fn(&C) -> &str,
    judge: impl Fn(&C, bool) -> [Share; N],
    shown: impl Fn(&[Share; N]) -> String,
) -> Result<()> {
    for set in ["open", "later"] {
        let mut rows: BTreeMap<String, [Share; N]> = BTreeMap::new();
        for case in cases::<C>(&folder.join(format!("{set}.ndjson")))? {
            let found = judge(&case, tells(set));
            for family in [family(&case), "all"] {
                let row = rows.entry(family.to_owned()).or_insert([Share::default(); N]);
                row.iter_mut().zip(found).for_each(|(sum, one)| sum.merge(one));
            }
        }
        for (family, row) in rows {
            println!("{:<18}{}", format!("{set} {family}"), shown(&row));
        }
    }
    Ok(())
}

fn texts(folder: &Path) -> Vec<(String, PathBuf)> {
    let list = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        paths
    };
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_family = |path: &PathBuf| path.is_dir() && !path.ends_with("lists") && !path.ends_with("commands");
    let families = list(folder).into_iter().filter(is_family);
    families
        .flat_map(|family| list(&family).into_iter().map(move |path| (name(&family), path)))
        .filter(|(_, path)| path.extension().is_some_and(|extension| extension == "txt"))
        .collect()
}

fn judge(
    row: &mut Row,
    case: &Case,
    labels: &Labels,
    definition: &Definition,
    text: &str,
    tells: bool,
) -> Result<()> {
    let seed = Regex::new(r"(?m)^\s*(?:(-[a-zA-Z]),\s+)?(--[a-zA-Z0-9-]+)\s+(.*)$")?;
    let parse_help = Regex::new(r"(?m)^\s*(?:-([a-zA-Z0-9]),\s*)?--([a-zA-Z0-9-]+)")?;
    let matched = |expression: &Regex| -> BTreeSet<String> {
        expression
            .captures_iter(text)
            .flat_map(|found| {
                found
                    .iter()
                    .skip(1)
                    .take(2)
                    .flatten()
                    .map(|flag| format!("-{}", flag.as_str().trim_start_matches('-')))
                    .collect::<Vec<_>>()
            })
            .collect()
    };
    let (by_seed, by_parse_help) = (matched(&seed), matched(&parse_help));
    let bare = |flag: &String| format!("-{}", flag.trim_start_matches('-'));
    let of = |label: &Label| -> Option<&OptionDefinition> {
        let is_same = |flag: &String| label.flags.contains(flag) || label.negated.contains(flag);
        definition.options.iter().find(|option| option.flags.iter().chain(&option.negated).any(is_same))
    };
    for label in &labels.options {
        let found = of(label);
        row.found.add(found.is_some());
        row.seed.add(label.flags.iter().any(|flag| by_seed.contains(&bare(flag))));
        row.parse_help.add(label.flags.iter().any(|flag| by_parse_help.contains(&bare(flag))));
        let Some(option) = found else {
            if tells {
                println!("{}: not found: {:?}", case.command, label.flags);
            }
            continue;
        };
        if labels.complete {
            let all = |flags: &[String], negated: &[String]| {
                flags.iter().chain(negated).cloned().collect::<BTreeSet<_>>()
            };
            let is_exact = all(&option.flags, &option.negated) == all(&label.flags, &label.negated);
            row.flags.add(is_exact);
            if tells && !is_exact {
                println!(
                    "{}: flags {:?} {:?}, should be {:?} {:?}",
                    case.command, option.flags, option.negated, label.flags, label.negated
                );
            }
        }
        if let Some(value) = label.value {
            row.value.add(option.value == value);
            if tells && option.value != value {
                println!(
                    "{}: {:?} value {:?} ({}), should be {value:?}",
                    case.command, label.flags, option.value, option.value_name
                );
            }
        }
        // Where every option was labelled by reading the text, those without choices have none.
        if label.choices.is_empty() && labels.complete && labels.by == "looking" {
            row.false_lists.add(!option.choices.is_empty());
            if tells && !option.choices.is_empty() {
                println!("{}: {:?} choices {:?}, should be none", case.command, label.flags, option.choices);
            }
        }
        if !label.choices.is_empty() {
            let set = |choices: &[String]| choices.iter().cloned().collect::<BTreeSet<_>>();
            let is_same = set(&option.choices) == set(&label.choices);
            row.choices.add(is_same);
            if tells && !is_same {
                println!(
                    "{}: {:?} choices {:?}, should be {:?}",
                    case.command, label.flags, option.choices, label.choices
                );
            }
        }
    }
    if labels.complete {
        for option in &definition.options {
            let known = labels.options.iter().any(|label| {
                label
                    .flags
                    .iter()
                    .chain(&label.negated)
                    .any(|flag| option.flags.contains(flag) || option.negated.contains(flag))
            });
            row.invented.add(!known);
            if tells && !known {
                println!(
                    "{}: invented {:?}: {}",
                    case.command,
                    option.flags,
                    option.description.chars().take(60).collect::<String>()
                );
            }
        }
    }
    if let Some(positionals) = &labels.positionals {
        for at in 0..positionals.len().max(definition.positionals.len()) {
            let is_right = match (positionals.get(at), definition.positionals.get(at)) {
                (Some(label), Some(found)) => {
                    label.required == found.required && label.repeated == found.repeated
                }
                _ => false,
            };
            row.positionals.add(is_right);
            if tells && !is_right {
                println!(
                    "{}: positional {:?}, should be {:?}",
                    case.command,
                    definition.positionals.get(at).map(|found| (&found.name, found.required, found.repeated)),
                    positionals.get(at)
                );
            }
        }
    }
    if let Some(subcommands) = &labels.subcommands {
        let labelled: BTreeSet<&str> = subcommands.iter().map(|command| command.name.as_str()).collect();
        let found: BTreeSet<&str> =
            definition.subcommands.iter().map(|command| command.name.as_str()).collect();
        for name in labelled.union(&found) {
            let is_right = labelled.contains(name) && found.contains(name);
            row.subcommands.add(is_right);
            if tells && !is_right {
                println!(
                    "{}: subcommand {name}: labelled {}, found {}",
                    case.command,
                    labelled.contains(name),
                    found.contains(name)
                );
            }
        }
    }
    Ok(())
}
