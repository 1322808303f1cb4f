//! Drift: the detection of lasting changes in what a tool returns.
//!
//! For each path of the results, the kinds of values found there (nothing, null, a type) are counted, one argument
//! class at a time, so that other arguments are no drift. A thing that is asked for repeatedly counts once.
//! Differences add up as evidence until a change is certain enough. It is reported once, and its end is reported when
//! results are as they were. Drift is a fold: the same observations in the same order give the same state.
//!
//! Data flows one way: [`scan`] (a document to kinds by path) and [`class`] (arguments to a class) → [`tally`] (how
//! surprising one observation is) → [`suspect`] (how much evidence there is) → [`event`] (what is reported). Schemas,
//! stores and decisions are outside this module.

mod class;
mod counted;
mod event;
mod hash;
mod judge;
mod open;
mod paths;
mod recent;
mod rules;
mod scan;
mod sketch;
mod state;
mod strata;
mod suspect;
mod tally;

use std::collections::VecDeque;

use schemascope_model::{CallId, Ending, Timestamp};

use class::{Classes, Given};
use counted::Counted;
pub use event::{DriftEvent, Key, Notice};
use open::Open;
use paths::{Paths, Step};
use recent::{Recent, Thing, Watched};
use rules::Schemas;
use scan::{Kind, Outline};
pub use state::InvalidDrift;
use strata::Strata;
use suspect::Suspect;
use tally::Sticky;

/// Observations between looking which paths have runs.
const LOOKED_UP: u64 = 8;
/// One observation, as drift looks at it.
#[derive(Debug, Clone, Copy)]
pub struct Sighting<'a> {
    /// The call.
    pub call: CallId,
    /// When it was made.
    pub at: Timestamp,
    /// Its arguments as JSON, redacted.
    pub arguments: Option<&'a str>,
    /// What it taught, as JSON, redacted.
    pub document: &'a str,
    /// How it fits the effective schema.
    pub conformity: Conformity<'a>,
}

/// How an observation fits the effective schema, which is known by its digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Conformity<'a> {
    /// There is no schema, or the result was not validated.
    #[default]
    Unknown,
    /// It fits.
    Fits(&'a str),
    /// It breaks a rule: a name for it, the same each time, without values.
    Breaks {
        /// The schema.
        schema: &'a str,
        /// Its rule.
        rule: &'a str,
    },
}

/// What is known of one tool's drift.
#[derive(Debug, Clone)]
pub struct Drift {
    paths: Paths,
    classes: Classes,
    strata: Strata,
    recent: Recent,
    suspects: Vec<Suspect>,
    open: Vec<Open>,
    /// Looked up now and then.
    sticky: Sticky,
    watched: Watched,
    /// Whether repeats tell as much as anything; as it was before something was suspected.
    steady: bool,
    observations: u64,
    next_id: u64,
    schemas: Schemas,
    counted: Counted,
    /// The latest endings: path, first call that showed it, how.
    ended: VecDeque<(String, Option<CallId>, Ending)>,
    /// Drifts found when too many were open.
    not_told: u64,
    /// Room for reading.
    outline: Outline,
}

impl Default for Drift {
    fn default() -> Self {
        Self {
            paths: Paths::new(),
            classes: Classes::default(),
            strata: Strata::default(),
            recent: Recent::default(),
            suspects: Vec::new(),
            open: Vec::new(),
            sticky: Sticky::default(),
            watched: Watched::default(),
            steady: false,
            observations: 0,
            next_id: 1,
            schemas: Schemas::default(),
            counted: Counted::default(),
            ended: VecDeque::new(),
            not_told: 0,
            outline: Outline::default(),
        }
    }
}

impl Drift {
    /// Knows nothing of the results before. Drifts are numbered on, because those before were reported.
    pub(crate) fn begun_again(&self) -> Self {
        Self { next_id: self.next_id, ..Self::default() }
    }

    /// Adds an observation. Returns what is to be reported about it.
    pub fn observe(&mut self, sighting: &Sighting<'_>) -> Vec<Notice> {
        self.observations += 1;
        let mut notices = self.meet(sighting.conformity);
        self.paths.begin();
        let mut outline = std::mem::take(&mut self.outline);
        self.mark_changing(&mut outline.changing);
        outline.read(sighting.document, &mut self.paths);
        self.rules(sighting.conformity, &mut outline.kinds);
        self.counted.begin(&self.paths, self.schemas.kept);
        let given = Given::read(sighting.arguments);
        let (at, identity) = self.stratum(&given);
        if let Some(latest) = self.recent.latest(given.digest).filter(|_| !identity) {
            self.watched.compare(latest.sketch.is_like(&outline.sketch));
        }
        if self.suspects.is_empty() {
            self.steady = self.watched.is_steady(&self.recent);
        }
        let known = self.recent.take(given.digest, &outline.sketch, identity);
        let looks = known.as_ref().map_or(1, |(thing, _)| thing.looks.saturating_add(1));
        self.watched.note(looks, known.as_ref().is_some_and(|known| known.1));
        let alike = self.steady || !identity && self.watched.indistinct();
        let before = known.map(|known| known.0).filter(|_| !alike);
        let kinds =
            self.judge(sighting, (at, identity.then_some(given.digest)), &outline.kinds, before.as_ref());
        self.recent.put(Thing { digest: given.digest, sketch: outline.sketch.clone(), kinds, looks });
        if self.observations.is_multiple_of(LOOKED_UP) {
            self.sticky = self.strata.sticky();
        }
        self.outline = outline;
        notices.extend(self.conclude(sighting));
        notices
    }

    /// The drifts that go on, oldest first.
    pub fn open(&self) -> impl Iterator<Item = &DriftEvent> {
        self.open.iter().map(|open| &open.event)
    }

    /// How one ended that was open, if that was lately.
    pub fn ending(&self, key: Key<'_>) -> Option<Ending> {
        let is_it = |ended: &&(String, Option<CallId>, Ending)| (ended.0.as_str(), ended.1) == key;
        self.ended.iter().rev().find(is_it).map(|ended| ended.2)
    }

    /// Every text that is kept: names of fields, rules, and paths that were reported.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let ended = self.ended.iter().map(|(path, ..)| path.as_str());
        self.paths.keys().chain(self.open().map(|event| event.path.as_str())).chain(ended)
    }

    /// Counts an observation that is not looked at.
    pub(crate) fn pass(&mut self) {
        self.observations += 1;
    }

    /// Observations counted so far.
    pub fn observations(&self) -> u64 {
        self.observations
    }

    /// Takes what a tool returns now for what it should return: one drift is over.
    fn accept(&mut self, at: usize, ending: Ending) -> Notice {
        let open = self.open.remove(at);
        for (node, kind) in open.paths() {
            self.settle(node, kind);
        }
        self.end(open, ending)
    }

    /// Values that were not looked at for want of room.
    pub fn not_watched(&self) -> u64 {
        self.paths.not_watched
    }

    /// Drifts found when too many were open.
    pub fn not_told(&self) -> u64 {
        self.not_told
    }

    /// What may have changed, and all below it.
    fn mark_changing(&self, changing: &mut Vec<bool>) {
        changing.clear();
        if self.suspects.is_empty() && self.open.is_empty() {
            return;
        }
        changing.resize(self.paths.len(), false);
        let open = self.open.iter().flat_map(Open::paths).map(|(node, _)| node);
        for node in self.suspects.iter().map(|suspect| suspect.node).chain(open) {
            changing[node as usize] = true;
        }
        for node in 1..changing.len() {
            changing[node] |= changing[self.paths.parent(node as u32) as usize];
        }
    }

    /// From now on this is what stands there.
    fn settle(&mut self, node: u32, kind: Kind) {
        self.counted.clear(node);
        let mut at = 0;
        // Room may be made by forgetting a class.
        while let Some(stratum) = self.strata.list.get(at) {
            if !stratum.tally(node).is_empty() {
                self.strata.update(&mut at, node, |tally| tally.settle(kind));
            }
            at += 1;
        }
    }

    /// The counts to compare with, and whether the arguments name single things.
    fn stratum(&mut self, given: &Given) -> (usize, bool) {
        loop {
            let (class, coarser, identity) = self.classes.of(given);
            for coarser in &coarser {
                self.strata.coarsen(coarser, true, &self.paths);
            }
            if let Some(at) = self.strata.enter(&class, self.observations) {
                return (at, identity);
            }
            match self.classes.coarsen() {
                Some(coarser) => self.strata.coarsen(&coarser, false, &self.paths),
                None => self.strata.forget_oldest(),
            }
        }
    }
}
