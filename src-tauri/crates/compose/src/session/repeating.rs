//! Tools whose results had what a call took, although an earlier result brought it.

use std::collections::HashSet;

use super::{Session, is_marker, was_out};
use crate::hashes::hash;
use crate::scalars;
use crate::unread::Needle;
use crate::window::{MAX_VALUES, Observed};

/// Number of results not read that are searched for values which an earlier one gave.
const RECENT: usize = 16;
/// Number of arguments that they are searched for.
const MAX_REPEATED: usize = 16;

impl Session {
    /// Tools whose results had a value of the arguments, with or without credit for it: that the call took it does not
    /// speak against them.
    pub(super) fn repeating(&self, call: &Observed<'_>, key: (u64, u64)) -> HashSet<Box<str>> {
        let mut tools = HashSet::new();
        let mut needles = Vec::new();
        scalars::each(call.arguments, MAX_VALUES, &mut |input| {
            if is_marker(input.text) || scalars::is_weak(input.text, input.number) {
                return;
            }
            let whole = hash(key, &[input.text]);
            let givers = self.givers(whole, call);
            tools.extend(givers.iter().filter_map(|giver| Some(self.memory.call(giver)?.tool.clone())));
            if needles.len() < MAX_REPEATED {
                needles.extend(Needle::of(input.text).map(|needle| (whole, needle)));
            }
        });
        let Self { unread, memory, .. } = self;
        for one in unread.iter().rev().take(RECENT) {
            let Some(from) = memory.calls.get(one.call as usize).filter(|from| was_out(from, call)) else {
                continue;
            };
            // What a result only repeats of its own arguments is no value that it gives.
            let own: Vec<bool> = needles.iter().map(|(hash, _)| one.own.contains_key(hash)).collect();
            let given = needles.iter().zip(own).filter(|(_, own)| !own).map(|((_, needle), _)| needle);
            if !tools.contains(&from.tool) && one.has(given) {
                tools.insert(from.tool.clone());
            }
        }
        tools
    }
}
