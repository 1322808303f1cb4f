//! Texts of which only subcommands and positional arguments are labelled: many more of them than of those labelled in
//! full.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use schemascope_helptext::read;
use serde::Deserialize;

use crate::{PositionalLabel, Share, cases};

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

#[derive(Debug, Clone, Default)]
struct Row {
    /// Texts of which all subcommands are read rightly.
    texts: Share,
    /// Subcommands that are labelled or found.
    names: Share,
    /// Texts of which all positional arguments are read rightly.
    positionals: Share,
}

/// Prints how many subcommands of each file are read rightly. `tells` says of which files the mistakes are listed.
pub fn print(folder: &Path, tells: impl Fn(&str) -> bool) -> Result<()> {
    println!("\n{:<18}{:>7}{:>7}{:>7}{:>7}{:>7}", "", "texts", "subc.", "right", "whole", "posit.");
    for set in ["open", "later"] {
        let mut rows: BTreeMap<String, Row> = BTreeMap::new();
        for case in cases::<Case>(&folder.join(format!("{set}.ndjson")))? {
            let found = judge(&case, tells(set));
            for family in [case.family.as_str(), "all"] {
                let row = rows.entry(family.to_owned()).or_default();
                row.texts.merge(found.texts);
                row.names.merge(found.names);
                row.positionals.merge(found.positionals);
            }
        }
        for (family, row) in rows {
            let (name, texts, names) = (format!("{set} {family}"), row.texts, row.names);
            let shown = (names.shown(), texts.shown(), row.positionals.shown());
            println!("{name:<18}{:>7}{:>7} {} {} {}", texts.1, names.1, shown.0, shown.1, shown.2);
        }
    }
    Ok(())
}

fn judge(case: &Case, tells: bool) -> Row {
    let definition = read(&case.text, &case.command);
    let found: BTreeSet<String> = definition.subcommands.into_iter().map(|command| command.name).collect();
    let mut row = Row::default();
    let (missing, other): (Vec<_>, Vec<_>) =
        (case.subcommands.difference(&found).collect(), found.difference(&case.subcommands).collect());
    row.texts.add(missing.is_empty() && other.is_empty());
    row.names
        .merge(Share(case.subcommands.intersection(&found).count(), case.subcommands.union(&found).count()));
    if tells && !(missing.is_empty() && other.is_empty()) {
        println!("{}: subcommands {missing:?} are not found, {other:?} are none", case.command);
    }
    if let Some(positionals) = &case.positionals {
        let labelled: Vec<_> = positionals.iter().map(|one| (one.required, one.repeated)).collect();
        let read: Vec<_> = definition.positionals.iter().map(|one| (one.required, one.repeated)).collect();
        row.positionals.add(labelled == read);
        if tells && labelled != read {
            let names: Vec<&str> = definition.positionals.iter().map(|one| one.name.as_str()).collect();
            println!("{}: positional {names:?}, should be {positionals:?}", case.command);
        }
    }
    row
}
