//! Texts of which only the closed lists of values are labelled: many more of them than of those labelled in full.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use schemascope_helptext::{OptionDefinition, read};
use serde::Deserialize;

use crate::{Share, print_families};

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

/// Prints how many lists of each file are read rightly, and how many options without one have one. An option that is not
/// found counts as a wrong list. `tells` says of which files the mistakes are listed.
pub fn print(folder: &Path, tells: impl Fn(&str) -> bool) -> Result<()> {
    println!("\n{:<18}{:>7}{:>7}{:>7}{:>9}{:>7}", "", "texts", "lists", "right", "without", "false");
    print_families(
        folder,
        tells,
        |case: &Case| &case.family,
        judge,
        |[texts, lists, without]| {
            format!("{:>7}{:>7} {}{:>9} {}", texts.1, lists.1, lists.shown(), without.1, without.shown())
        },
    )
}

/// The text, its lists that are read rightly, and its options without a list that have one.
fn judge(case: &Case, tells: bool) -> [Share; 3] {
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
    [Share(1, 1), lists, false_lists]
}
