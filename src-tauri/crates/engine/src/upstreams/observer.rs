//! Connection between the proxy and the parts that record its traffic or answer its questions.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use parking_lot::Mutex;
use schemascope_model::{Carrier, Presented, Timestamp, ToolId};
use schemascope_proxy::{
    AdapterStatus, Effective, FinishedCall, Introduction, ListedTool, Observer, Schemas, ServerEntry,
};
use schemascope_redact::Redaction;
use schemascope_registry::{Registry, Tool, Unlearned, in_list, observe};
use serde_json::value::RawValue;
use tokio::sync::Notify;

use super::introductions::Introductions;
use crate::knowledge::advertisement_queue::AdvertisementQueue;
use crate::knowledge::effective::EffectiveSchemas;
use crate::knowledge::overrides::shown::ShownTools;
use crate::own_tools::OwnTools;
use crate::recording::recorder::Recorder;
use crate::recording::schema_status::SchemaStatus;

/// Observer of the proxy, and its source of effective schemas.
pub(super) struct ProxyObserver {
    pub(super) registry: Arc<Mutex<Registry>>,
    pub(super) recorder: Arc<Recorder>,
    pub(super) effective: Arc<EffectiveSchemas>,
    pub(super) suspensions: Arc<AdvertisementQueue>,
    pub(super) status: Arc<SchemaStatus>,
    pub(super) shown: Arc<ShownTools>,
    pub(super) own_tools: Arc<OwnTools>,
    pub(super) introductions: Arc<Introductions>,
    pub(super) redaction: Arc<Redaction>,
    /// Notified when the file of overrides is to be reconciled.
    pub(super) overrides_due: Arc<Notify>,
}

impl Observer for ProxyObserver {
    fn finished(&self, call: FinishedCall) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        self.recorder.finished(call)
    }

    fn listed(&self, server: &str, tools: &[ListedTool]) {
        // Done first, so that the first call of a tool finds what it declares.
        self.effective.listed(server, tools, Timestamp::now());
        self.recorder.listed(server, tools);
        self.shown.listed(server, tools);
        self.overrides_due.notify_one();
    }

    fn introduced(&self, server: &str, entry: &ServerEntry, introduction: &Introduction) {
        self.introductions.put(server, entry, introduction);
    }

    fn expected(&self, server: &str, entry: &ServerEntry) -> Option<Introduction> {
        self.introductions.of(server, entry)
    }

    fn changed(&self, server: &str) {
        self.recorder.changed(server);
    }

    fn without_secrets(&self, reason: String) -> String {
        self.redaction.now().text(&reason).into_owned()
    }

    fn adapted(&self, tool: &ToolId, status: AdapterStatus) {
        let change = status.change;
        self.status.set(tool, status, Timestamp::now());
        if let Some(change) = change {
            self.suspensions.add(tool, change, Timestamp::now());
        }
    }
}

impl Schemas for ProxyObserver {
    fn effective(&self, tool: &ToolId) -> Effective {
        self.effective.of(tool)
    }

    fn presented(&self, tool: &ToolId) -> Presented {
        let presented = self.shown.presented(tool);
        Presented { hidden: presented.hidden || !self.own_tools.offers(tool), ..presented }
    }

    fn is_hidden(&self, tool: &ToolId) -> bool {
        self.shown.is_hidden(tool) || !self.own_tools.offers(tool)
    }

    fn is_offered(&self, server: &str) -> bool {
        self.own_tools.offers_server(server)
    }

    fn named(&self, name: &str) -> Option<ToolId> {
        self.shown.named(name)
    }

    fn read_inside(&self, tool: &ToolId, result: &[u8]) -> Option<String> {
        let result: &RawValue = serde_json::from_slice(result).ok()?;
        let observation = observe(result);
        let sends_items = || self.registry.lock().tool(tool).is_some_and(Tool::sends_items);
        if let Some(listed) = in_list(observation.as_ref(), Some(result), sends_items) {
            return Some(listed.json.into_owned());
        }
        let observation = observation.filter(|observation| observation.sent.is_some())?;
        match observation.carrier {
            // Lines `key: value` are structure only where they recur.
            Carrier::KeyValue => {
                let unlearned = self.registry.lock().tool(tool).map(Unlearned::of)?;
                (!unlearned.has(Timestamp::now(), &observation)).then(|| observation.json.into_owned())
            }
            // A text among others with structure.
            Carrier::Structured => {
                let carriers = self.registry.lock().tool(tool)?.carriers;
                let text = observation.sent.filter(|_| carriers.read_from_text() > 0)?;
                Some(text.into_owned())
            }
            _ => Some(observation.json.into_owned()),
        }
    }

    fn is_failing_text(&self, tool: &ToolId, result: &[u8]) -> bool {
        self.effective.is_failing_text(tool, result)
    }

    fn remembered(&self, tool: &ToolId, schema: Option<&str>) -> u32 {
        self.status.consecutive_generic(tool, schema)
    }
}
