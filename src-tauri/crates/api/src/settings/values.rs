//! Changing setting values: each change is checked against the list of settings.

use serde_json::{Map, Value};

use super::{SETTINGS, Setting, SettingValues};

impl SettingValues {
    /// These values with changes applied; `null` restores a default. The error says which value is wrong and
    /// what is expected.
    pub fn with(&self, changes: &Map<String, Value>) -> Result<Self, String> {
        let mut all = self.to_map();
        let mut defaults = Self::default().to_map();
        for (name, value) in changes {
            let setting = Setting::find(name).ok_or_else(|| {
                let names: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
                format!("there is no setting {name:?}; expected one of {}", names.join(", "))
            })?;
            setting.check(value)?;
            let value =
                if value.is_null() { defaults.remove(name).unwrap_or_default() } else { value.clone() };
            all.insert(name.clone(), value);
        }
        serde_json::from_value(all.into()).map_err(|error| error.to_string())
    }

    /// Values that differ from the defaults.
    pub fn changes(&self) -> Map<String, Value> {
        let defaults = Self::default().to_map();
        self.to_map().into_iter().filter(|(name, value)| defaults.get(name) != Some(value)).collect()
    }

    /// All values by name.
    pub fn to_map(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(map)) => map,
            _ => Map::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{AutoPromote, SettingKind};
    use super::*;

    fn set(changes: Value) -> Result<SettingValues, String> {
        let Value::Object(changes) = changes else { panic!("not an object") };
        SettingValues { keep_calls: Some(5), ..SettingValues::default() }.with(&changes)
    }

    #[test]
    fn changes_are_applied_and_null_restores_the_default() {
        let changed = set(json!({"keep_days": 30, "auto_promote": "at_high", "keep_calls": null})).unwrap();
        let expected = SettingValues {
            keep_days: Some(30),
            auto_promote: AutoPromote::AtHigh,
            ..SettingValues::default()
        };
        assert_eq!(changed, expected);
        let expected = json!({"auto_promote": "at_high", "keep_days": 30});
        assert_eq!(Value::Object(changed.changes()), expected);
    }

    #[test]
    fn invalid_values_are_rejected_with_the_expected_ones() {
        for (changes, message) in [
            (
                json!({"auto_promot": "never"}),
                "there is no setting \"auto_promot\"; expected one of auto_promote, ",
            ),
            (json!({"auto_promote": "always"}), "auto_promote must be never or at_high, not \"always\""),
            (json!({"cut_after": 0}), "cut_after must be a whole number from 1 to 1000000, not 0"),
            (json!({"keep_mb": 15}), "keep_mb must be a whole number from 16 to 1000000000, not 15"),
            (json!({"keep_calls": -1}), "keep_calls must be a whole number of at least 1, not -1"),
            (json!({"suspend": "no"}), "suspend must be true or false, not \"no\""),
        ] {
            let error = set(changes).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
    }

    /// The table and the struct come from the same list; a form of setting that breaks this shows here.
    #[test]
    fn every_default_and_every_choice_is_accepted() {
        let defaults = SettingValues::default().to_map();
        assert_eq!(defaults.len(), SETTINGS.len());
        for setting in SETTINGS {
            let default = &defaults[setting.name];
            assert_eq!(setting.check(default), Ok(()));
            let text = default.as_str().map_or_else(|| default.to_string(), str::to_owned);
            assert_eq!(setting.default.unwrap_or("null").replace('_', ""), text.replace('_', ""));
            assert_eq!(setting.option, setting.name.replace('_', "-"));
            let values: Vec<Value> = match setting.kind {
                SettingKind::Switch => vec![true.into(), false.into()],
                SettingKind::Choice(choices) => choices.iter().map(|choice| choice.word.into()).collect(),
                SettingKind::Number(bounds) | SettingKind::Limit(bounds) => {
                    vec![bounds.min.into(), bounds.max.into()]
                }
                SettingKind::Groups(choices) => choices.iter().map(|choice| choice.word.into()).collect(),
                SettingKind::Program => vec![json!([]), json!(["program", "--option"])],
            };
            for value in values {
                let changed = set(Value::Object(Map::from_iter([(setting.name.to_owned(), value.clone())])));
                assert_eq!(changed.unwrap().to_map()[setting.name], value);
            }
        }
    }
}
