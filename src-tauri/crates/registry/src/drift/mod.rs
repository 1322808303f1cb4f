//! Drift: when what a tool returns is not what it was.
//!
//! For each path of results it is counted what stands there (nothing, null, a type), in the calls of one
//! argument class at a time, so that other arguments are no drift; a thing that is asked for again and again
//! counts once. What differs adds up as evidence until it is certain enough, is told once, and told to be
//! over when results are as they were. A fold: the same observations in the same order give the same state.
//!
//! Data goes one way: [`scan`] (a document to kinds by path) and [`class`] (arguments to a class) → [`tally`]
//! (how surprising) → [`suspect`] (how much in all) → [`event`] (what is told).
//!
//! Owns: the order of these. Refuses to know: schemas, stores, and who decides.

mod class;
mod event;
mod hash;
mod judge;
mod open;
mod paths;
mod recent;
mod scan;
mod sketch;
mod state;
mod strata;
mod suspect;
mod tally;

use schemascope_model::{CallId, Timestamp};

use class::{Classes, Given};
pub use event::{Change, DriftEvent, Notice, Share, TypeName};
use open::Open;
use paths::{Paths, ROOT, Step};
use recent::{Recent, Thing, Watched};
use scan::{Kind, Outline};
pub use state::InvalidDrift;
use strata::Strata;
use suspect::Suspect;
use tally::Sticky;

/// Observations between looking which paths have runs.
const LOOKED_UP: u64 = 8;
/// Bytes of a rule's name that count.
const MAX_RULE: usize = 160;
/// Rules told apart.
const MAX_RULES: usize = 16;

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

/// How an observation fits the effective schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Conformity<'a> {
    /// There is no schema, or nobody looked.
    #[default]
    Unknown,
    /// It fits.
    Fits,
    /// It breaks this rule: a name for it, the same each time, without values.
    Breaks(&'a str),
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
    observations: u64,
    next_id: u64,
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
            observations: 0,
            next_id: 1,
            not_told: 0,
            outline: Outline::default(),
        }
    }
}

impl Drift {
    /// Takes an observation; what is to be told about it.
    pub fn observe(&mut self, sighting: &Sighting<'_>) -> Vec<Notice> {
        self.observations += 1;
        self.paths.begin();
        let mut outline = std::mem::take(&mut self.outline);
        self.mark_changing(&mut outline.changing);
        outline.read(sighting.document, &mut self.paths);
        self.rules(sighting.conformity, &mut outline.kinds);
        let given = Given::read(sighting.arguments);
        let (at, identity) = self.stratum(&given);
        if let Some(latest) = self.recent.latest(given.digest).filter(|_| !identity) {
            self.watched.compare(latest.sketch.is_like(&outline.sketch));
        }
        let before = if !identity && self.watched.indistinct() {
            None
        } else {
            self.recent.take(given.digest, &outline.sketch, identity)
        };
        let looks = before.as_ref().map_or(1, |thing| thing.looks.saturating_add(1));
        let kinds = self.judge(sighting, (at, identity), &outline.kinds, before.as_ref());
        self.recent.put(Thing { digest: given.digest, sketch: outline.sketch.clone(), kinds, looks });
        self.watched.note(looks);
        if self.observations.is_multiple_of(LOOKED_UP) {
            self.sticky = self.strata.sticky();
        }
        self.outline = outline;
        self.conclude(sighting)
    }

    /// The drifts that go on, oldest first.
    pub fn open(&self) -> impl Iterator<Item = &DriftEvent> {
        self.open.iter().map(|open| &open.event)
    }

    /// Notes that a person has seen one; false if there is no such drift.
    pub fn acknowledge(&mut self, id: u64) -> bool {
        let open = self.open.iter_mut().find(|open| open.event.id == id);
        open.map(|open| open.event.acknowledged = true).is_some()
    }

    /// Takes what a tool returns now for what it should return: one drift is over.
    pub fn accept(&mut self, id: u64) -> Option<DriftEvent> {
        let at = self.open.iter().position(|open| open.event.id == id)?;
        let open = self.open.remove(at);
        for (node, kind) in open.paths() {
            self.settle(node, kind);
        }
        Some(open.event)
    }

    /// Another schema is effective: drifts told so far are over, and rules broken count from new.
    pub fn schema_changed(&mut self) -> Vec<DriftEvent> {
        let ids: Vec<u64> = self.open().map(|event| event.id).collect();
        let over = ids.into_iter().filter_map(|id| self.accept(id)).collect();
        let rules: Vec<u32> = (0..self.paths.len() as u32)
            .filter(|node| matches!(self.paths.step(*node), Step::Rule(_)))
            .collect();
        for node in rules {
            self.suspects.retain(|suspect| suspect.node != node);
            self.settle(node, Kind::Absent);
        }
        over
    }

    /// Values, and drifts, that were not looked at for want of room.
    pub fn dropped(&self) -> u64 {
        self.paths.not_watched + self.not_told
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
        for at in 0..self.strata.list.len() {
            if !self.strata.list[at].tally(node).is_empty() {
                self.strata.update(&mut { at }, node, |tally| tally.settle(kind));
            }
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

    /// Rules of the schema are watched like fields that usually are not there.
    fn rules(&mut self, conformity: Conformity<'_>, kinds: &mut Vec<Kind>) {
        if conformity == Conformity::Unknown {
            return;
        }
        let known = |paths: &Paths| (0..paths.len() as u32).filter(|node| is_rule(paths, *node)).collect();
        let mut rules: Vec<u32> = known(&self.paths);
        let mut broken = None;
        if let Conformity::Breaks(rule) = conformity {
            let end = (0..=MAX_RULE.min(rule.len())).rev().find(|end| rule.is_char_boundary(*end));
            let name = Step::Rule(rule.get(..end.unwrap_or(0)).unwrap_or("").into());
            let room = rules.len() < MAX_RULES || rules.iter().any(|node| *self.paths.step(*node) == name);
            broken = if room { self.paths.child(ROOT, name) } else { None };
            rules.extend(broken);
        }
        kinds.resize(self.paths.len(), Kind::Nowhere);
        for node in rules {
            kinds[node as usize] = if Some(node) == broken { Kind::Boolean } else { Kind::Absent };
        }
    }
}

fn is_rule(paths: &Paths, node: u32) -> bool {
    paths.parent(node) == ROOT && matches!(paths.step(node), Step::Rule(_))
}
