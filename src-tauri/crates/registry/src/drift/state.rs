//! The stored form of drift, with its version. A state that this code cannot have written is rejected.

use std::collections::VecDeque;
use std::fmt;
use std::fmt::Write as _;

use schemascope_model::{CallId, Ending};
use serde::{Deserialize, Serialize};

use super::Drift;
use super::class::{Class, Classes};
use super::counted::Counted;
use super::open::{MAX_ENDED, MAX_OPEN, Open};
use super::paths::Paths;
use super::recent::{Recent, Thing, Watched};
use super::rules::Schemas;
use super::scan::{Kind, Outline};
use super::sketch::Sketch;
use super::strata::{MAX_SLOTS, MAX_STRATA, Strata, Stratum};
use super::suspect::{MAX_EXAMPLES, MAX_SUSPECTS, Suspect};
use super::tally::{Slot, Sticky, Tally};

/// Written into every state.
const VERSION: u32 = 3;

/// A state that cannot be read.
#[derive(Debug)]
pub struct InvalidDrift(String);

impl fmt::Display for InvalidDrift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "drift state cannot be read: {}", self.0)
    }
}

impl std::error::Error for InvalidDrift {}

/// The counts of a class by path, as hex digits.
type Tallies = Vec<(u32, String)>;

#[derive(Serialize, Deserialize)]
struct State {
    version: u32,
    observations: u64,
    next_id: u64,
    not_told: u64,
    sticky: Sticky,
    watched: Watched,
    steady: bool,
    paths: Paths,
    classes: Classes,
    strata: Vec<(Class, u64, Tallies)>,
    recent: Vec<(u64, Sketch, u8, String)>,
    suspects: Vec<Suspect>,
    open: Vec<Open>,
    schemas: Vec<Box<str>>,
    /// The first observation that the latest schema was compared with, and how many kept it.
    #[serde(default)]
    compared: (u64, u32),
    #[serde(default)]
    counted: Option<Counted>,
    ended: VecDeque<(String, Option<CallId>, Ending)>,
}

impl Drift {
    /// Writes the state, as JSON. Equal states give equal bytes.
    pub fn to_state(&self) -> Vec<u8> {
        let tallies = |stratum: &Stratum| {
            let used = stratum.tallies.iter().enumerate().filter(|(_, tally)| !tally.is_empty());
            used.map(|(node, tally)| (node as u32, written(tally))).collect()
        };
        let strata = &self.strata.list;
        let state = State {
            version: VERSION,
            observations: self.observations,
            next_id: self.next_id,
            not_told: self.not_told,
            sticky: self.sticky,
            watched: self.watched,
            steady: self.steady,
            paths: self.paths.clone(),
            classes: self.classes.clone(),
            strata: strata.iter().map(|one| (one.class.clone(), one.used, tallies(one))).collect(),
            recent: self
                .recent
                .0
                .iter()
                .map(|thing| (thing.digest, thing.sketch.clone(), thing.looks, digits(&thing.kinds)))
                .collect(),
            suspects: self.suspects.clone(),
            open: self.open.clone(),
            schemas: self.schemas.digests.clone(),
            compared: (self.schemas.began, self.schemas.kept),
            counted: Some(self.counted.clone()),
            ended: self.ended.clone(),
        };
        serde_json::to_vec(&state).unwrap_or_default()
    }

    /// Reads what [`Drift::to_state`] wrote.
    pub fn from_state(bytes: &[u8]) -> Result<Self, InvalidDrift> {
        let state: State = serde_json::from_slice(bytes).map_err(|error| InvalidDrift(error.to_string()))?;
        if state.version != VERSION {
            let version = state.version;
            return Err(InvalidDrift(format!("version {version}; this program reads version {VERSION}")));
        }
        state.restore().ok_or_else(|| InvalidDrift("it contradicts itself".to_owned()))
    }
}

impl State {
    fn restore(mut self) -> Option<Drift> {
        let whole = self.paths.restore();
        let paths = self.paths.len();
        let sound = whole
            && self.classes.is_valid()
            && self.strata.len() <= MAX_STRATA
            && self.suspects.len() <= MAX_SUSPECTS
            && self.suspects.is_sorted_by(|one, next| one.node < next.node)
            && self
                .suspects
                .iter()
                .all(|one| (one.node as usize) < paths && one.examples.len() <= MAX_EXAMPLES)
            && self.suspects.iter().all(|one| one.hits <= one.seen && Kind::of(one.kind).is_some())
            && self.open.len() <= MAX_OPEN
            && self.open.iter().all(|open| open.is_valid(paths))
            && self.counted.as_ref().is_none_or(|counted| counted.is_valid(paths))
            && self.ended.len() <= MAX_ENDED;
        let (began, kept) = self.compared;
        let schemas = Schemas { digests: self.schemas, began, kept };
        if !sound || !schemas.is_valid() {
            return None;
        }
        let stratum = |(class, used, written): (Class, u64, Tallies)| {
            let mut tallies = Vec::new();
            for (node, text) in written {
                let node = usize::try_from(node).ok().filter(|node| *node < paths)?;
                tallies.resize(tallies.len().max(node + 1), Tally::default());
                tallies[node] = tally(&text)?;
            }
            Some(Stratum { class, used, tallies })
        };
        let list: Vec<Stratum> = self.strata.into_iter().map(stratum).collect::<Option<_>>()?;
        let used: usize = list.iter().flat_map(|one| &one.tallies).map(Tally::used).sum();
        let thing = |(digest, sketch, looks, text): (u64, Sketch, u8, String)| {
            Some(Thing { digest, sketch, looks, kinds: kinds(&text).filter(|kinds| kinds.len() <= paths)? })
        };
        let recent = Recent(self.recent.into_iter().map(thing).collect::<Option<_>>()?);
        let strata = Strata::new(list);
        (used <= MAX_SLOTS + 2 && recent.is_valid()).then_some(Drift {
            paths: self.paths,
            classes: self.classes,
            counted: self.counted.unwrap_or_else(|| Counted::of(&strata)),
            strata,
            recent,
            suspects: self.suspects,
            open: self.open,
            sticky: self.sticky,
            watched: self.watched,
            steady: self.steady,
            observations: self.observations,
            next_id: self.next_id,
            not_told: self.not_told,
            schemas,
            ended: self.ended,
            outline: Outline::default(),
        })
    }
}

/// Two hex digits a number; zeros at the end of a slot stay away.
fn written(tally: &Tally) -> String {
    let mut text = format!("{:x}{:02x}", tally.last, tally.run);
    for slot in tally.slots.iter().filter(|slot| slot.kind != 0) {
        let Slot { kind, fresh, runs, longest, repeats, stays, turned, stays_turned } = *slot;
        let counts = [fresh, runs, longest, repeats, stays, turned, stays_turned];
        let length = counts.iter().rposition(|count| *count != 0).map_or(0, |last| last + 1);
        // Infallible: the target is a string.
        let _ = write!(text, "{kind:x}{length:x}");
        for count in &counts[..length] {
            let _ = write!(text, "{count:02x}");
        }
    }
    text
}

fn tally(text: &str) -> Option<Tally> {
    let mut codes = text.chars().map(|digit| digit.to_digit(16).and_then(|code| u8::try_from(code).ok()));
    let last = codes.next()??;
    let mut tally = Tally { last, run: codes.next()?? << 4 | codes.next()??, ..Tally::default() };
    Kind::of(tally.last)?;
    for slot in &mut tally.slots {
        let Some(kind) = codes.next() else { break };
        slot.kind = kind.filter(|kind| Kind::of(*kind).is_some_and(|kind| kind != Kind::Nowhere))?;
        let length = codes.next()??;
        let fields = [
            &mut slot.fresh,
            &mut slot.runs,
            &mut slot.longest,
            &mut slot.repeats,
            &mut slot.stays,
            &mut slot.turned,
            &mut slot.stays_turned,
        ];
        for field in fields.into_iter().take(usize::from(length)) {
            *field = codes.next()?? << 4 | codes.next()??;
        }
        if slot.stays > slot.repeats || slot.stays_turned > slot.turned {
            return None;
        }
    }
    codes.next().is_none().then_some(tally)
}

fn digits(kinds: &[u8]) -> String {
    kinds.iter().filter_map(|kind| char::from_digit(u32::from(*kind), 16)).collect()
}

fn kinds(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|digit| digit.to_digit(16).and_then(|kind| u8::try_from(kind).ok())).collect()
}
