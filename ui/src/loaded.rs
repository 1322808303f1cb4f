//! What a command returns, loaded again when it may have changed.

use std::sync::Arc;

use schemascope_api::Command;

use crate::app::App;
use crate::cells::{Memo, RwSignal};
use crate::door;
use crate::live::Connection;
use crate::throttle::throttled;

/// A reply, as the engine last sent it.
pub struct Loaded<T>(RwSignal<Option<Result<Arc<T>, String>>>);

impl<T> Clone for Loaded<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Loaded<T> {}

impl<T: Send + Sync + 'static> Loaded<T> {
    /// Loads the reply: again after decisions, when the engine sends everything again, and after what `track` reads has
    /// changed. At most once per `interval`, in milliseconds.
    pub fn follow<C: Command<Reply = T> + 'static>(
        command: fn() -> C,
        interval: i32,
        track: impl Fn() + 'static,
    ) -> Self {
        let app = App::get();
        let loaded = Self(RwSignal::new(None));
        let is_wanted = move || {
            track();
            app.decided.track();
            app.live.snapshots.track();
            app.live.connection.get() == Connection::Live
        };
        throttled(interval, is_wanted, move || async move {
            let reply = door::call(&command()).await;
            let is_known = loaded.0.try_with_untracked(|known| matches!(known, Some(Ok(_)))).unwrap_or(false);
            match reply {
                // What is known stays while the engine does not respond.
                Err(_) if is_known => {}
                reply => loaded.0.set(Some(reply.map(Arc::new).map_err(|error| error.to_string()))),
            }
        });
        loaded
    }

    /// A part of the reply; none until it is loaded.
    pub fn part<P: PartialEq + Send + Sync + 'static>(
        self,
        read: impl Fn(&T) -> P + Send + Sync + 'static,
    ) -> Memo<Option<P>> {
        Memo::new(move || {
            self.0.with(|known| match known {
                Some(Ok(reply)) => Some(read(reply)),
                _ => None,
            })
        })
    }

    /// Why it cannot be loaded.
    pub fn failure(self) -> Memo<Option<String>> {
        Memo::new(move || self.0.with(|known| known.as_ref()?.as_ref().err().cloned()))
    }
}
