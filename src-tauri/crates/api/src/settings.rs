//! Settings and redaction rules: the list of settings, their values, and the commands that change them.

mod declare;
mod kind;
mod register;
mod values;

use serde::{Deserialize, Serialize};

use crate::Command;

pub use kind::{Bounds, Choice, Groups, Setting, SettingGroup, SettingKind};
pub use register::{Adapt, AutoPromote, CliRegister, ModelFrom, OWN_TOOL_GROUPS, SETTINGS, SettingValues};

/// Gets the settings and the redaction rules.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct GetSettings {}

impl Command for GetSettings {
    const NAME: &'static str = "get_settings";
    type Reply = SettingsReply;
}

/// The settings and redaction rules in effect, and the files they are in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingsReply {
    /// Every setting, in the order of [`SETTINGS`].
    pub settings: Vec<SettingRow>,
    /// Path of the settings file.
    pub file: String,
    /// Why the settings file cannot be used; the previous settings stay in effect.
    pub problem: Option<String>,
    /// The user's redaction rules.
    pub redaction: RedactionRules,
    /// Path of the file with the redaction rules.
    pub redaction_file: String,
    /// Why the file with the redaction rules cannot be used; the previous rules stay in effect.
    pub redaction_problem: Option<String>,
}

/// The value of one setting. [`Setting`] has its kind and its texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingRow {
    /// Name of the setting.
    pub name: String,
    /// Value in effect as text: a number, `true`, `false` or a word; `None` if nothing is set.
    pub value: Option<String>,
    /// Whether this is the default.
    pub is_default: bool,
    /// Whether the command line set it for this run; the file takes effect again at the next start.
    pub fixed: bool,
    /// What the value costs, in a sentence; none for most settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Changes one setting.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ChangeSetting {
    /// Name of the setting.
    pub name: String,
    /// New value, written as in [`SettingRow::value`]; `None` restores the default.
    pub value: Option<String>,
}

impl Command for ChangeSetting {
    const NAME: &'static str = "change_setting";
    type Reply = SettingsReply;
}

/// Redaction rules that the user adds to the built-in ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RedactionRules {
    /// Keys whose values are secrets. A key matches if it ends with one of these, ignoring case and `_ - . space`.
    pub keys: Vec<String>,
    /// Regular expressions. The text of the first group is replaced, or the whole match if there is no group.
    pub patterns: Vec<String>,
}

/// Replaces the user's redaction rules. The new rules apply to calls that are recorded afterwards.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ChangeRedaction {
    /// All rules of the user.
    pub rules: RedactionRules,
}

impl Command for ChangeRedaction {
    const NAME: &'static str = "change_redaction";
    type Reply = SettingsReply;
}

/// Tries redaction rules on a text and on the stored calls, without saving them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TryRedaction {
    /// The rules to try, in addition to the built-in ones.
    pub rules: RedactionRules,
    /// A text or a JSON document.
    pub text: String,
}

impl Command for TryRedaction {
    const NAME: &'static str = "try_redaction";
    type Reply = TriedRedaction;
}

/// What redaction rules would change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriedRedaction {
    /// The text as it would be stored.
    pub redacted: String,
    /// Number of stored calls that were examined, newest first.
    pub calls: u64,
    /// Number of those calls in which something would be replaced.
    pub calls_changed: u64,
    /// Number of values that would be replaced in them.
    pub values: u64,
}
