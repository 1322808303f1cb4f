//! A list in a sentence: `json, text (default) or "yaml"`.

use super::{MAX_CHOICES, are_kinds};

/// The items at the start of a text, if they are all there are: at least two, one kind of quotes or none, and behind the
/// last one the sentence or a bracket ends. Remarks in parentheses are skipped.
pub(crate) fn closed(text: &str, only_quoted: bool) -> Vec<String> {
    closed_list(text, only_quoted).filter(|items| items.len() > 1 && !are_kinds(items)).unwrap_or_default()
}

fn closed_list(text: &str, only_quoted: bool) -> Option<Vec<String>> {
    let mut rest = text.trim_start();
    rest = rest.strip_prefix(['(', '[', '{', '<']).unwrap_or(rest);
    let mut items: Vec<String> = Vec::new();
    let mut is_quoted = None;
    let mut is_joined = false;
    while items.len() < MAX_CHOICES {
        rest = rest.trim_start();
        let (item, quoted, behind) = item(rest)?;
        if *is_quoted.get_or_insert(quoted) != quoted || only_quoted && !quoted {
            return None;
        }
        let (behind, other) = if quoted { other_spelling(behind) } else { (behind, None) };
        let (item, longer) = if quoted { optional_ending(item) } else { (item, None) };
        // `parentheses/parens`, `alt[ernative]`, `file(s)`, `a=b`: a form, not a value.
        if behind.starts_with(['/', '[', '(', '=', ':', '<']) && !behind.starts_with(": ") {
            return None;
        }
        let (behind, alias) = or_other(behind);
        let behind = without_remark(behind)?;
        for item in std::iter::once(item).chain(longer).chain(other).chain(alias) {
            if !items.contains(&item) {
                items.push(item);
            }
        }
        match separator(behind) {
            // `"a","b", default: "a"`
            Some((next, _)) if next.trim_start().starts_with("default: ") => return Some(items),
            // `"fast" or "slow", and then`: the sentence goes on.
            Some((next, _)) if quoted && is_joined && !next.trim_start().starts_with(QUOTES) => {
                return (!names_more(next)).then_some(items);
            }
            Some((next, _)) if names_more(next) => return None,
            // `a or b, and then`.
            Some((next, false))
                if is_joined
                    && behind.trim_start().starts_with(',')
                    && !(quoted && next.starts_with(QUOTES)) =>
            {
                return (!next.starts_with("and/")).then_some(items);
            }
            Some((next, joins)) => {
                is_joined |= joins;
                rest = next;
            }
            None if quoted && !is_joined && behind.trim_start().starts_with(QUOTES) => rest = behind,
            None if quoted && let Some((next, joins)) = without_purpose(behind) => {
                is_joined |= joins;
                rest = next;
            }
            None => {
                let end = behind.trim_start();
                let ends = end.is_empty()
                    || end.starts_with([';', ')', ']', '}', '(', '[', '>'])
                    || end.starts_with(": ") && is_joined
                    || items.len() > 3 && is_next_sentence(end, &items)
                    || end.starts_with("- ")
                    || end.get(..9).is_some_and(|end| end.eq_ignore_ascii_case("default: "))
                    || end.starts_with("default=")
                    // `one of json, simple json: one object per line`.
                    || items.first().and_then(|first| end.strip_prefix(first.as_str())).is_some_and(|rest| rest.starts_with(": "))
                    || end.starts_with('.') && end.get(1..2).is_none_or(|next| next == " " || next == ")");
                let is_told = items.len() > 2 && end.starts_with("for ");
                // `[a|b][,c]`
                let ends = ends && !end.starts_with("][");
                return (ends || quoted && (is_joined || is_told)).then_some(items);
            }
        }
        let next = rest.trim_start();
        if next.is_empty() || next.starts_with(['.', '…']) || next.starts_with("etc") {
            return None;
        }
    }
    None
}

/// Whether a text behind a list of words in lower case begins with a capital: a list of its own, without a full stop.
fn is_next_sentence(text: &str, items: &[String]) -> bool {
    text.starts_with(|c: char| c.is_uppercase())
        && items.iter().all(|item| item.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// Whether what follows `or` stands for values that are not listed: "or any string".
fn names_more(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    matches!(
        word,
        "any" | "another" | "a" | "an" | "other" | "others" | "custom" | "the" | "larger" | "more" | "else"
    )
}

const QUOTES: [char; 5] = ['"', '\'', '`', '‘', '“'];

/// The first item, whether it is quoted, and what follows.
fn item(text: &str) -> Option<(String, bool, &str)> {
    let first = text.chars().next()?;
    if QUOTES.contains(&first) {
        let ends: &[char] = match first {
            '‘' => &['’'],
            '“' => &['”'],
            '`' => &['`', '\''],
            _ => &[first],
        };
        let inner = text.get(first.len_utf8()..)?;
        let end = inner.find(ends)?;
        let closing = inner.get(end..)?.chars().next()?;
        let item = inner.get(..end)?;
        let is_word = !item.is_empty()
            && !item.ends_with('-')
            && item.chars().count() <= 40
            && !item.contains(['<', '>'])
            && !item.contains(char::is_whitespace);
        return is_word
            .then(|| (item.to_owned(), true, inner.get(end + closing.len_utf8()..).unwrap_or_default()));
    }
    // `*auto*`: emphasis marks the default.
    if let Some(inner) = text.strip_prefix('*') {
        let (item, _, behind) = item(inner)?;
        return Some((item, false, behind.strip_prefix('*')?));
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '+' | '-');
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    // `http/1.1`
    let version = text.get(end..).and_then(|rest| rest.strip_prefix('/')).unwrap_or_default();
    let is_versioned = version.starts_with(|c: char| c.is_ascii_digit())
        && text.starts_with(|c: char| c.is_ascii_lowercase());
    let length = version.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(version.len());
    let end = if is_versioned { end + 1 + length } else { end };
    let word = text.get(..end)?;
    let item = word.trim_end_matches('.');
    let digits = item.strip_prefix('-').unwrap_or(item);
    let is_negative = digits.len() < item.len() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let begins = item.starts_with(|c: char| c.is_ascii_alphanumeric()) || is_negative;
    // A word that ends in a hyphen goes on in the next line.
    (begins && !item.ends_with('-'))
        .then(|| (item.to_owned(), false, text.get(item.len()..).unwrap_or_default()))
}

/// The two spellings of `alt[ernative]`.
fn optional_ending(item: String) -> (String, Option<String>) {
    let parts = item.strip_suffix(']').and_then(|item| item.split_once('['));
    match parts.filter(|(word, ending)| !word.is_empty() && !ending.contains(['[', ']'])) {
        Some((word, ending)) => (word.to_owned(), Some(format!("{word}{ending}"))),
        None => (item, None),
    }
}

/// What follows `"warning"/"2"`, a second spelling of a quoted value, and that spelling.
fn other_spelling(text: &str) -> (&str, Option<String>) {
    match text.strip_prefix('/').filter(|rest| rest.starts_with(QUOTES)).and_then(item) {
        Some((other, _, behind)) => (behind, Some(other)),
        None => (text, None),
    }
}

/// What follows `strict (or true)`, a second spelling in parentheses, and that spelling.
fn or_other(text: &str) -> (&str, Option<String>) {
    let inside = text.strip_prefix(" (or ").and_then(|rest| rest.split_once(')'));
    let is_word =
        |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') && !names_more(word);
    match inside.filter(|(word, _)| is_word(word)) {
        Some((word, behind)) => (behind, Some(word.to_owned())),
        None => (text, None),
    }
}

/// What follows a remark, if there is one; nothing if the remark names more values.
fn without_remark(text: &str) -> Option<&str> {
    let start = text.trim_start();
    let close = match start.chars().next() {
        Some('(') => ')',
        Some('[') if start.starts_with("[default") => ']',
        _ => return Some(text),
    };
    let end = start.find(close)?;
    let remark = start.get(..end)?;
    let names_more = ["(or ", "(also ", "(alias"].iter().any(|word| remark.starts_with(word));
    (!names_more).then(|| start.get(end + 1..).unwrap_or_default())
}

/// What follows the purpose of a quoted value, if another one does, and whether that is joined to it: `'date' for date only,
/// 'hours'`, `'text' for people or 'json'`.
fn without_purpose(text: &str) -> Option<(&str, bool)> {
    let start = text.trim_start();
    let purpose = ["for ", "to ", "that ", "if "].iter().find_map(|word| start.strip_prefix(word))?;
    let at = purpose.find([',', ';', '.', '\'', '"', '`'])?;
    let (purpose, rest) = purpose.split_at(at);
    if rest.starts_with(QUOTES) && purpose.ends_with(" or ") {
        return Some((rest, true));
    }
    let next = rest.strip_prefix(',')?.trim_start();
    let last = next.strip_prefix("or ").or_else(|| next.strip_prefix("and "));
    let joins = last.is_some();
    let next = last.unwrap_or(next);
    next.starts_with(QUOTES).then_some((next, joins))
}

/// What follows a separator, and whether it is the last one: `or`.
fn separator(text: &str) -> Option<(&str, bool)> {
    let start = text.trim_start();
    let word = |text: &'_ str| {
        ["or ", "and ", "& "].iter().find(|word| text.starts_with(**word)).map(|word| word.len())
    };
    if let Some(rest) = start.strip_prefix(',') {
        let rest = rest.trim_start();
        return Some(
            word(rest).map_or((rest, false), |length| (rest.get(length..).unwrap_or_default(), true)),
        );
    }
    if let Some(rest) = start.strip_prefix('|') {
        return Some((rest, false));
    }
    let length = word(start).filter(|_| text.starts_with(' '))?;
    Some((start.get(length..).unwrap_or_default(), true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_end_where_a_list_ends() {
        for (text, items) in [
            ("json, text or yaml.", "json text yaml"),
            ("[Always, OnFailure, Never].", "Always OnFailure Never"),
            ("SIGHUP, SIGINT and SIGUSR2; more", "SIGHUP SIGINT SIGUSR2"),
            ("'always' (default if omitted), 'auto', or 'never'; more", "always auto never"),
            ("\"smart\", \"fast\", or \"immediate\" and then", "smart fast immediate"),
            ("‘a’ or ‘b’", "a b"),
            ("a|b|c", "a b c"),
            ("<do|dont|want>", "do dont want"),
            ("1 or 2, as FILE1 or FILE2", "1 2"),
            ("access, atime, or use: as -a", "access atime use"),
            ("abap, algol, auto, vim The style follows", "abap algol auto vim"),
            ("'strict' (always), 'throw' (unless 'hook' is set or not), 'warn' (log).", "strict throw warn"),
            ("*auto*, never, always.", "auto never always"),
            ("strict (or true), warn, ignore (or false)", "strict true warn ignore false"),
            ("\"info\" or \"1\", \"warning\"/\"2\" (default), \"none\"/\"5\".", "info 1 warning 2 none 5"),
            ("\"yes\", \"no\", \"alt[ernative]\" (default \"no\").", "yes no alt alternative"),
            ("json, simple json: one per line simple: others", "json simple"),
            // More values, wrapped words, other forms, remarks with values.
            ("eventlet, gevent, or a comma-list of them.", ""),
            ("a, b, ...", ""),
            ("notime, or notq, and/or nohost", ""),
            ("a, b, etc.", ""),
            ("red, one-", ""),
            ("parentheses/parens, x", ""),
            ("the files, or those in a folder", ""),
            ("json, text to print", ""),
            ("'a', b", ""),
            ("only", ""),
            ("h2c and http/1.1 Default: h2c", "h2c http/1.1"),
            ("path/to, other", ""),
        ] {
            assert_eq!(closed(text, false).join(" "), items, "{text}");
        }
        assert_eq!(closed("a, b", true), Vec::<String>::new());
    }
}
