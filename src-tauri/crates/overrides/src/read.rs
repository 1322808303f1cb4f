//! Reads overrides from the tree of a file, and checks the type of each key. Unknown keys are ignored, because other
//! programs keep keys of their own in such files. There is a problem if they resemble a known one, or contain some.

use std::collections::BTreeSet;

use schemascope_json::jsonc::{Node, Object, ObjectProp, Ranged as _, Tree};
use schemascope_model::check_server_name;
use serde_json::{Map, Value};

use crate::entry::{Entry, Field, Overrides, Server, WILDCARD};
use crate::problem::Problem;
use crate::tree::{line, name, value};

/// Key of an entry that lists which of its schemas follow the upstream.
pub(crate) const FOLLOWS: &str = "followsUpstream";
/// Format of the file that is written and read.
const SCHEMA_VERSION: u64 = 2;

const FILE_KEYS: &[&str] = &["schemaVersion", "master", "servers"];
const SERVER_KEYS: &[&str] = &["enabled", "tools"];
const ENTRY_KEYS: &[&str] =
    &["enabled", "name", "description", "annotations", "inputSchema", "outputSchema", FOLLOWS];
/// Words for the opposite of `enabled`.
const HIDING: &[&str] = &["disable", "disabled", "hide", "hidden"];
/// Levels below an unknown key that are searched for overrides.
const MAX_SEARCHED: usize = 4;
const HINTS: &[&str] = &["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

/// Reads the overrides of a file, and the problems of the parts that cannot be used.
pub(crate) fn overrides(tree: &Tree<'_>, text: &str) -> Result<(Overrides, Vec<Problem>), Problem> {
    let mut reader = Reader { text, problems: Vec::new() };
    let overrides = match &tree.root {
        None => Overrides::default(),
        Some(root) => reader.file(root)?,
    };
    Ok((overrides, reader.problems))
}

struct Reader<'t> {
    text: &'t str,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn file(&mut self, root: &Node<'_>) -> Result<Overrides, Problem> {
        let mut read = Overrides::default();
        for property in self.members(root, "the file")? {
            match name(property) {
                "schemaVersion" => {
                    let version = value(&property.value, "schemaVersion", self.text)?;
                    let version =
                        version.as_u64().ok_or_else(|| self.wrong(property, "schemaVersion", "2"))?;
                    if version > SCHEMA_VERSION {
                        return Err(Problem::UnknownVersion(version));
                    }
                }
                "master" => {
                    for property in self.members(&property.value, "master")? {
                        match name(property) {
                            "enabled" => read.enabled = Some(self.boolean(property, "master.enabled")?),
                            "tools" => {
                                for property in self.members(&property.value, "master.tools")? {
                                    let place = format!("master.tools.{}", name(property));
                                    let entry = self.default_entry(property, &place)?;
                                    read.master.insert(name(property).into(), entry);
                                }
                            }
                            _ => self.misspelt(property, name(property), "master", SERVER_KEYS),
                        }
                    }
                }
                "servers" => {
                    for property in self.members(&property.value, "servers")? {
                        let server = self.server(property)?;
                        if check_server_name(name(property)).is_err() {
                            self.problems.push(Problem::InvalidServer(name(property).to_owned()));
                            continue;
                        }
                        read.servers.insert(name(property).into(), server);
                    }
                }
                _ => self.misspelt(property, name(property), "", FILE_KEYS),
            }
        }
        Ok(read)
    }

    fn server(&mut self, property: &ObjectProp<'_>) -> Result<Server, Problem> {
        let place = format!("servers.{}", name(property));
        let mut server = Server::default();
        for property in self.members(&property.value, &place)? {
            match name(property) {
                "enabled" => server.enabled = Some(self.boolean(property, &format!("{place}.enabled"))?),
                "tools" => {
                    let place = format!("{place}.tools");
                    for property in self.members(&property.value, &place)? {
                        let place = format!("{place}.{}", name(property));
                        let entry = match name(property) {
                            WILDCARD => self.default_entry(property, &place)?,
                            _ => self.entry(property, &place)?,
                        };
                        server.tools.insert(name(property).into(), entry);
                    }
                }
                _ => self.misspelt(property, name(property), &place, SERVER_KEYS),
            }
        }
        Ok(server)
    }

    /// Reads an entry for several tools. Names and schemas are ignored with a problem, because they belong to one tool.
    fn default_entry(&mut self, property: &ObjectProp<'_>, place: &str) -> Result<Entry, Problem> {
        let mut entry = self.entry(property, place)?;
        let fields = [
            (entry.name.take().is_some(), "name"),
            (entry.input_schema.take().is_some(), Field::Input.key()),
            (entry.output_schema.take().is_some(), Field::Output.key()),
        ];
        let place = || place.to_owned();
        let ignored = fields.into_iter().filter(|(is_set, _)| *is_set);
        self.problems.extend(ignored.map(|(_, field)| Problem::NotForSeveral { place: place(), field }));
        Ok(entry)
    }

    fn entry(&mut self, property: &ObjectProp<'_>, place: &str) -> Result<Entry, Problem> {
        let mut entry = Entry::default();
        for property in self.members(&property.value, place)? {
            let at = format!("{place}.{}", name(property));
            match name(property) {
                "enabled" => entry.enabled = Some(self.boolean(property, &at)?),
                "name" => entry.name = Some(self.string(property, &at)?),
                "description" => entry.description = Some(self.string(property, &at)?),
                "annotations" => match value(&property.value, &at, self.text)? {
                    Value::Object(annotations) => {
                        entry.annotations = Some(self.annotations(property, annotations, &at));
                    }
                    _ => return Err(self.wrong(property, &at, "an object")),
                },
                "inputSchema" => match value(&property.value, &at, self.text)? {
                    schema @ Value::Object(_) => entry.input_schema = Some(schema),
                    _ => return Err(self.wrong(property, &at, "an object")),
                },
                "outputSchema" => match value(&property.value, &at, self.text)? {
                    schema @ (Value::Object(_) | Value::Bool(_)) => entry.output_schema = Some(schema),
                    _ => return Err(self.wrong(property, &at, "a JSON Schema: an object, true or false")),
                },
                FOLLOWS => entry.follows = self.follows(property, &at)?,
                _ => self.misspelt(property, name(property), place, ENTRY_KEYS),
            }
        }
        // Clients reject the whole list of tools for one whose arguments are no object.
        let is_object = |schema: &Value| schema.get("type").is_some_and(|kind| kind == "object");
        if !entry.follows.contains(&Field::Input)
            && let Some(schema) = entry.input_schema.take_if(|schema| !is_object(schema))
        {
            let kind = schema.get("type").map(ToString::to_string);
            self.problems.push(Problem::NoArguments { place: place.to_owned(), kind });
        }
        Ok(entry)
    }

    /// Annotations without those that clients would reject the whole list of tools for.
    fn annotations(
        &mut self,
        property: &ObjectProp<'_>,
        mut annotations: Map<String, Value>,
        place: &str,
    ) -> Map<String, Value> {
        annotations.retain(|key, value| {
            let (fits, expected) = match key.as_str() {
                "title" => (value.is_string(), "text"),
                key if HINTS.contains(&key) => (value.is_boolean(), "true or false"),
                key => {
                    self.misspelt(property, key, place, HINTS);
                    (true, "")
                }
            };
            if !fits {
                self.problems.push(self.wrong(property, &format!("{place}.{key}"), expected));
            }
            fits
        });
        annotations
    }

    /// Reports a key of `place` that differs from a known one by case, separators, or one letter; by two if it is long.
    fn misspelt(&mut self, property: &ObjectProp<'_>, key: &str, place: &str, known: &[&'static str]) {
        let plain = |key: &str| key.replace(['_', '-'], "").to_lowercase();
        let written = plain(key);
        let is_near = |known: &&&str| {
            let letters = if known.len() < 7 { 1 } else { 2 };
            strsim::osa_distance(&written, &plain(known)) <= letters
        };
        let at = || if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") };
        let line = line(self.text, property.start());
        let hides = (known.contains(&"enabled") && HIDING.contains(&written.as_str())).then_some("enabled");
        if let Some(meant) = known.iter().find(is_near).copied().or(hides) {
            self.problems.push(Problem::Misspelt { line, place: at(), meant });
        } else if known != HINTS && has_overrides(&property.value, MAX_SEARCHED) {
            self.problems.push(Problem::Misplaced { line, place: at() });
        }
    }

    fn follows(&self, property: &ObjectProp<'_>, place: &str) -> Result<BTreeSet<Field>, Problem> {
        let wrong = || self.wrong(property, place, "a list of \"inputSchema\" and \"outputSchema\"");
        let listed = value(&property.value, place, self.text)?;
        let field = |listed: &Value| Field::ALL.into_iter().find(|field| *listed == field.key());
        listed.as_array().ok_or_else(wrong)?.iter().map(|one| field(one).ok_or_else(wrong)).collect()
    }

    /// Properties of an object without duplicate keys.
    fn members<'n, 't>(&self, node: &'n Node<'t>, place: &str) -> Result<&'n [ObjectProp<'t>], Problem> {
        let Node::Object(object) = node else {
            let (line, place) = (line(self.text, node.start()), place.to_owned());
            return Err(Problem::Type { line, place, expected: "an object" });
        };
        self.check_duplicates(object, place)?;
        Ok(&object.properties)
    }

    fn check_duplicates(&self, object: &Object<'_>, place: &str) -> Result<(), Problem> {
        let mut seen = BTreeSet::new();
        match object.properties.iter().find(|property| !seen.insert(name(property))) {
            None => Ok(()),
            Some(again) => Err(Problem::Duplicate {
                line: line(self.text, again.start()),
                place: format!("{place}.{}", name(again)),
            }),
        }
    }

    fn boolean(&self, property: &ObjectProp<'_>, place: &str) -> Result<bool, Problem> {
        match &property.value {
            Node::BooleanLit(literal) => Ok(literal.value),
            _ => Err(self.wrong(property, place, "true or false")),
        }
    }

    fn string(&self, property: &ObjectProp<'_>, place: &str) -> Result<Box<str>, Problem> {
        match &property.value {
            Node::StringLit(literal) => Ok(literal.value.as_ref().into()),
            _ => Err(self.wrong(property, place, "text")),
        }
    }

    fn wrong(&self, property: &ObjectProp<'_>, place: &str, expected: &'static str) -> Problem {
        Problem::Type { line: line(self.text, property.value.start()), place: place.to_owned(), expected }
    }
}

/// Whether a value has keys of overrides, so that it is meant as some.
fn has_overrides(node: &Node<'_>, levels: usize) -> bool {
    let Node::Object(object) = node else { return false };
    levels > 0
        && object.properties.iter().any(|property| {
            let is_known = match name(property) {
                "enabled" => matches!(property.value, Node::BooleanLit(_)),
                "tools" | "annotations" => matches!(property.value, Node::Object(_)),
                other => ["inputSchema", "outputSchema", FOLLOWS].contains(&other) || HIDING.contains(&other),
            };
            is_known || has_overrides(&property.value, levels - 1)
        })
}

#[cfg(test)]
mod tests {
    use crate::Document;

    /// Regression: a tool that was meant to be hidden stayed callable, and the file had no problems.
    #[test]
    fn overrides_in_the_wrong_place_are_a_problem() {
        for (text, expect) in [
            (
                r#"{"servers": {"air": {"delete": {"enabled": false}}}}"#,
                "line 1: servers.air.delete has no effect; entries of tools belong in servers.NAME.tools",
            ),
            (
                r#"{"tools": {"air__delete": {"enabled": false}}}"#,
                "line 1: tools has no effect; entries of tools belong in servers.NAME.tools",
            ),
            (
                r#"{"servers": {"air": {"tools": {"delete": {"hidden": true}}}}}"#,
                "line 1: servers.air.tools.delete.hidden has no effect; did you mean enabled?",
            ),
            (
                r#"{"air": {"tools": {}}}"#,
                "line 1: air has no effect; entries of tools belong in servers.NAME.tools",
            ),
        ] {
            let document = Document::parse(text.to_owned()).expect("a valid file");
            let problems: Vec<String> = document.problems().iter().map(ToString::to_string).collect();
            assert_eq!(problems, [expect], "{text}");
        }
        let other =
            r#"{"x-team": {"owner": "ann", "notes": {"a": [1]}}, "servers": {"air": {"color": "red"}}}"#;
        let document = Document::parse(other.to_owned()).expect("a valid file");
        assert_eq!(document.problems(), []);
    }

    #[test]
    fn key_that_resembles_a_known_one_is_a_problem() {
        let text = r#"{
          "note": "for the team", "shemaVersion": 2,
          "servers": {"shop": {"enable": false, "color": "red", "tools": {"get_order": {
            "output_schema": {}, "descripton": "x", "x-owner": "ann", "annotations": {"readonlyHint": true, "vendor": 1}
          }}}}
        }"#;
        let document = Document::parse(text.to_owned()).expect("a valid file");
        let problems: Vec<String> = document.problems().iter().map(ToString::to_string).collect();
        assert_eq!(
            problems,
            [
                "line 2: shemaVersion has no effect; did you mean schemaVersion?",
                "line 3: servers.shop.enable has no effect; did you mean enabled?",
                "line 4: servers.shop.tools.get_order.output_schema has no effect; did you mean outputSchema?",
                "line 4: servers.shop.tools.get_order.descripton has no effect; did you mean description?",
                "line 4: servers.shop.tools.get_order.annotations.readonlyHint has no effect; did you mean readOnlyHint?",
            ]
        );
        let entry = document.overrides().entry("shop", "get_order");
        assert!(entry.is_none_or(|entry| entry.output_schema.is_none()));
    }
}
