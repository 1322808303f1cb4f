//! Lists that iproute2 writes as productions of a grammar: `OPTIONS := { -V[ersion] | -s[tatistics] | -n[etns] name }`,
//! `OBJECT := { link | address }`.

use std::ops::Range;
use std::sync::LazyLock;

use crate::patterns::{found, pattern};

/// Most lines of a production.
const MOST: usize = 30;

pattern!(
    BEGINS,
    r"^\s*(?:where\s+)?(?:(OPTIONS|OBJECT|COMMAND)\s+:= +|\[?(action|command)\]?\s+= +)([{\[].*)$"
);
// `-color -p[retty]`: a bar that is missing.
pattern!(NO_BAR, r"((?:^| )--?[A-Za-z][\w-]*(?:\[[\w-]+\])?) -");
pattern!(FLAG, r"^(--?[A-Za-z0-9][\w-]*)(?:\[([\w-]+)\])?(?:\s+(.+))?$");

/// Replaces such productions with an entry for each option or subcommand. `program` is the command.
pub(super) fn listed(lines: &mut Vec<String>, program: &str) {
    if let Some((inner, range)) = production(lines, "OPTIONS") {
        let entries = options(&inner);
        if !entries.is_empty() {
            lines.splice(range, std::iter::once("Options:".to_owned()).chain(entries));
        }
    }
    for name in ["OBJECT", "COMMAND", "action", "command"] {
        let Some((inner, range)) = production(lines, name) else { continue };
        let names = words(&inner);
        // `[action] = { … }` of dkms, if it stands behind the program.
        let places = ["[]", "<>"].map(|pair| format!("{program} {}{name}{}", &pair[..1], &pair[1..]));
        let is_first = || lines.iter().any(|line| places.iter().any(|place| line.contains(place.as_str())));
        if names.is_empty() || name.starts_with(char::is_lowercase) && (program.is_empty() || !is_first()) {
            continue;
        }
        // dkms goes on with its options.
        lines.drain(range);
        lines.extend([String::new(), "Commands:".to_owned()]);
        lines.extend(names);
        return;
    }
}

/// What stands in the brackets of the first production of this name, and its lines.
fn production(lines: &[String], name: &str) -> Option<(String, Range<usize>)> {
    let begins = |line: &String| {
        let captures = if line.contains("= ") && line.contains(name) { found(&BEGINS, line) } else { None };
        let captures = captures?;
        let is_own = captures.get(1).or(captures.get(2)).is_some_and(|own| own.as_str() == name);
        is_own.then(|| captures[3].to_owned())
    };
    let (start, mut text) =
        lines.iter().enumerate().find_map(|(at, line)| begins(line).map(|text| (at, text)))?;
    let mut end = start + 1;
    while depth(&text) > 0 && end < lines.len() && end < start + MOST {
        text = format!("{text} {}", lines[end].trim());
        end += 1;
    }
    let inner = text.trim_end().strip_suffix(['}', ']']).and_then(|text| text.get(1..))?;
    // `[-v] [-o FILE]` are two pairs of brackets.
    let mut inside = 0;
    let is_one = inner.chars().all(|c| {
        inside += i32::from(matches!(c, '{' | '[')) - i32::from(matches!(c, '}' | ']'));
        inside >= 0
    });
    (is_one && inside == 0).then(|| (inner.to_owned(), start..end))
}

/// Entries of subcommands.
fn words(inner: &str) -> Vec<String> {
    let is_word = |part: &String| {
        part.starts_with(|c: char| c.is_ascii_lowercase())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    };
    // `show [ DEV ]`
    let first = |part: String| part.split(' ').next().unwrap_or_default().to_owned();
    alternatives(inner).into_iter().map(first).filter(is_word).map(|word| format!("  {word}")).collect()
}

/// Entries of options.
fn options(inner: &str) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    let barred = |text: &str| {
        let pattern = LazyLock::force(&NO_BAR).as_ref();
        pattern.map_or_else(|| text.to_owned(), |pattern| pattern.replace_all(text, "$1 | -").into_owned())
    };
    // A match ends where the next begins.
    let parts: Vec<String> = alternatives(&barred(&barred(inner)));
    let mut at = 0;
    while let Some(part) = parts.get(at) {
        at += 1;
        let Some(flag) = found(&FLAG, part) else { continue };
        let value = flag.get(3).map_or(String::new(), |value| written(value.as_str()));
        let flags = match (flag.get(2), parts.get(at).filter(|long| is_long_of(long, part))) {
            (Some(rest), _) => format!("{0}, {0}{1}", &flag[1], rest.as_str()),
            // `-V | --Version`
            (None, Some(long)) => {
                at += 1;
                format!("{part}, {long}")
            }
            (None, None) => flag[1].to_owned(),
        };
        entries.push(format!("  {flags}{value}"));
    }
    entries
}

fn depth(text: &str) -> i32 {
    text.chars().fold(0, |depth, c| match c {
        '{' | '[' => depth + 1,
        '}' | ']' => depth - 1,
        _ => depth,
    })
}

/// The parts between bars outside of brackets.
fn alternatives(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for c in text.chars() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            _ => {}
        }
        match parts.last_mut() {
            Some(last) if c != '|' || depth > 0 => last.push(c),
            _ => parts.push(String::new()),
        }
    }
    parts.into_iter().map(|part| part.trim().to_owned()).collect()
}

/// `{ inet | inet6 }` are values, `[filename]` may be left out, `name` is a name.
fn written(value: &str) -> String {
    let plain: String = value.chars().filter(|c| *c != ' ').collect();
    match plain.strip_prefix('{').and_then(|value| value.strip_suffix('}')) {
        Some(values) if values.contains('|') => format!(" {{{values}}}"),
        Some(name) => format!(" <{name}>"),
        None if plain.starts_with('[') => format!(" {plain}"),
        None => format!(" <{plain}>"),
    }
}

/// Whether a long flag begins like a short one: `--Version` and `-V`.
fn is_long_of(long: &str, short: &str) -> bool {
    let letter = short.strip_prefix('-').filter(|letter| letter.chars().count() == 1);
    letter.is_some_and(|letter| long.strip_prefix("--").is_some_and(|name| name.starts_with(letter)))
}

#[cfg(test)]
mod tests {
    fn of(text: &str) -> Vec<String> {
        let shown = |one: &crate::OptionDefinition| {
            format!("{} {:?} {}", one.flags.join(","), one.value, one.choices.join("|"))
        };
        crate::read(text, "x").options.iter().map(shown).collect()
    }

    #[test]
    fn productions_are_entries() {
        let ip = "Usage: x [ OPTIONS ] OBJECT { COMMAND | help }\nwhere  OBJECT := { address | link }\n       \
                  OPTIONS := { -V[ersion] | -s[tatistics] |\n                    -f[amily] { inet | inet6 } |\n                    \
                  -4 | -l[oops] { maximum } | -b[atch] [filename] |\n                    -n[etns] name |\n                    -c[ompress] -color -j[son] }\n";
        assert_eq!(
            of(ip),
            [
                "-V,-Version None ",
                "-s,-statistics None ",
                "-f,-family Required inet|inet6",
                "-4 None ",
                "-l,-loops Required ",
                "-b,-batch Optional ",
                "-n,-netns Required ",
                "-c,-compress None ",
                "-color None ",
                "-j,-json None ",
            ]
        );
        let dcb = "Usage: x [ OPTIONS ] OBJECT\n       OPTIONS := [ -V | --Version | -j | --json\n                  | -v | --verbose]\n";
        assert_eq!(of(dcb), ["-V,--Version None ", "-j,--json None ", "-v,--verbose None "]);
        assert!(of("OPTIONS := { -V | -s\n").is_empty());
        let read = crate::read(ip, "x");
        assert_eq!(
            read.subcommands.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(),
            ["address", "link"]
        );
        assert!(read.positionals.is_empty());
    }
}
