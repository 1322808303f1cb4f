//! Settings: policies, retention, rules of redaction.

use serde::{Deserialize, Serialize};

use crate::Command;

/// Asks for the settings.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct GetSettings {}

impl Command for GetSettings {
    const NAME: &'static str = "get_settings";
    type Reply = SettingsReply;
}

/// The settings, and where they come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingsReply {
    /// All there are.
    pub settings: Vec<SettingRow>,
    /// The file.
    pub file: String,
    /// Why the file cannot be used, if so; what was in force before still is.
    pub problem: Option<String>,
    /// The user's rules of redaction.
    pub redaction: RedactionRules,
    /// Their file.
    pub redaction_file: String,
    /// Why that file cannot be used, if so; the rules of before are still in force.
    pub redaction_problem: Option<String>,
}

/// A setting. The README tells what each is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingRow {
    /// Its name in the file.
    pub name: String,
    /// What is in force: a number, `true`, `false` or a word; none where nothing is set.
    pub value: Option<String>,
    /// That is so by default.
    pub is_default: bool,
    /// The command line set it for this run; what the file says of it holds from the next on.
    pub fixed: bool,
}

/// Sets one.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ChangeSetting {
    /// Its name.
    pub name: String,
    /// As in [`SettingRow::value`]; none for what is so by default.
    pub value: Option<String>,
}

impl Command for ChangeSetting {
    const NAME: &'static str = "change_setting";
    type Reply = SettingsReply;
}

/// What a user wants redacted beside what is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RedactionRules {
    /// Keys whose values are secrets, compared as the known ones are: without case and `_ - . space`, at the end.
    pub keys: Vec<String>,
    /// Regular expressions. What the first group catches is replaced, or all they match if they have none.
    pub patterns: Vec<String>,
}

/// Replaces the user's rules of redaction. They hold for what is recorded from then on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ChangeRedaction {
    /// All of them.
    pub rules: RedactionRules,
}

impl Command for ChangeRedaction {
    const NAME: &'static str = "change_redaction";
    type Reply = SettingsReply;
}

/// Tries rules of redaction, without keeping anything: on a text, and on what is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TryRedaction {
    /// The user's rules to be tried, beside what is known anyhow.
    pub rules: RedactionRules,
    /// A text or a JSON document.
    pub text: String,
}

impl Command for TryRedaction {
    const NAME: &'static str = "try_redaction";
    type Reply = TriedRedaction;
}

/// What rules of redaction would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriedRedaction {
    /// The text as it would be stored.
    pub redacted: String,
    /// Stored calls looked at: the newest.
    pub calls: u64,
    /// Those in which they would replace something that is stored now.
    pub calls_changed: u64,
    /// How many values these are.
    pub values: u64,
}
