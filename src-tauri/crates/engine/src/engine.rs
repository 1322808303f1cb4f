//! Opening and closing an engine.
//!
//! Owns: the order in which parts come up and go down. Refuses to know: what they do.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use etcetera::BaseStrategy;
use schemascope_api::Cursor;
use schemascope_model::{IdSource, Timestamp};
use schemascope_proxy::Hub;
use schemascope_registry::Registry;
use schemascope_store::{CallQuery, IndexRecovery, Reader, Recovery};
use serde_json::{Map, Value};

use crate::config::{Configuration, LoadedConfig};
use crate::data::{DataDir, DataDirError};
use crate::decisions::{Cutter, Decisions, Turns};
use crate::effective::EffectiveSchemas;
use crate::events::{Events, Follower, SNAPSHOT_CALLS};
use crate::files::Watched;
use crate::overrides::{self, OverrideFile, Parts, Shown};
use crate::recorder::{Durability, Recorder, Recording};
use crate::redact::{Redaction, RuleError, rules};
use crate::reload::Reload;
use crate::replay::Replay;
use crate::settings::{LiveSettings, SettingsError, Tuning, adapting, retention};
use crate::status::SchemaStatus;
use crate::team::TeamFiles;
use crate::watch::Watch;

/// What an engine runs on.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where everything is kept.
    pub data_dir: PathBuf,
    /// The `mcp.json`.
    pub config: PathBuf,
    /// The file of overrides; in the data directory where none is named.
    pub overrides: Option<PathBuf>,
    /// When answers may go out.
    pub durability: Durability,
    /// Whether calls are recorded.
    pub recording: Recording,
    /// Settings for this run, by name, whatever the file of settings says.
    pub fixed: Map<String, Value>,
}

impl Options {
    /// What is not named is where it usually is: the user's data folder, `mcp.json` in it. Calls are
    /// recorded. None when this user has no such folder.
    pub fn resolve(
        data_dir: Option<PathBuf>,
        config: Option<PathBuf>,
        durability: Durability,
    ) -> Option<Self> {
        let data_dir = data_dir.or_else(|| {
            let base = etcetera::base_strategy::choose_native_strategy().ok()?;
            Some(base.data_dir().join("schemascope"))
        })?;
        let config = config.unwrap_or_else(|| data_dir.join("mcp.json"));
        let (recording, fixed, overrides) = (Recording::On, Map::new(), None);
        Some(Self { data_dir, config, overrides, durability, recording, fixed })
    }
}

/// Why an engine does not open.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The data directory cannot be owned.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] schemascope_store::Error),
    /// Nothing was ever recorded there.
    #[error("there is no store in {0}; name the data directory with --data-dir DIR")]
    NoStore(PathBuf),
    /// The recorder's thread, or the source of random numbers, is not to be had.
    #[error("the system refused what the engine needs: {0}")]
    System(std::io::Error),
    /// The user's rules of redaction are wrong.
    #[error(transparent)]
    Rules(#[from] RuleError),
    /// Settings for this run are wrong.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The configuration cannot be read, so nobody knows which secrets are in it.
    #[error("{path} {problem}; what it holds must be known to be looked for")]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}

/// Proxy, recorder, store and registry, wired.
pub struct Engine {
    pub(crate) data: DataDir,
    pub(crate) configuration: Arc<Configuration>,
    /// Files people edit.
    watched: Watched,
    pub(crate) registry: Arc<Mutex<Registry>>,
    pub(crate) reader: Reader,
    pub(crate) recorder: Arc<Recorder>,
    pub(crate) hub: Arc<Hub>,
    pub(crate) decisions: Arc<Decisions>,
    pub(crate) turns: Arc<Turns>,
    pub(crate) cutter: Arc<Cutter>,
    pub(crate) team: TeamFiles,
    status: Arc<SchemaStatus>,
    pub(crate) recovery: Vec<String>,
    pub(crate) events: Arc<Events>,
    pub(crate) redaction: Arc<Redaction>,
    pub(crate) tuning: Arc<Tuning>,
    pub(crate) overrides: Arc<OverrideFile>,
    /// Where clients reach us, once we are served.
    pub(crate) mcp_url: OnceLock<String>,
    /// One search through calls at a time.
    pub(crate) browsing: tokio::sync::Mutex<()>,
    /// One trace at a time, so that what one brings is known to the next.
    pub(crate) backfilling: tokio::sync::Mutex<()>,
}

impl Engine {
    /// Owns the data directory, opens the store, and takes the upstreams of the configuration without
    /// starting them. Needs a tokio runtime; blocks while the store is opened or rebuilt.
    pub fn open(options: &Options) -> Result<Self, OpenError> {
        let data = DataDir::own(&options.data_dir)?;
        let settings = Arc::new(LiveSettings::open(data.path(), options.fixed.clone())?);
        let now = settings.now();
        let registry = Registry::with_key(data.hash_key()?).holding(now.cut_after);
        let mut replay = Replay::new(registry);
        let (writer, reader, recovery) = schemascope_store::open(data.path(), &mut replay, Timestamp::now())?;
        let registry = Arc::new(Mutex::new(replay.registry));
        let mut start = [0; 4];
        getrandom::fill(&mut start).map_err(|error| OpenError::System(std::io::Error::other(error)))?;
        let ids = IdSource::new(data.node()?, u32::from_le_bytes(start));
        let events = Arc::new(Events::new(Timestamp::now()));
        let latest = CallQuery { limit: SNAPSHOT_CALLS, ..CallQuery::default() };
        match reader.records(&latest, |_| true) {
            Ok(page) => events.remember(&page.calls),
            Err(error) => tracing::warn!(%error, "the latest calls cannot be read"),
        }
        let watched = Watched::new();
        // Watched first, so that no edit is missed.
        let config_changes = watched.watch(&options.config);
        let config = LoadedConfig::read(&options.config);
        let redaction = Arc::new(redaction(data.path(), &config)?);
        crate::log::hide_with(Arc::clone(&redaction));
        let recorder = Recorder::start(
            writer,
            Arc::clone(&registry),
            ids,
            options.durability,
            options.recording,
            Arc::clone(&events),
            Arc::clone(&redaction),
        )
        .map_err(OpenError::System)?;
        // The queue is empty still.
        recorder.retain(retention(&now));
        let status = SchemaStatus::open(data.path(), options.recording == Recording::On);
        tokio::spawn(Arc::clone(&status).keep_written());
        let effective = Arc::new(EffectiveSchemas::default());
        let ids = IdSource::new(data.node()?, u32::from_le_bytes(start));
        let (decisions, unread) = Decisions::open(data.path(), ids, Arc::clone(&effective))?;
        let decisions = Arc::new(decisions);
        let turns = Turns::new(Arc::clone(&decisions), options.recording == Recording::On);
        let shown = Arc::new(Shown::default());
        let watch = Arc::new(Watch {
            recorder: Arc::clone(&recorder),
            effective: Arc::clone(&effective),
            turns: Arc::clone(&turns),
            status: Arc::clone(&status),
            shown: Arc::clone(&shown),
            overrides_due: Arc::clone(&decisions.turned),
        });
        let hub = Hub::new(&config.config, Arc::clone(&watch) as _, watch, adapting(&now));
        let cutter = Arc::new(Cutter {
            registry: Arc::clone(&registry),
            reader: reader.clone(),
            decisions: Arc::clone(&decisions),
            hub: Arc::clone(&hub),
            events: Arc::clone(&events),
            settings: Arc::clone(&settings),
            cutting: Mutex::default(),
        });
        cutter.start();
        let tuning = Arc::new(Tuning {
            settings: Arc::clone(&settings),
            redaction: Arc::clone(&redaction),
            rules: data.path().join(rules::FILE),
            registry: Arc::clone(&registry),
            hub: Arc::clone(&hub),
            recorder: Arc::clone(&recorder),
            events: Arc::clone(&events),
        });
        tuning.follow(&watched);
        let configuration = Arc::new(Configuration::new(config));
        let reload = Reload {
            configuration: Arc::clone(&configuration),
            hub: Arc::clone(&hub),
            redaction: Arc::clone(&redaction),
            events: Arc::clone(&events),
        };
        reload.start(config_changes);
        let path = options.overrides.clone().unwrap_or_else(|| data.path().join(overrides::FILE));
        // Watched first, as above.
        let edits = watched.watch(&path);
        let parts = Parts {
            registry: Arc::clone(&registry),
            decisions: Arc::clone(&decisions),
            cutter: Arc::clone(&cutter),
            redaction: Arc::clone(&redaction),
            due: Arc::clone(&decisions.turned),
            shown,
        };
        let overrides = OverrideFile::open(data.path(), path, parts);
        overrides.start(edits);
        let mut recovery = notes(&recovery);
        recovery.extend(unread);
        recovery.extend(settings.problem().map(|problem| {
            format!("{} cannot be used and is left out: {problem}", settings.file().display())
        }));
        for note in &recovery {
            tracing::warn!("{note}");
        }
        let team = TeamFiles::of(data.path());
        let (browsing, backfilling) = (tokio::sync::Mutex::default(), tokio::sync::Mutex::default());
        let mcp_url = OnceLock::new();
        Ok(Self {
            data,
            configuration,
            watched,
            registry,
            reader,
            recorder,
            hub,
            decisions,
            turns,
            cutter,
            team,
            status,
            recovery,
            events,
            redaction,
            tuning,
            overrides,
            mcp_url,
            browsing,
            backfilling,
        })
    }

    /// The configuration in force, and what is wrong with its file as a whole, if anything is.
    pub fn config(&self) -> Arc<LoadedConfig> {
        self.configuration.now()
    }

    /// The data directory.
    pub fn data(&self) -> &DataDir {
        &self.data
    }

    /// Follows what happens from a cursor on, or from a snapshot.
    pub fn follow(self: &Arc<Self>, since: Option<Cursor>) -> Follower {
        Follower::new(Arc::clone(self), since)
    }

    /// Ends the upstreams, writes what is waiting, closes the store.
    pub async fn close(&self) {
        self.watched.end();
        self.recorder.begin_close();
        self.hub.stop().await;
        let (recorder, status) = (Arc::clone(&self.recorder), Arc::clone(&self.status));
        let (turns, cutter) = (Arc::clone(&self.turns), Arc::clone(&self.cutter));
        // Joining the thread blocks.
        let closing = move || {
            status.write();
            turns.write();
            recorder.close();
            // What the last calls drafted.
            cutter.look();
        };
        let _ = tokio::task::spawn_blocking(closing).await;
    }

    /// What is wrong with files people edit, in sentences that name them, and what clients missed.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let config = self.config();
        let config = config.problem.iter().map(|problem| format!("{} {problem}", config.path.display()));
        let lost = Some(self.hub.lost_streams()).filter(|lost| *lost > 0).map(|lost| {
            format!("of {lost} streams something was dropped before a client came back for it: there is room for 64 MB")
        });
        config.chain(self.overrides.warnings()).chain(lost).collect()
    }

    pub(crate) fn registry(&self) -> MutexGuard<'_, Registry> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What knows the secrets of a data directory: by its rules, and by the values of its configuration.
pub(crate) fn redaction(data: &Path, config: &LoadedConfig) -> Result<Redaction, RuleError> {
    Redaction::new(rules::read(&data.join(rules::FILE))?, config.values())
}

/// What was mended, in sentences.
fn notes(recovery: &Recovery) -> Vec<String> {
    let mut notes = Vec::new();
    match &recovery.index {
        IndexRecovery::Intact => {}
        IndexRecovery::Built => notes.push(format!(
            "there was no index; it was built from the journal ({} entries)",
            recovery.replayed
        )),
        IndexRecovery::Replaced { reason, moved_to } => notes.push(format!(
            "the index was unusable ({reason}); it was moved to {} and built anew from the journal",
            moved_to.display()
        )),
    }
    if let Some(torn) = recovery.torn {
        notes.push(format!(
            "{} bytes of an unfinished write were cut from the end of journal segment {}; nothing acknowledged was in them",
            torn.bytes, torn.at.segment
        ));
    }
    notes.extend(recovery.damaged.iter().map(|damage| {
        format!(
            "journal segment {} is damaged at offset {} ({} bytes, {}); what was there is lost, the rest is not",
            damage.at.segment, damage.at.offset, damage.bytes, damage.reason
        )
    }));
    let unnamed = recovery.damaged_count - recovery.damaged.len() as u64;
    if unnamed > 0 {
        notes.push(format!("and {unnamed} more places like these"));
    }
    notes
}

#[cfg(test)]
mod tests {
    use schemascope_model::{CallRecord, Origin, Outcome};
    use schemascope_store::Entry;
    use serde_json::value::RawValue;

    use super::*;

    fn replayed(dir: &Path) -> (schemascope_store::Writer, Registry) {
        let mut replay = Replay::new(Registry::default());
        let (writer, ..) = schemascope_store::open(dir, &mut replay, Timestamp::from_millis(1)).unwrap();
        (writer, replay.registry)
    }

    fn call(ids: &IdSource, tool: &str) -> Entry {
        let at = Timestamp::from_millis(5);
        let result = r#"{"content":[],"structuredContent":{"a":1}}"#;
        Entry::Call(CallRecord {
            result: Some(RawValue::from_string(result.to_owned()).unwrap()),
            ..CallRecord::new(ids.at(at), at, tool.parse().unwrap(), Outcome::Ok, Origin::Proxy)
        })
    }

    /// A tool without calls behind a snapshot must be saved after a rebuild like any other; it was
    /// forgotten when only replayed calls counted as changes.
    #[test]
    fn tools_known_from_a_snapshot_alone_outlive_a_rebuild() {
        let dir = tempfile::tempdir().unwrap();
        let ids = IdSource::new(0, 0);
        let (mut writer, mut registry) = replayed(dir.path());
        for entry in [call(&ids, "s__quiet"), call(&ids, "s__busy")] {
            writer.append(std::slice::from_ref(&entry)).unwrap();
            if let Entry::Call(call) = &entry {
                registry.record(call);
            }
        }
        let snapshot: Vec<Entry> =
            registry.states().into_iter().map(|(tool, state)| Entry::State { tool, state }).collect();
        writer.append(&snapshot).unwrap();
        let entry = call(&ids, "s__busy");
        writer.append(std::slice::from_ref(&entry)).unwrap();
        writer.close().unwrap();
        std::fs::remove_dir_all(dir.path().join("index")).unwrap();

        let (mut writer, mut rebuilt) = replayed(dir.path());
        let states = rebuilt.states();
        assert_eq!(states.len(), 2);
        writer.save_states(&rebuilt.take_unsaved()).unwrap();
        writer.close().unwrap();
        assert_eq!(replayed(dir.path()).1.states(), states);
    }
}
