//! Joint counts that show which argument's value decides the shape of a result.
//!
//! For each value of each argument, they count which outer parts the results had: the root's type,
//! and the types one level below it. Arguments, parts and values are bounded. Which ones are kept
//! depends only on their names and the hash key, so merging is exact in every order.

mod outline;
mod pairs;
mod separate;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::observe::Circumstances;
use crate::rank::HashKey;
use crate::scan::{Unreadable, scan};
use crate::secrets::Secrets;
pub(crate) use outline::Parts;
pub use separate::{SeparatingValue, Separation};

/// Most arguments counted.
const MAX_ARGUMENTS: usize = 24;
/// Most values of one argument that are distinguished. Beyond that, only whether the argument was
/// given is known.
const MAX_VALUES: usize = 12;
/// Most parts of results counted.
const MAX_PARTS: usize = 64;

/// Joint counts of arguments' values and results' parts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arguments {
    key: HashKey,
    observations: u64,
    /// Parts by rank, each with its name and the number of observations that have it.
    #[serde(with = "pairs")]
    parts: BTreeMap<Rank, (Box<str>, u64)>,
    #[serde(with = "pairs")]
    arguments: BTreeMap<Rank, Argument>,
}

/// Depth, then hash of the name.
type Rank = (u8, u64);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Argument {
    name: Box<str>,
    /// Observations by value as JSON. If there are too many values, all are in the single row
    /// `None`.
    #[serde(with = "pairs")]
    rows: BTreeMap<Option<Box<str>>, Row>,
}

/// Observations with one value of an argument.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Row {
    count: u64,
    #[serde(with = "pairs")]
    parts: BTreeMap<Rank, u64>,
}

impl Row {
    /// Counts an observation with these parts.
    fn count_one(&mut self, parts: &[Rank]) {
        self.count += 1;
        for part in parts {
            *self.parts.entry(*part).or_default() += 1;
        }
    }

    fn merge(&mut self, theirs: &Self) {
        self.count += theirs.count;
        for (part, count) in &theirs.parts {
            *self.parts.entry(*part).or_default() += count;
        }
    }
}

impl Arguments {
    /// Creates empty counts that depend on `key`.
    pub fn with_key(key: HashKey) -> Self {
        Self { key, ..Self::default() }
    }

    /// Counts one call: its arguments (a JSON object, or none) and the resulting document.
    pub fn observe(
        &mut self,
        arguments: Option<&[u8]>,
        document: &[u8],
        circumstances: Circumstances<'_>,
    ) -> Result<(), Unreadable> {
        let mut parts = Parts::new(circumstances);
        scan(document, &mut parts)?;
        self.count(arguments, parts)
    }

    /// Counts a document that was already read.
    pub(crate) fn count(&mut self, arguments: Option<&[u8]>, parts: Parts<'_>) -> Result<(), Unreadable> {
        let given = arguments.map_or_else(|| Ok(BTreeMap::new()), outline::arguments)?;
        let parts = parts.found();
        let mut ranks: Vec<Rank> = parts.iter().map(|part| self.part(part)).collect();
        ranks.sort_unstable();
        // Parts that are not kept are not counted.
        if self.trim_parts(&ranks) {
            self.remove_orphans();
        }
        ranks.retain(|rank| self.parts.contains_key(rank));
        self.observations += 1;
        for (name, value) in given {
            let rank = (name.matches('.').count().min(255) as u8, self.key.hash(&name));
            self.arguments
                .entry(rank)
                .or_insert_with(|| Argument { name: name.into(), rows: BTreeMap::new() })
                .add(Some(value.into()), |row| row.count_one(&ranks));
        }
        self.trim_arguments();
        Ok(())
    }

    /// Counts a part and returns its rank.
    fn part(&mut self, part: &outline::Part) -> Rank {
        let rank = (part.depth, self.key.hash(&part.name));
        self.parts.entry(rank).or_insert_with(|| (part.name.as_str().into(), 0)).1 += 1;
        rank
    }

    /// Adds the counts of another. Commutative and associative, exactly. Both must have the same
    /// key, which the merge of the shapes ensures.
    pub fn merge(&mut self, theirs: &Self) {
        self.observations += theirs.observations;
        for (rank, (name, count)) in &theirs.parts {
            self.parts.entry(*rank).or_insert_with(|| (name.clone(), 0)).1 += count;
        }
        for (rank, argument) in &theirs.arguments {
            let mine = self
                .arguments
                .entry(*rank)
                .or_insert_with(|| Argument { name: argument.name.clone(), rows: BTreeMap::new() });
            for (value, row) in &argument.rows {
                mine.add(value.clone(), |mine| mine.merge(row));
            }
        }
        self.trim_parts(&[]);
        self.remove_orphans();
        self.trim_arguments();
    }

    /// Number of calls that were counted.
    pub fn observations(&self) -> u64 {
        self.observations
    }

    /// Returns the arguments of which all values are known: the name, how often it was given, and the values as JSON.
    pub fn known_values(&self) -> impl Iterator<Item = (&str, u64, impl Iterator<Item = &str>)> {
        let known = self.arguments.values().filter(|argument| !argument.rows.contains_key(&None));
        known.map(|argument| {
            let given = argument.rows.values().map(|row| row.count).sum();
            (&*argument.name, given, argument.rows.keys().flatten().map(|value| &**value))
        })
    }

    /// Removes secrets. The values of an argument with a secret value are combined, as for an
    /// argument with too many values. Returns whether anything was removed.
    pub fn forget(&mut self, secrets: &dyn Secrets) -> bool {
        let mut forgot = false;
        let mut rename = |name: &mut Box<str>| {
            if let Some(other) = secrets.text(name) {
                (*name, forgot) = (other.into(), true);
            }
        };
        self.parts.values_mut().for_each(|(name, _)| rename(name));
        self.arguments.values_mut().for_each(|argument| rename(&mut argument.name));
        for argument in self.arguments.values_mut() {
            let tells = argument.name.split('.').any(|key| secrets.key(key));
            let is_secret = |value: &str| tells || secrets.json(value).is_some();
            if argument.rows.keys().flatten().any(|value| is_secret(value)) {
                argument.forget_values();
                forgot = true;
            }
        }
        forgot
    }

    /// Keeps the lowest ranks. Returns whether a removed part belongs to more than the latest call,
    /// whose parts are `latest`.
    fn trim_parts(&mut self, latest: &[Rank]) -> bool {
        let mut older = false;
        while self.parts.len() > MAX_PARTS {
            let Some((rank, (_, count))) = self.parts.pop_last() else { break };
            older |= count > 1 || latest.binary_search(&rank).is_err();
        }
        older
    }

    /// Removes the counts of parts that were removed.
    fn remove_orphans(&mut self) {
        for row in self.arguments.values_mut().flat_map(|argument| argument.rows.values_mut()) {
            row.parts.retain(|part, _| self.parts.contains_key(part));
        }
    }

    fn trim_arguments(&mut self) {
        while self.arguments.len() > MAX_ARGUMENTS {
            self.arguments.pop_last();
        }
    }
}

impl Argument {
    /// Counts into the row of a value.
    fn add(&mut self, value: Option<Box<str>>, count: impl FnOnce(&mut Row)) {
        let value = value.filter(|_| !self.rows.contains_key(&None));
        count(self.rows.entry(value).or_default());
        if self.rows.len() > MAX_VALUES || self.rows.len() > 1 && self.rows.contains_key(&None) {
            self.forget_values();
        }
    }

    /// Combines all rows into one.
    fn forget_values(&mut self) {
        let mut all = Row::default();
        std::mem::take(&mut self.rows).values().for_each(|row| all.merge(row));
        self.rows.insert(None, all);
    }
}
