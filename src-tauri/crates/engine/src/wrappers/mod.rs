//! Wrappers in folders of the user: writing them, remembering where, and keeping them current.

mod evolver;
mod folder;
mod known;
mod state;
mod targets;
mod tokens;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use schemascope_api::{
    ApiError, ErrorKind, EvolvedTarget, ModelFrom, WrapperChange, WrapperEvent, WrapperFilter, WrapperTarget,
    WrapperTool, WrittenWrappers,
};
use schemascope_codegen::{
    Change, Language, Manifest, Pruned, Strategy, Tool, Update, Writing, beside, prune, update,
};
use schemascope_model::{Quality, SEPARATOR, Timestamp, ToolId};
use serde::Deserialize;
use serde::de::IntoDeserializer;

use crate::config::settings::LiveSettings;
use crate::recording::events::Events;
pub(crate) use evolver::{Evolver, Look};
use folder::{Root, WrapperFolder, WriteError};
pub(crate) use known::KnownTools;
use targets::{TargetFile, TargetsError};
pub(crate) use tokens::tokens;

/// Writes wrappers, one folder at a time.
pub(crate) struct Wrappers {
    pub(crate) known: KnownTools,
    targets: TargetFile,
    settings: Arc<LiveSettings>,
    events: Arc<Events>,
    /// Held while files of targets, or the list of targets, are read and written.
    writing: Mutex<()>,
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

    /// Writes wrappers into a folder and remembers the folder. Blocks.
    pub(crate) fn write(&self, wanted: Wanted) -> Result<WrittenWrappers, WrappersError> {
        let Wanted { path, mut languages, filter, model_from, force, prune: is_pruned, unlisted, mut tools } =
            wanted;
        if !path.is_absolute() {
            return Err(WrappersError::Path(path));
        }
        text(path.clone())?;
        let _writing = self.writing.lock();
        // Reported before anything is written.
        self.targets.read()?;
        let folder = WrapperFolder::new(&path);
        let mut before = folder.manifest()?.unwrap_or_default();
        if languages.is_empty() {
            languages.extend(before.tools.iter().map(|entry| entry.lang));
        }
        if languages.is_empty() {
            languages.insert(Language::Python);
        }
        let mut pruned = Pruned::default();
        if is_pruned {
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
        let strategies = [Strategy::Typed, Strategy::Inferred, Strategy::Helper]
            .map(|strategy| tools.iter().filter(|tool| tool.strategy == strategy).count() as u64);
        let tools: Vec<Tool> = tools.into_iter().map(tool).collect::<Result<_, _>>()?;
        let update = self.update(&folder, &before, &tools, &languages, force);
        let obsolete = [update.obsolete.as_slice(), &pruned.files].concat();
        let done = folder.write(&update.files, &obsolete, Root::Create)?;
        self.targets.remember(WrapperTarget {
            path: text(resolved(&path))?,
            languages: languages.iter().map(|language| language.word().to_owned()).collect(),
            filters: vec![filter],
            model_from,
        })?;
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

    /// Brings all targets up to date, or only the wrappers of some tools. Blocks.
    pub(crate) fn evolve(
        &self,
        only: Option<&BTreeSet<ToolId>>,
        dry_run: bool,
    ) -> Result<Vec<EvolvedTarget>, WrappersError> {
        let _writing = self.writing.lock();
        let mut evolved = Vec::new();
        for target in self.targets.read()? {
            let done = self.evolve_target(&target, only, dry_run);
            let done = done.unwrap_or_else(|error| EvolvedTarget {
                path: target.path.clone(),
                problem: Some(error.to_string()),
                ..EvolvedTarget::default()
            });
            if !dry_run {
                self.announce(&done);
            }
            evolved.push(done);
        }
        Ok(evolved)
    }

    fn evolve_target(
        &self,
        target: &WrapperTarget,
        only: Option<&BTreeSet<ToolId>>,
        dry_run: bool,
    ) -> Result<EvolvedTarget, WrappersError> {
        let mut evolved = EvolvedTarget { path: target.path.clone(), ..EvolvedTarget::default() };
        let folder = WrapperFolder::new(&target.path);
        let Some(before) = folder.manifest()? else {
            evolved.gone = true;
            if !dry_run {
                self.targets.forget(&target.path)?;
            }
            return Ok(evolved);
        };
        let languages = languages(&target.languages)?;
        let mut known = self.known.tools(|id| {
            let name = id.to_string();
            only.is_none_or(|only| only.contains(id))
                && target.filters.iter().any(|filter| filter.includes(id.server(), &name))
        });
        // A tool that is no longer listed keeps its wrapper, and gets none.
        known.retain(|(id, tool)| {
            let name = id.to_string();
            tool.declaration.is_some() || before.tools.iter().any(|entry| entry.tool_id == name)
        });
        if known.is_empty() {
            return Ok(evolved);
        }
        let model_from = target.model_from.unwrap_or_else(|| self.least_quality());
        let tools = known.iter().map(|(id, known)| tool(self.known.wrapper_tool(id, known, model_from)));
        let tools: Vec<Tool> = tools.collect::<Result<_, _>>()?;
        let update = self.update(&folder, &before, &tools, &languages, false);
        if dry_run {
            folder.outdated(&update.files)?;
        } else {
            folder.write(&update.files, &update.obsolete, Root::Existing)?;
        }
        evolved.changes = update.changes.into_iter().map(change).collect();
        evolved.edited = update.edited;
        Ok(evolved)
    }

    /// Logs what was done, and shows it to fronts.
    fn announce(&self, evolved: &EvolvedTarget) {
        log(evolved);
        let at = Timestamp::now();
        let event = |change: &WrapperChange| WrapperEvent {
            at,
            folder: evolved.path.clone(),
            change: change.clone(),
        };
        if !evolved.changes.is_empty() {
            self.events.wrappers_changed(evolved.changes.iter().map(event));
        }
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

/// One line per change.
fn log(evolved: &EvolvedTarget) {
    let EvolvedTarget { path, gone, problem, changes, .. } = evolved;
    if *gone {
        tracing::info!(folder = %path, "the folder has no wrappers any more and is no longer kept current");
    }
    if let Some(problem) = problem {
        tracing::warn!(folder = %path, %problem, "wrappers cannot be kept current");
    }
    for WrapperChange { tool_id, file, why, edited, .. } in changes {
        let file = Path::new(path).join(file);
        if *edited {
            let new = beside(&file.display().to_string());
            tracing::warn!(tool = %tool_id, file = %file.display(), new = %new, "the wrapper was edited by hand and stays; the new text is beside it: {why}");
        } else {
            tracing::info!(tool = %tool_id, file = %file.display(), "wrapper replaced: {why}");
        }
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
