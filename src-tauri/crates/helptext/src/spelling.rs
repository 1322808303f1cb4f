//! Entries that libraries write in a way of their own, in the usual way. Columns stay where they are.

mod aligned;
mod brackets;
mod commands;
mod flush;
mod libxml;
mod nested;
mod plural;
mod prefixes;
mod productions;
mod titles;
mod typed;
mod wrapped;

use std::collections::HashMap;

pub use commands::with_heading;
pub use plural::with_plural_heading;

use crate::choices::is_kind;
use crate::patterns::{found, found_near, pattern};

// Boost: `-f [ --file ] arg`, `-t [ --short ] [=arg(=1)] (=1)`, `--limit arg (=5)`.
pattern!(
    BOOST,
    r"^(\s*)(?:(-\w) \[ (--[\w-]+) \]|(--[\w-]+))( \[=\w+\(=[^)]*\)\](?: \(=[^)]*\))?| arg(?: \(=[^)]*\))?)?(\s{2,}|$)"
);
// jarsigner: `[-keystore <url>]    location`.
pattern!(BRACKETED, r"^(\s*)\[(-[^\[\]]*)\](\s{2,})([\w(][^\[]*)$");
// TeX: `[-no]-mktex=FMT`.
pattern!(BRACKETED_NO, r"^(\s*)\[-no\]-(\w)");
// kill: `-<signal>, -s, --signal <signal>`.
pattern!(ANY_LETTER, r"^(\s*)(-<\w+>, )(-.*)$");
// Getopt::Std of Perl: `With arguments: -f -T`, `Boolean (without arguments): -D -d`.
pattern!(LETTERS, r"^\s*(With arguments|Boolean \(without arguments\)):((?: -\w)+)$");

// kubectl: `-o, --output='':`, with the description beneath.
pattern!(WITH_DEFAULT, r"^(\s*(?:-\w, )?--[\w-]+)=(\S*):$");
// bzip2: `-1 .. -9`.
pattern!(LEVELS, r"^(\s*)-(\d) ?(?:\.\.\.?|…|to) ?-(\d)(\s{2,}|$)");
// nmap: `-sS/sT/sA`, `--min-rate/max-rate`.
pattern!(SLASHES, r"^\s*(?:-\w{2}(?:/\w{2})+|--[a-z]+-[a-z-]+(?:/[a-z]+-[a-z-]+)+)(?:[:\[ ]|$)");

// zip: `-d   delete entries    -m   move into it`.
pattern!(BESIDE, r"^(\s*)(-\S{1,2}(?: [#a-z])?\s+\S.*?)\s+(-[^\s-]\S{0,7}(?: [#a-z] |\s{2,})\S.*)$");

// objcopy: `{--change-start|--adjust-start} <incr>`.
pattern!(BRACED, r"^(\s*)\{(--[\w-]+\|--[\w-]+)\} (\S.*)$");
// X: `-d[isplay] <host:dpy>`, a word and its first letter, with a value.
pattern!(SHORTENED, r"^(\s*)-([a-z])\[([a-z]{3,})\]( <.*)$");

// Subversion: `-r [--revision] ARG   : ARG can be`, `--changelist [--cl] ARG  : operate`.
pattern!(OR_BRACKETED, r"^(\s*-{1,2}[\w-]+) \[(--?[\w-]+)\]( ARG)?(\s+: .*)$");

// urfave/cli: `--job string [ --job string ]   run it`.
pattern!(AGAIN, r"^(\s*(?:-\w, )?--[\w-]+ \w+) \[ --[\w-]+ \w+ \](\s{2,}\S.*|)$");
// Go before 1.4: `-name="": what`.
pattern!(WITH_GO_DEFAULT, r#"^(\s*-[A-Za-z][\w-]*)=("[^"]*"|\w+): (\S.*)$"#);
// dcmtk: `-ll    --log-level      [l]evel: string constant`.
pattern!(LETTER_IN_BRACKETS, r"^(\s+)(?:([-+]\w{1,3})\s+)?(--[\w-]+)\s{2,}\[(\w)\]([\w-]*): (\S.*)$");
// gammu: `-d / --debug <level> … debug level`.
pattern!(DOTTED, r"^(\s*-\w) / (--[\w-]+(?: <[^<>]+>)?) (?:…|\.\.\.) (\S.*)$");
// clustalw: `-TYPE=       :PROTEIN or DNA sequences`.
pattern!(EMPTY_VALUE, r"^(\s*-[A-Z][A-Z0-9_]*)=(\w*)(\s+):(\S.*)$");

/// The lines in the usual way.
pub fn usual(lines: &[String], name: &str) -> Vec<String> {
    let mut usual = Vec::with_capacity(lines.len());
    let mut lines = lines.to_vec();
    prefixes::remove(&mut lines, name);
    nested::listed(&mut lines);
    aligned::at_the_end(&mut lines);
    let second = second_column(&lines);
    let mut lines = brackets::bare_entries(brackets::joined_usage(&lines));
    productions::listed(&mut lines, name);
    flush::indented(&mut lines);
    commands::listed(&mut lines, name);
    wrapped::join_lists(&mut lines);
    wrapped::join_bars(&mut lines);
    wrapped::join_spellings(&mut lines);
    titles::replace(&mut lines);
    libxml::replace(&mut lines);
    typed::bare(&mut lines);
    for line in lines.into_iter().flat_map(parted) {
        if let Some((one, other)) = second.and_then(|second| beside(&line, second)) {
            usual.extend([one, other]);
            continue;
        }
        match letters(&line) {
            Some(entries) => usual.extend(entries),
            None => usual.push(spelled(&line).unwrap_or(line)),
        }
    }
    usual
}

/// `Options: -a STR  what`: a heading and its first entry, each on a line.
fn parted(line: String) -> Vec<String> {
    let entry = ["Options:", "options:"].iter().find_map(|heading| line.strip_prefix(heading));
    match entry.filter(|entry| entry.starts_with(" -") && entry.contains("  ")) {
        Some(entry) => vec!["Options:".to_owned(), format!("        {entry}")],
        None => vec![line],
    }
}

/// The column at which a second entry begins in several lines.
fn second_column(lines: &[String]) -> Option<usize> {
    const LEAST: usize = 3;
    let mut columns: HashMap<usize, usize> = HashMap::new();
    for line in lines.iter().filter(|line| line.trim_start().starts_with('-')) {
        if let Some(second) = found(&BESIDE, line).and_then(|captures| captures.get(3)) {
            *columns.entry(second.start()).or_default() += 1;
        }
    }
    columns
        .into_iter()
        .filter(|(_, count)| *count >= LEAST)
        .max_by_key(|(column, count)| (*count, *column))
        .map(|(column, _)| column)
}

/// Two entries that stand beside each other, the second of which begins in this column.
fn beside(line: &str, column: usize) -> Option<(String, String)> {
    if !line.trim_start().starts_with('-') {
        return None;
    }
    let captures = found(&BESIDE, line)?;
    let (indent, second) = (captures.get(1)?.as_str(), captures.get(3)?);
    (second.start() == column)
        .then(|| (format!("{indent}{}", &captures[2]), format!("{indent}{}", second.as_str())))
}

fn letters(line: &str) -> Option<Vec<String>> {
    if !line.contains("arguments") {
        return None;
    }
    let captures = found(&LETTERS, line)?;
    let value = if captures.get(1)?.as_str().starts_with("With") { " <arg>" } else { "" };
    Some(captures.get(2)?.as_str().split_whitespace().map(|flag| format!("  {flag}{value}")).collect())
}

fn spelled(line: &str) -> Option<String> {
    if !line.trim_start().starts_with(['-', '[', '{']) {
        return None;
    }
    if let Some(captures) = found(&BOOST, line) {
        let part = |number: usize| captures.get(number).map_or("", |part| part.as_str());
        let flags = if part(2).is_empty() { part(4).to_owned() } else { format!("{}, {}", part(2), part(3)) };
        // Lines that others write just so stay as they are.
        if part(2).is_empty() && !part(5).contains("(=") {
            return None;
        }
        let value = match part(5) {
            "" => "",
            implicit if implicit.starts_with(" [") => "[=<arg>]",
            _ => " <arg>",
        };
        return Some(behind(&(part(1).to_owned() + &flags + value), captures.get(0)?.as_str(), line));
    }
    if let Some(captures) = found(&BRACKETED, line) {
        let (indent, entry) = (captures.get(1)?.as_str(), captures.get(2)?.as_str());
        return Some(format!("{indent}{entry}  {}{}", captures.get(3)?.as_str(), captures.get(4)?.as_str()));
    }
    if line.contains(" [ --")
        && let Some(captures) = found(&AGAIN, line)
    {
        return Some(format!("{}...{}", &captures[1], &captures[2]));
    }
    if line.contains(" [-")
        && let Some(captures) = found(&OR_BRACKETED, line)
    {
        let value = captures.get(3).map_or("", |_| " <arg>");
        return Some(format!("{}, {}{value}{}", &captures[1], &captures[2], &captures[4]));
    }
    if line.contains("[-no]-")
        && let Some(captures) = found(&BRACKETED_NO, line)
    {
        let rest = line.get(captures.get(2)?.start()..)?;
        return Some(format!("{}-[no-]{rest}", captures.get(1)?.as_str()));
    }
    // In `-o[file] <size>`, the brackets hold a value.
    if line.contains("] <")
        && let Some(captures) = found(&SHORTENED, line).filter(|found| !is_kind(&found[3]))
    {
        return Some(format!("{0}-{1}, -{1}{2}{3}", &captures[1], &captures[2], &captures[3], &captures[4]));
    }
    if line.contains('=')
        && line.contains(": ")
        && let Some(captures) = found(&WITH_GO_DEFAULT, line)
    {
        return Some(match captures[2].trim_matches('"') {
            "true" | "false" => format!("{}  {}", &captures[1], &captures[3]),
            "" => format!("{}=<value>  {}", &captures[1], &captures[3]),
            // go tool trace: `-http=addr: service address`, a name.
            name if captures[2].starts_with(char::is_alphabetic) => {
                format!("{}=<{name}>  {}", &captures[1], &captures[3])
            }
            default => format!("{}=<value>  {} (default {default})", &captures[1], &captures[3]),
        });
    }
    if line.contains("  [")
        && let Some(captures) = found(&LETTER_IN_BRACKETS, line)
    {
        let short = captures.get(2).map(|short| format!("{}, ", short.as_str())).unwrap_or_default();
        return Some(format!(
            "{}{short}{} <{}{}>  {}",
            &captures[1], &captures[3], &captures[4], &captures[5], &captures[6]
        ));
    }
    if let Some(captures) = found_near(&DOTTED, line, " / --") {
        return Some(format!("{}, {}  {}", &captures[1], &captures[2], &captures[3]));
    }
    if line.contains('=')
        && line.contains(" :")
        && let Some(captures) = found(&EMPTY_VALUE, line)
    {
        let name = if captures[2].is_empty() { "value" } else { &captures[2] };
        return Some(format!("{}=<{name}>{}{}", &captures[1], &captures[3], &captures[4]));
    }
    if let Some(captures) = found(&WITH_DEFAULT, line) {
        let (entry, default) = (captures.get(1)?.as_str(), captures.get(2)?.as_str());
        return Some(match default.trim_matches(['\'', '"', '[', ']']) {
            "false" => entry.to_owned(),
            "true" => format!("{entry}[=<bool>]  (default true)"),
            "" => format!("{entry}=<value>"),
            // Some of them take a value only behind `=`: `kubectl --dry-run='none':`.
            default => format!("{entry}=<value>  (default {default})"),
        });
    }
    if let Some(captures) = found(&LEVELS, line) {
        let level = |number: usize| captures.get(number)?.as_str().parse::<u8>().ok();
        let levels: Vec<String> = (level(2)?..=level(3)?).map(|level| format!("-{level}")).collect();
        let all = captures.get(0)?;
        return Some(behind(&(captures.get(1)?.as_str().to_owned() + &levels.join(" ")), all.as_str(), line));
    }
    if let Some(all) = found(&SLASHES, line).and_then(|captures| captures.get(0)) {
        let dashes = if line.trim_start().starts_with("--") { "/--" } else { "/-" };
        return Some(all.as_str().replace('/', dashes) + line.get(all.end()..)?);
    }
    if let Some(captures) = found(&BRACED, line).filter(|_| line.contains("{--")) {
        return Some(format!("{}{} {}", &captures[1], captures[2].replace('|', ", "), &captures[3]));
    }
    // iptables: an option that an exclamation mark negates.
    if let Some(rest) = line.strip_prefix("[!] -") {
        return Some(format!("    -{rest}"));
    }
    let captures = found(&ANY_LETTER, line)?;
    let blank = " ".repeat(captures.get(2)?.as_str().chars().count());
    Some(format!("{}{blank}{}", captures.get(1)?.as_str(), captures.get(3)?.as_str()))
}

/// An entry in place of what a line begins with, with blanks up to the column at which the description stood.
fn behind(entry: &str, beginning: &str, line: &str) -> String {
    let width = beginning.chars().count();
    let rest = line.get(beginning.len()..).unwrap_or_default();
    if rest.is_empty() {
        return entry.to_owned();
    }
    let blanks = width.saturating_sub(entry.chars().count()).max(2);
    format!("{entry}{}{rest}", " ".repeat(blanks))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        usual(&text.lines().map(str::to_owned).collect::<Vec<_>>(), "")
    }

    #[test]
    fn entries_beside_each_other_follow_each_other() {
        let text = "  -f   freshen it   -u   update it\n  -d   delete it    -m   move it\n  -r   recurse      -j   junk\n  -x   see -y";
        let entries = of(text);
        assert_eq!(entries.len(), 7);
        assert_eq!(entries[..3], ["  -f   freshen it", "  -u   update it", "  -d   delete it"]);
        // Not where only two lines have it.
        assert_eq!(of(&text.lines().take(2).collect::<Vec<_>>().join("\n")).len(), 2);
    }

    #[test]
    fn entries_stand_in_brackets_of_their_own() {
        let lvm = "  vgs\n\t[ -a|--all ]\n\t[    --units [Number]r|R ]\n\t[    --nolocking ]\n\t( -l|--limit Number,\n\t     --alloc a|b )";
        let sized = "  vgx\n\t[ -L|--size Size[m|UNIT] ]\n\t[ -S|--select String ]\n\t[ -q|--quiet ]\n";
        assert_eq!(of(sized)[1..], ["  -L|--size <Size>", "  -S|--select <String>", "  -q|--quiet"]);
        let arguments = "  vgs\n\t[ -a|--all ]\n\t[ -b|--bare ]\n\t[ -c|--clean ]\n\t[ VG|Tag ... ]\n";
        assert_eq!(of(arguments)[0], "  vgs [ VG|Tag ... ]");
        assert_eq!(
            of(lvm)[1..],
            [
                "  -a|--all",
                "  --units [Number]r|R",
                "  --nolocking",
                "  -l|--limit <Number>",
                "  --alloc a|b"
            ]
        );
        let changed = "  lvchange\n\t( -M|--persistent n,\n\t     --alloc a|b )\n\t VG|LV|Tag|Select ...\n\t[ -a|--all ]\n\t[ -q|--quiet ]\n\t[ -f|--force ]\n\n  lvchange --sync check|repair VG|LV|Tag|Select ...";
        assert_eq!(
            of(changed),
            [
                "  lvchange VG|LV|Tag|Select ...",
                "  -M|--persistent <n>",
                "  --alloc a|b",
                "  -a|--all",
                "  -q|--quiet",
                "  -f|--force",
                "",
                "  --sync check|repair"
            ]
        );
        let bracketed =
            "  [-V] Output it and exit\n  [-c <path>] Read it from there\n  [-S none | all] Save it there";
        assert_eq!(of(bracketed)[2], "  -S none|all  Save it there");
        let braced = "  {-h|--help}\n  {-f|--format} {xml|custom}\n  {-o <xml file>}";
        assert_eq!(of(braced), ["  -h, --help", "  -f, --format {xml|custom}", "  -o <xml file>"]);
        let gdal = "Usage: ogr [-append] [-select list]\n           dst [layer ...]\n\nAdvanced options :\n       [-gt n] [[-oo NAME=VALUE] ...]\n       [-nomd]\n\nNote: more";
        let flags = crate::read(gdal, "ogr").options.into_iter().flat_map(|one| one.flags);
        assert_eq!(flags.collect::<Vec<_>>(), ["-append", "-select", "-gt", "-oo", "-nomd"]);
        let npm = "Usage:\nnpm audit [fix]\n\nOptions:\n[--omit <dev|peer> [--omit <dev|peer> ...]]\n[--json]\n\n  --omit\n    What to omit";
        let usage = crate::read(npm, "npm audit");
        assert_eq!(usage.options[0].choices, ["dev", "peer"]);
    }

    #[test]
    fn entries_in_brackets_are_bare_where_several_are() {
        let text = "[-a <x>]        one\n[-b <x>]        two\n[-c]            three\n[-long <name>] four\n[-v[:more]]     five";
        let bare = of(text);
        assert_eq!(bare[3], "-long <name>   four");
        assert_eq!(bare[4], "-v[:more]       five");
    }

    #[test]
    fn entries_are_spelled_in_the_usual_way() {
        for (line, usual_way) in [
            ("  -f [ --file ] arg      The file.", "  -f, --file <arg>       The file."),
            ("  -v [ --verbose ]       More.", "  -v, --verbose          More."),
            ("  -t [ --short ] [=arg(=1)] (=1)  Short.", "  -t, --short[=<arg>]             Short."),
            ("  --limit arg (=5)    The most.", "  --limit <arg>       The most."),
            ("  -h [ --help ]", "  -h, --help"),
            ("[-keystore <url>]           location", "-keystore <url>             location"),
            ("  [-n|--no-strip]  Do not", "  -n|--no-strip    Do not"),
            (" -<signal>, -s, --signal <signal>", "            -s, --signal <signal>"),
            ("[-no]-mktex=FMT   disable/enable", "-[no-]mktex=FMT   disable/enable"),
            ("    -o, --output='':", "    -o, --output=<value>"),
            ("  -provider=\"\": PGP implementation", "  -provider=<value>  PGP implementation"),
            ("  -force=false: do it", "  -force  do it"),
            ("  --color=auto: use colours", "  --color=auto: use colours"),
            ("  -http=addr: where it serves", "  -http=<addr>  where it serves"),
            ("  -workers=10: how many", "  -workers=<value>  how many (default 10)"),
            (
                "  -ll    --log-level      [l]evel: string constant",
                "  -ll, --log-level <level>  string constant",
            ),
            ("-d / --debug <level> … debug level (a|b)", "-d, --debug <level>  debug level (a|b)"),
            ("-TYPE=       :PROTEIN or DNA", "-TYPE=<value>       PROTEIN or DNA"),
            ("  -d[isplay] <host> server", "  -d, -display <host> server"),
            ("  -o[file] <size>  write a file", "  -o[file] <size>  write a file"),
            ("  -l[octnum]  the end", "  -l[octnum]  the end"),
            ("    --chunk-size=500:", "    --chunk-size=<value>  (default 500)"),
            ("    -A, --all=false:", "    -A, --all"),
            ("    --wait=true:", "    --wait[=<bool>]  (default true)"),
            ("  -r [--revision] ARG      : it can be", "  -r, --revision <arg>      : it can be"),
            ("  --changelist [--cl] ARG  : only it", "  --changelist, --cl <arg>  : only it"),
            ("  -q [--quiet]             : nothing", "  -q, --quiet             : nothing"),
            ("  -x [--more] of it", "  -x [--more] of it"),
            ("    {--change|--adjust} <n>", "    --change, --adjust <n>"),
            ("[!] --source  -s address", "    --source  -s address"),
            ("   -1 .. -3            set it", "   -1 -2 -3            set it"),
            ("  -sS/sT: TCP scans", "  -sS/-sT: TCP scans"),
            ("  --min-rate/max-rate <n>: Send", "  --min-rate/--max-rate <n>: Send"),
            // As they are.
            ("  --limit N    The most.", "  --limit N    The most."),
            ("  --limit arg  The most.", "  --limit arg  The most."),
            ("usage: x [-a]   [-b] c", "usage: x [-a]   [-b] c"),
            ("         [--quiet] [--debug] user", "         [--quiet] [--debug] user"),
            ("         [--quiet]", "         [--quiet]"),
        ] {
            assert_eq!(usual(&[line.to_owned()], ""), [usual_way], "{line}");
        }
        let perl = usual(
            &["\tWith arguments: -f -T".to_owned(), "  Boolean (without arguments): -c".to_owned()],
            "",
        );
        assert_eq!(perl, ["  -f <arg>", "  -T <arg>", "  -c"]);
    }
}
