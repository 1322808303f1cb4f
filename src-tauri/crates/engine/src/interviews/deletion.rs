//! Deletion: what was said in a deleted project or conversation leaves the disk. That it was deleted stays.

use std::collections::BTreeMap;

use schemascope_interview::{Event, What};
use schemascope_store::EntryChange;

use super::Interviews;

/// A project, or one of its conversations.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Deleted {
    pub(crate) project_id: String,
    pub(crate) conversation_id: Option<String>,
    /// When, in milliseconds. What was imported under the same id later stays.
    pub(crate) at: u64,
}

impl Deleted {
    /// What an event deletes.
    pub(super) fn by(event: &Event) -> Option<Self> {
        let What::Deleted { project_id, conversation_id } = &event.what else { return None };
        let (project_id, conversation_id) = (project_id.clone(), conversation_id.clone());
        Some(Self { project_id, conversation_id, at: event.at })
    }

    /// Leaves out what it covers. Of an imported project, that may be one conversation.
    fn without(&self, mut event: Event) -> Option<Event> {
        if self.covers(&event) {
            return None;
        }
        if let (What::ProjectImported { project }, Some(id)) = (&mut event.what, &self.conversation_id)
            && project.project_id == self.project_id
            && event.at <= self.at
        {
            project.conversations.retain(|conversation| conversation.conversation_id != *id);
        }
        Some(event)
    }

    /// Whether an event is about it. The event of its deletion is not.
    fn covers(&self, event: &Event) -> bool {
        if matches!(event.what, What::Deleted { .. }) || event.at > self.at {
            return false;
        }
        let Some((project, conversation)) = event.place() else { return false };
        project == self.project_id
            && self.conversation_id.as_deref().is_none_or(|own| conversation == Some(own))
    }
}

/// Deletions whose events were seen before them.
#[derive(Debug, Default)]
pub(super) struct Leftover {
    /// Conversations that events are about, by project; none for events of the project itself.
    seen: BTreeMap<String, Vec<Option<String>>>,
    deleted: Vec<Deleted>,
}

impl Leftover {
    pub(super) fn see(&mut self, event: &Event) {
        if let Some(deleted) = Deleted::by(event) {
            let Some(seen) = self.seen.get_mut(&deleted.project_id) else { return };
            let before = seen.len();
            seen.retain(|one| deleted.conversation_id.is_some() && *one != deleted.conversation_id);
            if seen.len() < before {
                self.deleted.push(deleted);
            }
            return;
        }
        let Some((project, conversation)) = event.place() else { return };
        let seen = self.seen.entry(project.to_owned()).or_default();
        let imported = match &event.what {
            What::ProjectImported { project } => project.conversations.as_slice(),
            _ => &[],
        };
        let imported = imported.iter().map(|conversation| Some(conversation.conversation_id.clone()));
        for conversation in imported.chain([conversation.map(str::to_owned)]) {
            if !seen.contains(&conversation) {
                seen.push(conversation);
            }
        }
    }

    pub(super) fn deleted(self) -> Vec<Deleted> {
        self.deleted
    }
}

impl Interviews {
    /// Removes the events of something deleted from the disk. If that fails, it is done at the next start.
    pub(crate) fn erase(&self, deleted: &Deleted) {
        let mut inner = self.inner.lock();
        let mut removed = 0;
        let done = inner.log.rewrite(|entry| {
            let Ok(events) = serde_json::from_slice::<Vec<Event>>(entry) else { return EntryChange::Keep };
            let left: Vec<Event> =
                events.iter().cloned().filter_map(|event| deleted.without(event)).collect();
            if left == events {
                return EntryChange::Keep;
            }
            removed += entry.len() as u64;
            if left.is_empty() {
                return EntryChange::Remove;
            }
            match serde_json::to_vec(&left) {
                Ok(entry) => {
                    removed = removed.saturating_sub(entry.len() as u64);
                    EntryChange::Replace(entry)
                }
                Err(_) => EntryChange::Keep,
            }
        });
        match done {
            Ok(()) => inner.bytes = inner.bytes.saturating_sub(removed),
            Err(error) => {
                tracing::warn!(%error, "deleted interviews are still on disk; they are removed at the next start");
            }
        }
    }
}
