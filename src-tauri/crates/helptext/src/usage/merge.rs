//! The positional arguments of several usage lines as one list.

use std::ops::Range;

use super::form::Form;
use super::{MAX_POSITIONALS, UsagePositional};

/// Most forms that are merged. Of more, each is for a task of its own, and the first is taken.
const FEW: usize = 8;
/// Options of forms that say nothing of a call.
const HELP: &[&str] =
    &["-h", "-?", "--help", "-help", "-V", "-v", "--version", "-version", "--usage", "--help-all"];

/// Merges the arguments of all forms. One that some form leaves out is optional, and one that some form repeats is
/// repeated. `cp SOURCE DEST`, `cp SOURCE... DIRECTORY` and `cp -t DIRECTORY SOURCE...` are `SOURCE... [DEST]`.
pub(super) fn merge<'f>(forms: impl Iterator<Item = &'f Form<'f>>) -> Vec<UsagePositional> {
    let forms: Vec<&Form<'_>> = forms.collect();
    let most = if forms.len() <= FEW { FEW } else { 1 };
    let mut forms = forms.into_iter().take(most).filter(|form| !is_help(form));
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

/// Arguments with those together that are counted: `file1 [file2 ...]` is `file1...`, and so is `file [files...]`.
fn counted(positionals: &[UsagePositional]) -> Vec<UsagePositional> {
    let mut all: Vec<UsagePositional> = Vec::new();
    for one in positionals.iter().take(MAX_POSITIONALS) {
        let is_more =
            |last: &&mut UsagePositional| is_counted(&last.name, &one.name) || has_same_name(last, one);
        match all.last_mut().filter(|last| one.repeated && is_more(last)) {
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
/// are the same under another name; where one form has more, those that must be given are.
fn both(main: &[UsagePositional], other: &[UsagePositional]) -> Vec<UsagePositional> {
    aligned(main, other, has_same_name, |main, other| {
        if main.len() == other.len() {
            return together(main, other);
        }
        aligned(main, other, |one, other| one.required == other.required, together)
    })
}

fn has_same_name(one: &UsagePositional, other: &UsagePositional) -> bool {
    let stem = |name: &str| name.to_lowercase().trim_end_matches(['s', '_', '-']).to_owned();
    stem(&one.name) == stem(&other.name)
}

/// Merges arguments one by one, as they stand.
fn together(main: &[UsagePositional], other: &[UsagePositional]) -> Vec<UsagePositional> {
    let of = |at: usize| {
        let (one, other) = (main.get(at), other.get(at));
        let named = one.or(other)?;
        let is_repeated = |one: Option<&UsagePositional>| one.is_some_and(|one| one.repeated);
        Some(UsagePositional {
            required: one.is_some_and(|one| one.required) && other.is_some_and(|other| other.required),
            repeated: is_repeated(one) || is_repeated(other),
            ..named.clone()
        })
    };
    (0..main.len().max(other.len())).filter_map(of).collect()
}

/// Merges those that are the same, as many as there are in the order of both lists, and what is between them with `between`.
fn aligned(
    main: &[UsagePositional],
    other: &[UsagePositional],
    is_same: fn(&UsagePositional, &UsagePositional) -> bool,
    between: impl Fn(&[UsagePositional], &[UsagePositional]) -> Vec<UsagePositional>,
) -> Vec<UsagePositional> {
    let mut merged: Vec<UsagePositional> = Vec::new();
    let (mut from, mut other_from) = (0, 0);
    for (at, other_at) in pairs(main, other, is_same) {
        merged.extend(between(part(main, from..at), part(other, other_from..other_at)));
        merged.extend(together(part(main, at..at + 1), part(other, other_at..other_at + 1)));
        (from, other_from) = (at + 1, other_at + 1);
    }
    merged.extend(between(part(main, from..main.len()), part(other, other_from..other.len())));
    merged
}

fn part(list: &[UsagePositional], range: Range<usize>) -> &[UsagePositional] {
    list.get(range).unwrap_or_default()
}

/// Places of those that are the same (longest common subsequence).
fn pairs(
    main: &[UsagePositional],
    other: &[UsagePositional],
    is_same: fn(&UsagePositional, &UsagePositional) -> bool,
) -> Vec<(usize, usize)> {
    // The most pairs in the rests of both, by their starts.
    let mut most = vec![vec![0_usize; other.len() + 1]; main.len() + 1];
    for (at, one) in main.iter().enumerate().rev() {
        for (other_at, another) in other.iter().enumerate().rev() {
            most[at][other_at] = if is_same(one, another) {
                most[at + 1][other_at + 1] + 1
            } else {
                most[at + 1][other_at].max(most[at][other_at + 1])
            };
        }
    }
    let (mut at, mut other_at, mut found) = (0, 0, Vec::new());
    while let (Some(one), Some(another)) = (main.get(at), other.get(other_at)) {
        if is_same(one, another) {
            found.push((at, other_at));
            (at, other_at) = (at + 1, other_at + 1);
        } else if most[at + 1][other_at] >= most[at][other_at + 1] {
            at += 1;
        } else {
            other_at += 1;
        }
    }
    found
}
