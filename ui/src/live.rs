//! The engine's state as signals. Follows the engine while the page exists, and reconnects.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use schemascope_api::{CallRow, Frame, Pulse, ServerRow, Snapshot, ToolRow};

use leptos::prelude::{on_cleanup, window_event_listener};

use crate::browser;
use crate::cells::{Memo, RwSignal, StoredValue};
use crate::door::{self, Ended};
use crate::picture::{Changed, Picture};

/// Pauses between attempts, in milliseconds; the last one repeats.
const RECONNECT_PAUSES_MS: [i32; 4] = [300, 800, 1_500, 3_000];

/// Longest press that delays updates, in milliseconds; the pointer may be released outside the page.
const MAX_PRESS_MS: u64 = 600;

/// State of the connection to the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Connection {
    /// Connecting for the first time.
    Connecting,
    /// Frames arrive.
    Live,
    /// The connection was lost, for this reason.
    Lost(String),
    /// The token is missing or wrong.
    Denied,
}

/// The engine's state as signals.
#[derive(Clone, Copy)]
pub struct Live {
    /// State of the connection.
    pub connection: RwSignal<Connection>,
    /// Current totals and rates.
    pub pulse: RwSignal<Pulse>,
    /// Milliseconds since 1970, updated every second.
    pub now: RwSignal<u64>,
    /// The local date, for times that are shown without one.
    pub today: Memo<String>,
    /// Number of snapshots received.
    pub snapshots: RwSignal<u64>,
    /// Number of snapshots before which calls may have been missed.
    pub gaps: RwSignal<u64>,
    picture: StoredValue<Picture>,
    /// Changes not yet published.
    pending: StoredValue<Changed>,
    /// Time at which the pointer was pressed; 0 while it is not.
    pressed: StoredValue<u64>,
    tools: RwSignal<u64>,
    servers: RwSignal<u64>,
    calls: RwSignal<u64>,
    /// Changes whenever wrappers were kept current.
    pub wrappers: RwSignal<u64>,
}

impl Live {
    /// Starts to follow the engine.
    pub fn start() -> Self {
        let now = RwSignal::new(browser::now());
        let live = Self {
            connection: RwSignal::new(Connection::Connecting),
            pulse: RwSignal::default(),
            now,
            today: Memo::new(move || browser::day(now.get())),
            snapshots: RwSignal::new(0),
            gaps: RwSignal::new(0),
            picture: StoredValue::new(Picture::default()),
            pending: StoredValue::new(Changed::default()),
            pressed: StoredValue::new(0),
            tools: RwSignal::new(0),
            servers: RwSignal::new(0),
            calls: RwSignal::new(0),
            wrappers: RwSignal::new(0),
        };
        live.delay_while_pressed();
        leptos::task::spawn_local(live.keep_following());
        live
    }

    async fn keep_following(self) {
        let mut failures = 0;
        loop {
            let before = self.snapshots.get_untracked();
            let since = self.picture.with_value(|picture| picture.cursor);
            match door::follow(since, move |frame| self.apply(frame)).await {
                Ended::Denied => {
                    self.connection.set(Connection::Denied);
                    // The user may log in in another tab.
                    browser::sleep(1_000).await;
                    continue;
                }
                Ended::Hidden => {
                    // A cheap check, and timers of a hidden page are slow anyway.
                    while browser::is_hidden() {
                        browser::sleep(250).await;
                    }
                    continue;
                }
                Ended::Lost(reason) => {
                    let was_live = self.connection.get_untracked() == Connection::Live;
                    if was_live || self.snapshots.get_untracked() != before {
                        failures = 0;
                    }
                    self.connection.set(Connection::Lost(reason));
                }
            }
            browser::sleep(RECONNECT_PAUSES_MS[failures.min(RECONNECT_PAUSES_MS.len() - 1)]).await;
            failures += 1;
        }
    }

    fn apply(&self, frame: Frame) {
        let pulse = frame.pulse.clone();
        let changed = self.picture.update_value(|picture| picture.apply(frame)).unwrap_or_default();
        if self.connection.get_untracked() != Connection::Live {
            self.connection.set(Connection::Live);
        }
        if self.pulse.with_untracked(|known| *known != pulse) {
            self.pulse.set(pulse);
        }
        let now = browser::now();
        if now / 1_000 != self.now.get_untracked() / 1_000 {
            self.now.set(now);
        }
        self.pending.update_value(|pending| pending.add(changed));
        // An element that is replaced while it is pressed would miss the click.
        if browser::now().saturating_sub(self.pressed.get_value()) > MAX_PRESS_MS {
            self.publish();
        }
    }

    /// Notifies the signals of pending changes.
    fn publish(&self) {
        let Some(changed) = self.pending.update_value(std::mem::take) else { return };
        let bump = |signal: RwSignal<u64>, changed: bool| {
            if changed {
                signal.update(|version| *version += 1);
            }
        };
        bump(self.tools, changed.tools);
        bump(self.servers, changed.servers);
        bump(self.calls, changed.calls);
        bump(self.wrappers, changed.wrappers);
        bump(self.gaps, changed.gap);
        bump(self.snapshots, changed.snapshot);
    }

    /// Delays updates while the pointer is pressed.
    fn delay_while_pressed(self) {
        let press =
            window_event_listener(leptos::ev::pointerdown, move |_| self.pressed.set_value(browser::now()));
        let release = move || {
            self.pressed.set_value(0);
            // After the click event that follows.
            leptos::task::spawn_local(async move {
                browser::sleep(0).await;
                self.publish();
            });
        };
        let up = window_event_listener(leptos::ev::pointerup, move |_| release());
        let cancel = window_event_listener(leptos::ev::pointercancel, move |_| release());
        on_cleanup(move || {
            press.remove();
            up.remove();
            cancel.remove();
        });
    }

    /// Reads the tools, and follows their changes.
    pub fn tools<R>(&self, read: impl FnOnce(&BTreeMap<String, Arc<ToolRow>>) -> R) -> R {
        self.tools.track();
        self.picture.with_value(|picture| read(&picture.tools))
    }

    /// Reads the servers, and follows their changes.
    pub fn servers<R>(&self, read: impl FnOnce(&BTreeMap<String, Arc<ServerRow>>) -> R) -> R {
        self.servers.track();
        self.picture.with_value(|picture| read(&picture.servers))
    }

    /// Reads the latest calls, and follows new ones.
    pub fn calls<R>(&self, read: impl FnOnce(&VecDeque<Arc<CallRow>>) -> R) -> R {
        self.calls.track();
        self.picture.with_value(|picture| read(&picture.calls))
    }

    /// Reads the whole state without following changes.
    pub fn picture<R>(&self, read: impl FnOnce(&Picture) -> R) -> R {
        self.picture.with_value(read)
    }

    /// Whether the engine has sent nothing yet.
    pub fn is_unknown(&self) -> bool {
        self.about().is_none()
    }

    /// About the engine; none before the first snapshot.
    pub fn about(&self) -> Option<Arc<Snapshot>> {
        self.snapshots.track();
        self.picture.with_value(|picture| picture.snapshot.clone())
    }
}
