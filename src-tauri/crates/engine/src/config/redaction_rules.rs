//! The file of the user's redaction rules, `redaction.json` in the data directory.

use std::path::Path;

use schemascope_redact::RuleError;
use schemascope_redact::rules::{Rules, parse};

use crate::files::read_text;

/// Name of the file in the data directory.
pub(crate) const FILE: &str = "redaction.json";

/// Reads the file. A missing file means no rules; an invalid one is an error.
pub(crate) fn read(path: &Path) -> Result<Rules, RuleError> {
    let invalid = |reason: String| RuleError::File { path: path.display().to_string(), reason };
    let text = read_text(path).map_err(|error| invalid(error.to_string()))?;
    text.map_or_else(|| Ok(Rules::default()), |text| parse(&text).map_err(invalid))
}
