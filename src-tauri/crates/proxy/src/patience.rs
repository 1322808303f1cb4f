//! Waiting for those who are slow to read, and not for those who do not.
//!
//! What an upstream tells in a burst comes faster than a client takes it. Whoever carries it waits for room, so that
//! nothing of it is lost; but somebody who takes nothing is waited for once, and then no more until he has caught up,
//! so that he holds up nobody else for long. Owns: how long. Refuses to know: what is told, and what is dropped.

use std::time::Duration;

use tokio::sync::mpsc::{Sender, WeakSender};
use tokio::time::{Instant, sleep, timeout};

/// How long somebody who takes nothing is waited for; a part of that where others do not either.
const PATIENCE: Duration = Duration::from_millis(200);
/// How long until those are looked at again who cannot say that they have caught up.
const LOOK: Duration = Duration::from_millis(1);

/// Of one who hands on.
#[derive(Debug)]
pub(crate) struct Patience<T> {
    /// Who was waited for in vain.
    stuck: Vec<WeakSender<T>>,
    /// Whether listeners were, of whom one speaks as of one.
    listeners_are_stuck: bool,
}

impl<T> Default for Patience<T> {
    fn default() -> Self {
        Self { stuck: Vec::new(), listeners_are_stuck: false }
    }
}

/// Whether so little room is left for further ones that they should wait.
pub(crate) fn is_crowded<T>(queue: &Sender<T>) -> bool {
    queue.capacity() <= queue.max_capacity() / 4
}

impl<T> Patience<T> {
    /// Waits until a crowded queue is half empty.
    pub(crate) async fn wait_for(&mut self, queue: &Sender<T>) {
        self.forgive();
        if !is_crowded(queue) {
            return;
        }
        let is = |stuck: &WeakSender<T>| stuck.upgrade().is_some_and(|stuck| stuck.same_channel(queue));
        let half = queue.max_capacity() / 2;
        let patience = PATIENCE / u32::try_from(1 + self.stuck.len()).unwrap_or(u32::MAX);
        if !self.stuck.iter().any(is) && timeout(patience, queue.reserve_many(half)).await.is_err() {
            self.stuck.push(queue.downgrade());
        }
    }

    /// Forgets those who have caught up or gone.
    pub(crate) fn forgive(&mut self) {
        self.stuck.retain(|stuck| {
            let is_behind =
                |queue: Sender<T>| queue.capacity() < queue.max_capacity() / 2 && !queue.is_closed();
            stuck.upgrade().is_some_and(is_behind)
        });
    }

    /// Waits until listeners of whom the last has `waiting` before him have at most half of what they `may` have, if
    /// it is much.
    pub(crate) async fn wait_for_listeners(&mut self, may: usize, waiting: impl Fn() -> usize) {
        let now = waiting();
        self.listeners_are_stuck &= now > may / 2;
        if self.listeners_are_stuck || now < may - may / 4 {
            return;
        }
        let began = Instant::now();
        while waiting() > may / 2 {
            if began.elapsed() > PATIENCE {
                self.listeners_are_stuck = true;
                return;
            }
            sleep(LOOK).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::{broadcast, mpsc};

    use super::*;

    #[tokio::test]
    async fn who_reads_misses_nothing_however_slowly() {
        let (sender, mut receiver) = mpsc::channel(8);
        let reading = tokio::spawn(async move {
            let mut read = 0;
            while receiver.recv().await.is_some() {
                read += 1;
                sleep(Duration::from_millis(2)).await;
            }
            read
        });
        let mut patience = Patience::default();
        for _ in 0..200 {
            patience.wait_for(&sender).await;
            sender.try_send(()).unwrap();
        }
        drop(sender);
        assert_eq!(reading.await.unwrap(), 200);
        assert!(patience.stuck.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn who_does_not_read_is_waited_for_once() {
        let (sender, mut receiver) = mpsc::channel(8);
        let (other, gone) = mpsc::channel(8);
        let mut patience = Patience::default();
        let began = Instant::now();
        let mut dropped = 0;
        for _ in 0..100 {
            for queue in [&sender, &other] {
                patience.wait_for(queue).await;
                dropped += u32::from(queue.try_send(()).is_err());
            }
        }
        assert_eq!(dropped, 2 * (100 - 8));
        assert!(began.elapsed() < 2 * PATIENCE, "{:?}", began.elapsed());
        // Who has caught up is waited for again; and who has gone is forgotten.
        (0..8).for_each(|_| receiver.try_recv().unwrap());
        drop(gone);
        patience.forgive();
        assert!(patience.stuck.is_empty());
        (0..8).for_each(|_| sender.try_send(()).unwrap());
        patience.wait_for(&sender).await;
        assert_eq!(patience.stuck.len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn listeners_who_do_not_listen_are_waited_for_once() {
        const MAY: usize = 8;
        let sender = broadcast::Sender::new(MAY);
        let mut listener = sender.subscribe();
        let mut patience = Patience::<()>::default();
        let began = Instant::now();
        for n in 0..100 {
            sender.send(n).unwrap();
            patience.wait_for_listeners(MAY, || sender.len()).await;
        }
        assert!(began.elapsed() < 2 * PATIENCE, "{:?}", began.elapsed());
        while listener.try_recv().is_ok() || !listener.is_empty() {}
        patience.wait_for_listeners(MAY, || sender.len()).await;
        assert!(!patience.listeners_are_stuck);
    }
}
