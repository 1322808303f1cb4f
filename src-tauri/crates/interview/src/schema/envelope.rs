//! Optional members of a file's envelope.

use serde_json::{Map, Value};

use super::{DEFAULT_COST, FileProblem, INTERVIEWER_TYPES, MAX_ENTRIES, Source, kind, quoted, thousandths};

impl Source<'_> {
    pub(super) fn text(
        &self,
        envelope: &Map<String, Value>,
        key: &str,
    ) -> Result<Option<String>, FileProblem> {
        match envelope.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => {
                Err(self.problem(&[key], format!("\"{key}\" has to be text, not {}", kind(other))))
            }
        }
    }

    pub(super) fn flag(&self, envelope: &Map<String, Value>, key: &str) -> Result<Option<bool>, FileProblem> {
        match envelope.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(other) => {
                Err(self.problem(&[key], format!("\"{key}\" has to be true or false, not {}", kind(other))))
            }
        }
    }

    pub(super) fn texts(&self, envelope: &Map<String, Value>, key: &str) -> Result<Vec<String>, FileProblem> {
        let wrong = || self.problem(&[key], format!("\"{key}\" has to be a list of texts"));
        let items = match envelope.get(key) {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::Array(items)) => items,
            Some(_) => return Err(wrong()),
        };
        if items.len() > MAX_ENTRIES {
            return Err(self.problem(&[key], format!("\"{key}\" has more than {MAX_ENTRIES} entries")));
        }
        items.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
    }

    pub(super) fn version(&self, envelope: &Map<String, Value>) -> Result<Option<String>, FileProblem> {
        match envelope.get("version") {
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            _ => self.text(envelope, "version"),
        }
    }

    pub(super) fn interviewer(
        &self,
        envelope: &Map<String, Value>,
        domain: &str,
    ) -> Result<String, FileProblem> {
        let Some(named) = self.text(envelope, "interviewer-agent")? else { return Ok(domain.to_owned()) };
        if INTERVIEWER_TYPES.contains(&named.as_str()) {
            return Ok(named);
        }
        let known = INTERVIEWER_TYPES.join(", ");
        let reason = format!("\"interviewer-agent\" is {}; there are: {known}", quoted(&named));
        Err(self.problem(&["interviewer-agent"], reason))
    }

    pub(super) fn cost(&self, envelope: &Map<String, Value>) -> Result<u32, FileProblem> {
        let value = match envelope.get("budget-decrement") {
            None | Some(Value::Null) => return Ok(DEFAULT_COST),
            Some(value) => value,
        };
        value.as_f64().and_then(thousandths).filter(|cost| *cost <= 1_000).ok_or_else(|| {
            let reason = format!(
                "\"budget-decrement\" has to be a number from 0.001 to 1, not {}",
                quoted(&value.to_string())
            );
            self.problem(&["budget-decrement"], reason)
        })
    }

    pub(super) fn validate(&self, envelope: &Map<String, Value>) -> Result<Option<Value>, FileProblem> {
        match envelope.get("validate") {
            None | Some(Value::Null) => Ok(None),
            Some(schema @ (Value::Object(_) | Value::Bool(_))) => Ok(Some(schema.clone())),
            Some(other) => {
                let reason = format!("\"validate\" has to be a JSON Schema, not {}", kind(other));
                Err(self.problem(&["validate"], reason))
            }
        }
    }
}
