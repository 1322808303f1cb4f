//! Adapting on the call path, within a limit of time.
//!
//! Small results are adapted at once, large ones on a background thread for [`ADAPT_TIMEOUT`] at most. A result whose
//! adaptation fails or takes longer passes unchanged, but for an empty object where the advertised schema asks for
//! structure. Also keeps compiled schemas and the recent results of each
//! tool. [`crate::adapt`] does the work itself.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use bytes::Bytes;
use schemascope_model::{Rung, ToolId};
use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;

use crate::adapt::{
    self, Adaptation, Adapting, Effective, Judge, Mode, SuspensionChange, ToolContext, Trend,
};
use crate::hub::changes::ListVersion;
use crate::listed::ListedSchemas;
use crate::observer::Observer;
use crate::schemas::{AdapterStatus, Schemas};
use crate::wire::Era;

/// Limit for adapting a result.
const ADAPT_TIMEOUT: Duration = Duration::from_secs(1);
/// Steps of work that are done on the calling task: about a millisecond.
const MAX_INLINE_WORK: u64 = 256 << 10;
/// Results adapted in the background at a time; each holds a few copies of itself.
const MAX_BACKGROUND: usize = 8;
/// CompiledSchema schemas kept; when there are more, the cache is cleared.
const MAX_JUDGES: usize = 2_000;
/// Tools whose recent results are kept.
const MAX_TOOLS: usize = 20_000;

/// Adapts results to the advertised schemas, and writes those.
pub(crate) struct Adapter {
    adapting: RwLock<Adapting>,
    schemas: Arc<dyn Schemas>,
    observer: Arc<dyn Observer>,
    /// Version of the list of all tools.
    changed: Arc<watch::Sender<ListVersion>>,
    /// CompiledSchema schemas by digest.
    judges: Mutex<HashMap<Arc<str>, Arc<CompiledSchema>>>,
    /// The schemas of the list that was made last.
    listed: Mutex<ListedSchemas>,
    /// Stands in where there is no schema.
    nothing: Arc<CompiledSchema>,
    trends: Mutex<HashMap<ToolId, Trend>>,
    permits: Arc<Semaphore>,
}

/// A compiled schema.
#[derive(Default)]
struct CompiledSchema {
    judge: Judge,
    /// Judgements that exceeded the limit and are still running. Until they end the schema is not used again.
    overdue: AtomicUsize,
}

impl Adapter {
    pub(crate) fn new(
        adapting: Adapting,
        schemas: Arc<dyn Schemas>,
        observer: Arc<dyn Observer>,
        changed: Arc<watch::Sender<ListVersion>>,
    ) -> Self {
        let (judges, trends, listed) = (Mutex::default(), Mutex::default(), Mutex::default());
        let nothing = Arc::default();
        let permits = Arc::new(Semaphore::new(MAX_BACKGROUND));
        let adapting = RwLock::new(adapting);
        Self { adapting, schemas, observer, changed, judges, listed, nothing, trends, permits }
    }

    /// The current settings.
    fn adapting(&self) -> Adapting {
        *self.adapting.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the settings, and has clients list the tools again.
    pub(crate) fn set(&self, adapting: Adapting) {
        let before =
            std::mem::replace(&mut *self.adapting.write().unwrap_or_else(PoisonError::into_inner), adapting);
        if before != adapting {
            self.changed.send_modify(ListVersion::change);
        }
    }

    /// The effective schema of a tool.
    pub(crate) fn effective(&self, tool: &ToolId) -> Effective {
        self.schemas.effective(tool)
    }

    /// The source of schemas and overrides.
    pub(crate) fn schemas(&self) -> &dyn Schemas {
        self.schemas.as_ref()
    }

    /// Definitions as a client gets them, and the schemas that it thereby knows. Each comes with its tool id if it has
    /// a valid one.
    pub(crate) async fn advertised(
        self: &Arc<Self>,
        definitions: Vec<(Option<ToolId>, Bytes)>,
        era: Era,
    ) -> (Vec<Bytes>, ListedSchemas) {
        let as_sent: Vec<_> = definitions.iter().map(|(_, definition)| definition.clone()).collect();
        if self.adapting().mode == Mode::Off {
            return (as_sent, ListedSchemas::default());
        }
        let adapter = Arc::clone(self);
        // Compiling schemas takes too long for an async task.
        let advertised = tokio::task::spawn_blocking(move || {
            let mut effective = Vec::new();
            let each = definitions.into_iter().map(|(tool, definition)| match tool {
                Some(tool) => {
                    let (advertised, schema) = adapter.advertise(&tool, &definition, era);
                    effective.push((tool, schema));
                    advertised
                }
                None => definition,
            });
            let advertised = each.collect();
            let mut latest = lock(&adapter.listed);
            *latest = ListedSchemas::new(effective.into_iter(), &latest);
            (advertised, latest.clone())
        });
        advertised.await.unwrap_or_else(|_| (as_sent, ListedSchemas::default()))
    }

    fn advertise(&self, tool: &ToolId, definition: &Bytes, era: Era) -> (Bytes, Effective) {
        let effective = self.schemas.effective(tool);
        let suspended = self.adapting().suspend && self.trend(tool, &effective).suspends(&effective);
        let compiled = self.compiled(&effective);
        let context = ToolContext {
            effective: &effective,
            judge: compiled.judge(),
            suspended,
            modern: era == Era::Modern,
        };
        let advertised = catch_unwind(AssertUnwindSafe(|| adapt::advertise(definition, &context)));
        (advertised.unwrap_or_else(|_| definition.clone()), effective)
    }

    /// Adapts a tool's result for a client of `/mcp` that listed the tools under these schemas.
    pub(crate) async fn adapt(
        self: &Arc<Self>,
        tool: &ToolId,
        effective: &Effective,
        listed: &ListedSchemas,
        result: &Bytes,
        era: Era,
    ) -> Adaptation {
        let earlier = listed.instead_of(tool, effective);
        let effective = earlier.as_ref().unwrap_or(effective);
        let mode = self.adapting().mode;
        if mode == Mode::Off || (mode == Mode::Advertised && effective.schema().is_none()) {
            return Adaptation::default();
        }
        let cached = self.cached(effective);
        let small = |compiled: &Arc<CompiledSchema>| {
            adapt::work(result, effective, compiled.judge()) <= MAX_INLINE_WORK
        };
        let adapted = match cached.filter(small) {
            Some(compiled) => adapt_or_keep(result, effective, &compiled, mode, era),
            None => self.adapt_in_background(result, effective, mode, era).await,
        };
        // What becomes of an earlier schema says nothing about the one in effect.
        if let Some(rung) = adapted.rung.filter(|_| earlier.is_none())
            && !(rung == Rung::Generic && self.schemas.is_failing_text(tool, result))
        {
            self.note(tool, effective, rung);
        }
        adapted
    }

    /// Adapts on a background thread, within the limit.
    async fn adapt_in_background(
        self: &Arc<Self>,
        result: &Bytes,
        effective: &Effective,
        mode: Mode,
        era: Era,
    ) -> Adaptation {
        let deadline = Instant::now() + ADAPT_TIMEOUT;
        let permit = tokio::time::timeout_at(deadline, Arc::clone(&self.permits).acquire_owned()).await;
        let Ok(Ok(permit)) = permit else { return without_structure(result, effective).await };
        let mut working = tokio::task::spawn_blocking({
            let (adapter, result, effective) = (Arc::clone(self), result.clone(), effective.clone());
            move || {
                let _permit = permit;
                adapt_or_keep(&result, &effective, &adapter.compiled(&effective), mode, era)
            }
        });
        if let Ok(adapted) = tokio::time::timeout_at(deadline, &mut working).await {
            return adapted.unwrap_or_default();
        }
        if let Some(compiled) = self.cached(effective) {
            compiled.overdue.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(async move {
                let _ = working.await;
                compiled.overdue.fetch_sub(1, Ordering::Relaxed);
            });
        }
        without_structure(result, effective).await
    }

    /// Counts an adapted result, and announces the change that it causes.
    fn note(&self, tool: &ToolId, effective: &Effective, rung: Rung) {
        let suspend = self.adapting().suspend;
        let (consecutive_generic, schema, change) = {
            let mut trends = lock(&self.trends);
            if trends.len() >= MAX_TOOLS && !trends.contains_key(tool) {
                return;
            }
            let fresh = || self.remembered(tool, effective);
            let trend = trends.entry(tool.clone()).or_insert_with(fresh);
            let change = trend.note(rung, effective).filter(|_| suspend);
            (trend.consecutive_generic(), trend.schema().cloned(), change)
        };
        self.observer.adapted(tool, AdapterStatus { rung, consecutive_generic, schema, change });
        match change {
            Some(SuspensionChange::Suspended) => {
                tracing::warn!(%tool, "schema suspended: two results in a row lack its structure; clients get a generic schema");
            }
            Some(SuspensionChange::Restored) => {
                tracing::info!(%tool, "schema restored: a result has structure again; clients get the schema");
            }
            None => return,
        }
        self.changed.send_modify(ListVersion::change);
    }

    fn trend(&self, tool: &ToolId, effective: &Effective) -> Trend {
        let known = lock(&self.trends).get(tool).cloned();
        known.unwrap_or_else(|| self.remembered(tool, effective))
    }

    /// What the previous run knew of the results of a tool under its effective schema.
    fn remembered(&self, tool: &ToolId, effective: &Effective) -> Trend {
        let schema = effective.schema().map(|schema| &*schema.digest);
        Trend::new(self.schemas.remembered(tool, schema), effective)
    }

    /// The compiled schema, if it is in the cache.
    fn cached(&self, effective: &Effective) -> Option<Arc<CompiledSchema>> {
        match effective.schema() {
            Some(schema) => lock(&self.judges).get(&schema.digest).cloned(),
            None => Some(Arc::clone(&self.nothing)),
        }
    }

    /// The compiled schema. Compiling may take long.
    fn compiled(&self, effective: &Effective) -> Arc<CompiledSchema> {
        let (cached, Some(schema)) = (self.cached(effective), effective.schema()) else {
            return Arc::clone(&self.nothing);
        };
        cached.unwrap_or_else(|| {
            let judge = catch_unwind(|| Judge::new(&schema.schema)).unwrap_or_default();
            let compiled = Arc::new(CompiledSchema { judge, overdue: AtomicUsize::new(0) });
            let mut judges = lock(&self.judges);
            if judges.len() >= MAX_JUDGES {
                judges.clear();
            }
            judges.insert(Arc::clone(&schema.digest), Arc::clone(&compiled));
            compiled
        })
    }
}

impl CompiledSchema {
    /// The judge; one that accepts everything while an earlier judgement still runs.
    fn judge(&self) -> &Judge {
        if self.overdue.load(Ordering::Relaxed) > 0 { &Judge::UNUSABLE } else { &self.judge }
    }
}

/// A result that could not be adapted in time.
async fn without_structure(result: &Bytes, effective: &Effective) -> Adaptation {
    let (result, effective) = (result.clone(), effective.clone());
    // It is large, and copied.
    let working = tokio::task::spawn_blocking(move || adapt::without_structure(&result, &effective));
    working.await.unwrap_or_default()
}

/// Adapts a result. A panic leaves it unchanged.
fn adapt_or_keep(
    result: &Bytes,
    effective: &Effective,
    compiled: &CompiledSchema,
    mode: Mode,
    era: Era,
) -> Adaptation {
    let context =
        ToolContext { effective, judge: compiled.judge(), suspended: false, modern: era == Era::Modern };
    catch_unwind(AssertUnwindSafe(|| adapt::adapt(result, &context, mode))).unwrap_or_default()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::Pin;

    use serde_json::json;

    use super::*;
    use crate::observer::{FinishedCall, ListedTool};
    use crate::schemas::Schema;

    /// The same effective schema for every tool.
    struct FixedSchema(Effective);

    impl Schemas for FixedSchema {
        fn effective(&self, _: &ToolId) -> Effective {
            self.0.clone()
        }
    }

    struct NoObserver;

    impl Observer for NoObserver {
        fn finished(&self, _: FinishedCall) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
            Box::pin(async {})
        }

        fn listed(&self, _: &str, _: &[ListedTool]) {}

        fn changed(&self, _: &str) {}
    }

    fn adapter() -> (Arc<Adapter>, Effective, ToolId) {
        let schema = Arc::new(json!({"type": "object", "required": ["id"]}));
        let effective = Effective::Enforced(Schema { digest: "d".into(), schema, inferred: false });
        let changed = Arc::new(watch::Sender::new(ListVersion::default()));
        let schemas = Arc::new(FixedSchema(effective.clone()));
        let adapter = Arc::new(Adapter::new(Adapting::default(), schemas, Arc::new(NoObserver), changed));
        (adapter, effective, ToolId::new("s", "t").unwrap())
    }

    /// For a client that has listed nothing.
    async fn adapt(
        adapter: &Arc<Adapter>,
        tool: &ToolId,
        effective: &Effective,
        result: &Bytes,
    ) -> Adaptation {
        adapter.adapt(tool, effective, &ListedSchemas::default(), result, Era::Legacy).await
    }

    fn result(more: &str) -> Bytes {
        let document = json!({"id": 1, "more": more}).to_string();
        json!({"content": [{"type": "text", "text": document}]}).to_string().into()
    }

    #[tokio::test]
    async fn small_and_large_results_are_adapted() {
        let (adapter, effective, tool) = adapter();
        for size in [0, 0, 400_000] {
            let adapted = adapt(&adapter, &tool, &effective, &result(&"x".repeat(size))).await;
            assert_eq!((adapted.rung, adapted.rejected), (Some(Rung::Declared), false));
        }
    }

    #[tokio::test]
    async fn result_passes_unchanged_without_background_permit() {
        let (adapter, effective, tool) = adapter();
        let permits = Arc::clone(&adapter.permits).acquire_many_owned(MAX_BACKGROUND as u32).await.unwrap();
        let large = result(&"x".repeat(400_000));
        assert_eq!(adapt(&adapter, &tool, &effective, &large).await, Adaptation::default());
        drop(permits);
        assert!(adapt(&adapter, &tool, &effective, &large).await.result.is_some());
    }

    /// Otherwise a schema that keeps the validator busy for ever would occupy a thread with each result.
    #[tokio::test]
    async fn schema_is_not_used_while_an_earlier_judgement_runs() {
        let (adapter, effective, tool) = adapter();
        let misfit = Bytes::from_static(br#"{"content":[],"structuredContent":{}}"#);
        let rejected = async || adapt(&adapter, &tool, &effective, &misfit).await.rejected;
        assert!(rejected().await);
        let compiled = adapter.compiled(&effective);
        compiled.overdue.fetch_add(1, Ordering::Relaxed);
        assert!(!rejected().await);
        compiled.overdue.fetch_sub(1, Ordering::Relaxed);
        assert!(rejected().await);
    }
}
