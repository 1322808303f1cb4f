//! Lists in parentheses or brackets: `Output format (json, text)`.

use std::borrow::Cow;

use super::alone::is_switch;
use super::beside_default::{has_noun, is_noun};
use super::description::{split, without};
use super::{are_kinds, gives_examples, list::closed};
use crate::hints::default;
use crate::patterns::{Pattern, found, is_match, pattern};

pattern!(
    IN_PARENTHESES,
    r#"\(\s*(?:as |either )?((?:["'`]?[A-Za-z0-9][A-Za-z0-9_.+#-]{0,24}["'`]?(?:\s*,\s*(?:or\s+)?|\s*\|\s*|\s+or\s+|\s*/\s*))+["'`]?[A-Za-z0-9][A-Za-z0-9_.+#-]{0,24}["'`]?)(?:[,;:]\s*(?:the |no )?default[^()]*)?\s*\)"#
);
pattern!(
    IN_BRACKETS,
    r"\[\s*([a-z0-9][A-Za-z0-9_.+-]{0,24}(?: ?\| ?[a-z0-9][A-Za-z0-9_.+-]{0,24})+|\w[A-Za-z0-9_.+-]{0,24}(?: \(default\))?(?:, ?\w[A-Za-z0-9_.+-]{0,24}(?:\([a-z]+\))?)+)(?:[,;] ?default[^\[\]]*)?\s*\]"
);
// `lxc(experimental)`, `expanded (default)`.
pattern!(REMARK, r" ?\((?:default|[a-z]+)\)");
pattern!(
    BEHIND,
    r#"^\s*(?:$|\[["'`]?[\w-]+["'`]?\]$|\([\w-]+\)$|[.;]|- |,? ?(?i:the )?(?i:default)\b|, ?['"`]?[\w-]+['"`]? is (?:the )?default\b|['"`][\w-]+['"`]:|[\[(](?i:default|env|string|required|the default))"#
);

/// `Output format (json, text, xml)`, at the end, or anywhere if it says when: `colors (auto, always or never)`.
pub(super) fn in_parentheses(description: &str, name: &str) -> Vec<String> {
    let is_when = name.eq_ignore_ascii_case("when");
    let of = |pattern: &Pattern, is_round: bool| {
        let captures = found(pattern, description)?;
        let (all, list) = (captures.get(0)?, captures.get(1)?.as_str());
        let before = description.get(..all.start())?;
        let behind = description.get(all.end()..)?;
        // `next.config.(ts|mts)`, `[a|b][,c]`: parts of something longer.
        // `(defaults depend on the usage (ZSK or KSK)`: within a remark.
        let is_joined =
            behind.starts_with('[') || is_round && before.matches('(').count() > before.matches(')').count();
        if !before.is_empty() && !before.ends_with(' ') || is_joined {
            return None;
        }
        let lower = before.to_lowercase();
        let is_open = behind.trim_start().starts_with("or ")
            || gives_examples(before)
            || gives_examples(list)
            || list.contains("..")
            || list.contains(" /")
            || [" etc", "(etc", "and so on", "additional", "path to"].iter().any(|word| lower.contains(word))
            // `configuration file (JSON, YAML or TOML)`
            || lower.ends_with(" file ") && list.contains(", ") && default(description).is_none()
            // `file extension (jpg, png)`, but `Extension mode (fast/slow)`.
            || lower.split_whitespace().next_back().is_some_and(|word| word.starts_with("extension"));
        // `("initially" or "full") disable checks`, `endianness (MSB or LSB) of the image`.
        let is_slashed = list.contains('/');
        let items = split(&without_remarks(list).replace('/', ","));
        // `[on, off]`, but not `[x, y]` of coordinates.
        // `default PEM (PEM, DER or NSS)`, but not `default text (plain, wide)`.
        let mut last = before.split_whitespace().rev();
        let named = last.next().unwrap_or_default();
        // `Default: 1 (sequential, stable)`
        let says_default = |word: &str| word.to_lowercase().contains("default");
        let is_of_default = says_default(named) || last.next().is_some_and(says_default);
        if is_of_default && !items.iter().any(|item| item == named) {
            return None;
        }
        // `(12.0.0.0/8,FR,CN)`
        let is_number = |item: &String| item.chars().all(|c| c.is_ascii_digit() || c == '.');
        if items.iter().any(|item| is_number(item) && item.matches('.').count() > 2) {
            return None;
        }
        let marks_default = list.contains(" (default)");
        let is_pair = items.len() == 2
            && match is_round {
                true => list.contains(',') && !list.contains(", "),
                false => !list.contains('|'),
            };
        let is_quoted = list.contains(['"', '\'', '`']);
        let is_upper = items.iter().all(|item| item.chars().all(|c| !c.is_ascii_lowercase()));
        let is_clear = is_quoted || is_upper;
        // `the script for SHELL (bash, zsh or fish) and exit`.
        let last = before.split_whitespace().next_back().unwrap_or_default();
        let is_about =
            name.len() > 2 && (before.trim_end().ends_with(name) || last.eq_ignore_ascii_case(name));
        // `manifest type (oci or v2s2) to use`
        let ends = (is_when || is_clear || is_about || is_noun(before)) && list.contains(" or ")
            // `Radix (o/d/x) of numbers`.
            || is_about && is_slashed
            || is_match(&BEHIND, behind);
        // `(gzip, none, zstd) for it (default "zstd")`, `(ulaw|alaw|u8) (required)`
        let default = default(description);
        let has_default = default.as_ref().is_some_and(|default| items.contains(default));
        let has_bars = list.contains('|') && items.len() > 2;
        // Many words are no remark: `the protocol (udp, tcp, http, tcpraw, icmp) for it`.
        let is_word = |item: &String| {
            item.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        };
        let is_long = is_round
            && has_noun(before)
            && items.len() > 4
            && list.contains(", ")
            && items.iter().all(is_word);
        // `(region or multi-region) [default: us]`, `(Type-3, "similar")`
        let is_other = default.as_ref().is_some_and(|default| {
            items.len() == 2
                && !default.contains(' ')
                && default.chars().all(|c| c.is_ascii_lowercase())
                && !has_default
                && !["none", "null", "unset", "undefined"].contains(&default.as_str())
        });
        let quotes = list.matches(['"', '\'', '`']).count();
        let is_mixed = is_quoted && quotes != 2 * items.len();
        if is_open || is_mixed || is_other || !(ends || has_bars || is_long || has_default && items.len() > 2)
        {
            return None;
        }
        // `es5/es2015`
        let stem = |item: &String| item.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
        let are_versions =
            items.iter().all(|item| stem(item) != *item && items.first().map(stem) == Some(stem(item)));
        // `format of the file (fasta/fastq)`
        let is_format =
            is_slashed && has_noun(before) && items.iter().all(is_word) && is_match(&BEHIND, behind);
        let is_switch = are_versions || is_format || is_switch(&items);
        let has_case = items.iter().all(|item| item.starts_with(|c: char| !c.is_ascii_uppercase()))
            || is_upper && (!list.contains(", ") || !is_round || list.contains(" or "))
            || is_quoted
            || items.len() > 4 && is_round;
        // `SIGTERM/SIGKILL, defaults to SIGTERM`
        let names_default = all
            .as_str()
            .split_once("default")
            .is_some_and(|(_, rest)| items.iter().any(|item| rest.contains(item.as_str())))
            || has_default
            || marks_default
            || {
                let lower = description.to_lowercase();
                items.iter().any(|item| lower.contains(&format!("{} is the default", item.to_lowercase())))
            };
        // `(cll,fall) [default: 0,0]`, `(S,1,1.15)`, `[1, 2, 4] Defaults to 4x4`: parts of a value.
        let is_decimal = |item: &String| item.contains('.') && item.parse::<f64>().is_ok();
        let are_numbers = items.iter().all(|item| item.parse::<f64>().is_ok());
        let are_parts = items.iter().any(is_decimal) && !are_numbers
            || default.is_some_and(|default| {
                !default.contains(' ')
                    && (default.contains(',') || !is_round && are_numbers && default.parse::<f64>().is_err())
            });
        let fits = items.len() > 1
            && !are_kinds(&items)
            && !are_parts
            && (!is_pair || is_switch || names_default)
            && (has_case || names_default || list.contains(" or ") && items.len() > 2 || has_bars)
            && (!is_slashed || is_round && (items.len() > 2 || is_switch || names_default));
        fits.then_some(items)
    };
    of(&IN_PARENTHESES, true).or_else(|| of(&IN_BRACKETS, false)).unwrap_or_else(|| with_remarks(description))
}

/// The same where no value is shown: only what can be nothing but its values.
pub(super) fn alternatives(description: &str) -> Vec<String> {
    let items = in_parentheses(description, "");
    let parts = description.split_once(" (").or_else(|| description.split_once(" ["));
    let (before, list) = parts.unwrap_or(("", description));
    let begins = |verbs: &[&str]| verbs.iter().any(|verb| description.starts_with(verb));
    let shows = begins(&["Print", "Show", "Display", "Report", "List"]);
    // `Use mixed mode (view or list)`, `Print which it is (a, b or c)`
    let is_switch = shows || begins(&["Use", "Enable", "Disable", "Toggle", "Force", "Run"]);
    let is_short = before.split(' ').count() < 9 && !before.contains(". ");
    // `Server authentication type (tls or candid)`, but not `Legacy mode (slow, deprecated)`.
    let separates = list.contains(" or ") || list.contains('/');
    let is_about = is_short && has_noun(before) && separates && !is_switch;
    // `Set the protocol (udp, tcp, http, icmp) for it`, `comparison metric (MAE, MSE, PSNR)`
    let sets = begins(&["Set", "Select", "Choose", "Specify", "set", "select", "choose", "specify"]);
    let is_list =
        is_short && (sets && has_noun(before) && items.len() > 4 || is_noun(before) && items.len() > 3);
    let is_clear = ["|", "default", "(0/1)"].iter().any(|mark| description.contains(mark))
        || is_about
        || is_list && !is_switch
        || items.len() > 2 && description.contains(" or ") && !shows
        || items.len() > 2 && description.contains('"') && description.ends_with(['"', ')']);
    if items.len() > 1 && is_clear { items } else { Vec::new() }
}

/// `time limit [d (1 day), w (1 wk), m (1 month)]`, at the end.
fn with_remarks(description: &str) -> Vec<String> {
    let list = description.strip_suffix(']').and_then(|text| text.rsplit_once(" ["));
    let Some((_, list)) = list.filter(|(_, list)| list.matches(" (").count() > 2) else { return Vec::new() };
    let items = closed(list, false);
    if items.len() == list.matches(" (").count() { items } else { Vec::new() }
}

/// A list without the remarks behind its values.
pub(super) fn without_remarks(list: &str) -> Cow<'_, str> {
    without(&REMARK, list)
}
