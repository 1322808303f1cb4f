//! Work that goes on in the background while an engine is open.

use std::future::Future;
use std::sync::Arc;

use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

/// Background work with tasks of its own, such as a timer or a watch on a file.
pub(crate) trait Service: Send + Sync {
    /// Starts the tasks.
    fn start(self: Arc<Self>, tasks: &Tasks);
    /// Finishes what is left to do once the tasks have ended. Blocks.
    fn stop(&self) {}
}

/// Tasks of all services of an engine.
pub(crate) struct Tasks {
    running: TaskTracker,
    ending: CancellationToken,
}

impl Tasks {
    /// Runs a task until it ends or the services are stopped. Needs a tokio runtime.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let task = self.ending.clone().run_until_cancelled_owned(task);
        self.running.spawn(async move {
            let _ = task.await;
        });
    }
}

/// Services that run. Their tasks end when this is dropped.
pub(crate) struct Background {
    services: Arc<[Arc<dyn Service>]>,
    tasks: Tasks,
    _ending: DropGuard,
}

impl Background {
    /// Starts services. Needs a tokio runtime.
    pub(crate) fn start(services: impl IntoIterator<Item = Arc<dyn Service>>) -> Self {
        let ending = CancellationToken::new();
        let tasks = Tasks { running: TaskTracker::new(), ending: ending.clone() };
        let services: Arc<[_]> = services.into_iter().collect();
        services.iter().for_each(|service| Arc::clone(service).start(&tasks));
        Self { services, tasks, _ending: ending.drop_guard() }
    }

    /// Ends all tasks, then stops the services in the order they were started.
    pub(crate) async fn stop(&self) {
        self.tasks.ending.cancel();
        self.tasks.running.close();
        self.tasks.running.wait().await;
        let services = Arc::clone(&self.services);
        let stopping = move || services.iter().for_each(|service| service.stop());
        if tokio::task::spawn_blocking(stopping).await.is_err() {
            tracing::error!("a service failed while it was stopped");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[derive(Default)]
    struct Counter {
        running: AtomicUsize,
        stopped: AtomicUsize,
    }

    impl Service for Counter {
        fn start(self: Arc<Self>, tasks: &Tasks) {
            self.running.fetch_add(1, Ordering::Relaxed);
            let guard = Running(self);
            tasks.spawn(async move {
                std::future::pending::<()>().await;
                drop(guard);
            });
        }

        fn stop(&self) {
            assert_eq!(self.running.load(Ordering::Relaxed), 0, "tasks end first");
            self.stopped.fetch_add(1, Ordering::Relaxed);
        }
    }

    struct Running(Arc<Counter>);

    impl Drop for Running {
        fn drop(&mut self) {
            self.0.running.fetch_sub(1, Ordering::Relaxed);
        }
    }

    #[tokio::test]
    async fn services_stop_after_their_tasks_have_ended() {
        let counter = Arc::new(Counter::default());
        let background = Background::start([Arc::clone(&counter) as _]);
        assert_eq!(counter.running.load(Ordering::Relaxed), 1);
        background.stop().await;
        assert_eq!(counter.stopped.load(Ordering::Relaxed), 1);
    }
}
