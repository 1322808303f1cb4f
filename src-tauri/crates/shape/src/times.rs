//! Counts of values per epoch. An epoch is a number that grows with time.

use crate::node::Type;

/// Number of epochs that are distinguished.
pub(crate) const EPOCHS: usize = 8;

/// Documents by type.
type Counts = [u32; Type::ALL.len()];

/// Epochs in which the values at a path were seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct Times {
    /// Epoch counted last.
    latest: (u32, Counts),
    /// `None` as long as nothing was counted.
    earlier: Option<Box<Earlier>>,
}

#[derive(Debug, Clone)]
struct Earlier {
    /// First epoch of each type; `u32::MAX` if there is none.
    first: [u32; Type::ALL.len()],
    /// All other epochs, in order.
    others: Vec<(u32, Counts)>,
}

impl Default for Earlier {
    fn default() -> Self {
        Self { first: [u32::MAX; Type::ALL.len()], others: Vec::new() }
    }
}

impl Times {
    /// Creates times from the first epoch of each type, `u32::MAX` if there is none.
    pub(crate) fn new(first: [u32; Type::ALL.len()]) -> Self {
        Self { earlier: Some(Box::new(Earlier { first, others: Vec::new() })), ..Self::default() }
    }

    /// Returns the first epoch of each type; `u32::MAX` if there is none.
    pub(crate) fn first(&self) -> [u32; Type::ALL.len()] {
        self.earlier.as_ref().map_or([u32::MAX; Type::ALL.len()], |earlier| earlier.first)
    }

    /// Returns the epochs other than the one counted last, in order.
    fn others(&self) -> &[(u32, Counts)] {
        self.earlier.as_ref().map_or(&[], |earlier| &earlier.others)
    }

    fn earlier(&mut self) -> &mut Earlier {
        self.earlier.get_or_insert_default()
    }

    /// Counts a document with a value of this type.
    #[inline(always)]
    pub(crate) fn add(&mut self, epoch: u32, kind: Type) {
        let (latest, counts) = &mut self.latest;
        let count = &mut counts[kind as usize];
        if *latest == epoch && *count > 0 {
            *count = count.saturating_add(1);
        } else {
            self.add_new(epoch, kind);
        }
    }

    /// Counts the first value of a type in an epoch, or one in another epoch than the latest.
    #[cold]
    fn add_new(&mut self, epoch: u32, kind: Type) {
        let first = &mut self.earlier().first[kind as usize];
        *first = epoch.min(*first);
        if self.latest.0 != epoch {
            self.switch_to(epoch);
        }
        let count = &mut self.latest.1[kind as usize];
        *count = count.saturating_add(1);
    }

    /// Makes an epoch the latest.
    fn switch_to(&mut self, epoch: u32) {
        let (before, counts) = std::mem::replace(&mut self.latest, (epoch, [0; Type::ALL.len()]));
        self.add_all(before, &counts);
        if let Ok(at) = self.others().binary_search_by_key(&epoch, |(epoch, _)| *epoch) {
            self.latest = self.earlier().others.remove(at);
        }
    }

    /// Adds the counts of an epoch.
    pub(crate) fn add_all(&mut self, epoch: u32, counts: &Counts) {
        if *counts == [0; Type::ALL.len()] {
            return;
        }
        let mine = if epoch == self.latest.0 {
            &mut self.latest.1
        } else {
            let others = &mut self.earlier().others;
            let at = match others.binary_search_by_key(&epoch, |(epoch, _)| *epoch) {
                Ok(at) => at,
                Err(at) => {
                    others.insert(at, (epoch, [0; Type::ALL.len()]));
                    at
                }
            };
            &mut others[at].1
        };
        for (mine, theirs) in mine.iter_mut().zip(counts) {
            *mine = mine.saturating_add(*theirs);
        }
    }

    /// Returns the epochs in order, each with its counts.
    pub(crate) fn recent(&self) -> Vec<(u32, Counts)> {
        let mut recent = self.others().to_vec();
        if self.latest.1 != [0; Type::ALL.len()] {
            recent.push(self.latest);
            recent.sort_unstable_by_key(|(epoch, _)| *epoch);
        }
        recent
    }

    pub(crate) fn merge(&mut self, theirs: &Self) {
        let Some(earlier) = &theirs.earlier else { return };
        for (mine, theirs) in self.earlier().first.iter_mut().zip(&earlier.first) {
            *mine = (*mine).min(*theirs);
        }
        for (epoch, counts) in earlier.others.iter().chain([&theirs.latest]) {
            self.add_all(*epoch, counts);
        }
    }

    /// Removes the counts of epochs before this one.
    pub(crate) fn forget(&mut self, before: u32) {
        if let Some(earlier) = &mut self.earlier {
            earlier.others.retain(|(epoch, _)| *epoch >= before);
            earlier.others.shrink_to(EPOCHS);
        }
        if self.latest.0 < before {
            self.latest.1 = [0; Type::ALL.len()];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_do_not_depend_on_the_order_of_epochs() {
        let seen = [(3, Type::Null), (1, Type::String), (3, Type::String), (2, Type::Null), (3, Type::Null)];
        let times = |seen: &[(u32, Type)]| {
            let mut times = Times::default();
            seen.iter().for_each(|(epoch, kind)| times.add(*epoch, *kind));
            times
        };
        let whole = times(&seen);
        let (mut left, right) = (times(&seen[..2]), times(&seen[2..]));
        left.merge(&right);
        let mut turned = seen;
        turned.reverse();
        for same in [&left, &times(&turned)] {
            assert_eq!((same.first(), same.recent()), (whole.first(), whole.recent()));
        }
        let mut counts = [0; Type::ALL.len()];
        counts[Type::Null as usize] = 2;
        counts[Type::String as usize] = 1;
        assert_eq!(whole.recent()[2], (3, counts));
        left.forget(3);
        assert_eq!(left.recent(), [(3, counts)]);
        left.forget(4);
        assert_eq!(left.recent(), []);
        assert_eq!(left.first(), whole.first());
    }
}
