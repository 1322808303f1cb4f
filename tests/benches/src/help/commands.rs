//! Texts of which only subcommands and positional arguments are labelled: many more of them than of those labelled in
//! full.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use schemascope_helptext::read;
use serde::Deserialize;

use crate::{PositionalLabel, Share, print_families};

/// A line of a file: a text, and every subcommand in it.
#[derive(Debug, Deserialize)]
struct Case {
    family: String,
    command: String,
    text: String,
    subcommands: BTreeSet<String>,
    #[serde(default)]
    positionals: Option<Vec<PositionalLabel>>,
}

/// Prints how many subcommands of each file are read rightly. `tells` says of which files the mistakes are listed.
pub fn print(folder: &Path, tells: impl Fn(&str) -> bool) -> Result<()> {
    println!("\n{:<18}{:>7}{:>7}{:>7}{:>7}{:>7}", "", "texts", "subc.", "right", "whole", "posit.");
    print_families(
        folder,
        tells,
        |case: &Case| &case.family,
        judge,
        |[texts, names, positionals]| {
            let shown = (names.shown(), texts.shown(), positionals.shown());
            format!("{:>7}{:>7} {} {} {}", texts.1, names.1, shown.0, shown.1, shown.2)
        },
    )
}

/// Whether all subcommands of a text are read rightly, those that are labelled or found, and whether all positional
/// arguments are.
fn judge(case: &Case, tells: bool) -> [Share; 3] {
    let definition = read(&case.text, &case.command);
    let found: BTreeSet<String> = definition.subcommands.into_iter().map(|command| command.name).collect();
    let (mut whole, mut arguments) = (Share::default(), Share::default());
    let (missing, other): (Vec<_>, Vec<_>) =
        (case.subcommands.difference(&found).collect(), found.difference(&case.subcommands).collect());
    whole.add(missing.is_empty() && other.is_empty());
    let names = Share(case.subcommands.intersection(&found).count(), case.subcommands.union(&found).count());
    if tells && !(missing.is_empty() && other.is_empty()) {
        println!("{}: subcommands {missing:?} are not found, {other:?} are none", case.command);
    }
    if let Some(positionals) = &case.positionals {
        let labelled: Vec<_> = positionals.iter().map(|one| (one.required, one.repeated)).collect();
        let read: Vec<_> = definition.positionals.iter().map(|one| (one.required, one.repeated)).collect();
        arguments.add(labelled == read);
        if tells && labelled != read {
            let names: Vec<&str> = definition.positionals.iter().map(|one| one.name.as_str()).collect();
            println!("{}: positional {names:?}, should be {positionals:?}", case.command);
        }
    }
    [whole, names, arguments]
}
