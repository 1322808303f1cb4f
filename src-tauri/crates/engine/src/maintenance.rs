//! Maintenance of a store that no engine has open: verifying, rebuilding, redacting. The data directory is locked
//! meanwhile.

use std::path::{Path, PathBuf};

use schemascope_model::Timestamp;
use schemascope_redact::Redactor;
use schemascope_registry::Registry;
use schemascope_registry::exchange::Bundle;
use schemascope_shape::HashKey;
use schemascope_store::{Rebuilt, Report};

use crate::cli_tools;
use crate::config::mcp_json::LoadedConfig;
use crate::config::redaction;
use crate::data::{DataDir, DataDirError, ReadableCopy};
use crate::engine::Engine;
use crate::options::{OpenError, Options};
use crate::recording::replay::Replay;
use crate::recording::stored_redaction::{Found, StoredRedaction};

/// Outcome of redacting a store, or of a dry run.
#[derive(Debug)]
pub struct RedactedStore {
    /// Findings.
    pub found: Found,
    /// Damaged places, whose contents are unknown.
    pub unreadable: u64,
    /// The rebuilt index; none after a dry run.
    pub index: Option<Rebuilt>,
    /// Files of users in which secrets are left. They are not changed without the user.
    pub left: Vec<PathBuf>,
    /// The file that servers are usually configured in, if there is none, so that the secrets of servers are unknown.
    pub without_config: Option<PathBuf>,
}

/// Compares journal, index, states and audit log in a data directory. Repairs nothing. Data that cannot be written to is
/// copied for this.
pub fn verify(data_dir: &Path) -> Result<Report, OpenError> {
    let copy = ReadableCopy::of(data_dir)?;
    let data_dir = copy.as_ref().map_or(data_dir, ReadableCopy::path);
    with_store(data_dir, |dir, replay| Ok(schemascope_store::verify(dir, replay)?))
}

/// Rebuilds the index in a data directory from the journal.
pub fn rebuild(data_dir: &Path) -> Result<Rebuilt, OpenError> {
    with_store(data_dir, |dir, replay| Ok(schemascope_store::rebuild(dir, replay)?))
}

/// Applies today's redaction rules and the values of the configuration to everything that is stored. A dry run only
/// counts. `progress` is called with the number of segments done and of all segments.
///
/// Needs a tokio runtime; blocks while the store is rewritten.
pub async fn redact_stored(
    options: &Options,
    dry_run: bool,
    progress: impl FnMut(u64, u64),
) -> Result<RedactedStore, OpenError> {
    let config = LoadedConfig::read(&options.config);
    let without_config = !config.path.exists();
    // The usual place is empty where everything recorded came from elsewhere.
    let is_usual = config.path == options.data_dir.join("mcp.json");
    if let Some(problem) = config.problem.clone().filter(|_| !without_config || !is_usual) {
        return Err(OpenError::Config { path: config.path, problem });
    }
    if let Some((name, reason)) = config.config.first_unreadable() {
        let problem = format!("has an entry {name:?} whose secrets are not known: {reason}");
        return Err(OpenError::Config { path: config.path, problem });
    }
    let tools = values_of_tools(&options.ai_tools())?;
    let (mut done, redactor) = with_store(&options.data_dir, |dir, replay| {
        let redactor = redaction(dir, &config, &tools)?.now();
        let mut stored = StoredRedaction::new(&redactor, progress);
        let done = match dry_run {
            true => schemascope_store::rehearse(dir, &mut stored)?,
            false => schemascope_store::redact(dir, &mut stored, replay)?,
        };
        let index = (!dry_run).then_some(done.index);
        let (found, unreadable) = (stored.found, done.unreadable);
        let without_config = without_config.then(|| config.path.clone());
        Ok((RedactedStore { found, unreadable, index, left: Vec::new(), without_config }, redactor))
    })?;
    let overrides = options.overrides();
    let holds = |file: &Path| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        redactor.finds_in_schemas(&text)
    };
    if !dry_run {
        DataDir::own(&options.data_dir)?.note_redaction(Timestamp::now())?;
        // Opening the engine brings the file of overrides in line with the redacted decisions.
        Engine::open(options)?.close().await;
    }
    // Files of the user and of other machines are reported, not changed.
    let theirs = crate::knowledge::team::files(&options.data_dir);
    // Earlier versions kept what an import replaced.
    let replaced = theirs.iter().chain([&overrides]).map(|file| crate::files::backup_of(file));
    let holds_backup = |file: &PathBuf| holds(file) || file.parent() != overrides.parent() && file.exists();
    for file in replaced.filter(|file| !dry_run && holds_backup(file)) {
        std::fs::remove_file(&file).map_err(|error| DataDirError::Io { path: file, error })?;
    }
    let key = DataDir::own(&options.data_dir)?.hash_key()?;
    done.left.extend(Some(overrides).filter(|file| holds(file)));
    // Wrappers follow what is known the next time Schemascope runs, and may be copied before.
    let is_secret = |text: &str| matches!(redactor.text(text), std::borrow::Cow::Owned(_));
    done.left.extend(
        crate::wrappers::files(&options.data_dir)
            .into_iter()
            .filter(|file| std::fs::read_to_string(file).is_ok_and(|text| is_secret(&text))),
    );
    done.left.extend(theirs.into_iter().filter(|file| holds(file) || has_values(file, key, &redactor)));
    Ok(done)
}

/// Whether a file of another machine has observed values of fields whose name makes them secrets.
fn has_values(file: &Path, key: HashKey, redactor: &Redactor) -> bool {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let bundle = Bundle::read(&text).ok().filter(|bundle| bundle.values);
    let shares = bundle.iter().flat_map(|bundle| bundle.nodes.values()).flat_map(|node| node.tools.values());
    let mut shapes = shares.filter_map(|share| share.shape(key).ok());
    shapes.any(|shape| shape.without_secrets(redactor).is_ok_and(|without| without.is_some()))
}

/// Values of the command-line tools, which may be secrets.
fn values_of_tools(file: &Path) -> Result<Vec<(String, String)>, OpenError> {
    let unusable = |problem: String| OpenError::Config { path: file.to_owned(), problem };
    let entries = cli_tools::read(file).map_err(|error| unusable(error.to_string()))?;
    let entries = entries.into_iter().map(|entry| {
        entry
            .map(|entry| entry.values())
            .map_err(|(name, problem)| unusable(format!("has {name}: {problem}")))
    });
    Ok(entries.collect::<Result<Vec<_>, _>>()?.concat())
}

fn with_store<T>(
    data_dir: &Path,
    work: impl FnOnce(&Path, &mut Replay) -> Result<T, OpenError>,
) -> Result<T, OpenError> {
    // Owning a directory would create it.
    if !data_dir.join("journal").is_dir() {
        return Err(OpenError::NoStore(data_dir.to_owned()));
    }
    let data = DataDir::own(data_dir)?;
    let registry = Registry::with_key(data.hash_key()?).of_machine(data.first_node()?);
    work(data.path(), &mut Replay::new(registry))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::mode::Durability;

    /// It reported success, and the token stayed.
    #[tokio::test]
    async fn redact_names_the_server_whose_secrets_are_not_known() {
        let dir = tempfile::tempdir().unwrap();
        let entry = r#"{"command": "x", "env": {"TOKEN": "${SCHEMASCOPE_NO_SUCH_VARIABLE}"}}"#;
        std::fs::write(dir.path().join("mcp.json"), format!(r#"{{"mcpServers": {{"shop": {entry}}}}}"#))
            .unwrap();
        let options = Options::resolve(Some(dir.path().to_owned()), None, Durability::Relaxed).unwrap();
        let error = redact_stored(&options, true, |_, _| {}).await.unwrap_err().to_string();
        assert!(error.contains("\"shop\"") && error.contains("SCHEMASCOPE_NO_SUCH_VARIABLE"), "{error}");
    }
}
