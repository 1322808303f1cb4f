//! What is known and decided about schemas, beyond what calls teach by themselves.

pub(crate) mod advertisement_queue;
pub(crate) mod checking;
pub(crate) mod decisions;
mod drift;
pub(crate) mod edge_graph;
pub(crate) mod effective;
pub(crate) mod observations;
pub(crate) mod overrides;
pub mod raw_diff;
pub(crate) mod readiness;
pub(crate) mod schema_choice;
pub(crate) mod summary;
pub(crate) mod team;
pub(crate) mod team_key;
pub(crate) mod totals;
pub(crate) mod version_drafter;

use std::path::Path;
use std::sync::Arc;

use schemascope_model::IdSource;

use crate::config::UserFiles;
use crate::options::OpenError;
use crate::recording::Records;
use crate::recording::mode::Recording;
use advertisement_queue::AdvertisementQueue;
use decisions::Decisions;
use edge_graph::EdgeGraph;
use effective::EffectiveSchemas;
use overrides::shown::ShownTools;
use team::TeamFiles;

/// Decisions, and what the call path needs of them.
#[derive(Clone)]
pub(crate) struct Knowledge {
    /// The audit log and everything that follows from it.
    pub(crate) decisions: Arc<Decisions>,
    /// Effective schemas, for the call path.
    pub(crate) effective: Arc<EffectiveSchemas>,
    /// Names, descriptions and visibility of tools, for the call path.
    pub(crate) shown: Arc<ShownTools>,
    /// Suspensions on their way to the audit log.
    pub(crate) suspensions: Arc<AdvertisementQueue>,
    /// What other machines of the team counted.
    pub(crate) team: Arc<TeamFiles>,
    /// Provides edges.
    pub(crate) edges: Arc<EdgeGraph>,
}

impl Knowledge {
    /// Reads the audit log of a data directory. Also returns which entries could not be read, in sentences.
    pub(crate) fn open(
        data: &Path,
        ids: Arc<IdSource>,
        recording: Recording,
        files: &UserFiles,
        records: &Records,
    ) -> Result<(Self, Vec<String>), OpenError> {
        let effective = Arc::new(EffectiveSchemas::default());
        let (decisions, unread) = Decisions::open(data, ids, Arc::clone(&effective))?;
        let decisions = Arc::new(decisions);
        let suspensions = AdvertisementQueue::new(Arc::clone(&decisions), recording == Recording::On);
        let shown = Arc::new(ShownTools::default());
        let edges = EdgeGraph::new(records, files, Arc::clone(&decisions), Arc::clone(&shown));
        let (suspensions, team, edges) =
            (Arc::new(suspensions), Arc::new(TeamFiles::of(data)), Arc::new(edges));
        Ok((Self { decisions, effective, shown, suspensions, team, edges }, unread))
    }
}
