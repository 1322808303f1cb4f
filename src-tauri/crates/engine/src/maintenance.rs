//! Looking after a store that nobody has open.
//!
//! Owns: that it is nobody's meanwhile. Refuses to know: how it is done, and how it is shown.

use std::path::{Path, PathBuf};

use schemascope_registry::Registry;
use schemascope_store::{Rebuilt, Report};

use crate::config::LoadedConfig;
use crate::data::{DataDir, DataDirError};
use crate::engine::{Engine, OpenError, Options, redaction};
use crate::redact::{Found, Stored};
use crate::replay::Replay;

/// What redacting what is stored did, or would do.
#[derive(Debug)]
pub struct RedactedStore {
    /// What was found.
    pub found: Found,
    /// Places left out because nobody can tell what is in them.
    pub unreadable: u64,
    /// The index, built anew; none if nothing was done.
    pub index: Option<Rebuilt>,
    /// Files that people edit in which something is left: they are not changed behind their backs.
    pub left: Vec<PathBuf>,
}

/// Compares journal, index, states and audit log in a data directory. Mends nothing.
pub fn verify(data_dir: &Path) -> Result<Report, OpenError> {
    with_store(data_dir, |dir, replay| Ok(schemascope_store::verify(dir, replay)?))
}

/// Builds the index in a data directory anew from the journal.
pub fn rebuild(data_dir: &Path) -> Result<Rebuilt, OpenError> {
    with_store(data_dir, |dir, replay| Ok(schemascope_store::rebuild(dir, replay)?))
}

/// Applies today's rules of redaction, and the configuration's values, to all that is stored, unless it is
/// only to be told what that would change. `progress` is told how many segments of how many are done.
///
/// Needs a tokio runtime; blocks while the store is rewritten.
pub async fn redact_stored(
    options: &Options,
    dry_run: bool,
    progress: impl FnMut(u64, u64),
) -> Result<RedactedStore, OpenError> {
    let config = LoadedConfig::read(&options.config);
    if let Some(problem) = config.problem.clone().filter(|_| config.path.exists()) {
        return Err(OpenError::Config { path: config.path, problem });
    }
    let (mut done, redactor) = with_store(&options.data_dir, |dir, replay| {
        let redactor = redaction(dir, &config)?.now();
        let mut stored = Stored::new(&redactor, progress);
        let done = match dry_run {
            true => schemascope_store::rehearse(dir, &mut stored)?,
            false => schemascope_store::redact(dir, &mut stored, replay)?,
        };
        let index = (!dry_run).then_some(done.index);
        let (found, unreadable) = (stored.found, done.unreadable);
        Ok((RedactedStore { found, unreadable, index, left: Vec::new() }, redactor))
    })?;
    let overrides = options.overrides.clone();
    let overrides = overrides.unwrap_or_else(|| options.data_dir.join(crate::overrides::FILE));
    let holds = |file: &Path| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        redactor.finds_in_schemas(&text)
    };
    if !dry_run {
        // Opening brings the file of overrides in line with what decisions say now.
        Engine::open(options)?.close().await;
        let replaced = crate::files::backup_of(&overrides);
        if holds(&replaced) {
            std::fs::remove_file(&replaced).map_err(|source| DataDirError::Io { path: replaced, source })?;
        }
    }
    // What is a person's or another machine's is told, not changed.
    let theirs = crate::team::files(&options.data_dir);
    done.left.extend(std::iter::once(overrides).chain(theirs).filter(|file| holds(file)));
    Ok(done)
}

fn with_store<T>(
    data_dir: &Path,
    work: impl FnOnce(&Path, &mut Replay) -> Result<T, OpenError>,
) -> Result<T, OpenError> {
    // Owning a directory makes it.
    if !data_dir.join("journal").is_dir() {
        return Err(OpenError::NoStore(data_dir.to_owned()));
    }
    let data = DataDir::own(data_dir)?;
    let registry = Registry::with_key(data.hash_key()?);
    work(data.path(), &mut Replay::new(registry))
}
