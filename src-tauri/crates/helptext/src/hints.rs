//! What names of values and words of descriptions say: types, choices, defaults, whether a value is required or repeated.

use std::sync::LazyLock;

use regex::Regex;

use crate::definition::ValueType;

/// Most choices of an option.
const MAX_CHOICES: usize = 200;

macro_rules! pattern {
    ($name:ident, $text:literal) => {
        static $name: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new($text).ok());
    };
}

pattern!(
    DEFAULT,
    r#"(?i)[\[(]\s*(?:the )?defaults?(?: is| to| value(?: is)?)?\s*[:=]?\s+(?:is )?([^\])]*?)\s*[\])]|[\[(]default[:=]([^\])]*)[\])]|(?i)\bdefaults? (?:is|to|value is|value:) ["'`]?([^\s"'`,;)]+)["'`]?"#
);
pattern!(
    LISTED,
    r#"(?i)[\[(]\s*(?:possible values|choices|values|allowed values|one of)\s*:\s*([^\])]*)[\])]"#
);
pattern!(
    ONE_OF,
    r#"(?i)\b(?:one of|must be|choices are|possible values(?: are)?|valid values(?: are)?|choose from):?\s*[\[({]?\s*((?:["'`]?[\w.+-]+["'`]?(?:\s*,\s*(?:or\s+|and\s+)?|\s*\|\s*|\s+or\s+|\s+and\s+))+["'`]?[\w.+-]+["'`]?)"#
);
pattern!(
    REPEATED,
    r"(?i)(?:can|may|could) be (?:\w+ )?(?:repeated|multiple|used (?:multiple|several|more)|passed (?:multiple|several|more)|specified (?:multiple|several|more)|given (?:multiple|several|more)|set (?:multiple|several|more)|supplied (?:multiple|several|more)|provided (?:multiple|several|more)|present (?:multiple|several|more))|multiple times|more than once|repeatable|\[array\]|several times|-v -v|multiple use|multiple (?:allowed|possible)"
);
pattern!(REQUIRED, r"(?i)[\[(]required[\])]|\bis required\b|^required[.:]|\(mandatory\)");
pattern!(COUNT, r"(?i)\b(?:number of|how many|maximum number|max number|count of)\b");

fn captured(pattern: &LazyLock<Option<Regex>>, text: &str) -> Option<String> {
    let captures = LazyLock::force(pattern).as_ref()?.captures(text)?;
    let found = captures.iter().skip(1).flatten().next()?;
    Some(found.as_str().trim().to_owned())
}

fn is_match(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    LazyLock::force(pattern).as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// The default that a description states.
pub fn default(description: &str) -> Option<String> {
    let found = captured(&DEFAULT, description)?;
    let found = found.trim_matches(['"', '\'', '`', '.', '%']).trim();
    (!found.is_empty() && found.chars().count() <= 100).then(|| found.to_owned())
}

// Words that introduce the list of all values.
pattern!(
    INTRODUCED,
    r#"(?i)\b(?:options are|(?:possible|valid|allowed|available|supported|accepted)(?: \w+)?(?: are| include)?|choices are|one of(?: the following)?|can be(?: one of)?|may be(?: one of)?|must be(?: one of)?|either)\s*:?\s+(["'`‘’][^.]{0,400})"#
);
pattern!(BULLETS, r"(?i)possible values:\s*(- .{0,2000})");
pattern!(
    IN_PARENTHESES,
    r#"[(\[]\s*((?:["'`]?[a-z0-9][\w.+-]{0,24}["'`]?(?:\s*,\s*(?:or\s+)?|\s*\|\s*|\s+or\s+|\s*/\s*))+["'`]?[a-z0-9][\w.+-]{0,24}["'`]?)\s*[)\]]"#
);
pattern!(UPPER_IN_PARENTHESES, r"[(\[]\s*([A-Z][A-Z0-9]{0,11}(?:[/|][A-Z][A-Z0-9]{0,11})+)\s*[)\]]");
pattern!(
    QUOTED,
    r#"^["'`‘]([^"'`’]{1,40})["'`’](?:\s*\([^)]*\))?(?:\s*,\s*(?:or\s+|and\s+)?|\s*\|\s*|\s+or\s+|\s+and\s+|\s+)?"#
);
pattern!(BULLET, r"(?:^|\s)- ([\w.+-]+)(?::|\s|$)");

/// The values that a description lists as the only ones. `name` is that of the value: "WHEN is 'always' or 'never'".
pub fn choices_of_description(description: &str, name: &str) -> Vec<String> {
    let at_least_two = |choices: Vec<String>| Some(choices).filter(|choices| choices.len() > 1);
    captured(&LISTED, description)
        .or_else(|| captured(&ONE_OF, description))
        .and_then(|list| at_least_two(split(&list)))
        .or_else(|| at_least_two(bullets(&captured(&BULLETS, description)?)))
        .or_else(|| at_least_two(quoted(&captured(&INTRODUCED, description)?)))
        .or_else(|| at_least_two(of_named(description, name)))
        .or_else(|| at_least_two(in_parentheses(description)))
        .or_else(|| at_least_two(behind_colon(description)))
        .unwrap_or_default()
}

/// `sorting order: none (default), name or inode`, up to the end of the sentence.
fn behind_colon(description: &str) -> Vec<String> {
    let Some((_, list)) = description.rsplit_once(": ") else { return Vec::new() };
    let mut plain = String::new();
    let mut depth = 0_usize;
    for c in list.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    let sentence = plain.split(['.', ';']).next().unwrap_or_default().trim();
    let is_word = |word: &str| {
        !word.is_empty()
            && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_'))
    };
    let words: Vec<String> = sentence
        .replace(" or ", ",")
        .split([',', '|'])
        .map(|word| word.trim().trim_matches(['"', '\'', '`']).to_owned())
        .filter(|word| !word.is_empty())
        .collect();
    if words.len() > 2 && words.len() <= MAX_CHOICES && words.iter().all(|word| is_word(word)) {
        words
    } else {
        Vec::new()
    }
}

pattern!(
    ALIASES,
    r"(?i)[\[(](?:alias(?:es)?|aka|also)[:\s]+((?:--?[\w-]+(?:\s*,\s*|\s+and\s+|\s+or\s+)?)+)[\])]"
);

/// Further spellings that a description names.
pub fn aliases(description: &str) -> Vec<String> {
    let Some(found) = captured(&ALIASES, description) else { return Vec::new() };
    let words = found.split([',', ' ']).filter(|word| word.starts_with('-') && word.len() > 1);
    words.take(8).map(str::to_owned).collect()
}

/// `WHEN is 'always', 'never', or 'auto'`, where the value is called `WHEN`.
fn of_named(description: &str, name: &str) -> Vec<String> {
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_uppercase() || matches!(c, '_' | '-')) {
        return Vec::new();
    }
    [" is ", " can be ", " may be ", " must be ", " is one of ", ": "]
        .iter()
        .filter_map(|verb| description.split_once(&format!("{name}{verb}")).map(|(_, list)| list))
        .map(|list| {
            let found = quoted(list);
            if found.len() > 1 {
                return found;
            }
            let sentence = list.split(['.', ';']).next().unwrap_or_default();
            let is_list = sentence.split([',', '|']).all(|word| word.split_whitespace().count() <= 2)
                && sentence.contains(" or ");
            if is_list { split(sentence) } else { Vec::new() }
        })
        .find(|found| found.len() > 1)
        .unwrap_or_default()
}

/// Quoted words in a row, each with a remark in parentheses at most.
fn quoted(list: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = list;
    let Some(pattern) = LazyLock::force(&QUOTED).as_ref() else { return found };
    while let Some(captures) = pattern.captures(rest)
        && found.len() < MAX_CHOICES
    {
        let Some(word) = captures.get(1).map(|word| word.as_str()) else { break };
        if word.contains(' ') {
            return Vec::new();
        }
        found.push(word.to_owned());
        rest = captures.get(0).and_then(|all| rest.get(all.end()..)).unwrap_or_default();
    }
    found
}

fn bullets(list: &str) -> Vec<String> {
    let Some(pattern) = LazyLock::force(&BULLET).as_ref() else { return Vec::new() };
    pattern
        .captures_iter(list)
        .take(MAX_CHOICES)
        .filter_map(|captures| Some(captures.get(1)?.as_str().to_owned()))
        .collect()
}

/// `Output format (json, text, xml)`. Lists of examples are no choices.
fn in_parentheses(description: &str) -> Vec<String> {
    let lower = description.to_lowercase();
    let is_open = ["e.g", "i.e", "such as", "for example", "etc", "default", "like ", "and so on", "comma"]
        .iter()
        .any(|word| lower.contains(word));
    if is_open {
        return Vec::new();
    }
    let found =
        captured(&IN_PARENTHESES, description).or_else(|| captured(&UPPER_IN_PARENTHESES, description));
    found.map_or_else(Vec::new, |list| split(&list.replace('/', ",")))
}

/// The values in a name such as `{a,b}`, `<a|b>`, `a|b`.
pub fn choices_of_name(name: &str) -> Vec<String> {
    let inner = bare(name);
    let choices = if inner.contains('|') {
        split(&inner.replace('|', ","))
    } else if name.contains('{') && name.contains(',') {
        split(inner)
    } else {
        Vec::new()
    };
    // `FILE|-` and `K=V|K` are forms, not values.
    let is_plain = |choice: &String| {
        choice.chars().any(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
            && !choice.contains(['<', '>', '[', ']', '=', ' ', '{', '}'])
    };
    if choices.len() > 1 && choices.iter().all(is_plain) { choices } else { Vec::new() }
}

fn split(list: &str) -> Vec<String> {
    let mut choices = Vec::new();
    for part in
        list.split([',', '|']).flat_map(|part| part.split(" or ")).flat_map(|part| part.split(" and "))
    {
        let part = part.trim().trim_start_matches("or ").trim_start_matches("and ");
        let part = part.trim_matches(['"', '\'', '`', '.', ' ', '(', ')', '[', ']', '{', '}']);
        let is_known = choices.iter().any(|known| known == part);
        if !part.is_empty()
            && !part.contains(' ')
            && part != "..."
            && !is_known
            && choices.len() < MAX_CHOICES
        {
            choices.push(part.to_owned());
        }
    }
    choices
}

/// Whether a line says that the program reads its standard input.
pub fn says_stdin(line: &str) -> bool {
    let lower = line.to_lowercase();
    let names = ["standard input", "stdin", "piped input"].iter().any(|name| lower.contains(name));
    names && !["not read", "never read", "ignore", "redirect"].iter().any(|word| lower.contains(word))
}

/// Whether a description says that an option can be given several times.
pub fn is_repeated(description: &str) -> bool {
    is_match(&REPEATED, description)
}

/// Whether a description says that an option must be given.
pub fn is_required(description: &str) -> bool {
    is_match(&REQUIRED, description)
}

/// A value's name without brackets, `=`, quotes and dots.
pub fn bare(name: &str) -> &str {
    name.trim_end_matches("...")
        .trim_matches(['[', ']', '<', '>', '{', '}', '(', ')', '=', '"', '\'', '`', ':', ',', '.', '…', ' '])
}

/// Whether a value's name says that there can be several.
pub fn is_list_name(name: &str) -> bool {
    const LISTS: &[&str] =
        &["strings", "stringArray", "stringSlice", "stringToString", "list", "ints", "uints"];
    name.contains("...") || name.contains('…') || LISTS.contains(&bare(name))
}

/// The type that a value's name says, with the help of default and description.
pub fn kind(name: &str, default: Option<&str>, description: &str) -> ValueType {
    const INTEGERS: &[&str] = &[
        "n",
        "num",
        "int",
        "integer",
        "count",
        "nnum",
        "lines",
        "port",
        "nr",
        "seconds",
        "secs",
        "sec",
        "columns",
        "cols",
        "days",
        "uint",
        "int32",
        "int64",
        "uint32",
        "uint64",
        "levels",
        "depth",
        "jobs",
        "threads",
        "pid",
        "uid",
        "gid",
        "bits",
        "digits",
        "milliseconds",
        "ms",
        "minutes",
        "hours",
        "retries",
        "workers",
        "runs",
        "width",
        "height",
        "positiveinteger",
        "nonnegativeinteger",
        "integer range",
    ];
    const NUMBERS: &[&str] =
        &["number", "float", "float64", "float32", "double", "real", "float range", "decimal", "percent"];
    const PATHS: &[&str] = &[
        "file",
        "path",
        "dir",
        "directory",
        "folder",
        "filename",
        "filepath",
        "outfile",
        "infile",
        "input_file",
        "output_file",
        "pathname",
        "files",
        "paths",
        "dirs",
        "configfile",
        "config_file",
        "input_keyfile",
        "keyfile",
        "directories",
        "dirname",
        "archive",
    ];
    let lower = bare(name).to_ascii_lowercase();
    let words = lower.replace(['-', ' '], "_");
    let last = words.rsplit('_').next().unwrap_or_default();
    let has = |list: &[&str]| list.contains(&lower.as_str()) || list.contains(&words.as_str());
    let tag = |tag: &str| description.contains(tag);
    if has(INTEGERS) || tag("[integer]") {
        return ValueType::Integer;
    }
    if has(NUMBERS) || tag("[number]") {
        let is_whole = default.is_some_and(|default| default.parse::<i64>().is_ok());
        return if is_whole && !tag("[number]") { ValueType::Integer } else { ValueType::Number };
    }
    if has(PATHS) || PATHS.contains(&last) {
        return ValueType::Path;
    }
    match default {
        Some(default) if default.parse::<i64>().is_ok() => ValueType::Integer,
        Some(default) if default.parse::<f64>().is_ok() && default.contains('.') => ValueType::Number,
        _ if default.is_none() && INTEGERS.contains(&last) && is_match(&COUNT, description) => {
            ValueType::Integer
        }
        _ => ValueType::String,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_descriptions_are_read() {
        for (text, expected) in [
            ("Theme (default: dark)", Some("dark")),
            ("Theme [default: \"dark\"]", Some("dark")),
            ("Size. (default 3)", Some("3")),
            ("Defaults to auto.", Some("auto")),
            ("The default is 10, or less", Some("10")),
            ("by default nothing happens", None),
        ] {
            assert_eq!(default(text).as_deref(), expected, "{text}");
        }
        assert_eq!(choices_of_description("x [possible values: auto, always]", ""), ["auto", "always"]);
        assert_eq!(choices_of_description("One of: json, text or yaml.", ""), ["json", "text", "yaml"]);
        assert_eq!(choices_of_description("one of the files", ""), Vec::<String>::new());
        assert!(is_repeated("Can be repeated") && is_repeated("may be given multiple times"));
        assert!(!is_repeated("Repeats the last line") && is_required("X [required]"));
    }

    #[test]
    fn names_of_values_say_types_and_choices() {
        assert_eq!(choices_of_name("{a,b}"), ["a", "b"]);
        assert_eq!(choices_of_name("<a|b>"), ["a", "b"]);
        assert_eq!(choices_of_name("FILE|-"), Vec::<String>::new());
        assert_eq!(kind("NUM", None, ""), ValueType::Integer);
        assert_eq!(kind("<FILE>", None, ""), ValueType::Path);
        assert_eq!(kind("value", Some("3"), ""), ValueType::Integer);
        assert_eq!(kind("WHEN", None, ""), ValueType::String);
    }
}
