//! Texts of which only the closed lists of values are labelled: many more of them than of those labelled in full.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use schemascope_helptext::{OptionDefinition, read};
use serde::Deserialize;

use crate::{Share, cases};

/// A line of a file: a text, and every closed list in it.
#[derive(Debug, Deserialize)]
struct Case {
    family: String,
    command: String,
    text: String,
    choices: Vec<List>,
}

#[derive(Debug, Deserialize)]
struct List {
    flags: Vec<String>,
    choices: Vec<String>,
}

#[derive(Debug, Clone, Default)]
struct Row {
    texts: usize,
    lists: Share,
    false_lists: Share,
}

/// Prints how many lists of each file are read rightly, and how many options without one have one. An option that is not
/// found counts as a wrong list. `tells` says of which files the mistakes are listed.
pub fn print(folder: &Path, tells: impl Fn(&str) -> bool) -> Result<()> {
    println!("\n{:<18}{:>7}{:>7}{:>7}{:>9}{:>7}", "", "texts", "lists", "right", "without", "false");
    for set in ["open", "later"] {
        let mut rows: BTreeMap<String, Row> = BTreeMap::new();
        for case in cases::<Case>(&folder.join(format!("{set}.ndjson")))? {
            let found = judge(&case, tells(set));
            for family in [case.family.as_str(), "all"] {
                let row = rows.entry(family.to_owned()).or_default();
                row.texts += 1;
                row.lists.merge(found.0);
                row.false_lists.merge(found.1);
            }
        }
        for (family, row) in rows {
            let (name, lists, without) = (format!("{set} {family}"), row.lists, row.false_lists);
            println!(
                "{name:<18}{:>7}{:>7} {}{:>9} {}",
                row.texts,
                lists.1,
                lists.shown(),
                without.1,
                without.shown()
            );
        }
    }
    Ok(())
}

/// The lists of a text that are read rightly, and the options without a list that have one.
fn judge(case: &Case, tells: bool) -> (Share, Share) {
    let definition = read(&case.text, &case.command);
    let (mut lists, mut false_lists) = (Share::default(), Share::default());
    let is_of = |option: &OptionDefinition, list: &List| {
        option.flags.iter().chain(&option.negated).any(|flag| list.flags.contains(flag))
    };
    for list in &case.choices {
        let set = |choices: &[String]| choices.iter().cloned().collect::<BTreeSet<_>>();
        let option = definition.options.iter().find(|option| is_of(option, list));
        let is_right = option.is_some_and(|option| set(&option.choices) == set(&list.choices));
        lists.add(is_right);
        if tells && !is_right {
            let found = option.map(|option| &option.choices);
            println!("{}: {:?} lists {found:?}, should be {:?}", case.command, list.flags, list.choices);
        }
    }
    for option in
        definition.options.iter().filter(|option| !case.choices.iter().any(|list| is_of(option, list)))
    {
        false_lists.add(!option.choices.is_empty());
        if tells && !option.choices.is_empty() {
            println!("{}: {:?} lists {:?}, should be none", case.command, option.flags, option.choices);
        }
    }
    (lists, false_lists)
}
