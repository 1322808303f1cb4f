//! Calls on their way to disk, and what is kept of them.

mod capacity;
mod draft;
mod drafter;
pub(crate) mod events;
pub(crate) mod flows;
pub(crate) mod fold;
pub(crate) mod histogram;
mod known_json;
mod metrics;
pub(crate) mod mode;
mod pacer;
mod priority;
mod queue;
pub(crate) mod recorder;
mod recovery;
mod relearn;
pub(crate) mod replay;
mod retention;
pub(crate) mod schema_status;
mod stage;
pub(crate) mod stored_redaction;
mod tool_state;
pub(crate) mod trace;
mod trails;
mod writer;

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use schemascope_model::{IdSource, Timestamp, ToolId};
use schemascope_registry::{LearningRules, Registry, Tool};
use schemascope_store::{CallQuery, Reader};

use crate::config::UserFiles;
use crate::config::settings::retention;
use crate::data::DataDir;
use crate::options::{OpenError, Options};
use events::{Events, SNAPSHOT_CALLS};
use flows::Flows;
use recorder::{NotRelearned, Recorder, RecorderParts};
use replay::Replay;

/// The store with the recorder that writes to it, and what was learned from it.
#[derive(Clone)]
pub(crate) struct Records {
    /// Everything learned about tools.
    pub(crate) registry: Arc<Mutex<Registry>>,
    /// What values flowed from call to call.
    pub(crate) flows: Arc<Mutex<Flows>>,
    /// Stored calls.
    pub(crate) reader: Reader,
    /// Takes calls that pass.
    pub(crate) recorder: Arc<Recorder>,
    /// The latest calls and changes, for fronts.
    pub(crate) events: Arc<Events>,
}

impl Records {
    /// Opens the store, replays it, and starts the recorder. Also returns what was repaired, in sentences. Blocks
    /// while the store is opened or rebuilt.
    pub(crate) fn open(
        data: &DataDir,
        options: &Options,
        files: &UserFiles,
        ids: Arc<IdSource>,
    ) -> Result<(Self, Vec<String>), OpenError> {
        let settings = files.settings.now();
        let registry = Registry::with_key(data.hash_key()?).of_machine(data.first_node()?);
        let mut replay = Replay::new(registry.holding(settings.cut_after));
        let (writer, reader, recovery) = schemascope_store::open(data.path(), &mut replay, Timestamp::now())?;
        let Replay { registry, flows, folds, .. } = replay;
        flows.lock().settle();
        let events = Arc::new(Events::new(Timestamp::now()));
        let latest = CallQuery { limit: SNAPSHOT_CALLS, ..CallQuery::default() };
        match reader.records(&latest, |_| true) {
            Ok(page) => events.remember(&page.calls),
            Err(error) => tracing::warn!(%error, "the latest calls cannot be read"),
        }
        let parts = RecorderParts {
            registry: Arc::clone(&registry),
            folds,
            ids,
            events: Arc::clone(&events),
            redaction: Arc::clone(&files.redaction),
        };
        let recorder = Recorder::start(writer, options.durability, options.recording, parts);
        let recorder = recorder.map_err(OpenError::System)?;
        recorder.retain(retention(&settings));
        Ok((Self { registry, flows, reader, recorder, events }, recovery::notes(&recovery)))
    }

    /// Writes what is waiting and ends the recorder.
    pub(crate) async fn close(&self) {
        let recorder = Arc::clone(&self.recorder);
        // Joining a thread blocks.
        let _ = tokio::task::spawn_blocking(move || recorder.close()).await;
    }

    /// Learns from results of a tool by these rules, from those that are stored as well. Does nothing where this is so
    /// already.
    pub(crate) async fn learn_by(&self, tool: &ToolId, rules: LearningRules) -> Result<(), NotRelearned> {
        let empty = {
            let registry = self.registry();
            if registry.tool(tool).map(Tool::learning_rules).unwrap_or_default() == rules {
                return Ok(());
            }
            registry.emptied()
        };
        self.recorder.relearn(tool.clone(), rules, empty).await
    }

    pub(crate) fn registry(&self) -> MutexGuard<'_, Registry> {
        self.registry.lock()
    }
}
