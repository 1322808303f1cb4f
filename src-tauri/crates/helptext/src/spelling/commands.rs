//! Lists of subcommands that programs write in a way of their own, as entries below `Commands:`.

mod forms;
mod of_program;
mod traitlets;
mod unheaded;

use crate::clean::indent;
use crate::subcommands::is_name;
use forms::{aligned, behind, bulleted, colons, commas, dashed, dotted, flush, grid, titled};
use of_program::of_program;
pub use unheaded::with_heading;

/// Most lists.
const MOST_LISTS: usize = 100;
/// Most lines of a list.
const MOST: usize = 1_000;
/// Fewest names of a list whose form says that it is one.
const LEAST: usize = 3;
/// Fewest words or lines in a row that are names where nothing says so.
const MANY: usize = 5;

/// Replaces such lists. `name` is the command.
pub(super) fn listed(lines: &mut Vec<String>, name: &str) {
    traitlets::listed(lines);
    without_rules(lines);
    without_signs(lines, name);
    without_quotes(lines);
    utilities(lines);
    unheaded::of_group(lines, name);
    below_headings(lines, name);
    of_program(lines, name);
    alone(lines);
    below_program(lines, name);
}

fn below_headings(lines: &mut Vec<String>, name: &str) {
    let (mut lists, mut tries) = (0, 0);
    let mut at = 0;
    // What is deeper than an option describes it.
    let mut option: Option<usize> = None;
    let mut old = std::mem::take(lines);
    while let Some(line) = old.get_mut(at).map(std::mem::take) {
        at += 1;
        let text = line.trim_start();
        option = option.filter(|option| text.is_empty() || line.len() - text.len() > *option);
        let may_be = lists < MOST_LISTS && option.is_none();
        // sssctl: `* domain-list   List them`, below titles.
        if lists > 0
            && let Some(text) = line.strip_prefix("* ").filter(|text| text.contains("  "))
        {
            lines.push(format!("  {text}"));
            continue;
        }
        if text.starts_with('-') && !text.starts_with("- ") {
            option = option.or(Some(indent(&line)));
        }
        // getcert: rows at the margin, directly beneath.
        if may_be && tries < MOST_LISTS && is_usage_of_command(&line) {
            tries += 1;
            let (found, count) = flush(0, old.get(at..).unwrap_or_default());
            let names = found.iter().filter(|line| indent(line) == 2).map(|line| line.trim_start());
            let is_list =
                names.clone().count() >= MANY && !names.clone().any(|line| line.starts_with("command "));
            if is_list {
                lines.extend([line, "Commands:".to_owned()]);
                lines.extend(found);
                at += count;
                continue;
            }
        }
        if let Some(heading) = Heading::of(&line).filter(|_| may_be) {
            lists += 1;
            let start = first_below(&old, at);
            let below = old.get(start..).unwrap_or_default();
            let (entries, count) = entries(&heading, below, name);
            if !entries.is_empty() {
                lines.push(if heading.is_of_actions { "Actions:" } else { "Commands:" }.to_owned());
                lines.extend(entries);
                at = start + count;
                continue;
            }
            // changeset: `Commands`, and indented entries.
            let is_indented = below.first().is_some_and(|below| indent(below) > heading.indent);
            if !line.contains(':') && heading.indent > 0 && is_indented {
                lines.push(format!("{}:", line.trim_end()));
                continue;
            }
        } else if may_be
            && tries < MOST_LISTS
            && (is_bare_usage(&line) || says_commands(lines.last(), &line, old.get(at)))
        {
            tries += 1;
            let first = first_below(&old, at);
            // colormgr: the only form stands above them.
            let is_form =
                is_bare_usage(&line) && old.get(first).is_some_and(|form| is_form_of_options(form, name));
            let start = if is_form { first_below(&old, first + 1) } else { first };
            if are_names(&block(old.get(start..).unwrap_or_default()), is_bare_usage(&line), name) {
                lists += 1;
                lines.push(line);
                lines.extend(old.iter_mut().take(start).skip(at).map(std::mem::take));
                lines.push("Commands:".to_owned());
                at = start;
                continue;
            }
        }
        lines.push(line);
    }
}

/// The lines up to the next blank one.
fn block(lines: &[String]) -> Vec<&str> {
    lines.iter().take(MOST).take_while(|line| !line.trim().is_empty()).map(String::as_str).collect()
}

/// Whether a line is a form with nothing but a place for options: `colormgr [OPTION?]`.
fn is_form_of_options(line: &str, name: &str) -> bool {
    let (program, rest) = line.trim().split_once(' ').unwrap_or_default();
    // GLib writes the whole path.
    let program = program.rsplit('/').next().unwrap_or_default();
    !name.is_empty() && program == name && rest.starts_with("[OPTION") && !rest.contains(' ')
}

/// Whether a line is a form with a place for a subcommand.
fn is_usage_of_command(line: &str) -> bool {
    let behind = line.get(..6).filter(|word| word.eq_ignore_ascii_case("usage:")).and_then(|_| line.get(6..));
    let is_command = |word: &str| ["command", "<command>", "COMMAND"].contains(&word);
    behind.is_some_and(|form| form.split(' ').any(is_command))
}

fn is_bare_usage(line: &str) -> bool {
    line.trim().eq_ignore_ascii_case("usage:")
}

/// Whether a paragraph that ends here speaks of commands, as in easyrsa: `Here is the list of commands.`
fn says_commands(above: Option<&String>, line: &str, below: Option<&String>) -> bool {
    let is_end = line.ends_with(['.', ':']) && below.is_some_and(|line| line.trim().is_empty());
    is_end && (line.contains(" commands") || above.is_some_and(|line| line.contains(" commands")))
}

/// Whether each line is a name of a command: in the usage with a sentence, elsewhere with nothing but arguments.
fn are_names(block: &[&str], are_described: bool, name: &str) -> bool {
    let indented = block.first().map_or(0, |line| indent(line));
    if block.len() < MANY || indented == 0 {
        return false;
    }
    let is_entry = |line: &&str| {
        let text = line.trim();
        let first = text.split(' ').next().unwrap_or_default();
        let behind = text.get(first.len()..).unwrap_or_default();
        let is_name =
            is_name(first) && first.starts_with(|c: char| c.is_ascii_lowercase()) && first.len() > 1;
        let (arguments, description) = behind.split_once("  ").unwrap_or((behind, ""));
        // fwupdmgr: `clean-remote REMOTE-ID`.
        let is_argument = |word: &str| {
            word.starts_with(['[', '<'])
                || word.starts_with(|c: char| c.is_ascii_uppercase())
                    && !word.contains(|c: char| c.is_ascii_lowercase())
        };
        let has_arguments = arguments.split_whitespace().next().is_none_or(is_argument);
        let fits = match are_described {
            // The description may stand beneath.
            true => {
                has_arguments
                    && (description.is_empty() || description.trim_start().starts_with(char::is_alphabetic))
            }
            false => has_arguments && description.is_empty(),
        };
        is_name && fits && first != name && indent(line) == indented
    };
    let is_beneath = |line: &&str| are_described && indent(line) > indented + 8;
    let count = block.iter().filter(|line| is_entry(line)).count();
    let has_columns = block.iter().filter(|line| line.trim().contains("  ")).count();
    count >= MANY
        && (!are_described || has_columns >= LEAST)
        && block.iter().all(|line| is_entry(line) || is_beneath(line))
}

/// `brz help commands`: a list and nothing else.
fn alone(lines: &mut Vec<String>) {
    const FEWEST: usize = 8;
    let column = |line: &String| {
        let (left, right) = line.split_once("  ")?;
        let is_entry = is_name(left) && left.starts_with(|c: char| c.is_ascii_lowercase());
        is_entry.then(|| line.len() - right.trim_start().len())
    };
    let first = lines.iter().find(|line| !line.trim().is_empty()).and_then(column);
    // A name that is wider than its column.
    let is_wide =
        |line: &String| line.split(' ').next().is_some_and(|word| word.len() > MANY && is_name(word));
    let fits = |line: &String| {
        line.trim().is_empty()
            || line.starts_with(' ')
            || column(line) == first
            || column(line).is_none() && is_wide(line)
    };
    let count = lines.iter().filter(|line| !line.starts_with(' ') && !line.trim().is_empty()).count();
    if first.is_some() && count >= FEWEST && lines.iter().all(fits) {
        for line in lines.iter_mut().filter(|line| !line.trim().is_empty()) {
            line.insert_str(0, "  ");
        }
        lines.insert(0, "Commands:".to_owned());
    }
}

/// gluegun: a table and nothing else, in which the program comes first.
fn below_program(lines: &mut Vec<String>, name: &str) {
    // Where a row begins, and its description.
    let row = |line: &String| {
        let (left, right) = line.trim_start().split_once("  ")?;
        let is_row = left.split(' ').next().is_some_and(is_name) && left.split(' ').count() <= 2;
        is_row.then(|| (indent(line), line.len() - right.trim_start().len()))
    };
    let filled = || lines.iter().filter(|line| !line.trim().is_empty());
    let Some(first) = filled().next() else { return };
    let begins = first.trim_start().strip_prefix(name).is_some_and(|rest| rest.starts_with("  "));
    let is_table =
        begins && indent(first) > 0 && row(first).is_some() && filled().all(|line| row(line) == row(first));
    if is_table && filled().count() > LEAST {
        lines.insert(0, "Commands:".to_owned());
    }
}

/// mwdiffs: `* dump2diffs -- Makes them`, above the usage.
fn utilities(lines: &mut Vec<String>) {
    let parted = |line: &str| {
        let (name, text) = line.strip_prefix("* ")?.split_once(" -- ")?;
        is_name(name).then(|| format!("  {name}  {}", text.trim()))
    };
    let Some(first) = lines.iter().position(|line| parted(line).is_some()) else { return };
    // Below a heading, they are what that says.
    let has_heading = lines.iter().take(first).any(|line| line.trim_end().ends_with(':'));
    if has_heading || !lines.iter().any(|line| line.contains(" <utility>")) {
        return;
    }
    for line in lines.iter_mut() {
        if let Some(entry) = parted(line) {
            *line = entry;
        }
    }
    lines.insert(first, "Actions:".to_owned());
}

/// pg_autoctl: `+ create    Create it`, for a group, beneath the program.
fn without_signs(lines: &mut Vec<String>, name: &str) {
    let behind = |line: &str| {
        let text = line.trim_start().strip_prefix("+ ")?;
        let (left, _) = text.split_once("  ")?;
        is_name(left.trim_end()).then(|| format!("{}  {text}", " ".repeat(indent(line))))
    };
    let Some(first) = lines.iter().position(|line| behind(line).is_some()) else { return };
    if let Some(above) =
        first.checked_sub(1).filter(|above| lines.get(*above).is_some_and(|line| line.trim() == name))
    {
        lines.remove(above);
    }
    for line in lines.iter_mut() {
        if let Some(bare) = behind(line) {
            *line = bare;
        }
    }
}

/// bucardo: `"stop [<reason>]"`, each with its description beneath.
fn without_quotes(lines: &mut [String]) {
    let quoted = |line: &str| {
        let text = line.trim_start().strip_prefix('"')?.strip_suffix('"')?;
        let is_command = text.split(' ').next().is_some_and(is_name) && !text.contains('"');
        (is_command && line.starts_with(' ')).then(|| format!("{}{text}", " ".repeat(indent(line))))
    };
    if lines.iter().filter(|line| quoted(line).is_some()).take(LEAST).count() == LEAST {
        for line in lines {
            *line = quoted(line).unwrap_or_else(|| std::mem::take(line));
        }
    }
}

/// Whether a line only underlines the one above.
fn is_rule(line: &str) -> bool {
    let text = line.trim();
    text.len() > 2 && text.chars().all(|c| matches!(c, '-' | '=' | '~'))
}

/// Removes the lines that underline headings and, in dub, the headings of groups of commands, which are indented more.
fn without_rules(lines: &mut Vec<String>) {
    if !lines.iter().any(|line| is_rule(line)) {
        return;
    }
    let mut list: Option<usize> = None;
    let mut rest = std::mem::take(lines).into_iter().peekable();
    while let Some(line) = rest.next() {
        let has_rule =
            !line.trim().is_empty() && !is_rule(&line) && rest.peek().is_some_and(|below| is_rule(below));
        if has_rule && Heading::of(&line).is_some() {
            list = Some(indent(&line));
            rest.next();
        } else if has_rule && list.is_some_and(|list| indent(&line) > list) {
            rest.next();
            continue;
        } else if has_rule {
            list = None;
            if !line.trim().contains("  ") {
                rest.next();
            }
        }
        lines.push(line);
    }
}

/// The first line at or below `at` that is neither blank nor a rule nor a remark, and does not say how to learn more.
fn first_below(lines: &[String], at: usize) -> usize {
    const MOST: usize = 5;
    let is_hint = |line: &str| {
        let word = line.split_whitespace().next().unwrap_or_default();
        // git-secret: `see 'git secret [command] -h' for more`.
        word == "see" && line.contains(" -h")
            || ["Use", "Type", "Run", "See", "Try", "For"].contains(&word) && line.contains("help")
    };
    // tyro: `(required)`, `(default: run)`.
    let is_remark = |line: &str| {
        let text = line.trim();
        text == "(required)" || text.starts_with("(default: ") && text.ends_with(')')
    };
    let is_skipped =
        |line: &&String| line.trim().is_empty() || is_rule(line) || is_hint(line) || is_remark(line);
    at + lines.iter().skip(at).take(MOST).take_while(is_skipped).count()
}

/// A line above a list of commands: `Commands:`, `The most used commands are:`, `Cipher commands (see there)`.
struct Heading<'a> {
    text: &'a str,
    indent: usize,
    /// What stands behind the colon, and its column.
    behind: &'a str,
    column: usize,
    /// Whether it is `ACTIONS`, which are commands where the usage has a place for an action.
    is_of_actions: bool,
}

impl<'a> Heading<'a> {
    fn of(line: &'a str) -> Option<Self> {
        const MOST_WORDS: usize = 9;
        // AsciiDoc: `=== High level commands`.
        let text = line.trim_start().trim_start_matches('=').trim_start();
        // coreutils, busybox
        if text.starts_with("Currently defined functions:") {
            return Some(Self { text, indent: indent(line), behind: "", column: 0, is_of_actions: false });
        }
        // lein
        if ["tasks are available:", "vailable tasks:"].iter().any(|end| text.trim_end().ends_with(end)) {
            return Some(Self { text, indent: indent(line), behind: "", column: 0, is_of_actions: false });
        }
        // git-ftp
        if ["ACTIONS", "Actions:"].contains(&text.trim_end()) {
            return Some(Self { text, indent: indent(line), behind: "", column: 0, is_of_actions: true });
        }
        if !["ommand", "OMMAND", "CMD", "<cmd>"].iter().any(|word| line.contains(word)) {
            return None;
        }
        // `fs: Commands are:`
        let named = text.split_once(": ").filter(|(name, _)| !name.contains(' ')).map(|(_, text)| text);
        let text = named.filter(|text| text.starts_with("Commands")).unwrap_or(text);
        let (head, behind) = text.split_once(':').unwrap_or((text, ""));
        let plain = head.split(" (").next().unwrap_or(head).trim_end().to_lowercase();
        let words: Vec<&str> = plain.split_whitespace().collect();
        let is_named = |words: &[&str]| {
            let is_name = |last: &str| last.ends_with("commands") && last.chars().all(char::is_alphabetic);
            // bwa: `Command: index   index sequences`.
            let is_one = |last: &str| last == "command" && (!behind.trim().is_empty() || text == "Command:");
            words.last().is_some_and(|last| is_name(last) || is_one(last))
        };
        // ovn-nbctl: `DHCP Options commands:`.
        let are_about_options = plain.ends_with(" options commands");
        let is_of_options =
            !are_about_options && words.iter().any(|word| word.starts_with("option") && *word != "optional");
        // node-gyp: `where <command> is one of:`.
        let is_one_of = || {
            let ends = [" is one of", " is one of the following", " can be one of"]
                .iter()
                .any(|end| plain.ends_with(end));
            let is_command =
                |word: &&str| ["command", "subcommand", "cmd"].contains(&word.trim_matches(['<', '>']));
            words.iter().position(is_command).filter(|_| ends)
        };
        let names = words.iter().position(|word| is_named(&[word])).or_else(is_one_of)?;
        // Without a colon, only the name of a list. `What to do. Supported commands:` is in a description.
        let is_heading = !head.contains(". ")
            && match text.contains(':') {
                true => is_one_of().is_some() || plain.ends_with(" as follows") || words.len() - names <= 4,
                false => is_named(&words) && words.len() <= 4 && !text.trim_end().ends_with('.'),
            };
        let is_usage = plain.starts_with("usage") || text.starts_with('-') || head.contains("  ");
        (is_heading && !is_of_options && !is_usage && words.len() <= MOST_WORDS).then(|| Self {
            text,
            indent: indent(line),
            // kea-admin: `COMMAND: Currently supported operations are:`.
            behind: if behind.ends_with(" are:") { "" } else { behind.trim() },
            column: line.len() - behind.trim_start().len(),
            is_of_actions: false,
        })
    }
}

/// What takes a block apart: its entries, and the number of its lines.
type Form = fn(&[&str]) -> Option<(Vec<String>, usize)>;

/// Whether the names of a list stand below it again, each with what it does.
fn is_described_below(lines: &[String], all: &[String]) -> bool {
    let next = lines.iter().find(|line| !line.trim().is_empty());
    next.and_then(|line| line.split(' ').next())
        .is_some_and(|first| all.iter().any(|name| name.trim() == first))
}

/// Entries for the list below a heading, and the number of its lines. None if it is written as usual.
fn entries(heading: &Heading<'_>, lines: &[String], name: &str) -> (Vec<String>, usize) {
    if !heading.behind.is_empty() {
        return behind(heading, lines).unwrap_or_default();
    }
    // git-lfs: `git lfs env:`. nix: `· nix build - build it`. kingpin: `check config <file>` in the help of `promtool check`.
    let own = name.split(' ').next_back().unwrap_or_default();
    let parted = name.replace('-', " ");
    let bare = |line: &String| {
        let behind = |own: &str| line.trim_start().strip_prefix(own)?.strip_prefix(' ');
        let rest =
            behind(name).or_else(|| behind(&parted)).or_else(|| behind(own)).filter(|_| !own.is_empty())?;
        let rest = Some(rest).filter(|rest| rest.starts_with(char::is_alphabetic))?;
        Some(format!("{}{rest}", " ".repeat(indent(line))))
    };
    let mut all: Vec<String> = Vec::new();
    let mut count = 0;
    // Blocks of the same form, with blank lines between.
    // The second says whether descriptions can stand below the list.
    let forms: [(Form, bool); 7] = [
        (grid, false),
        (commas, true),
        (bulleted, false),
        (dotted, false),
        (dashed, false),
        (aligned, false),
        (titled, false),
    ];
    for (form, may_be_described) in forms {
        while let Some(rest) = lines.get(count..) {
            let blank = if all.is_empty() {
                0
            } else {
                rest.iter().take_while(|line| line.trim().is_empty()).count()
            };
            let block = block(rest.get(blank..).unwrap_or_default());
            let is_in = |line: &&str| lines.first().is_some_and(|first| indent(line) >= indent(first));
            let block = if block.first().is_some_and(is_in) { block } else { Vec::new() };
            let Some((found, length)) = form(&block) else { break };
            all.extend(found);
            count += blank + length;
        }
        if !all.is_empty() {
            // bq describes them below the list, with examples.
            if may_be_described && is_described_below(lines.get(count..).unwrap_or_default(), &all) {
                all.push("Descriptions:".to_owned());
            }
            return (all.iter().map(|line| bare(line).unwrap_or_else(|| line.clone())).collect(), count);
        }
    }
    let named: Vec<String> = match lines.first().and_then(bare) {
        Some(_) => lines.iter().take(MOST).map(|line| bare(line).unwrap_or_else(|| line.clone())).collect(),
        None => Vec::new(),
    };
    let lines = if named.is_empty() { lines } else { &named };
    if let Some(found) = colons(lines) {
        return found;
    }
    // apksigner: a title in the middle.
    let is_title = heading.text.trim_end() == "COMMANDS";
    let below = lines.first().filter(|_| is_title).map_or(heading.indent, |line| indent(line));
    flush(heading.indent.min(below), lines)
}

#[cfg(test)]
mod tests;
