//! The forms of lists.

use super::{Heading, LEAST, MANY, MOST};
use crate::clean::indent;
use crate::entries::{begins_other, is_call};
use crate::subcommands::is_name;

fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.split("  ").map(str::trim).filter(|cell| !cell.is_empty())
}

/// `Commands: create, update`, or a list of which the first stands beside the heading.
pub(super) fn behind(heading: &Heading<'_>, lines: &[String]) -> Option<(Vec<String>, usize)> {
    let is_beneath = |line: &&String| indent(line) > heading.indent && !line.trim().is_empty();
    let more: Vec<&str> = lines.iter().take(MOST).take_while(is_beneath).map(String::as_str).collect();
    let listed = listed_words(std::iter::once(heading.behind).chain(more.iter().copied()), ',');
    if let Some(listed) = listed {
        return Some((listed, more.len()));
    }
    // jupyter: `Available subcommands: kernel migrate run`. phar: `Commands: add compress delete extract help`.
    let says_which = ["Available ", "Valid ", "Supported "].iter().any(|word| heading.text.starts_with(word));
    let fewest = if says_which { LEAST } else { MANY };
    let listed = listed_words(std::iter::once(heading.behind).chain(more.iter().copied()), ' ');
    let is_table = heading.behind.contains("  ") || more.iter().any(|line| line.trim().contains("  "));
    let is_bare = ["commands:", "subcommands:"]
        .iter()
        .any(|word| heading.text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word)));
    let is_prose = || is_sentence(heading.behind) || more.iter().any(|line| is_sentence(line));
    if let Some(listed) =
        listed.filter(|listed| listed.len() >= fewest && (says_which || is_bare) && !is_table && !is_prose())
    {
        return Some((listed, more.len()));
    }
    let is_aligned = |line: &&String| line.trim().is_empty() || indent(line) == heading.column;
    let aligned: Vec<&str> = lines.iter().take(MOST).take_while(is_aligned).map(|line| line.trim()).collect();
    let count = aligned.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    let all: Vec<&str> = std::iter::once(heading.behind)
        .chain(aligned.into_iter().take(count).filter(|line| !line.is_empty()))
        .collect();
    let is_entry = |line: &&str| {
        line.split(' ').next().is_some_and(is_name) && (line.contains("  ") || !is_sentence(line))
    };
    let is_list = all.len() >= LEAST && all.iter().all(is_entry);
    is_list.then(|| {
        let parted = |text: &&str| match text.split_once(' ') {
            Some((word, rest)) => entry(word, rest.trim_start()),
            None => entry(text, ""),
        };
        (all.iter().map(parted).collect(), count)
    })
}

/// Whether a text has words that names and arguments do not consist of.
fn is_sentence(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "the", "a", "an", "of", "and", "to", "for", "are", "is", "it", "in", "on", "with", "when", "if",
        "this", "that", "by", "from", "as", "be", "or",
    ];
    text.trim().split(' ').any(|word| WORDS.contains(&word.to_lowercase().as_str()) || word.ends_with('.'))
}

/// Entries of words that commas or blanks separate, if nothing else stands between.
fn listed_words<'l>(lines: impl Iterator<Item = &'l str>, separator: char) -> Option<Vec<String>> {
    // bq breaks names at their hyphens.
    let text =
        lines.map(str::trim).fold(String::new(), |text, line| match text.ends_with('-') || text.is_empty() {
            true => text + line,
            false => text + " " + line,
        });
    let bare = |part: &str| {
        let part = part.strip_prefix("and ").or_else(|| part.strip_prefix("or ")).unwrap_or(part).trim();
        is_name(part).then(|| entry(part, ""))
    };
    // `[`, `[[` of coreutils
    let is_part = |part: &&str| !part.is_empty() && !part.chars().all(|c| c == '[');
    let parts = text.trim_end_matches('.').split(separator).map(str::trim).filter(is_part);
    let all: Option<Vec<String>> = parts.map(bare).collect();
    all.filter(|all| all.len() >= LEAST)
}

/// `access, add, audit,`, in npm.
pub(super) fn commas(block: &[&str]) -> Option<(Vec<String>, usize)> {
    // dlm_tool: a list in each line.
    let is_list = |line: &&str| line.contains(", ");
    let lines = || block.iter().map(|line| line.trim_end_matches(',').to_owned() + ",").collect::<Vec<_>>();
    listed_words(block.iter().copied(), ',')
        .or_else(|| {
            let lines = if block.iter().all(is_list) { lines() } else { Vec::new() };
            listed_words(lines.iter().map(String::as_str), ',')
        })
        .map(|all| (all, block.len()))
}

/// Names in several columns, without descriptions.
pub(super) fn grid(block: &[&str]) -> Option<(Vec<String>, usize)> {
    let rows: Vec<Vec<&str>> = block
        .iter()
        .map(|line| cells(line).collect::<Vec<_>>())
        .take_while(|cells| cells.iter().all(|cell| is_name(cell) && !cell.contains(char::is_uppercase)))
        .collect();
    // A heading of columns is none.
    if block.get(rows.len()).is_some_and(|line| line.trim().contains("  ")) || rows.first()?.len() < 2 {
        return None;
    }
    let most = rows.iter().map(Vec::len).max()?;
    // In two columns, names go on behind the last of the first; otherwise the second describes.
    let column = |number: usize| rows.iter().filter_map(move |row| row.get(number).copied());
    let goes_on = || {
        let all: Vec<&str> = column(0).chain(column(1)).collect();
        rows.len() >= LEAST && all.is_sorted()
    };
    let is_grid = most > 2 || most == 2 && goes_on();
    // openssl goes on to the right, others down.
    let across: Vec<&str> = rows.iter().flatten().copied().collect();
    let words = if across.is_sorted() { across } else { (0..most).flat_map(column).collect() };
    is_grid.then(|| (words.into_iter().map(|word| entry(word, "")).collect(), rows.len()))
}

/// `- access`, in yarn; `$ api   Run it`, in netlify.
pub(super) fn bulleted(block: &[&str]) -> Option<(Vec<String>, usize)> {
    let indented = block.first().map_or(0, |line| indent(line));
    let parted = |line: &&str| {
        let text = line.trim_start();
        let behind = ["- ", "* ", "• ", "· ", "$ ", ". "].iter().find_map(|bullet| text.strip_prefix(bullet));
        let behind = behind.map(str::trim_start);
        let Some(behind) = behind else {
            return (indent(line) > indented).then(|| format!("      {text}"));
        };
        // `- generate-lock / generateLock`
        let mut words = behind.splitn(4, ' ');
        let all = (words.next()?, words.next(), words.next(), words.next());
        match all {
            (one, Some("/"), Some(other), None) => Some(entry(&format!("{one}, {other}"), "")),
            // cmd-ts: `- start - Start it`.
            (one, Some("-"), Some(_), _) if is_name(one) => {
                behind.split_once(" - ").map(|(_, description)| entry(one, description))
            }
            // salsa: `- checkout, co: clone it`.
            (one, ..) => is_name(one.trim_end_matches([',', ':'])).then(|| format!("  {behind}")),
        }
    };
    let all: Vec<String> = block.iter().map_while(parted).collect();
    let begins =
        block.first().is_some_and(|line| line.trim_start().starts_with(['-', '*', '•', '·', '$', '.']));
    let count = all.len();
    (begins && count > 1).then_some((all, count))
}

/// `info ........ Print it`, in ionic.
pub(super) fn dotted(block: &[&str]) -> Option<(Vec<String>, usize)> {
    let indented = block.first().map_or(0, |line| indent(line));
    let parted = |line: &&str| {
        let Some((left, right)) = line.split_once(" ..") else {
            // cordova: the description goes on beneath.
            return (indent(line) > indented + 8).then(|| format!("      {}", line.trim()));
        };
        let right = right.trim_start_matches('.').strip_prefix(' ')?;
        left.trim().split(' ').next().is_some_and(is_name).then(|| entry(left.trim(), right))
    };
    let all: Vec<String> = block.iter().map_while(parted).collect();
    let count = all.len();
    (count > 0).then_some((all, count))
}

/// `  batch - issue many`, with names aligned at their ends; `sta <addr> = get it`.
pub(super) fn dashed(block: &[&str]) -> Option<(Vec<String>, usize)> {
    let behind = |line: &&str| {
        let (left, right) = [" - ", " = "].iter().find_map(|gap| line.trim().split_once(gap))?;
        let (name, rest) = left.trim().split_once(' ').unwrap_or((left.trim(), ""));
        // cmake: `chdir dir cmd   - run it`, in columns.
        let is_plain = rest.is_empty() || rest.starts_with(['<', '[']);
        let shown = if is_plain { left.trim() } else { name };
        (is_name(name) && (is_plain || left.ends_with(' '))).then(|| entry(shown, right.trim()))
    };
    let count = block.iter().filter_map(behind).count();
    // yadm: the program in front of each.
    let first = |line: &&str| line.trim().split(' ').next().unwrap_or_default().to_owned();
    if block.len() > 1 && block.iter().all(|line| Some(first(line)) == block.first().map(first)) {
        return None;
    }
    let indented = block.first().map_or(0, |line| indent(line));
    // A few descriptions go on beneath, or stand there: dnsviz.
    let other = |line: &&str| {
        let is_beside = indent(line) == indented && line.trim().split(' ').next().is_some_and(is_name);
        match is_beside && (is_call(line.trim()) || line.contains(" [")) {
            true => entry(line.trim(), ""),
            false => format!("      {}", line.trim().trim_start_matches("- ")),
        }
    };
    let all = block.iter().map(|line| behind(line).unwrap_or_else(|| other(line)));
    (count >= LEAST && count * 5 >= block.len() * 3).then(|| (all.collect(), block.len()))
}

/// `  Basics: find, info`, in snap: names in lists with titles.
pub(super) fn titled(block: &[&str]) -> Option<(Vec<String>, usize)> {
    let behind = |line: &&str| -> Option<Vec<String>> {
        let (_, names) = line.split_once(": ")?;
        names.split(',').map(str::trim).map(|name| is_name(name).then(|| entry(name, ""))).collect()
    };
    let all: Vec<Vec<String>> = block.iter().map_while(behind).collect();
    let count = all.len();
    (count >= LEAST && count == block.len()).then(|| (all.into_iter().flatten().collect(), count))
}

/// `       add    Add it`, in nuxi, `      add: add it`, in dzil: names aligned at their ends, in a column.
pub(super) fn aligned(block: &[&str]) -> Option<(Vec<String>, usize)> {
    let parted = |line: &&str| {
        let (left, right) = line.trim().split_once("  ").or_else(|| line.trim().split_once(": "))?;
        is_name(left).then(|| (indent(line), indent(line) + left.len(), entry(left, right.trim())))
    };
    let all: Vec<(usize, usize, String)> = block.iter().map_while(parted).collect();
    let (first, rest) = all.split_first()?;
    let is_ragged = rest.iter().any(|(start, ..)| *start != first.0);
    let end_alike = rest.iter().all(|(_, end, _)| *end == first.1);
    // Two are enough with colons.
    let fewest = if block.iter().all(|line| line.contains(": ")) { 2 } else { LEAST };
    (all.len() >= fewest && all.len() == block.len() && is_ragged && end_alike)
        .then(|| (all.iter().map(|(.., entry)| entry.clone()).collect(), all.len()))
}

/// `  create:`, with its description beneath, in aqbanking; blank lines may stand between.
pub(super) fn colons(lines: &[String]) -> Option<(Vec<String>, usize)> {
    let indented = indent(lines.first()?);
    let (mut found, mut count, mut names) = (Vec::new(), 0, 0);
    for (at, line) in lines.iter().take(MOST).enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let text = line.trim();
        if indent(line) > indented {
            // Groups have entries below them.
            if is_call(text) || text.contains("  ") || text.starts_with('-') {
                return None;
            }
            found.push(format!("      {text}"));
        } else {
            let name = text.strip_suffix(':').filter(|name| indent(line) == indented && is_name(name));
            let Some(name) = name else { break };
            names += 1;
            found.push(entry(name, ""));
        }
        count = at + 1;
    }
    (indented > 0 && names >= LEAST && found.len() > names).then_some((found, count))
}

/// Entries that are not indented below their heading.
pub(super) fn flush(indented: usize, lines: &[String]) -> (Vec<String>, usize) {
    let is_entry = |at: usize, line: &str| {
        let text = line.trim_start();
        let next = lines.get(at + 1).map(String::as_str).unwrap_or_default();
        let is_deeper = !next.trim().is_empty() && indent(next) > indented;
        // kingpin marks its default: `reconcile*`.
        let first = text.split(' ').next().unwrap_or_default().trim_end_matches('*');
        let is_command = is_name(first) && first.starts_with(|c: char| c.is_ascii_lowercase());
        // `start a working area` is a heading; arguments in capitals are none of its words.
        let is_lower = |word: &&str| word.chars().any(|c| c.is_ascii_lowercase());
        let head = text.split(['[', '<', '(', '{']).next().unwrap_or_default();
        let is_short = head.split_whitespace().filter(is_lower).count() <= 2;
        let has_gap =
            text.match_indices("  ").any(|(at, _)| !text.get(..at).is_some_and(|left| left.ends_with('.')));
        // direnv: `allow [PATH]:`, and other names beneath.
        is_command
            && (has_gap || text.ends_with(':') && is_short || is_deeper && is_short || text.contains(" - "))
    };
    let mut found: Vec<String> = Vec::new();
    let mut count = 0;
    for (at, line) in lines.iter().take(MOST).enumerate() {
        if line.trim().is_empty() || indent(line) > indented {
            // The first is an entry at the heading's own column, or the list is written as usual.
            if found.is_empty() {
                return (Vec::new(), 0);
            }
            found.push(format!("  {line}"));
            continue;
        }
        let follows = found.last().is_some_and(|last| !last.trim().is_empty());
        // `export-pkg Create it`: a name as wide as its column.
        let is_wide = follows
            && line.trim_start().split(' ').next().is_some_and(|first| first.len() > 8 && is_name(first));
        if indent(line) < indented || !is_entry(at, line) && !is_wide || begins_other(line) {
            break;
        }
        found.push(format!("  {}", line.trim_end_matches(':')));
        count = at + 1;
    }
    found.truncate(count);
    (found, count)
}

pub(super) fn entry(left: &str, description: &str) -> String {
    if description.is_empty() { format!("  {left}") } else { format!("  {left}  {description}") }
}
