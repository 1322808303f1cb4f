//! What is meant for one tool, of all that is said.
//!
//! The nearer counts: the tool's own entry before its server's `*`, before the tool's name under `master`, before
//! `master`'s `*`; annotations key by key. A server that is switched off is off as a whole. Owns: that order, and
//! what changed from one file to the next. Refuses to know: which tools there are.

use std::collections::{BTreeMap, BTreeSet};

use schemascope_model::{Presented, ToolId};

use crate::entry::{Entry, Field, Overrides, Server, WILDCARD};
use crate::problem::Problem;

/// Longest name clients accept.
const MAX_NAME: usize = 128;

impl Overrides {
    /// How a tool is shown to clients, where that is not as its upstream says; its name as written, which may be
    /// taken.
    pub fn presented(&self, tool: &ToolId) -> Presented {
        let own = self.entry(tool.server(), tool.tool());
        let levels: Vec<&Entry> = self.levels(tool).collect();
        let mut annotations = serde_json::Map::new();
        for level in levels.iter().rev() {
            annotations.extend(level.annotations.clone().unwrap_or_default());
        }
        Presented {
            hidden: self.is_hidden(tool),
            name: own.and_then(|own| own.name.clone()),
            description: levels.iter().find_map(|level| level.description.clone()),
            annotations,
            input_schema: own.and_then(|own| own.overriding(Field::Input)).cloned(),
        }
    }

    /// Whether clients are not shown a tool.
    pub fn is_hidden(&self, tool: &ToolId) -> bool {
        let server = self.servers.get(tool.server()).and_then(|server| server.enabled);
        let shown = self.levels(tool).find_map(|level| level.enabled).unwrap_or(true);
        !(shown && server.or(self.enabled).unwrap_or(true))
    }

    /// What is said that is meant for a tool, the nearest first.
    fn levels(&self, tool: &ToolId) -> impl Iterator<Item = &Entry> {
        let server = self.servers.get(tool.server()).map(|server| &server.tools);
        let levels = [
            server.and_then(|tools| tools.get(tool.tool())),
            server.and_then(|tools| tools.get(WILDCARD)),
            self.master.get(tool.tool()),
            self.master.get(WILDCARD),
        ];
        levels.into_iter().flatten()
    }

    /// The names given to tools that can be used: allowed, and nobody else's. `is_taken` tells whose a name is
    /// already.
    pub fn names(
        &self,
        is_taken: impl Fn(&str) -> Option<ToolId>,
    ) -> (BTreeMap<Box<str>, ToolId>, Vec<Problem>) {
        let mut given: BTreeMap<&str, Vec<ToolId>> = BTreeMap::new();
        for (server, says) in &self.servers {
            for (tool, entry) in &says.tools {
                if let (Some(name), Ok(id)) = (&entry.name, ToolId::new(server, tool)) {
                    given.entry(name).or_default().push(id);
                }
            }
        }
        let (mut names, mut problems) = (BTreeMap::new(), Vec::new());
        for (name, tools) in given {
            let owner = is_taken(name).filter(|owner| !tools.contains(owner));
            let clash = |tool: &ToolId| {
                let other = owner.as_ref().or_else(|| tools.iter().find(|other| *other != tool));
                other.map(ToString::to_string)
            };
            for tool in &tools {
                let (name, shown) = (name.to_owned(), tool.to_string());
                if !is_allowed(&name) {
                    problems.push(Problem::Name { tool: shown, name });
                } else if let Some(other) = clash(tool) {
                    problems.push(Problem::Collision { tool: shown, name, other });
                } else {
                    names.insert(name.into(), tool.clone());
                }
            }
        }
        (names, problems)
    }
}

fn is_allowed(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    (1..=MAX_NAME).contains(&name.len()) && name.chars().all(allowed)
}

/// What somebody changed of how tools are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// The server; none for all of them.
    pub server: Option<Box<str>>,
    /// The tool; `*` for all of them.
    pub tool: Box<str>,
    /// Keys that say something else than before.
    pub fields: Vec<&'static str>,
}

/// What changed from one file to the next, output schemas aside: they are decided about.
pub fn changes(before: &Overrides, after: &Overrides) -> Vec<Changed> {
    let mut changed = Vec::new();
    let mut note = |server: Option<&str>, tool: &str, fields: Vec<&'static str>| {
        if !fields.is_empty() {
            changed.push(Changed { server: server.map(Into::into), tool: tool.into(), fields });
        }
    };
    if before.enabled != after.enabled {
        note(None, WILDCARD, vec!["enabled"]);
    }
    for tool in keys(&before.master, &after.master) {
        note(None, tool, fields(before.master.get(tool), after.master.get(tool)));
    }
    let nothing = Server::default();
    for name in keys(&before.servers, &after.servers) {
        let (was, is) =
            (before.servers.get(name).unwrap_or(&nothing), after.servers.get(name).unwrap_or(&nothing));
        if was.enabled != is.enabled {
            note(Some(name), WILDCARD, vec!["enabled"]);
        }
        for tool in keys(&was.tools, &is.tools) {
            note(Some(name), tool, fields(was.tools.get(tool), is.tools.get(tool)));
        }
    }
    changed
}

fn keys<'m, V>(before: &'m BTreeMap<Box<str>, V>, after: &'m BTreeMap<Box<str>, V>) -> BTreeSet<&'m str> {
    before.keys().chain(after.keys()).map(AsRef::as_ref).collect()
}

fn fields(before: Option<&Entry>, after: Option<&Entry>) -> Vec<&'static str> {
    let nothing = Entry::default();
    let (before, after) = (before.unwrap_or(&nothing), after.unwrap_or(&nothing));
    let differ = [
        ("enabled", before.enabled != after.enabled),
        ("name", before.name != after.name),
        ("description", before.description != after.description),
        ("annotations", before.annotations != after.annotations),
        ("inputSchema", before.overriding(Field::Input) != after.overriding(Field::Input)),
    ];
    differ.into_iter().filter(|(_, differ)| *differ).map(|(field, _)| field).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Document;

    fn said(text: &serde_json::Value) -> Overrides {
        Document::parse(text.to_string()).unwrap().says().clone()
    }

    fn id(tool: &str) -> ToolId {
        tool.parse().unwrap()
    }

    #[test]
    fn the_nearer_entry_counts() {
        let said = said(&json!({
            "master": {"tools": {"*": {"enabled": false, "description": "any", "annotations": {"a": 1, "b": 1}},
                "find": {"annotations": {"b": 2}}}},
            "servers": {"s": {"tools": {"*": {"enabled": true}, "find": {"name": "look", "annotations": {"c": 3}}}},
                "off": {"enabled": false, "tools": {"find": {"enabled": true}}}},
        }));
        let find = said.presented(&id("s__find"));
        assert!(!find.hidden && find.name.as_deref() == Some("look"));
        assert_eq!(json!(find.annotations), json!({"a": 1, "b": 2, "c": 3}));
        assert_eq!(find.description.as_deref(), Some("any"));
        assert!(said.presented(&id("t__other")).hidden, "by master's *");
        assert!(said.presented(&id("off__find")).hidden, "its server is off");
    }

    #[test]
    fn names_that_are_taken_or_refused_are_told_and_not_used() {
        let said = said(&json!({"servers": {
            "a": {"tools": {"x": {"name": "same"}, "y": {"name": "fine"}, "z": {"name": "b__x"}, "n": {"name": "not fine"}}},
            "b": {"tools": {"x": {"name": "same"}}},
        }}));
        let (names, problems) = said.names(|name| (name == "b__x").then(|| id("b__x")));
        assert_eq!(names, BTreeMap::from([("fine".into(), id("a__y"))]));
        assert_eq!(problems.len(), 4, "{problems:?}");
    }

    #[test]
    fn changes_are_told_by_level() {
        let before = said(&json!({"servers": {"s": {"tools": {"a": {"name": "b"}}}}}));
        let after = said(
            &json!({"master": {"tools": {"*": {"enabled": false}}}, "servers": {"s": {"enabled": true, "tools": {"a": {}}}}}),
        );
        let told: Vec<_> =
            changes(&before, &after).into_iter().map(|one| (one.server, one.tool, one.fields)).collect();
        assert_eq!(
            told,
            [
                (None, "*".into(), vec!["enabled"]),
                (Some("s".into()), "*".into(), vec!["enabled"]),
                (Some("s".into()), "a".into(), vec!["name"])
            ]
        );
    }
}
