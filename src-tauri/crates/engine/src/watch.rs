//! Everything the proxy hands out and asks for, at one place.
//!
//! Owns: who gets what. Refuses to know: what they do with it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use schemascope_model::{Timestamp, ToolId};
use schemascope_proxy::{AdapterStatus, Effective, FinishedCall, ListedTool, Observer, Schemas};

use crate::decisions::Turns;
use crate::effective::EffectiveSchemas;
use crate::recorder::Recorder;
use crate::status::SchemaStatus;

/// Between the proxy and all who listen to it.
pub(crate) struct Watch {
    pub(crate) recorder: Arc<Recorder>,
    pub(crate) effective: Arc<EffectiveSchemas>,
    pub(crate) turns: Arc<Turns>,
    pub(crate) status: Arc<SchemaStatus>,
}

impl Observer for Watch {
    fn finished(&self, call: FinishedCall) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        self.recorder.finished(call)
    }

    fn listed(&self, server: &str, tools: &[ListedTool]) {
        // First, so that the first call of a tool finds what it declares.
        self.effective.listed(server, tools, Timestamp::now());
        self.recorder.listed(server, tools);
    }

    fn changed(&self, server: &str) {
        self.recorder.changed(server);
    }

    fn adapted(&self, tool: &ToolId, status: AdapterStatus) {
        self.status.note(tool, status, Timestamp::now());
        if let Some(turn) = status.turn {
            self.turns.note(tool, turn, Timestamp::now());
        }
    }
}

impl Schemas for Watch {
    fn effective(&self, tool: &ToolId) -> Effective {
        self.effective.of(tool)
    }

    fn remembered(&self, tool: &ToolId) -> u32 {
        self.status.consecutive_generic(tool)
    }
}
