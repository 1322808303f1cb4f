//! Settings and rules of redaction: shown, changed, tried.

use schemascope_api::{
    ApiError, ChangeRedaction, ChangeSetting, ErrorKind, GetSettings, SettingRow, SettingsReply,
    TriedRedaction, TryRedaction,
};
use schemascope_store::{CallQuery, Reader};
use serde_json::{Map, Value};

use super::{Handle, internal};
use crate::engine::Engine;
use crate::files::replace;
use crate::redact::{Redactor, Trust, rules};
use crate::settings::{Settings, SettingsError};

/// Stored calls that rules are tried on: the newest.
const TRIED: u64 = 1_000;
/// Calls brought at a time.
const PAGE: usize = 100;
/// Bytes of a text that rules are tried on.
const MAX_TEXT: usize = 1 << 20;

impl Handle<GetSettings> for Engine {
    async fn handle(&self, _: GetSettings) -> Result<SettingsReply, ApiError> {
        Ok(self.settings_reply())
    }
}

impl Handle<ChangeSetting> for Engine {
    async fn handle(&self, command: ChangeSetting) -> Result<SettingsReply, ApiError> {
        let value = command.value.map_or(Value::Null, |text| read(&text));
        let changes = Map::from_iter([(command.name, value)]);
        let settings = self.tuning.settings.change(&changes).map_err(|error| match error {
            SettingsError::Io { .. } => internal(error),
            error => ApiError::new(ErrorKind::Invalid, error.to_string()),
        })?;
        self.tuning.apply(&settings);
        Ok(self.settings_reply())
    }
}

impl Handle<ChangeRedaction> for Engine {
    async fn handle(&self, command: ChangeRedaction) -> Result<SettingsReply, ApiError> {
        // What somebody broke by hand is not written over.
        rules::read(&self.tuning.rules).map_err(invalid)?;
        Redactor::new(&command.rules, []).map_err(invalid)?;
        let text = serde_json::to_string_pretty(&command.rules).map_err(internal)? + "\n";
        replace(&self.tuning.rules, &text).map_err(internal)?;
        self.redaction.set_rules(command.rules).map_err(invalid)?;
        Ok(self.settings_reply())
    }
}

impl Handle<TryRedaction> for Engine {
    async fn handle(&self, command: TryRedaction) -> Result<TriedRedaction, ApiError> {
        let TryRedaction { rules, text } = command;
        if text.len() > MAX_TEXT {
            let message = format!("the text is {} bytes long; at most {MAX_TEXT} can be tried", text.len());
            return Err(ApiError::new(ErrorKind::Invalid, message));
        }
        let redactor = self.redaction.with_rules(rules).map_err(invalid)?;
        self.recorder.settle().await;
        let reader = self.reader.clone();
        let tried = tokio::task::spawn_blocking(move || tried(&redactor, &reader, &text));
        tried.await.map_err(internal)?.map_err(internal)
    }
}

impl Engine {
    fn row(&self, name: String, value: &Value) -> SettingRow {
        let (is_default, fixed) =
            (*value == Settings::of_default(&name), self.tuning.settings.is_fixed(&name));
        let value = match value {
            Value::Null => None,
            Value::String(word) => Some(word.clone()),
            other => Some(other.to_string()),
        };
        SettingRow { name, value, is_default, fixed }
    }

    fn settings_reply(&self) -> SettingsReply {
        SettingsReply {
            settings: self
                .tuning
                .settings
                .now()
                .to_map()
                .into_iter()
                .map(|(name, value)| self.row(name, &value))
                .collect(),
            file: self.tuning.settings.file().display().to_string(),
            problem: self.tuning.settings.problem(),
            redaction: self.redaction.rules(),
            redaction_problem: rules::read(&self.tuning.rules).err().map(|error| error.to_string()),
            redaction_file: self.tuning.rules.display().to_string(),
        }
    }
}

/// What was typed: a number, true or false, or a word.
fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

fn tried(
    redactor: &Redactor,
    reader: &Reader,
    text: &str,
) -> Result<TriedRedaction, schemascope_store::Error> {
    let is_document = text.trim_start().starts_with(['{', '[', '"']);
    let document = if is_document { redactor.redact(text, Trust::Foreign) } else { None };
    let redacted = match document {
        Some((redacted, _)) => redacted,
        None if is_document => text.to_owned(),
        None => redactor.text(text).into_owned(),
    };
    let mut tried = TriedRedaction { redacted, calls: 0, calls_changed: 0, values: 0 };
    let mut query = CallQuery { limit: PAGE, ..CallQuery::default() };
    loop {
        let page = reader.calls(&query)?;
        for call in &page.calls {
            let bodies = [&call.arguments, &call.result, &call.error].into_iter().flatten();
            let values = bodies.filter_map(|body| redactor.redact(body.get(), Trust::Own));
            let values: u64 = values.map(|(_, values)| values).sum();
            tried.calls += 1;
            tried.calls_changed += u64::from(values > 0);
            tried.values += values;
        }
        query.before = page.next;
        if page.next.is_none() || tried.calls >= TRIED {
            return Ok(tried);
        }
    }
}

fn invalid(error: impl std::fmt::Display) -> ApiError {
    ApiError::new(ErrorKind::Invalid, error.to_string())
}
