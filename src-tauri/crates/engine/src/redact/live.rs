//! Redaction that changes while calls come in.
//!
//! Owns: which redactor is in use now. Refuses to know: where rules and values come from.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::{Redactor, RuleError, Rules};

/// The redactor in use, and what it was made of.
#[derive(Debug)]
pub(crate) struct Redaction {
    now: RwLock<Arc<Redactor>>,
    made_of: Mutex<MadeOf>,
}

#[derive(Debug)]
struct MadeOf {
    rules: Rules,
    /// Names and values.
    values: Vec<(String, String)>,
}

impl MadeOf {
    fn redactor(&self) -> Result<Redactor, RuleError> {
        let values = self.values.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        Redactor::new(&self.rules, values)
    }
}

impl Redaction {
    /// From the user's rules, and the names and values of what upstreams are configured with.
    pub(crate) fn new<'v>(
        rules: Rules,
        values: impl IntoIterator<Item = (&'v str, &'v str)>,
    ) -> Result<Self, RuleError> {
        let values = values.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let made_of = MadeOf { rules, values };
        let now = RwLock::new(Arc::new(made_of.redactor()?));
        Ok(Self { now, made_of: Mutex::new(made_of) })
    }

    /// The redactor in use. To be asked for anew with every call.
    pub(crate) fn now(&self) -> Arc<Redactor> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The user's rules.
    pub(crate) fn rules(&self) -> Rules {
        self.made_of.lock().unwrap_or_else(PoisonError::into_inner).rules.clone()
    }

    /// What the redactor in use would be with other rules.
    pub(crate) fn with_rules(&self, rules: Rules) -> Result<Redactor, RuleError> {
        let values = self.made_of.lock().unwrap_or_else(PoisonError::into_inner).values.clone();
        MadeOf { rules, values }.redactor()
    }

    /// Takes other rules. Those that are wrong change nothing.
    pub(crate) fn set_rules(&self, rules: Rules) -> Result<(), RuleError> {
        self.change(|made_of| made_of.rules = rules)
    }

    /// Takes further values. Those of before stay: a secret is one still when no configuration holds it any more,
    /// and calls that were made with it are still coming in.
    pub(crate) fn add_values<'v>(
        &self,
        values: impl IntoIterator<Item = (&'v str, &'v str)>,
    ) -> Result<(), RuleError> {
        self.change(|made_of| {
            let mut all: Vec<(String, String)> =
                values.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            // The newest come first: of too many, the oldest are forgotten.
            all.append(&mut made_of.values);
            for pair in all {
                if !made_of.values.contains(&pair) {
                    made_of.values.push(pair);
                }
            }
        })
    }

    fn change(&self, change: impl FnOnce(&mut MadeOf)) -> Result<(), RuleError> {
        let mut made_of = self.made_of.lock().unwrap_or_else(PoisonError::into_inner);
        let mut next = MadeOf { rules: made_of.rules.clone(), values: made_of.values.clone() };
        change(&mut next);
        let redactor = Arc::new(next.redactor()?);
        *made_of = next;
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
    fn rules_and_values_change_for_the_next_call_and_values_stay() {
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
    fn wrong_rules_change_nothing() {
        let redaction = Redaction::new(rules("ab+c"), []).unwrap();
        assert!(redaction.set_rules(rules("(")).is_err());
        assert_eq!(redaction.rules(), rules("ab+c"));
        assert!(!redaction.now().text("abbc").contains("abbc"));
    }
}
