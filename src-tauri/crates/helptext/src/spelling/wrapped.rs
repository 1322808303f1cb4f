//! Entries of which the left side is wrapped in its own column, beside the description.

use crate::patterns::{found, pattern};

pattern!(FIRST_SPELLING, r"^(\s*-\w\S*,)(\s{2,})(\w.*)$");
pattern!(SECOND_SPELLING, r"^(\s+)(--[\w-]+(?:=\S+)?)\s+([a-z(].*)$");

/// rich: joins a list that is wrapped in its own column, beside the description: `[keep|80m|64m  Frequency`, `|32m|24m]`.
/// Newer versions write `<keep|80m`.
pub(super) fn join_lists(lines: &mut [String]) {
    for (open, close) in [('[', ']'), ('<', '>')] {
        join_lists_in(lines, open, close);
    }
}

fn join_lists_in(lines: &mut [String], open: char, close: char) {
    const MOST: usize = 12;
    let begins = format!("  {open}");
    for at in 0..lines.len() {
        let Some(start) = lines[at].find(&begins).map(|start| start + 2) else { continue };
        let first = cell(&lines[at], start).to_owned();
        if !first.contains('|') || first.contains([close, ' ']) {
            continue;
        }
        let mut list = first.clone();
        let below = lines.iter().skip(at + 1).take(MOST).map(|line| cell(line, start).to_owned());
        let mut taken = 0;
        for more in below {
            if more.is_empty() || more.contains(' ') {
                break;
            }
            list.push_str(&more);
            taken += 1;
            if more.ends_with(close) {
                break;
            }
        }
        if !list.ends_with(close) {
            continue;
        }
        lines[at].replace_range(start..start + first.len(), &list);
        for line in lines.iter_mut().skip(at + 1).take(taken) {
            let length = cell(line, start).len();
            line.replace_range(start..start + length, &" ".repeat(length));
            line.truncate(line.trim_end().len());
        }
    }
}

/// What begins at a column behind blanks, up to two blanks.
fn cell(line: &str, start: usize) -> &str {
    let is_behind_blanks = line.get(..start).is_some_and(|before| before.ends_with("  "));
    let rest = line.get(start..).filter(|_| is_behind_blanks).unwrap_or_default();
    rest.split("  ").next().unwrap_or_default().trim_end()
}

/// callgrind_annotate: `--tree=none|caller|` above `calling|both`.
pub(super) fn join_bars(lines: &mut [String]) {
    const MOST: usize = 12;
    for at in 0..lines.len() {
        for next in at + 1..lines.len().min(at + MOST) {
            let Some(end) = open_list(&lines[at]) else { break };
            let below = &lines[next];
            let start = below.len() - below.trim_start().len();
            let length = below.trim_start().split("  ").next().unwrap_or_default().trim_end().len();
            let cell = below.get(start..start + length).unwrap_or_default().to_owned();
            let is_list =
                !cell.is_empty() && cell.chars().all(|c| c.is_alphanumeric() || matches!(c, '|' | '-' | '_'));
            let is_deeper = start > lines[at].len() - lines[at].trim_start().len();
            if !is_list || !is_deeper || cell.starts_with('-') {
                break;
            }
            lines[at].insert_str(end, &cell);
            lines[next].replace_range(start..start + length, &" ".repeat(length));
            let kept = lines[next].trim_end().len();
            lines[next].truncate(kept);
        }
    }
}

/// protoc: `-oFILE,     Writes it` above `--descriptor_set_out=FILE  to there`.
pub(super) fn join_spellings(lines: &mut [String]) {
    for at in 1..lines.len() {
        let Some(below) = lines.get(at).filter(|line| line.trim_start().starts_with("--")) else { continue };
        let above =
            lines.get(at - 1).filter(|line| line.trim_start().starts_with('-') && line.contains(",  "));
        let Some(first) = above.and_then(|line| found(&FIRST_SPELLING, line)) else { continue };
        let Some(second) = found(&SECOND_SPELLING, below) else { continue };
        let gap = " ".repeat(first[2].len());
        let entry = format!("{} {}  {}", &first[1], &second[2], &first[3]);
        let rest = format!("{}{gap}{}", " ".repeat(first[1].len()), &second[3]);
        (lines[at - 1], lines[at]) = (entry, rest);
    }
}

/// The end of a list in an entry's own column, if it ends with a bar and so goes on.
fn open_list(line: &str) -> Option<usize> {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    let end = text.split("  ").next()?.len();
    let entry = text.get(..end)?;
    let is_open = entry.starts_with('-')
        && entry.ends_with('|')
        && !entry.ends_with("||")
        && entry.contains([' ', '=']);
    is_open.then_some(indent + end)
}

#[cfg(test)]
mod tests {
    use crate::spelling::usual;

    fn of(text: &str) -> Vec<String> {
        usual(&text.lines().map(str::to_owned).collect::<Vec<_>>(), "")
    }

    #[test]
    fn lists_wrapped_in_their_column_are_joined() {
        let text = " --freq  -ff  [keep|80m|64m|  Frequency of\n              60m|48m]       the memory.\n --x     -x   [a]            Y";
        let joined = of(text);
        assert_eq!(joined[0], " --freq  -ff  [keep|80m|64m|60m|48m]  Frequency of");
        assert_eq!(joined[1].trim(), "the memory.");
        let open = " --freq  [keep|80m  Frequency\n\n";
        assert_eq!(of(open)[0], " --freq  [keep|80m  Frequency");
    }

    #[test]
    fn spellings_on_two_lines_are_of_one_entry() {
        let text = "  -oFILE,                     Writes a set (a buffer,\n    --descriptor_set_out=FILE defined there) with\n                              all files.\n";
        let options = crate::read(text, "x").options;
        assert_eq!(options.len(), 1);
        assert_eq!(options[0].flags, ["-o", "--descriptor_set_out"]);
        assert_eq!(options[0].description, "Writes a set (a buffer, defined there) with all files.");
        let others = "  -d,  --database=VAL   which\n       --count          how many\n";
        assert_eq!(crate::read(others, "x").options.len(), 2);
    }

    #[test]
    fn lists_that_end_with_a_bar_go_on() {
        let text = "  --tree=none|caller|  print their callers,\n         calling|both  or both [none]\n  --auto=<yes|no>  x";
        let joined = of(text);
        assert_eq!(joined[0], "  --tree=none|caller|calling|both  print their callers,");
        assert_eq!(joined[1].trim(), "or both [none]");
        let unit = "-u h|b|k|    the unit.\n   H|B       h: auto\n-v   more";
        assert_eq!(of(unit)[0], "-u h|b|k|H|B    the unit.");
        assert_eq!(of("-u h|b|\n-v")[0], "-u h|b|");
    }
}
