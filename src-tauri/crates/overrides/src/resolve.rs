//! The overrides that apply to one tool, and the changes between two files.
//!
//! The more specific entry wins: the tool's own, then its server's `*`, then the tool's name under `master`, then
//! `master`'s `*`. Annotations are merged key by key. A server that is switched off is off as a whole.

use std::collections::{BTreeMap, BTreeSet};

use schemascope_model::{Presented, ToolId};

use crate::entry::{Entry, Field, Overrides, Server, WILDCARD};
use crate::problem::Problem;

/// Longest name that clients accept, in bytes.
const MAX_NAME_BYTES: usize = 128;

impl Overrides {
    /// How a tool is shown to clients, where that differs from its upstream. The name is the one in the file, which may
    /// belong to another tool.
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

    /// Whether a tool is hidden from clients.
    pub fn is_hidden(&self, tool: &ToolId) -> bool {
        let server = self.servers.get(tool.server()).and_then(|server| server.enabled);
        let shown = self.levels(tool).find_map(|level| level.enabled).unwrap_or(true);
        !(shown && server.or(self.enabled).unwrap_or(true))
    }

    /// Entries that apply to a tool, the most specific first.
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

    /// Names in the file that are valid and unique, and problems for the others. `owner_of` returns the tool that has a
    /// name already.
    pub fn names(
        &self,
        owner_of: impl Fn(&str) -> Option<ToolId>,
    ) -> (BTreeMap<Box<str>, ToolId>, Vec<Problem>) {
        let mut given: BTreeMap<&str, Vec<ToolId>> = BTreeMap::new();
        for (server, overrides) in &self.servers {
            for (tool, entry) in &overrides.tools {
                if let (Some(name), Ok(id)) = (&entry.name, ToolId::new(server, tool)) {
                    given.entry(name).or_default().push(id);
                }
            }
        }
        let (mut names, mut problems) = (BTreeMap::new(), Vec::new());
        for (name, tools) in given {
            let owner = owner_of(name).filter(|owner| !tools.contains(owner));
            let clash = |tool: &ToolId| {
                let other = owner.as_ref().or_else(|| tools.iter().find(|other| *other != tool));
                other.map(ToString::to_string)
            };
            for tool in &tools {
                let (name, shown) = (name.to_owned(), tool.to_string());
                if !is_allowed(&name) {
                    problems.push(Problem::InvalidName { tool: shown, name });
                } else if let Some(other) = clash(tool) {
                    problems.push(Problem::NameCollision { tool: shown, name, other });
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
    (1..=MAX_NAME_BYTES).contains(&name.len()) && name.chars().all(allowed)
}

/// A change of an entry that affects how tools are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryChange {
    /// The server; `None` for all servers.
    pub server: Option<Box<str>>,
    /// The tool; `*` for all tools.
    pub tool: Box<str>,
    /// Keys whose values changed.
    pub fields: Vec<&'static str>,
}

/// Changes from one file to the next. Changes of output schemas are not included, because they are decisions.
pub fn changes(before: &Overrides, after: &Overrides) -> Vec<EntryChange> {
    let mut changed = Vec::new();
    let mut note = |server: Option<&str>, tool: &str, fields: Vec<&'static str>| {
        if !fields.is_empty() {
            changed.push(EntryChange { server: server.map(Into::into), tool: tool.into(), fields });
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

    fn overrides(text: &serde_json::Value) -> Overrides {
        Document::parse(text.to_string()).unwrap().overrides().clone()
    }

    fn id(tool: &str) -> ToolId {
        tool.parse().unwrap()
    }

    #[test]
    fn presented_prefers_the_more_specific_entry() {
        let file = overrides(&json!({
            "master": {"tools": {"*": {"enabled": false, "description": "any", "annotations": {"a": 1, "b": 1}},
                "find": {"annotations": {"b": 2}}}},
            "servers": {"s": {"tools": {"*": {"enabled": true}, "find": {"name": "look", "annotations": {"c": 3}}}},
                "off": {"enabled": false, "tools": {"find": {"enabled": true}}}},
        }));
        let find = file.presented(&id("s__find"));
        assert!(!find.hidden && find.name.as_deref() == Some("look"));
        assert_eq!(json!(find.annotations), json!({"a": 1, "b": 2, "c": 3}));
        assert_eq!(find.description.as_deref(), Some("any"));
        assert!(file.presented(&id("t__other")).hidden, "by master's *");
        assert!(file.presented(&id("off__find")).hidden, "its server is off");
    }

    #[test]
    fn names_reports_invalid_and_duplicate_names() {
        let file = overrides(&json!({"servers": {
            "a": {"tools": {"x": {"name": "same"}, "y": {"name": "fine"}, "z": {"name": "b__x"}, "n": {"name": "not fine"}}},
            "b": {"tools": {"x": {"name": "same"}}},
        }}));
        let (names, problems) = file.names(|name| (name == "b__x").then(|| id("b__x")));
        assert_eq!(names, BTreeMap::from([("fine".into(), id("a__y"))]));
        assert_eq!(problems.len(), 4, "{problems:?}");
    }

    #[test]
    fn changes_lists_master_servers_and_tools() {
        let before = overrides(&json!({"servers": {"s": {"tools": {"a": {"name": "b"}}}}}));
        let after = overrides(
            &json!({"master": {"tools": {"*": {"enabled": false}}}, "servers": {"s": {"enabled": true, "tools": {"a": {}}}}}),
        );
        let listed: Vec<_> =
            changes(&before, &after).into_iter().map(|one| (one.server, one.tool, one.fields)).collect();
        assert_eq!(
            listed,
            [
                (None, "*".into(), vec!["enabled"]),
                (Some("s".into()), "*".into(), vec!["enabled"]),
                (Some("s".into()), "a".into(), vec!["name"])
            ]
        );
    }
}
