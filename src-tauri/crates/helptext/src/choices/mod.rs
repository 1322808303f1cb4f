//! The values that an option takes, where the text lists all of them.
//!
//! A false list is worse than none: it rejects values that the program takes. So a list counts only if it ends where a
//! list ends, and nothing says that there are more values, or that values can be combined.

mod alone;
mod beside_default;
mod colon;
mod description;
mod explained;
mod introduced;
mod list;
mod name;
mod named;
mod numbered;
mod pairs;
mod parentheses;
mod rows;
mod tables;
mod well_known;

use std::borrow::Cow;

pub use description::of_description;
pub(crate) use list::closed;
pub use name::of_name;
pub use tables::from_lists;

use crate::definition::Value;
use crate::hints::{bare, default, is_list_name};
use crate::patterns::{is_match, pattern};
use crate::spec::Spec;

pattern!(EXAMPLES, r"(?i)\b(?:e\.g|i\.?e|such as|for example|for instance|including|like)\b|\bexamples?:");

/// Most choices of an option.
pub(crate) const MAX_CHOICES: usize = 200;

/// Words for kinds of values.
const KINDS: &[&str] = &[
    "file",
    "files",
    "filename",
    "path",
    "dir",
    "directory",
    "name",
    "number",
    "num",
    "n",
    "int",
    "integer",
    "float",
    "uid",
    "gid",
    "pid",
    "user",
    "group",
    "date",
    "dur",
    "duration",
    "time",
    "size",
    "url",
    "host",
    "port",
    "seconds",
    "secs",
    "regex",
    "pattern",
    "expression",
    "string",
    "boolean",
    "bool",
    "text",
    "word",
    "value",
    "data",
    "id",
    "ident",
    "level",
    "module",
    "pyfile",
    "key",
    "command",
    "package",
    "cmd",
    "mask",
    "cpu-list",
    "commit",
    "object",
    "revision",
    "revision-range",
    "since",
    "branch",
    "tag",
    "dev",
    "device",
    "octal",
    "subsystem",
    "address",
    "range",
    "domain",
];
/// Further such words, as they stand in capitals: `HOST|ADDR`.
const PLACEHOLDERS: &[&str] = &[
    "action", "addr", "address", "arg", "args", "archive", "branch", "cidr", "cmd", "commit", "cpu", "dev",
    "device", "dest", "dst", "entry", "env", "expr", "field", "flag", "fmt", "format", "glob", "hash",
    "hook", "iface", "image", "index", "input", "ip", "item", "label", "len", "length", "limit", "list",
    "line", "mac", "max", "min", "mode", "mount", "node", "object", "option", "opts", "output", "pkg",
    "plugin", "prefix", "prog", "program", "project", "ref", "repo", "rev", "script", "seed", "source",
    "spec", "src", "suffix", "tag", "target", "title", "token", "type", "unit", "uri", "uuid", "var",
    "version", "width", "x", "y",
];
/// Of these, one is enough in a short list.
const MOSTLY_KINDS: &[&str] = &[
    "file",
    "filename",
    "path",
    "identifier",
    "pathname",
    "directory",
    "dir",
    "url",
    "uid",
    "gid",
    "integer",
    "int",
    "string",
];

/// The values that an option's entry lists, in the name of its value or in the description, and whether it takes one: a
/// description may be nothing but the list.
pub fn of_option(spec: &Spec, value: Value, description: &str, table: &[String]) -> (Value, Vec<String>) {
    let description = &*without_examples(description);
    let (value, mut listed) = listed(spec, value, description);
    if listed.is_empty() && value != Value::None {
        listed = rows::rows(description, table, &spec.values.join(" "));
    }
    let mut choices: Vec<String> = Vec::with_capacity(listed.len().min(MAX_CHOICES));
    for choice in listed.into_iter().take(MAX_CHOICES + 1) {
        if !choices.contains(&choice) {
            choices.push(choice);
        }
    }
    // A longer list would not be closed.
    let is_closed = choices.len() <= MAX_CHOICES;
    (value, if is_closed { choices } else { Vec::new() })
}

/// A description without examples in parentheses: `(e.g. '2025-10-31', '1767972600')`.
fn without_examples(description: &str) -> Cow<'_, str> {
    const BEGINNINGS: [&str; 3] = ["(e.g.", "(for example", "(such as"];
    let mut text = Cow::Borrowed(description);
    for begins in BEGINNINGS {
        while let Some(start) = text.find(begins)
            && let Some(length) = text[start..].find(')')
        {
            text = format!("{}{}", &text[..start], &text[start + length + 1..]).into();
        }
    }
    text
}

fn listed(spec: &Spec, value: Value, description: &str) -> (Value, Vec<String>) {
    let values = spec.values.join(" ");
    let listed =
        if value == Value::None { said_alone(description) } else { name::letters_of(&values, spec.join) };
    if !listed.is_empty() {
        return (Value::Required, listed);
    }
    if value == Value::None {
        return (value, listed);
    }
    // Each of these is one value of several.
    if is_list_name(&values) && !bare(&values).is_empty() && !values.contains('|') {
        return (value, Vec::new());
    }
    // `-i <bed/gff/vcf>` without a word about it: kinds of files.
    let are_kinds = description.is_empty() && values.contains('/') && !values.contains(['|', '{']);
    let is_switch = alone::is_switch(&values.split('/').map(str::to_owned).collect::<Vec<_>>());
    let named = if are_kinds && !is_switch || description::is_combined_with_commas(description) {
        Vec::new()
    } else {
        of_name(&values)
    };
    if !named.is_empty() && !description.contains('[') {
        return (value, named);
    }
    let described = of_description(description, &values);
    // `<yes/no/alt>` may have a longer spelling in the description: "alt[ernative]".
    let is_known = |choice: &String| named.iter().any(|name| choice.starts_with(name.as_str()));
    let has_all = named.iter().all(|name| described.contains(name));
    let is_same = has_all && described.len() > named.len() && described.iter().all(is_known);
    (value, if named.is_empty() || is_same { described } else { named })
}

/// The values that a description lists so that there must be one, where the entry shows none: it is nothing but a list, says
/// "one of", ends with `(ro|rw)`, or names one of them as the default.
fn said_alone(description: &str) -> Vec<String> {
    if gives_examples(description) || description::is_combined_with_commas(description) {
        return Vec::new();
    }
    // The patterns are slow, and a list has separators.
    let separates = |mark: &str| description.contains(mark);
    let is_slashed = separates("/") && separates("(");
    if !is_slashed && ![",", "|", " or ", "=", "- ", " : "].into_iter().any(separates) {
        return Vec::new();
    }
    let description = &*description::plain(description);
    let lists = [
        alone::whole,
        alone::at_start,
        alone::or_at_start,
        alone::at_end,
        introduced::stated,
        parentheses::alternatives,
        explained::llvm,
        explained::told_alone,
        well_known::without_value,
    ];
    let found = lists.iter().map(|list| list(description)).find(|list| !list.is_empty());
    found.unwrap_or_else(|| {
        let default = default(description).unwrap_or_default();
        let listed = if default.is_empty() { Vec::new() } else { of_description(description, "value") };
        if listed.len() > 1 && listed.contains(&default) { listed } else { Vec::new() }
    })
}

/// Whether a text gives examples, which are not all there is.
fn gives_examples(text: &str) -> bool {
    is_match(&EXAMPLES, text)
}

/// What a list has that is about parts of a value, not about all of it.
const PARTS: &[&str] = &[
    "fields",
    "columns",
    "variables",
    "keys",
    "placeholders",
    "extensions",
    "unit",
    "units",
    "substitutions",
];

/// Whether a text is about parts of a value.
fn names_parts(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphabetic());
    words.map(str::to_lowercase).any(|word| PARTS.contains(&word.as_str()))
}

/// Whether the default that a description states is one of some values.
fn has_default(description: &str, items: &[String]) -> bool {
    default(description).is_some_and(|default| items.contains(&default))
}

/// Whether a word is for a kind of values: `file`.
pub fn is_kind(word: &str) -> bool {
    KINDS.contains(&word)
}

/// Whether items are kinds of values, ranges or broken words, and so no values.
pub(crate) fn are_kinds(items: &[String]) -> bool {
    let lower: Vec<String> = items.iter().map(|item| item.to_lowercase()).collect();
    let is_kind = |item: &String| KINDS.contains(&item.as_str());
    let is_range = |item: &String| {
        let numbers: Vec<&str> = item.split('-').collect();
        numbers.len() == 2
            && numbers.iter().all(|one| !one.is_empty() && one.bytes().all(|byte| byte.is_ascii_digit()))
    };
    // `10h`, `35min`: examples of amounts.
    let is_amount = |item: &String| {
        let digits = item.trim_start_matches(|c: char| c.is_ascii_digit());
        digits.len() < item.len()
            && !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    let is_broken = |item: &String| {
        let is_number = item.parse::<i64>().is_ok();
        item.is_empty()
            || item.starts_with('-') && !is_number
            || ["or", "and", "an", "the"].contains(&item.as_str())
            // `less` is a program and a language, too.
            || items.len() < 4
                && ["larger", "more", "higher", "greater", "less", "smaller"].contains(&item.as_str())
    };
    let names_something = |item: &String| {
        ["-name", "-file", "-id", "_name", "_file", "_id", "_version"].iter().any(|end| item.ends_with(end))
    };
    // `SEED|random`, `HOST|ADDR`.
    let is_placeholder = |item: &String| {
        let lower = item.to_lowercase();
        !item.is_empty()
            && item.chars().all(|c| !c.is_lowercase())
            && (KINDS.contains(&lower.as_str())
                || PLACEHOLDERS.contains(&lower.as_str())
                || item.contains(['_', '-']) && !item.contains(|c: char| c.is_ascii_digit()))
            && item.chars().any(char::is_alphabetic)
    };
    // `language_COUNTRY`: a form.
    let is_form = |item: &String| {
        let is =
            |test: fn(char) -> bool| item.split('_').any(|part| part.len() > 1 && part.chars().all(test));
        is(|c| c.is_ascii_lowercase()) && is(|c| c.is_ascii_uppercase())
    };
    // `XxY`, `X;Y`, `AUTO-n`.
    let is_measure = |item: &String| {
        item.contains(';')
            || item.ends_with("-n") && item.len() > 2 && !item.starts_with(char::is_lowercase)
            || matches!(item.as_bytes(), [one, b'x', other] if one.is_ascii_uppercase() && other.is_ascii_uppercase())
    };
    // `pyproject.toml`, `YYMMDDHHMMSSZ`, `+format`.
    let is_file_name = |item: &String| {
        item.rsplit_once('.').is_some_and(|(name, end)| {
            !name.is_empty()
                && (2..5).contains(&end.len())
                && end.bytes().all(|byte| byte.is_ascii_lowercase())
        })
    };
    let is_pattern =
        |item: &String| item.len() > 1 && item.starts_with(['+', '#', '@']) || item.contains("YYMM");
    // `all|unmanaged|Number`
    let is_title =
        |item: &String| item.starts_with(|c: char| c.is_ascii_uppercase()) && is_kind(&item.to_lowercase());
    let has_file = items.len() < 4 && items.iter().any(|item| item.starts_with("file."));
    // `VG|Tag`, `VG|LV|Tag|Select`
    let is_short = |item: &String| item.len() == 2 && item.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_mixed = items.iter().any(is_title)
        && (items.len() == 2
            || items.iter().any(|item| item.starts_with(|c: char| c.is_ascii_lowercase()))
            || items.iter().any(is_short)
                && items
                    .iter()
                    .any(|item| is_title(item) && item.bytes().any(|byte| byte.is_ascii_lowercase())));
    // `on|off|number`
    let has = |word: &str| items.iter().any(|item| item == word);
    let placeholders = items.iter().filter(|item| is_placeholder(item)).count();
    let has_placeholders = placeholders > 0 && (items.len() < 5 || placeholders * 2 >= items.len());
    is_mixed
        || has_file
        // `duration (ns, us, ms, s, m, h)`
        || has("ns") && has("h") && items.iter().all(|item| item.len() < 3)
        || has("on") && has("off") && ["number", "num", "n", "int", "method", "facility"].into_iter().any(has)
        || has("off") && items.len() == 2 && has("seconds")
        // `ZONE|HOST|ENTITY|USER|OTHER`
        || has_placeholders
        || items.iter().any(is_form)
        || items.iter().any(is_measure)
        || lower.iter().all(is_kind)
        || items.len() < 4 && lower.iter().any(|item| MOSTLY_KINDS.contains(&item.as_str()))
        // `cli-override|file-override|prefer-file` are values.
        || items.len() < 4 && lower.iter().any(names_something) && !lower.iter().all(|item| item.contains('-'))
        || lower.iter().any(is_broken)
        // `639-2, 639-3, 3166-1, 3166-2` are names.
        || (1..4).contains(&lower.iter().filter(|item| is_range(item)).count())
        || lower.iter().all(is_amount)
        || lower.iter().all(is_file_name)
        || items.iter().any(is_pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_values_are_no_values() {
        let list = |text: &str| text.split('|').map(str::to_owned).collect::<Vec<_>>();
        for kinds in [
            "uid|user",
            "0-60|force|poke",
            "number|name",
            "10h|1d|35min",
            "extension-name|x",
            "ALL|php_version",
            "data|filename",
            "SEED|random|none",
            "HOST|ADDR",
            "language|language_COUNTRY",
            "all|unmanaged|Number",
            "HOOK|PROJECT",
            "on|off|number",
            "number|boolean",
            "VG|Tag",
            "VG|LV|Tag|Select",
            "ns|us|ms|s|m|h",
            "XxY|R",
            "level|AUTO|AUTO-n|NONE",
            "1-3|4-6|7-9",
        ] {
            assert!(are_kinds(&list(kinds)), "{kinds}");
        }
        for values in [
            "name|descriptor",
            "none|id|nfc|nfkc",
            "text|json",
            "number|pattern|mix",
            "1|2",
            "h264|h265",
            "PEM|DER",
            "UTF-8|WIN|DOS",
            "DMA|DMA32|Normal|Device",
            "639-2|639-3|3166-1|3166-2",
            "less|stylus|compass|sass",
        ] {
            assert!(!are_kinds(&list(values)), "{values}");
        }
    }

    #[test]
    fn descriptions_say_that_there_is_a_value() {
        for (description, values) in [
            ("(0|1|2) Set optimization level", "0 1 2"),
            ("true |(false) follow symlinks", "true false"),
            ("(true)| false  ignore empty files (true implies more)", "true false"),
            ("The logging level, possible values are none, error, and silly.", "none error silly"),
            (
                "the version used when connecting. Can be mqttv5, mqttv311 or mqttv31.",
                "mqttv5 mqttv311 mqttv31",
            ),
            ("Set the output level (silent, info or debug)", "silent info debug"),
            ("How to link them. [relative (default), absolute]", "relative absolute"),
            ("Set it (before|after) [before]", "before after"),
            ("Turn it on or off [0|1|yes|no, default = on]", "0 1 yes no"),
            ("Write it so =gnu    -   As GNU does =bsd    -   As BSD does", "gnu bsd"),
            ("Display it in color. never, always, auto (default: auto)", "never always auto"),
            ("slave mode (0=auto, 1=on, 2=off)", "0 1 2"),
            ("color scheme (1) 0 : none 1 : pastel (default) 2 : blue", "0 1 2"),
            ("Server authentication type (tls or candid)", "tls candid"),
            ("Get/set the look-ahead flag (0/1)", "0 1"),
            ("bus state (0 == off, 1 == on, 2 == tristate)", "0 1 2"),
            ("report unaligned queries (0=no, 1=yes)", "0 1"),
            ("endianness of the output; 0 for little endian (default), 1 for big endian.", "0 1"),
            ("format of the query file (fasta/fastq)", "fasta fastq"),
            ("comparison metric (MAE, MSE, PAE, PSNR, RMSE)", "MAE MSE PAE PSNR RMSE"),
            ("Set the protocol (udp, tcp, http, tcpraw, icmp) for the packet.", "udp tcp http tcpraw icmp"),
            ("1 or 0, default 0 if set to 1, print it", "1 0"),
            // Switches.
            ("List in long format (permissions, owner, size)", ""),
            ("Legacy mode (slow, deprecated)", ""),
            ("Strip all metadata (EXIF, IPTC, XMP, ICC, JFIF)", ""),
            ("Print nothing, only set the exit status (0=found, 1=not found)", ""),
            ("Skip |length| bytes of it", ""),
            ("the decoded content (Hex, Base64, StrReverse, Dridex, VBA).", ""),
            ("the largest that it can represent (9,223,372,036,854,775,807).", ""),
            ("Print what would be done; currently supported by verbs: halt, stop, kexec", ""),
            ("Resolve next.config.(ts|mts)", ""),
            ("The environment, e.g. \"production\", \"preview\", \"development\".", ""),
            ("Comma separated list of events. Can be a, b or c", ""),
            ("Do all of it (lint, test)", ""),
            ("Use mixed mode (view or list).", ""),
            ("Print which it is (none, some or all)", ""),
        ] {
            let (value, choices) = of_option(&Spec::default(), Value::None, description, &[]);
            assert_eq!(choices.join(" "), values, "{description}");
            assert_eq!(value == Value::Required, !values.is_empty(), "{description}");
        }
        let (_, choices) = of_option(&Spec::default(), Value::None, "a|b|a  do it", &[]);
        assert_eq!(choices, ["a", "b"], "each once");
        let long: Vec<String> = (0..=MAX_CHOICES).map(|number| format!("x{number}")).collect();
        let (_, choices) = of_option(&Spec::default(), Value::None, &long.join("|"), &[]);
        assert!(choices.is_empty(), "too many");
    }

    #[test]
    fn entries_list_values_in_full_or_refer_to_others() {
        let text = "Usage: x [options]\n\n\
            [-no]-mktex=FMT         disable/enable its generation (FMT=tex/tfm)\n\
            -interaction=STRING     set the mode (STRING=batchmode/nonstopmode/\n\
            \x20                        scrollmode)\n\
            --quotes=<yes/no/alt>   change them: one of \"yes\", \"no\", \"alt[ernative]\"\n\
            --report=<level>        one of \"info\" or \"1\", \"warning\"/\"2\"\n\
            --halt=<level>          halt there. Levels as in --report.\n\
            --exit=<level>          exit there, as with --report\n\
            -s ORDER                what to sort by (at, a, c), 'at' is default\n\
            --align=left|right      one of left, right or center\n";
        let definition = crate::read(text, "x");
        let read = |flag: &str| {
            let option = definition.options.iter().find(|one| one.flags.iter().any(|own| own == flag));
            option.map(|option| option.choices.join(" ")).unwrap_or_default()
        };
        for (flag, values) in [
            ("-mktex", "tex tfm"),
            ("-interaction", "batchmode nonstopmode scrollmode"),
            ("--quotes", "yes no alt alternative"),
            ("--halt", "info 1 warning 2"),
            ("--exit", ""),
            ("-s", "at a c"),
            ("--align", "left right"),
        ] {
            assert_eq!(read(flag), values, "{flag}");
        }
        let negated = definition.options.iter().flat_map(|option| &option.negated).collect::<Vec<_>>();
        assert_eq!(negated, ["-no-mktex"]);
    }
}
