//! Secrets in what comes with a call: who called, in which session.
//!
//! Owns: which parts of a record are such texts. Refuses to know: bodies.

use schemascope_model::CallRecord;

use super::Redactor;

impl Redactor {
    /// Redacts names and versions that clients gave of themselves, and sessions. How many texts changed.
    pub(crate) fn names(&self, record: &mut CallRecord) -> u64 {
        let client = record.client.as_mut();
        let client = client.into_iter().flat_map(|client| [&mut client.name, &mut client.version]);
        let mut changed = 0;
        for text in client.chain(&mut record.session).chain(&mut record.protocol_version) {
            if let std::borrow::Cow::Owned(redacted) = self.text(text) {
                *text = redacted.into();
                changed += 1;
            }
        }
        changed
    }
}
