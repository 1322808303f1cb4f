//! Today's rules applied to what was stored before.
//!
//! Owns: which part of which record is looked at how, and counting. What stands there already as a marker is
//! ours and stays. Refuses to know: files, segments, and what is done to shapes (see `shape` and `registry`).

use schemascope_model::{CallRecord, ToolId};
use schemascope_registry::state_without_secrets;
use schemascope_registry::versions::AuditEntry;
use schemascope_shape::Secrets;
use schemascope_store::{Declared, Rewrite};
use serde_json::value::RawValue;

use super::{Redactor, Trust};

/// Records looked at, and those of them that held something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counted {
    /// Records looked at.
    pub records: u64,
    /// Records that held secrets.
    pub changed: u64,
}

/// What was found in stored records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Found {
    /// Calls.
    pub calls: Counted,
    /// Values replaced in calls.
    pub values: u64,
    /// What servers said of tools.
    pub declarations: Counted,
    /// Tools' states in snapshots.
    pub states: Counted,
    /// Entries of the audit log.
    pub decisions: Counted,
}

/// Redacts stored records and counts.
pub(crate) struct Stored<'r, P> {
    redactor: &'r Redactor,
    pub(crate) found: Found,
    progress: P,
}

impl<'r, P: FnMut(u64, u64)> Stored<'r, P> {
    /// `progress` is told how many segments of how many are done.
    pub(crate) fn new(redactor: &'r Redactor, progress: P) -> Self {
        Self { redactor, found: Found::default(), progress }
    }
}

impl Counted {
    fn add(&mut self, changed: bool) {
        self.records += 1;
        self.changed += u64::from(changed);
    }
}

impl<P: FnMut(u64, u64)> Rewrite for Stored<'_, P> {
    fn call(&mut self, call: &mut CallRecord) -> bool {
        let mut values = 0;
        let names = self.redactor.names(call);
        for body in [&mut call.arguments, &mut call.result, &mut call.error].into_iter().flatten() {
            if let Some((redacted, replaced)) = self.redactor.redact(body.get(), Trust::Own)
                && let Ok(redacted) = RawValue::from_string(redacted)
            {
                *body = redacted;
                values += replaced;
            }
        }
        call.redacted += values;
        let changed = values + names > 0;
        self.found.calls.add(changed);
        self.found.values += values + names;
        changed
    }

    fn declared(&mut self, declared: &mut Declared) -> bool {
        let definition =
            declared.definition.as_ref().and_then(|one| self.redactor.definition_without(one.get()));
        let definition = definition.and_then(|definition| RawValue::from_string(definition).ok());
        let changed = definition.is_some();
        if changed {
            declared.definition = definition;
        }
        self.found.declarations.add(changed);
        changed
    }

    fn state(&mut self, tool: &ToolId, state: &[u8]) -> Option<Vec<u8>> {
        let redacted = state_without_secrets(state, self.redactor).unwrap_or_else(|reason| {
            tracing::warn!(%tool, %reason, "a state that another Schemascope wrote is looked through as text");
            let text = String::from_utf8_lossy(state);
            self.redactor.definition_without(&text).map(String::into_bytes)
        });
        self.found.states.add(redacted.is_some());
        redacted
    }

    fn decision(&mut self, entry: &[u8]) -> Option<Vec<u8>> {
        let redacted = match serde_json::from_slice::<AuditEntry>(entry) {
            Ok(mut parsed) => {
                let forgot = parsed.forget(self.redactor);
                if forgot { serde_json::to_vec(&parsed).ok() } else { None }
            }
            Err(_) => {
                let text = String::from_utf8_lossy(entry);
                self.redactor.definition_without(&text).map(String::into_bytes)
            }
        };
        self.found.decisions.add(redacted.is_some());
        redacted
    }

    fn progress(&mut self, done: u64, total: u64) {
        (self.progress)(done, total);
    }
}

impl Redactor {
    fn definition_without(&self, json: &str) -> Option<String> {
        changed(super::spans::apply(json, &super::scan::edits_of_schema(self, json, Trust::Own)))
    }
}

impl Secrets for Redactor {
    fn key(&self, key: &str) -> bool {
        self.is_telling(key)
    }

    fn text(&self, text: &str) -> Option<String> {
        changed(Redactor::text(self, text))
    }

    fn json(&self, json: &str) -> Option<String> {
        self.redact(json, Trust::Own).map(|(redacted, _)| redacted)
    }

    fn definition(&self, json: &str) -> Option<String> {
        self.definition_without(json)
    }
}

fn changed(text: std::borrow::Cow<'_, str>) -> Option<String> {
    match text {
        std::borrow::Cow::Owned(text) => Some(text),
        std::borrow::Cow::Borrowed(_) => None,
    }
}
