//! What a help text says.

use serde::{Deserialize, Serialize};

use crate::effects::{self, Effect};

/// A command-line tool, as its help text describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// The command: `git clone`. Empty if the text does not name it.
    pub command: String,
    /// First paragraph that is neither usage nor an entry.
    pub description: String,
    /// Usage lines, without the word "usage".
    pub usage: Vec<String>,
    /// Options, in the order of the text.
    pub options: Vec<OptionDefinition>,
    /// Positional arguments, in the order of the usage line.
    pub positionals: Vec<Positional>,
    /// Subcommands, in the order of the text.
    pub subcommands: Vec<Subcommand>,
    /// What the command does by itself, if the table of known programs has it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
    /// Whether the text says that the program reads its standard input.
    #[serde(default)]
    pub reads_stdin: bool,
    /// Whether the text says that the program reads arguments from a file where one begins with `@`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_files: bool,
    /// File name of the program that the command is a link to, if that is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

impl Definition {
    /// Makes the subcommands values of an argument, with another for what follows: for a program that says nothing more about
    /// them. Those that run programs, themselves or below them, are left out; the arguments have the effects of the
    /// others. A definition without subcommands stays as it is.
    #[must_use]
    pub fn with_commands_as_argument(mut self) -> Self {
        let mut effects = effects::of_arguments(&self.command);
        let mut choices: Vec<String> = Vec::new();
        for subcommand in std::mem::take(&mut self.subcommands) {
            let own = effects::of_subcommand(&self.command, &subcommand);
            if !own.contains(&Effect::Runs) {
                choices.push(subcommand.name);
                effects.extend(own);
            }
        }
        if choices.is_empty() {
            return self;
        }
        effects.sort_unstable();
        effects.dedup();
        let argument = |name: &str| Positional {
            property: name.to_owned(),
            name: name.to_owned(),
            effects: effects.clone(),
            ..Positional::default()
        };
        let description = self.usage.join("; ");
        self.positionals = vec![
            Positional { required: true, choices, ..argument("command") },
            Positional { repeated: true, description, ..argument("arguments") },
        ];
        self
    }

    /// Whether the command also does something without a subcommand: a usage line of its own has arguments and names none,
    /// as in `bat [OPTIONS] [FILE]...`.
    pub fn works_alone(&self) -> bool {
        let has_argument = |usage: &str| {
            let lower = usage.to_lowercase();
            let mut words =
                lower.split_whitespace().skip(1).map(|word| word.trim_matches(['[', ']', '<', '>', '.']));
            let mut has = false;
            let is_alone = words.all(|word| {
                has |= matches!(
                    word,
                    "file" | "files" | "path" | "paths" | "input" | "url" | "urls" | "pattern"
                );
                !word.contains("command")
                    && word != "cmd"
                    && !self.subcommands.iter().any(|one| one.name == word)
            });
            is_alone && has
        };
        self.usage.len() > 1 && self.usage.iter().any(|usage| has_argument(usage))
    }

    /// Makes this the definition of one subcommand, where the program prints the same text for all of them: without the
    /// subcommands and what stands for them, and with an argument for what follows if the text has none.
    #[must_use]
    pub fn of_one_command(mut self) -> Self {
        let names: Vec<String> =
            std::mem::take(&mut self.subcommands).into_iter().map(|one| one.name).collect();
        let is_command = |argument: &Positional| {
            let name = argument.name.to_lowercase();
            let lists =
                !argument.choices.is_empty() && argument.choices.iter().all(|choice| names.contains(choice));
            lists || ["command", "subcommand", "cmd", "verb", "action"].contains(&name.as_str())
        };
        self.positionals.retain(|argument| !is_command(argument));
        if self.positionals.is_empty() {
            let effects = effects::of_arguments(&self.command);
            self.positionals = vec![Positional {
                property: "arguments".to_owned(),
                name: "arguments".to_owned(),
                repeated: true,
                description: self.usage.join("; "),
                effects,
                ..Positional::default()
            }];
        }
        self
    }

    /// Whether nothing was understood.
    pub fn is_empty(&self) -> bool {
        self.options.is_empty() && self.positionals.is_empty() && self.subcommands.is_empty()
    }
}

/// An option.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionDefinition {
    /// Name as a property: the longest flag without dashes, `-` as `_`. Unique in the definition.
    pub property: String,
    /// Spellings, as in the text: `-a`, `--all`.
    pub flags: Vec<String>,
    /// Spellings that switch it off: `--no-all`.
    pub negated: Vec<String>,
    /// Whether it takes a value.
    pub value: Value,
    /// Name of the value, without brackets; empty if there is none.
    pub value_name: String,
    /// Type of the value; boolean if it takes none.
    #[serde(rename = "type")]
    pub kind: ValueType,
    /// Values that the text lists as the only ones.
    pub choices: Vec<String>,
    /// Default, as written.
    pub default: Option<String>,
    /// Whether the text says that it must be given.
    pub required: bool,
    /// Whether the text says that it can be given several times.
    pub repeated: bool,
    /// Description, as one line.
    pub description: String,
    /// What else it does, as far as the text or the table of known programs says.
    pub effects: Vec<Effect>,
    /// How the text joins the longest flag and its value.
    #[serde(default)]
    pub join: Join,
    /// Number of values that stand behind the flag; 0 if it takes none.
    #[serde(default)]
    pub value_count: usize,
    /// Whether any number of values can stand behind the flag: `--add FILE [FILE ...]`. Given twice, such a flag forgets the
    /// first values.
    #[serde(default)]
    pub list: bool,
}

/// How a flag and its value are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Join {
    /// Two words: `--out FILE`.
    #[default]
    Space,
    /// `--out=FILE`.
    Equals,
    /// `--out:FILE`.
    Colon,
    /// `-oFILE`.
    Glued,
}

/// Whether an option takes a value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Value {
    /// It takes none.
    None,
    /// It can stand alone or with a value.
    Optional,
    /// It needs one.
    Required,
    /// The text does not say.
    #[default]
    Unknown,
}

/// Type of a value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ValueType {
    /// Any text.
    #[default]
    String,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// Given or not.
    Boolean,
    /// A path of a file or folder.
    Path,
}

/// A positional argument.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Positional {
    /// Name as a property. Unique in the definition.
    pub property: String,
    /// Name in the text.
    pub name: String,
    /// Whether it must be given.
    pub required: bool,
    /// Whether it can be given several times.
    pub repeated: bool,
    /// Values that the text lists as the only ones.
    pub choices: Vec<String>,
    /// Description, as one line; empty if the text has none.
    pub description: String,
    /// What it makes the program do, as far as the text or the table of known programs says.
    pub effects: Vec<Effect>,
}

/// A subcommand.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subcommand {
    /// Name.
    pub name: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// Description, as one line.
    pub description: String,
}
