//! Commands that show and change settings, and show, change and try redaction rules.

use schemascope_api::{
    ApiError, ChangeRedaction, ChangeSetting, ErrorKind, GetSettings, SETTINGS, SettingRow, SettingsReply,
    TriedRedaction, TryRedaction,
};
use schemascope_store::{CallQuery, Reader};
use serde_json::{Map, Value};

use super::{Handle, internal};
use crate::config::settings::{Settings, SettingsError};
use crate::engine::Engine;
use crate::files::replace;
use schemascope_redact::{Redactor, Trust};

handlers![GetSettings, ChangeSetting, ChangeRedaction, TryRedaction];

/// Number of stored calls that rules are tried on, newest first.
const TRIED_CALLS: u64 = 1_000;
/// Number of calls read at a time.
const PAGE: usize = 100;
/// Largest text that rules are tried on, in bytes.
const MAX_TEXT_BYTES: usize = 1 << 20;

impl Handle<GetSettings> for Engine {
    async fn handle(&self, _: GetSettings) -> Result<SettingsReply, ApiError> {
        Ok(self.settings_reply())
    }
}

impl Handle<ChangeSetting> for Engine {
    async fn handle(&self, command: ChangeSetting) -> Result<SettingsReply, ApiError> {
        let value = command.value.map_or(Value::Null, |text| read(&text));
        let changes = Map::from_iter([(command.name, value)]);
        let settings = self.files.settings.change(&changes).map_err(|error| match error {
            SettingsError::Io { .. } => internal(error),
            error => ApiError::new(ErrorKind::Invalid, error.to_string()),
        })?;
        self.services.settings.apply(&settings);
        Ok(self.settings_reply())
    }
}

impl Handle<ChangeRedaction> for Engine {
    async fn handle(&self, command: ChangeRedaction) -> Result<SettingsReply, ApiError> {
        // An invalid file is not overwritten: the user may want to fix it.
        crate::config::redaction_rules::read(&self.files.rules).map_err(invalid)?;
        Redactor::new(&command.rules, []).map_err(invalid)?;
        let text = serde_json::to_string_pretty(&command.rules).map_err(internal)? + "\n";
        replace(&self.files.rules, &text).map_err(internal)?;
        self.files.redaction.set_rules(command.rules).map_err(invalid)?;
        Ok(self.settings_reply())
    }
}

impl Handle<TryRedaction> for Engine {
    async fn handle(&self, command: TryRedaction) -> Result<TriedRedaction, ApiError> {
        let TryRedaction { rules, text } = command;
        if text.len() > MAX_TEXT_BYTES {
            let message =
                format!("the text is {} bytes long; at most {MAX_TEXT_BYTES} can be tried", text.len());
            return Err(ApiError::new(ErrorKind::Invalid, message));
        }
        let redactor = self.files.redaction.with_rules(rules).map_err(invalid)?;
        self.records.recorder.settle().await;
        let reader = self.records.reader.clone();
        let tried = tokio::task::spawn_blocking(move || tried(&redactor, &reader, &text));
        tried.await.map_err(internal)?.map_err(internal)
    }
}

impl Engine {
    fn settings_reply(&self) -> SettingsReply {
        let (now, defaults) = (self.files.settings.now().to_map(), Settings::default().to_map());
        let rows = SETTINGS.iter().map(|setting| SettingRow {
            name: setting.name.to_owned(),
            value: match now.get(setting.name) {
                None | Some(Value::Null) => None,
                Some(Value::String(word)) => Some(word.clone()),
                Some(other) => Some(other.to_string()),
            },
            is_default: now.get(setting.name) == defaults.get(setting.name),
            fixed: self.files.settings.is_fixed(setting.name),
            note: (setting.name == "own_tools").then(|| self.upstreams.own_tools.cost()),
        });
        SettingsReply {
            settings: rows.collect(),
            file: self.files.settings.file().display().to_string(),
            problem: self.files.settings.problem(),
            redaction: self.files.redaction.rules(),
            redaction_problem: crate::config::redaction_rules::read(&self.files.rules)
                .err()
                .map(|error| error.to_string()),
            redaction_file: self.files.rules.display().to_string(),
        }
    }
}

/// The value of a typed text: a number, `true`, `false`, or a word.
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
        if page.next.is_none() || tried.calls >= TRIED_CALLS {
            return Ok(tried);
        }
    }
}

fn invalid(error: impl std::fmt::Display) -> ApiError {
    ApiError::new(ErrorKind::Invalid, error.to_string())
}
