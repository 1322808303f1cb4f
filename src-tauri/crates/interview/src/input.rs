//! Arguments of the tools: reading them by name and type, with messages that say what is wrong.

use serde_json::{Map, Value};

use crate::error::StepError;
use crate::limits::{MAX_TEXT_BYTES, kind, quoted};
use crate::names::suggestion;

/// Arguments not read yet. A tool takes those it knows, then calls [`Arguments::end`].
pub(crate) struct Arguments {
    left: Map<String, Value>,
    known: Vec<&'static str>,
}

impl Arguments {
    pub(crate) fn new(arguments: Map<String, Value>) -> Self {
        Self { left: arguments, known: Vec::new() }
    }

    /// Takes an argument of any type. Null counts as left out.
    pub(crate) fn value(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        self.left.shift_remove(name).filter(|value| !value.is_null())
    }

    /// Takes an argument that may be left out and has to be text otherwise.
    pub(crate) fn optional_text(&mut self, name: &'static str) -> Result<Option<String>, StepError> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::String(text)) if text.len() > MAX_TEXT_BYTES => Err(StepError::argument(format!(
                "the argument {name:?} has {} bytes; the largest size is {MAX_TEXT_BYTES}",
                text.len()
            ))),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong(name, "text", &other)),
        }
    }

    /// Takes an argument that has to be text.
    pub(crate) fn text(&mut self, name: &'static str) -> Result<String, StepError> {
        let text = self.optional_text(name)?.filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| {
            StepError::argument(format!("the argument {name:?} is missing; it has to be text"))
        })
    }

    /// Takes an argument that may be left out and has to be true or false otherwise.
    pub(crate) fn flag(&mut self, name: &'static str) -> Result<bool, StepError> {
        match self.value(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(other) => Err(wrong(name, "true or false", &other)),
        }
    }

    /// Takes an argument that may be left out and has to be a number otherwise.
    pub(crate) fn number(&mut self, name: &'static str) -> Result<Option<f64>, StepError> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::Number(number)) => Ok(number.as_f64()),
            Some(other) => Err(wrong(name, "a number", &other)),
        }
    }

    /// Takes an argument that may be left out and has to be a list of texts otherwise.
    pub(crate) fn texts(&mut self, name: &'static str) -> Result<Vec<String>, StepError> {
        let items = match self.value(name) {
            None => return Ok(Vec::new()),
            Some(Value::Array(items)) => items,
            Some(other) => return Err(wrong(name, "a list of texts", &other)),
        };
        let mut texts = Vec::new();
        for item in items {
            match item {
                Value::String(text) => texts.push(text),
                other => return Err(wrong(name, "a list of texts", &other)),
            }
        }
        Ok(texts)
    }

    /// Rejects arguments that were not taken.
    pub(crate) fn end(self) -> Result<(), StepError> {
        match self.left.keys().next() {
            None => Ok(()),
            Some(name) => Err(StepError::argument(format!(
                "there is no argument {}{}; there are: {}",
                quoted(name),
                suggestion(name, &self.known),
                self.known.join(", ")
            ))),
        }
    }
}

fn wrong(name: &str, expected: &str, found: &Value) -> StepError {
    StepError::argument(format!("the argument {name:?} has to be {expected}, not {}", kind(found)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn arguments(value: Value) -> Arguments {
        let Value::Object(members) = value else { panic!("not an object") };
        Arguments::new(members)
    }

    #[test]
    fn argument_of_wrong_type_or_name_is_rejected() {
        let mut given =
            arguments(json!({"project_id": 1, "budget": "x", "names": [1], "force": "yes", "proj": 1}));
        assert!(given.text("project_id").unwrap_err().message.contains("not a number"));
        assert!(given.number("budget").unwrap_err().message.contains("a number, not text"));
        assert!(given.texts("names").unwrap_err().message.contains("list of texts"));
        assert!(given.flag("force").unwrap_err().message.contains("true or false"));
        assert!(given.text("missing").unwrap_err().message.contains("is missing"));
        assert!(given.end().unwrap_err().message.contains("there is no argument \"proj\""));
    }
}
