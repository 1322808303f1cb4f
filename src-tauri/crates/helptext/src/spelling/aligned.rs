//! Entries whose left side is aligned at its end, as citty writes them, at the beginning of their lines.

use std::collections::BTreeSet;

use crate::clean::indent;

/// Blanks between the two sides.
const GAP: &str = "    ";

/// Moves the entries of each list whose left sides end in one column.
pub(super) fn at_the_end(lines: &mut [String]) {
    for block in lines.chunk_by_mut(|one, next| one.trim().is_empty() == next.trim().is_empty()) {
        // Where the left side ends, if the line has both.
        let end = |line: &String| {
            let text = line.trim_start();
            let length = text.find(GAP).filter(|_| line.starts_with("  "))?;
            Some(line.len() - text.len() + length)
        };
        let ends: BTreeSet<usize> = block.iter().filter_map(end).collect();
        let ends_of_lonely = block.iter().filter(|line| end(line).is_none()).map(String::len);
        let all: BTreeSet<usize> = ends.iter().copied().chain(ends_of_lonely).collect();
        let indents: BTreeSet<usize> = block.iter().map(|line| indent(line)).collect();
        let first = indents.first().is_some_and(|first| *first >= 2);
        let is_entry = |line: &String| {
            line.trim_start().starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-')
                && !line.ends_with(':')
        };
        if ends.is_empty()
            || all.len() != 1
            || indents.len() < 2
            || !first
            || block.len() < 2
            || !block.iter().all(is_entry)
        {
            continue;
        }
        for line in block {
            *line = format!("  {}", line.trim_start());
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn lists_aligned_at_their_end_are_read() {
        let text = "It does it (x v1.0.0)\n\nUSAGE x [OPTIONS] pull|show|build\n\nOPTIONS\n\n  -f, --filter=<filter>    What to take\n    -c, --count=<count>\n                 --zone    Where\n\nCOMMANDS\n\n   pull    Take it\n   show\n  build    Make it\n\nUse x <command> --help for more.\n";
        let read = crate::read(text, "x");
        let commands: Vec<&str> = read.subcommands.iter().map(|one| one.name.as_str()).collect();
        let flags: Vec<String> =
            read.options.iter().map(|one| format!("{} {:?}", one.flags.join(","), one.value)).collect();
        assert_eq!(commands, ["pull", "show", "build"]);
        assert_eq!(flags, ["-f,--filter Required", "-c,--count Required", "--zone None"]);
    }
}
