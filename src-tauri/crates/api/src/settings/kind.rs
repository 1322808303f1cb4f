//! What a setting is: its name, its kind, its texts, and which values it accepts.

use std::fmt;

use serde_json::Value;

/// One setting, with everything the program, the dashboard and the guide say about it.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Name in `settings.json` and in the terminal: `keep_days`.
    pub name: &'static str,
    /// Option of `serve` that sets it for one run, without the dashes: `keep-days`.
    pub option: &'static str,
    /// Group it is shown in.
    pub group: SettingGroup,
    /// Name for people, as the dashboard shows it.
    pub label: &'static str,
    /// Which values it accepts.
    pub kind: SettingKind,
    /// Default as text; `None` if nothing is set by default.
    pub default: Option<&'static str>,
    /// What it does, in one sentence without a full stop.
    pub summary: &'static str,
    /// What else a user should know, in whole sentences.
    pub details: &'static str,
}

/// A group of settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingGroup {
    /// How versions come to be and who promotes them.
    Versions,
    /// What clients receive.
    Results,
    /// Which code is kept current.
    Wrappers,
    /// What happens to what interviews find out.
    Interviews,
    /// Which calls stay stored.
    Storage,
}

impl SettingGroup {
    /// Every group, in the order in which they are shown.
    pub const ALL: [Self; 5] =
        [Self::Versions, Self::Results, Self::Wrappers, Self::Interviews, Self::Storage];

    /// Heading of the group.
    pub fn title(self) -> &'static str {
        match self {
            Self::Versions => "Versions",
            Self::Results => "Results for clients of /mcp",
            Self::Wrappers => "Typed wrappers",
            Self::Interviews => "Interviews",
            Self::Storage => "Stored calls",
        }
    }
}

/// Values a setting accepts.
#[derive(Debug, Clone, Copy)]
pub enum SettingKind {
    /// `true` or `false`.
    Switch,
    /// One of a few words.
    Choice(&'static [Choice]),
    /// A whole number.
    Number(Bounds),
    /// A whole number, or nothing for no limit. A lower number may remove stored calls.
    Limit(Bounds),
    /// `off`, `all`, or some of these words separated by commas.
    Groups(&'static [Choice]),
    /// A program and its arguments, as a JSON list of texts; an empty list for none. No shell is involved.
    Program,
}

/// Most words of a program with its arguments, and most bytes of one.
const MAX_WORDS: usize = 64;
const MAX_WORD_BYTES: usize = 4_096;

/// Smallest and largest value of a number, and what it counts.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Smallest value.
    pub min: u64,
    /// Largest value; `u64::MAX` if there is none.
    pub max: u64,
    /// Unit in the plural: `days`.
    pub unit: &'static str,
}

/// One word that a setting accepts.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// The word in the file: `at_high`.
    pub word: &'static str,
    /// The word for people: `at high quality`.
    pub label: &'static str,
    /// Effect of this choice, in a few words.
    pub effect: &'static str,
}

/// Accepted by every setting of groups.
pub const OFF: &str = "off";
/// Accepted by every setting of groups.
pub const ALL: &str = "all";

impl Setting {
    /// The setting with this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        super::SETTINGS.iter().find(|setting| setting.name == name)
    }

    /// Checks a value from a file or a command. `null` stands for the default.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        let is_valid = match self.kind {
            SettingKind::Switch => value.is_boolean(),
            SettingKind::Choice(choices) => value.as_str().is_some_and(|word| is_one_of(choices, word)),
            SettingKind::Number(bounds) | SettingKind::Limit(bounds) => {
                value.as_u64().is_some_and(|number| (bounds.min..=bounds.max).contains(&number))
            }
            SettingKind::Groups(choices) => value.as_str().is_some_and(|text| {
                text == OFF || text == ALL || text.split(',').all(|word| is_one_of(choices, word.trim()))
            }),
            SettingKind::Program => value.as_array().is_some_and(|words| is_program(words)),
        };
        if value.is_null() || is_valid {
            return Ok(());
        }
        Err(format!("{} must be {}, not {value}", self.name, self.expected()))
    }

    /// Accepted values in words, for errors: `a whole number from 1 to 36500`.
    fn expected(&self) -> String {
        let words = |choices: &[Choice]| choices.iter().map(|choice| choice.word).collect::<Vec<_>>();
        match self.kind {
            SettingKind::Switch => "true or false".to_owned(),
            SettingKind::Choice(choices) => alternatives(&words(choices)),
            SettingKind::Number(Bounds { min, max: u64::MAX, .. })
            | SettingKind::Limit(Bounds { min, max: u64::MAX, .. }) => {
                format!("a whole number of at least {min}")
            }
            SettingKind::Number(Bounds { min, max, .. }) | SettingKind::Limit(Bounds { min, max, .. }) => {
                format!("a whole number from {min} to {max}")
            }
            SettingKind::Groups(choices) => {
                format!("off, all, or some of {}, separated by commas", words(choices).join(", "))
            }
            SettingKind::Program => {
                "a program and its arguments as a JSON list of texts, such as [\"program\", \"--option\"]"
                    .to_owned()
            }
        }
    }
}

/// `a, b or c`.
fn alternatives(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn is_program(words: &[Value]) -> bool {
    let is_word = |word: &Value| {
        word.as_str().is_some_and(|word| word.len() <= MAX_WORD_BYTES && !word.contains(char::is_control))
    };
    words.len() <= MAX_WORDS
        && words.iter().all(is_word)
        && words
            .first()
            .is_none_or(|program| program.as_str().is_some_and(|program| !program.trim().is_empty()))
}

fn is_one_of(choices: &[Choice], word: &str) -> bool {
    choices.iter().any(|choice| choice.word == word)
}

/// Groups of something, as a setting selects them.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Groups {
    /// None of them.
    #[default]
    Off,
    /// All of them, also those that later releases add.
    All,
    /// These only.
    Only(Vec<String>),
}

impl Groups {
    /// Whether the group with this name is selected.
    pub fn contains(&self, group: &str) -> bool {
        match self {
            Self::Off => false,
            Self::All => true,
            Self::Only(groups) => groups.iter().any(|one| one == group),
        }
    }
}

impl From<String> for Groups {
    fn from(text: String) -> Self {
        match text.as_str() {
            OFF => Self::Off,
            ALL => Self::All,
            list => {
                let mut groups: Vec<String> = list.split(',').map(|word| word.trim().to_owned()).collect();
                groups.sort();
                groups.dedup();
                Self::Only(groups)
            }
        }
    }
}

impl From<Groups> for String {
    fn from(groups: Groups) -> Self {
        groups.to_string()
    }
}

impl fmt::Display for Groups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.write_str(OFF),
            Self::All => f.write_str(ALL),
            Self::Only(groups) => f.write_str(&groups.join(",")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const GROUPS: Setting = Setting {
        name: "tools",
        option: "tools",
        group: SettingGroup::Results,
        label: "Tools",
        kind: SettingKind::Groups(&[
            Choice { word: "a", label: "A", effect: "" },
            Choice { word: "b", label: "B", effect: "" },
        ]),
        default: Some(OFF),
        summary: "",
        details: "",
    };

    #[test]
    fn groups_accept_off_all_and_lists_of_their_words() {
        for valid in [json!("off"), json!("all"), json!("a"), json!("b, a"), json!(null)] {
            assert_eq!(GROUPS.check(&valid), Ok(()), "{valid}");
        }
        for invalid in [json!(""), json!("a,off"), json!("c"), json!("a,"), json!(1)] {
            let error = GROUPS.check(&invalid).unwrap_err();
            assert!(error.starts_with("tools must be off, all, or some of a, b"), "{error}");
        }
    }

    #[test]
    fn program_is_a_list_of_texts() {
        let setting = Setting { kind: SettingKind::Program, ..GROUPS };
        for valid in [json!([]), json!(["a"]), json!(["a b", "", "--x=\"y\""]), json!(null)] {
            assert_eq!(setting.check(&valid), Ok(()), "{valid}");
        }
        for invalid in [json!("a"), json!([1]), json!([" "]), json!(["a\n"]), json!(vec!["a"; 65]), json!({})]
        {
            assert!(setting.check(&invalid).is_err(), "{invalid}");
        }
    }

    #[test]
    fn groups_are_read_and_written_as_text() {
        for (text, groups) in [
            ("off", Groups::Off),
            ("all", Groups::All),
            ("a,b", Groups::Only(vec!["a".to_owned(), "b".to_owned()])),
        ] {
            assert_eq!(serde_json::from_value::<Groups>(json!(text)).unwrap(), groups);
            assert_eq!(serde_json::to_value(&groups).unwrap(), json!(text));
        }
        assert_eq!(Groups::from(" b, a, b ".to_owned()).to_string(), "a,b");
        assert!(Groups::from("b, a".to_owned()).contains("a"));
        assert!(Groups::All.contains("c") && !Groups::Off.contains("a"));
    }
}
