//! Discovery Schemas: reading the text of a file, in both envelopes, with line and reason of what is wrong.

mod envelope;

use serde_json::{Map, Value};

use crate::budget::{DEFAULT_COST, thousandths};
use crate::condition::Condition;
use crate::example::{annotated, plain};
use crate::field::{Field, fields};
use crate::limits::{MAX_DEPTH, MAX_FILE_BYTES, MAX_KEY_BYTES, digest, is_deeper_than, kind, quoted};
use crate::pointer;
use crate::shape::Shape;

/// Types of interviewers that a file can name.
pub const INTERVIEWER_TYPES: [&str; 4] = ["process", "data", "resources", "optimality"];
/// Key that says that nothing more is to be found out.
pub(crate) const EXHAUSTED_KEY: &str = "exhausted?";
/// Longest id of a Discovery Schema, in bytes.
const MAX_ID_BYTES: usize = 128;
/// Prerequisites or required places of a file.
const MAX_ENTRIES: usize = 200;

/// A Discovery Schema: an annotated example of what to find out.
#[derive(Debug, Clone, PartialEq)]
pub struct DiscoverySchema {
    /// Its id, `DOMAIN/NAME`.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Version of the file, if it names one.
    pub version: Option<String>,
    /// Aim of the interview and rules for the interviewer.
    pub objective: String,
    /// Type of the interviewer.
    pub interviewer: String,
    /// Ids of Discovery Schemas that have to be done before.
    pub prerequisites: Vec<String>,
    /// When it is recommended; never without a condition.
    pub when: Option<Condition>,
    /// JSON pointers that have to be filled. `*` means every item of a list, `**` also the items of lists of
    /// the same name inside them.
    pub required: Vec<String>,
    /// JSON Schema of its aggregate.
    pub validate: Option<Value>,
    /// Whether it is about one tool.
    pub needs_tool: bool,
    /// Cost of a question, in thousandths.
    pub cost: u32,
    /// The example as written, with annotations, without the envelope.
    pub template: Value,
    /// The example without annotations.
    pub example: Value,
    /// The text of the file.
    pub text: String,
    /// Identifies the text.
    pub digest: String,
    pub(crate) shape: Shape,
    pub(crate) fields: Vec<Field>,
}

/// Why a file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct FileProblem {
    /// Line, from 1.
    pub line: usize,
    /// The problem, and what to do.
    pub reason: String,
}

impl DiscoverySchema {
    /// Lists the keys at the top, in the example's order.
    pub fn top_keys(&self) -> Vec<&str> {
        self.shape.members().iter().map(|member| member.key.as_str()).collect()
    }

    /// Returns whether the example has a key that says that nothing more is to be found out.
    pub fn has_exhausted_key(&self) -> bool {
        self.shape.member(EXHAUSTED_KEY).is_some()
    }
}

/// Reads the text of a file.
pub fn read_schema(text: &str) -> Result<DiscoverySchema, FileProblem> {
    if text.len() > MAX_FILE_BYTES {
        let reason = format!("the file has {} bytes; the largest size is {MAX_FILE_BYTES}", text.len());
        return Err(FileProblem { line: 1, reason });
    }
    let content = text.trim_start_matches('\u{feff}');
    let root: Value = serde_json::from_str(content).map_err(|error| FileProblem {
        line: error.line().max(1),
        reason: format!("the file is not valid JSON: {}", json_reason(&error)),
    })?;
    let source = Source { text: content };
    source.read(&root, text)
}

/// Returns the reason of an error without its place, which is reported beside it.
pub(crate) fn json_reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

/// The text of a file, for the lines of what is in it.
struct Source<'t> {
    text: &'t str,
}

impl Source<'_> {
    /// Line of a key within others, outermost first. The innermost that is found counts.
    fn line(&self, keys: &[&str]) -> usize {
        let mut at = 0;
        for key in keys {
            let written = Value::from(*key).to_string();
            let rest = self.text.get(at..).unwrap_or_default();
            let Some(found) = rest.find(&written) else { break };
            at += found;
        }
        1 + self.text.get(..at).unwrap_or_default().matches('\n').count()
    }

    fn problem(&self, keys: &[&str], reason: impl Into<String>) -> FileProblem {
        FileProblem { line: self.line(keys), reason: reason.into() }
    }

    fn read(&self, root: &Value, text: &str) -> Result<DiscoverySchema, FileProblem> {
        let Value::Object(envelope) = root else {
            return Err(self.problem(&[], format!("the file has to be an object, not {}", kind(root))));
        };
        let (schema_key, id_key) = self.form(envelope)?;
        let Some(Value::Object(schema)) = envelope.get(schema_key) else {
            return Err(self.problem(&[schema_key], format!("\"{schema_key}\" has to be an object")));
        };
        let id = self.id(envelope, schema, schema_key, id_key)?;
        let template = self.template(schema, schema_key)?;
        let shape = Shape::of("", &template, 0);
        if shape.members().is_empty() {
            let reason = "the schema has no fields: it needs at least one key beside its id and comment";
            return Err(self.problem(&[schema_key], reason));
        }
        let example = plain(&template, 0);
        let required = self.texts(envelope, "required")?;
        for place in &required {
            self.check_required(place, &example)?;
        }
        let when = match envelope.get("when") {
            None | Some(Value::Null) => None,
            Some(value) => Some(Condition::read(value).map_err(|reason| self.problem(&["when"], reason))?),
        };
        let domain = id.split('/').next().unwrap_or_default().to_owned();
        let name = self.text(envelope, "name")?;
        let last = id.rsplit('/').next().unwrap_or_default().to_owned();
        Ok(DiscoverySchema {
            name: name.unwrap_or(last),
            version: self.version(envelope)?,
            objective: self.text(envelope, "interview-objective")?.unwrap_or_default(),
            interviewer: self.interviewer(envelope, &domain)?,
            prerequisites: self.texts(envelope, "prerequisites")?,
            when,
            required,
            validate: self.validate(envelope)?,
            needs_tool: self.flag(envelope, "needs-tool")?.unwrap_or(domain == "tool"),
            cost: self.cost(envelope)?,
            fields: fields(&template),
            template,
            example,
            digest: digest(text),
            text: text.to_owned(),
            shape,
            id,
        })
    }

    /// Names the keys of the schema and of its id in either envelope.
    fn form(&self, envelope: &Map<String, Value>) -> Result<(&'static str, &'static str), FileProblem> {
        let form = match (envelope.contains_key("DS"), envelope.contains_key("EADS")) {
            (true, false) => ("DS", "DS-id"),
            (false, true) => ("EADS", "EADS-id"),
            (true, true) => {
                return Err(self.problem(&["EADS"], "the file has both \"DS\" and \"EADS\"; keep one"));
            }
            (false, false) => {
                return Err(self.problem(&[], "the file has no \"DS\" object (older files: \"EADS\")"));
            }
        };
        let expected = if form.0 == "DS" { "DS-INSTRUCTIONS" } else { "EADS-INSTRUCTIONS" };
        match envelope.get("message-type") {
            None => Ok(form),
            Some(Value::String(found)) if found == expected => Ok(form),
            Some(other) => {
                let reason = format!(
                    "\"message-type\" is {}; a file with \"{}\" has \"{expected}\"",
                    quoted(&other.to_string()),
                    form.0
                );
                Err(self.problem(&["message-type"], reason))
            }
        }
    }

    fn id(
        &self,
        envelope: &Map<String, Value>,
        schema: &Map<String, Value>,
        schema_key: &str,
        id_key: &str,
    ) -> Result<String, FileProblem> {
        let Some(id) = schema.get(id_key).or_else(|| envelope.get(id_key)) else {
            let reason = format!("the schema has no id: add \"{id_key}\": \"DOMAIN/NAME\"");
            return Err(self.problem(&[schema_key], reason));
        };
        let id = annotated(id).0.and_then(Value::as_str).unwrap_or_default();
        let is_name = |part: &str| {
            !part.is_empty()
                && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        };
        if id.len() > MAX_ID_BYTES || !id.contains('/') || !id.split('/').all(is_name) {
            let reason = format!(
                "the id {} has to have the form DOMAIN/NAME, with letters, digits, \"-\", \"_\" and \".\"",
                quoted(id)
            );
            return Err(self.problem(&[schema_key, id_key], reason));
        }
        Ok(id.to_owned())
    }

    /// Checks the example, and returns it without the id.
    fn template(&self, schema: &Map<String, Value>, schema_key: &str) -> Result<Value, FileProblem> {
        let mut own = schema.clone();
        own.shift_remove("DS-id");
        own.shift_remove("EADS-id");
        let template = Value::Object(own);
        if is_deeper_than(&template, MAX_DEPTH) {
            let reason = format!("the example has more than {MAX_DEPTH} levels");
            return Err(self.problem(&[schema_key], reason));
        }
        let mut path = vec![schema_key.to_owned()];
        self.check_example(&template, &mut path)?;
        Ok(template)
    }

    fn check_example(&self, value: &Value, path: &mut Vec<String>) -> Result<(), FileProblem> {
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    path.push(key.clone());
                    let place: Vec<&str> = path.iter().map(String::as_str).collect();
                    if key.is_empty() {
                        return Err(self.problem(&place, "a key is empty"));
                    }
                    if key.len() > MAX_KEY_BYTES {
                        let reason = format!("the key {} has more than {MAX_KEY_BYTES} bytes", quoted(key));
                        return Err(self.problem(&place, reason));
                    }
                    if key == "comment" && !member.is_string() {
                        let reason = format!("a \"comment\" has to be text, not {}", kind(member));
                        return Err(self.problem(&place, reason));
                    }
                    self.check_example(member, path)?;
                    path.pop();
                }
                Ok(())
            }
            Value::Array(items) => items.iter().try_for_each(|item| self.check_example(item, path)),
            _ => Ok(()),
        }
    }

    fn check_required(&self, place: &str, example: &Value) -> Result<(), FileProblem> {
        let wrong = |reason: &str| {
            self.problem(&["required", place], format!("required place {}: {reason}", quoted(place)))
        };
        let segments = pointer::segments(place).filter(|segments| !segments.is_empty());
        let Some(segments) = segments else {
            return Err(wrong("it has to be a JSON pointer that starts with \"/\""));
        };
        let mut value = example;
        for segment in &segments {
            value = match value {
                Value::Object(members) => {
                    members.get(segment).ok_or_else(|| wrong("the example has no such key"))?
                }
                Value::Array(items) if segment == "*" || segment == "**" => {
                    items.first().unwrap_or(&Value::Null)
                }
                Value::Null => return Ok(()),
                _ => return Err(wrong("the example has no value there; use \"*\" for every item of a list")),
            };
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
