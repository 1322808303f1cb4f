//! Keeps the wrappers of all targets current.
//!
//! A rise of quality, a decision or a changed declaration is noticed when it is recorded; only the tools concerned are
//! looked at. All are looked at every `evolve_every` seconds.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use schemascope_model::ToolId;
use tokio::time::Instant;

use super::Wrappers;
use crate::background::{Service, Tasks};
use crate::config::settings::LiveSettings;
use crate::knowledge::version_drafter::VersionDrafter;
use crate::recording::Records;
use crate::recording::events::Events;

/// Shortest time between two looks.
const INTERVAL: Duration = Duration::from_millis(500);

/// Keeps wrappers current.
pub(crate) struct Evolver {
    wrappers: Arc<Wrappers>,
    drafter: Arc<VersionDrafter>,
    events: Arc<Events>,
    settings: Arc<LiveSettings>,
    seen: Mutex<Seen>,
}

/// What was looked at.
struct Seen {
    /// Last event at which changed tools were looked for.
    latest: Option<u64>,
    /// What tools were like, see `KnownTools::digest`.
    digests: BTreeMap<ToolId, u64>,
}

/// Which tools are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// Those whose quality, version or declaration changed.
    Changed,
    /// All that changed since they were current.
    All,
}

impl Evolver {
    pub(crate) fn new(
        wrappers: &Arc<Wrappers>,
        drafter: &Arc<VersionDrafter>,
        records: &Records,
        settings: &Arc<LiveSettings>,
    ) -> Self {
        // What was recorded before the start is looked at with the first check of all wrappers.
        let latest = Some(*records.events.changes().borrow());
        Self {
            wrappers: Arc::clone(wrappers),
            drafter: Arc::clone(drafter),
            events: Arc::clone(&records.events),
            settings: Arc::clone(settings),
            seen: Mutex::new(Seen { latest, digests: BTreeMap::new() }),
        }
    }

    /// Brings wrappers up to date. Blocks.
    pub(crate) fn look(&self, look: Look) {
        if !self.settings.now().evolve {
            return;
        }
        let mut seen = self.seen.lock();
        match self.wrappers.targets() {
            Ok(targets) if targets.is_empty() => return,
            Ok(_) => {}
            Err(error) => {
                if look == Look::All {
                    tracing::warn!(%error, "wrappers cannot be kept current");
                }
                return;
            }
        }
        self.drafter.update();
        let only = (look == Look::Changed).then(|| self.changed(&mut seen));
        if only.as_ref().is_some_and(BTreeSet::is_empty) {
            return;
        }
        if let Err(error) = self.wrappers.evolve(only.as_ref(), false) {
            tracing::warn!(%error, "wrappers cannot be kept current");
        }
    }

    /// Tools that are not what they were.
    fn changed(&self, Seen { latest, digests }: &mut Seen) -> BTreeSet<ToolId> {
        let (recorded, now) = self.events.tools_since(*latest);
        *latest = Some(now);
        let recorded: Option<BTreeSet<ToolId>> = recorded.map(BTreeSet::from_iter);
        let is_recorded = |id: &ToolId| recorded.as_ref().is_none_or(|recorded| recorded.contains(id));
        let tools = self.wrappers.known.tools(is_recorded);
        let changed = tools.into_iter().filter_map(|(id, tool)| {
            let digest = self.wrappers.known.digest(&id, &tool);
            (digests.insert(id.clone(), digest) != Some(digest)).then_some(id)
        });
        changed.collect()
    }
}

impl Service for Evolver {
    fn start(self: Arc<Self>, tasks: &Tasks) {
        let mut changes = self.events.changes();
        tasks.spawn(async move {
            let mut checked = Instant::now();
            loop {
                // Read each time: a changed setting is an event.
                let every = Duration::from_secs(self.settings.now().evolve_every);
                let look = tokio::select! {
                    changed = changes.changed() => match changed {
                        Ok(()) => Look::Changed,
                        Err(_) => return,
                    },
                    () = tokio::time::sleep_until(checked + every) => Look::All,
                };
                if look == Look::All {
                    checked = Instant::now();
                }
                let evolver = Arc::clone(&self);
                if tokio::task::spawn_blocking(move || evolver.look(look)).await.is_err() {
                    tracing::error!("keeping wrappers current failed");
                }
                tokio::time::sleep(INTERVAL).await;
            }
        });
    }

    /// Takes what the last calls taught into account.
    fn stop(&self) {
        self.look(Look::Changed);
    }
}
