//! `tool_schema_status.json`: how each tool's latest result was adapted.
//!
//! The file is written a moment after a change, under another name first, so that readers find it complete.

use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use schemascope_model::{Rung, Timestamp, ToolId};
use schemascope_proxy::AdapterStatus;
use serde::{Deserialize, Serialize};

use crate::background::{Service, Tasks};
use crate::write_behind::{WriteBehind, write_changes};

/// Name of the file in the data directory.
const FILE: &str = "tool_schema_status.json";
/// Time for which changes are gathered before they are written.
const WRITE_DELAY: Duration = Duration::from_secs(1);
/// Tools kept at most.
const MAX_TOOLS: usize = 20_000;

/// Entry of one tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ToolStatus {
    last_adapter: Rung,
    consecutive_generic_count: u32,
    /// Digest of the schema that the results were to have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    schema: Option<Arc<str>>,
    updated_at: Timestamp,
}

/// The file and its entries.
#[derive(Debug)]
pub(crate) struct SchemaStatus {
    file: WriteBehind,
    tools: Mutex<BTreeMap<ToolId, ToolStatus>>,
}

impl SchemaStatus {
    /// Reads the file of a data directory. An unreadable one is replaced. Unless `written` is set the file stays as
    /// it is.
    pub(crate) fn open(data: &Path, written: bool) -> Self {
        let file = WriteBehind::new(data.join(FILE), written);
        let read = match std::fs::read(file.path()) {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| error.to_string()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(error) => Err(error.to_string()),
        };
        let tools = read.unwrap_or_else(|reason| {
            tracing::warn!(file = %file.path().display(), %reason, "cannot be used; it is written again");
            BTreeMap::new()
        });
        Self { file, tools: Mutex::new(tools) }
    }

    /// Number of generic results in a row of a tool under a schema.
    pub(crate) fn consecutive_generic(&self, tool: &ToolId, schema: Option<&str>) -> u32 {
        let tools = self.tools();
        // An older version did not write which schema it was.
        let is_of = |status: &&ToolStatus| {
            status.schema.as_deref().is_none_or(|own| own == schema.unwrap_or_default())
        };
        tools.get(tool).filter(is_of).map_or(0, |status| status.consecutive_generic_count)
    }

    /// Sets how a tool's latest result was adapted.
    pub(crate) fn set(&self, tool: &ToolId, status: AdapterStatus, at: Timestamp) {
        let status = ToolStatus {
            last_adapter: status.rung,
            consecutive_generic_count: status.consecutive_generic,
            // Empty for none, unlike what an older version left open.
            schema: Some(status.schema.unwrap_or_else(|| "".into())),
            updated_at: at,
        };
        {
            let mut tools = self.tools();
            if tools.len() >= MAX_TOOLS && !tools.contains_key(tool) {
                return;
            }
            tools.insert(tool.clone(), status);
        }
        self.file.note_change();
    }

    /// Writes the file, if an entry changed. Blocks.
    pub(crate) fn write(&self) {
        self.file.write(|| serde_json::to_vec_pretty(&*self.tools()));
    }

    fn tools(&self) -> MutexGuard<'_, BTreeMap<ToolId, ToolStatus>> {
        self.tools.lock()
    }
}

impl Service for SchemaStatus {
    fn start(self: Arc<Self>, tasks: &Tasks) {
        write_changes(self, WRITE_DELAY, tasks, |status| &status.file, Self::write);
    }

    fn stop(&self) {
        self.write();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_survives_a_restart() {
        let data = tempfile::tempdir().unwrap();
        let status = SchemaStatus::open(data.path(), true);
        let tool: ToolId = "s__t".parse().unwrap();
        let schema = Some(Arc::from("abc"));
        let generic = AdapterStatus { rung: Rung::Generic, consecutive_generic: 2, schema, change: None };
        status.set(&tool, generic.clone(), Timestamp::from_millis(0));
        status.write();
        let text = std::fs::read_to_string(data.path().join(FILE)).unwrap();
        let expect = serde_json::json!({"s__t": {
            "last_adapter": "generic", "consecutive_generic_count": 2, "schema": "abc", "updated_at": "1970-01-01T00:00:00.000Z"}});
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), expect);
        let read = SchemaStatus::open(data.path(), true);
        assert_eq!(read.consecutive_generic(&tool, Some("abc")), 2);
        assert_eq!(
            read.consecutive_generic(&tool, Some("new")),
            0,
            "another schema starts without a history"
        );

        let read_only = SchemaStatus::open(data.path(), false);
        read_only.set(&tool, AdapterStatus { consecutive_generic: 0, ..generic }, Timestamp::from_millis(1));
        read_only.write();
        assert_eq!(std::fs::read_to_string(data.path().join(FILE)).unwrap(), text);

        std::fs::write(data.path().join(FILE), "{").unwrap();
        assert_eq!(SchemaStatus::open(data.path(), true).consecutive_generic(&tool, None), 0);
    }
}
