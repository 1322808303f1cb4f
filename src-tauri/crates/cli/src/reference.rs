//! The generated parts of the guide: the tables of commands and of settings. The tests fail when a page is stale.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use clap::{Arg, Command};
use schemascope_api::{Bounds, Choice, SETTINGS, Setting, SettingGroup, SettingKind};

use crate::{command_line, commands};

/// Longest line of the guide.
const WIDTH: usize = 98;
/// Set to 1 to write the generated parts instead of checking them.
const UPDATE: &str = "UPDATE_GUIDE";

/// The commands by group, each with its sentence and its options.
fn command_reference() -> String {
    let program = command_line::program();
    let mut text = String::new();
    for (group, names) in commands::groups() {
        let _ = write!(text, "**{}**\n\n", group.title());
        if text.matches("**").count() == 2 {
            text += "- `schemascope`: Open the window, if it is installed.\n";
        }
        for name in names {
            let Some(command) = program.find_subcommand(&name) else { continue };
            text += &entry(&name, command);
            for sub in command.get_subcommands() {
                text += &entry(&format!("{name} {}", sub.get_name()), sub);
            }
        }
        text.push('\n');
    }
    text.trim_end().to_owned() + "\n"
}

fn entry(name: &str, command: &Command) -> String {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut words = vec![format!("- `{name}`:")];
    words.extend(format!("{}.", about.trim_end_matches('.')).split(' ').map(str::to_owned));
    let options: Vec<String> = command.get_arguments().filter_map(option).collect();
    if !options.is_empty() {
        words.push("Options:".to_owned());
        words.push(options.join(", "));
    }
    // An option stays on one line.
    let words: Vec<String> = words.into_iter().flat_map(|word| split_options(&word)).collect();
    wrap(&words)
}

fn split_options(word: &str) -> Vec<String> {
    if !word.starts_with("`--") {
        return vec![word.to_owned()];
    }
    let parts: Vec<&str> = word.split(", ").collect();
    let last = parts.len() - 1;
    let comma = |at: usize| if at == last { "." } else { "," };
    parts.iter().enumerate().map(|(at, part)| format!("{part}{}", comma(at))).collect()
}

/// An option with its value, as it is typed. Options of every command have a table of their own.
fn option(arg: &Arg) -> Option<String> {
    let long = arg.get_long().filter(|_| !arg.is_global_set())?;
    let value = arg.get_value_names().filter(|_| arg.get_action().takes_values());
    let value = value.map(|names| names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
    (long != "help").then(|| match value {
        Some(value) => format!("`--{long} {value}`"),
        None => format!("`--{long}`"),
    })
}

/// Words in lines of the guide's width; continued lines of a list item are indented.
fn wrap(words: &[String]) -> String {
    let (mut text, mut width) = (String::new(), 0);
    for word in words {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > WIDTH {
            text.push_str("\n  ");
            width = 2;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(word);
        width += length;
    }
    text + "\n"
}

fn settings_table() -> String {
    let mut text = "| setting | values | default | effect |\n|---|---|---|---|\n".to_owned();
    for setting in SETTINGS {
        let default = setting.default.map_or("unlimited".to_owned(), |default| match setting.kind {
            SettingKind::Number(_) | SettingKind::Limit(_) => default.to_owned(),
            _ => format!("`{default}`"),
        });
        let _ =
            writeln!(text, "| `{}` | {} | {default} | {} |", setting.name, values(setting), setting.summary);
    }
    text
}

fn values(setting: &Setting) -> String {
    let words = |choices: &[Choice]| {
        choices.iter().map(|choice| format!("`{}`", choice.word)).collect::<Vec<_>>().join(", ")
    };
    match setting.kind {
        SettingKind::Switch => "`true`, `false`".to_owned(),
        SettingKind::Choice(choices) => words(choices),
        SettingKind::Number(Bounds { min, max: u64::MAX, .. })
        | SettingKind::Limit(Bounds { min, max: u64::MAX, .. }) => format!("at least {}", grouped(min)),
        SettingKind::Number(Bounds { min, max, .. }) | SettingKind::Limit(Bounds { min, max, .. }) => {
            format!("{} to {}", grouped(min), grouped(max))
        }
        SettingKind::Groups(choices) => format!("`off`, `all`, or some of {}", words(choices)),
        SettingKind::Program => "a JSON list of texts".to_owned(),
    }
}

fn grouped(number: u64) -> String {
    crate::output::count(number).replace(' ', ",")
}

fn settings_details() -> String {
    let mut text = String::new();
    for group in SettingGroup::ALL {
        for setting in SETTINGS.iter().filter(|setting| setting.group == group) {
            let words = format!("**{}**: {}", setting.name, setting.details);
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            text += &wrap(&words).replace("\n  ", "\n");
            text.push('\n');
        }
    }
    text.trim_end().to_owned() + "\n"
}

/// Compares the part between two comments of a page with what it should be.
fn check(page: &str, part: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../assets/guide").join(page);
    let text = fs::read_to_string(&path).unwrap();
    let (begin, end) = (format!("<!-- {part}:begin -->\n"), format!("<!-- {part}:end -->"));
    let (before, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("{page} has no {begin}"));
    let (current, after) = rest.split_once(&end).unwrap_or_else(|| panic!("{page} has no {end}"));
    if std::env::var_os(UPDATE).is_some() {
        fs::write(&path, format!("{before}{begin}{expected}{end}{after}")).unwrap();
    } else {
        assert_eq!(
            current, expected,
            "assets/guide/{page} is stale; to update it: {UPDATE}=1 cargo test -p schemascope --bins reference"
        );
    }
}

#[test]
fn command_reference_is_current() {
    check("commands.md", "commands", &command_reference());
}

#[test]
fn settings_reference_is_current() {
    // One test, because both parts are in the same file.
    check("settings.md", "settings", &settings_table());
    check("settings.md", "settings-details", &settings_details());
}
