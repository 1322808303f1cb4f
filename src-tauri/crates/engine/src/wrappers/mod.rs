//! Wrappers in folders of the user: writing them, remembering where, and keeping them current.

mod current;
mod evolution;
mod evolver;
mod folder;
mod known;
mod state;
mod targets;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use schemascope_api::{
    ApiError, ErrorKind, ModelFrom, WrapperChange, WrapperFilter, WrapperTarget, WrapperTool, WrittenWrappers,
};
use schemascope_codegen::{Change, Language, Manifest, Pruned, Tool, Update, Writing, prune, update};
use schemascope_model::{Quality, SEPARATOR, Timestamp};
use serde::Deserialize;
use serde::de::IntoDeserializer;

use crate::config::settings::LiveSettings;
use crate::recording::events::Events;
use current::{Basis, Current};
pub(crate) use evolver::{Evolver, Look};
use folder::{Root, WrapperFolder, WriteError};
pub(crate) use known::KnownTools;
use targets::{TargetFile, TargetsError};
pub(crate) use targets::{files, set_aside};
pub(crate) use tokens::tokens;

/// Writes wrappers, one folder at a time.
pub(crate) struct Wrappers {
    pub(crate) known: KnownTools,
    targets: TargetFile,
    settings: Arc<LiveSettings>,
    events: Arc<Events>,
    /// Folders that were current, by path. Locked while files of targets, or the list of targets, are read and written.
    writing: Mutex<BTreeMap<String, Current>>,
}

/// What is written by [`Wrappers::write`].
pub(crate) struct Wanted {
    pub(crate) path: PathBuf,
    /// Languages; those that the folder has if empty.
    pub(crate) languages: BTreeSet<Language>,
    pub(crate) filter: WrapperFilter,
    pub(crate) model_from: Option<Quality>,
    pub(crate) force: bool,
    pub(crate) prune: bool,
    /// Servers that could not be listed: nothing is known to be gone from them.
    pub(crate) unlisted: BTreeSet<String>,
    pub(crate) tools: Vec<WrapperTool>,
    /// The latest event that the tools take into account.
    pub(crate) event: u64,
}

/// Why wrappers were not written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WrappersError {
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Targets(#[from] TargetsError),
    #[error("{0:?} is not a tool id")]
    ToolId(String),
    #[error("there is no language {0:?} for wrappers")]
    Language(String),
    #[error("{0:?} is not an absolute path in UTF-8")]
    Path(PathBuf),
    #[error("the wrappers in {0:?} are not kept current; generate --targets lists the folders that are")]
    NoTarget(String),
    #[error("{0:?} is no wrapper with another text beside it; it was taken or removed already")]
    NothingBeside(String),
    #[error("the marked region of {0:?} is incomplete, so the file stays; delete it or restore the marks")]
    NoRegion(String),
}

impl From<WrappersError> for ApiError {
    fn from(error: WrappersError) -> Self {
        Self::new(ErrorKind::Invalid, error.to_string())
    }
}

impl Wrappers {
    pub(crate) fn new(
        data: &Path,
        known: KnownTools,
        settings: &Arc<LiveSettings>,
        events: &Arc<Events>,
    ) -> Self {
        let (settings, events) = (Arc::clone(settings), Arc::clone(events));
        Self { known, targets: TargetFile::new(data), settings, events, writing: Mutex::default() }
    }

    /// Folders whose wrappers are kept current.
    pub(crate) fn targets(&self) -> Result<Vec<WrapperTarget>, WrappersError> {
        Ok(self.targets.read()?)
    }

    /// Stops keeping a folder current. Returns whether it was a target.
    pub(crate) fn forget(&self, path: &Path) -> Result<bool, WrappersError> {
        let _writing = self.writing.lock();
        Ok(self.targets.forget(&text(resolved(path))?)?)
    }

    /// Least quality of inferred schemas by the setting.
    pub(crate) fn least_quality(&self) -> Quality {
        match self.settings.now().model_from {
            ModelFrom::Low => Quality::Low,
            ModelFrom::Medium => Quality::Medium,
            ModelFrom::High => Quality::High,
        }
    }

    /// Least quality of inferred schemas in a folder, if it is a target that has one of its own.
    pub(crate) fn model_from(&self, path: &Path) -> Result<Option<Quality>, WrappersError> {
        let path = text(resolved(path))?;
        Ok(self
            .targets()?
            .into_iter()
            .find(|target| target.path == path)
            .and_then(|target| target.model_from))
    }

    /// What [`write`](Self::write) would return if nothing has changed since; none if something may have. Blocks.
    pub(crate) fn unchanged(
        &self,
        path: &Path,
        languages: &BTreeSet<Language>,
        filter: &WrapperFilter,
        model_from: Option<Quality>,
    ) -> Result<Option<WrittenWrappers>, WrappersError> {
        let path = text(resolved(path))?;
        let writing = self.writing.lock();
        let Some(current) = writing.get(&path) else { return Ok(None) };
        let words = words(languages);
        let is_wanted = |target: &WrapperTarget| {
            target.path == path
                && (words.is_empty() || target.languages == words)
                && target.filters.as_slice() == std::slice::from_ref(filter)
                && target.model_from == model_from
        };
        let Some(target) = self.targets.read()?.into_iter().find(is_wanted) else { return Ok(None) };
        let basis = Basis { target, model_from: model_from.unwrap_or_else(|| self.least_quality()) };
        let seen = current.event(&basis, &WrapperFolder::new(&path));
        let (changed, _) = self.events.tools_since(seen);
        Ok(changed.is_some_and(|changed| changed.is_empty()).then(|| current.written()))
    }

    /// Writes wrappers into a folder and remembers the folder. Blocks.
    pub(crate) fn write(&self, wanted: Wanted) -> Result<WrittenWrappers, WrappersError> {
        let Wanted { path, mut languages, filter, model_from, force, unlisted, mut tools, event, .. } =
            wanted;
        if !path.is_absolute() {
            return Err(WrappersError::Path(path));
        }
        text(path.clone())?;
        let mut writing = self.writing.lock();
        // Reported before anything is written.
        self.targets.read()?;
        let folder = WrapperFolder::new(&path);
        writing.remove(&text(resolved(&path))?);
        let mut before = folder.manifest()?.unwrap_or_default();
        if languages.is_empty() {
            languages.extend(before.tools.iter().map(|entry| entry.lang));
        }
        if languages.is_empty() {
            languages.insert(Language::Python);
        }
        let mut pruned = Pruned::default();
        if wanted.prune {
            let gone: BTreeSet<String> =
                tools.iter().filter(|tool| !tool.listed).map(|tool| tool.tool_id.clone()).collect();
            let known: BTreeSet<String> = self
                .known
                .names()
                .into_iter()
                .map(|(server, tool)| format!("{server}{SEPARATOR}{tool}"))
                .collect();
            // The registry forgets tools that were never called.
            let is_forgotten = |tool_id: &str| {
                let server = tool_id.split_once(SEPARATOR).map_or("", |(server, _)| server);
                !known.contains(tool_id) && filter.includes(server, tool_id) && !unlisted.contains(server)
            };
            let read = |path: &str| folder.read(path);
            let is_gone = |tool_id: &str| gone.contains(tool_id) || is_forgotten(tool_id);
            pruned = prune(&mut before, is_gone, read, force);
            tools.retain(|tool| tool.listed);
        }
        let strategies = current::strategies(tools.iter().map(|tool| tool.strategy));
        let tools: Vec<Tool> = tools.into_iter().map(tool).collect::<Result<_, _>>()?;
        let mut update = self.update(&folder, &before, &tools, &languages, force);
        update.obsolete.extend(pruned.files);
        // A tool that took the place of one that is gone has its files.
        let is_written = |path: &String| update.files.iter().any(|file| file.path == *path);
        update.obsolete.retain(|path| !is_written(path));
        pruned.wrappers.retain(|path| !is_written(path));
        let done = folder.write(&update.files, &update.obsolete, Root::Create)?;
        let target = WrapperTarget {
            path: text(resolved(&path))?,
            languages: words(&languages),
            filters: vec![filter],
            model_from,
        };
        if self.targets.remember(target.clone())? == target {
            let basis = Basis { model_from: model_from.unwrap_or_else(|| self.least_quality()), target };
            let path = basis.target.path.clone();
            let mut current = Current::new(basis, event);
            current.wrote(&update, &folder, None);
            writing.insert(path, current);
        }
        Ok(WrittenWrappers {
            wrapper_count: update.manifest.tools.len() as u64,
            strategies,
            files_written: done.written as u64,
            files_current: done.current as u64,
            changes: update.changes.into_iter().map(change).collect(),
            edited: update.edited,
            pruned: pruned.wrappers,
            kept: pruned.kept,
            unlisted: Vec::new(),
        })
    }

    fn update(
        &self,
        folder: &WrapperFolder,
        before: &Manifest,
        tools: &[Tool],
        languages: &BTreeSet<Language>,
        force: bool,
    ) -> Update {
        let writing = Writing { at: Timestamp::now(), force };
        update(tools, &self.known.names(), languages, before, |path| folder.read(path), writing)
    }
}

/// Languages by their words.
pub(crate) fn languages(words: &[String]) -> Result<BTreeSet<Language>, WrappersError> {
    let language = |word: &String| {
        let read: Result<Language, serde::de::value::Error> =
            Language::deserialize(word.as_str().into_deserializer());
        read.map_err(|_| WrappersError::Language(word.clone()))
    };
    words.iter().map(language).collect()
}

/// Words of languages, as [`TargetFile`] keeps them.
fn words(languages: &BTreeSet<Language>) -> Vec<String> {
    let mut words: Vec<String> = languages.iter().map(|language| language.word().to_owned()).collect();
    words.sort();
    words
}

/// The path without links and `..`, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let of_parent = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(of_parent).unwrap_or_else(|| path.to_owned())
}

fn text(path: PathBuf) -> Result<String, WrappersError> {
    path.into_os_string().into_string().map_err(|path| WrappersError::Path(path.into()))
}

fn change(change: Change) -> WrapperChange {
    let Change { tool_id, lang, file, why, edited } = change;
    WrapperChange { tool_id, lang: lang.word().to_owned(), file, why, edited }
}

/// A tool as the printers take it.
pub(crate) fn tool(known: WrapperTool) -> Result<Tool, WrappersError> {
    Ok(Tool {
        id: known.tool_id.parse().map_err(|_| WrappersError::ToolId(known.tool_id.clone()))?,
        description: known.description,
        strategy: known.strategy,
        source: known.source,
        quality: known.quality,
        observation_count: known.observation_count,
        version: known.version,
        input_schema: known.input_schema,
        output_schema: known.output_schema,
        is_text: known.is_text,
        is_gone: !known.listed,
    })
}
