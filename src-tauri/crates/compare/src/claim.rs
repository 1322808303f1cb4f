//! Claims: what a sentence says about the values of each schema, as schemas that decide it.
//!
//! A test checks sentences with them against values.

use serde_json::{Map, Value, json};

use crate::keyword::Kind;

/// One of the two compared schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The old schema.
    Old,
    /// The new schema.
    New,
}

/// Statement about all values that one schema allows.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// Schema whose values the claim is about.
    pub side: Side,
    /// Whether every value satisfies `test`. Otherwise at least one value does not.
    pub every: bool,
    /// Schema of whole values that decides the claim.
    pub test: Value,
}

impl Claim {
    /// Creates the claim that every value of a side satisfies a schema.
    pub(crate) fn every(side: Side, test: Value) -> Self {
        Self { side, every: true, test }
    }

    /// Creates the claim that some value of a side satisfies a schema.
    pub(crate) fn some(side: Side, test: &Value) -> Self {
        Self { side, every: false, test: json!({"not": test}) }
    }

    /// Turns a claim about the values at a place into one about whole values.
    pub(crate) fn lifted(self, trail: Option<&Trail<'_>>) -> Self {
        let mut test = self.test;
        let mut next = trail;
        while let Some(trail) = next {
            test = trail.step.lift(test);
            next = trail.outer;
        }
        Self { test, ..self }
    }
}

/// Steps from the whole value to a place, innermost first.
#[derive(Clone, Copy)]
pub(crate) struct Trail<'p> {
    /// Steps before this one.
    pub(crate) outer: Option<&'p Trail<'p>>,
    /// Last step.
    pub(crate) step: Step<'p>,
}

/// Step from a value to values inside it, or to some of several values.
#[derive(Clone, Copy)]
pub(crate) enum Step<'p> {
    /// A field.
    Field(&'p str),
    /// A position of a tuple.
    Position(usize),
    /// All items from this position on.
    Items(usize),
    /// All fields except these.
    Others(&'p [&'p str]),
    /// All fields whose name matches a pattern.
    Matching(&'p str),
    /// Only objects in which a field has one of these values.
    Where {
        /// Name of the field.
        field: &'p str,
        /// Path of the field.
        path: &'p str,
        /// Values of the field.
        values: &'p [&'p Value],
    },
}

impl Step<'_> {
    fn lift(self, test: Value) -> Value {
        match self {
            Self::Field(name) => json!({"properties": {name: test}}),
            Self::Position(position) => {
                let mut tuple = vec![Value::Bool(true); position];
                tuple.push(test);
                json!({"prefixItems": tuple})
            }
            Self::Items(0) => json!({"items": test}),
            Self::Items(start) => json!({"prefixItems": vec![true; start], "items": test}),
            Self::Others(names) => {
                json!({"properties": described(names), "additionalProperties": test})
            }
            Self::Matching(pattern) => json!({"patternProperties": {pattern: test}}),
            Self::Where { field, values, .. } => json!({
                "if": {"type": "object", "required": [field], "properties": {field: {"enum": values}}},
                "then": test,
            }),
        }
    }
}

/// Returns the claim's schema for objects that have a field.
pub(crate) fn has(name: &str) -> Value {
    json!({"type": "object", "required": [name]})
}

/// Returns the schema of values that have a field if they are objects.
pub(crate) fn has_if_object(name: &str) -> Value {
    json!({"required": [name]})
}

/// Returns the schema of values without a field.
pub(crate) fn lacks(name: &str) -> Value {
    json!({"properties": {name: false}})
}

/// Returns the schema of values without fields other than these.
pub(crate) fn only(names: &[&str]) -> Value {
    json!({"properties": described(names), "additionalProperties": false})
}

/// Returns the schema of values that satisfy another one if they are of a kind.
pub(crate) fn if_kind(kind: Kind, test: &Value) -> Value {
    json!({"if": {"type": kind.name()}, "then": test})
}

/// Returns the schema of these values.
pub(crate) fn among(values: &[&Value]) -> Value {
    json!({"enum": values})
}

/// Returns the schema of all values that another one rejects.
pub(crate) fn not(test: &Value) -> Value {
    json!({"not": test})
}

fn described(names: &[&str]) -> Map<String, Value> {
    names.iter().map(|name| ((*name).to_owned(), Value::Bool(true))).collect()
}
