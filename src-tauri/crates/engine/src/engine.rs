//! An engine: opening its parts in order, and closing them.

use std::path::Path;
use std::sync::Arc;

use parking_lot::MutexGuard;
use schemascope_api::{Adapt, Cursor, Need, Situation, ToolRow, attention};
use schemascope_model::ToolId;
use schemascope_proxy::OWN_SERVER;
use schemascope_registry::{Registry, Tool};

use crate::config::UserFiles;
use crate::config::mcp_json::LoadedConfig;
use crate::data::{DataDir, DataDirError};
use crate::discovery::Turns;
use crate::follower::{Follower, Picture};
use crate::instance::UsedFiles;
use crate::interviews::Interviews;
use crate::knowledge::Knowledge;
use crate::machine::Renumbered;
use crate::options::{OpenError, Options};
use crate::recording::Records;
use crate::services::Services;
use crate::upstreams::Upstreams;
use crate::views;
use crate::wrappers::set_aside;

/// The proxy, the recorder, the store and all that is learned and decided, for one data directory.
pub struct Engine {
    /// The data directory, locked for this process.
    pub(crate) data: Arc<DataDir>,
    /// Files the user edits, and what they say: upstreams, settings, redaction.
    pub(crate) files: UserFiles,
    /// Where those files are.
    pub(crate) used: UsedFiles,
    /// The store, the recorder that writes to it, and what was learned.
    pub(crate) records: Records,
    /// Decisions about schemas, and what the call path needs of them.
    pub(crate) knowledge: Knowledge,
    /// Interviews by Discovery Schemas.
    pub(crate) interviews: Arc<Interviews>,
    /// The proxy to the upstreams.
    pub(crate) upstreams: Upstreams,
    /// Background work that connects the parts.
    pub(crate) services: Services,
    /// What was repaired at the start, in sentences.
    pub(crate) recovery: Arc<[String]>,
    /// Held while a command searches through stored calls, so that one does at a time.
    pub(crate) searching: tokio::sync::Mutex<()>,
    /// Held while a trace is read, so that calls of one are known to the next.
    pub(crate) backfilling: tokio::sync::Mutex<()>,
    /// Held by server while discovery calls one of its tools.
    pub(crate) discovering: Turns,
}

impl Engine {
    /// Locks the data directory, opens the store, and takes the upstreams of the configuration without starting
    /// them. Needs a tokio runtime; blocks while the store is opened or rebuilt.
    pub fn open(options: &Options) -> Result<Self, OpenError> {
        let data = Arc::new(DataDir::own(&options.data_dir)?);
        // They are made now, so that they are redacted from the first call on. A read-only directory has none.
        let _ = data.tokens().and_then(|_| data.hash_key());
        let files = UserFiles::open(data.path(), options)?;
        crate::log::hide_with(Arc::clone(&files.redaction));
        // Before ids are made. A directory that cannot be written to makes none.
        let renumbered = data.settle_node();
        // One source, so that no two records or decisions share an id.
        let ids = Arc::new(data.ids()?);
        let (records, mut recovery) = Records::open(&data, options, &files, Arc::clone(&ids))?;
        recovery.extend(of_a_copy(data.path(), renumbered));
        let (interviews, unread_events) =
            Interviews::open(data.path(), Arc::clone(&ids), Arc::clone(&files.redaction))?;
        recovery.extend(unread_events);
        let interviews = Arc::new(interviews);
        let (knowledge, unread) = Knowledge::open(data.path(), ids, options.recording, &files, &records)?;
        knowledge.effective.describe(|| interviews.all_descriptions());
        let upstreams =
            Upstreams::open(data.path(), options.recording, &files, &records, &knowledge, &interviews);
        let services = Services::open(
            data.path(),
            options.overrides.clone(),
            &files,
            &records,
            &knowledge,
            &upstreams,
            &interviews,
        );
        recovery.extend(unread);
        recovery.extend(files.settings.problem().map(|problem| {
            format!("{} cannot be used and is ignored: {problem}", files.settings.file().display())
        }));
        for note in &recovery {
            tracing::warn!("{note}");
        }
        let recovery = recovery.into();
        let (searching, backfilling, discovering) = Default::default();
        Ok(Self {
            data,
            files,
            used: options.files(),
            records,
            knowledge,
            interviews,
            upstreams,
            services,
            recovery,
            searching,
            backfilling,
            discovering,
        })
    }

    /// Ends the upstreams, writes what is waiting, closes the store. May be called twice.
    pub async fn close(&self) {
        self.files.close();
        self.records.recorder.begin_close();
        self.upstreams.close().await;
        self.records.close().await;
        self.services.close().await;
    }

    /// The configuration in effect, and what is wrong with its file as a whole, if anything is.
    pub fn config(&self) -> Arc<LoadedConfig> {
        self.files.config.now()
    }

    /// The data directory.
    pub fn data(&self) -> &DataDir {
        &self.data
    }

    /// Follows what happens from a cursor on, or from a snapshot.
    pub fn follow(&self, since: Option<Cursor>) -> Follower {
        let picture = Picture {
            files: self.files.clone(),
            records: self.records.clone(),
            knowledge: self.knowledge.clone(),
            upstreams: self.upstreams.clone(),
            overrides: Arc::clone(&self.services.overrides),
            recovery: Arc::clone(&self.recovery),
            _data: Arc::clone(&self.data),
        };
        Follower::new(picture, since)
    }

    /// Whether decisions change what clients get.
    pub(crate) fn adapts(&self) -> bool {
        self.files.settings.now().adapt != Adapt::Off
    }

    /// Problems with files that users edit, in sentences that name them, and what clients missed.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let config = self.config();
        let own = config.own_entry().map(|reason| {
            format!("{}: the entry {OWN_SERVER:?} is ignored: {reason}", config.path.display())
        });
        let config = config.problem.iter().map(|problem| format!("{} {problem}", config.path.display()));
        config.chain(own).chain(self.services.overrides.warnings()).chain(self.upstreams.warning()).collect()
    }

    /// The list of what needs attention.
    pub(crate) fn attention(&self) -> Vec<Need> {
        let config = self.config();
        let path = config.path.display().to_string();
        let overrides = &self.services.overrides;
        let (file, problems) = (overrides.path.display().to_string(), overrides.problems());
        let recorder = self.records.recorder.report();
        let situation = Situation {
            config: (&path, config.problem.as_deref()),
            overrides: (&file, &problems),
            recovery: &self.recovery,
            requests: &self.files.cli.requests.all(),
            proposals: &self.interviews.open_proposals(),
            recorder: &recorder,
        };
        let counted = |(id, tool): &(&ToolId, &Tool)| self.upstreams.own_tools.counts(id, tool);
        let tools: Vec<ToolRow> = (self.registry().tools().iter().filter(counted))
            .map(|(id, tool)| views::tool_row(id, tool, self.knowledge.decisions.summary(id, tool)))
            .collect();
        attention(situation, &self.upstreams.server_rows(&self.files), &tools)
    }

    pub(crate) fn registry(&self) -> MutexGuard<'_, Registry> {
        self.records.registry()
    }
}

/// What a copied data directory does differently from now on.
fn of_a_copy(data: &Path, renumbered: Result<Option<Renumbered>, DataDirError>) -> Vec<String> {
    let Renumbered { from, to, original } = match renumbered {
        Ok(Some(change)) => change,
        Ok(None) => return Vec::new(),
        Err(error) => return vec![format!("whether this data directory is a copy is unknown: {error}")],
    };
    let mut notes = vec![format!(
        "this data directory is a copy: machine {from} also counts elsewhere, so this one is machine {to} from now on"
    )];
    let Some(original) = original else { return notes };
    match set_aside(data) {
        Ok(None) => {}
        Ok(Some(aside)) => notes.push(format!(
            "the original, {}, keeps folders of wrappers current; {} names them, and `schemascope generate --out DIR` \
             keeps one current from here",
            original.display(),
            aside.display()
        )),
        Err(error) => notes.push(format!("wrappers of the original are written from here, too: {error}")),
    }
    notes
}
