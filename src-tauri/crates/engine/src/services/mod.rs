//! Services: background work that connects the parts of an engine.

pub(crate) mod cli_prober;
mod config_reload;
mod learning;
pub(crate) mod settings_applier;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::background::Background;
use crate::config::UserFiles;
use crate::interviews::Interviews;
use crate::interviews::minizinc::MinizincHook;
use crate::knowledge::Knowledge;
use crate::knowledge::overrides::{self, OverrideFile, OverrideParts};
use crate::knowledge::version_drafter::VersionDrafter;
use crate::recording::Records;
use crate::upstreams::Upstreams;
use crate::wrappers::{Evolver, KnownTools, Wrappers};
use cli_prober::CliProber;
use config_reload::ConfigReload;
use learning::Learning;
use settings_applier::SettingsApplier;

/// All services of an engine, and those that commands use.
pub(crate) struct Services {
    /// Creates versions of schemas that have settled, and reports drift.
    pub(crate) drafter: Arc<VersionDrafter>,
    /// Keeps the file of overrides and the decisions in line.
    pub(crate) overrides: Arc<OverrideFile>,
    /// Applies settings and redaction rules.
    pub(crate) settings: Arc<SettingsApplier>,
    /// Writes wrappers.
    pub(crate) wrappers: Arc<Wrappers>,
    /// Keeps wrappers current.
    pub(crate) evolver: Arc<Evolver>,
    /// Learns tools again as was decided.
    pub(crate) learning: Arc<Learning>,
    /// Serves command-line tools.
    pub(crate) cli_prober: Arc<CliProber>,
    background: Background,
}

impl Services {
    /// Starts all services. Blocks while the file of overrides is read.
    pub(crate) fn open(
        data: &Path,
        overrides: Option<PathBuf>,
        files: &UserFiles,
        records: &Records,
        knowledge: &Knowledge,
        upstreams: &Upstreams,
        interviews: &Arc<Interviews>,
    ) -> Self {
        let drafter = Arc::new(VersionDrafter::new(records, knowledge, &upstreams.hub, &files.settings));
        let settings = Arc::new(SettingsApplier::new(files, records, upstreams));
        let reload = Arc::new(ConfigReload::new(files, records, &upstreams.hub));
        let learning = Arc::new(Learning::new(records, &knowledge.decisions));
        let cli_prober = Arc::new(CliProber::new(files, records, &upstreams.hub));
        let path = overrides.unwrap_or_else(|| data.join(overrides::FILE));
        let parts = OverrideParts {
            registry: Arc::clone(&records.registry),
            decisions: Arc::clone(&knowledge.decisions),
            drafter: Arc::clone(&drafter),
            redaction: Arc::clone(&files.redaction),
            shown: Arc::clone(&knowledge.shown),
            changes: files.watcher.watch(&path),
        };
        let overrides = OverrideFile::open(data, path, parts);
        let wrappers = Arc::new(Wrappers::new(
            data,
            KnownTools::new(records, knowledge, upstreams),
            &files.settings,
            &records.events,
        ));
        let evolver = Arc::new(Evolver::new(&wrappers, &drafter, records, &files.settings));
        let background = Background::start([
            Arc::clone(&settings) as _,
            reload as _,
            Arc::clone(&learning) as _,
            Arc::clone(&cli_prober) as _,
            Arc::new(MinizincHook::new(interviews, &files.settings, &records.events)) as _,
            Arc::clone(&overrides) as _,
            Arc::clone(&upstreams.status) as _,
            Arc::clone(&upstreams.introductions) as _,
            Arc::clone(&knowledge.suspensions) as _,
            // Stopped last, as they look at everything that was recorded, and at the versions of it.
            Arc::clone(&drafter) as _,
            Arc::clone(&evolver) as _,
        ]);
        Self { drafter, overrides, settings, wrappers, evolver, learning, cli_prober, background }
    }

    /// Stops all services.
    pub(crate) async fn close(&self) {
        self.background.stop().await;
    }
}
