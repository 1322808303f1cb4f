//! Everything the proxy hands out and asks for, at one place.
//!
//! Owns: who gets what. Refuses to know: what they do with it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use schemascope_model::{Presented, Timestamp, ToolId};
use schemascope_proxy::{AdapterStatus, Effective, FinishedCall, ListedTool, Observer, Schemas};
use tokio::sync::Notify;

use crate::decisions::Turns;
use crate::effective::EffectiveSchemas;
use crate::overrides::Shown;
use crate::recorder::Recorder;
use crate::status::SchemaStatus;

/// Between the proxy and all who listen to it.
pub(crate) struct Watch {
    pub(crate) recorder: Arc<Recorder>,
    pub(crate) effective: Arc<EffectiveSchemas>,
    pub(crate) turns: Arc<Turns>,
    pub(crate) status: Arc<SchemaStatus>,
    pub(crate) shown: Arc<Shown>,
    /// Told when the file of overrides is to be looked at.
    pub(crate) overrides_due: Arc<Notify>,
}

impl Observer for Watch {
    fn finished(&self, call: FinishedCall) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        self.recorder.finished(call)
    }

    fn listed(&self, server: &str, tools: &[ListedTool]) {
        // First, so that the first call of a tool finds what it declares.
        self.effective.listed(server, tools, Timestamp::now());
        self.recorder.listed(server, tools);
        self.shown.listed(server, tools);
        self.overrides_due.notify_one();
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

    fn presented(&self, tool: &ToolId) -> Presented {
        self.shown.presented(tool)
    }

    fn is_hidden(&self, tool: &ToolId) -> bool {
        self.shown.is_hidden(tool)
    }

    fn named(&self, name: &str) -> Option<ToolId> {
        self.shown.named(name)
    }

    fn remembered(&self, tool: &ToolId) -> u32 {
        self.status.consecutive_generic(tool)
    }
}
