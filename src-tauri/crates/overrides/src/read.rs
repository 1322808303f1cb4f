//! From a tree to what it says.
//!
//! Owns: the types of each key. Keys nobody knows are somebody else's, and left alone. Refuses to know: what
//! follows from an entry.

use std::collections::BTreeSet;

use jsonc_parser::ast::{Object, ObjectProp, Value as Node};
use jsonc_parser::common::Ranged;
use schemascope_model::check_server_name;
use serde_json::Value;

use crate::document::{Tree, line, name, value};
use crate::entry::{Entry, Field, Overrides, Server, WILDCARD};
use crate::problem::Problem;

/// The key under which an entry says which of its schemas follow the upstream.
pub(crate) const FOLLOWS: &str = "followsUpstream";
/// The form of the file that is written and read.
const VERSION: u64 = 2;

/// What a file says, and what in it cannot be used.
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
                    if version > VERSION {
                        return Err(Problem::Version(version));
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
                            _ => {}
                        }
                    }
                }
                "servers" => {
                    for property in self.members(&property.value, "servers")? {
                        let server = self.server(property)?;
                        if check_server_name(name(property)).is_err() {
                            self.problems.push(Problem::Server(name(property).to_owned()));
                            continue;
                        }
                        read.servers.insert(name(property).into(), server);
                    }
                }
                _ => {}
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
                _ => {}
            }
        }
        Ok(server)
    }

    /// An entry for several tools: names and schemas belong to one.
    fn default_entry(&mut self, property: &ObjectProp<'_>, place: &str) -> Result<Entry, Problem> {
        let mut entry = self.entry(property, place)?;
        let one = [
            (entry.name.take().is_some(), "name"),
            (entry.input_schema.take().is_some(), Field::Input.key()),
            (entry.output_schema.take().is_some(), Field::Output.key()),
        ];
        let place = || place.to_owned();
        let said = one.into_iter().filter(|(said, _)| *said);
        self.problems.extend(said.map(|(_, field)| Problem::Wildcard { place: place(), field }));
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
                    Value::Object(annotations) => entry.annotations = Some(annotations),
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
                _ => {}
            }
        }
        Ok(entry)
    }

    fn follows(&self, property: &ObjectProp<'_>, place: &str) -> Result<BTreeSet<Field>, Problem> {
        let wrong = || self.wrong(property, place, "a list of \"inputSchema\" and \"outputSchema\"");
        let listed = value(&property.value, place, self.text)?;
        let field = |listed: &Value| Field::ALL.into_iter().find(|field| *listed == field.key());
        listed.as_array().ok_or_else(wrong)?.iter().map(|one| field(one).ok_or_else(wrong)).collect()
    }

    /// The properties of an object, each key once.
    fn members<'n, 't>(&self, node: &'n Node<'t>, place: &str) -> Result<&'n [ObjectProp<'t>], Problem> {
        let Node::Object(object) = node else {
            let (line, place) = (line(self.text, node.start()), place.to_owned());
            return Err(Problem::Type { line, place, expected: "an object" });
        };
        self.once(object, place)?;
        Ok(&object.properties)
    }

    fn once(&self, object: &Object<'_>, place: &str) -> Result<(), Problem> {
        let mut seen = BTreeSet::new();
        match object.properties.iter().find(|property| !seen.insert(name(property))) {
            None => Ok(()),
            Some(again) => Err(Problem::Twice {
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
