//! Values that results repeat from their arguments: a filter, a word that was searched for, a page size.
//!
//! Such a value is decided by who calls, so that it is the same in all results says nothing about the tool. It is left
//! out of the schema, unless alternatives are distinguished by it.

use std::collections::BTreeSet;

use schemascope_shape::{Arguments, Decision, FieldReport, Policy};
use serde_json::{Map, Value};

use crate::tool::Tool;

/// An argument that is given less often than in one of so many calls explains no value of all results.
const SELDOM: u64 = 4;

/// The values of each argument, as JSON, with its name.
struct Echoes<'a>(Vec<(&'a str, BTreeSet<&'a str>)>);

impl Tool {
    /// Returns the schema that was learned.
    pub fn inferred_schema(&self) -> Value {
        let mut schema = self.shape.schema(&Policy::default());
        let echoes = Echoes::of(&self.arguments);
        if !echoes.0.is_empty() {
            echoes.leave_out(&mut schema, &[]);
        }
        schema
    }

    /// Returns every named field of the results, and the results as a whole, with the decisions of that schema.
    pub fn explained_fields(&self) -> (Vec<FieldReport>, Option<FieldReport>) {
        let (mut fields, mut root) =
            (self.shape.fields(&Policy::default()), self.shape.root(&Policy::default()));
        let echoes = Echoes::of(&self.arguments);
        let tags: BTreeSet<String> = fields.iter().chain(&root).filter_map(tag).collect();
        let explained = fields.iter_mut().chain(&mut root).filter(|field| !tags.contains(&field.path));
        explained.for_each(|field| echoes.explain(field));
        (fields, root)
    }
}

/// The path of the field that distinguishes the alternatives of an object.
fn tag(of: &FieldReport) -> Option<String> {
    let tag = &of.alternatives.first()?.tag;
    Some(if of.path.is_empty() { tag.clone() } else { format!("{}.{tag}", of.path) })
}

/// The fields that have a constant in each of these alternatives.
fn tags(alternatives: &[Value]) -> Vec<String> {
    let constants = |part: &Value| -> BTreeSet<String> {
        let fields = part.get("properties").and_then(Value::as_object).into_iter().flatten();
        fields.filter(|(_, field)| field.get("const").is_some()).map(|(name, _)| name.clone()).collect()
    };
    let all = alternatives.iter().map(constants).reduce(|mine, theirs| &mine & &theirs);
    // One that is the same everywhere distinguishes nothing.
    let differs = |name: &String| {
        let value = |part: &Value| part["properties"][name.as_str()]["const"].clone();
        alternatives.windows(2).any(|pair| value(&pair[0]) != value(&pair[1]))
    };
    all.into_iter().flatten().filter(differs).collect()
}

impl<'a> Echoes<'a> {
    fn of(arguments: &'a Arguments) -> Self {
        let often = |given: u64| given.saturating_mul(SELDOM) >= arguments.observations();
        let known = arguments.known_values().filter(|(_, given, _)| often(*given));
        Self(known.map(|(name, _, values)| (name, values.collect())).collect())
    }

    /// Returns the argument whose values these are.
    fn argument(&self, values: &[String]) -> Option<&'a str> {
        let are_of = |given: &BTreeSet<&str>| values.iter().all(|value| given.contains(value.as_str()));
        let found = self.0.iter().find(|(_, given)| !values.is_empty() && are_of(given));
        found.map(|(name, _)| *name)
    }

    fn repeats<'v>(&self, values: impl IntoIterator<Item = &'v Value>) -> bool {
        let values = values.into_iter().filter(|value| !value.is_null());
        self.argument(&values.map(Value::to_string).collect::<Vec<_>>()).is_some()
    }

    /// Removes what only repeats arguments. The values of `kept` fields stay: the schema is one of several alternatives,
    /// which these fields distinguish.
    fn leave_out(&self, schema: &mut Value, kept: &[String]) {
        self.leave_out_values(schema);
        let Value::Object(schema) = schema else { return };
        for (key, part) in schema.iter_mut() {
            match (key.as_str(), part) {
                ("properties" | "$defs", Value::Object(parts)) => {
                    let others = parts.iter_mut().filter(|(name, _)| !kept.contains(name));
                    others.for_each(|(_, part)| self.leave_out(part, &[]));
                }
                ("oneOf", Value::Array(parts)) => {
                    let tags = tags(parts);
                    parts.iter_mut().for_each(|part| self.leave_out(part, &tags));
                }
                ("anyOf" | "prefixItems", Value::Array(parts)) => {
                    parts.iter_mut().for_each(|part| self.leave_out(part, &[]));
                }
                ("items" | "additionalProperties", part) => self.leave_out(part, &[]),
                _ => {}
            }
        }
        self.leave_out_length(schema);
    }

    fn leave_out_values(&self, schema: &mut Value) {
        let Value::Object(schema) = schema else { return };
        let listed = schema.get("enum").and_then(Value::as_array);
        if listed.is_some_and(|values| self.repeats(values)) {
            schema.shift_remove("enum");
        }
        if schema.get("const").is_some_and(|value| self.repeats([value])) {
            schema.shift_remove("const");
        }
    }

    fn leave_out_length(&self, schema: &mut Map<String, Value>) {
        let (Some(least), Some(most)) = (schema.get("minItems"), schema.get("maxItems")) else { return };
        if least == most && self.repeats([least]) {
            schema.shift_remove("minItems");
            schema.shift_remove("maxItems");
        }
    }

    /// Corrects the decisions about a field.
    fn explain(&self, field: &mut FieldReport) {
        let values = &field.values;
        let counted = || values.counted.iter().map(|(json, _)| json.clone()).collect::<Vec<_>>();
        let length = values.items.filter(|(least, most)| least == most).map(|(length, _)| length.to_string());
        for Decision { decision, because, .. } in &mut field.decisions {
            let argument = if decision == "const" || decision.starts_with("enum of ") {
                self.argument(&counted())
            } else if decision.ends_with(" items") {
                length.as_ref().and_then(|length| self.argument(std::slice::from_ref(length)))
            } else {
                None
            };
            if let Some(argument) = argument {
                *decision = format!("no {decision}");
                *because = format!("results repeat the argument `{argument}`");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(calls: impl IntoIterator<Item = (Value, Value)>) -> Tool {
        let mut tool = Tool::default();
        for (given, result) in calls {
            let (given, result) = (given.to_string(), result.to_string());
            let circumstances = schemascope_shape::Circumstances::default();
            let (shape, arguments) = (&mut tool.shape, &mut tool.arguments);
            shape.observe_call(result.as_bytes(), circumstances, arguments, Some(given.as_bytes())).unwrap();
        }
        tool
    }

    fn decisions(tool: &Tool, path: &str) -> Vec<String> {
        let (fields, _) = tool.explained_fields();
        let field = fields.iter().find(|field| field.path == path).unwrap();
        field.decisions.iter().map(|one| one.decision.clone()).collect()
    }

    /// Regression: an agent that always asked for open issues taught that every issue is open.
    #[test]
    fn what_results_repeat_from_arguments_is_not_learned() {
        let words = ["json schema", "k8s", "rust"];
        let tool = tool((0..60_usize).map(|n| {
            let word = words[n % 3];
            let issue = json!({"id": n, "state": "open", "kind": (["bug", "task"][n % 2])});
            let result = json!({"query": word, "issues": [issue], "ids": [n, n + 1, n + 2, n + 3, n + 4]});
            (json!({"query": word, "state": "open", "limit": 5}), result)
        }));
        let schema = tool.inferred_schema();
        assert_eq!(schema["properties"]["query"], json!({"type": "string"}));
        let issue = &schema["properties"]["issues"]["items"]["properties"];
        assert_eq!(issue["state"], json!({"type": "string"}));
        assert_eq!(issue["kind"], json!({"type": "string", "enum": ["bug", "task"]}));
        assert_eq!(schema["properties"]["ids"], json!({"type": "array", "items": {"type": "integer"}}));
        assert!(decisions(&tool, "query").contains(&"no enum of 3".to_owned()));
        assert!(decisions(&tool, "ids").contains(&"no 5 items".to_owned()));
        assert!(decisions(&tool, "issues[].kind").contains(&"enum of 2".to_owned()));
    }

    /// Regression: one text among the objects kept what all objects repeat.
    #[test]
    fn what_alternatives_repeat_is_not_learned() {
        let mixed = tool((0..60_u32).map(|n| {
            let result = if n == 7 { json!("none") } else { json!({"state": "open", "n": n}) };
            (json!({"state": "open"}), result)
        }));
        let schema = mixed.inferred_schema();
        let object =
            schema["anyOf"].as_array().unwrap().iter().find(|part| part["type"] == "object").unwrap();
        assert_eq!(object["properties"]["state"], json!({"type": "string"}), "{schema}");
        let events = tool((0..60_u32).map(|n| {
            let kind = ["card", "voucher"][n as usize % 2];
            let result = match n % 2 {
                0 => json!({"kind": kind, "state": "open", "last4": n}),
                _ => json!({"kind": kind, "state": "open", "code": n.to_string()}),
            };
            (json!({"kind": kind, "state": "open"}), result)
        }));
        let schema = events.inferred_schema();
        let part = &schema["oneOf"][0]["properties"];
        assert_eq!(
            (&part["kind"]["const"], &part["state"]),
            (&json!("card"), &json!({"type": "string"})),
            "{schema}"
        );
        assert!(!decisions(&events, "kind").iter().any(|decision| decision.starts_with("no ")));
        assert_eq!(decisions(&events, "state"), ["required", "no const"]);
    }

    #[test]
    fn tags_of_alternatives_and_seldom_arguments_are_kept() {
        let cards = tool((0..60_u32).map(|n| {
            let kind = ["card", "voucher"][n as usize % 2];
            let result = match n % 2 {
                0 => json!({"kind": kind, "last4": n}),
                _ => json!({"kind": kind, "code": n.to_string()}),
            };
            (json!({ "kind": kind }), result)
        }));
        let schema = cards.inferred_schema();
        assert_eq!(schema["oneOf"][0]["properties"]["kind"]["const"], "card", "{schema}");
        let seldom = tool((0..60_u32).map(|n| {
            let given = if n == 0 { json!({"mode": "live"}) } else { json!({ "n": n }) };
            (given, json!({"mode": "live", "n": n}))
        }));
        assert_eq!(seldom.inferred_schema()["properties"]["mode"]["const"], "live");
    }
}
