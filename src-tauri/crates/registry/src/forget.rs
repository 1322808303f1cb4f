//! Removes secrets that were stored before they were known to be secrets, from a tool's state and from the entries of
//! the audit log.
//!
//! A schema that lists values, one of which is a secret, allows any value there afterwards: it becomes wider, never
//! wrong.

use schemascope_model::Change;
use schemascope_shape::Secrets;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::drift::Drift;
use crate::state::InvalidState;
use crate::tool::{Declaration, Tool};
use crate::versions::{AuditEntry, AuditEvent, Cut};

/// Keywords of JSON Schema that hold values, or parts of them.
const INSTANCES: &[&str] = &["const", "enum", "default", "examples", "pattern"];
/// Keywords whose members are named schemas.
const NAMED: &[&str] = &["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// Keywords whose value is text.
const TEXTS: &[&str] = &["title", "description", "$comment"];

/// A tool's state without secrets; none if it has none.
pub fn state_without_secrets(state: &[u8], secrets: &dyn Secrets) -> Result<Option<Vec<u8>>, InvalidState> {
    let mut tool = Tool::from_state(state)?;
    let mut forgot = tool.arguments.forget(secrets);
    if let Some(shape) = tool.shape.without_secrets(secrets).map_err(InvalidState::of)? {
        (tool.shape, forgot) = (shape, true);
    }
    for declared in tool.declaration.iter_mut().chain(&mut tool.former) {
        if let Some(definition) = secrets.definition(declared.definition.get())
            && let Ok(definition) = RawValue::from_string(definition)
        {
            (*declared, forgot) = (Declaration::new(definition, declared.at), true);
        }
    }
    forgot |= tool.failing_texts.forget(secrets);
    for counts in tool.machines.apart.values_mut() {
        forgot |= counts.arguments.forget(secrets);
        forgot |= counts.failing_texts.forget(secrets);
        if let Some(shape) = counts.shape.without_secrets(secrets).map_err(InvalidState::of)? {
            (counts.shape, forgot) = (shape, true);
        }
    }
    if forgot || tool.drift.texts().any(|text| secrets.text(text).is_some()) {
        // Drift keeps values as hashes without their keys, so it starts again from nothing.
        (tool.drift, forgot) = (Drift::default(), true);
    }
    Ok(forgot.then(|| tool.to_state()))
}

impl AuditEntry {
    /// Forgets secrets. Whether it held any.
    pub fn forget(&mut self, secrets: &dyn Secrets) -> bool {
        let texts = [self.reason.as_mut(), self.actor.name.as_mut()];
        let mut forgot = texts.into_iter().flatten().map(|text| forget_text(text, secrets)).fold(false, or);
        if let AuditEvent::Cut(cut) = &mut self.event {
            forgot |= cut.forget(secrets);
        }
        if let AuditEvent::FailingText { starts, .. } = &mut self.event {
            forgot |= forget_text(starts, secrets);
        }
        if let AuditEvent::Drift(drift) = &mut self.event {
            let to = match &mut drift.change {
                Change::Renamed { to } => Some(to),
                _ => None,
            };
            for path in to.into_iter().chain([&mut drift.path]) {
                if let Some(text) = secrets.text(path) {
                    (*path, forgot) = (text, true);
                }
            }
        }
        forgot
    }
}

impl Cut {
    fn forget(&mut self, secrets: &dyn Secrets) -> bool {
        let mut forgot = false;
        if let Some(schema) = schema_without_secrets(&self.schema, secrets) {
            (self.schema, forgot) = (schema, true);
        }
        let evidence = &mut self.evidence;
        for example in &mut evidence.examples {
            if let Some(json) = secrets.json(&example.json) {
                (example.json, forgot) = (json, true);
            }
        }
        let paths = evidence.fields.iter_mut().map(|field| &mut field.path);
        let broken = evidence.counter_examples.iter_mut().map(|one| &mut one.violation.path);
        for path in paths.chain(broken) {
            if let Some(text) = secrets.text(path) {
                (*path, forgot) = (text, true);
            }
        }
        forgot
    }
}

fn or(a: bool, b: bool) -> bool {
    a | b
}

fn forget_text(text: &mut Box<str>, secrets: &dyn Secrets) -> bool {
    let other = secrets.text(text);
    let forgot = other.is_some();
    if let Some(other) = other {
        *text = other.into();
    }
    forgot
}

/// A schema that neither holds nor implies secrets; none if it is one already. It allows all that it allowed.
fn schema_without_secrets(schema: &RawValue, secrets: &dyn Secrets) -> Option<Box<RawValue>> {
    let mut parsed: Value = match serde_json::from_str(schema.get()) {
        Ok(parsed) => parsed,
        // Nests deeper than readers take; then at least what has the form of a secret goes.
        Err(_) => return RawValue::from_string(secrets.definition(schema.get())?).ok(),
    };
    let forgot = forget(&mut parsed, false, secrets);
    if forgot { RawValue::from_string(parsed.to_string()).ok() } else { None }
}

/// No deeper than JSON readers go. `tells`: the name of what the schema describes says that it is a secret.
fn forget(schema: &mut Value, tells: bool, secrets: &dyn Secrets) -> bool {
    match schema {
        Value::Object(keywords) => forget_in(keywords, tells, secrets),
        Value::Array(several) => several.iter_mut().map(|one| forget(one, tells, secrets)).fold(false, or),
        _ => false,
    }
}

fn forget_in(keywords: &mut Map<String, Value>, tells: bool, secrets: &dyn Secrets) -> bool {
    let before = keywords.len();
    keywords.retain(|name, value| !INSTANCES.contains(&name.as_str()) || !is_secret(value, tells, secrets));
    let mut forgot = keywords.len() < before;
    let mut alternatives = false;
    for (name, value) in keywords.iter_mut() {
        let name = name.as_str();
        forgot |= match value {
            Value::String(text) if TEXTS.contains(&name) => {
                let other = secrets.text(text);
                other.map(|other| *text = other).is_some()
            }
            Value::Object(members) if NAMED.contains(&name) => {
                let below = |(name, schema): (&String, &mut Value)| {
                    forget(schema, tells || secrets.key(name), secrets)
                };
                let below = members.iter_mut().map(below).fold(false, or);
                rename(members, secrets) | below
            }
            Value::Array(names) if name == "required" => {
                names.iter_mut().map(|name| renamed(name, secrets)).fold(false, or)
            }
            value if INSTANCES.contains(&name) || value.is_string() => false,
            value => {
                let below = forget(value, tells, secrets);
                alternatives |= below && name == "oneOf";
                below
            }
        };
    }
    // What told alternatives apart may be gone.
    if alternatives
        && !keywords.contains_key("anyOf")
        && let Some(one_of) = keywords.remove("oneOf")
    {
        keywords.insert("anyOf".into(), one_of);
    }
    forgot
}

fn is_secret(instance: &Value, tells: bool, secrets: &dyn Secrets) -> bool {
    match instance {
        Value::Null | Value::Bool(_) => false,
        Value::Array(several) => several.iter().any(|one| is_secret(one, tells, secrets)),
        other => tells || secrets.json(&other.to_string()).is_some(),
    }
}

/// Gives members other names whose own are secrets.
fn rename(members: &mut Map<String, Value>, secrets: &dyn Secrets) -> bool {
    if members.keys().all(|name| secrets.text(name).is_none()) {
        return false;
    }
    let named = std::mem::take(members).into_iter();
    members.extend(named.map(|(name, schema)| (secrets.text(&name).unwrap_or(name), schema)));
    true
}

fn renamed(name: &mut Value, secrets: &dyn Secrets) -> bool {
    let other = name.as_str().and_then(|name| secrets.text(name));
    other.map(|other| *name = other.into()).is_some()
}
