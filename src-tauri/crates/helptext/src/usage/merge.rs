//! The positional arguments of several usage lines as one list.

use super::form::Form;
use super::{MAX_POSITIONALS, UsagePositional};

/// Most forms that are merged. Of more, each is for a task of its own, and the first is taken.
const FEW: usize = 8;
/// Options of forms that say nothing of a call.
const HELP: &[&str] =
    &["-h", "-?", "--help", "-help", "-V", "-v", "--version", "-version", "--usage", "--help-all"];

/// Merges the arguments of all forms. One that some form leaves out is optional, and one that some form repeats is
/// repeated. `cp SOURCE DEST`, `cp SOURCE... DIRECTORY` and `cp -t DIRECTORY SOURCE...` are `SOURCE... [DEST]`.
pub(super) fn merge(forms: &[Form<'_>]) -> Vec<UsagePositional> {
    let forms = if forms.len() <= FEW { forms } else { forms.get(..1).unwrap_or_default() };
    let mut forms = forms.iter().filter(|form| !is_help(form));
    let Some(first) = forms.next() else { return Vec::new() };
    let mut merged = counted(&first.positionals);
    for form in forms {
        merged = both(&merged, &counted(&form.positionals));
        merged.truncate(MAX_POSITIONALS);
    }
    merged
}

/// Whether a form only asks for help or the version.
fn is_help(form: &Form<'_>) -> bool {
    let is_help = |flags: &[String]| flags.iter().any(|flag| HELP.contains(&flag.as_str()));
    form.positionals.is_empty()
        && !form.options.is_empty()
        && form.options.iter().all(|option| is_help(&option.spec.flags))
}

/// Arguments with those together that are counted: `file1 [file2 ...]` is `file1...`.
fn counted(positionals: &[UsagePositional]) -> Vec<UsagePositional> {
    let mut all: Vec<UsagePositional> = Vec::new();
    for one in positionals {
        match all.last_mut().filter(|last| one.repeated && is_counted(&last.name, &one.name)) {
            Some(last) => last.repeated = true,
            None => all.push(one.clone()),
        }
    }
    all
}

/// Whether names differ in a number only: `file1` or `file`, and `file2`.
fn is_counted(first: &str, next: &str) -> bool {
    let stem = |name: &str| name.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    first != next && next.contains(['2', '3']) && stem(first) == stem(next)
}

/// The arguments of two forms, in the order of both. Between those of the same name, arguments that stand at the same place
/// are the same under another name.
fn both(main: &[UsagePositional], other: &[UsagePositional]) -> Vec<UsagePositional> {
    let mut merged: Vec<UsagePositional> = Vec::new();
    let (mut own, mut others) = (main, other);
    for (at, there) in same_names(main, other) {
        let (before, rest) = own.split_at(at - (main.len() - own.len()));
        let (before_there, rest_there) = others.split_at(there - (other.len() - others.len()));
        between(&mut merged, before, before_there);
        between(&mut merged, rest.get(..1).unwrap_or_default(), rest_there.get(..1).unwrap_or_default());
        (own, others) = (rest.get(1..).unwrap_or_default(), rest_there.get(1..).unwrap_or_default());
    }
    between(&mut merged, own, others);
    merged
}

fn between(merged: &mut Vec<UsagePositional>, own: &[UsagePositional], others: &[UsagePositional]) {
    for at in 0..own.len().max(others.len()) {
        let (one, other) = (own.get(at), others.get(at));
        let Some(named) = one.or(other) else { continue };
        let is_repeated = |one: Option<&UsagePositional>| one.is_some_and(|one| one.repeated);
        merged.push(UsagePositional {
            required: one.is_some_and(|one| one.required) && other.is_some_and(|other| other.required),
            repeated: is_repeated(one) || is_repeated(other),
            ..named.clone()
        });
    }
}

/// Places of arguments with the same names, as many as there are in the order of both lists (longest common subsequence).
fn same_names(main: &[UsagePositional], other: &[UsagePositional]) -> Vec<(usize, usize)> {
    let is_same = |one: &UsagePositional, other: &UsagePositional| {
        let stem = |name: &str| name.to_lowercase().trim_end_matches(['s', '_', '-']).to_owned();
        stem(&one.name) == stem(&other.name)
    };
    // The longest lists of the rests of both, by their starts.
    let mut longest = vec![vec![0_usize; other.len() + 1]; main.len() + 1];
    for (at, one) in main.iter().enumerate().rev() {
        for (there, another) in other.iter().enumerate().rev() {
            longest[at][there] = if is_same(one, another) {
                longest[at + 1][there + 1] + 1
            } else {
                longest[at + 1][there].max(longest[at][there + 1])
            };
        }
    }
    let (mut at, mut there, mut found) = (0, 0, Vec::new());
    while let (Some(one), Some(another)) = (main.get(at), other.get(there)) {
        if is_same(one, another) {
            found.push((at, there));
            (at, there) = (at + 1, there + 1);
        } else if longest[at + 1][there] >= longest[at][there + 1] {
            at += 1;
        } else {
            there += 1;
        }
    }
    found
}
