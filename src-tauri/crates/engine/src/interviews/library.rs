//! Discovery Schemas and scripts: those that are part of the program, and the user's files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use schemascope_interview::{FileProblem, Library, MAX_FILE_BYTES, MAX_FILES, Origin, Scripts, SourceFile};
use schemascope_judge::Judge;

/// Folder of the user's files in the data directory.
const FOLDER: &str = "discovery-schemas";
/// Deepest folders in it.
const MAX_DEPTH: usize = 4;

macro_rules! embedded {
    ($folder:literal: $($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../../assets/", $folder, "/", $name, ".json")))),+]
    };
}

const OWN: &[(&str, &str)] = embedded![
    "discovery-schemas":
    "process/warm-up-with-challenges",
    "process/scheduling-problem-type",
    "process/flow-shop",
    "process/job-shop",
    "process/job-shop--classifiable",
    "process/job-shop--unique",
    "process/timetabling",
    "data/orm",
    "resources/resource-inventory",
    "optimality/objectives",
    "tool/purpose",
    "tool/output-fields",
];

const SCRIPTS: &[(&str, &str)] = embedded![
    "surrogates":
    "craft-beer",
    "ball-bearings",
    "school-timetable",
    "ship-repair",
    "forged-rings",
    "generic",
];

/// The library without files of the user.
pub(super) fn own() -> Library {
    Library::read(&own_files())
}

/// Scripts of surrogate experts.
pub(super) fn scripts() -> Scripts {
    let files: Vec<(String, String)> =
        SCRIPTS.iter().map(|(name, text)| (format!("surrogates/{name}.json"), (*text).to_owned())).collect();
    Scripts::read(&files)
}

/// Reads a file as it would be read beside the library's own. Returns the id of its Discovery Schema, or what is wrong.
pub fn check_discovery_schema(path: &Path, text: &str) -> Result<String, FileProblem> {
    let path = path.display().to_string();
    let mut files = own_files();
    files.push(SourceFile { path: path.clone(), text: text.to_owned(), origin: Origin::User });
    let library = Library::read(&files);
    if let Some(unusable) = library.unusable().iter().find(|file| file.path == path) {
        return Err(FileProblem { line: unusable.line, reason: unusable.reason.clone() });
    }
    let entry = library.entries().find(|entry| entry.path == path);
    let Some(entry) = entry else {
        return Err(FileProblem { line: 1, reason: "it has no Discovery Schema".to_owned() });
    };
    match &entry.schema.validate {
        Some(schema) if Judge::new(schema).is_broken() => {
            let reason = "\"validate\" is not a JSON Schema that can be used".to_owned();
            Err(FileProblem { line: 1, reason })
        }
        _ => Ok(entry.schema.id.clone()),
    }
}

fn own_files() -> Vec<SourceFile> {
    let file = |(name, text): &(&str, &str)| SourceFile {
        path: format!("discovery-schemas/{name}.json"),
        text: (*text).to_owned(),
        origin: Origin::Own,
    };
    OWN.iter().map(file).collect()
}

/// The user's files, read again when one of them changed.
pub(super) struct UserFiles {
    folder: PathBuf,
    /// Time and size of each file when it was read.
    known: Option<BTreeMap<PathBuf, (SystemTime, u64)>>,
}

impl UserFiles {
    pub(super) fn new(data: &Path) -> Self {
        Self { folder: data.join(FOLDER), known: None }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The library, if a file changed since it was read last.
    pub(super) fn read(&mut self) -> Option<Library> {
        let mut now = BTreeMap::new();
        list(&self.folder, 0, &mut now);
        if self.known.as_ref() == Some(&now) {
            return None;
        }
        let mut files = own_files();
        for (path, (_, size)) in &now {
            let text = match std::fs::read_to_string(path) {
                Ok(text) if *size <= MAX_FILE_BYTES as u64 => text,
                // The library says what is wrong with it.
                Ok(text) => text.chars().take(MAX_FILE_BYTES + 1).collect(),
                Err(error) => format!("cannot be read: {error}"),
            };
            files.push(SourceFile { path: path.display().to_string(), text, origin: Origin::User });
        }
        self.known = Some(now);
        Some(Library::read(&files))
    }
}

/// Lists the `.json` files below a folder. Links are not followed.
fn list(folder: &Path, depth: usize, found: &mut BTreeMap<PathBuf, (SystemTime, u64)>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten().take(MAX_FILES) {
        let Ok(metadata) = entry.metadata() else { continue };
        let path = entry.path();
        if metadata.is_dir() && depth < MAX_DEPTH {
            list(&path, depth + 1, found);
        } else if metadata.is_file()
            && path.extension().is_some_and(|extension| extension == "json")
            && found.len() < MAX_FILES
            && metadata.len() <= 4 * MAX_FILE_BYTES as u64
        {
            let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            found.insert(path, (modified, metadata.len()));
        }
    }
}
