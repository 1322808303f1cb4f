//! Back-pressure that waits for slow consumers, and no longer for stuck ones.
//!
//! An upstream may send notifications faster than a client reads them. The task that carries them waits for room in
//! the client's queue, so that none is lost. A client that reads nothing is waited for once, and then not again until
//! it has caught up, so that it does not delay the others for long.

use std::time::Duration;

use tokio::sync::mpsc::{Sender, WeakSender};
use tokio::time::{Instant, sleep, timeout};

/// How long a consumer that reads nothing is waited for. Divided among those that are stuck.
const STUCK_TIMEOUT: Duration = Duration::from_millis(200);
/// Interval at which broadcast listeners are checked, which cannot signal that they have caught up.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// The consumers of one sender that did not keep up.
#[derive(Debug)]
pub(crate) struct SlowConsumers<T> {
    /// Queues that were waited for without success.
    stuck: Vec<WeakSender<T>>,
    /// The same for the broadcast listeners, who count as one.
    listeners_are_stuck: bool,
}

impl<T> Default for SlowConsumers<T> {
    fn default() -> Self {
        Self { stuck: Vec::new(), listeners_are_stuck: false }
    }
}

/// Whether three quarters of a queue are in use.
pub(crate) fn is_crowded<T>(queue: &Sender<T>) -> bool {
    queue.capacity() <= queue.max_capacity() / 4
}

impl<T> SlowConsumers<T> {
    /// Waits until a crowded queue is half empty, unless its consumer is stuck.
    pub(crate) async fn wait_for(&mut self, queue: &Sender<T>) {
        self.forget_recovered();
        if !is_crowded(queue) {
            return;
        }
        let is = |stuck: &WeakSender<T>| stuck.upgrade().is_some_and(|stuck| stuck.same_channel(queue));
        let half = queue.max_capacity() / 2;
        let limit = STUCK_TIMEOUT / u32::try_from(1 + self.stuck.len()).unwrap_or(u32::MAX);
        if !self.stuck.iter().any(is) && timeout(limit, queue.reserve_many(half)).await.is_err() {
            self.stuck.push(queue.downgrade());
        }
    }

    /// Forgets consumers that have caught up or are gone.
    pub(crate) fn forget_recovered(&mut self) {
        self.stuck.retain(|stuck| {
            let is_behind =
                |queue: Sender<T>| queue.capacity() < queue.max_capacity() / 2 && !queue.is_closed();
            stuck.upgrade().is_some_and(is_behind)
        });
    }

    /// Waits until the slowest broadcast listener has at most half of `capacity` messages unread, if it is close to that
    /// limit. `waiting` returns the number of messages it has not read.
    pub(crate) async fn wait_for_listeners(&mut self, capacity: usize, waiting: impl Fn() -> usize) {
        let now = waiting();
        self.listeners_are_stuck &= now > capacity / 2;
        if self.listeners_are_stuck || now < capacity - capacity / 4 {
            return;
        }
        let began = Instant::now();
        while waiting() > capacity / 2 {
            if began.elapsed() > STUCK_TIMEOUT {
                self.listeners_are_stuck = true;
                return;
            }
            sleep(POLL_INTERVAL).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::{broadcast, mpsc};

    use super::*;

    #[tokio::test]
    async fn slow_consumer_misses_nothing() {
        let (sender, mut receiver) = mpsc::channel(8);
        let reading = tokio::spawn(async move {
            let mut read = 0;
            while receiver.recv().await.is_some() {
                read += 1;
                sleep(Duration::from_millis(2)).await;
            }
            read
        });
        let mut consumers = SlowConsumers::default();
        for _ in 0..200 {
            consumers.wait_for(&sender).await;
            sender.try_send(()).unwrap();
        }
        drop(sender);
        assert_eq!(reading.await.unwrap(), 200);
        assert!(consumers.stuck.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn stuck_consumer_is_waited_for_once() {
        let (sender, mut receiver) = mpsc::channel(8);
        let (other, gone) = mpsc::channel(8);
        let mut consumers = SlowConsumers::default();
        let began = Instant::now();
        let mut dropped = 0;
        for _ in 0..100 {
            for queue in [&sender, &other] {
                consumers.wait_for(queue).await;
                dropped += u32::from(queue.try_send(()).is_err());
            }
        }
        assert_eq!(dropped, 2 * (100 - 8));
        assert!(began.elapsed() < 2 * STUCK_TIMEOUT, "{:?}", began.elapsed());
        // A consumer that has caught up is waited for again, and one that is gone is forgotten.
        (0..8).for_each(|_| receiver.try_recv().unwrap());
        drop(gone);
        consumers.forget_recovered();
        assert!(consumers.stuck.is_empty());
        (0..8).for_each(|_| sender.try_send(()).unwrap());
        consumers.wait_for(&sender).await;
        assert_eq!(consumers.stuck.len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn stuck_listeners_are_waited_for_once() {
        const CAPACITY: usize = 8;
        let sender = broadcast::Sender::new(CAPACITY);
        let mut listener = sender.subscribe();
        let mut consumers = SlowConsumers::<()>::default();
        let began = Instant::now();
        for n in 0..100 {
            sender.send(n).unwrap();
            consumers.wait_for_listeners(CAPACITY, || sender.len()).await;
        }
        assert!(began.elapsed() < 2 * STUCK_TIMEOUT, "{:?}", began.elapsed());
        while listener.try_recv().is_ok() || !listener.is_empty() {}
        consumers.wait_for_listeners(CAPACITY, || sender.len()).await;
        assert!(!consumers.listeners_are_stuck);
    }
}
