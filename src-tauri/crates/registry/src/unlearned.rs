//! What results teach a tool, and which teach it nothing, although their calls succeeded.

use schemascope_model::{Carrier, Timestamp};
use serde_json::value::RawValue;

use crate::Tool;
use crate::failing_texts::begins;
use crate::items::in_list;
use crate::learning::LearningRules;
use crate::observation::{Observation, observe};
use crate::recurring::RecurringKeys;

/// Tells results that the tool's shape was not learned from.
#[derive(Debug, Clone, Default)]
pub struct Unlearned {
    /// What users decided about how the tool learns.
    rules: LearningRules,
    keys: RecurringKeys,
    sends_items: bool,
}

impl Unlearned {
    /// What a tool does not learn from.
    pub fn of(tool: &Tool) -> Self {
        let sends_items = tool.sends_items();
        Self { rules: tool.learning_rules(), keys: tool.recurring.clone(), sends_items }
    }

    /// What the result of a call at this time teaches the tool.
    pub fn observe<'a>(&self, at: Timestamp, result: &'a RawValue) -> Option<Observation<'a>> {
        let observation = observe(result);
        let listed = in_list(observation.as_ref(), Some(result), || self.sends_items);
        listed.map(Observation::into_owned).or(observation).filter(|one| !self.has(at, one))
    }

    /// Whether the result of a call at this time teaches nothing: it is from before the time since which the tool
    /// learns, the user counts it as a failure, or its lines `key: value` do not recur.
    pub fn has(&self, at: Timestamp, observation: &Observation<'_>) -> bool {
        self.rules.since.is_some_and(|since| at < since)
            || begins(observation, &self.rules.failing)
            || observation.carrier == Carrier::KeyValue && !self.keys.prove(&observation.json)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_and_texts_whose_keys_do_not_recur_teach_nothing() {
        let mut tool = Tool::default();
        tool.failing_texts.set_rules(&["Error".into()]);
        for _ in 0..10 {
            tool.recurring.add(r#"{"a":"1","b":"2"}"#);
        }
        let unlearned = Unlearned::of(&tool);
        for (carrier, json, expect) in [
            (Carrier::Text, r#""Error: no such page""#, true),
            (Carrier::Text, r#""a page""#, false),
            (Carrier::KeyValue, r#"{"b":"3","a":"4"}"#, false),
            (Carrier::KeyValue, r#"{"a":"1","c":"2"}"#, true),
            (Carrier::JsonInText, r#"{"a":"1","c":"2"}"#, false),
        ] {
            let at = Timestamp::from_millis(7);
            assert_eq!(unlearned.has(at, &Observation::new(carrier, json)), expect, "{json}");
        }
    }
}
