//! The description of a program: what its help says of it in words.

use crate::patterns::{is_match, pattern};

// A heading of entries: `Positionals:`, `positional arguments:`.
pattern!(HEADING, r"(?i)^(?:[\w-]+ )?(?:positionals|arguments|options|commands|flags):$");
// `scp: unknown option -- h`: the program did not know how it was asked for help.
pattern!(REJECTED, r"(?i)\b(?:unknown|invalid|illegal|unrecognized) option\b");

// Who made the program: `Andrew Gallant <jamslam@gmail.com>`, `Copyright (c) 1990-2008 Info-ZIP`.
pattern!(
    CREDIT,
    r"(?i)^(?:copyright|\(c\)|©|licen[cs]ed? |this is free software|there is no warranty)|copyright \(c\)|^[^.:;]*<[^<>\s]+@[^<>\s]+>[^.]*$"
);
// Its version and nothing else: `iptables v1.8.9 (nf_tables)`, `Mtools version 4.0.32, dated July 10th, 2021`.
pattern!(
    VERSION,
    r"(?i)^[\w./@+-]+(?: [\w./()+-]+){0,2}?[ ,-]* (?:version:? )?[\w/-]*?v?\d+\.\d+[^\s:]*(?:,? (?:\(|\[|of |dated |by |release |\d).*)?$"
);

/// The first paragraph that is not usage, above all entries of options: what stands between or below them is about them.
pub fn description(lines: &[String], forms: &[String]) -> String {
    const MOST: usize = 600;
    let is_form =
        |text: &str| forms.iter().any(|form| text.starts_with(form.as_str()) || form.starts_with(text));
    let is_usage = |text: &str| {
        ["usage", "syntax:"]
            .iter()
            .any(|word| text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word)))
            || text.split_whitespace().nth(1).is_some_and(|word| word.eq_ignore_ascii_case("usage:"))
            || !text.is_empty() && is_form(text)
    };
    let mut paragraph: Vec<&str> = Vec::new();
    let mut skips = false;
    let mut indent = 0;
    for line in lines.iter().take(200) {
        let text = line.trim();
        let own_indent = line.len() - line.trim_start().len();
        // A sentence beneath the usage line, without a blank line between.
        let is_sentence = !line.starts_with(' ')
            && text.starts_with(|c: char| c.is_uppercase())
            && text.split_whitespace().count() > 2
            && !text.starts_with("or ");
        skips &= !is_sentence;
        let begins_option = text.starts_with('-')
            && text.trim_start_matches('-').starts_with(|c: char| c.is_alphanumeric() || c == '[')
            && (!skips || text.contains("  "));
        if begins_option || !skips && is_match(&HEADING, text) {
            break;
        }
        if text.is_empty() {
            if !paragraph.is_empty() {
                break;
            }
            skips = false;
        } else if is_usage(text) {
            if !paragraph.is_empty() {
                break;
            }
            skips = true;
        } else if !skips
            && !text.starts_with(['-', '[', '<', '$', '='])
            && !is_match(&REJECTED, text)
            // iproute2: `SELECTOR := [ root PREFIX ]`.
            && !text.contains(" := ")
            && !text.ends_with(':')
            && !text.contains("  ")
        {
            let says_nothing = text.split_whitespace().count() <= 2 && paragraph.is_empty()
                || is_match(&CREDIT, text)
                || is_match(&VERSION, text);
            if !says_nothing {
                paragraph.push(text);
                indent = own_indent;
            }
        } else if let Some((sentence, _)) =
            text.rsplit_once(". ").filter(|(_, last)| !skips && last.ends_with("xample:"))
        {
            // `Converts columns by Python code. For example:`
            paragraph.push(sentence);
            return paragraph.join(" ").chars().take(MOST).chain(['.']).collect();
        } else if paragraph.len() == 1 && own_indent > indent && text.contains("  ") {
            // git: `start a working area` above a list of subcommands.
            paragraph.clear();
        } else if !paragraph.is_empty() {
            break;
        }
    }
    paragraph.join(" ").chars().take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use crate::read;

    #[test]
    fn description_is_neither_version_nor_credit_nor_heading() {
        let of = |text: &str, name: &str| read(text, name).description;
        let clap = "ripgrep 13.0.0\nAndrew Gallant <jamslam@gmail.com>\n\nripgrep (rg) searches for a pattern.\n\nUSAGE:\n    rg [OPTIONS]\n";
        assert_eq!(of(clap, "rg"), "ripgrep (rg) searches for a pattern.");
        let zip = "Copyright (c) 1990-2008 Info-ZIP - Type 'zip \"-L\"' for software license.\nZip 3.0 (July 5th 2008). Usage:\nzip [-options] [zipfile list]\n  -f   freshen\n";
        assert_eq!(of(zip, "zip"), "");
        let groups = "usage: git [-v] <command>\n\nThese are common commands:\n\nstart a working area (see also: git help)\n   clone     Clone a repository\n   init      Create one\n";
        assert_eq!(of(groups, "git"), "");
        for kept in [
            "jq - commandline JSON processor [version 1.6]",
            "Lists files of ext4 1.0 file systems and copies them",
        ] {
            assert_eq!(of(&format!("{kept}\n\nUsage: x [FILE]\n"), "x"), kept);
        }
    }

    #[test]
    fn description_is_no_usage_line() {
        for (text, description) in [
            ("journalctl [OPTIONS...]\n\nQuery the journal.\n", "Query the journal."),
            ("Syntax: journalctl [options]\nQuery the journal\n", "Query the journal"),
            (
                "Usage: journalctl [-b h]\n\n  -b <h>    bind to it\n            as with the other one\n\nSee the manual.\n",
                "",
            ),
            ("journalctl: invalid option -- 'h'\nUsage: journalctl [-b]\n", ""),
            ("Usage: journalctl show SELECTOR\n\nSELECTOR := [ root PREFIX ] [ match PREFIX ]\n", ""),
            ("Usage: journalctl [x]\n\nPositionals:\n  x  what to read, and\n     what not\n", ""),
            ("usage: journalctl [-b]\n  -b    bind\n        to all that there is\n\n  -c    more\n", ""),
            ("Syntax trees of files\n\nUsage: journalctl [options]\n", "Syntax trees of files"),
        ] {
            assert_eq!(read(text, "journalctl").description, description, "{text}");
        }
    }
}
