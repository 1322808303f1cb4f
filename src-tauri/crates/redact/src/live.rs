//! The redactor in use, which can be replaced while calls come in.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::{Redactor, RuleError, Rules};

/// The redactor in use, with the rules and values that it was built from.
#[derive(Debug)]
pub struct Redaction {
    now: RwLock<Arc<Redactor>>,
    sources: Mutex<Sources>,
}

#[derive(Debug)]
struct Sources {
    rules: Rules,
    /// Names and values.
    values: Vec<(String, String)>,
}

impl Sources {
    fn redactor(&self) -> Result<Redactor, RuleError> {
        let values = self.values.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        Redactor::new(&self.rules, values)
    }
}

impl Redaction {
    /// Builds a redactor from the user's rules, and from the names and values in the configuration of upstreams.
    pub fn new<'v>(
        rules: Rules,
        values: impl IntoIterator<Item = (&'v str, &'v str)>,
    ) -> Result<Self, RuleError> {
        let values = values.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let sources = Sources { rules, values };
        let now = RwLock::new(Arc::new(sources.redactor()?));
        Ok(Self { now, sources: Mutex::new(sources) })
    }

    /// Returns the redactor in use. Ask for it again with every call.
    pub fn now(&self) -> Arc<Redactor> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The user's rules.
    pub fn rules(&self) -> Rules {
        self.sources.lock().unwrap_or_else(PoisonError::into_inner).rules.clone()
    }

    /// Builds the redactor that other rules would give, without using it.
    pub fn with_rules(&self, rules: Rules) -> Result<Redactor, RuleError> {
        let values = self.sources.lock().unwrap_or_else(PoisonError::into_inner).values.clone();
        Sources { rules, values }.redactor()
    }

    /// Replaces the rules. Invalid rules change nothing.
    pub fn set_rules(&self, rules: Rules) -> Result<(), RuleError> {
        self.change(|sources| sources.rules = rules)
    }

    /// Adds values. Earlier values stay, because a value that left the configuration is still a secret, and calls that
    /// used it may still come in.
    pub fn add_values<'v>(
        &self,
        values: impl IntoIterator<Item = (&'v str, &'v str)>,
    ) -> Result<(), RuleError> {
        self.change(|sources| {
            let mut all: Vec<(String, String)> =
                values.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            // The newest come first, so that the oldest are dropped when there are too many.
            all.append(&mut sources.values);
            for pair in all {
                if !sources.values.contains(&pair) {
                    sources.values.push(pair);
                }
            }
        })
    }

    fn change(&self, change: impl FnOnce(&mut Sources)) -> Result<(), RuleError> {
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        let mut next = Sources { rules: sources.rules.clone(), values: sources.values.clone() };
        change(&mut next);
        let redactor = Arc::new(next.redactor()?);
        *sources = next;
        *self.now.write().unwrap_or_else(PoisonError::into_inner) = redactor;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(pattern: &str) -> Rules {
        Rules { patterns: vec![pattern.to_owned()], ..Rules::default() }
    }

    #[test]
    fn changed_rules_apply_to_next_call_and_earlier_values_stay() {
        let redaction = Redaction::new(rules("ab+c"), [("API_KEY", "first-secret-1")]).unwrap();
        let before = redaction.now();
        redaction.add_values([("API_KEY", "second-secret-2")]).unwrap();
        redaction.set_rules(rules("xy+z")).unwrap();
        let text = "abbc xyyz first-secret-1 second-secret-2";
        assert!(before.text(text).contains("second-secret-2"));
        let now = redaction.now().text(text).into_owned();
        assert!(now.starts_with("abbc "), "{now}");
        for gone in ["xyyz", "first-secret-1", "second-secret-2"] {
            assert!(!now.contains(gone), "{now}");
        }
    }

    #[test]
    fn set_rules_rejects_invalid_pattern_and_keeps_rules() {
        let redaction = Redaction::new(rules("ab+c"), []).unwrap();
        assert!(redaction.set_rules(rules("(")).is_err());
        assert_eq!(redaction.rules(), rules("ab+c"));
        assert!(!redaction.now().text("abbc").contains("abbc"));
    }
}
