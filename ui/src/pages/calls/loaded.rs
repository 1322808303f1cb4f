//! The calls of the list as far as they are loaded: pages of older ones, and those that arrive.

use std::sync::Arc;

use schemascope_api::{BrowseCalls, CallId, CallRow, Filter};

use crate::app::App;
use crate::cells::{RwSignal, StoredValue};
use crate::{browser, door};

/// Calls requested at a time.
const PAGE: usize = 300;
/// Most calls kept in the page; older ones are requested again when they are scrolled to.
const MAX_ROWS: usize = 20_000;
/// Rows that fill a screen; loading goes on until there are as many.
const SCREEN: usize = 60;

/// The loaded part of the list.
#[derive(Clone, Copy)]
pub struct Loaded {
    /// Newest first.
    pub rows: RwSignal<Arc<Vec<Arc<CallRow>>>>,
    /// Start of the next page; none after the last.
    pub next: RwSignal<Option<CallId>>,
    /// Number of arrived calls that were considered.
    considered: StoredValue<u64>,
    /// Number of the current load, so that replies to earlier ones are ignored.
    run: StoredValue<u64>,
    busy: RwSignal<bool>,
    /// Calls that arrived are searched by the engine.
    pub is_searching: RwSignal<bool>,
    /// What was found of them, newest first, and is not in the list yet.
    found: StoredValue<Vec<Arc<CallRow>>>,
    /// The first page is loaded.
    pub ready: RwSignal<bool>,
    pub error: RwSignal<Option<String>>,
    /// The newest page could not be loaded.
    pub is_headless: StoredValue<bool>,
}

impl Loaded {
    pub fn new() -> Self {
        Self {
            rows: RwSignal::default(),
            next: RwSignal::new(None),
            considered: StoredValue::new(0),
            run: StoredValue::new(0),
            busy: RwSignal::new(false),
            is_searching: RwSignal::new(false),
            found: StoredValue::new(Vec::new()),
            ready: RwSignal::new(false),
            error: RwSignal::new(None),
            is_headless: StoredValue::new(false),
        }
    }

    /// Forgets the rows of another filter.
    pub fn clear(self) {
        self.rows.set(Arc::default());
        self.next.set(None);
        self.error.set(None);
    }

    /// Loads the newest page in place of everything, after a pause.
    pub fn restart(self, app: App, filter: String, pause_ms: i32) {
        self.run.update_value(|run| *run += 1);
        self.ready.set(false);
        self.found.set_value(Vec::new());
        // Calls that arrive from now on are new; those in both lists are added once.
        self.considered.set_value(app.live.picture(|picture| picture.arrived));
        let run = self.run.get_value();
        self.busy.set(true);
        leptos::task::spawn_local(async move {
            if pause_ms > 0 {
                browser::sleep(pause_ms).await;
            }
            self.load(run, filter, None).await;
        });
    }

    pub fn more(self, filter: String) {
        let next = self.next.get_untracked();
        if next.is_some() && !self.busy.get_untracked() && self.ready.get_untracked() {
            let run = self.run.get_value();
            self.busy.set(true);
            leptos::task::spawn_local(self.load(run, filter, next));
        }
    }

    /// Loads until a screen is filled or the last page is reached.
    async fn load(self, run: u64, filter: String, mut before: Option<CallId>) {
        let is_current = || self.run.try_with_value(Clone::clone) == Some(run);
        let mut found = 0;
        while is_current() {
            let command = BrowseCalls { filter: filter.clone(), before, since: None, limit: PAGE };
            let reply = door::call(&command).await;
            if !is_current() {
                return;
            }
            match reply {
                Ok(page) => {
                    if before.is_none() {
                        self.is_headless.set_value(false);
                    }
                    found += page.rows.len();
                    let fresh = page.rows.into_iter().map(Arc::new);
                    self.rows.update(|rows| match before {
                        None => *rows = Arc::new(fresh.collect()),
                        Some(_) => Arc::make_mut(rows).extend(fresh),
                    });
                    before = page.next;
                    self.next.set(page.next);
                    self.error.set(None);
                }
                Err(error) => {
                    if before.is_none() {
                        self.is_headless.set_value(true);
                    }
                    self.error.set(Some(error.to_string()));
                    before = None;
                }
            }
            self.ready.set(true);
            if before.is_none() || found >= SCREEN {
                break;
            }
        }
        if is_current() {
            self.busy.set(false);
        }
    }

    /// Adds the calls that arrived. False when some of them are no longer known here.
    pub fn add_new(self, app: App, filter: &Filter, text: String) -> bool {
        let found = self.found.update_value(std::mem::take);
        self.insert(found.unwrap_or_default());
        let fresh: Option<Vec<Arc<CallRow>>> = app.live.picture(|picture| {
            let new = picture.since(self.considered.get_value())?;
            let fresh = new.filter(|row| filter.call(row)).cloned().collect();
            self.considered.set_value(picture.arrived);
            Some(fresh)
        });
        let Some(fresh) = fresh else { return false };
        match fresh.iter().map(|row| row.id).min() {
            Some(oldest) if filter.needs_bodies() => {
                self.is_searching.set(true);
                let run = self.run.get_value();
                leptos::task::spawn_local(self.search_new(run, text, oldest));
            }
            _ => self.insert(fresh),
        }
        true
    }

    /// Finds those of the calls that arrived whose bodies pass the filter, which the engine decides. They are added when
    /// the list is not held.
    async fn search_new(self, run: u64, filter: String, since: CallId) {
        let is_current = || self.run.try_with_value(Clone::clone) == Some(run);
        let mut before = None;
        loop {
            let command = BrowseCalls { filter: filter.clone(), before, since: Some(since), limit: PAGE };
            let reply = door::call(&command).await;
            if !is_current() {
                break;
            }
            match reply {
                Ok(page) => {
                    let rows = page.rows.into_iter().map(Arc::new);
                    self.found.update_value(|found| found.extend(rows));
                    before = page.next;
                }
                Err(error) => {
                    self.is_headless.set_value(true);
                    self.error.set(Some(error.to_string()));
                    before = None;
                }
            }
            if before.is_none() {
                break;
            }
        }
        self.is_searching.try_update(|is_searching| *is_searching = false);
    }

    /// Adds rows, newest first, at their places.
    fn insert(self, fresh: Vec<Arc<CallRow>>) {
        if fresh.is_empty() {
            return;
        }
        let next = self.next.get_untracked();
        self.rows.update(|rows| {
            let rows = Arc::make_mut(rows);
            for row in fresh.into_iter().rev() {
                let at = rows.partition_point(|known| known.id > row.id);
                let known = rows.get(at).is_some_and(|known| known.id == row.id);
                // Older calls than the pages so far arrive with theirs.
                if !known && (at < rows.len() || next.is_none_or(|next| row.id >= next)) {
                    rows.insert(at, row);
                }
            }
            if rows.len() > MAX_ROWS {
                rows.truncate(MAX_ROWS);
                self.next.set(rows.last().map(|row| row.id));
            }
        });
    }

    /// Number of calls that arrived and are not shown, and whether there are more.
    pub fn waiting(self, app: App, filter: &Filter) -> (usize, bool) {
        app.live.picture(|picture| match picture.since(self.considered.get_value()) {
            Some(new) => (new.filter(|row| filter.call(row)).count(), false),
            None => (picture.arrivals.iter().filter(|row| filter.call(row)).count(), true),
        })
    }
}
