//! Forms without the word "usage".

use super::commands::is_plain;
use super::lines::{first_word, is_described, is_prose, trimmed, without_label};
use crate::clean::indent;

/// Forms that stand at the start of lines without the word "usage": `deluser [--system] [--quiet] user`.
pub(super) fn unnamed_forms(lines: &[String], name: &str) -> Vec<String> {
    const FEW: usize = 16;
    /// Lines at the top, where a form needs no option in brackets.
    const TOP: usize = 12;
    let Some(program) = name.split(' ').next().filter(|program| !program.is_empty()) else {
        return Vec::new();
    };
    // systemd-cryptsetup: two forms with a subcommand; one alone can be a sentence.
    let is_form = |line: &&String| {
        let rest = line.trim_start().strip_prefix(name).and_then(|rest| rest.strip_prefix(' '));
        rest.is_some_and(is_of_command)
    };
    let has_commands = lines.iter().take(TOP).filter(is_form).take(2).count() == 2;
    let mut forms: Vec<String> = Vec::new();
    let mut open_at = None;
    for (number, line) in lines.iter().enumerate() {
        let (indented, text) = (indent(line), without_label(line.trim(), name));
        let rest = text.split_once(' ').map(|(_, rest)| rest.trim_start()).unwrap_or_default();
        let word = first_word(rest);
        let is_capital = !word.is_empty()
            && word.chars().all(char::is_uppercase)
            && !is_prose(rest)
            && !rest.contains(": ");
        // LVM writes the name alone, and the form beneath.
        let is_alone = rest.is_empty()
            && lines.get(number + 1).is_some_and(|next| {
                let least =
                    if number < TOP && indented == 0 && next.trim_start().starts_with("[ -") { 2 } else { 4 };
                indent(next) >= indented + least && next.trim_start().starts_with(['[', '<', '('])
            });
        let is_top = number < TOP
            && indented < 4
            && (rest.starts_with(['[', '<'])
                || is_capital
                || is_alone
                || has_commands && is_of_command(rest));
        let is_example = ["example", "try", "run", "note", "hint"].iter().any(|word| {
            line.trim_start().get(..word.len()).is_some_and(|label| label.eq_ignore_ascii_case(word))
        });
        let is_labelled = text.len() < line.trim().len() && rest.contains(['[', '<']) && !is_example;
        let begins =
            first_word(text) == program && (is_top || is_labelled || indented == 0 && line.contains(" [-"));
        let is_more = open_at.is_some_and(|at| indented >= at + 4 || indented > at && text.starts_with("[ "))
            && (number >= TOP || text.starts_with(['[', '<', '{', '(', '|', '-', '.']))
            && !is_prose(text)
            && !(text.starts_with('-') && is_described(text));
        if begins && forms.len() < FEW {
            forms.push(trimmed(text).to_owned());
            open_at = Some(indented);
        } else if let Some(form) = forms.last_mut().filter(|_| is_more) {
            form.push(' ');
            form.push_str(text);
        } else {
            open_at = None;
        }
    }
    forms
}

/// Whether what stands behind the program is a subcommand and an argument: `attach VOLUME`.
fn is_of_command(rest: &str) -> bool {
    let mut words = rest.split(' ');
    let is_argument =
        |word: &str| word.starts_with(['[', '<']) || word.len() > 2 && word.chars().all(char::is_uppercase);
    words.next().is_some_and(is_plain) && words.next().is_some_and(is_argument) && !is_prose(rest)
}
