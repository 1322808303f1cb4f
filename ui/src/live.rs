//! The picture as signals, kept up to date by following the engine for as long as the page lives.
//!
//! Owns: connecting, losing, connecting again. Refuses to know: what is drawn.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use schemascope_api::{CallRow, Frame, Pulse, ServerRow, Snapshot, ToolRow};

use leptos::prelude::{on_cleanup, window_event_listener};

use crate::browser;
use crate::cells::{RwSignal, StoredValue};
use crate::door::{self, Ended};
use crate::picture::{Changed, Picture};

/// Pauses between attempts, in milliseconds; the last one repeats.
const PAUSES: [i32; 4] = [300, 800, 1_500, 3_000];

/// Longest press that holds changes back, in milliseconds; its end may happen outside the page.
const PRESS_MS: u64 = 600;

/// How the page stands with the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Connection {
    /// For the first time.
    Connecting,
    /// Frames arrive.
    Live,
    /// They do not; why.
    Lost(String),
    /// The token is missing or wrong.
    Denied,
}

/// The picture as signals.
#[derive(Clone, Copy)]
pub struct Live {
    /// How we stand with the engine.
    pub connection: RwSignal<Connection>,
    /// Numbers of now.
    pub pulse: RwSignal<Pulse>,
    /// Milliseconds since 1970, by the second.
    pub now: RwSignal<u64>,
    /// Bumped with every snapshot.
    pub snapshots: RwSignal<u64>,
    picture: StoredValue<Picture>,
    /// What changed and was not told yet.
    held: StoredValue<Changed>,
    /// Since when the pointer is pressed; 0 when it is not.
    pressed: StoredValue<u64>,
    tools: RwSignal<u64>,
    servers: RwSignal<u64>,
    calls: RwSignal<u64>,
}

impl Live {
    /// Begins to follow.
    pub fn begin() -> Self {
        let live = Self {
            connection: RwSignal::new(Connection::Connecting),
            pulse: RwSignal::default(),
            now: RwSignal::new(browser::now()),
            snapshots: RwSignal::new(0),
            picture: StoredValue::new(Picture::default()),
            held: StoredValue::new(Changed::default()),
            pressed: StoredValue::new(0),
            tools: RwSignal::new(0),
            servers: RwSignal::new(0),
            calls: RwSignal::new(0),
        };
        live.mind_presses();
        leptos::task::spawn_local(live.keep_following());
        live
    }

    async fn keep_following(self) {
        let mut failures = 0;
        loop {
            let before = self.snapshots.get_untracked();
            let since = self.picture.with_value(|picture| picture.cursor);
            match door::follow(since, move |frame| self.take(frame)).await {
                Ended::Denied => {
                    self.connection.set(Connection::Denied);
                    // Somebody may give the token in another tab.
                    browser::sleep(1_000).await;
                    continue;
                }
                Ended::Hidden => {
                    // Cheap to look for, and a hidden page's timers are slow anyway.
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
            browser::sleep(PAUSES[failures.min(PAUSES.len() - 1)]).await;
            failures += 1;
        }
    }

    fn take(&self, frame: Frame) {
        let pulse = frame.pulse.clone();
        let changed = self.picture.update_value(|picture| picture.take(frame)).unwrap_or_default();
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
        self.held.update_value(|held| held.add(changed));
        // What is drawn anew while it is pressed would miss the click.
        if browser::now().saturating_sub(self.pressed.get_value()) > PRESS_MS {
            self.tell();
        }
    }

    /// Tells what changed since it was last told.
    fn tell(&self) {
        let Some(changed) = self.held.update_value(std::mem::take) else { return };
        let bump = |signal: RwSignal<u64>, changed: bool| {
            if changed {
                signal.update(|version| *version += 1);
            }
        };
        bump(self.tools, changed.tools);
        bump(self.servers, changed.servers);
        bump(self.calls, changed.calls);
        bump(self.snapshots, changed.snapshot);
    }

    /// Holds changes back for as long as the pointer is pressed.
    fn mind_presses(self) {
        let press =
            window_event_listener(leptos::ev::pointerdown, move |_| self.pressed.set_value(browser::now()));
        let release = move || {
            self.pressed.set_value(0);
            // After the click that comes with it.
            leptos::task::spawn_local(async move {
                browser::sleep(0).await;
                self.tell();
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

    /// Reads the tools; again when one changes.
    pub fn tools<R>(&self, read: impl FnOnce(&BTreeMap<String, Arc<ToolRow>>) -> R) -> R {
        self.tools.track();
        self.picture.with_value(|picture| read(&picture.tools))
    }

    /// Reads the upstreams; again when one changes.
    pub fn servers<R>(&self, read: impl FnOnce(&BTreeMap<String, Arc<ServerRow>>) -> R) -> R {
        self.servers.track();
        self.picture.with_value(|picture| read(&picture.servers))
    }

    /// Reads the latest calls; again when there are new ones.
    pub fn calls<R>(&self, read: impl FnOnce(&VecDeque<Arc<CallRow>>) -> R) -> R {
        self.calls.track();
        self.picture.with_value(|picture| read(&picture.calls))
    }

    /// Reads the whole picture without being told of changes.
    pub fn picture<R>(&self, read: impl FnOnce(&Picture) -> R) -> R {
        self.picture.with_value(read)
    }

    /// About the engine; none before the first snapshot.
    pub fn about(&self) -> Option<Arc<Snapshot>> {
        self.snapshots.track();
        self.picture.with_value(|picture| picture.snapshot.clone())
    }
}
