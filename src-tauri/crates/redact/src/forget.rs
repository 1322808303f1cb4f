//! Redaction of data that is stored already, as shapes and versions ask for it.

use std::borrow::Cow;

use schemascope_shape::Secrets;

use crate::document::json;
use crate::edits::apply;
use crate::{Redactor, Trust};

impl Redactor {
    /// A stored definition of a tool without its secrets; `None` if it contains none.
    pub fn definition_without(&self, json: &str) -> Option<String> {
        changed(apply(json, &json::edits_of_schema(self, json, Trust::Own)))
    }
}

impl Secrets for Redactor {
    fn key(&self, key: &str) -> bool {
        self.is_sensitive_key(key)
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

fn changed(text: Cow<'_, str>) -> Option<String> {
    match text {
        Cow::Owned(text) => Some(text),
        Cow::Borrowed(_) => None,
    }
}
