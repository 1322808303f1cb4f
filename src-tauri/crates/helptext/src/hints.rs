//! What names of values and words of descriptions say: types, choices, defaults, whether a value is required or repeated.

use crate::definition::ValueType;
use crate::patterns::{Pattern, found, is_match, pattern};

pattern!(
    DEFAULT,
    r#"(?i)[\[(]\s*(?:the )?defaults?(?: is| to| value(?: is)?)?\s*[:=]?\s+(?:is )?([^\])]*?)\s*[\])]|[\[(]default[:=]([^\])]*)[\])]|(?i)\bdefaults? (?:is|to|value is|value:) ["'`]?([^\s"'`,;)]+)["'`]?|(?i)\bdefault: ["'`]?([^\s"'`,;)]+?)["'`]?(?:[.,;)]?$|[.,;)] )"#
);
pattern!(
    REPEATED,
    r"(?i)(?:can|may|could) be (?:\w+ )?(?:repeated|multiple|used (?:multiple|several|more)|passed (?:multiple|several|more)|specified (?:multiple|several|more)|given (?:multiple|several|more)|set (?:multiple|several|more)|supplied (?:multiple|several|more)|provided (?:multiple|several|more)|present (?:multiple|several|more))|multiple times|more than once|repeatable|\[array\]|several times|-v -v|multiple use|multiple (?:allowed|possible)|multiple (?:\w+ ){1,2}can be (?:specified|given|used|passed|provided|set)"
);
pattern!(
    ONCE,
    r"(?i)\b(?:not|never|cannot|can't) be (?:\w+ ){0,2}(?:repeated|multiple times|more than once|several times)|\b(?:appears?|occurs?)\b[^.;]{0,20}\b(?:multiple times|more than once|several times)|\blines can be repeated\b|\bonly (?:once|the (?:last|first))\b"
);
pattern!(
    REQUIRED,
    r"(?i)[\[(]required[\])]|(?:^|[.;] )(?:(?:this|it)(?: (?:option|flag|argument|parameter|value))? )?is required\b|^required[.:]|\(mandatory\)"
);
// More than one number, or also a word, whatever the value's name is.
pattern!(
    LOOSE,
    r"(?i)\bcomma[- ]separated\b|\branges\b|\d\.\d+-\d|\bor ['\x22`]?(?:infinite|inf|unlimited|auto|all)\b|\bsuffix(?:es)?\b|\be\.g\.,? ?\(?\d+[kmg]\b"
);
pattern!(COUNT, r"(?i)\b(?:number of|how many|maximum number|max number|count of)\b");

fn captured(pattern: &Pattern, text: &str) -> Option<String> {
    let captures = found(pattern, text)?;
    let found = captures.iter().skip(1).flatten().next()?;
    Some(found.as_str().trim().to_owned())
}

/// What stands where a default would, and is none.
const NO_VALUES: &[&str] =
    &["the", "a", "an", "to", "stdout", "stdin", "newline", "whitespace", "unset", "empty"];

/// The default that a description states.
pub fn default(description: &str) -> Option<String> {
    // The pattern is slow.
    if !["efault", "EFAULT"].iter().any(|word| description.contains(word)) {
        return None;
    }
    let captures = found(&DEFAULT, description)?;
    let stated = captures.iter().skip(1).flatten().next()?;
    let found = stated.as_str().trim();
    let is_in_brackets = captures.get(1).or(captures.get(2)).is_some();
    // `[default: [name]]` is cut at the first bracket.
    let count = |sign| found.matches(sign).count();
    if is_in_brackets && (count('[') != count(']') || count('(') != count(')')) {
        return None;
    }
    // "defaults to the current folder" states no value, "defaults to 5 seconds" does.
    let is_quoted = description[..stated.start()].ends_with(['"', '\'', '`']);
    let ends = description[stated.end()..].trim_start_matches(['.', ',', ';', ')', '"', '\'', '`']);
    let ends_sentence = ends.len() < description[stated.end()..].len() || ends.is_empty();
    let is_number = found.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+'));
    if !is_in_brackets && !is_quoted && !ends_sentence && !is_number {
        return None;
    }
    // click: `[default: md5; required]`, `[default: 1; 1<=x<=10]`.
    let is_remark =
        |rest: &str| rest == "required" || ["<x", "<=x", "x<", "x>"].iter().any(|range| rest.contains(range));
    let found = match found.rsplit_once("; ") {
        Some((default, rest)) if is_remark(rest) => default,
        _ => found,
    };
    const QUOTES: [char; 3] = ['"', '\'', '`'];
    let found = found.trim_matches(QUOTES).trim_end_matches(['.', '%']).trim_matches(QUOTES).trim();
    let is_value =
        !found.is_empty() && found.chars().count() <= 100 && !NO_VALUES.contains(&&*found.to_lowercase());
    is_value.then(|| found.to_owned())
}

pattern!(
    ALIASES,
    r"(?i)[\[(](?:alias(?:es)?|aka|also|synonym)[:\s]+((?:--?[\w-]+(?:\s*,\s*|\s+and\s+|\s+or\s+)?)+)[\])]"
);

/// Further spellings that a description names.
pub fn aliases(description: &str) -> Vec<String> {
    let Some(found) = captured(&ALIASES, description) else { return Vec::new() };
    let words = found.split([',', ' ']).filter(|word| word.starts_with('-') && word.len() > 1);
    words.take(8).map(str::to_owned).collect()
}

/// Spellings that switch off an option and that its description names: "use --no-cache to disable it".
pub fn switched_off(flags: &[String], description: &str) -> Vec<String> {
    let long = flags.iter().filter_map(|flag| flag.strip_prefix("--"));
    let off = long.map(|name| format!("--no-{name}"));
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let names = |off: &String| {
        let mut found = description.match_indices(off.as_str());
        found.any(|(at, _)| !description.get(at + off.len()..).is_some_and(|rest| rest.starts_with(is_part)))
    };
    off.filter(|off| description.contains("--no-") && names(off)).collect()
}

/// Whether a line says that the program reads its standard input.
pub fn says_stdin(line: &str) -> bool {
    let lower = line.to_lowercase();
    let names = ["standard input", "stdin", "piped input"].iter().any(|name| lower.contains(name));
    names && !["not read", "never read", "ignore", "redirect"].iter().any(|word| lower.contains(word))
}

/// Whether a description says that an option can be given several times.
pub fn is_repeated(description: &str) -> bool {
    is_match(&REPEATED, description) && !is_match(&ONCE, description)
}

/// Whether a description says that an option must be given.
pub fn is_required(description: &str) -> bool {
    // `This flag is required when Markdown is read` says that it is not.
    const CONDITIONS: [&str; 7] = ["when", "if", "for", "unless", "only", "with", "by"];
    let Some(found) = found(&REQUIRED, description).and_then(|captures| captures.get(0)) else {
        return false;
    };
    let next = description[found.end()..].split_whitespace().next().unwrap_or_default();
    !CONDITIONS.contains(&next)
}

/// The lines that speak of standard input, in small letters. Of a hostile text, a few are enough.
pub fn about_input(lines: &[String]) -> impl Iterator<Item = String> {
    const MOST: usize = 20;
    let lower = lines.iter().map(|line| line.to_lowercase());
    lower.filter(|line| line.contains("stdin") || line.contains("standard input")).take(MOST)
}

/// Whether such a line says what is done without an argument: `If <file> is not provided, then STDIN is used.`
pub fn can_be_left_out(line: &str, name: &str) -> bool {
    const WITHOUT: [&str; 5] =
        ["is not provided", "is not given", "is not specified", "is omitted", "is missing"];
    let said = ["if ", "when "].iter().find_map(|word| line.split_once(word)).map(|(_, rest)| rest);
    let rest = said.map(|rest| rest.strip_prefix("the ").unwrap_or(rest).trim_start_matches(['<', '[']));
    let behind =
        rest.and_then(|rest| rest.strip_prefix(name)).map(|rest| rest.trim_start_matches(['>', ']', ' ']));
    behind.is_some_and(|behind| WITHOUT.iter().any(|words| behind.starts_with(words)))
}

/// A value's name without brackets, `=`, quotes and dots.
pub fn bare(name: &str) -> &str {
    name.trim_end_matches("...").trim_matches([
        '[', ']', '<', '>', '{', '}', '(', ')', '=', '"', '\'', '`', ':', ',', '.', '…', '?', ' ',
    ])
}

/// The name of a value as people read it: without brackets around it, but with all of those inside, as in `HOST[:PORT]`.
pub fn shown(name: &str) -> &str {
    let whole = name.trim_start_matches('=');
    let inside = whole
        .strip_prefix(['[', '<'])
        .and_then(|name| name.strip_suffix([']', '>']))
        .map(|name| name.trim_start_matches('='));
    [Some(bare(name)), inside].into_iter().flatten().find(|name| is_balanced(name)).unwrap_or(whole)
}

/// Whether each bracket that is opened is closed, and the other way round.
fn is_balanced(text: &str) -> bool {
    let mut open = Vec::new();
    for c in text.chars() {
        match c {
            '[' => open.push(']'),
            '<' => open.push('>'),
            '{' => open.push('}'),
            '(' => open.push(')'),
            ']' | '>' | '}' | ')' if open.pop() != Some(c) => return false,
            _ => {}
        }
    }
    open.is_empty()
}

/// Whether a value's name says that there can be several.
pub fn is_list_name(name: &str) -> bool {
    const LISTS: &[&str] =
        &["Array", "strings", "stringArray", "stringSlice", "stringToString", "ints", "uints"];
    // `--x=...` is a value without a name.
    (name.contains("...") || name.contains('…')) && !bare(name).is_empty()
        || name == "[]"
        || LISTS.contains(&bare(name))
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
    const NUMBERS: &[&str] = &[
        "number",
        "float",
        "float64",
        "float32",
        "double",
        "real",
        "float range",
        "decimal",
        "percent",
        // Many programs take fractions of them.
        "seconds",
        "secs",
        "sec",
    ];
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
    let is_number = has(INTEGERS)
        || has(NUMBERS)
        || INTEGERS.contains(&last)
        || default.is_some_and(|default| default.parse::<f64>().is_ok());
    // openssl: `-connect val   Where to connect; default: 4433`.
    let is_address = is_number
        && !has(INTEGERS)
        && !has(NUMBERS)
        && !INTEGERS.contains(&last)
        && description.contains("connect");
    if is_number && is_match(&LOOSE, description) || is_address {
        return ValueType::String;
    }
    let is_fraction = |default: &str| default.contains('.') && default.parse::<f64>().is_ok();
    if has(INTEGERS) && default.is_some_and(is_fraction) {
        return ValueType::Number;
    }
    if has(INTEGERS) || tag("[integer]") {
        return ValueType::Integer;
    }
    if has(NUMBERS) || tag("[number]") {
        let is_whole = default.is_some_and(|default| default.parse::<i64>().is_ok());
        return if is_whole && lower == "number" && !tag("[number]") {
            ValueType::Integer
        } else {
            ValueType::Number
        };
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
    fn names_are_shown_without_the_brackets_around_them() {
        for (name, shown_name) in [
            ("<file>", "file"),
            ("[=WHEN]", "WHEN"),
            ("HOST[:PORT]", "HOST[:PORT]"),
            ("[HOST:]PORT", "[HOST:]PORT"),
            ("[user[:password]]", "user[:password]"),
            ("<deb> <directory>", "<deb> <directory>"),
            ("=<name>=<value>", "<name>=<value>"),
            ("[=[host:]port]", "[host:]port"),
            ("#[KMG]", "#[KMG]"),
            ("<a", "a"),
        ] {
            assert_eq!(shown(name), shown_name, "{name}");
        }
    }

    #[test]
    fn words_of_descriptions_are_read() {
        for (text, expected) in [
            ("Theme (default: dark)", Some("dark")),
            ("Theme [default: \"dark\"]", Some("dark")),
            ("Hash.  [default: md5; required]", Some("md5")),
            ("Count.  [default: 1; 1<=x<=10]", Some("1")),
            ("Paths [default: /a; /b]", Some("/a; /b")),
            ("Size. (default 3)", Some("3")),
            ("Defaults to auto.", Some("auto")),
            ("The default is 10, or less", Some("10")),
            ("by default nothing happens", None),
        ] {
            assert_eq!(default(text).as_deref(), expected, "{text}");
        }
        for (text, expected) in [
            ("Load variables (default: .env)", Some(".env")),
            ("Format of floats (default %.8g)", Some("%.8g")),
            ("Pattern of names [default: [name].js]", None),
            ("Defaults to all columns.", None),
            ("Seconds to wait, defaults to 5 seconds", Some("5")),
            ("The default is \"all columns\" here", Some("all")),
            ("Where it goes, default is stdout.", None),
        ] {
            assert_eq!(default(text).as_deref(), expected, "{text}");
        }
        assert!(is_repeated("Can be repeated") && is_repeated("may be given multiple times"));
        assert!(!is_repeated("Repeats the last line") && is_required("X [required]"));
        for denied in ["Must not be given more than once", "Cannot be repeated, nor used multiple times"] {
            assert!(!is_repeated(denied), "{denied}");
        }
        for required in ["This option is required.", "Name of it. Is required", "The key. It is required"] {
            assert!(is_required(required), "{required}");
        }
        for other in ["(--track or --album is required)", "Whether client certificate is required"] {
            assert!(!is_required(other), "{other}");
        }
    }

    #[test]
    fn names_of_values_say_types_and_choices() {
        assert_eq!(kind("NUM", None, ""), ValueType::Integer);
        for (name, default, description, wanted) in [
            ("COLUMNS", None, "A comma-separated list of column names, e.g. 1,id,3-5", ValueType::String),
            ("N", Some("1"), "fields to convert, with ranges", ValueType::String),
            ("RETRIES", Some("10"), "Number of retries, or infinite", ValueType::String),
            ("SECONDS", None, "Time to wait, 2.7 or 2.0-3.5", ValueType::String),
            ("N", Some("1.0"), "sleep for about N seconds", ValueType::Number),
            ("SECONDS", Some("0"), "Time until it gives up", ValueType::Number),
            ("LEVEL", Some("6"), "Compression, 1-9", ValueType::Integer),
            ("number", Some("5"), "How many", ValueType::Integer),
        ] {
            assert_eq!(kind(name, default, description), wanted, "{name}: {description}");
        }
        assert_eq!(kind("<FILE>", None, ""), ValueType::Path);
        assert_eq!(kind("value", Some("3"), ""), ValueType::Integer);
        assert_eq!(kind("WHEN", None, ""), ValueType::String);
    }
}
