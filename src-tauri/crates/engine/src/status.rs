//! `tool_schema_status.json`: how each tool's latest result was adapted.
//!
//! Owns: the file. Written a moment after something changed, whole, under another name first, so that whoever
//! reads it finds all of it. Refuses to know: what adapting is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use schemascope_model::{Rung, Timestamp, ToolId};
use schemascope_proxy::AdapterStatus;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use crate::files::write_whole;

/// The file in the data directory.
const NAME: &str = "tool_schema_status.json";
/// How long changes gather before they are written.
const GATHER: Duration = Duration::from_secs(1);
/// Tools kept: more than anybody has.
const MAX_TOOLS: usize = 20_000;

/// What the file says of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct ToolStatus {
    last_adapter: Rung,
    consecutive_generic_count: u32,
    updated_at: Timestamp,
}

/// The file and what is to be in it.
#[derive(Debug)]
pub(crate) struct SchemaStatus {
    path: PathBuf,
    tools: Mutex<BTreeMap<ToolId, ToolStatus>>,
    changed: Notify,
    /// Whether something was noted that is not in the file.
    is_behind: AtomicBool,
    /// Whether anything is written at all; held while writing.
    writing: Mutex<bool>,
}

impl SchemaStatus {
    /// Reads the file of a data directory. One that cannot be read is begun anew; where nothing is to be
    /// `written` it stays as it is.
    pub(crate) fn open(data: &Path, written: bool) -> Arc<Self> {
        let path = data.join(NAME);
        let read = match std::fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| error.to_string()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(error) => Err(error.to_string()),
        };
        let tools = read.unwrap_or_else(|reason| {
            tracing::warn!(file = %path.display(), %reason, "cannot be used; it is begun anew");
            BTreeMap::new()
        });
        let (tools, writing, changed) = (Mutex::new(tools), Mutex::new(written), Notify::new());
        Arc::new(Self { path, tools, changed, is_behind: AtomicBool::new(false), writing })
    }

    /// Generic results in a row a tool had.
    pub(crate) fn consecutive_generic(&self, tool: &ToolId) -> u32 {
        self.tools().get(tool).map_or(0, |status| status.consecutive_generic_count)
    }

    /// Notes how a tool's latest result was adapted.
    pub(crate) fn note(&self, tool: &ToolId, status: AdapterStatus, at: Timestamp) {
        let status = ToolStatus {
            last_adapter: status.rung,
            consecutive_generic_count: status.consecutive_generic,
            updated_at: at,
        };
        {
            let mut tools = self.tools();
            if tools.len() >= MAX_TOOLS && !tools.contains_key(tool) {
                return;
            }
            tools.insert(tool.clone(), status);
        }
        self.is_behind.store(true, Ordering::Release);
        self.changed.notify_one();
    }

    /// Writes whatever changes, a moment later.
    pub(crate) async fn keep_written(self: Arc<Self>) {
        loop {
            self.changed.notified().await;
            tokio::time::sleep(GATHER).await;
            let status = Arc::clone(&self);
            // Of a file that could not be written the next change tries again.
            let _ = tokio::task::spawn_blocking(move || status.write()).await;
        }
    }

    /// Writes the file, if there is something new.
    pub(crate) fn write(&self) {
        let writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        if !*writing || !self.is_behind.swap(false, Ordering::AcqRel) {
            return;
        }
        let Ok(text) = serde_json::to_vec_pretty(&*self.tools()) else { return };
        if let Err(error) = write_whole(&self.path, &text) {
            tracing::warn!(file = %self.path.display(), %error, "cannot be written");
        }
    }

    fn tools(&self) -> MutexGuard<'_, BTreeMap<ToolId, ToolStatus>> {
        self.tools.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let data = tempfile::tempdir().unwrap();
        let status = SchemaStatus::open(data.path(), true);
        let tool: ToolId = "s__t".parse().unwrap();
        let generic = AdapterStatus { rung: Rung::Generic, consecutive_generic: 2, turn: None };
        status.note(&tool, generic, Timestamp::from_millis(0));
        status.write();
        let text = std::fs::read_to_string(data.path().join(NAME)).unwrap();
        let expect = serde_json::json!({"s__t": {
            "last_adapter": "generic", "consecutive_generic_count": 2, "updated_at": "1970-01-01T00:00:00.000Z"}});
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), expect);
        assert_eq!(SchemaStatus::open(data.path(), true).consecutive_generic(&tool), 2);

        let kept_back = SchemaStatus::open(data.path(), false);
        kept_back.note(&tool, AdapterStatus { consecutive_generic: 0, ..generic }, Timestamp::from_millis(1));
        kept_back.write();
        assert_eq!(std::fs::read_to_string(data.path().join(NAME)).unwrap(), text);

        std::fs::write(data.path().join(NAME), "{").unwrap();
        assert_eq!(SchemaStatus::open(data.path(), true).consecutive_generic(&tool), 0);
    }
}
