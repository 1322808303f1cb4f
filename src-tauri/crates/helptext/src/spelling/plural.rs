//! Lists below a heading that has the name of an argument in the plural: `Valid targets are:` for `<target>`.

use crate::clean::indent;
use crate::definition::Definition;

/// Names of arguments whose values are subcommands.
const PLACES: &[&str] = &[
    "target",
    "frontend",
    "backend",
    "tool",
    "module",
    "applet",
    "task",
    "operation",
    "function",
    "program",
    "recipe",
    "verb",
];

/// The lines with a heading of commands in place of such a one. Bullets in front of the names go.
pub fn with_plural_heading(lines: &[String], definition: &Definition) -> Option<Vec<String>> {
    let first = definition.positionals.first()?.name.to_lowercase();
    let place = PLACES.iter().find(|place| first == **place)?;
    let plural = format!("{place}s");
    let is_heading = |line: &String| {
        let text = line.trim().to_lowercase();
        let is_short = text.split(' ').count() <= 5;
        text.ends_with(':') && is_short && text.trim_end_matches(':').split(' ').any(|word| word == plural)
    };
    let at = lines.iter().position(is_heading)?;
    let mut headed = lines.to_vec();
    headed[at] = format!("{}Commands:", " ".repeat(indent(&lines[at])));
    for line in headed.iter_mut().skip(at + 1).take_while(|line| !line.trim().is_empty()) {
        let bare = line.trim_start();
        if let Some(name) = bare.strip_prefix("- ").or_else(|| bare.strip_prefix("* ")) {
            *line = format!("{}  {name}", " ".repeat(indent(line)));
        }
    }
    // The argument is the place for a command in the usage line.
    let is_usage = |line: &&mut String| line.to_lowercase().trim_start().starts_with("usage");
    for line in headed.iter_mut().take(at).filter(is_usage) {
        let words = line.split(' ').map(|word| {
            let bare = word.trim_matches(['<', '>', '[', ']']);
            if bare.eq_ignore_ascii_case(&first) { word.replace(bare, "command") } else { word.to_owned() }
        });
        *line = words.collect::<Vec<_>>().join(" ");
    }
    Some(headed)
}

#[cfg(test)]
mod tests {
    use crate::read;

    #[test]
    fn argument_in_the_plural_is_a_heading_of_commands() {
        for text in [
            "usage: x <TARGET> [<options>] [<names>]\n\nValid targets are:\n   check   Run all\n   clean   Clean it\n   doc     Typeset\n\nValid options are:\n   --date  Set it\n",
            "Usage: x frontend [options]\nAvailable frontends:\n - check\n - clean\n - doc\nAvailable options:\n  --dry-run   Do nothing\n",
        ] {
            let definition = read(text, "x");
            let names: Vec<&str> = definition.subcommands.iter().map(|one| one.name.as_str()).collect();
            assert_eq!(names, ["check", "clean", "doc"], "{text}");
            assert_eq!(definition.options.len(), 1, "{text}");
        }
    }
}
