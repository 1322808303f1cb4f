//! What a session remembers: its calls, the paths of values, and who gave and who used which value. It counts the
//! memory of all that.

use std::collections::HashMap;
use std::sync::Arc;

use schemascope_model::{CallId, How};

use crate::hashes::Hashes;

/// Number of values in one generation of a session; the generation before the last is evicted.
const GENERATION: usize = 16_384;
/// Number of calls, and of paths, after which a session starts again.
const MAX_CALLS: usize = 32_768;
/// Bytes of paths, and of names of tools, after which a session starts again.
const MAX_NAMES: usize = 4 << 20;
/// Number of places that are kept for one value.
const MAX_GIVERS: usize = 8;
/// Memory that an allocation takes beside its contents.
const ALLOCATION: usize = 16;

/// A place that gave a value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Giver {
    pub(crate) call: u32,
    pub(crate) path: u32,
    pub(crate) how: How,
    pub(crate) number: bool,
}

#[derive(Debug, Clone, Default)]
struct Entry {
    /// The place that gave it first. Most values have no other, and need no list.
    giver: Option<Giver>,
    others: Vec<Giver>,
}

/// The start of a call that had a value as an argument, in milliseconds, and the input.
pub(crate) type Use = (u64, u64);

/// The first and the last use of each value that was an argument. They are apart from the values that results gave, which
/// are many more, because a use that is forgotten makes results be read again.
#[derive(Debug, Default)]
struct Uses {
    new: Hashes<[Use; 2]>,
    old: Hashes<[Use; 2]>,
}

/// Values of a part of a session.
#[derive(Debug, Default)]
struct Generation {
    entries: Hashes<Entry>,
    /// Bytes of all lists of places.
    lists: usize,
}

/// A call that had a result.
#[derive(Debug)]
pub(crate) struct Given {
    pub(crate) id: CallId,
    pub(crate) tool: Box<str>,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// Memory of a hash table with room for so many entries, in bytes.
pub(crate) fn table(capacity: usize, entry: usize) -> usize {
    if capacity == 0 { 0 } else { (capacity + capacity / 7 + 1) * (entry + 1) + ALLOCATION }
}

impl Entry {
    /// Memory of the list of places.
    fn list_bytes(&self) -> usize {
        if self.others.capacity() == 0 { 0 } else { self.others.capacity() * size_of::<Giver>() + ALLOCATION }
    }

    fn places(&self) -> impl Iterator<Item = &Giver> {
        self.giver.iter().chain(&self.others)
    }
}

impl Generation {
    fn bytes(&self) -> usize {
        table(self.entries.capacity(), size_of::<(u64, Entry)>()) + self.lists
    }

    /// Drops the values that only the older half of the calls gave. Returns their number.
    fn drop_older(&mut self) -> u64 {
        let latest = |entry: &Entry| entry.places().map(|place| place.call).max();
        let calls = self.entries.values().filter_map(latest);
        let Some((first, last)) = calls.fold(None, |span, call| {
            let (first, last) = span.unwrap_or((call, call));
            Some((first.min(call), last.max(call)))
        }) else {
            return 0;
        };
        let before = self.entries.len();
        self.entries.retain(|_, entry| latest(entry) > Some(first.midpoint(last)));
        self.entries.shrink_to_fit();
        self.lists = self.entries.values().map(Entry::list_bytes).sum();
        (before - self.entries.len()) as u64
    }
}

#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) calls: Vec<Given>,
    paths: Vec<Arc<str>>,
    path_ids: HashMap<Arc<str>, u32>,
    /// Bytes of paths and of names of tools.
    names: usize,
    new: Generation,
    old: Generation,
    uses: Uses,
    /// What came of reading results of a tool for a value, by both.
    readings: Hashes<Readings>,
}

/// Results of a tool in a row that had a value at no new place, after which further ones are not expected to.
const MAX_FRUITLESS: u8 = 2;

/// Results of a tool that were read for a value.
#[derive(Debug, Clone, Copy, Default)]
struct Readings {
    /// Those that had it at a new place. There cannot be more than places are kept, unless places were evicted and seem new
    /// again; without this limit, values that are read for would evict each other for ever.
    fruitful: u8,
    /// Those in a row that had it at no new place.
    fruitless: u8,
}

/// Key of a value of a tool's results. Equal keys of different tools only leave a result unread.
fn of_tool(hash: u64, tool: &str) -> u64 {
    tool.bytes().fold(hash, |key, byte| (key ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

impl Uses {
    fn bytes(&self) -> usize {
        let entry = size_of::<(u64, [Use; 2])>();
        table(self.new.capacity(), entry) + table(self.old.capacity(), entry)
    }

    fn of(&self, hash: u64) -> impl Iterator<Item = Use> {
        [self.old.get(&hash), self.new.get(&hash)].into_iter().flatten().flatten().copied()
    }
}

impl Memory {
    /// Memory that it takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let lists =
            self.calls.capacity() * size_of::<Given>() + self.paths.capacity() * size_of::<Arc<str>>();
        let paths = table(self.path_ids.capacity(), size_of::<(Arc<str>, u32)>());
        lists
            + paths
            + self.names
            + self.new.bytes()
            + self.old.bytes()
            + self.uses.bytes()
            + table(self.readings.capacity(), size_of::<(u64, Readings)>())
    }

    /// Number of values.
    pub(crate) fn values(&self) -> usize {
        let given = self.new.entries.len() + self.old.entries.len();
        given + self.uses.new.len() + self.uses.old.len()
    }

    /// Whether there is no room for more calls or paths.
    pub(crate) fn is_full(&self) -> bool {
        self.calls.len() > MAX_CALLS || self.paths.len() > MAX_CALLS || self.names > MAX_NAMES
    }

    /// Memory of the values that results gave, in bytes.
    pub(crate) fn given_bytes(&self) -> usize {
        self.new.bytes() + self.old.bytes()
    }

    /// Drops the older generation of the values that results gave, or, if there is only one, what the older half of its calls
    /// gave. Returns the number of values dropped.
    pub(crate) fn drop_given(&mut self) -> u64 {
        if self.old.entries.is_empty() {
            self.new.drop_older()
        } else {
            std::mem::take(&mut self.old).entries.len() as u64
        }
    }

    /// Starts a new generation if the present one is full. Returns the number of values dropped.
    pub(crate) fn rotate(&mut self) -> u64 {
        let mut dropped = 0;
        if self.new.entries.len() >= GENERATION {
            dropped += std::mem::replace(&mut self.old, std::mem::take(&mut self.new)).entries.len();
        }
        if self.uses.new.len() >= GENERATION {
            dropped += std::mem::replace(&mut self.uses.old, std::mem::take(&mut self.uses.new)).len();
        }
        dropped as u64
    }

    /// Adds a call and returns its number.
    pub(crate) fn add_call(&mut self, call: Given) -> u32 {
        self.names += call.tool.len() + ALLOCATION;
        self.calls.push(call);
        u32::try_from(self.calls.len() - 1).unwrap_or(u32::MAX)
    }

    pub(crate) fn call(&self, giver: &Giver) -> Option<&Given> {
        self.calls.get(giver.call as usize)
    }

    pub(crate) fn path(&self, giver: &Giver) -> Option<&str> {
        self.paths.get(giver.path as usize).map(|path| &**path)
    }

    /// Returns the number of a path, or nothing if there is no room for it.
    pub(crate) fn path_id(&mut self, path: &str) -> Option<u32> {
        if let Some(id) = self.path_ids.get(path) {
            return Some(*id);
        }
        if self.is_full() {
            return None;
        }
        let id = u32::try_from(self.paths.len()).ok()?;
        let path: Arc<str> = path.into();
        self.names += path.len() + 2 * ALLOCATION;
        self.paths.push(Arc::clone(&path));
        self.path_ids.insert(path, id);
        Some(id)
    }

    pub(crate) fn givers(&self, hash: u64) -> impl Iterator<Item = &Giver> {
        let places = [self.old.entries.get(&hash), self.new.entries.get(&hash)];
        places.into_iter().flatten().flat_map(Entry::places)
    }

    /// Returns the first use of a value at or after a time, as far as the first and the last are known.
    pub(crate) fn used(&self, hash: u64, since: u64) -> Option<Use> {
        self.uses.of(hash).filter(|(at, _)| *at >= since).min()
    }

    /// Whether further results of a tool may have a value at new places.
    pub(crate) fn may_have_new_places(&self, hash: u64, tool: &str) -> bool {
        let readings = self.readings.get(&of_tool(hash, tool));
        readings.is_none_or(|one| one.fruitless < MAX_FRUITLESS && usize::from(one.fruitful) < MAX_GIVERS)
    }

    /// Notes whether a result that was read had a value at new places. So many were known before.
    pub(crate) fn was_read(&mut self, hash: u64, call: u32, places_before: usize) {
        let has_new = self.givers(hash).count() > places_before;
        let Some(tool) = self.calls.get(call as usize).map(|call| &call.tool) else { return };
        let key = of_tool(hash, tool);
        if self.readings.len() >= GENERATION {
            self.readings.clear();
        }
        let readings = self.readings.entry(key).or_default();
        *readings = match has_new {
            true => Readings { fruitful: readings.fruitful.saturating_add(1), fruitless: 0 },
            false => Readings { fruitless: readings.fruitless.saturating_add(1), ..*readings },
        };
    }

    /// Remembers that an argument had a value.
    pub(crate) fn use_value(&mut self, hash: u64, used: Use) {
        let known = self.uses.new.entry(hash).or_insert([used; 2]);
        *known = [known[0].min(used), known[1].max(used)];
    }

    /// Remembers who gave a value: for each tool and path the first call, and those that began before it, and of these the
    /// first few. Results are not always read in their order, so the places are kept in that of their calls.
    pub(crate) fn give(&mut self, hash: u64, giver: Giver) {
        let Self { calls, new, .. } = self;
        let from = |giver: &Giver| calls.get(giver.call as usize);
        // Calls are numbered by their ends. One that ended and began later than another of the tool can earn nothing.
        let says_no_more = |earlier: &Giver, later: &Giver| {
            let (earlier, later) = (from(earlier), from(later));
            earlier.map(|call| &call.tool) == later.map(|call| &call.tool)
                && earlier.map(|call| call.start) <= later.map(|call| call.start)
        };
        let entry = new.entries.entry(hash).or_default();
        let Some(first) = &mut entry.giver else {
            entry.giver = Some(giver);
            return;
        };
        let others = &mut entry.others;
        let same = std::iter::once(&*first).chain(others.iter()).position(|other| {
            let (earlier, later) = if other.call <= giver.call { (other, &giver) } else { (&giver, other) };
            other.path == giver.path && says_no_more(earlier, later)
        });
        let is_full = others.len() + 1 >= MAX_GIVERS;
        let mut at = match (same, is_full) {
            (Some(at), _) => at,
            (None, true) => others.len(),
            (None, false) => {
                let before = others.capacity();
                others.push(giver);
                let allocated = if before == 0 { ALLOCATION } else { 0 };
                new.lists += (others.capacity() - before) * size_of::<Giver>() + allocated;
                others.len()
            }
        };
        let known = if at == 0 { Some(&mut *first) } else { others.get_mut(at - 1) };
        let Some(known) = known.filter(|known| same.is_none() && !is_full || giver.call < known.call) else {
            return;
        };
        *known = giver;
        while at > 1 && others[at - 2].call > giver.call {
            others.swap(at - 1, at - 2);
            at -= 1;
        }
        if at == 1 && first.call > giver.call {
            std::mem::swap(first, &mut others[0]);
        }
    }

    /// Bytes of what it has, counted one by one.
    #[cfg(test)]
    pub(crate) fn content(&self) -> usize {
        let names: usize = self.calls.iter().map(|call| call.tool.len() + size_of::<Given>()).sum();
        let paths: usize = self.paths.iter().map(|path| path.len() + size_of::<Arc<str>>()).sum();
        let index = self.path_ids.len() * size_of::<(Arc<str>, u32)>();
        let entries = self.old.entries.values().chain(self.new.entries.values());
        let entries: usize =
            entries.map(|entry| size_of_val(entry) + 8 + entry.others.len() * size_of::<Giver>()).sum();
        let uses = (self.uses.old.len() + self.uses.new.len()) * size_of::<(u64, [Use; 2])>();
        names + paths + index + entries + uses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places that were evicted seem new again. Without an end, the values of results of 100 KB, read for a number that they
    /// all have, evicted each other for ever.
    #[test]
    fn reading_for_a_value_ends_although_its_places_are_evicted() {
        let mut memory = Memory::default();
        let given = |number: u64| Given {
            id: CallId::from_bytes(u128::from(number).to_be_bytes()),
            tool: "s__rows".into(),
            start: number,
            end: number,
        };
        let (mut readings, value) = (0, 7);
        while memory.may_have_new_places(value, "s__rows") {
            let call = memory.add_call(given(readings));
            memory.give(value, Giver { call, path: 0, how: How::Same, number: true });
            memory.was_read(value, call, 0);
            memory.new = Generation::default();
            readings += 1;
            assert!(readings < 100, "it never ends");
        }
        assert_eq!(readings, MAX_GIVERS as u64);
        assert!(memory.may_have_new_places(value, "s__other"));
    }
}
