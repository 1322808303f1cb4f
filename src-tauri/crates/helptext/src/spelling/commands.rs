//! Lists of subcommands that programs write in a way of their own, as entries below `Commands:`.

use std::collections::HashSet;

/// Most lines of a list.
const MOST: usize = 1_000;
/// Fewest lines that begin with the program's name, and are a list for it.
const LEAST: usize = 3;

/// Replaces such lists. `name` is the command.
pub(super) fn listed(lines: &mut Vec<String>, name: &str) {
    without_rules(lines);
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
    alone(lines);
}

/// `brz help commands`: a list and nothing else.
fn alone(lines: &mut Vec<String>) {
    const FEWEST: usize = 8;
    let start = lines.iter().take_while(|line| line.trim().is_empty()).count();
    let column = |line: &String| {
        let (left, right) = line.split_once("  ")?;
        let is_entry = is_word(left) && left.starts_with(|c: char| c.is_ascii_lowercase());
        is_entry.then(|| line.len() - right.trim_start().len())
    };
    let columns: Vec<usize> = lines.iter().skip(start).filter_map(column).collect();
    if lines.get(start).and_then(column).is_some()
        && columns.len() >= FEWEST
        && columns.iter().all(|column| Some(column) == columns.first())
    {
        for line in lines.iter_mut().filter(|line| !line.trim().is_empty()) {
            line.insert_str(0, "  ");
        }
        lines.insert(0, "Commands:".to_owned());
    }
}

fn indent(line: &str) -> usize {
    line.chars().take_while(|c| *c == ' ').count()
}

/// Whether a line only underlines the one above.
fn is_rule(line: &str) -> bool {
    let text = line.trim();
    text.len() > 2 && text.chars().all(|c| matches!(c, '-' | '=' | '~'))
}

/// Removes the lines that underline headings of commands and, in dub, of the groups below.
fn without_rules(lines: &mut Vec<String>) {
    let (mut is_list, mut above_is_heading) = (false, false);
    lines.retain(|line| {
        let is_rule = is_rule(line);
        if is_rule && (above_is_heading || line.trim().starts_with('=')) {
            is_list = above_is_heading;
        }
        above_is_heading = Heading::of(line).is_some();
        !(is_rule && is_list)
    });
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
    text: &'a str,
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
            let is_name = |last: &str| last.ends_with("commands") && last.chars().all(char::is_alphabetic);
            // bwa: `Command: index   index sequences`.
            words.last().is_some_and(|last| is_name(last) || *last == "command" && !behind.trim().is_empty())
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
            text,
            indent: indent(line),
            behind: behind.trim(),
            column: line.len() - behind.trim_start().len(),
        })
    }
}

/// Entries for the list below a heading, and the number of its lines. None if it is written as usual.
fn entries(heading: &Heading<'_>, lines: &[String], name: &str) -> (Vec<String>, usize) {
    if !heading.behind.is_empty() {
        return behind(heading, lines).unwrap_or_default();
    }
    let mut all: Vec<String> = Vec::new();
    let mut count = 0;
    // Blocks of the same form, with blank lines between.
    for form in [grid, commas, bulleted, dotted, dashed] {
        while let Some(rest) = lines.get(count..) {
            let blank = if all.is_empty() {
                0
            } else {
                rest.iter().take_while(|line| line.trim().is_empty()).count()
            };
            let block: Vec<&str> = rest
                .iter()
                .skip(blank)
                .take(MOST)
                .take_while(|line| !line.trim().is_empty())
                .map(String::as_str)
                .collect();
            let Some((found, length)) = form(&block) else { break };
            all.extend(found);
            count += blank + length;
        }
        if !all.is_empty() {
            return (all, count);
        }
    }
    let (found, count) = flush(heading.indent, lines);
    // git-lfs: `git lfs env:`. kingpin: `check config <file>` in the help of `promtool check`.
    let own = name.split(' ').next_back().unwrap_or_default();
    let bare = |line: &String| {
        let behind = |own: &str| line.trim_start().strip_prefix(own)?.strip_prefix(' ');
        let rest = behind(name).or_else(|| behind(own)).filter(|_| !own.is_empty())?;
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
fn behind(heading: &Heading<'_>, lines: &[String]) -> Option<(Vec<String>, usize)> {
    let is_beneath = |line: &&String| indent(line) > heading.indent && !line.trim().is_empty();
    let more: Vec<&str> = lines.iter().take_while(is_beneath).map(String::as_str).collect();
    let listed = listed_words(std::iter::once(heading.behind).chain(more.iter().copied()), ',');
    if let Some(listed) = listed {
        return Some((listed, more.len()));
    }
    // jupyter: `Available subcommands: kernel migrate run`.
    let says_which = ["Available ", "Valid ", "Supported "].iter().any(|word| heading.text.starts_with(word));
    if let Some(listed) =
        listed_words(std::iter::once(heading.behind), ' ').filter(|_| says_which && more.is_empty())
    {
        return Some((listed, 0));
    }
    let is_aligned = |line: &&String| line.trim().is_empty() || indent(line) == heading.column;
    let aligned: Vec<&str> = lines.iter().take(MOST).take_while(is_aligned).map(|line| line.trim()).collect();
    let count = aligned.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    let all: Vec<&str> = std::iter::once(heading.behind)
        .chain(aligned.into_iter().take(count).filter(|line| !line.is_empty()))
        .collect();
    let is_list = all.len() >= LEAST && all.iter().all(|line| line.split(' ').next().is_some_and(is_word));
    is_list.then(|| {
        let parted = |text: &&str| match text.split_once(' ') {
            Some((word, rest)) => entry(word, rest.trim_start()),
            None => entry(text, ""),
        };
        (all.iter().map(parted).collect(), count)
    })
}

/// Entries of words that commas or blanks separate, if nothing else stands between.
fn listed_words<'l>(lines: impl Iterator<Item = &'l str>, separator: char) -> Option<Vec<String>> {
    let text = lines.map(str::trim).collect::<Vec<_>>().join(" ");
    let bare = |part: &str| {
        let part = part.strip_prefix("and ").or_else(|| part.strip_prefix("or ")).unwrap_or(part).trim();
        is_word(part).then(|| entry(part, ""))
    };
    let parts = text.trim_end_matches('.').split(separator).map(str::trim).filter(|part| !part.is_empty());
    let all: Option<Vec<String>> = parts.map(bare).collect();
    all.filter(|all| all.len() >= LEAST)
}

/// `access, add, audit,`, in npm.
fn commas(block: &[&str]) -> Option<(Vec<String>, usize)> {
    listed_words(block.iter().copied(), ',').map(|all| (all, block.len()))
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
    let indented = block.first().map_or(0, |line| indent(line));
    let parted = |line: &&str| {
        let Some((left, right)) = line.split_once(" ..") else {
            // cordova: the description goes on beneath.
            return (indent(line) > indented + 8).then(|| format!("      {}", line.trim()));
        };
        let right = right.trim_start_matches('.').strip_prefix(' ')?;
        left.trim().split(' ').next().is_some_and(is_word).then(|| entry(left.trim(), right))
    };
    let all: Vec<String> = block.iter().map_while(parted).collect();
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

/// `mix clean    # Deletes it`: lines that begin with the command, and are described beside or beneath.
fn of_program(lines: &mut Vec<String>, name: &str) {
    if name.is_empty() {
        return;
    }
    let mut at = 0;
    while at < lines.len() {
        let (run, count) = run_of_program(lines.get(at..).unwrap_or_default(), name);
        let names: HashSet<&str> =
            run.iter().filter_map(|line| line.trim_start().split(' ').next()).collect();
        if names.len() >= LEAST && !is_below_other(lines.get(..at).unwrap_or_default(), name) {
            let new: Vec<String> = std::iter::once("Commands:".to_owned()).chain(run).collect();
            let length = new.len();
            lines.splice(at..at + count, new);
            at += length;
        } else {
            at += count.max(1);
        }
    }
}

/// Entries for the lines at the beginning that are such, and the number of lines.
fn run_of_program(lines: &[String], name: &str) -> (Vec<String>, usize) {
    let mut found: Vec<String> = Vec::new();
    let mut count = 0;
    let mut indented = None;
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
        let is_sentence = right.contains(' ') && !right.starts_with(['[', '<', '{', '(', '-', '|']);
        let below = lines.get(at + 1).filter(|next| !next.trim().is_empty() && indent(next) > indent(line));
        let below =
            below.map(|next| next.trim()).filter(|next| !next.starts_with(['[', '<', '{', '(', '-', '|']));
        match (parted, below) {
            (Some((left, _)), _) if is_sentence => found.push(entry(left, right)),
            (_, Some(description)) => found.push(entry(behind.trim_end_matches(':'), description)),
            // btrfs: another way to write the next.
            _ if lines
                .get(at + 1)
                .is_some_and(|next| next.trim_start().starts_with(&format!("{name} {first}"))) => {}
            _ => break,
        }
        (indented, count) = (Some(indent(line)), at + 1);
    }
    // What describes the last goes with it.
    let rest = lines.iter().skip(count);
    let below =
        rest.take_while(|line| !line.trim().is_empty() && indented.is_some_and(|own| indent(line) > own));
    (found, count + below.count())
}

/// Whether lines end with `Examples:`, or with `Commands:`, below which a list is written as usual.
fn is_below_other(lines: &[String], name: &str) -> bool {
    const NEAR: usize = 4;
    let is_heading = |line: &&String| !line.trim().is_empty() && !line.trim_start().starts_with(name);
    let above = lines.iter().rev().take(NEAR).find(is_heading);
    above.is_some_and(|line| {
        line.to_lowercase().contains("example") || line.trim().eq_ignore_ascii_case("commands:")
    })
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
