//! Values for random schemas, most of which fit.

use serde_json::{Value, json};

use crate::random_schemas::{Draw, KEYS, TEXTS};

impl Draw {
    /// A value that is meant to fit a schema, and often does.
    pub(super) fn value(&mut self, schema: &Value, root: &Value, depth: usize) -> Value {
        if depth > 7 {
            return self.anything(depth);
        }
        let Some(members) = schema.as_object() else { return self.anything(depth) };
        if let Some(value) = members.get("const") {
            return value.clone();
        }
        if let Some(values) =
            members.get("enum").and_then(Value::as_array).filter(|values| !values.is_empty())
        {
            return self.random.pick(values).clone();
        }
        if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
            let pointer = reference.trim_start_matches('#').replace("%20", " ");
            let target = root.pointer(&pointer).cloned().unwrap_or_default();
            return self.value(&target, root, depth + 1);
        }
        let mut value = None;
        for word in ["anyOf", "oneOf", "allOf"] {
            if let Some(parts) = members.get(word).and_then(Value::as_array).filter(|parts| !parts.is_empty())
            {
                let part = self.random.pick(parts).clone();
                value = Some(self.value(&part, root, depth + 1));
            }
        }
        let typed = match members.get("type") {
            Some(Value::String(one)) => one.clone(),
            Some(Value::Array(several)) if !several.is_empty() => {
                self.random.pick(several).as_str().unwrap_or_default().to_owned()
            }
            _ if members.contains_key("properties") || members.contains_key("additionalProperties") => {
                "object".to_owned()
            }
            _ if members.contains_key("items") || members.contains_key("prefixItems") => "array".to_owned(),
            _ => return value.unwrap_or_else(|| self.anything(depth)),
        };
        match typed.as_str() {
            "object" => {
                let mut object = value.and_then(|value| value.as_object().cloned()).unwrap_or_default();
                let required = members.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
                for (key, inner) in members.get("properties").and_then(Value::as_object).into_iter().flatten()
                {
                    if required.contains(&json!(key)) || self.random.chance(0.5) {
                        let inner = self.value(inner, root, depth + 1);
                        object.insert(key.clone(), inner);
                    }
                }
                for key in required.iter().filter_map(Value::as_str) {
                    if !object.contains_key(key) && self.random.chance(0.9) {
                        object.insert(key.to_owned(), json!(1));
                    }
                }
                if self.random.chance(0.3) {
                    let key = self.random.one(&["new", "x-new", "abc", "12", "then"]);
                    let more = members.get("additionalProperties").cloned().unwrap_or_default();
                    let inner = self.value(&more, root, depth + 1);
                    object.insert(key.to_owned(), inner);
                }
                Value::Object(object)
            }
            "array" => {
                let mut items = Vec::new();
                let prefix =
                    members.get("prefixItems").and_then(Value::as_array).cloned().unwrap_or_default();
                for inner in prefix.iter().take(self.random.below(prefix.len() + 2)) {
                    items.push(self.value(inner, root, depth + 1));
                }
                let more = members.get("items").cloned().unwrap_or_default();
                for _ in 0..self.random.below(3) {
                    items.push(self.value(&more, root, depth + 1));
                }
                Value::Array(items)
            }
            "string" => json!(self.random.one(&TEXTS)),
            "integer" => json!(self.random.within(-6, 60)),
            "number" => self.number(),
            "boolean" => json!(self.random.chance(0.5)),
            _ => Value::Null,
        }
    }

    fn number(&mut self) -> Value {
        self.random
            .pick(&[
                json!(0),
                json!(1),
                json!(-1),
                json!(1.0),
                json!(2.5),
                json!(0.07),
                json!(1e3),
                json!(9_007_199_254_740_991_i64),
            ])
            .clone()
    }

    fn anything(&mut self, depth: usize) -> Value {
        match self.random.below(if depth > 5 { 4 } else { 6 }) {
            0 => Value::Null,
            1 => json!(self.random.chance(0.5)),
            2 => self.number(),
            3 => json!(self.random.one(&TEXTS)),
            4 => json!([self.number(), self.random.one(&TEXTS)]),
            _ => {
                json!({self.random.one(&KEYS): self.random.one(&TEXTS), self.random.one(&KEYS): self.number()})
            }
        }
    }

    /// Changes a value somewhere.
    pub(super) fn change(&mut self, value: &mut Value) {
        match value {
            Value::Object(members) if !members.is_empty() && self.random.chance(0.7) => {
                let keys: Vec<String> = members.keys().cloned().collect();
                let key = self.random.pick(&keys).clone();
                if self.random.chance(0.4) {
                    members.remove(&key);
                } else if let Some(inner) = members.get_mut(&key) {
                    self.change(inner);
                }
            }
            Value::Array(items) if !items.is_empty() && self.random.chance(0.7) => {
                let at = self.random.below(items.len());
                if self.random.chance(0.3) {
                    let again = items[at].clone();
                    items.push(again);
                } else {
                    self.change(&mut items[at]);
                }
            }
            other => *other = self.anything(3),
        }
    }
}
