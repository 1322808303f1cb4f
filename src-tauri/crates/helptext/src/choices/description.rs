//! Values that the description of an option lists.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::explained::{each, explained};
use super::named::{of_named, with_flags};
use super::{MAX_CHOICES, are_kinds, list::closed};
use crate::hints::bare;
use crate::patterns::{Pattern, found, is_match, pattern};

pattern!(
    LISTED,
    r"(?i)[\[(<]\s*(?:possible values|choices|values|allowed values|options|one of)\s*:\s*([^\])>]*)[\])>]"
);
pattern!(BULLETS, r"(?i)possible values:\s*(- .{0,2000})");
pattern!(BULLET, r"(?:^|\s)- ([\w.+-]+)(?::|\s|$)");
// Words before a list, quoted or not.
pattern!(
    BEFORE_ANY,
    r"(?i)\b(?:(?:must|can|may|should) be (?:either|(?:one|any) of)(?: the following)?(?: values)?|must be|(?:one|any) of(?: the following)?(?: values)?|choices(?: are)?|options are|choose from)\s*:?\s+"
);
// `Legal values [a, b]`, `Allowed signals are: a and b`. The noun is captured, and what makes it a list.
pattern!(
    BEFORE_NOUN,
    r"(?i)\b(?:possible|valid|allowed|available|supported|accepted|legal|permitted|optional (?:modes|values))(?: (\w+))?(?: for \w+)?( are)?\s*(:?)\s*"
);
pattern!(BEFORE_EITHER, r"(?i)\beither(?: one of)?:?\s+");
pattern!(BEFORE_QUOTED, r"(?i)\b(?:can be|may be|should be|is|either|values are|modes are)\s*:?\s+");
pattern!(
    COMBINED,
    r"(?i)(?:comma|colon|semicolon|space)[- ](?:separated|delimited|list)|separated (?:by|with)|(?:^|\s)delimited|combination of|one or more of|multiple rules|any number of"
);
// `Ignored if the format is 'json' or 'xml'`: no list of all values.
pattern!(CONDITION, r"(?i)\b(?:if|when|unless|whose|where|which|default|not required|stdout)\b");
pattern!(
    OPEN,
    r"(?i)\b(?:custom (?:values?|names?|ones)|any other|or any|and so on|may be given|also (?:possible|accepted|allowed))\b|\betc\b|to stdout:"
);
pattern!(EXAMPLES, r"(?i)\b(?:e\.g|i\.e|such as|for example|for instance|including|like)\b");
pattern!(SUBJECT, r"[<{][\w-]+[>}]|\b[A-Z][A-Z_-]+\b");
pattern!(
    IN_PARENTHESES,
    r#"\(\s*((?:["'`]?[A-Za-z0-9][\w.+-]{0,24}["'`]?(?:\s*,\s*(?:or\s+)?|\s*\|\s*|\s+or\s+|\s*/\s*))+["'`]?[A-Za-z0-9][\w.+-]{0,24}["'`]?)(?:[,;]\s*(?:the )?default[^()]{0,40})?\s*\)"#
);
// `The method (one of NONE DES SHA256)`: no commas.
pattern!(SPACED, r"\(one of ([A-Za-z0-9][\w.+-]*(?:\s+[A-Za-z0-9][\w.+-]*){2,})\)");
// `One of: darkfish pot ri`.
pattern!(
    SPACED_TO_THE_END,
    r"(?i)\b(?:is one|one) of:\s+([a-z0-9][\w.+-]*(?:\s+[a-z0-9][\w.+-]*){2,})(?: \(default\))?\.?\s*$"
);
// `Show dates in short, full or iso format`. The noun is captured.
pattern!(
    IN_SOME_FORM,
    r"\bin ((?:[a-z0-9][\w-]*, )+[a-z0-9][\w-]*,? or [a-z0-9][\w-]*) (format|mode|style|order|notation)\b"
);
// `members (fields, methods, etc.)`: examples of something else, unless it is the last that is said.
pattern!(ETC, r"\([^()]{0,200}\betc\b[^()]{0,20}\)\s+\w");
pattern!(QUOTED, r#"["'`‘“]([A-Za-z0-9][\w.+-]*)["'`’”]"#);
// Words before a quoted list that say that it is about something else.
pattern!(
    ABOUT_OTHERS,
    r"(?i)\b(?:for|with|from|not|no|named|called|like|as|suffix|prefix|see|by|than|and|options?|flags?|keys?|of|in|on|to|via|using|use|or|or either)\s*$"
);
pattern!(
    IN_BRACKETS,
    r"\[\s*([a-z0-9][\w.+-]{0,24}(?:\|[a-z0-9][\w.+-]{0,24})+|\w[\w.+-]{0,24}(?:, \w[\w.+-]{0,24}){2,})\s*\]"
);
pattern!(BEHIND, r"^\s*(?:$|[.;]|- |[\[(](?i:default|env|the default))");

/// The values that a description lists as the only ones. `value` is the name of the option's value as written: "WHEN is
/// 'always' or 'never'".
pub fn of_description(description: &str, value: &str) -> Vec<String> {
    if is_match(&COMBINED, description) || is_structured(value) {
        return Vec::new();
    }
    let name = bare(value);
    let several = |choices: Vec<String>| Some(choices).filter(|choices| choices.len() > 1);
    let listed = || {
        let list = found(&LISTED, description)?;
        several(split(list.get(1)?.as_str()))
    };
    let bullets = || several(each(&BULLET, found(&BULLETS, description)?.get(1)?.as_str()));
    if let Some(choices) = listed().or_else(bullets) {
        return choices;
    }
    if is_free(name) || is_match(&OPEN, &without_etc(description)) {
        return Vec::new();
    }
    several(explained(description, name))
        .or_else(|| several(with_flags(description)).filter(|choices| choices.len() > 2))
        .or_else(|| several(of_named(description, name)))
        .or_else(|| several(introduced(description, name)))
        .or_else(|| several(spaced(description)))
        .or_else(|| several(in_some_form(description, name)))
        .or_else(|| several(in_parentheses(description, name)))
        .or_else(|| several(quoted(description, name)))
        .or_else(|| several(behind_colon(description)))
        .or_else(|| several(with_bars(description)).filter(|_| !value.contains('|')))
        .unwrap_or_default()
}

/// The values of a description that is nothing else: `normal,inverted,left`.
pub fn whole(description: &str) -> Vec<String> {
    let is_word = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_lowercase())
            && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_'))
    };
    let items: Vec<String> = description.split([',', '|']).map(str::to_owned).collect();
    let fits = (2..=MAX_CHOICES).contains(&items.len()) && items.iter().all(|item| is_word(item));
    if fits && !are_kinds(&items) { items } else { Vec::new() }
}

/// `Send failed|all info`: one list with bars.
fn with_bars(description: &str) -> Vec<String> {
    let mut lists = description.split_whitespace().filter(|word| word.contains('|'));
    let (Some(list), None) = (lists.next(), lists.next()) else { return Vec::new() };
    let list = list.trim_end_matches(['.', ',', ';']);
    let is_open = is_match(&EXAMPLES, description) || description.contains("regex");
    if is_open {
        Vec::new()
    } else {
        Some(list).filter(|list| list.contains('|')).map(whole).unwrap_or_default()
    }
}

/// Whether a value has parts of its own: `NAME[:ARGS]`, `K=V`.
fn is_structured(value: &str) -> bool {
    let is_one = value.starts_with('<') && value.ends_with('>') && value.matches('<').count() == 1;
    let is_several = value.split_whitespace().count() > 1 && !value.contains('|') && !is_one;
    let is_list = value.contains(',') && !value.contains('{');
    is_several
        || is_list
        || value.trim_start_matches(['[', '=']).contains(['=', ':', '@', '+'])
        || value.contains("[,")
}

/// Whether a value's name says that there is no list of its values.
fn is_free(name: &str) -> bool {
    const FREE: &[&str] = &[
        "password",
        "passwd",
        "url",
        "uri",
        "file",
        "filename",
        "path",
        "dir",
        "directory",
        "host",
        "hostname",
        "port",
        "seconds",
        "secs",
        "num",
        "number",
        "int",
        "integer",
        "float",
        "size",
        "duration",
        "regex",
        "expr",
        "command",
        "cmd",
        "opts",
    ];
    let lower = name.to_lowercase();
    FREE.contains(&lower.as_str())
        || ["_list", "-list", " list", "_spec", "-spec"].iter().any(|end| lower.ends_with(end))
}

/// Whether a list can follow: no example, no alternative to something else, and not about another value.
fn introduces(before: &str, name: &str, may_be_condition: bool) -> bool {
    let sentence = before.rsplit(". ").next().unwrap_or_default();
    let sentence = sentence.rsplit("; ").next().unwrap_or_default();
    if may_be_condition && is_match(&CONDITION, sentence) {
        return false;
    }
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let near = words.get(words.len().saturating_sub(3)..).unwrap_or_default().join(" ");
    let is_foreign = LazyLock::force(&SUBJECT)
        .as_ref()
        .is_some_and(|subject| subject.find_iter(&near).any(|found| bare(found.as_str()) != name));
    !is_match(&EXAMPLES, sentence) && !sentence.trim_end().ends_with(", or") && !is_foreign
}

fn introduced(description: &str, name: &str) -> Vec<String> {
    let patterns = [
        (&BEFORE_ANY, false, false),
        (&BEFORE_NOUN, false, false),
        (&BEFORE_QUOTED, true, true),
        (&BEFORE_EITHER, false, true),
    ];
    for (pattern, only_quoted, may_be_condition) in patterns {
        let Some(pattern) = LazyLock::force(pattern).as_ref() else { continue };
        for captures in pattern.captures_iter(description) {
            let Some(all) = captures.get(0) else { continue };
            let (before, rest) = description.split_at(all.end());
            let before = before.get(..all.start()).unwrap_or_default();
            let is_noun = captures.len() > 1;
            let noun = captures.get(1).map_or("", |noun| noun.as_str()).to_lowercase();
            if matches!(
                noun.as_str(),
                "in" | "for"
                    | "include"
                    | "includes"
                    | "range"
                    | "fields"
                    | "columns"
                    | "variables"
                    | "keys"
                    | "placeholders"
            ) {
                continue;
            }
            let is_marked = captures.get(2).is_some()
                || captures.get(3).is_some_and(|colon| !colon.is_empty())
                || rest.starts_with('[');
            let items = closed(rest, only_quoted || is_noun && !is_marked);
            // `May be "a" or "b"`: a sentence of its own, even without a full stop before it.
            let is_sentence = all.as_str().starts_with(char::is_uppercase);
            let before = if is_sentence && may_be_condition { "" } else { before };
            if items.len() > 1 && introduces(before, name, may_be_condition) {
                return items;
            }
        }
    }
    Vec::new()
}

/// A description without parentheses that name examples of something else.
fn without_etc(description: &str) -> Cow<'_, str> {
    LazyLock::force(&ETC).as_ref().map_or(description.into(), |etc| etc.replace_all(description, ""))
}

fn spaced(description: &str) -> Vec<String> {
    const PROSE: &[&str] = &["the", "these", "those", "your", "its", "of", "for", "in", "a", "following"];
    let list = found(&SPACED, description).or_else(|| found(&SPACED_TO_THE_END, description));
    let Some(list) = list.and_then(|found| found.get(1)) else { return Vec::new() };
    let items: Vec<String> = list.as_str().split_whitespace().map(str::to_owned).collect();
    let is_prose = items.iter().any(|item| PROSE.contains(&item.to_lowercase().as_str()));
    if is_prose || are_kinds(&items) { Vec::new() } else { items }
}

fn in_some_form(description: &str, name: &str) -> Vec<String> {
    let Some(captures) = found(&IN_SOME_FORM, description) else { return Vec::new() };
    let (Some(list), Some(noun)) = (captures.get(1), captures.get(2)) else { return Vec::new() };
    let before = description.get(..list.start()).unwrap_or_default();
    let is_about = [noun.as_str(), "type", "fmt"].contains(&name.to_lowercase().as_str());
    let items = split(list.as_str());
    let fits = is_about && !are_kinds(&items) && introduces(before, name, true);
    if fits { items } else { Vec::new() }
}

/// `direction of search, 'forward' or 'backward'`: the only quoted words, and alternatives.
fn quoted(description: &str, name: &str) -> Vec<String> {
    let Some(pattern) = LazyLock::force(&QUOTED).as_ref() else { return Vec::new() };
    let words: Vec<&str> =
        pattern.captures_iter(description).filter_map(|found| Some(found.get(1)?.as_str())).collect();
    let Some(first) = pattern.find(description) else { return Vec::new() };
    let (before, list) = description.split_at(first.start());
    let items = closed(list, true);
    let is_whole = items.len() > 1 && words.iter().all(|word| items.iter().any(|item| item == word));
    let has_or =
        list.contains("' or ") || list.contains("\" or ") || list.contains("` or ") || list.contains(", or ");
    let is_letter = items.iter().any(|item| item.chars().count() < 2);
    let fits = is_whole
        && has_or
        && !is_letter
        && !name.is_empty()
        && !is_match(&ABOUT_OTHERS, before)
        && introduces(before, name, true);
    if fits { items } else { Vec::new() }
}

/// `Output format (json, text, xml)`, at the end, or anywhere if it says when: `colors (auto, always or never)`.
fn in_parentheses(description: &str, name: &str) -> Vec<String> {
    let is_when = name.eq_ignore_ascii_case("when");
    let of = |pattern: &Pattern, may_be_slashed: bool| {
        let captures = found(pattern, description)?;
        let (all, list) = (captures.get(0)?, captures.get(1)?.as_str());
        let before = description.get(..all.start())?;
        let lower = before.to_lowercase();
        let is_open = is_match(&EXAMPLES, before)
            || is_match(&EXAMPLES, list)
            || list.contains("..")
            || ["etc", "and so on", "additional"].iter().any(|word| lower.contains(word))
            || lower.split_whitespace().rev().take(2).any(|word| word.contains("default"));
        // `("initially" or "full") disable checks`, `endianness (MSB or LSB) of the image`.
        let is_clear =
            list.contains(['"', '\'', '`']) || list.chars().all(|c| !c.is_lowercase() || "or".contains(c));
        let ends = (is_when || is_clear) && list.contains(" or ")
            || is_match(&BEHIND, description.get(all.end()..)?);
        if is_open || !ends {
            return None;
        }
        let is_slashed = list.contains('/');
        let items = split(&list.replace('/', ","));
        let is_switch =
            matches!(items.join("/").to_lowercase().as_str(), "yes/no" | "on/off" | "true/false" | "y/n");
        let has_case = items.iter().all(|item| item.chars().all(|c| !c.is_ascii_uppercase()))
            || items.iter().all(|item| item.chars().all(|c| !c.is_ascii_lowercase()))
                && (!list.contains(", ") || !may_be_slashed)
            || list.contains(['"', '\'', '`']);
        let fits = items.len() > 1
            && !are_kinds(&items)
            && has_case
            && (!is_slashed || may_be_slashed && (items.len() > 2 || is_switch));
        fits.then_some(items)
    };
    of(&IN_PARENTHESES, true).or_else(|| of(&IN_BRACKETS, false)).unwrap_or_default()
}

/// `sorting order: none (default), name or inode`, up to the end of the description.
fn behind_colon(description: &str) -> Vec<String> {
    let Some((before, list)) = description.rsplit_once(": ") else { return Vec::new() };
    let clause = before.rsplit(['.', ';', ',']).next().unwrap_or_default().to_lowercase();
    let is_open = ["additional", "example", "note", "see", "also", "include", "range"]
        .iter()
        .any(|word| clause.contains(word))
        || list.chars().zip(list.chars().skip(1)).any(|(one, next)| {
            (next == '(' && one.is_alphanumeric()) || (one == ')' && next.is_alphanumeric())
        });
    if is_open || is_match(&EXAMPLES, list) {
        return Vec::new();
    }
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
    let sentence = plain.split([';']).next().unwrap_or_default().trim().trim_end_matches('.');
    let is_word = |word: &str| {
        !word.is_empty()
            && !word.ends_with('-')
            && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_'))
    };
    let words: Vec<String> = sentence
        .replace(" or ", ",")
        .split([',', '|'])
        .map(|word| word.trim().trim_matches(['"', '\'', '`']).to_owned())
        .filter(|word| !word.is_empty())
        .collect();
    let fits = words.len() > 2 && words.len() <= MAX_CHOICES && words.iter().all(|word| is_word(word));
    if fits && !are_kinds(&words) { words } else { Vec::new() }
}

fn split(list: &str) -> Vec<String> {
    let mut choices = Vec::new();
    for part in
        list.split([',', '|']).flat_map(|part| part.split(" or ")).flat_map(|part| part.split(" and "))
    {
        let part = part.trim().trim_start_matches("or ").trim_start_matches("and ");
        let part = part.trim_matches(['"', '\'', '`', '.', ' ', '(', ')', '[', ']', '{', '}']);
        let is_known = choices.iter().any(|known| known == part);
        if !part.is_empty() && !part.contains(' ') && !is_known && choices.len() < MAX_CHOICES {
            choices.push(part.to_owned());
        }
    }
    choices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_list_values() {
        for (description, value, items) in [
            ("across -x, commas -m, long -l", "WORD", "across commas long"),
            ("Output <options: text|json>", "option", "text json"),
            ("Possible values: *auto*, never, always.", "when", "auto never always"),
            ("x [possible values: auto, always]", "", "auto always"),
            ("Set the formatter.  One of: darkfish pot ri", "FORMAT", "darkfish pot ri"),
            (
                "When an estimate is printed May be \"always\", \"never\" or \"auto\"",
                "when",
                "always never auto",
            ),
            (
                "type of table. Valid options are 'Apple' (.a), 'Dwarf' (.d) and 'Default'",
                "<accelerator type>",
                "Apple Dwarf Default",
            ),
            (
                "write in the given order (big or little, default depends on platform)",
                "BYTEORDER",
                "big little",
            ),
            ("Which type is it? (dt = tun or tap) Use this only for others.", "dt", "tun tap"),
            ("Use TYPE as GUI; possible values are 'X11' (default) and 'Tk'.", "TYPE", "X11 Tk"),
            ("list or delete only type (dsc,deb,udeb).", "type", "dsc deb udeb"),
            ("its language, either latex or texinfo", "LANG", "latex texinfo"),
            ("how to start (https, ftp, smtp) - prohibits the option 'x'", "str", "https ftp smtp"),
            (
                "The format can be 'human' for the current text format or 'json-v1' for json format.",
                "format",
                "human json-v1",
            ),
            ("Text of type T where T is one of: css | js", "T", "css js"),
            (
                "How to find them - either: metadata or content - default: metadata",
                "String",
                "metadata content",
            ),
            ("Set the type of default configuration files (json, yaml, toml)", "TYPE", "json yaml toml"),
            ("Send failed|all info to a service", "mode", "failed all"),
            ("Controls the subsystem [auto, force, cache]", "MODE", "auto force cache"),
            ("set the least level: [INFO, WARN, ERROR] (default: WARN)", "LEVEL", "INFO WARN ERROR"),
            ("endianness (MSB or LSB) of the image", "type", "MSB LSB"),
            ("(\"initially\" or \"full\") disable checks", "HOW", "initially full"),
            ("frame size in ms (2.5, 5, 10, 20, default: 20)", "n", "2.5 5 10 20"),
            ("define it, can be one of <do|dont|want>", "opt", "do dont want"),
            ("the character.  Possible values for NL are: n (`x') and r (`y').", "NL", "n r"),
            ("colorize. WHEN defaults to 'always' or can be 'auto' or 'never'", "WHEN", "always auto never"),
            (
                "WORD is access, atime, or use: like -a WORD is mtime or modify: like -m",
                "WORD",
                "access atime use mtime modify",
            ),
            ("print lines of FILENUM, where FILENUM is 1 or 2, as FILE1 or FILE2", "FILENUM", "1 2"),
            ("Error format [possible values: human, short]", "FILE", "human short"),
            ("One of: json, text or yaml.", "", "json text yaml"),
            (
                "colors; WHEN can be 'always' (default if omitted), 'auto', or 'never'; more",
                "WHEN",
                "always auto never",
            ),
            ("Legal values [Always, OnFailure, Never].", "string", "Always OnFailure Never"),
            (
                "print totals; Allowed signals are: SIGHUP, SIGINT and SIGUSR2; the names",
                "SIGNAL",
                "SIGHUP SIGINT SIGUSR2",
            ),
            (
                "sort by WORD: general-numeric -g, human-numeric -h, month -M",
                "WORD",
                "general-numeric human-numeric month",
            ),
            (
                "Pull image (\"always\", \"missing\", \"never\") (default \"missing\")",
                "string",
                "always missing never",
            ),
            ("Kind (grapheme/word/line)", "KIND", "grapheme word line"),
            ("sorting order: none (default), name or inode", "ORDER", "none name inode"),
            ("the crypt method (one of NONE DES SHA256)", "METHOD", "NONE DES SHA256"),
            ("direction of search, 'forward' or 'backward'", "word", "forward backward"),
            ("Create 'context' or 'unified' rejects.", "FORMAT", "context unified"),
            (
                "colorize messages (auto, always or never) colors are on by default",
                "when",
                "auto always never",
            ),
            ("display dates in short, full or iso format", "type", "short full iso"),
            (
                "which members (fields, methods, etc.) are shown, where value can be one of \"a1\" or \"b1\". The rest",
                "value",
                "a1 b1",
            ),
            ("RFC 3339 format. FMT='date', 'seconds', or 'ns' for date and time", "FMT", "date seconds ns"),
            (
                "ISO format. FMT='date' for date only (the default), 'hours', 'ns', or 's' for date and time. Example: 2006",
                "FMT",
                "date hours ns s",
            ),
            ("sockets of FAMILY FAMILY := {inet|inet6|unix}", "FAMILY", "inet inet6 unix"),
            (
                "pictographs; <what> can be \"all\", \"none\" or \"common\" (default)",
                "what",
                "all none common",
            ),
        ] {
            assert_eq!(of_description(description, value).join(" "), items, "{description}");
        }
    }

    #[test]
    fn other_lists_are_no_values() {
        for (description, value) in [
            ("one of the files", ""),
            ("where hint is one of: lax fuse none", "hint1,hint2"),
            ("Set TCP flags (ACK,PSH,FIN...)", "flags"),
            ("either interface name or address", "interface"),
            ("seek by bytes 0=off 1=on -1=auto", "val"),
            ("match 'foo|bar' in names", "X"),
            ("a pattern such as foo|bar", "X"),
            ("needs support [see below]", "X"),
            ("Operations, colon separated list of: shutdown, sleep, idle", "WHAT"),
            ("Video password (vimeo, youku)", "PASSWORD"),
            ("Valid values are: eventlet, gevent, or a comma-list of them.", "LIB"),
            ("Action: (s)witch, (i)gnore, (w)ipe", "ACTION"),
            ("Remote execution client (rsh/ssh)", "CMD"),
            ("Use given api-version (group/version) of the resource.", "string"),
            ("x =a   -   A =<any other>   -   B", "<value>"),
            ("template: 'table': x 'json': y 'TEMPLATE': z", "FORMAT"),
            ("set file mode (as in chmod), not a=rwx - umask", "MODE"),
            ("extract from browsers: chrome, edge, firefox", "BROWSER[+KEYRING]"),
            ("The minimum version (e.g., `3.7` or `3.7.9`)", "VERSION"),
            ("file type (\"vcd\" or \"dv\" with optional prefixes \"pal-\", \"ntsc-\" or \"film-\")", "type"),
            ("Name is not required if it is 'app', 'application' or 'create_app'.", "IMPORT"),
            ("Ignored if the format is 'json' or 'xml'", "FILE2"),
            ("The file whose extension is 'yml' or 'yaml'", "NAME2"),
            ("one of 'a', 'b'. Custom values are allowed.", "X"),
            ("dump only these (table, view, etc.)", "NAME"),
            ("may be 'server' or 'client' or any plugin name", "X"),
            ("must be 5, 10 or larger", "X"),
            ("possible values include: a, b, c", "X"),
            ("output the origin of the flag to stdout: value is one of vendor, user, env.", "flag"),
            ("formats such as json, text or xml", "FMT"),
            ("{type} should be one of path, line, match.", "COLOR"),
            ("optimize it [available in C, C++]", ""),
            ("the name, for example one of: a, b or c.", "NAME"),
            ("rate (in kB/s, or use suffix \"k\" or \"M\")", "RATE"),
            ("driver to use, or either 'local' or 'all'", "ADDR"),
            ("read from 'stdin' or 'tty'", "SOURCE"),
            ("QUERY := {all|inet}[,QUERY]", "QUERY"),
            ("print columns (one of the many files)", "COL"),
            ("show times in short, full or iso format", "N"),
        ] {
            assert_eq!(of_description(description, value), Vec::<String>::new(), "{description}");
        }
    }
}
