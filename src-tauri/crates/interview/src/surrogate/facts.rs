//! Which facts of a script arrived in an aggregate.

use serde_json::Value;

use crate::limits::MAX_DEPTH;
use crate::merge::Conflict;
use crate::pointer;

/// Facts of a script, and those that arrived.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) total: usize,
    pub(super) arrived: usize,
}

impl Facts {
    /// Counts the facts of a value. A fact has arrived if the aggregate states it, or a conflict lists it.
    pub(super) fn count(&mut self, value: &Value, aggregate: &Value, conflicts: &[Conflict]) {
        self.walk(value, Some(aggregate), "", conflicts, 0);
    }

    /// Share of the facts that arrived, from 0 to 1.
    pub(super) fn share(self) -> f64 {
        if self.total == 0 { 1.0 } else { self.arrived as f64 / self.total as f64 }
    }

    fn walk(
        &mut self,
        value: &Value,
        found: Option<&Value>,
        path: &str,
        conflicts: &[Conflict],
        depth: usize,
    ) {
        if depth > MAX_DEPTH {
            return;
        }
        match value {
            Value::Null => {}
            Value::Object(members) => {
                for (key, member) in members {
                    let inner = found.and_then(|found| found.get(key));
                    self.walk(member, inner, &pointer::join(path, key), conflicts, depth + 1);
                }
            }
            Value::Array(items) => {
                let known = found.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
                for item in items {
                    match pointer::identity(item) {
                        Some((_, id)) => {
                            let segment = pointer::id_segment(id);
                            let inner = pointer::position(known, &segment).and_then(|at| known.get(at));
                            self.walk(item, inner, &pointer::join(path, &segment), conflicts, depth + 1);
                        }
                        None => self.add(known.contains(item)),
                    }
                }
            }
            scalar => {
                let is_listed = conflicts.iter().any(|conflict| {
                    conflict.path == path && (conflict.earlier == *scalar || conflict.later == *scalar)
                });
                self.add(found == Some(scalar) || is_listed);
            }
        }
    }

    fn add(&mut self, has_arrived: bool) {
        self.total += 1;
        if has_arrived {
            self.arrived += 1;
        }
    }
}
