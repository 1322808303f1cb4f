//! Lists whose lines begin with the program.

use std::collections::HashSet;

use super::forms::entry;
use super::{LEAST, MANY, MOST, MOST_LISTS};
use crate::choices::is_kind;
use crate::clean::indent;
use crate::subcommands::is_name;

/// Most lines of arguments above a description.
const MOST_BELOW: usize = 6;

/// `mix clean    # Deletes it`: lines that begin with the command, and are described beside or beneath.
pub(super) fn of_program(lines: &mut Vec<String>, name: &str) {
    if name.is_empty() {
        return;
    }
    without_prompts(lines, name);
    let begins = |line: &String| line.trim_start().starts_with(name);
    let all = lines.iter().filter(|line| begins(line)).count();
    if all < LEAST {
        return;
    }
    let mut lists = 0;
    // Indentation of a list above.
    let mut known: Option<usize> = None;
    let mut at = 0;
    let mut old = std::mem::take(lines);
    while at < old.len() {
        let run = match old.get(at..) {
            Some(rest) if lists < MOST_LISTS => Run::at(rest, name, known),
            _ => Run::default(),
        };
        lists += usize::from(run.count > 0);
        // texconfig: forms stand elsewhere.
        let is_alone = all <= run.names.len() + LEAST;
        let end = at + run.count.max(1);
        let indented = old.get(at).map(|line| indent(line));
        if (run.is_list(is_alone) || run.is_group && run.count > 0) && !is_below_other(lines, name) {
            // The title of a group stands less far in.
            let is_title = |line: &String| !line.trim().is_empty() && Some(indent(line)) < indented;
            if run.is_group {
                lines.pop_if(|line| is_title(line));
            }
            known = indented;
            lines.push("Commands:".to_owned());
            lines.extend(run.lines);
        } else {
            lines.extend(old.iter_mut().take(end).skip(at).map(std::mem::take));
        }
        at = end;
    }
}

/// rdme: `$ rdme openapi   Upload it`, as at a prompt.
fn without_prompts(lines: &mut [String], name: &str) {
    let bare = |line: &str| {
        let text = line
            .trim_start()
            .strip_prefix("$ ")
            .filter(|text| text.starts_with(name) && text.contains("  "))?;
        Some(format!("{}  {text}", " ".repeat(indent(line))))
    };
    if lines.iter().filter(|line| bare(line).is_some()).take(LEAST).count() == LEAST {
        for line in lines {
            *line = bare(line).unwrap_or_else(|| std::mem::take(line));
        }
    }
}

/// Lines that begin with the program, and what stands between them.
#[derive(Default)]
struct Run {
    names: Vec<String>,
    /// Whether it goes on with a list above; then it can be short, and its names can stand alone.
    is_group: bool,
    /// Names without a description of their own.
    bare: usize,
    /// Whether nothing follows any of the names.
    is_plain: bool,
    /// The lines as entries, and what is indented more.
    lines: Vec<String>,
    /// Number of lines of the text.
    count: usize,
}

impl Run {
    /// The run that begins with the first of these lines. `known` is the indentation of a list above.
    fn at(lines: &[String], name: &str, known: Option<usize>) -> Self {
        let is_group = known.is_some() && known == lines.first().map(|line| indent(line));
        let mut run = Self { is_group, is_plain: true, ..Self::default() };
        let mut indented = None;
        // Lines that count if another entry follows, or if nothing is between.
        let mut between: Vec<String> = Vec::new();
        for (at, line) in lines.iter().take(MOST).enumerate() {
            let behind = line.trim_start().strip_prefix(name).and_then(|rest| rest.strip_prefix(' '));
            let behind =
                behind.map(str::trim_start).filter(|_| indented.is_none_or(|own| own == indent(line)));
            let Some(behind) = behind else {
                let is_deeper = indented.is_some_and(|own| indent(line) > own);
                if indented.is_none() || !line.trim().is_empty() && !is_deeper {
                    break;
                }
                between.push(if is_deeper { format!("    {line}") } else { String::new() });
                continue;
            };
            if !run.take(behind, line, lines.get(at + 1..).unwrap_or_default(), name, &mut between) {
                break;
            }
            (indented, run.count) = (Some(indent(line)), at + 1);
        }
        let below: Vec<String> = between.into_iter().take_while(|line| !line.is_empty()).collect();
        run.count += below.len();
        run.lines.extend(below);
        run
    }

    /// Takes what stands behind the program in a line, if it is a subcommand.
    fn take(
        &mut self,
        behind: &str,
        line: &str,
        next: &[String],
        name: &str,
        between: &mut Vec<String>,
    ) -> bool {
        let first = behind.split([' ', ':', '|']).next().unwrap_or_default();
        if !is_name(first) || !first.starts_with(|c: char| c.is_ascii_lowercase()) {
            return false;
        }
        let parted = ["  ", " # ", " - "].iter().find_map(|gap| behind.split_once(gap));
        let right = parted.map_or("", |(_, right)| right.trim_start().trim_start_matches(['#', '-']).trim());
        // encfsctl: `-- show it`.
        let is_argument =
            |text: &str| text.starts_with(['[', '<', '{', '(', '-', '|']) && !text.starts_with("-- ");
        let is_sentence = right.contains(' ') && !is_argument(right) && !are_arguments(right);
        // jfr: arguments go on beneath.
        let is_deeper = |next: &&String| !next.trim().is_empty() && indent(next) > indent(line);
        // fossil: with a blank line between.
        let blank = next.iter().take_while(|line| line.trim().is_empty()).take(1).count();
        let mut below = next.iter().skip(blank).take(MOST_BELOW).take_while(is_deeper);
        let new = match parted {
            Some((left, _)) if is_sentence => entry(left, right),
            _ if below.any(|next| !is_argument(next.trim_start())) => entry(behind.trim_end_matches(':'), ""),
            // btrfs: the next has the same description.
            _ if self.is_group
                && behind.split_once(' ').is_none_or(|(_, rest)| is_argument(rest.trim_start()))
                || next.first().is_some_and(|next| next.trim_start().starts_with(name)) =>
            {
                self.bare += 1;
                entry(first, "")
            }
            _ => return false,
        };
        self.is_plain &= behind == first;
        self.lines.append(between);
        self.lines.push(new);
        self.names.push(first.to_owned());
        true
    }

    /// Whether there are enough names, most of them described, and most of them no names of arguments or files.
    fn is_list(&self, is_alone: bool) -> bool {
        let distinct: HashSet<&String> = self.names.iter().collect();
        // 0install: names and nothing else.
        if self.bare == self.names.len() && self.is_plain && distinct.len() == self.names.len() {
            return is_alone && distinct.len() >= MANY;
        }
        let are_files = distinct.iter().all(|name| name.contains('.'));
        distinct.len() >= LEAST
            && self.bare * 2 <= self.names.len()
            && !are_files
            && distinct.iter().filter(|name| is_kind(name)).count() * 2 < distinct.len()
    }
}

/// Whether a text is made of names of arguments, at least in half: `FILE type TYPE`.
fn are_arguments(text: &str) -> bool {
    let is_name = |word: &&str| {
        word.len() > 1 && word.contains(char::is_uppercase) && !word.contains(char::is_lowercase)
    };
    let names = text.split(' ').filter(is_name).count();
    names > 0 && names >= text.split(' ').filter(|word| word.chars().all(char::is_lowercase)).count()
}

/// Whether lines end with `Examples:`, or with `Commands:`, below which a list is written as usual.
fn is_below_other(lines: &[String], name: &str) -> bool {
    const NEAR: usize = 12;
    let others = lines.iter().rev().take(NEAR);
    let above = others.filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with(name));
    let mut nearest = true;
    for line in above {
        let lower = line.to_lowercase();
        let is_list = nearest && line.trim().eq_ignore_ascii_case("commands:");
        if is_list || lower.contains("example") || lower.contains("topic") {
            return true;
        }
        // What is above a heading is about something else.
        if !line.starts_with(' ') {
            return false;
        }
        nearest = false;
    }
    false
}
