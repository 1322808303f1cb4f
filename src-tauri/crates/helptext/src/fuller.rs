//! Finds in a help text how the program is asked for all of its options.

/// Ways to ask for all options: the words that a text has for it, and the arguments. The first that a text names counts.
/// What prints a manual of many pages (`ffmpeg -h full`) comes after what lists all that is commonly used.
const WAYS: &[(&str, &[&str])] = &[
    // curl
    ("--help all", &["--help", "all"]),
    // Programs that use GLib, Python
    ("--help-all", &["--help-all"]),
    // x264
    ("--fullhelp", &["--fullhelp"]),
    // VLC
    ("--full-help", &["--full-help"]),
    ("--help-full", &["--help-full"]),
    // xz
    ("--long-help", &["--long-help"]),
    // LAME
    ("--longhelp", &["--longhelp"]),
    ("--help-long", &["--help-long"]),
    ("--help-extended", &["--help-extended"]),
    ("--extended-help", &["--extended-help"]),
    // ffmpeg
    ("-h long", &["-h", "long"]),
    ("-h full", &["-h", "full"]),
    // rustc
    ("--help -v", &["--help", "-v"]),
    // MySQL
    ("--verbose --help", &["--verbose", "--help"]),
];

/// Words about a help that is not one of options.
const OTHER: &[&str] = &["manual", "man page", "license", "version"];

/// The arguments that print more help than this text, if it names them.
pub fn fuller_help(text: &str) -> Option<&'static [&'static str]> {
    WAYS.iter()
        .find(|(words, _)| text.lines().any(|line| names(line, words)))
        .map(|(_, arguments)| *arguments)
}

/// Whether a line has these words as they are typed, and says nothing that speaks against them.
fn names(line: &str, words: &str) -> bool {
    let is_edge = |c: Option<char>| {
        c.is_none_or(|c| {
            c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | ';' | ')' | '(' | '|' | ']' | '[')
        })
    };
    let is_there = line.match_indices(words).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + words.len()..]);
        // A full stop ends a sentence; with more behind it, it belongs to the word.
        let after = after.strip_prefix('.').filter(|rest| is_edge(rest.chars().next())).unwrap_or(after);
        is_edge(before.chars().next_back()) && is_edge(after.chars().next())
    });
    if !is_there {
        return false;
    }
    let lower = line.to_lowercase();
    // `-h` can be another option, so that only an entry says what it prints: ffmpeg, `-h long -- print more options`.
    let is_entry =
        !words.starts_with("-h ") || line.trim_start().starts_with(words) && lower.contains("option");
    is_entry
        && !lower.contains("example")
        && !OTHER.iter().any(|other| lower.contains(other) && !lower.contains("option"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_to_more_help_are_found_as_programs_name_them() {
        for (text, arguments) in [
            ("For all options use the manual or \"--help all\".", Some(&["--help", "all"] as &[&str])),
            ("Use \"--help category\" to get an overview of all categories.", None),
            ("  --help-all                 Show all help options", Some(&["--help-all"])),
            ("--help-all      : print complete help information and exit", Some(&["--help-all"])),
            (
                "  -H, --long-help     display the long help (lists also the advanced options)",
                Some(&["--long-help"]),
            ),
            ("    -h long -- print more options\n    -h full -- print all options", Some(&["-h", "long"])),
            ("    --help -v           Print the full set of options rustc accepts", Some(&["--help", "-v"])),
            (
                "For more help options (several pages), use mysqld --verbose --help.",
                Some(&["--verbose", "--help"]),
            ),
            ("  --help-full   Print the manual in a pager", None),
            ("      --help-all-formats   List formats", None),
            ("  -h, --help    Show this", None),
            ("usage: x [--help-all] FILE", Some(&["--help-all"])),
            ("Example: backup -h full /srv", None),
            ("  -h full   the name of the host", None),
        ] {
            assert_eq!(fuller_help(text), arguments, "{text}");
        }
    }
}
