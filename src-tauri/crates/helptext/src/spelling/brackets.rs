//! Entries in brackets or braces of their own: `[-c <path>]  Read it`, `{-f|--format} {xml|custom}`.

use super::BRACKETED;
use crate::patterns::{Pattern, found, is_match, pattern};

// jarsigner: `[-sigfile <file>] name of it`, `[-verbose[:suboptions]]   what`.
pattern!(BRACKETED_CLOSELY, r"^\[(-[^\[\]]*(?:\[[^\[\]]*\])?)\](\s+)(\w.*)$");
// LVM: `[ -A|--autobackup y|n ]`, `( -l|--limit Number,`, `--alloc a|b )`.
pattern!(SPACED, r"^\s*\[\s+(-[^\[\]]*(?:\[[^\[\]]+\][^\[\]]*)*) \]$");
pattern!(ONE_OF_SPACED, r"^(?:\s*\( |\s{4,})(-[\w|-]+(?: \S+)?)(?:,| \))$");
pattern!(SPACED_ARGUMENT, r"^\s*\[ [A-Z][^\[\]-]* \]$|^\s+[A-Z]\w*(?:\|[A-Z]\w*)+(?: \.\.\.)?$");
// LVM: `lvchange --syncaction check|repair VG|LV ...`.
pattern!(BEFORE_ARGUMENT, r"^\s+[a-z]\w+ (-[\w|-]+(?: [a-z][\w|]*)?) [A-Z]\w*(?:\|[A-Z]\w*)+(?: \.\.\.)?$");
// nvme: `[  --output-format=<FMT>, -o <FMT> ]  --- Output format`.
pattern!(BRACKETED_DASHES, r"^\s*\[\s+(--?[^\[\]]+?)\s+\](\s+)---\s+(\S.*)$");
// rtl_433: `  [-c <path>] Read options from it`, `  [-S none | all] Save it`.
pattern!(BRACKETED_DESCRIBED, r"^\s+\[-[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)?\]\s+[A-Z]\w* \w");
pattern!(BRACKETED_ENTRY, r"^\s+\[(-[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)?)\](?:\s+([A-Z].*))?$");
// thin_dump: `{-f|--format} {xml|custom}`, `{-o <xml file>}`, `{--repair}`.
pattern!(IN_BRACES, r"^(\s+)\{(-[\w|-]+)( <[^<>{}]+>)?\}(?: (\S.*))?$");
// GDAL, npm: a heading between a usage line and what it goes on with.
pattern!(OPTIONS_HEADING, r"^[A-Z][\w ]*[Oo]ptions ?:$|^Options(?: [\w -]+)?:$");

/// Lines of a form from which all lines of it are entries.
const LEAST: usize = 3;

/// The lines with bare entries where several are in brackets or braces.
pub(super) fn bare_entries(lines: Vec<String>) -> Vec<String> {
    let least = |pattern: &Pattern, begins: &str| {
        let is = |line: &&String| line.trim_start().starts_with(begins) && is_match(pattern, line);
        lines.iter().filter(is).take(LEAST).count() == LEAST
    };
    let is_flush = |line: &&String| line.starts_with("[-") && is_match(&BRACKETED, line);
    let are_flush = lines.iter().filter(is_flush).take(LEAST).count() == LEAST;
    let are_spaced = least(&SPACED, "[ ");
    let are_described = least(&BRACKETED_DESCRIBED, "[-");
    let are_braced = least(&IN_BRACES, "{-");
    let bare = |line: &String| {
        if line.contains("  ---")
            && let Some(captures) = found(&BRACKETED_DASHES, line)
        {
            return Some(format!("  {}  {}{}", &captures[1], &captures[2], &captures[3]));
        }
        let spaced = || {
            let patterns = [&SPACED, &ONE_OF_SPACED, &BEFORE_ARGUMENT];
            patterns.into_iter().find_map(|pattern| found(pattern, line))
        };
        if are_spaced && let Some(captures) = spaced() {
            // `String`, `Size[m|UNIT]`, `n`: a name. `y|n` are values.
            return Some(match captures[1].split_once(' ') {
                Some((flags, value))
                    if value.starts_with(char::is_uppercase)
                        || value.chars().all(|c| c.is_ascii_lowercase()) =>
                {
                    let name = value.split(['[', ' ']).next().unwrap_or_default();
                    format!("  {flags} <{name}>")
                }
                _ => format!("  {}", &captures[1]),
            });
        }
        if are_described
            && line.contains("[-")
            && let Some(captures) = found(&BRACKETED_ENTRY, line)
        {
            let description = captures.get(2).map_or("", |found| found.as_str());
            return Some(
                format!("  {}  {description}", captures[1].replace(" | ", "|")).trim_end().to_owned(),
            );
        }
        if are_braced
            && line.contains("{-")
            && let Some(captures) = found(&IN_BRACES, line)
        {
            let part = |number: usize| captures.get(number).map_or("", |found| found.as_str());
            let value = if part(4).is_empty() { String::new() } else { format!(" {}", part(4)) };
            return Some(format!("{}{}{}{value}", part(1), part(2).replace('|', ", "), part(3)));
        }
        let captures = Some(line).filter(|_| are_flush).and_then(|line| found(&BRACKETED_CLOSELY, line))?;
        Some(format!("{}  {}{}", &captures[1], &captures[2], &captures[3]))
    };
    let mut usual: Vec<String> = Vec::with_capacity(lines.len());
    // The usage line above entries, with which the arguments below them go.
    let mut head = None;
    for line in lines {
        match bare(&line) {
            Some(entry) => {
                head = head.or_else(|| usual.len().checked_sub(1));
                usual.push(entry);
            }
            None if are_spaced && is_match(&SPACED_ARGUMENT, &line) => {
                match head.and_then(|head| usual.get_mut(head)) {
                    Some(usage) => usage.extend([" ", line.trim()]),
                    None => usual.push(line),
                }
            }
            None => {
                head = None;
                usual.push(line);
            }
        }
    }
    usual
}

/// The lines without headings between a usage line and what it goes on with: options in brackets and nothing else.
pub(super) fn joined_usage(lines: &[String]) -> Vec<String> {
    let is_usage = |line: &String| {
        line.trim_start().starts_with('[')
            && !is_match(&BRACKETED, line)
            && !is_match(&BRACKETED_DESCRIBED, line)
    };
    let begins_usage = |line: &String| line.trim_start().starts_with("[-") && is_usage(line);
    let mut joined: Vec<String> = Vec::with_capacity(lines.len());
    let mut in_usage = false;
    for (at, line) in lines.iter().enumerate() {
        let is_heading = line.ends_with(':') && is_match(&OPTIONS_HEADING, line);
        if is_heading && lines.get(at + 1).is_some_and(begins_usage) {
            while joined.last().is_some_and(String::is_empty) {
                joined.pop();
            }
            in_usage = true;
            continue;
        }
        in_usage &= is_usage(line);
        joined.push(if in_usage { format!("    {}", line.trim_start()) } else { line.clone() });
    }
    joined
}
