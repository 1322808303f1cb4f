//! Merging one answer, retracting and settling.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::index::{Index, is_same};
use super::{Conflict, Merged};
use crate::limits::MAX_DEPTH;
use crate::pointer;
use crate::schema::EXHAUSTED_KEY;

/// Key of what an answer says beyond the Discovery Schema. It is kept with the answer, not merged.
pub(crate) const INVENTED_KEY: &str = "invented";
/// Questions that are kept as the origin of one value.
const MAX_ORIGINS: usize = 8;

impl Merged {
    pub(super) fn merge(&mut self, question_id: &str, scr: &Value, at: u64) {
        let scr = tidied(&without_invented(scr));
        let mut record = Record {
            question_id,
            at,
            is_kept: true,
            conflicts: &mut self.conflicts,
            origins: &mut self.origins,
        };
        if scr.is_object() {
            merge(&mut self.value, &scr, "", &mut record, 0);
        }
    }

    /// Removes what is at places, all of which are meant as they are now.
    pub(super) fn retract_all(&mut self, places: &[String]) {
        let canonical = places.iter().filter_map(|place| pointer::canonical(&self.value, place));
        let mut paths: Vec<Vec<String>> =
            canonical.filter(|path| !path.is_empty()).filter_map(|path| pointer::segments(&path)).collect();
        // Of a list the last first: what follows an item moves when that is removed.
        let key = |path: &Vec<String>| -> Vec<(usize, String)> {
            path.iter().map(|segment| (segment.parse().unwrap_or_default(), segment.clone())).collect()
        };
        paths.sort_by_key(|path| std::cmp::Reverse(key(path)));
        paths.dedup();
        paths.iter().for_each(|path| self.retract(path));
    }

    fn retract(&mut self, segments: &[String]) {
        let path = segments.iter().fold(String::new(), |path, segment| pointer::join(&path, segment));
        let Some((last, parent)) = segments.split_last() else { return };
        let list = parent.iter().fold(String::new(), |path, segment| pointer::join(&path, segment));
        let has_numbers = pointer::get(&self.value, &list)
            .and_then(Value::as_array)
            .is_some_and(|items| !items.iter().any(|item| pointer::identity(item).is_some()));
        if !pointer::remove(&mut self.value, segments) {
            return;
        }
        self.conflicts.retain(|conflict| !pointer::is_within(&conflict.path, &path));
        self.origins.retain(|place, _| !pointer::is_within(place, &path));
        if has_numbers && let Ok(removed) = last.parse::<usize>() {
            self.renumber(&list, removed);
        }
    }

    /// Moves the origins of a list's items after one of them was removed.
    fn renumber(&mut self, list: &str, removed: usize) {
        let prefix = format!("{list}/");
        let mut renumbered = BTreeMap::new();
        for (place, questions) in std::mem::take(&mut self.origins) {
            let moved = place.strip_prefix(&prefix).and_then(|rest| {
                let (number, below) =
                    rest.split_once('/').map_or((rest, None), |(number, below)| (number, Some(below)));
                let number = number.parse::<usize>().ok().filter(|number| *number > removed)?;
                let place = format!("{prefix}{}", number - 1);
                Some(below.map_or(place.clone(), |below| format!("{place}/{below}")))
            });
            renumbered.insert(moved.unwrap_or(place), questions);
        }
        self.origins = renumbered;
    }

    pub(super) fn settle(&mut self, path: &str, value: &Value) {
        let segments = pointer::segments(path).unwrap_or_default();
        if !value.is_null() && pointer::set(&mut self.value, &segments, value) {
            self.conflicts.retain(|conflict| conflict.path != path);
        }
    }
}

/// Returns what an answer says within the Discovery Schema.
fn without_invented(scr: &Value) -> Value {
    let mut scr = scr.clone();
    if let Value::Object(members) = &mut scr {
        members.shift_remove(INVENTED_KEY);
    }
    scr
}

/// Returns an answer merged with itself: without nulls and blank texts, and with each id once in a list.
pub(crate) fn tidied(value: &Value) -> Value {
    merged_with_itself(value, false).0
}

/// Returns what an answer says of one place in two ways, in two items of one id.
pub(crate) fn contradictions(value: &Value) -> Vec<Conflict> {
    merged_with_itself(value, true).1
}

fn merged_with_itself(value: &Value, is_kept: bool) -> (Value, Vec<Conflict>) {
    let (mut base, mut conflicts) = (Value::Null, Vec::new());
    let mut record =
        Record { question_id: "", at: 0, is_kept, conflicts: &mut conflicts, origins: &mut BTreeMap::new() };
    merge(&mut base, value, "", &mut record, 0);
    (base, conflicts)
}

/// Where a merge notes origins and conflicts.
struct Record<'r> {
    question_id: &'r str,
    at: u64,
    is_kept: bool,
    conflicts: &'r mut Vec<Conflict>,
    origins: &'r mut BTreeMap<String, Vec<String>>,
}

impl Record<'_> {
    /// Notes that the answer gives the value at a place. `is_new` if it was another one before.
    fn origin(&mut self, path: &str, is_new: bool) {
        if !self.is_kept || self.question_id.is_empty() {
            return;
        }
        let questions = self.origins.entry(path.to_owned()).or_default();
        if is_new {
            questions.clear();
        }
        let is_known = questions.iter().any(|question| question == self.question_id);
        if !is_known && questions.len() < MAX_ORIGINS {
            questions.push(self.question_id.to_owned());
        }
    }

    fn conflict(&mut self, path: &str, earlier: &Value, later: &Value) {
        let is_progress = path.strip_prefix('/') == Some(EXHAUSTED_KEY);
        if !self.is_kept || is_progress {
            return;
        }
        let is_listed = self.conflicts.iter().any(|known| {
            known.path == path && is_same(&known.earlier, earlier) && is_same(&known.later, later)
        });
        if is_listed {
            return;
        }
        let before = self.origins.get(path).and_then(|questions| questions.last()).cloned();
        let mut question_ids: Vec<String> = before.into_iter().collect();
        question_ids.push(self.question_id.to_owned());
        self.conflicts.push(Conflict {
            path: path.to_owned(),
            earlier: earlier.clone(),
            later: later.clone(),
            question_ids,
            at: self.at,
        });
    }

    fn forget_below(&mut self, path: &str) {
        if self.is_kept {
            self.origins.retain(|place, _| place == path || !pointer::is_within(place, path));
        }
    }
}

/// Returns whether a value says nothing.
fn is_silent(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

fn merge(base: &mut Value, new: &Value, path: &str, record: &mut Record<'_>, depth: usize) {
    if depth > MAX_DEPTH + 1 || is_silent(new) {
        return;
    }
    if base.is_null() {
        match new {
            Value::Object(_) => *base = Value::Object(Map::new()),
            Value::Array(_) => *base = Value::Array(Vec::new()),
            scalar => {
                *base = scalar.clone();
                record.origin(path, true);
                return;
            }
        }
    }
    match (base, new) {
        (Value::Object(known), Value::Object(said)) => {
            for (key, value) in said {
                if !is_silent(value) {
                    let slot = known.entry(key.as_str()).or_insert(Value::Null);
                    merge(slot, value, &pointer::join(path, key), record, depth + 1);
                }
            }
        }
        (Value::Array(known), Value::Array(said)) => merge_lists(known, said, path, record, depth),
        (known, said) => {
            if is_same(known, said) {
                record.origin(path, false);
                return;
            }
            record.conflict(path, known, said);
            record.forget_below(path);
            *known = tidied(said);
            record.origin(path, true);
        }
    }
}

fn merge_lists(known: &mut Vec<Value>, said: &[Value], path: &str, record: &mut Record<'_>, depth: usize) {
    let mut index = Index::of(known);
    for item in said {
        if item.is_null() {
            continue;
        }
        if let Some((_, id)) = pointer::identity(item) {
            let place = pointer::join(path, &pointer::id_segment(id));
            match index.identified(item).and_then(|at| known.get_mut(at)) {
                Some(slot) => merge(slot, item, &place, record, depth + 1),
                None => {
                    let mut fresh = Value::Null;
                    merge(&mut fresh, item, &place, record, depth + 1);
                    known.push(fresh);
                }
            }
            continue;
        }
        let item = if item.is_string() { item.clone() } else { tidied(item) };
        if item.is_null() || item.as_object().is_some_and(Map::is_empty) {
            continue;
        }
        let at = index.equal(&item);
        record.origin(&pointer::join(path, &at.unwrap_or(known.len()).to_string()), at.is_none());
        if at.is_none() {
            known.push(item);
        }
    }
}
