//! Arguments of a call to one of our own tools.

use serde_json::{Map, Value};

/// Arguments not read yet. A tool takes those it knows, then calls [`Arguments::end`].
pub(crate) struct Arguments {
    left: Map<String, Value>,
    /// Names read so far, each with what it has to be.
    known: Vec<String>,
}

impl Arguments {
    pub(crate) fn new(arguments: Map<String, Value>) -> Self {
        Self { left: arguments, known: Vec::new() }
    }

    /// All arguments, for a tool that reads them itself.
    pub(crate) fn all(self) -> Map<String, Value> {
        self.left
    }

    /// Takes an argument that has to be text.
    pub(crate) fn text(&mut self, name: &'static str) -> Result<String, String> {
        self.known.push(format!("{name} (text, required)"));
        let missing = || format!("the argument {name:?} is missing; it has to be text");
        self.take(name)?.ok_or_else(missing)
    }

    /// Takes an argument that may be left out and has to be text otherwise.
    pub(crate) fn optional_text(&mut self, name: &'static str) -> Result<Option<String>, String> {
        self.known.push(format!("{name} (text, optional)"));
        self.take(name)
    }

    /// Takes an argument that may be left out, which means false, and has to be true or false otherwise.
    pub(crate) fn flag(&mut self, name: &'static str) -> Result<bool, String> {
        self.known.push(format!("{name} (true or false, optional)"));
        match self.left.remove(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(other) => {
                Err(format!("the argument {name:?} has to be true or false, not {}", kind(&other)))
            }
        }
    }

    /// Takes an argument that may be left out and has to be an array of texts otherwise.
    pub(crate) fn texts(&mut self, name: &'static str) -> Result<Vec<String>, String> {
        self.known.push(format!("{name} (array of texts, optional)"));
        let wrong =
            |found: &Value| format!("the argument {name:?} has to be an array of texts, not {}", kind(found));
        match self.left.remove(name) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(items)) => {
                let text = |item: Value| match item {
                    Value::String(text) => Ok(text),
                    other => Err(format!("the items of {name:?} have to be texts, not {}", kind(&other))),
                };
                items.into_iter().map(text).collect()
            }
            Some(other) => Err(wrong(&other)),
        }
    }

    /// Takes an argument that may be left out and has to be a whole number from 1 to `most` otherwise.
    pub(crate) fn count(&mut self, name: &'static str, most: u64) -> Result<Option<usize>, String> {
        self.known.push(format!("{name} (1 to {most}, optional)"));
        let given = self.left.remove(name).filter(|value| !value.is_null());
        let Some(given) = given else { return Ok(None) };
        let number = given.as_u64().filter(|number| (1..=most).contains(number));
        let number = number.and_then(|number| usize::try_from(number).ok());
        number
            .map(Some)
            .ok_or_else(|| format!("the argument {name:?} has to be a whole number from 1 to {most}"))
    }

    /// Rejects arguments that were not taken.
    pub(crate) fn end(self) -> Result<(), String> {
        match self.left.keys().next() {
            None => Ok(()),
            Some(name) => Err(format!("there is no argument {name:?}; there are: {}", self.known.join(", "))),
        }
    }

    fn take(&mut self, name: &str) -> Result<Option<String>, String> {
        match self.left.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(format!("the argument {name:?} has to be text, not {}", kind(&other))),
        }
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn arguments(value: Value) -> Arguments {
        let Value::Object(map) = value else { panic!("not an object") };
        Arguments::new(map)
    }

    #[test]
    fn arguments_are_checked_by_name_and_type() {
        let mut given = arguments(json!({"tool": "a__b", "other": null}));
        assert_eq!(given.text("tool").unwrap(), "a__b");
        assert_eq!(given.optional_text("other").unwrap(), None);
        assert_eq!(given.end(), Ok(()));
        assert!(arguments(json!({})).text("tool").unwrap_err().contains("\"tool\" is missing"));
        assert!(arguments(json!({"tool": 3})).optional_text("tool").unwrap_err().contains("not a number"));
        let mut given = arguments(json!({"have": ["a", "b"], "limit": 3}));
        assert_eq!(given.texts("have").unwrap(), ["a", "b"]);
        assert_eq!(given.count("limit", 5), Ok(Some(3)));
        assert!(arguments(json!({"have": "a"})).texts("have").unwrap_err().contains("an array of texts"));
        assert!(arguments(json!({"have": [1]})).texts("have").unwrap_err().contains("not a number"));
        assert!(arguments(json!({"limit": 6})).count("limit", 5).unwrap_err().contains("from 1 to 5"));
        let mut given = arguments(json!({"tol": "a__b"}));
        given.optional_text("tool").unwrap();
        assert_eq!(
            given.end().unwrap_err(),
            "there is no argument \"tol\"; there are: tool (text, optional)"
        );
    }
}
