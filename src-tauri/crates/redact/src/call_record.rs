//! Redaction of the texts in a call record beside its bodies: client, session and protocol version.

use schemascope_model::CallRecord;

use crate::Redactor;

impl Redactor {
    /// Redacts the client's name and version, the session and the protocol version. Returns how many of them changed.
    pub fn redact_caller(&self, record: &mut CallRecord) -> u64 {
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
