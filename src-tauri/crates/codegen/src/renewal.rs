//! Bringing one wrapper up to date: whether its file is replaced, and why.

use schemascope_model::{Strategy, Timestamp};

use crate::folder::{File, is_ours};
use crate::region::{Region, sealed};
use crate::tool::{Entry, Language, Names, Tool, Wrapper};

/// How files are brought up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Writing {
    /// The time that the manifest says.
    pub at: Timestamp,
    /// Whether regions that were edited by hand are replaced.
    pub force: bool,
}

/// A wrapper whose text changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Id of the tool.
    pub tool_id: String,
    /// Language of the wrapper.
    pub lang: Language,
    /// Path of the wrapper in the folder.
    pub file: String,
    /// Why it changed.
    pub why: String,
    /// Whether the wrapper was edited by hand, so that the new text is beside it.
    pub edited: bool,
}

/// A wrapper that was brought up to date.
pub(crate) struct Renewed {
    pub(crate) entry: Entry,
    pub(crate) file: File,
    /// A file with an earlier text that was not taken.
    pub(crate) obsolete: Option<String>,
    pub(crate) change: Option<Change>,
    pub(crate) is_edited: bool,
}

/// Path of the new text beside a wrapper that was edited by hand.
pub fn beside(file: &str) -> String {
    format!("{file}.new")
}

/// The text of a wrapper with the region of the text beside it. What stands around the region stays. None without a
/// region: then nothing says what belongs to the user.
pub fn taken(existing: &str, offered: &str) -> Option<String> {
    let (own, new) = (Region::find(existing)?, Region::find(offered)?);
    Some(own.replaced(new.text()))
}

/// A wrapper as its file has it, unless more than the number of observations has changed.
pub(crate) fn renewed(
    tool: &Tool,
    names: &Names,
    language: Language,
    before: Option<&Entry>,
    existing: impl Fn(&str) -> Option<String>,
    writing: Writing,
) -> Renewed {
    if let Some(unchanged) =
        before.and_then(|entry| unchanged(tool, names, language, entry, &existing, writing))
    {
        return unchanged;
    }
    let Wrapper { mut entry, text } = print(tool, names, language);
    let path = entry.file.clone();
    let old = existing(&path);
    let region = old.as_deref().and_then(Region::find);
    // A file that we wrote and that has lost its marks was edited too.
    let was_written = before.is_some_and(|entry| entry.file == path);
    let is_edited = match (&region, &old) {
        (Some(region), _) => region.is_edited(),
        (None, Some(old)) => !old.is_empty() && (was_written || is_ours(&path, old)),
        (None, None) => false,
    };
    // Without marks, nothing says what belongs to the user.
    let lost_marks = is_edited && region.is_none();
    let file = match &region {
        Some(region) => region.replaced(&text),
        None => text,
    };
    let is_same_text = old.as_ref() == Some(&file);
    let why = match before {
        _ if lost_marks => {
            "its marked region is incomplete, so the file stays; delete it or restore the marks".to_owned()
        }
        _ if is_edited && writing.force => "--force replaced what was edited by hand".to_owned(),
        Some(_) if old.is_none() => "its file was missing".to_owned(),
        before => why(before, &entry),
    };
    (entry.written_at, entry.why) = (Some(writing.at), why.clone());
    let beside_it = is_edited && (lost_marks || !writing.force);
    let change =
        Change { tool_id: entry.tool_id.clone(), lang: language, file: path.clone(), why, edited: beside_it };
    let obsolete = (!beside_it).then(|| beside(&path));
    let file = File { path: if beside_it { beside(&path) } else { path }, text: file };
    Renewed { entry, file, obsolete, change: (!is_same_text).then_some(change), is_edited: beside_it }
}

/// The wrapper, if nothing but the number of observations has changed since it was written.
fn unchanged(
    tool: &Tool,
    names: &Names,
    language: Language,
    before: &Entry,
    existing: impl Fn(&str) -> Option<String>,
    writing: Writing,
) -> Option<Renewed> {
    let old = existing(&before.file).filter(|old| !old.is_empty())?;
    let same = Tool { observation_count: before.observation_count, ..tool.clone() };
    let Wrapper { mut entry, text } = print(&same, names, language);
    if standing(&entry) != standing(before) || entry.file != before.file {
        return None;
    }
    let region = Region::find(&old);
    let is_edited = region.is_none_or(|region| region.is_edited());
    let is_forced = writing.force && region.is_some();
    let is_current = match region {
        Some(region) if !is_edited => region.is(&text),
        // The new text was offered already.
        _ => before.digest == entry.digest && !is_forced,
    };
    if !is_current {
        return None;
    }
    (entry.written_at, entry.why) = (before.written_at, before.why.clone());
    let file = File { path: entry.file.clone(), text: old };
    Some(Renewed { entry, file, obsolete: None, change: None, is_edited })
}

fn print(tool: &Tool, names: &Names, language: Language) -> Wrapper {
    let Wrapper { mut entry, text } = match language {
        Language::Python => crate::python::print(tool, names),
        Language::Typescript => crate::typescript::print(tool, names),
        Language::Rust => crate::rust::print(tool, names),
    };
    let (text, digest) = sealed(&text);
    entry.digest = digest;
    Wrapper { entry, text }
}

fn standing(entry: &Entry) -> impl PartialEq + use<> {
    (entry.strategy, entry.source, entry.quality, entry.version)
}

/// What changed, in words.
fn why(before: Option<&Entry>, now: &Entry) -> String {
    let Some(before) = before else { return "first written".to_owned() };
    let mut parts = Vec::new();
    if before.quality != now.quality {
        parts.push(format!("{} → {}", before.quality, now.quality));
    }
    if before.strategy != now.strategy {
        parts.push(format!("{} → {}", strategy(before.strategy), strategy(now.strategy)));
    }
    if parts.is_empty() && before.source != now.source {
        parts.push(format!("{} → {}", before.source, now.source));
    }
    match (before.version, now.version) {
        (Some(old), Some(new)) if old != new => parts.push(format!("version {old} → {new}")),
        (None, Some(new)) => parts.push(format!("version {new} takes effect")),
        (Some(old), None) => parts.push(format!("version {old} no longer applies")),
        _ => {}
    }
    if parts.is_empty() {
        parts.push("its schema or description changed".to_owned());
    }
    let count = now.observation_count;
    parts.push(format!("{count} observation{}", if count == 1 { "" } else { "s" }));
    parts.join(", ")
}

fn strategy(strategy: Strategy) -> &'static str {
    match strategy {
        Strategy::Typed => "typed",
        Strategy::Inferred => "inferred",
        Strategy::Helper => "helper",
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::{BTreeMap, BTreeSet};

    use schemascope_model::{Quality, Source};
    use serde_json::json;

    use super::*;
    use crate::folder::{Manifest, Update, update};

    #[derive(Default)]
    struct Folder {
        files: RefCell<BTreeMap<String, String>>,
        manifest: Manifest,
    }

    const FILE: &str = "servers/shop/get.py";

    impl Folder {
        fn update(&mut self, tool: &Tool, at: u64, force: bool) -> Update {
            let all = [("shop".to_owned(), "get".to_owned())];
            let languages = BTreeSet::from([Language::Python]);
            let existing = |path: &str| self.files.borrow().get(path).cloned();
            let writing = Writing { at: Timestamp::from_millis(at), force };
            let done =
                update(std::slice::from_ref(tool), &all, &languages, &self.manifest, existing, writing);
            let mut files = self.files.borrow_mut();
            done.obsolete.iter().for_each(|path| drop(files.remove(path)));
            files.extend(done.files.iter().map(|file| (file.path.clone(), file.text.clone())));
            self.manifest = done.manifest.clone();
            drop(files);
            done
        }

        fn text(&self, path: &str) -> Option<String> {
            self.files.borrow().get(path).cloned()
        }

        fn edit(&self, from: &str, to: &str) {
            let text = self.text(FILE).unwrap();
            assert!(text.contains(from), "{text}");
            self.files.borrow_mut().insert(FILE.to_owned(), text.replace(from, to));
        }
    }

    fn tool(quality: Quality, observation_count: u64) -> Tool {
        Tool {
            id: "shop__get".parse().unwrap(),
            description: "Gets".to_owned(),
            strategy: Strategy::Inferred,
            source: Source::Inferred,
            quality,
            observation_count,
            version: None,
            input_schema: json!({"type": "object"}),
            output_schema: Some(json!({"type": "object", "properties": {"id": {"type": "string"}}})),
            is_text: false,
            is_gone: false,
        }
    }

    #[test]
    fn observations_alone_change_nothing_and_quality_says_why() {
        let mut folder = Folder::default();
        let first = folder.update(&tool(Quality::Low, 3), 1, false);
        assert_eq!(first.changes[0].why, "first written");
        let (files, manifest) = (folder.files.clone(), folder.manifest.clone());
        assert!(folder.update(&tool(Quality::Low, 5), 2, false).changes.is_empty());
        assert_eq!((&folder.files, &folder.manifest), (&files, &manifest));
        let changed = folder.update(&tool(Quality::Medium, 12), 3, false);
        assert_eq!(changed.changes[0].why, "low → medium, 12 observations");
        let entry = &folder.manifest.tools[0];
        assert_eq!((entry.written_at, entry.observation_count), (Some(Timestamp::from_millis(3)), 12));
        folder.files.borrow_mut().remove(FILE);
        assert_eq!(
            folder.update(&tool(Quality::Medium, 12), 4, false).changes[0].why,
            "its file was missing"
        );
    }

    #[test]
    fn edited_region_stays_and_new_text_is_beside_it_until_forced() {
        let mut folder = Folder::default();
        folder.update(&tool(Quality::Low, 3), 1, false);
        folder.edit("async def get", "# note\nasync def get");
        let edited = folder.text(FILE);
        let done = folder.update(&tool(Quality::Low, 4), 2, false);
        assert_eq!((done.changes.len(), done.edited), (0, vec![FILE.to_owned()]));
        let done = folder.update(&tool(Quality::Medium, 12), 3, false);
        assert!(done.changes[0].edited, "{done:?}");
        let offered = folder.text(&beside(FILE)).unwrap();
        assert!(offered.contains("quality medium, 12 observations"), "{offered}");
        assert_eq!(folder.text(FILE), edited);
        // The same text is not offered again.
        let files = folder.files.clone();
        assert!(folder.update(&tool(Quality::Medium, 14), 4, false).changes.is_empty());
        assert_eq!(folder.files, files);
        let done = folder.update(&tool(Quality::Medium, 14), 5, true);
        assert_eq!(done.changes.len(), 1);
        assert_eq!((folder.text(&beside(FILE)), done.edited.len()), (None, 0));
        assert!(!folder.text(FILE).unwrap().contains("# note"));
    }

    #[test]
    fn taken_text_is_current_and_lost_marks_are_an_edit() {
        let mut folder = Folder::default();
        folder.update(&tool(Quality::Low, 3), 1, false);
        folder.edit("async def get", "# note\nasync def get");
        folder.update(&tool(Quality::Medium, 12), 2, false);
        let offered = folder.files.borrow_mut().remove(&beside(FILE)).unwrap();
        folder.files.borrow_mut().insert(FILE.to_owned(), offered);
        let done = folder.update(&tool(Quality::Medium, 13), 3, false);
        assert!(done.changes.is_empty() && done.edited.is_empty(), "{done:?}");
        let text = folder.text(FILE).unwrap();
        let edited = format!("# above\n{}", text.replace("async def get", "# note\nasync def get"));
        assert_eq!(taken(&edited, &text), Some(format!("# above\n{text}")));
        assert_eq!(
            taken(&edited.replace("# schemascope: end", ""), &text),
            None,
            "the user's text would be lost"
        );
        folder.edit("# schemascope: end", "");
        let text = folder.text(FILE);
        for force in [false, true] {
            let done = folder.update(&tool(Quality::High, if force { 200 } else { 100 }), 4, force);
            assert_eq!((done.edited, folder.text(FILE)), (vec![FILE.to_owned()], text.clone()));
        }
        let before = folder.update(&tool(Quality::Low, 1), 5, true);
        assert!(before.changes[0].edited && before.changes[0].why.contains("incomplete"), "{before:?}");
        assert_eq!(folder.text(FILE), text);
    }
}
