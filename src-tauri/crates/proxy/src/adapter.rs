//! The adapter on the call path.
//!
//! Owns: that adapting never keeps anybody waiting: small work is done on the spot, the rest aside and for
//! [`LIMIT`] at most; what fails or takes longer leaves a result as it was. Compiled schemas, and how each tool's
//! results went lately. Refuses to know: what adapting is ([`crate::adapt`]), where results come from.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use bytes::Bytes;
use schemascope_model::{Rung, ToolId};
use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;

use crate::adapt::{self, Adapted, Adapting, Effective, Judge, Mode, Told, Trend, Turn};
use crate::hub::changes::Lists;
use crate::observer::Observer;
use crate::schemas::{AdapterStatus, Schemas};
use crate::wire::Era;

/// How long adapting may take.
const LIMIT: Duration = Duration::from_secs(1);
/// Steps done on the spot: a millisecond or so.
const ON_THE_SPOT: u64 = 256 << 10;
/// Results adapted aside at a time; each holds a few copies of itself.
const ASIDE: usize = 8;
/// Compiled schemas kept; beyond that the cache starts anew.
const MAX_JUDGES: usize = 2_000;
/// Tools whose results are watched.
const MAX_TOOLS: usize = 20_000;

/// Fits results to what clients are told, and tells it.
pub(crate) struct Adapter {
    adapting: RwLock<Adapting>,
    schemas: Arc<dyn Schemas>,
    observer: Arc<dyn Observer>,
    /// Counts the lists of all tools there were.
    changed: Arc<watch::Sender<Lists>>,
    /// By digest.
    judges: Mutex<HashMap<Arc<str>, Arc<Compiled>>>,
    /// Of no schema.
    nothing: Arc<Compiled>,
    trends: Mutex<HashMap<ToolId, Trend>>,
    room: Arc<Semaphore>,
}

/// A compiled schema and how its use goes.
#[derive(Default)]
struct Compiled {
    judge: Judge,
    /// Uses that took too long and have not ended: until they do it is not asked again.
    overdue: AtomicUsize,
}

impl Adapter {
    pub(crate) fn new(
        adapting: Adapting,
        schemas: Arc<dyn Schemas>,
        observer: Arc<dyn Observer>,
        changed: Arc<watch::Sender<Lists>>,
    ) -> Self {
        let (judges, trends, nothing) = (Mutex::default(), Mutex::default(), Arc::default());
        let room = Arc::new(Semaphore::new(ASIDE));
        let adapting = RwLock::new(adapting);
        Self { adapting, schemas, observer, changed, judges, nothing, trends, room }
    }

    /// What may be done by now.
    fn adapting(&self) -> Adapting {
        *self.adapting.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does so much from now on, and tells clients where that changes what they were told.
    pub(crate) fn set(&self, adapting: Adapting) {
        let before =
            std::mem::replace(&mut *self.adapting.write().unwrap_or_else(PoisonError::into_inner), adapting);
        if before != adapting {
            self.changed.send_modify(Lists::change);
        }
    }

    /// What is held true of a tool.
    pub(crate) fn effective(&self, tool: &ToolId) -> Effective {
        self.schemas.effective(tool)
    }

    /// What the rest of the app says of tools.
    pub(crate) fn schemas(&self) -> &dyn Schemas {
        self.schemas.as_ref()
    }

    /// Definitions as a client gets them, each with its tool if that can be told.
    pub(crate) async fn advertised(
        self: &Arc<Self>,
        definitions: Vec<(Option<ToolId>, Bytes)>,
        era: Era,
    ) -> Vec<Bytes> {
        let as_sent: Vec<_> = definitions.iter().map(|(_, definition)| definition.clone()).collect();
        if self.adapting().mode == Mode::Off {
            return as_sent;
        }
        let adapter = Arc::clone(self);
        // Compiling schemas takes a while.
        let advertised = tokio::task::spawn_blocking(move || {
            let each = definitions.into_iter().map(|(tool, definition)| match tool {
                Some(tool) => adapter.advertise(&tool, &definition, era),
                None => definition,
            });
            each.collect()
        });
        advertised.await.unwrap_or(as_sent)
    }

    fn advertise(&self, tool: &ToolId, definition: &Bytes, era: Era) -> Bytes {
        let effective = self.schemas.effective(tool);
        let suspended = self.adapting().suspend && self.trend(tool, &effective).suspends(&effective);
        let compiled = self.compiled(&effective);
        let told =
            Told { effective: &effective, judge: compiled.judge(), suspended, modern: era == Era::Modern };
        let advertised = catch_unwind(AssertUnwindSafe(|| adapt::advertise(definition, &told)));
        advertised.unwrap_or_else(|_| definition.clone())
    }

    /// Adapts a tool's result for a client of `/mcp`.
    pub(crate) async fn adapt(
        self: &Arc<Self>,
        tool: &ToolId,
        effective: &Effective,
        result: &Bytes,
        era: Era,
    ) -> Adapted {
        let mode = self.adapting().mode;
        if mode == Mode::Off || (mode == Mode::Advertised && effective.schema().is_none()) {
            return Adapted::default();
        }
        let known = self.known(effective);
        let small =
            |compiled: &Arc<Compiled>| adapt::work(result, effective, compiled.judge()) <= ON_THE_SPOT;
        let adapted = match known.filter(small) {
            Some(compiled) => attempt(result, effective, &compiled, mode, era),
            None => self.aside(result, effective, mode, era).await,
        };
        if let Some(rung) = adapted.rung {
            self.note(tool, effective, rung);
        }
        adapted
    }

    /// Adapts on a thread that may take its time, for as long as the limit allows.
    async fn aside(self: &Arc<Self>, result: &Bytes, effective: &Effective, mode: Mode, era: Era) -> Adapted {
        let deadline = Instant::now() + LIMIT;
        let room = tokio::time::timeout_at(deadline, Arc::clone(&self.room).acquire_owned()).await;
        let Ok(Ok(room)) = room else { return Adapted::default() };
        let mut working = tokio::task::spawn_blocking({
            let (adapter, result, effective) = (Arc::clone(self), result.clone(), effective.clone());
            move || {
                let _room = room;
                attempt(&result, &effective, &adapter.compiled(&effective), mode, era)
            }
        });
        if let Ok(adapted) = tokio::time::timeout_at(deadline, &mut working).await {
            return adapted.unwrap_or_default();
        }
        if let Some(compiled) = self.known(effective) {
            compiled.overdue.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(async move {
                let _ = working.await;
                compiled.overdue.fetch_sub(1, Ordering::Relaxed);
            });
        }
        Adapted::default()
    }

    /// Notes how a result was adapted, and what follows.
    fn note(&self, tool: &ToolId, effective: &Effective, rung: Rung) {
        let suspend = self.adapting().suspend;
        let (consecutive_generic, turn) = {
            let mut trends = lock(&self.trends);
            if trends.len() >= MAX_TOOLS && !trends.contains_key(tool) {
                return;
            }
            let fresh = || Trend::new(self.schemas.remembered(tool), effective);
            let trend = trends.entry(tool.clone()).or_insert_with(fresh);
            let turn = trend.note(rung, effective).filter(|_| suspend);
            (trend.consecutive_generic(), turn)
        };
        self.observer.adapted(tool, AdapterStatus { rung, consecutive_generic, turn });
        match turn {
            Some(Turn::Suspended) => {
                tracing::warn!(%tool, "its results keep missing its schema; clients are no longer told of it");
            }
            Some(Turn::Restored) => {
                tracing::info!(%tool, "its results have structure again; clients are told of its schema");
            }
            None => return,
        }
        self.changed.send_modify(Lists::change);
    }

    fn trend(&self, tool: &ToolId, effective: &Effective) -> Trend {
        let known = lock(&self.trends).get(tool).cloned();
        known.unwrap_or_else(|| Trend::new(self.schemas.remembered(tool), effective))
    }

    /// The compiled schema, if that is at hand.
    fn known(&self, effective: &Effective) -> Option<Arc<Compiled>> {
        match effective.schema() {
            Some(schema) => lock(&self.judges).get(&schema.digest).cloned(),
            None => Some(Arc::clone(&self.nothing)),
        }
    }

    /// The compiled schema. Compiling takes a while.
    fn compiled(&self, effective: &Effective) -> Arc<Compiled> {
        let (known, Some(schema)) = (self.known(effective), effective.schema()) else {
            return Arc::clone(&self.nothing);
        };
        known.unwrap_or_else(|| {
            let judge = catch_unwind(|| Judge::new(&schema.schema)).unwrap_or_default();
            let compiled = Arc::new(Compiled { judge, overdue: AtomicUsize::new(0) });
            let mut judges = lock(&self.judges);
            if judges.len() >= MAX_JUDGES {
                judges.clear();
            }
            judges.insert(Arc::clone(&schema.digest), Arc::clone(&compiled));
            compiled
        })
    }
}

impl Compiled {
    /// One that knows nothing while an earlier question is still open.
    fn judge(&self) -> &Judge {
        if self.overdue.load(Ordering::Relaxed) > 0 { &Judge::NOTHING } else { &self.judge }
    }
}

/// Adapts a result; what goes wrong leaves it as it was.
fn attempt(result: &Bytes, effective: &Effective, compiled: &Compiled, mode: Mode, era: Era) -> Adapted {
    let told = Told { effective, judge: compiled.judge(), suspended: false, modern: era == Era::Modern };
    catch_unwind(AssertUnwindSafe(|| adapt::adapt(result, &told, mode))).unwrap_or_default()
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

    /// Holds one schema of every tool, and enforces it.
    struct One(Effective);

    impl Schemas for One {
        fn effective(&self, _: &ToolId) -> Effective {
            self.0.clone()
        }
    }

    struct Nobody;

    impl Observer for Nobody {
        fn finished(&self, _: FinishedCall) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
            Box::pin(async {})
        }

        fn listed(&self, _: &str, _: &[ListedTool]) {}

        fn changed(&self, _: &str) {}
    }

    fn adapter() -> (Arc<Adapter>, Effective, ToolId) {
        let schema = Arc::new(json!({"type": "object", "required": ["id"]}));
        let effective = Effective::Enforced(Schema { digest: "d".into(), schema });
        let changed = Arc::new(watch::Sender::new(Lists::default()));
        let one = Arc::new(One(effective.clone()));
        let adapter = Arc::new(Adapter::new(Adapting::default(), one, Arc::new(Nobody), changed));
        (adapter, effective, ToolId::new("s", "t").unwrap())
    }

    fn result(more: &str) -> Bytes {
        let document = json!({"id": 1, "more": more}).to_string();
        json!({"content": [{"type": "text", "text": document}]}).to_string().into()
    }

    #[tokio::test]
    async fn what_is_large_is_adapted_aside_as_what_is_small_is_on_the_spot() {
        let (adapter, effective, tool) = adapter();
        for size in [0, 0, 400_000] {
            let adapted = adapter.adapt(&tool, &effective, &result(&"x".repeat(size)), Era::Legacy).await;
            assert_eq!((adapted.rung, adapted.refused), (Some(Rung::Declared), false));
        }
    }

    #[tokio::test]
    async fn without_room_a_result_passes_as_it_is() {
        let (adapter, effective, tool) = adapter();
        let room = Arc::clone(&adapter.room).acquire_many_owned(ASIDE as u32).await.unwrap();
        let large = result(&"x".repeat(400_000));
        assert_eq!(adapter.adapt(&tool, &effective, &large, Era::Legacy).await, Adapted::default());
        drop(room);
        assert!(adapter.adapt(&tool, &effective, &large, Era::Legacy).await.result.is_some());
    }

    /// Or a schema that keeps a validator busy for ever would take a thread with each result.
    #[tokio::test]
    async fn a_schema_whose_use_has_not_ended_is_not_asked_again() {
        let (adapter, effective, tool) = adapter();
        let misfit = Bytes::from_static(br#"{"content":[],"structuredContent":{}}"#);
        let refused = async || adapter.adapt(&tool, &effective, &misfit, Era::Legacy).await.refused;
        assert!(refused().await);
        let compiled = adapter.compiled(&effective);
        compiled.overdue.fetch_add(1, Ordering::Relaxed);
        assert!(!refused().await);
        compiled.overdue.fetch_sub(1, Ordering::Relaxed);
        assert!(refused().await);
    }
}
