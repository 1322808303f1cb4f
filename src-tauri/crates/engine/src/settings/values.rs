//! What can be set, and what is right.
//!
//! Owns: names, defaults, bounds, and the words for what is wrong. Refuses to know: files, and what settings do.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a user may set. Written to `settings.json` in the data directory, where what is not named is as by
/// default; a start with command-line options goes by these instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Settings {
    /// Whether versions are promoted without a person.
    pub(crate) auto_promote: AutoPromote,
    /// Observations an inferred schema must have been the same for before it becomes a version.
    pub(crate) cut_after: u64,
    /// Whether clients stop being told of a schema that results keep missing.
    pub(crate) suspend: bool,
    /// Where results are adapted.
    pub(crate) adapt: Adapt,
    /// Calls that are older, in days, are removed; what was learned from them stays.
    pub(crate) keep_days: Option<u64>,
    /// Only the newest so many calls are kept.
    pub(crate) keep_calls: Option<u64>,
    /// The oldest calls are removed while journal and index use more, in megabytes.
    pub(crate) keep_mb: Option<u64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            auto_promote: AutoPromote::default(),
            cut_after: 10,
            suspend: true,
            adapt: Adapt::default(),
            keep_days: None,
            keep_calls: None,
            keep_mb: None,
        }
    }
}

/// Whether versions are promoted without a person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AutoPromote {
    /// Never.
    #[default]
    Never,
    /// A candidate whose quality is high, unless something is pinned or a person took it back.
    AtHigh,
}

/// Where results are adapted, on `/mcp`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Adapt {
    /// Wherever it gives clients structure they would not have.
    #[default]
    On,
    /// Plain text of tools without a schema as well.
    All,
    /// Only where a schema is advertised.
    Advertised,
    /// Nowhere.
    Off,
}

/// Least and most of each setting that is a number.
const BOUNDS: [(&str, u64, u64); 4] = [
    ("cut_after", 1, 1_000_000),
    ("keep_days", 1, 36_500),
    ("keep_calls", 1, u64::MAX),
    ("keep_mb", 16, 1_000_000_000),
];

impl Settings {
    /// These with others set; `null` sets what is so by default. What is wrong is said with what would be right.
    pub(crate) fn with(&self, changes: &Map<String, Value>) -> Result<Self, String> {
        let mut all = self.to_map();
        for (name, value) in changes {
            if !all.contains_key(name) {
                let names: Vec<&str> = all.keys().map(String::as_str).collect();
                return Err(format!("there is no setting {name:?}; there are: {}", names.join(", ")));
            }
            let is_default = value.is_null();
            all.insert(name.clone(), if is_default { Self::of_default(name) } else { value.clone() });
            // Alone, so that the error is about this one.
            let one = Map::from_iter([(name.clone(), all[name].clone())]);
            serde_json::from_value::<Self>(one.into()).map_err(|error| format!("{name}: {error}"))?;
        }
        let settings: Self = serde_json::from_value(all.into()).map_err(|error| error.to_string())?;
        settings.check()
    }

    /// What is not as by default.
    pub(crate) fn changes(&self) -> Map<String, Value> {
        let default = Self::default().to_map();
        self.to_map().into_iter().filter(|(name, value)| default.get(name) != Some(value)).collect()
    }

    fn check(self) -> Result<Self, String> {
        let all = self.to_map();
        for (name, least, most) in BOUNDS {
            let value = all.get(name).and_then(Value::as_u64);
            if value.is_some_and(|value| value < least || value > most) {
                let range =
                    if most == u64::MAX { format!("at least {least}") } else { format!("{least} to {most}") };
                return Err(format!("{name} has to be {range}"));
            }
        }
        Ok(self)
    }

    /// A setting's value by default; null where nothing is set, or there is none of that name.
    pub(crate) fn of_default(name: &str) -> Value {
        Self::default().to_map().remove(name).unwrap_or_default()
    }

    /// All of them, by name.
    pub(crate) fn to_map(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(map)) => map,
            _ => Map::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn set(changes: Value) -> Result<Settings, String> {
        let Value::Object(changes) = changes else { panic!("not an object") };
        Settings { keep_calls: Some(5), ..Settings::default() }.with(&changes)
    }

    #[test]
    fn what_is_named_changes_and_null_is_the_default() {
        let changed = set(json!({"keep_days": 30, "auto_promote": "at_high", "keep_calls": null})).unwrap();
        let expected =
            Settings { keep_days: Some(30), auto_promote: AutoPromote::AtHigh, ..Settings::default() };
        assert_eq!(changed, expected);
        let expected = json!({"auto_promote": "at_high", "keep_days": 30});
        assert_eq!(Value::Object(changed.changes()), expected);
    }

    #[test]
    fn what_is_wrong_is_said_with_what_would_be_right() {
        for (changes, said) in [
            (json!({"auto_promot": "never"}), "there is no setting \"auto_promot\"; there are: "),
            (json!({"auto_promote": "always"}), "expected `never` or `at_high`"),
            (json!({"cut_after": 0}), "cut_after has to be 1 to 1000000"),
            (json!({"keep_mb": 15}), "keep_mb has to be 16 to 1000000000"),
            (json!({"keep_calls": -1}), "keep_calls: invalid value"),
            (json!({"suspend": "no"}), "suspend: invalid type"),
        ] {
            let error = set(changes).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
    }
}
