//! Lists whose lines begin with the program.

use std::collections::HashSet;

use super::forms::{entry, is_word};
use super::{LEAST, MOST, MOST_LISTS, indent};

/// Most lines of arguments above a description.
const MOST_BELOW: usize = 6;

/// `mix clean    # Deletes it`: lines that begin with the command, and are described beside or beneath.
pub(super) fn of_program(lines: &mut Vec<String>, name: &str) {
    if name.is_empty() {
        return;
    }
    let mut lists = 0;
    let mut at = 0;
    let old = std::mem::take(lines);
    while let Some(line) = old.get(at) {
        let rest = old.get(at..).unwrap_or_default();
        let (run, count) = if lists < MOST_LISTS { run_of_program(rest, name) } else { (Vec::new(), 0) };
        let names: HashSet<&str> =
            run.iter().filter_map(|line| line.trim_start().split(' ').next()).collect();
        lists += usize::from(!run.is_empty());
        if names.len() >= LEAST && !is_below_other(old.get(..at).unwrap_or_default(), name) {
            lines.push("Commands:".to_owned());
            lines.extend(run);
            at += count;
        } else {
            lines.push(line.clone());
            lines.extend(rest.iter().take(count).skip(1).cloned());
            at += count.max(1);
        }
    }
}

/// Entries for the lines at the beginning that are such, and the number of lines.
fn run_of_program(lines: &[String], name: &str) -> (Vec<String>, usize) {
    let mut found: Vec<String> = Vec::new();
    let mut count = 0;
    let mut indented = None;
    let mut bare = 0;
    for (at, line) in lines.iter().take(MOST).enumerate() {
        let behind = line.trim_start().strip_prefix(name).and_then(|rest| rest.strip_prefix(' '));
        let behind = behind.map(str::trim_start).filter(|_| indented.is_none_or(|own| own == indent(line)));
        let Some(behind) = behind else {
            let goes_on = line.trim().is_empty() || indented.is_some_and(|own| indent(line) > own);
            if found.is_empty() || !goes_on {
                break;
            }
            continue;
        };
        let first = behind.split([' ', ':']).next().unwrap_or_default();
        if !is_word(first) || !first.starts_with(|c: char| c.is_ascii_lowercase()) {
            break;
        }
        let parted = ["  ", " # ", " - "].iter().find_map(|gap| behind.split_once(gap));
        let right = parted.map_or("", |(_, right)| right.trim_start().trim_start_matches(['#', '-']).trim());
        let is_sentence = right.contains(' ')
            && !right.starts_with(['[', '<', '{', '(', '-', '|'])
            && !are_arguments(right);
        // jfr: arguments go on beneath.
        let below = lines
            .iter()
            .skip(at + 1)
            .take(MOST_BELOW)
            .take_while(|next| !next.trim().is_empty() && indent(next) > indent(line));
        let is_argument = |next: &&str| next.starts_with(['[', '<', '{', '(', '-', '|']);
        let below = below.map(|next| next.trim()).find(|next| !is_argument(next));
        match (parted, below) {
            (Some((left, _)), _) if is_sentence => found.push(entry(left, right)),
            (_, Some(description)) => found.push(entry(behind.trim_end_matches(':'), description)),
            // btrfs: the next has the same description.
            _ if lines.get(at + 1).is_some_and(|next| next.trim_start().starts_with(name)) => {
                bare += 1;
                found.push(entry(first, ""));
            }
            _ => break,
        }
        (indented, count) = (Some(indent(line)), at + 1);
    }
    // What describes the last goes with it.
    let rest = lines.iter().skip(count);
    let below =
        rest.take_while(|line| !line.trim().is_empty() && indented.is_some_and(|own| indent(line) > own));
    let count = count + below.count();
    if bare * 2 > found.len() { (Vec::new(), count) } else { (found, count) }
}

/// Whether a text is made of names of arguments, at least in half: `FILE type TYPE`.
fn are_arguments(text: &str) -> bool {
    let is_name = |word: &&str| {
        word.len() > 1 && word.contains(char::is_uppercase) && !word.contains(char::is_lowercase)
    };
    let is_lower = |word: &&str| word.chars().all(char::is_lowercase);
    let count = |is: &dyn Fn(&&str) -> bool| text.split(' ').filter(|word| is(word)).count();
    count(&is_name) > 0 && count(&is_name) >= count(&is_lower)
}

/// Whether lines end with `Examples:`, or with `Commands:`, below which a list is written as usual.
fn is_below_other(lines: &[String], name: &str) -> bool {
    const NEAR: usize = 4;
    let is_heading = |line: &&String| !line.trim().is_empty() && !line.trim_start().starts_with(name);
    let above = lines.iter().rev().take(NEAR).find(is_heading);
    above.is_some_and(|line| {
        let lower = line.to_lowercase();
        lower.contains("example") || lower.contains("topic") || line.trim().eq_ignore_ascii_case("commands:")
    })
}
