//! Lists of subcommands that programs write in a way of their own, as entries below `Commands:`.

use std::collections::HashSet;

/// Most lines of a list.
const MOST: usize = 1_000;
/// Fewest lines that begin with the program's name, and are a list for it.
const LEAST: usize = 3;

/// Replaces such lists. `name` is the command.
pub(super) fn listed(lines: &mut Vec<String>, name: &str) {
    let mut at = 0;
    while at < lines.len() {
        if let Some(heading) = Heading::of(&lines[at]) {
            let start = first_below(lines, at + 1);
            let (entries, count) = entries(&heading, lines.get(start..).unwrap_or_default(), name);
            if count > 0 || !entries.is_empty() {
                let new = std::iter::once("Commands:".to_owned()).chain(entries);
                let new: Vec<String> = new.collect();
                let length = new.len();
                lines.splice(at..start + count, new);
                at += length;
                continue;
            }
        }
        at += 1;
    }
    of_program(lines, name);
}

fn indent(line: &str) -> usize {
    line.chars().take_while(|c| *c == ' ').count()
}

/// Whether a line only underlines the one above.
fn is_rule(line: &str) -> bool {
    let text = line.trim();
    text.len() > 2 && text.chars().all(|c| matches!(c, '-' | '=' | '~'))
}

/// The first line at or below `at` that is neither blank nor a rule nor says how to learn more.
fn first_below(lines: &[String], at: usize) -> usize {
    const MOST: usize = 5;
    let is_hint = |line: &str| {
        let word = line.split_whitespace().next().unwrap_or_default();
        ["Use", "Type", "Run", "See", "Try", "For"].contains(&word) && line.contains("help")
    };
    let is_skipped = |line: &&String| line.trim().is_empty() || is_rule(line) || is_hint(line);
    at + lines.iter().skip(at).take(MOST).take_while(is_skipped).count()
}

/// A line above a list of commands: `Commands:`, `The most used commands are:`, `Cipher commands (see there)`.
struct Heading<'a> {
    indent: usize,
    /// What stands behind the colon, and its column.
    behind: &'a str,
    column: usize,
}

impl<'a> Heading<'a> {
    fn of(line: &'a str) -> Option<Self> {
        const MOST_WORDS: usize = 9;
        if !["ommand", "OMMAND"].iter().any(|word| line.contains(word)) {
            return None;
        }
        let text = line.trim_start();
        let (head, behind) = text.split_once(':').unwrap_or((text, ""));
        let plain = head.split(" (").next().unwrap_or(head).trim_end().to_lowercase();
        let words: Vec<&str> = plain.split_whitespace().collect();
        let is_named = |words: &[&str]| {
            words
                .last()
                .is_some_and(|last| last.ends_with("commands") && last.chars().all(char::is_alphabetic))
        };
        let is_of_options = words.iter().any(|word| word.starts_with("option") && *word != "optional");
        let names = words.iter().position(|word| is_named(&[word]))?;
        // Without a colon, only the name of a list.
        let is_heading = match text.contains(':') {
            true => words.len() - names <= 4,
            false => is_named(&words) && !text.trim_end().ends_with('.') && !text.trim_end().contains("  "),
        };
        let is_usage = plain.starts_with("usage") || text.starts_with('-');
        (is_heading && !is_of_options && !is_usage && words.len() <= MOST_WORDS).then(|| Self {
            indent: indent(line),
            behind: behind.trim(),
            column: line.len() - behind.trim_start().len(),
        })
    }
}

/// Entries for the list below a heading, and the number of its lines. None if it is written as usual.
fn entries(heading: &Heading<'_>, lines: &[String], name: &str) -> (Vec<String>, usize) {
    let block: Vec<&str> =
        lines.iter().take(MOST).take_while(|line| !line.trim().is_empty()).map(String::as_str).collect();
    if !heading.behind.is_empty() {
        return behind(heading, &block).unwrap_or_default();
    }
    let found =
        grid(&block).or_else(|| bulleted(&block)).or_else(|| dotted(&block)).or_else(|| dashed(&block));
    if let Some(found) = found {
        return found;
    }
    let (found, count) = flush(heading.indent, lines);
    // kingpin: `check config <file>` in the help of `promtool check`.
    let own = name.split(' ').next_back().filter(|own| !own.is_empty());
    let bare = |line: &String| {
        let rest = line.trim_start().strip_prefix(own?)?.strip_prefix(' ')?;
        Some(format!("  {rest}"))
    };
    (found.iter().map(|line| bare(line).unwrap_or_else(|| line.clone())).collect(), count)
}

/// A name as one types it.
fn is_word(word: &str) -> bool {
    word.starts_with(char::is_alphanumeric)
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '+' | '@' | '/'))
        && word.chars().any(|c| c.is_lowercase() || c.is_ascii_digit())
        && !word.ends_with([':', '.'])
}

fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.split("  ").map(str::trim).filter(|cell| !cell.is_empty())
}

/// `Commands: create, update`, or a list of which the first stands beside the heading.
fn behind(heading: &Heading<'_>, block: &[&str]) -> Option<(Vec<String>, usize)> {
    let is_beneath = |line: &&&str| indent(line) > heading.indent;
    let more: Vec<&str> = block.iter().take_while(is_beneath).copied().collect();
    let all = std::iter::once(heading.behind).chain(more.iter().map(|line| line.trim()));
    let text = all.collect::<Vec<_>>().join(" ");
    let parts: Vec<&str> = text.trim_end_matches('.').split(',').map(str::trim).collect();
    let bare = |part: &&str| {
        let part = part.strip_prefix("and ").or_else(|| part.strip_prefix("or ")).unwrap_or(part).trim();
        is_word(part).then(|| entry(part, ""))
    };
    let listed: Vec<String> = parts.iter().filter_map(bare).collect();
    if listed.len() == parts.len() && listed.len() >= LEAST {
        return Some((listed, more.len()));
    }
    let aligned: Vec<&str> = more.iter().take_while(|line| indent(line) == heading.column).copied().collect();
    let is_list = aligned.len() + 1 >= LEAST
        && aligned.iter().all(|line| line.trim().split(' ').next().is_some_and(is_word));
    is_list.then(|| {
        let all = std::iter::once(heading.behind).chain(aligned.iter().map(|line| line.trim()));
        let parted = |text: &str| match text.split_once(' ') {
            Some((word, arguments)) => entry(word, arguments),
            None => entry(text, ""),
        };
        (all.map(parted).collect(), aligned.len())
    })
}

/// Names in several columns, without descriptions.
fn grid(block: &[&str]) -> Option<(Vec<String>, usize)> {
    let rows: Vec<Vec<&str>> = block
        .iter()
        .map(|line| cells(line).collect::<Vec<_>>())
        .take_while(|cells| cells.iter().all(|cell| is_word(cell)))
        .collect();
    let most = rows.iter().map(Vec::len).max()?;
    // In two columns, names go on behind the last of the first; otherwise the second describes.
    let column = |number: usize| rows.iter().filter_map(move |row| row.get(number).copied());
    let goes_on = || {
        let all: Vec<&str> = column(0).chain(column(1)).collect();
        rows.len() >= LEAST && all.is_sorted()
    };
    let is_grid = most > 2 || most == 2 && goes_on();
    let all = (0..most).flat_map(column).map(|word| entry(word, "")).collect();
    is_grid.then_some((all, rows.len()))
}

/// `- access`, in yarn.
fn bulleted(block: &[&str]) -> Option<(Vec<String>, usize)> {
    let behind = |line: &&str| {
        let text = line.trim_start();
        let behind = ["- ", "* ", "• "].iter().find_map(|bullet| text.strip_prefix(bullet))?;
        // `- generate-lock / generateLock`
        behind.split(' ').next().is_some_and(is_word).then(|| format!("  {}", behind.replace(" / ", ", ")))
    };
    let all: Vec<String> = block.iter().map_while(behind).collect();
    (all.len() > 1).then(|| (all.clone(), all.len()))
}

/// `info ........ Print it`, in ionic.
fn dotted(block: &[&str]) -> Option<(Vec<String>, usize)> {
    let behind = |line: &&str| {
        let (left, right) = line.split_once(" ..")?;
        let right = right.trim_start_matches('.').strip_prefix(' ')?;
        left.trim().split(' ').next().is_some_and(is_word).then(|| entry(left.trim(), right))
    };
    let all: Vec<String> = block.iter().map_while(behind).collect();
    (!all.is_empty()).then(|| (all.clone(), all.len()))
}

/// `  batch - issue many`, with names aligned at their ends.
fn dashed(block: &[&str]) -> Option<(Vec<String>, usize)> {
    let behind = |line: &&str| {
        let (left, right) = line.trim().split_once(" - ")?;
        is_word(left.trim()).then(|| entry(left.trim(), right.trim()))
    };
    let all: Vec<String> = block.iter().map_while(behind).collect();
    (all.len() >= LEAST && all.len() == block.len()).then(|| (all.clone(), all.len()))
}

/// Entries that are not indented below their heading.
fn flush(indented: usize, lines: &[String]) -> (Vec<String>, usize) {
    let is_entry = |at: usize, line: &str| {
        let text = line.trim_start();
        let next = lines.get(at + 1).map(String::as_str).unwrap_or_default();
        let is_deeper = !next.trim().is_empty() && indent(next) > indented;
        let first = text.split(' ').next().unwrap_or_default();
        let is_name = is_word(first) && first.starts_with(|c: char| c.is_ascii_lowercase());
        is_name && (text.trim_end().contains("  ") || is_deeper || text.contains(" - "))
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
            && line.trim_start().split(' ').next().is_some_and(|first| first.len() > 8 && is_word(first));
        if indent(line) < indented || !is_entry(at, line) && !is_wide {
            break;
        }
        found.push(format!("  {line}"));
        count = at + 1;
    }
    found.truncate(count);
    (found, count)
}

fn entry(left: &str, description: &str) -> String {
    if description.is_empty() { format!("  {left}") } else { format!("  {left}  {description}") }
}

/// `mix clean    # Deletes it`: lines that begin with the command, and describe what stands behind it.
fn of_program(lines: &mut Vec<String>, name: &str) {
    if name.is_empty() {
        return;
    }
    let described = |line: &String| {
        let behind = line.trim_start().strip_prefix(name)?.strip_prefix(' ')?.trim_start();
        let first = behind.split(' ').next().filter(|first| is_word(first))?;
        let is_lower = first.starts_with(|c: char| c.is_ascii_lowercase());
        let (left, right) = ["  ", " # ", " - "].iter().find_map(|gap| behind.split_once(gap))?;
        let right = right.trim_start().trim_start_matches(['#', '-']).trim();
        let is_sentence = right.contains(' ') && right.starts_with(char::is_alphabetic);
        (is_lower && is_sentence).then(|| (first.to_owned(), entry(left, right)))
    };
    let mut at = 0;
    while at < lines.len() {
        let run: Vec<(String, String)> = lines.iter().skip(at).take(MOST).map_while(described).collect();
        let names: HashSet<&String> = run.iter().map(|(first, _)| first).collect();
        if names.len() >= LEAST && !is_below_examples(lines, at) {
            let new =
                std::iter::once("Commands:".to_owned()).chain(run.iter().map(|(_, entry)| entry.clone()));
            let new: Vec<String> = new.collect();
            let length = new.len();
            lines.splice(at..at + run.len(), new);
            at += length;
        } else {
            at += run.len().max(1);
        }
    }
}

fn is_below_examples(lines: &[String], at: usize) -> bool {
    let above = lines.iter().take(at).rev().take(3).find(|line| !line.trim().is_empty());
    above.is_some_and(|line| line.to_lowercase().contains("example"))
}

#[cfg(test)]
mod tests {
    fn of(text: &str, name: &str) -> Vec<String> {
        crate::read(text, name).subcommands.into_iter().map(|command| command.name).collect()
    }

    #[test]
    fn lists_of_many_forms_are_read() {
        for (text, expected) in [
            // openssl, quilt
            (
                "help:\n\nStandard commands\nasn1parse   ca      ciphers\ncms         crl\n\nCipher commands (see `enc')\naes-128     bf      des\n",
                "asn1parse cms ca crl ciphers aes-128 bf des",
            ),
            // bup: two columns, in the order of the first.
            (
                "Other commands:\n    bloom     init\n    damage    join\n    gc        ls\n    help\n",
                "bloom damage gc help init join ls",
            ),
            // but `start  starts` has a description.
            (
                "Commands:\n    stop     stops\n    start    starts\n    again    restarts\n",
                "stop start again",
            ),
            // yarn, ionic, gm
            ("Commands:\n  - access\n  - generate-lock / generateLock\n", "access generate-lock"),
            ("Commands:\n  info ........ Print it\n  config <subcommand> ... Manage it\n", "info config"),
            (
                "Where commands include:\n    animate - show many\n      batch - issue many\n       help - say more\n",
                "animate batch help",
            ),
            // rrdtool, apt-ftparchive
            (
                "Usage: x [options] command\nValid commands: create, update,  dump,\n\t\tlast, and fetch\n\nMore.\n",
                "create update dump last fetch",
            ),
            (
                "Usage: x command\nCommands: packages binarypath [override]\n          sources srcpath\n          clean config\n",
                "packages sources clean",
            ),
            // dnf, kingpin
            (
                "List of Commands:\n\nalias        List them\nautoremove   Remove them\n\nOther text here.\n",
                "alias autoremove",
            ),
            (
                "Subcommands:\nx config [<flags>] <file>...\n    Check it.\n\nx metrics\n    Check them.\n",
                "config metrics",
            ),
            // vcsh: as far in as the heading.
            (
                "   commands:\n   commit               Commit\n   delete <repo>        Delete one\n",
                "commit delete",
            ),
            (
                "Available x commands:\n  Use 'x help <command>' for more\n\n  config      Show it\n  formats     List them\n",
                "config formats",
            ),
            // mix, net
            (
                "x            # Runs it\nx clean      # Deletes it all\nx deps.get   # Gets them all\nx do         # Does it now\n",
                "clean deps.get do",
            ),
            (
                "Usage:\nx rpc     Run over RPC\nx file    Open a file\nx share   Share a folder\n",
                "rpc file share",
            ),
            ("Examples:\nx rpc     Run over RPC\nx file    Open a file\nx share   Share a folder\n", ""),
            // svn, systemd, monit
            ("Available subcommands:\n   blame (praise, ann)\n   add\n", "blame add"),
            (
                "Commands:\n  call SERVICE METHOD [ARGUMENT...]\n              Call it\n  list        List them\n",
                "call list",
            ),
            (
                "Options are as follows:\n -h     Help\nOptional commands are as follows:\n start all    - Start all\n quit         - End it\n",
                "start quit",
            ),
        ] {
            assert_eq!(of(text, "x").join(" "), expected, "{text}");
        }
    }

    #[test]
    fn other_names_of_commands_are_none_of_their_own() {
        let text = "usage: x [-h] {run,r,list,l} ...\n\nsubcommands:\n  {run,r,list,l}\n    run (r)     run it\n    list (l)    list them\n";
        let read = crate::read(text, "x").subcommands;
        let read: Vec<(&str, String)> =
            read.iter().map(|one| (one.name.as_str(), one.aliases.join(" "))).collect();
        assert_eq!(read, [("run", "r".to_owned()), ("list", "l".to_owned())]);
    }
}
