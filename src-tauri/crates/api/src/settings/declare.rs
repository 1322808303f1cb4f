//! The macros that turn the list of settings into a table and a struct of typed values.

/// Declares an enum whose variants are the words that a setting accepts.
macro_rules! choices {
    (
        $(#[$doc:meta])*
        $name:ident { $($variant:ident = $word:literal, $label:literal, $effect:literal;)+ }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $(#[doc = $effect] #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// Every choice, in the order in which they are shown.
            pub const CHOICES: &'static [Choice] =
                &[$(Choice { word: $word, label: $label, effect: $effect },)+];

            /// The word in the file.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }
    };
}

/// Type, default and kind of a setting, by the form it is declared in.
macro_rules! form {
    (@type switch $default:literal) => { bool };
    (@type choice $type:ident $default:ident) => { $type };
    (@type number $default:literal, $min:literal..$max:expr, $unit:literal) => { u64 };
    (@type limit $min:literal..$max:expr, $unit:literal) => { Option<u64> };
    (@type groups $choices:expr) => { Groups };
    (@type program) => { Vec<String> };

    (@default switch $default:literal) => { $default };
    (@default choice $type:ident $default:ident) => { $type::$default };
    (@default number $default:literal, $min:literal..$max:expr, $unit:literal) => { $default };
    (@default limit $min:literal..$max:expr, $unit:literal) => { None };
    (@default groups $choices:expr) => { Groups::Off };
    (@default program) => { Vec::new() };

    (@text switch $default:literal) => { Some(stringify!($default)) };
    (@text choice $type:ident $default:ident) => { Some($type::$default.word()) };
    (@text number $default:literal, $min:literal..$max:expr, $unit:literal) => { Some(stringify!($default)) };
    (@text limit $min:literal..$max:expr, $unit:literal) => { None };
    (@text groups $choices:expr) => { Some("off") };
    (@text program) => { Some("[]") };

    (@kind switch $default:literal) => { SettingKind::Switch };
    (@kind choice $type:ident $default:ident) => { SettingKind::Choice($type::CHOICES) };
    (@kind number $default:literal, $min:literal..$max:expr, $unit:literal) => {
        SettingKind::Number(Bounds { min: $min, max: $max, unit: $unit })
    };
    (@kind limit $min:literal..$max:expr, $unit:literal) => {
        SettingKind::Limit(Bounds { min: $min, max: $max, unit: $unit })
    };
    (@kind groups $choices:expr) => { SettingKind::Groups($choices) };
    (@kind program) => { SettingKind::Program };
}

/// Declares the table of settings, and the struct of their values.
macro_rules! settings {
    ($(
        $name:ident, $option:literal: $form:ident($($spec:tt)*) in $group:ident {
            label: $label:literal,
            summary: $summary:literal,
            details: $details:literal,
        }
    )+) => {
        /// Every setting, in the order in which they are shown.
        pub const SETTINGS: &[Setting] = &[$(
            Setting {
                name: stringify!($name),
                option: $option,
                group: SettingGroup::$group,
                label: $label,
                kind: form!(@kind $form $($spec)*),
                default: form!(@text $form $($spec)*),
                summary: $summary,
                details: $details,
            },
        )+];

        /// The value of every setting.
        #[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct SettingValues {
            $(#[doc = $summary] pub $name: form!(@type $form $($spec)*),)+
        }

        impl Default for SettingValues {
            fn default() -> Self {
                Self { $($name: form!(@default $form $($spec)*),)+ }
            }
        }
    };
}

pub(super) use {choices, form, settings};
