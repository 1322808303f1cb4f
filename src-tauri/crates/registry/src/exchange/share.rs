//! What one machine knows about a tool, as far as it can be merged, and the sum of several machines.
//!
//! A machine's share is all that it ever counted, so a later share replaces an earlier one of the same machine.
//! Reading the same bundle twice therefore counts nothing twice.

use std::collections::BTreeMap;

use schemascope_model::{Carriers, Timestamp};
use schemascope_shape::{HashKey, InvalidState, Shape};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::schema::DeclaredSchema;
use crate::tool::{Declaration, Tool, day};

/// How far a machine had counted. Counts only grow, so the larger of two is the later one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// Calls of all tools.
    pub calls: u64,
    /// The latest call or listing.
    pub latest: Option<Timestamp>,
}

/// What one machine counted of one tool. All of it is additive.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Share {
    calls: u64,
    failures: u64,
    unanswered: u64,
    carriers: Carriers,
    /// How observations fit the schema that the upstream declares.
    declared_fits: u64,
    declared_violates: u64,
    last_called: Option<Timestamp>,
    last_observed: Option<Timestamp>,
    /// A shape without its hash key.
    shape: Box<RawValue>,
    /// Evidence of provides edges, in the form of the crate `compose`: counts, without values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) edges: Option<Box<RawValue>>,
}

impl Share {
    /// Of a tool, with the values its shape keeps or with hashes in their place.
    pub fn of(tool: &Tool, with_values: bool) -> Self {
        Self::counted(tool, tool.declaration.as_ref(), with_values)
    }

    /// The shares of the machines whose calls a tool has counted. Calls of an unknown machine are of `own`.
    pub fn by_machine(tool: &Tool, own: u64, with_values: bool) -> impl Iterator<Item = (String, Self)> {
        let share = move |(machine, counts): (u64, &Tool)| {
            (machine_name(machine), Self::counted(counts, tool.declaration.as_ref(), with_values))
        };
        tool.by_machine(own).map(share)
    }

    fn counted(tool: &Tool, declaration: Option<&Declaration>, with_values: bool) -> Self {
        let shape = if with_values { tool.shape.to_shared() } else { tool.shape.veiled().to_shared() };
        let shape = String::from_utf8(shape).unwrap_or_default();
        let fit = declared(declaration).map(|declared| tool.fits.of(&declared.digest)).unwrap_or_default();
        Self {
            calls: tool.calls,
            failures: tool.failures,
            unanswered: tool.unanswered,
            carriers: tool.carriers,
            declared_fits: fit.fits,
            declared_violates: fit.violates,
            last_called: tool.last_called,
            last_observed: tool.last_observed,
            shape: RawValue::from_string(shape).unwrap_or_default(),
            edges: None,
        }
    }

    /// Evidence of provides edges, as JSON.
    pub fn edges(&self) -> Option<&str> {
        self.edges.as_deref().map(RawValue::get)
    }

    /// The same with hashes in place of the values.
    pub fn veiled(&self, key: HashKey) -> Result<Self, InvalidState> {
        let shape = String::from_utf8(self.shape(key)?.veiled().to_shared()).unwrap_or_default();
        Ok(Self { shape: RawValue::from_string(shape).unwrap_or_default(), ..self.clone() })
    }

    /// Calls, however they ended.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// Its shape. Bounds are rebuilt, and counts that contradict each other are an error.
    pub fn shape(&self, key: HashKey) -> Result<Shape, InvalidState> {
        Shape::from_foreign(self.shape.get().as_bytes(), key)
    }

    /// How far the machine had counted the tool. Counts only grow, so the larger of two is the later one.
    pub fn position(&self) -> Position {
        Position { calls: self.calls, latest: self.last_called }
    }

    /// Why the counts cannot be true, if they cannot. `now` is the time of the machine that reads them.
    pub(super) fn implausible(&self, key: HashKey, now: Timestamp) -> Option<String> {
        let shape = match self.shape(key) {
            Ok(shape) => shape,
            Err(error) => return Some(error.to_string()),
        };
        let Some(results) = self.calls.checked_sub(self.failures.max(self.unanswered)) else {
            return Some(format!("it has more failures than calls ({})", self.calls));
        };
        let judged = self.declared_fits.saturating_add(self.declared_violates);
        let observed = shape.observations().max(self.carriers.total()).max(judged);
        if observed > results {
            return Some(format!("{observed} observations, but only {results} calls with a result"));
        }
        let [called, observed_at] = [self.last_called, self.last_observed].map(Option::unwrap_or_default);
        if called.max(observed_at) > latest_plausible(now) {
            return Some(format!("its latest call is dated {}, in the future", called.max(observed_at)));
        }
        if observed_at > called {
            return Some("its latest observation is later than its latest call".to_owned());
        }
        let (last, first) = (day(called), shape.first_epoch());
        let crowded = |(_, observations): (u32, u64)| observations > MAX_PER_DAY;
        if shape.epochs().any(|(epoch, _)| epoch > last) || first.is_some_and(|first| first > last) {
            return Some("it has observations of days after its latest call".to_owned());
        }
        let days = u64::from(last - first.unwrap_or_default()) + 1;
        if shape.epochs().any(crowded) || self.calls > days.saturating_mul(MAX_PER_DAY) {
            return Some(format!("{} calls in {days} days are more than {MAX_PER_DAY} a day", self.calls));
        }
        None
    }
}

/// Most calls of one tool that a machine can have made in a day.
const MAX_PER_DAY: u64 = 1_000_000_000;

/// The latest time that the clock of another machine, or a trace, may show: a day ahead of this one.
pub fn latest_plausible(now: Timestamp) -> Timestamp {
    Timestamp::from_millis(now.as_millis().saturating_add(86_400_000))
}

/// A machine's number as bundles write it.
pub fn machine_name(machine: u64) -> String {
    format!("{machine:012x}")
}

fn declared(declaration: Option<&Declaration>) -> Option<&DeclaredSchema> {
    declaration.and_then(Declaration::output_schema)
}

/// What several machines know of one tool together.
#[derive(Debug, Clone)]
pub struct Team {
    key: HashKey,
    tool: Tool,
    /// Whether the declaration is that of this machine's own upstream.
    is_own: bool,
    /// The latest known share of each machine.
    shares: BTreeMap<String, Share>,
}

impl Team {
    /// Of nothing yet.
    pub fn with_key(key: HashKey) -> Self {
        let tool = Tool { shape: Shape::with_key(key), ..Tool::default() };
        Self { key, tool, is_own: false, shares: BTreeMap::new() }
    }

    /// Adds what this machine knows of the tool. What its upstream declares here stays, whatever others say.
    pub fn add_own(&mut self, tool: &Tool, own: u64) {
        self.declare(tool.declaration.as_ref());
        self.is_own = tool.declaration.is_some();
        // What results repeat from them is left out of the schema. Those of others are not known.
        self.tool.arguments = tool.arguments.clone();
        Share::by_machine(tool, own, true).for_each(|(machine, share)| self.add(&machine, share));
    }

    /// Sets the declaration of the tool. The latest listing of all machines counts.
    pub fn declare(&mut self, declaration: Option<&Declaration>) {
        let Some(new) = declaration else { return };
        let rank = |declaration: &Declaration| (declaration.at, declaration.definition.get().to_owned());
        if self.is_own {
            return;
        }
        if self.tool.declaration.as_ref().is_none_or(|known| rank(known) < rank(new)) {
            self.tool.declaration = Some(new.clone());
        }
    }

    /// Adds what a machine counted, unless later counts of the machine are known.
    pub fn add(&mut self, machine: &str, share: Share) {
        if self.shares.get(machine).is_none_or(|known| known.position() < share.position()) {
            self.shares.insert(machine.to_owned(), share);
        }
    }

    /// The sum.
    pub fn tool(mut self) -> Result<Tool, InvalidState> {
        for share in std::mem::take(&mut self.shares).into_values() {
            self.sum(&share)?;
        }
        let fit = self.tool.fits.of(FITS);
        let digest = declared(self.tool.declaration.as_ref()).map(|declared| declared.digest.clone());
        if let Some(digest) = digest {
            self.tool.fits.add_counts(&digest, fit.fits, fit.violates);
        }
        Ok(self.tool)
    }

    fn sum(&mut self, share: &Share) -> Result<(), InvalidState> {
        let shape = share.shape(self.key)?;
        let tool = &mut self.tool;
        // Its key is the one just given.
        let _ = tool.shape.merge(&shape);
        tool.calls = tool.calls.saturating_add(share.calls);
        tool.failures = tool.failures.saturating_add(share.failures);
        tool.unanswered = tool.unanswered.saturating_add(share.unanswered);
        tool.carriers.add(&share.carriers);
        // Kept under a name of its own until it is known what is declared.
        tool.fits.add_counts(FITS, share.declared_fits, share.declared_violates);
        tool.last_called = tool.last_called.max(share.last_called);
        tool.last_observed = tool.last_observed.max(share.last_observed);
        Ok(())
    }
}

const FITS: &str = "declared";
