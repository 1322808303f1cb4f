//! The library of Discovery Schemas: our own files and the user's.
//!
//! A file that cannot be used is listed with line and reason, and hides no other. Where an id occurs twice, our own file
//! is used.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::limits::MAX_FILES;
use crate::names::suggestion;
use crate::schema::{DiscoverySchema, FileProblem, read_schema};

/// Where a file comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// It is part of Schemascope.
    Own,
    /// It is in the data directory.
    User,
}

/// A file of the library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Its path, for messages.
    pub path: String,
    /// Its text.
    pub text: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// A Discovery Schema of the library.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The Discovery Schema.
    pub schema: Arc<DiscoverySchema>,
    /// Path of its file.
    pub path: String,
    /// Where the file comes from.
    pub origin: Origin,
}

/// A file that is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusableFile {
    /// Its path.
    pub path: String,
    /// Line, from 1.
    pub line: usize,
    /// The reason.
    pub reason: String,
}

/// All Discovery Schemas.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Library {
    entries: BTreeMap<String, Entry>,
    unusable: Vec<UnusableFile>,
}

impl Library {
    /// Reads files. Order does not matter: our own come first, then by path.
    pub fn read(files: &[SourceFile]) -> Self {
        let mut library = Self::default();
        let mut files: Vec<&SourceFile> = files.iter().collect();
        files.sort_by(|one, other| (one.origin, &one.path).cmp(&(other.origin, &other.path)));
        for (at, file) in files.into_iter().enumerate() {
            if at >= MAX_FILES {
                library.reject(&file.path, 1, format!("only {MAX_FILES} files are read"));
                continue;
            }
            match read_schema(&file.text) {
                Ok(schema) => library.add(file, schema),
                Err(FileProblem { line, reason }) => library.reject(&file.path, line, reason),
            }
        }
        library.remove_cycles();
        library
    }

    fn reject(&mut self, path: &str, line: usize, reason: String) {
        self.unusable.push(UnusableFile { path: path.to_owned(), line, reason });
    }

    fn add(&mut self, file: &SourceFile, schema: DiscoverySchema) {
        if let Some(known) = self.entries.get(&schema.id) {
            let whose =
                if known.origin == Origin::Own { "the library's own file is used" } else { "it is used" };
            let reason = format!("the id {:?} is also that of {}; {whose}", schema.id, known.path);
            let line = line_of(&schema.text, &schema.id);
            self.reject(&file.path, line, reason);
            return;
        }
        let id = schema.id.clone();
        let entry = Entry { schema: Arc::new(schema), path: file.path.clone(), origin: file.origin };
        self.entries.insert(id, entry);
    }

    /// Removes Discovery Schemas that are among their own prerequisites.
    fn remove_cycles(&mut self) {
        let ids: Vec<String> = self.entries.keys().cloned().collect();
        let mut removed = Vec::new();
        for id in ids {
            if let Some(cycle) = self.cycle(&id) {
                removed.push((id, cycle));
            }
        }
        for (id, cycle) in removed {
            if let Some(entry) = self.entries.remove(&id) {
                let line = line_of(&entry.schema.text, "prerequisites");
                let reason = format!("its prerequisites form a cycle: {}", cycle.join(" → "));
                self.reject(&entry.path, line, reason);
            }
        }
    }

    /// Returns the shortest way from a Discovery Schema over prerequisites back to itself.
    fn cycle(&self, start: &str) -> Option<Vec<String>> {
        let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
        let mut waiting = vec![start];
        while !waiting.is_empty() {
            let mut next = Vec::new();
            for id in waiting {
                let Some(entry) = self.entries.get(id) else { continue };
                for prerequisite in &entry.schema.prerequisites {
                    if prerequisite == start {
                        return Some(way(&came_from, start, id));
                    }
                    if !came_from.contains_key(prerequisite.as_str()) {
                        came_from.insert(prerequisite, id);
                        next.push(prerequisite.as_str());
                    }
                }
            }
            waiting = next;
        }
        None
    }

    /// Returns a Discovery Schema.
    pub fn get(&self, id: &str) -> Option<&Arc<DiscoverySchema>> {
        self.entries.get(id).map(|entry| &entry.schema)
    }

    /// Lists all Discovery Schemas by id.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    /// Lists the files that are not used.
    pub fn unusable(&self) -> &[UnusableFile] {
        &self.unusable
    }

    /// Lists prerequisites that no file has: the id of the Discovery Schema, and the prerequisite.
    pub fn unknown_prerequisites(&self) -> Vec<(String, String)> {
        let mut unknown = Vec::new();
        for entry in self.entries() {
            for prerequisite in &entry.schema.prerequisites {
                if !self.entries.contains_key(prerequisite) {
                    unknown.push((entry.schema.id.clone(), prerequisite.clone()));
                }
            }
        }
        unknown
    }

    /// Returns how many prerequisites have to follow one another before a Discovery Schema.
    pub(crate) fn depth(&self, id: &str) -> usize {
        let mut depth = 0;
        let mut level: BTreeSet<&str> = BTreeSet::from([id]);
        // Without cycles, a way has at most as many steps as there are entries.
        while depth <= self.entries.len() {
            let entries = level.iter().filter_map(|id| self.entries.get(*id));
            let next: BTreeSet<&str> =
                entries.flat_map(|entry| entry.schema.prerequisites.iter().map(String::as_str)).collect();
            if next.is_empty() {
                break;
            }
            depth += 1;
            level = next;
        }
        depth
    }

    /// Returns `; did you mean …?` for an id that no file has.
    pub(crate) fn suggestion(&self, id: &str) -> String {
        let ids: Vec<&str> = self.entries.keys().map(String::as_str).collect();
        suggestion(id, &ids)
    }
}

/// Returns the way from `start` to `end`, and back to `start`.
fn way(came_from: &BTreeMap<&str, &str>, start: &str, end: &str) -> Vec<String> {
    let mut way = vec![start.to_owned()];
    let mut at = end;
    while at != start {
        way.push(at.to_owned());
        match came_from.get(at) {
            Some(&before) => at = before,
            None => break,
        }
    }
    way.push(start.to_owned());
    way.reverse();
    way
}

/// Line of the first place where a text in quotes occurs, from 1.
fn line_of(text: &str, word: &str) -> usize {
    let at = text.find(&format!("\"{word}\"")).unwrap_or(0);
    1 + text.get(..at).unwrap_or_default().matches('\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, origin: Origin, id: &str, prerequisites: &str) -> SourceFile {
        let text =
            format!("{{\"prerequisites\": [{prerequisites}],\n\"DS\": {{\"DS-id\": \"{id}\", \"a\": 1}}}}");
        SourceFile { path: path.to_owned(), text, origin }
    }

    #[test]
    fn own_file_wins_over_the_users_and_says_so() {
        let files = [file("a.json", Origin::User, "p/x", ""), file("z.json", Origin::Own, "p/x", "")];
        let library = Library::read(&files);
        assert_eq!(library.entries().next().unwrap().path, "z.json");
        let problem = library.unusable().first().unwrap();
        assert_eq!((problem.path.as_str(), problem.line), ("a.json", 2));
        assert!(problem.reason.contains("own file is used"), "{}", problem.reason);
    }

    #[test]
    fn unusable_file_hides_no_other() {
        let broken = SourceFile { path: "b.json".into(), text: "{\n,".into(), origin: Origin::User };
        let library = Library::read(&[broken, file("c.json", Origin::User, "p/c", "\"p/none\"")]);
        assert!(library.get("p/c").is_some());
        assert_eq!(library.unusable().first().unwrap().line, 2);
        assert_eq!(library.unknown_prerequisites(), [("p/c".to_owned(), "p/none".to_owned())]);
    }

    #[test]
    fn cycle_in_prerequisites_is_named() {
        let library = Library::read(&[
            file("a.json", Origin::User, "p/a", "\"p/b\""),
            file("b.json", Origin::User, "p/b", "\"p/a\""),
            file("c.json", Origin::User, "p/c", "\"p/a\""),
            file("d.json", Origin::User, "p/d", "\"p/d\""),
        ]);
        let reasons: Vec<&str> = library.unusable().iter().map(|problem| problem.reason.as_str()).collect();
        assert_eq!(reasons.len(), 3, "{reasons:?}");
        assert!(reasons.iter().any(|reason| reason.contains("p/a → p/b → p/a")), "{reasons:?}");
        assert!(reasons.iter().any(|reason| reason.contains("p/d → p/d")), "{reasons:?}");
        assert!(library.get("p/c").is_some());
    }

    #[test]
    fn depth_counts_prerequisites_in_a_row() {
        let library = Library::read(&[
            file("a.json", Origin::Own, "p/a", ""),
            file("b.json", Origin::Own, "p/b", "\"p/a\""),
            file("c.json", Origin::Own, "p/c", "\"p/b\", \"p/a\""),
        ]);
        assert_eq!((library.depth("p/a"), library.depth("p/c")), (0, 2));
    }
}
