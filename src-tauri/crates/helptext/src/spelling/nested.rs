//! Subcommands of argparse, beneath the argument that stands for them, as a list of commands.

use crate::clean::indent;
use crate::subcommands::is_name;

/// Columns of the argument, and of what is beneath it.
const ARGUMENT: usize = 2;
const BENEATH: usize = 4;

/// Puts a heading in place of each such argument: `{add,remove}`, `COMMAND`, or nothing, as for `metavar=""`.
pub(super) fn listed(lines: &mut Vec<String>) {
    let is_usage = |line: &String| line.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("usage:"));
    let is_help = |line: &String| indent(line) == ARGUMENT && line.trim_start().starts_with("-h, --help");
    if !lines.iter().any(is_usage) || !lines.iter().any(is_help) {
        return;
    }
    let shown: String = lines
        .iter()
        .skip_while(|line| !is_usage(line))
        .take_while(|line| !line.is_empty())
        .cloned()
        .collect();
    let mut listed: Vec<String> = Vec::with_capacity(lines.len());
    let mut barren = 0;
    let (mut at, mut begun): (usize, Option<(usize, &String)>) = (0, None);
    while let Some(line) = lines.get(at) {
        if indent(line) == 0 && line.ends_with(':') {
            begun = Some((listed.len(), line));
        }
        if begun.is_some()
            && at >= barren
            && let Some((commands, end)) = nested(lines, at, &shown, &mut barren)
        {
            // A list of its own: what stands above the commands describes it.
            match begun.filter(|(_, heading)| heading.to_lowercase().contains("command")) {
                Some((line, _)) => listed.truncate(line + 1),
                None => listed.extend([String::new(), "commands:".to_owned()]),
            }
            listed.extend(commands);
            // Further arguments of the same list.
            if lines
                .get(end)
                .is_some_and(|next| indent(next) == ARGUMENT && !next.trim_start().starts_with('-'))
            {
                listed.extend(begun.map(|(_, heading)| heading.clone()));
            }
            at = end;
            continue;
        }
        listed.push(line.clone());
        at += 1;
    }
    *lines = listed;
}

/// The lines of the commands beneath the argument in a line, and the line behind them.
fn nested(lines: &[String], at: usize, usage: &str, barren: &mut usize) -> Option<(Vec<String>, usize)> {
    let line = lines.get(at)?;
    let argument = line.trim().split("  ").next().unwrap_or_default();
    let follows_heading =
        || at.checked_sub(1).and_then(|before| lines.get(before)).is_some_and(|before| before.ends_with(':'));
    let is_argument = match argument {
        "" => lines.get(at + 1).is_some_and(|next| indent(next) == BENEATH),
        // Its description, of an argument without a name.
        _ if indent(line) > BENEATH => follows_heading(),
        _ => indent(line) == ARGUMENT && !argument.starts_with('-') && !argument.contains(' '),
    };
    if !is_argument {
        return None;
    }
    let in_braces = argument.strip_prefix('{').and_then(|inside| inside.strip_suffix('}'));
    let mut missing: Vec<&str> =
        in_braces.filter(|list| list.contains(',')).into_iter().flat_map(|list| list.split(',')).collect();
    // The rest of its description.
    let mut end = at + 1;
    while lines.get(end).is_some_and(|next| indent(next) > BENEATH) {
        end += 1;
    }
    let (mut commands, mut count) = (Vec::new(), 0);
    // Some formatters put an empty line between them.
    while let Some(blank) = lines.get(end..)?.iter().position(|line| !line.trim().is_empty())
        && let Some(next) = lines.get(end + blank).filter(|next| indent(next) >= BENEATH)
    {
        if indent(next) == BENEATH {
            let head = next.trim().split("  ").next().unwrap_or_default();
            let (name, aliases) = head.split_once(" (").unwrap_or((head, ""));
            if !is_name(name) || name.contains(' ') || !aliases.is_empty() && !aliases.ends_with(')') {
                // None that begins above is a list either.
                *barren = end + blank;
                return None;
            }
            count += 1;
            let aliases = aliases.trim_end_matches(')').split(", ");
            missing.retain(|one| *one != name && !aliases.clone().any(|alias| alias == *one));
        }
        commands.extend((blank > 0).then(String::new));
        commands.push(next.chars().skip(BENEATH - ARGUMENT).collect());
        end += blank + 1;
    }
    let is_named =
        !argument.is_empty() && (usage.contains(&format!("{argument} ...")) || in_braces.is_some());
    let is_listed = match count {
        // The usage has them, or was written by hand.
        0 => missing.len() > 1 && usage.contains("command") && !usage.contains(argument),
        1 => is_named,
        _ => true,
    };
    commands.extend(missing.into_iter().filter(|name| is_name(name)).map(|name| format!("  {name}")));
    is_listed.then_some((commands, end))
}

#[cfg(test)]
mod tests {
    #[track_caller]
    fn check(text: &str, commands: &str, positionals: &str) {
        let read = crate::read(text, "x");
        let commands_of: Vec<&str> = read.subcommands.iter().map(|one| one.name.as_str()).collect();
        let positionals_of: Vec<&str> = read.positionals.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(
            (commands_of.join(" ").as_str(), positionals_of.join(" ").as_str()),
            (commands, positionals),
            "{text}"
        );
    }

    #[test]
    fn commands_are_listed_whatever_stands_for_them() {
        const OPTIONS: &str = "\noptions:\n  -h, --help  show it\n";
        let beneath = "    add (a)   Adds\n              one\n    remove    Removes\n";
        for argument in ["", "  ACTION", "  <command>     what to do\n                next", "  command"] {
            let text = format!(
                "usage: x [-h] {} ...\n\npositional arguments:\n{argument}\n{beneath}{OPTIONS}",
                argument.trim()
            );
            check(&text, "add remove", "");
        }
        check(
            &format!("usage: x [-h] ACTION ...\n{OPTIONS}\ncommand:\n  valid ones\n\n  ACTION\n{beneath}"),
            "add remove",
            "",
        );
        check(
            &format!(
                "usage: x [options] <command>\n\npositional arguments:\n  {{add,a,remove,other}}\n{beneath}{OPTIONS}"
            ),
            "add remove other",
            "",
        );
        check(
            &format!("usage: x <command> [<args>]\n\npositional arguments:\n  {{add,remove}}\n{OPTIONS}"),
            "add remove",
            "",
        );
        check(
            &format!(
                "usage: x [-h] {{add,remove}} ... file\n\npositional arguments:\n  {{add,remove}}\n{beneath}  file      The file\n{OPTIONS}"
            ),
            "add remove",
            "",
        );
    }

    #[test]
    fn arguments_with_long_descriptions_are_none() {
        let options = "\noptions:\n  -h, --help  show it\n";
        for argument in [
            "  file\n    The file to read\n",
            "  {fast,slow}  how to do it\n",
            "  mode\n    one  or\n    another thing\n",
        ] {
            let text = format!(
                "usage: x [-h] {} name\n\npositional arguments:\n{argument}  name  who\n{options}",
                argument.split_whitespace().next().unwrap()
            );
            assert!(crate::read(&text, "x").subcommands.is_empty(), "{text}");
        }
    }
}
