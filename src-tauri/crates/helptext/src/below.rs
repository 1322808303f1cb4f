//! Subcommands that the text of their program describes.

use crate::definition::Definition;
use crate::reader::read;

/// Most subcommands, and longest text in bytes: the text is read once for each.
const MOST: usize = 64;
const MAX_TEXT: usize = 1 << 16;

/// The definitions of these subcommands of a command, if a usage line of its text begins with each of them. None if one has
/// no such line: its own help says more.
pub fn described(text: &str, command: &str, names: &[&str]) -> Option<Vec<Definition>> {
    if names.is_empty() || names.len() > MOST || text.len() > MAX_TEXT {
        return None;
    }
    let of = |name: &&str| {
        let command = format!("{command} {name}");
        let definition = read(text, &command);
        let typed: Vec<&str> = command.split(' ').skip(1).collect();
        let begins =
            |form: &String| form.split_whitespace().skip(1).take(typed.len()).eq(typed.iter().copied());
        (!definition.usage.is_empty() && definition.usage.iter().all(begins)).then_some(definition)
    };
    names.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_lines_describe_subcommands() {
        let text = "Format:\n  keyctl add [-x] <type> <desc>\n  keyctl clear <keyring>\n  keyctl reap\n";
        let found = described(text, "keyctl", &["add", "clear", "reap"]).unwrap();
        let shown = |one: &Definition| {
            let names: Vec<&str> = one.positionals.iter().map(|one| one.name.as_str()).collect();
            format!("{} {} {}", one.command, one.options.len(), names.join(" "))
        };
        let shown: Vec<String> = found.iter().map(shown).collect();
        assert_eq!(shown, ["keyctl add 1 type desc", "keyctl clear 0 keyring", "keyctl reap 0 "]);
        assert_eq!(described(text, "keyctl", &["add", "other"]), None);
        let listed = "Usage: x COMMAND\n\nCommands:\n  add   Add it\n";
        assert_eq!(described(listed, "x", &["add"]), None);
    }
}
