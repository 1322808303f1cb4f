//! Lists of values that stand apart from their option: "FORMAT is one of the following:".

use std::sync::LazyLock;

use super::description::is_combined;
use super::list::closed;
use super::{MAX_CHOICES, are_kinds};
use crate::definition::{OptionDefinition, Value, ValueType};
use crate::patterns::{Pattern, found, is_match, pattern};

/// Length from which a list may contain anything.
const LONG: usize = 12;
/// Most lists of a text.
const MAX_TABLES: usize = 100;
/// Most lines of a paragraph before a list.
const MAX_LINES: usize = 4;

// A heading about the name of a value, or about a flag.
pattern!(
    OF_NAME,
    r"^\s*(?:The )?([A-Z][A-Z_-]+) (?:(?:is|are|can be|may be|must be) (?:one|any) of(?: the following)?(?: values)?:?|determines .*:|(?:options|values):)\s*$"
);
// `The optional HOW parameter indicates how:`, `<alg> specify algorithm, supported are:`.
pattern!(
    OF_PARAMETER,
    r"^\s*(?:The optional ([A-Z][A-Z_-]+) (?:parameter|argument|value) .*|<([\w-]+)> .*(?:supported|allowed|possible|available)(?: values)? are):\s*$"
);
// `Available discard policy types (for --discard):`.
pattern!(
    FOR_FLAG,
    r"(?i)^\s*(?:available|supported|valid|possible|known|allowed) .*\((?:for|of) (--[\w-]+)\):\s*$"
);
pattern!(
    OF_FLAG,
    r"(?i)^\s*(?:the )?(?:valid|possible|allowed|available|supported) (?:arguments?|values?|choices?)(?: for)?(?: the)? (--?[\w-]+)(?: option)?(?: are)?:\s*$"
);
// `The '--builtin-schema' flag supports the following schema names:`.
pattern!(
    SUPPORTS,
    r"(?i)^\s*The ['\x22`]?(--[\w-]+)['\x22`]? (?:flag|option) (?:supports|accepts|takes) (?:the following|these) [\w ]+:\s*$"
);
// `Available output columns:`, `nm: supported targets: elf64 pe`. The noun and the list are captured.
pattern!(
    OF_NOUN,
    r"(?i)^\s*(?:[\w.-]+: )?(?:available|supported|valid|possible|known|recognized|allowed)(?: \w+){0,2} ([a-z]+?)s(?: are| \([^()]*\))?:\s*(.*)$"
);
// `The MODE argument of --cached can be: always, never, or default.`
pattern!(
    SENTENCE,
    r"(?i)\barguments? (?:of|for|to) (--[\w-]+) (?:can be|may be|must be|is)(?: one of)?:? (\S.*)$"
);
// `The WHEN argument defaults to 'always' and can also be 'auto' or 'never'.`
pattern!(
    OF_ARGUMENT,
    r"^The ([A-Z][A-Z_-]+) argument (?:defaults to|is|can be|may be|must be) (?:one of )?(\S.*)$"
);
// A paragraph about a flag ends so.
pattern!(ENDS, r"(?i)(?:values are|here are the values|the values are|are the values)\s*:\s*$");
pattern!(FLAG, r"(?:^|[\s(])(--[a-z][\w-]*)");
pattern!(ITEM, r"^\s+([\w.+-]+(?::[\w.+-]+|%)?(?:, [\w.+-]+)*,?)(?:\s{2,}\S.*|\s+- \S.*| \(default\))?$");
// `Levels as in --report.`
pattern!(
    AS_IN,
    r"(?i)(?:\b(?:values|levels|choices|formats|modes|names|types) (?:are )?(?:the )?(?:as|same as|like) (?:in|for|with) |^(?:same as|like|alias for) )(--?[a-z][\w-]*)|\bvalues are the same as for [\x22'`]?([a-z][\w-]*)"
);
// `pBRE`, `aSIZE`: a letter with a value.
pattern!(WITH_VALUE, r"^[a-z]+[A-Z]{2,}$");

/// What a list is about.
enum Subject {
    Name(String),
    Flag(String),
    /// What the values are: the name of a value in small letters, or a flag without its dashes.
    Noun(String),
    /// What descriptions of options say of their value, in small letters: "page segmentation mode".
    Phrase(String),
}

/// Gives options without choices those of a list that names them or their value, or of an option they refer to.
pub fn from_lists(lines: &[String], options: &mut [OptionDefinition]) {
    from_tables(lines, options);
    from_others(options);
}

fn from_tables(lines: &[String], options: &mut [OptionDefinition]) {
    let mut tables = 0;
    for (at, line) in lines.iter().enumerate() {
        let may_be = line.contains(':') || line.contains("argument") || line.ends_with("following");
        if !may_be {
            continue;
        }
        let Some((subject, values)) = sentence(lines, at)
            .or_else(|| of_noun(lines, at))
            .or_else(|| of_phrase(lines, at))
            .or_else(|| Some((subject(lines, at)?, values(lines.get(at + 1..).unwrap_or_default()))))
        else {
            continue;
        };
        if values.len() < 2 {
            continue;
        }
        tables += 1;
        if tables > MAX_TABLES {
            return;
        }
        for option in
            options.iter_mut().filter(|option| option.choices.is_empty() && option.value != Value::None)
        {
            let is_named = match &subject {
                Subject::Name(name) => {
                    option.value_name == *name
                        || ["see", "See"]
                            .iter()
                            .any(|see| option.description.contains(&format!("{see} {name} below")))
                }
                Subject::Flag(flag) => option.flags.contains(flag),
                Subject::Phrase(phrase) => option.description.to_lowercase().contains(phrase.as_str()),
                Subject::Noun(noun) => {
                    let end = format!("-{noun}");
                    let is_called =
                        ["_", "-"].iter().any(|mark| option.value_name.ends_with(&format!("{mark}{noun}")));
                    let is_own = |flag: &String| flag.trim_start_matches('-') == noun || flag.ends_with(&end);
                    (is_called
                        || option.value_name.eq_ignore_ascii_case(noun)
                        || option.flags.iter().any(is_own))
                        && !option.repeated
                }
            };
            if is_named && !is_combined(&option.description) {
                option.choices.clone_from(&values);
                option.kind = ValueType::String;
            }
        }
    }
}

/// Gives options without choices those of another one that their description refers to.
fn from_others(options: &mut [OptionDefinition]) {
    for at in 0..options.len() {
        let Some(option) = options.get(at).filter(|one| one.choices.is_empty() && one.value != Value::None)
        else {
            continue;
        };
        // The pattern is slow.
        let refers = ["in -", "for -", "with -", "as -", "like -", "same as for "]
            .iter()
            .any(|words| option.description.contains(words));
        let reference = if refers { found(&AS_IN, &option.description) } else { None };
        let flag = reference.and_then(|captures| Some(captures.iter().skip(1).flatten().next()?.as_str()));
        let is = |own: &String, flag: &str| own == flag || own.strip_prefix("--") == Some(flag);
        let other =
            flag.and_then(|flag| options.iter().find(|other| other.flags.iter().any(|own| is(own, flag))));
        let choices = other.map(|other| other.choices.clone()).unwrap_or_default();
        if let Some(option) = options.get_mut(at).filter(|_| !choices.is_empty()) {
            option.choices = choices;
            option.kind = ValueType::String;
        }
    }
}

/// A sentence that lists the values of a flag, in one line.
fn sentence(lines: &[String], at: usize) -> Option<(Subject, Vec<String>)> {
    let line = lines.get(at).filter(|line| line.len() < 200 && line.contains("argument"))?;
    if let Some(captures) = found(&OF_ARGUMENT, line) {
        let values = closed(&captures.get(2)?.as_str().replace(" and can also be ", ", "), false);
        return (!values.is_empty()).then(|| (Subject::Name(captures[1].to_owned()), values));
    }
    let captures = found(&SENTENCE, line)?;
    let values = closed(captures.get(2)?.as_str(), false);
    let flag = captures.get(1)?.as_str().to_owned();
    (!values.is_empty()).then_some((Subject::Flag(flag), values))
}

/// Values of a kind, behind or beneath a heading that names it.
fn of_noun(lines: &[String], at: usize) -> Option<(Subject, Vec<String>)> {
    const OTHERS: &[&str] = &[
        "option",
        "command",
        "subcommand",
        "argument",
        "flag",
        "variable",
        "value",
        "key",
        "field",
        "action",
    ];
    let line = lines.get(at)?;
    let colon = ["s:", " are:", "):"].iter().find_map(|end| line.find(end))?;
    if colon > 60 {
        return None;
    }
    let captures = found(&OF_NOUN, line)?;
    let noun = captures.get(1)?.as_str().to_lowercase();
    let list = captures.get(2)?.as_str();
    if OTHERS.contains(&noun.as_str()) || line.contains("(for -") || line.contains("(of -") {
        return None;
    }
    let values = match list.is_empty() {
        true => values(lines.get(at + 1..)?),
        false => list.split([' ', ',']).filter(|word| !word.is_empty()).map(str::to_owned).collect(),
    };
    let is_word =
        |value: &String| value.bytes().all(|byte| byte.is_ascii_graphic()) && !value.ends_with(['.', ':']);
    (values.iter().all(is_word) && values.len() <= MAX_CHOICES).then_some((Subject::Noun(noun), values))
}

/// tesseract: "Page segmentation modes:", and a table of them.
fn of_phrase(lines: &[String], at: usize) -> Option<(Subject, Vec<String>)> {
    const LEAST: usize = 3;
    let phrase = lines.get(at)?.trim().strip_suffix("s:").filter(|phrase| phrase.len() < 60)?;
    let is_word = |word: &str| word.chars().all(|c| c.is_alphabetic());
    let words: Vec<&str> = phrase.split(' ').collect();
    if words.len() < 2 || !phrase.starts_with(char::is_uppercase) || !words.iter().all(|word| is_word(word)) {
        return None;
    }
    // `Background Modes:`, and a list in one line: those of `--mode`.
    let list = closed(lines.get(at + 1)?, false);
    if list.len() >= LEAST {
        return Some((Subject::Noun(words.last()?.to_lowercase()), list));
    }
    let values = values(lines.get(at + 1..)?);
    (values.len() >= LEAST).then(|| (Subject::Phrase(phrase.to_lowercase()), values))
}

/// What the list below a line is about, if the line is a heading.
fn subject(lines: &[String], at: usize) -> Option<Subject> {
    let line = lines.get(at).filter(|line| line.len() < 200)?;
    if !line.ends_with(':') && !line.ends_with("following") {
        return None;
    }
    let first = |pattern: &Pattern, text: &str| Some(found(pattern, text)?.get(1)?.as_str().to_owned());
    if let Some(name) = first(&OF_NAME, line) {
        // `FLAGS is any of:` lists parts of a value.
        return (!line.contains(" any of")).then_some(Subject::Name(name));
    }
    if let Some(captures) = found(&OF_PARAMETER, line) {
        return captures.iter().skip(1).flatten().next().map(|name| Subject::Name(name.as_str().to_owned()));
    }
    if let Some(flag) =
        first(&OF_FLAG, line).or_else(|| first(&FOR_FLAG, line)).or_else(|| first(&SUPPORTS, line))
    {
        return Some(Subject::Flag(flag));
    }
    let before = lines.get(at.saturating_sub(MAX_LINES)..=at)?;
    let is_end = |line: &String| line.is_empty() || line.trim_start().starts_with('-');
    let start = before.iter().rposition(is_end).map_or(0, |end| end + 1);
    let paragraph = before.get(start..)?.join(" ");
    if !is_match(&ENDS, &paragraph) {
        return None;
    }
    let flag = LazyLock::force(&FLAG).as_ref()?;
    // The last sentence that names a flag.
    let flags: Vec<&str> = paragraph
        .rsplit(". ")
        .map(|sentence| {
            flag.captures_iter(sentence).filter_map(|found| Some(found.get(1)?.as_str())).collect()
        })
        .find(|flags: &Vec<&str>| !flags.is_empty())?;
    match flags.as_slice() {
        [flag] => Some(Subject::Flag((*flag).to_owned())),
        _ => None,
    }
}

/// The values of a list: one or more on each line, in one column, with what they mean.
fn values(below: &[String]) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    // Columns in which the first item begins and ends. Short items may be aligned to the right.
    let mut columns: Option<(usize, usize)> = None;
    let Some(item) = LazyLock::force(&ITEM).as_ref() else { return values };
    for line in below.iter().skip_while(|line| line.is_empty()).take(MAX_CHOICES) {
        // A list without indentation is one line.
        let is_alone = values.is_empty() && line.contains(", ") && !line.trim().contains("  ");
        let sentence = if is_alone { closed(&unwrapped(below), false) } else { Vec::new() };
        if sentence.len() > 2 {
            return sentence;
        }
        let indent = line.len() - line.trim_start().len();
        let padded = if is_alone { format!(" {line}") } else { line.clone() };
        let found = item.captures(&padded).and_then(|found| found.get(1));
        let (start, end) = *columns.get_or_insert((indent, found.map_or(0, |found| found.end())));
        let is_right = found.is_some_and(|found| found.end() == end);
        match indent {
            // What goes on from the line before.
            indent if indent > start && !is_right => continue,
            indent if indent < start && !is_right => break,
            _ => {}
        }
        let Some(found) = found else { break };
        let words = found.as_str().split(',').map(str::trim).filter(|word| !word.is_empty());
        values.extend(words.map(str::to_owned));
        if is_alone {
            break;
        }
    }
    let has_values = values.iter().any(|value| is_match(&WITH_VALUE, value));
    // Names of columns and the like are no kinds of values.
    let are_kinds = values.len() < LONG && are_kinds(&values);
    if has_values || are_kinds { Vec::new() } else { values }
}

/// The first lines of which each ends with a comma, and the one behind them.
fn unwrapped(lines: &[String]) -> String {
    const MOST: usize = 20;
    let mut text = String::new();
    for line in lines.iter().skip_while(|line| line.is_empty()).take(MOST) {
        text.push_str(line.trim());
        text.push(' ');
        if !line.ends_with(',') {
            break;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let found = (0..lines.len()).find_map(|at| {
            let subject = match subject(&lines, at)? {
                Subject::Name(subject)
                | Subject::Flag(subject)
                | Subject::Noun(subject)
                | Subject::Phrase(subject) => subject,
            };
            Some(format!("{subject}: {}", values(&lines[at + 1..]).join(" ")))
        });
        found.unwrap_or_default()
    }

    #[test]
    fn sentences_about_a_flag_list_its_values() {
        let of = |line: &str| sentence(&[line.to_owned()], 0).map(|(_, values)| values.join(" "));
        let line = "The MODE argument of --cached can be: always, never, or default.";
        assert_eq!(of(line).as_deref(), Some("always never default"));
        assert_eq!(of("The argument of --cached can be anything."), None);
        let line = "The WHEN argument defaults to 'always' and can also be 'auto' or 'never'.";
        assert_eq!(of(line).as_deref(), Some("always auto never"));
    }

    #[test]
    fn headings_name_what_they_list() {
        let of = |text: &str| {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            match of_noun(&lines, 0) {
                Some((Subject::Noun(noun), values)) => format!("{noun}: {}", values.join(" ")),
                _ => String::new(),
            }
        };
        let columns =
            "Available output columns:\n    ROTA  rotates\n      RA  read ahead\n MAJ:MIN  numbers\n\nEnd";
        assert_eq!(of(columns), "column: ROTA RA MAJ:MIN");
        assert_eq!(of("nm: supported targets: elf64 pe srec"), "target: elf64 pe srec");
        assert_eq!(of("Supported log levels (priorities):\n  err - bad\n warn - odd"), "level: err warn");
        assert_eq!(of("Available commands:\n  add  x\n  del  y"), "");
        assert_eq!(of("Supported formats: see the manual."), "");
    }

    #[test]
    fn options_take_values_from_lists_apart() {
        let of = |text: &str, flag: &str| {
            let definition = crate::read(text, "x");
            let option = definition.options.into_iter().find(|one| one.flags.iter().any(|own| own == flag));
            option.map(|option| option.choices.join(" ")).unwrap_or_default()
        };
        let modes = "Usage: x\n\n  -m, --mode MODE   Set the mode to use.\n\nBackground Modes:\n  stretch, fit, or solid_color\n";
        assert_eq!(of(modes, "--mode"), "stretch fit solid_color");
        let methods = "Options:\n  -r <resampling_method>   how\n\nAvailable resampling methods:\n    near (default), cubic, rms,\n    mode,  max.\n";
        assert_eq!(of(methods, "-r"), "near cubic rms mode max");
        let digest = "Options:\n  -a, --algorithm=TYPE   See DIGEST below.\n\nDIGEST determines the algorithm:\n  sysv  System V\n  crc  CRC\n";
        assert_eq!(of(digest, "-a"), "sysv crc");
        let names = "  The '--schema' flag supports the following schema names:\n      a.one, a.two,\n      b.three\n\nOptions:\n  --schema NAME   use it\n";
        assert_eq!(of(names, "--schema"), "a.one a.two b.three");
        let purposes = "Options:\n  -purpose val   what for\n\nRecognized certificate chain purposes:\n  client  A client\n  server (default)\n  any     All\n";
        assert_eq!(of(purposes, "-purpose"), "client server any");
        let like = "Options:\n  -a WHICH   one of one, two or three\n  -v WHICH   like -a, but less\n";
        assert_eq!(of(like, "-v"), "one two three");
        let alias = "Options:\n  --format <f>   one of bsd, posix or sysv\n  -f <f>   Alias for --format\n  --other <f>   Values are the same as for `format`.\n";
        assert_eq!(
            (of(alias, "-f"), of(alias, "--other")),
            ("bsd posix sysv".to_owned(), "bsd posix sysv".to_owned())
        );
    }

    #[test]
    fn lists_apart_have_a_subject_and_one_column() {
        for (text, expected) in [
            ("FORMAT is one of:\n\n  ln  left\n  rn  right\n       and more\nEnd", "FORMAT: ln rn"),
            (
                "The suffix is '~', unless set with --suffix.\nThe method may be selected via the --backup option or through\nthe environment.  Here are the values:\n\n  \
                 none, off  never\n  simple, never  always",
                "--backup: none off simple never",
            ),
            ("DIGEST determines the algorithm:\n  sysv  System V\n  crc  CRC", "DIGEST: sysv crc"),
            (
                "UNIT options:\n  none   no scaling; fails\n  auto   accept:\n           1K = 1000\n  si     accept it\n",
                "UNIT: none auto si",
            ),
            ("FLAGS is any of:\n  a   all\n  c   changes\n", ""),
            ("Valid arguments for --x are:\n  a, b\n", "--x: a b"),
            (
                "Available types (for --discard):\n once    : only once\n pages   : freed ones\n",
                "--discard: once pages",
            ),
            (" <alg> specify it, supported are:\n   lzo, lz4, 842 and zstd\n", "alg: lzo lz4 842 zstd"),
            ("STYLE is one of:\n\n  a  all\n  pBRE  number lines\n", "STYLE: "),
            ("N may be followed by:\n  c  1\n  w  2\n", ""),
            ("Set --a or --b, values are:\n  none  x\n  all  y\n", ""),
        ] {
            assert_eq!(of(text), expected, "{text}");
        }
    }
}
