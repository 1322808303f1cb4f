//! One session: who gave which value, and what its calls took.

mod repeating;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use schemascope_model::{CallId, Echo, Flow, How, Link};
use serde_json::Value;

use crate::document::read_counted;
use crate::echoes;
use crate::hashes::hash;
use crate::memory::{Given, Giver, Memory, Use, table};
use crate::scalars::{self, Scalar};
use crate::unread::{self, Needle, Unread};
use crate::window::{MAX_VALUES, Observed, STATELESS_WINDOW};

/// Estimated size of one value in the text of a result.
const VALUE_TEXT: usize = 24;
/// Bytes of results of one session that are kept unread.
const MAX_UNREAD: usize = 8 << 20;
/// Size of a result up to which it is read at once, in bytes.
const TINY: usize = 256;
/// Size of a result up to which repeated arguments are found that many fields have by accident.
const SMALL: usize = 4_096;
/// Number of values of one call that results are searched for.
const MAX_WANTED: usize = 1_024;
/// How often results are read for one call.
const MAX_READINGS: usize = 4;
/// Number of pairs of fields of which a session remembers that there was a flow.
const MAX_LINKED: usize = 16_384;
/// Number of links that are kept for one call.
pub(crate) const MAX_LINKS: usize = 256;
/// Number of tools called before that are kept for one call.
const MAX_AFTER: usize = 32;
/// Number of echoes that are kept for one call.
pub(crate) const MAX_ECHOES: usize = 32;

/// The observed value of a result.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Body<'a> {
    Read(&'a Value),
    Text(&'a str),
}

#[derive(Debug, Default)]
pub(crate) struct Session {
    /// Results that were not read yet, oldest first.
    unread: VecDeque<Unread>,
    unread_bytes: usize,
    memory: Memory,
    linked: HashSet<u64>,
    /// When it was last used.
    pub(crate) last: u64,
    /// End of its latest call, in milliseconds.
    pub(crate) until: u64,
}

/// Time of the oldest answers and uses that count for a call, in milliseconds.
fn oldest(call: &Observed<'_>) -> u64 {
    if call.stateless { call.start.saturating_sub(STATELESS_WINDOW) } else { 0 }
}

/// Whether the answer of an earlier call was out when a call began, and still counts.
fn was_out(earlier: &Given, call: &Observed<'_>) -> bool {
    (oldest(call)..=call.start).contains(&earlier.end)
}

/// Whether a value was redacted. Equal markers need not stand for equal values.
fn is_marker(text: &str) -> bool {
    schemascope_model::Redacted::of(text).is_some()
}

/// A value that results are searched for, and which of them can matter.
struct Wanted {
    needle: Needle,
    /// Calls that began later only repeat what an answer had said before.
    began_before: u64,
    /// Answers that were out later came after the caller had used the value.
    ended_by: u64,
    /// The hash of a value that many fields have by accident. All places that gave it count, so results are read until
    /// some of the same tool had it at no new place.
    weak: Option<u64>,
}

impl Wanted {
    fn can_come_from(&self, call: &Given, memory: &Memory) -> bool {
        call.start < self.began_before
            && call.end <= self.ended_by
            && self.weak.is_none_or(|hash| memory.may_have_new_places(hash, &call.tool))
    }
}

/// Values of the arguments of a call, with their paths.
pub(crate) type Own = HashMap<u64, Box<str>>;

impl Session {
    /// Memory that it takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.memory.bytes() + self.unread_bytes + table(self.linked.capacity(), size_of::<u64>())
    }

    /// Bytes of what it has, counted one by one.
    #[cfg(test)]
    pub(crate) fn content(&self) -> usize {
        let unread: usize = self.unread.iter().map(Unread::bytes).sum();
        self.memory.content() + unread + self.linked.len() * size_of::<u64>()
    }

    /// Starts again before a call of a client without a session that was quiet for too long.
    pub(crate) fn begin(&mut self, call: &Observed<'_>) {
        if call.stateless && self.until < oldest(call) {
            self.restart();
        }
        self.until = self.until.max(call.end);
    }

    /// Starts a new generation of values if the present one is full, and starts again if the session has too many calls
    /// or paths. Returns the number of values dropped.
    pub(crate) fn turn(&mut self) -> u64 {
        if !self.memory.is_full() {
            return self.memory.rotate();
        }
        self.restart()
    }

    /// Starts again. Returns the number of values dropped.
    pub(crate) fn restart(&mut self) -> u64 {
        let (last, until) = (self.last, self.until);
        let dropped = std::mem::replace(self, Self { last, until, ..Self::default() });
        (dropped.memory.values() + dropped.unread_bytes / VALUE_TEXT) as u64
    }

    /// Returns the places that gave a value before the call began.
    fn givers(&self, hash: u64, call: &Observed<'_>) -> Vec<Giver> {
        let out = |giver: &&Giver| self.memory.call(giver).is_some_and(|from| was_out(from, call));
        self.memory.givers(hash).filter(out).copied().collect()
    }

    fn used(&self, hash: u64, call: &Observed<'_>) -> Option<Use> {
        self.memory.used(hash, oldest(call))
    }

    /// When the caller had a value by itself: since it was first used, by the same input if many fields have such values.
    fn known_since(&self, hash: u64, input: u64, weak: bool, call: &Observed<'_>) -> Option<u64> {
        self.used(hash, call).filter(|(_, by)| !weak || *by == input).map(|(at, _)| at)
    }

    /// Chooses the places that the credit for a value belongs to.
    fn credited(&self, hash: u64, input: u64, weak: bool, call: &Observed<'_>) -> Vec<Giver> {
        let mut givers = self.givers(hash, call);
        let end = |giver: &Giver| self.memory.call(giver).map_or(u64::MAX, |from| from.end);
        let Some(first) = self.first_end(&givers) else { return givers };
        if self.known_since(hash, input, weak, call).is_some_and(|known| known < first) {
            return Vec::new();
        }
        if !weak {
            // A call that began after the first answer was out may only repeat it.
            let begins = |giver: &Giver| self.memory.call(giver).map_or(u64::MAX, |from| from.start);
            givers.retain(|giver| end(giver) == first || begins(giver) < first);
        }
        let whole = givers.iter().any(|giver| giver.how != How::Part);
        givers.retain(|giver| !whole || giver.how != How::Part);
        // Of several calls of one tool the first has the credit.
        let mut known: Vec<(u32, &str)> = Vec::new();
        givers.retain(|giver| {
            let place = (giver.path, self.memory.call(giver).map_or("", |from| &*from.tool));
            let is_new = !known.contains(&place);
            known.push(place);
            is_new
        });
        givers
    }

    pub(crate) fn links(&mut self, call: &Observed<'_>, key: (u64, u64)) -> Flow {
        let mut found: BTreeMap<(CallId, Box<str>, Box<str>), Link> = BTreeMap::new();
        let mut add = |session: &Self, givers: &[Giver], input: &Scalar<'_>, how: Option<How>, weak: bool| {
            let mut places: Vec<(&str, u32)> = givers
                .iter()
                .filter_map(|giver| Some((&*session.memory.call(giver)?.tool, giver.path)))
                .collect();
            places.sort_unstable();
            places.dedup();
            for giver in givers {
                let (Some(from), Some(path)) = (session.memory.call(giver), session.memory.path(giver))
                else {
                    continue;
                };
                let list = |path: &str| path.contains("[]");
                let how = how.unwrap_or(if giver.how != How::Same {
                    giver.how
                } else if giver.number != input.number {
                    How::NumberText
                } else if list(path) || list(input.path) {
                    How::Item
                } else {
                    How::Same
                });
                let link = Link {
                    from: from.id,
                    tool: from.tool.clone(),
                    output: path.into(),
                    input: input.path.into(),
                    how,
                    weak,
                    rivals: u16::try_from(places.len()).unwrap_or(u16::MAX),
                    first: false,
                    opens: false,
                };
                if found.len() < MAX_LINKS {
                    found.entry((link.from, link.output.clone(), link.input.clone())).or_insert(link);
                }
            }
        };
        scalars::each(call.arguments, MAX_VALUES, &mut |input| {
            if is_marker(input.text) {
                return;
            }
            let place = hash(key, &[call.tool, input.path]);
            let weak = scalars::is_weak(input.text, input.number);
            let whole = hash(key, &[input.text]);
            let givers = self.credited(whole, place, weak, call);
            if !givers.is_empty() {
                add(self, &givers, input, None, weak);
                return;
            }
            if self.used(whole, call).is_some() || weak || !self.givers(whole, call).is_empty() {
                return;
            }
            if let Some((folder, name)) = input.text.rsplit_once('/')
                && !folder.is_empty()
                && name.len() > 2
            {
                let names = self.credited(hash(key, &[name]), place, false, call);
                let folders = self.credited(hash(key, &[folder]), place, false, call);
                // `web` of `acme/web` is a word that many fields have.
                if !names.is_empty() && (!scalars::is_weak(name, false) || !folders.is_empty()) {
                    add(self, &names, input, Some(How::Joined), false);
                    add(self, &folders, input, Some(How::Joined), false);
                    return;
                }
            }
            let mut known = HashSet::new();
            scalars::parts(input.text, &mut |part| {
                if !scalars::is_weak(part, false) && known.insert(hash(key, &[part])) && known.len() <= 64 {
                    let givers = self.credited(hash(key, &[part]), place, false, call);
                    add(self, &givers, input, Some(How::Contains), false);
                }
            });
        });
        let mut links: Vec<Link> = found.into_values().collect();
        for link in &mut links {
            link.first = self.first(hash(key, &[&link.tool, &link.output, call.tool, &link.input]));
            link.opens = self.first(hash(key, &[&link.tool, call.tool]));
        }
        let previous =
            self.memory.calls.iter().rev().find(|from| was_out(from, call)).map(|from| from.tool.clone());
        let mut after = self.after(call);
        // Without tools before, none of them can have repeated a value.
        let repeating = if after.is_empty() { HashSet::new() } else { self.repeating(call, key) };
        after.retain(|tool| !repeating.contains(tool) || links.iter().any(|link| link.tool == *tool));
        Flow { links, after, previous, echoes: Vec::new() }
    }

    /// Whether something happens for the first time in the session.
    fn first(&mut self, what: u64) -> bool {
        self.linked.len() < MAX_LINKED && self.linked.insert(what)
    }

    /// Lists the tools whose answers were out when the call began, the latest if there are many.
    fn after(&self, call: &Observed<'_>) -> Vec<Box<str>> {
        let mut tools: Vec<Box<str>> = Vec::new();
        for from in self.memory.calls.iter().rev().take(256) {
            if tools.len() < MAX_AFTER && was_out(from, call) && !tools.contains(&from.tool) {
                tools.push(from.tool.clone());
            }
        }
        tools.sort_unstable();
        tools
    }

    pub(crate) fn take_arguments(&mut self, call: &Observed<'_>, key: (u64, u64)) -> Own {
        let mut own = Own::new();
        scalars::each(call.arguments, MAX_VALUES, &mut |input| {
            if is_marker(input.text) {
                return;
            }
            let place = hash(key, &[call.tool, input.path]);
            let whole = hash(key, &[input.text]);
            own.insert(whole, input.path.into());
            self.memory.use_value(whole, (call.start, place));
        });
        own
    }

    pub(crate) fn take_result(
        &mut self,
        call: &Observed<'_>,
        result: Body<'_>,
        own: &Own,
        key: (u64, u64),
    ) -> (Vec<Echo>, u64) {
        let given = Given { id: call.id, tool: call.tool.into(), start: call.start, end: call.end };
        let number = self.memory.add_call(given);
        let text = match result {
            Body::Read(value) => return self.read(number, value, own, key),
            Body::Text(text) => text,
        };
        let weak = text.len() <= SMALL;
        let mut unread = Unread::new(number, text);
        let may_repeat = unread.may_have(unread::needles(call.arguments, weak).iter());
        let found = match (text.len() <= TINY, may_repeat) {
            (true, _) => None,
            (_, false) => Some(Vec::new()),
            (_, true) => echoes::find(text, call.arguments, weak),
        };
        let Some(echoes) = found else {
            let (value, left_out) = read_counted(text);
            let (echoes, dropped) = self.read(number, &value, own, key);
            return (echoes, dropped + left_out as u64);
        };
        if may_repeat {
            unread.own.clone_from(own);
        }
        self.unread_bytes += unread.bytes();
        self.unread.push_back(unread);
        (echoes, self.drop_unread(MAX_UNREAD))
    }

    /// Memory of the results that were not read, in bytes.
    pub(crate) fn unread_bytes(&self) -> usize {
        self.unread_bytes
    }

    /// Memory of the values that results gave, in bytes.
    pub(crate) fn given_bytes(&self) -> usize {
        self.memory.given_bytes()
    }

    /// Drops the older half of the results that were not read. Returns the number of values dropped.
    pub(crate) fn drop_half_unread(&mut self) -> u64 {
        self.drop_unread(self.unread_bytes / 2)
    }

    /// Drops the older values that results gave. The outcome of reading results is kept, or they would be read for the same
    /// values again. Returns the number of values dropped.
    pub(crate) fn drop_given(&mut self) -> u64 {
        self.memory.drop_given()
    }

    /// Drops the oldest results that were not read until at most so many bytes are left. Returns the number of values
    /// dropped.
    fn drop_unread(&mut self, limit: usize) -> u64 {
        let mut dropped = 0;
        while self.unread_bytes > limit
            && let Some(oldest) = self.unread.pop_front()
        {
            self.unread_bytes -= oldest.bytes();
            dropped += (oldest.bytes() / VALUE_TEXT) as u64;
        }
        dropped
    }

    /// Reads the results that may have given one of a call's arguments. Returns the number of values dropped.
    pub(crate) fn read_for(&mut self, call: &Observed<'_>, key: (u64, u64)) -> u64 {
        let mut dropped = 0;
        // What is read can make older results matter, but hardly more than once.
        for _ in 0..MAX_READINGS {
            if self.unread.is_empty() {
                break;
            }
            let wanted = self.wanted(call, key);
            let Self { unread, memory, .. } = self;
            let may_matter = |(at, one): (usize, &mut Unread)| {
                let from = memory.calls.get(one.call as usize)?;
                let needles = wanted.iter().filter(|wanted| wanted.can_come_from(from, memory));
                one.may_have(needles.map(|wanted| &wanted.needle)).then_some(at)
            };
            let places: Vec<usize> = unread.iter_mut().enumerate().filter_map(may_matter).collect();
            if places.is_empty() {
                break;
            }
            let mut found: Vec<Unread> =
                places.iter().rev().filter_map(|at| self.unread.remove(*at)).collect();
            found.reverse();
            for mut one in found {
                self.unread_bytes -= one.bytes();
                let weak = wanted.iter().filter_map(|wanted| Some((wanted.weak?, &wanted.needle)));
                let weak = weak.filter(|(_, needle)| one.may_have(std::iter::once(*needle)));
                let before: Vec<(u64, usize)> =
                    weak.map(|(hash, _)| (hash, self.memory.givers(hash).count())).collect();
                let (value, left_out) = one.read();
                dropped +=
                    self.read(one.call, &value, &one.own, key).1 + left_out as u64 + self.memory.rotate();
                for (hash, places) in before {
                    self.memory.was_read(hash, one.call, places);
                }
            }
        }
        dropped
    }

    /// The values that a call's arguments may have from results that were not read yet, with the results that can matter
    /// for them. It follows [`Self::credited`]: what that leaves out needs not be read.
    fn wanted(&self, call: &Observed<'_>, key: (u64, u64)) -> Vec<Wanted> {
        let mut wanted = Vec::new();
        let mut known = HashSet::new();
        let mut add = |text: &str, input: u64, weak: bool| {
            let hash = hash(key, &[text]);
            if wanted.len() >= MAX_WANTED || !known.insert((hash, if weak { input } else { 0 })) {
                return;
            }
            let first = self.first_end(&self.givers(hash, call));
            // Where a result had it before it was used, the use does not matter.
            let known = self.known_since(hash, input, weak, call);
            let known = known.filter(|known| first.is_none_or(|first| *known < first));
            let needle = Needle::of(text);
            wanted.extend(needle.map(|needle| Wanted {
                needle,
                began_before: first.filter(|_| !weak).unwrap_or(u64::MAX),
                ended_by: known.unwrap_or(u64::MAX),
                weak: weak.then_some(hash),
            }));
        };
        scalars::each(call.arguments, MAX_VALUES, &mut |input| {
            let place = hash(key, &[call.tool, input.path]);
            let weak = scalars::is_weak(input.text, input.number);
            add(input.text, place, weak);
            if !weak && self.used(hash(key, &[input.text]), call).is_none() {
                unread::parts_of(input, &mut |part| add(part, place, false));
            }
        });
        wanted
    }

    /// When the first of some answers was out.
    fn first_end(&self, givers: &[Giver]) -> Option<u64> {
        givers.iter().map(|giver| self.memory.call(giver).map_or(u64::MAX, |from| from.end)).min()
    }

    /// Remembers what a result gave, and finds what only repeats arguments.
    fn read(&mut self, number: u32, result: &Value, own: &Own, key: (u64, u64)) -> (Vec<Echo>, u64) {
        let mut echoes: Vec<Echo> = Vec::new();
        let (mut parts_left, mut dropped) = (MAX_VALUES, 0);
        let left_out = scalars::each(result, MAX_VALUES, &mut |value| {
            if is_marker(value.text) {
                return;
            }
            let whole = hash(key, &[value.text]);
            let weak = scalars::is_weak(value.text, value.number);
            if let Some(input) = own.get(&whole)
                && echoes::repeats(value.path, input, weak)
            {
                let echo = Echo { output: value.path.into(), input: input.clone() };
                if echoes.len() < MAX_ECHOES && !echoes.contains(&echo) {
                    echoes.push(echo);
                }
                return;
            }
            let Some(path) = self.memory.path_id(value.path) else {
                dropped += 1;
                return;
            };
            let how = if value.key { How::Key } else { How::Same };
            self.memory.give(whole, Giver { call: number, path, how, number: value.number });
            if !value.number && scalars::has_parts(value.text) {
                scalars::parts(value.text, &mut |part| {
                    let hash = hash(key, &[part]);
                    if parts_left > 0 && !own.contains_key(&hash) {
                        parts_left -= 1;
                        self.memory.give(hash, Giver { call: number, path, how: How::Part, number: false });
                    }
                });
            }
        });
        echoes.sort();
        (echoes, dropped + left_out as u64)
    }
}
