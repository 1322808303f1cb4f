//! Applying today's redaction rules to stored records. Markers of previous redactions stay as they are.

use schemascope_model::{CallRecord, Flow, ToolId};
use schemascope_redact::{Redactor, Trust};
use schemascope_registry::state_without_secrets;
use schemascope_registry::versions::AuditEntry;
use schemascope_store::{Declared, Rewrite};
use serde_json::value::RawValue;

use super::draft::{named_in_strings, named_in_texts, without_asked, without_secrets};
use super::tool_state::{self, REGISTRY};

/// Numbers of records of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counted {
    /// Records searched.
    pub records: u64,
    /// Records that contained secrets.
    pub changed: u64,
}

/// Findings in stored records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Found {
    /// Calls.
    pub calls: Counted,
    /// Values replaced in calls.
    pub values: u64,
    /// Definitions of tools.
    pub declarations: Counted,
    /// Tools' states in snapshots.
    pub states: Counted,
    /// Entries of the audit log.
    pub decisions: Counted,
    /// Steps of interviews.
    pub interviews: Counted,
}

/// Redacts stored records and counts.
pub(crate) struct StoredRedaction<'r, P> {
    redactor: &'r Redactor,
    pub(crate) found: Found,
    progress: P,
}

impl<'r, P: FnMut(u64, u64)> StoredRedaction<'r, P> {
    /// Begins. `progress` is called with the number of segments done and of all segments.
    pub(crate) fn new(redactor: &'r Redactor, progress: P) -> Self {
        Self { redactor, found: Found::default(), progress }
    }
}

impl<P> StoredRedaction<'_, P> {
    /// A tool's stored state without secrets, if it contained any.
    fn tool_state(&self, tool: &ToolId, state: &[u8]) -> Option<Vec<u8>> {
        let parts = tool_state::split(state).unwrap_or_else(|_| vec![(REGISTRY, state)]);
        let redacted: Vec<_> = parts.iter().map(|(name, part)| self.state_part(tool, name, part)).collect();
        if redacted.iter().all(Option::is_none) {
            return None;
        }
        let joined = parts.iter().zip(redacted);
        tool_state::join(
            joined.map(|((name, part), new)| (*name, new.unwrap_or_else(|| part.to_vec()))).collect(),
        )
    }

    fn state_part(&self, tool: &ToolId, name: &str, state: &[u8]) -> Option<Vec<u8>> {
        let as_text = || {
            let text = String::from_utf8_lossy(state);
            self.redactor.definition_without(&text).map(String::into_bytes)
        };
        if name != REGISTRY {
            return as_text();
        }
        state_without_secrets(state, self.redactor).unwrap_or_else(|reason| {
            tracing::warn!(%tool, %reason, "a state of another version of Schemascope is redacted as text");
            as_text()
        })
    }
}

impl Counted {
    fn add(&mut self, changed: bool) {
        self.records += 1;
        self.changed += u64::from(changed);
    }
}

impl<P: FnMut(u64, u64)> Rewrite for StoredRedaction<'_, P> {
    fn call(&mut self, call: &mut CallRecord) -> bool {
        let mut values = 0;
        let names = self.redactor.redact_caller(call);
        for body in [&mut call.arguments, &mut call.result, &mut call.error].into_iter().flatten() {
            if let Some((redacted, replaced)) = self.redactor.redact(body.get(), Trust::Own)
                && let Ok(redacted) = RawValue::from_string(redacted)
            {
                *body = redacted;
                values += replaced;
            }
        }
        // As new calls are: keys name secrets also in texts that are YAML and the like.
        let named = named_in_texts(self.redactor, None, call.result.as_deref());
        let asked = without_asked(named, call.result.as_deref(), call.arguments.as_deref());
        if let Some((redacted, replaced)) = asked {
            call.result = Some(redacted);
            values += replaced;
        }
        for body in [&mut call.arguments, &mut call.error].into_iter().flatten() {
            if let Some((redacted, replaced)) = named_in_strings(self.redactor, None, body) {
                *body = redacted;
                values += replaced;
            }
        }
        call.redacted += values;
        let flow = call.flow.take();
        let links =
            |flow: &Option<Flow>| flow.as_ref().map_or(0, |flow| flow.links.len() + flow.echoes.len());
        let before = links(&flow);
        call.flow = flow.map(|flow| without_secrets(self.redactor, flow));
        let changed = values + names > 0 || links(&call.flow) != before;
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
        let redacted = self.tool_state(tool, state);
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

    fn interview(&mut self, entry: &[u8]) -> Option<Vec<u8>> {
        let redacted = self.redactor.redact(&String::from_utf8_lossy(entry), Trust::Own);
        // A rule can hit an id or a time, without which nothing of the step could be read.
        let is_readable =
            |text: &String| serde_json::from_str::<Vec<schemascope_interview::Event>>(text).is_ok();
        let redacted = redacted.map(|(text, _)| text).filter(|text| {
            let keeps = is_readable(text);
            if !keeps {
                tracing::warn!(
                    "a step of an interview is not redacted, because a rule would make it unreadable"
                );
            }
            keeps
        });
        let redacted = redacted.map(String::into_bytes);
        self.found.interviews.add(redacted.is_some());
        redacted
    }

    fn progress(&mut self, done: u64, total: u64) {
        (self.progress)(done, total);
    }
}
