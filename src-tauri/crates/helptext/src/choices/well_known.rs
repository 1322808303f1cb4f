//! Lists of words that mean the same everywhere: `always, never or auto`, `debug, info, warn`.

use super::gives_examples;

/// What turns something on or off.
const SWITCHES: &[&str] = &["auto", "always", "never", "on", "off", "yes", "no", "true", "false", "none"];
/// How much a program says.
const LEVELS: &[&str] = &[
    "trace", "debug", "verbose", "info", "notice", "warn", "warning", "error", "err", "critical", "crit",
    "fatal", "emerg", "alert", "silent", "quiet", "off", "none", "all",
];
/// Fewest words, but for two that are opposites.
const LEAST: usize = 3;

/// The first list of such words that nothing else belongs to.
pub(super) fn well_known(description: &str) -> Vec<String> {
    let mut list: Vec<&str> = Vec::new();
    // Words since the last mark. One alone in front of a list is a part of it: `red, on, off`.
    let mut words = 0;
    // Words so far that are not in a list, and whether the list begins the text: `never/always/auto when to use it`.
    let mut all = 0;
    let mut begins = false;
    let (mut was_separator, mut is_part) = (false, false);
    for token in tokens(description).chain([END]) {
        let is_word = SWITCHES.contains(&token) || LEVELS.contains(&token);
        if is_word && (was_separator || list.is_empty()) {
            is_part |= list.is_empty() && was_separator && words == 1;
            begins = if list.is_empty() { all == 0 } else { begins };
            list.push(token);
            was_separator = false;
        } else if [",", "or"].contains(&token) {
            was_separator = true;
        } else {
            // `auto, or a number`, `error, warning or info lines`
            let is_whole = token == END || begins;
            if is_whole && !was_separator && !is_part && is_list(&list) {
                let is_example = gives_examples(description);
                return if is_example { Vec::new() } else { list.into_iter().map(str::to_owned).collect() };
            }
            words = if token == END {
                0
            } else if was_separator {
                1
            } else {
                words + 1
            };
            all += 1;
            list.clear();
            (was_separator, is_part) = (false, false);
        }
    }
    Vec::new()
}

/// The same where no value is shown, in which two words may say what a switch does: `turn it on or off`.
pub(super) fn without_value(description: &str) -> Vec<String> {
    Some(well_known(description)).filter(|list| list.len() >= LEAST).unwrap_or_default()
}

const END: &str = ";";

/// Words, and the marks between them: commas, slashes and bars are one kind, what ends a list another.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let is_mark = |c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_');
    text.split_inclusive(is_mark).flat_map(move |part| {
        let word = part.trim_end_matches(is_mark);
        let mark = match part.get(word.len()..).unwrap_or_default() {
            "," | "/" | "|" => ",",
            "" | " " | "\"" | "'" | "`" => "",
            _ => END,
        };
        [word, mark].into_iter().filter(|token| !token.is_empty())
    })
}

fn is_list(list: &[&str]) -> bool {
    let is_pair = matches!(
        list,
        ["yes", "no"] | ["on", "off"] | ["true", "false"] | ["no", "yes"] | ["off", "on"] | ["false", "true"]
    );
    let all = |words: &[&str]| list.iter().all(|word| words.contains(word));
    is_pair || list.len() >= LEAST && (all(SWITCHES) || all(LEVELS))
}

#[cfg(test)]
mod tests {
    use super::well_known;

    #[test]
    fn well_known_words_are_a_list_alone() {
        for (text, expected) in [
            ("Use colours, on, off or auto", "on off auto"),
            ("string constant (fatal, error, warn, info) use it for the logger", "fatal error warn info"),
            ("turn it on or off", "on off"),
            ("say how: 'always', 'never' or \"auto\".", "always never auto"),
            ("colour (yes/no/auto)", "yes no auto"),
            ("one of trace|debug|info or off", "trace debug info off"),
            ("never/always/auto when to use it", "never always auto"),
            ("only show error, warning or info lines of it", ""),
            ("write it for missing cells, e.g. none, no or false", ""),
            ("auto, none or a number", ""),
            ("red, on, off or auto", ""),
            ("on and off", ""),
            ("no error or warning", ""),
            ("print info, warnings, and errors", ""),
            ("auto, on, off, 1", ""),
        ] {
            assert_eq!(well_known(text).join(" "), expected, "{text}");
        }
    }
}
