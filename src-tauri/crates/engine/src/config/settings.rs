//! The settings in effect: the file `settings.json`, overlaid with the options of the command line.
//!
//! A file that cannot be used is left unchanged, and the previous settings stay in effect. The names, kinds and
//! defaults of settings are declared in [`schemascope_api::SETTINGS`].

use std::path::{Path, PathBuf};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use schemascope_proxy::{Adapting, Mode};
use schemascope_store::Policy;
use serde_json::{Map, Value};

use crate::files::{read_text, replace};

use schemascope_api::Adapt;
pub(crate) use schemascope_api::{AutoPromote, SettingValues as Settings};

const DAY_SECONDS: u64 = 24 * 60 * 60;

/// Name of the file in the data directory.
pub(crate) const FILE: &str = "settings.json";

/// Why a setting could not be changed.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The value or the name is invalid.
    #[error("{0}")]
    Invalid(String),
    /// The file is invalid, so it is not overwritten.
    #[error("{} cannot be used: {problem}. Fix or delete it, then change the setting again", file.display())]
    Broken {
        /// The file.
        file: PathBuf,
        /// The problem.
        problem: String,
    },
    /// The file could not be written.
    #[error("cannot write {}: {source}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// The error of the file system.
        source: std::io::Error,
    },
}

/// The settings of a running engine.
#[derive(Debug)]
pub(crate) struct LiveSettings {
    file: PathBuf,
    /// Values that the command line sets for this run.
    fixed: Map<String, Value>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Values in the file when it could last be used.
    saved: Settings,
    effective: Settings,
    problem: Option<String>,
}

impl LiveSettings {
    /// Reads the file; a missing file means the defaults. Values of the command line take precedence.
    pub(crate) fn open(dir: &Path, fixed: Map<String, Value>) -> Result<Self, SettingsError> {
        let live = Self { file: dir.join(FILE), fixed, state: Mutex::default() };
        let effective = live.effective(&Settings::default())?;
        live.state().effective = effective;
        live.reload();
        Ok(live)
    }

    /// The settings in effect.
    pub(crate) fn now(&self) -> Settings {
        self.state().effective.clone()
    }

    /// Whether the command line sets this one.
    pub(crate) fn is_fixed(&self, name: &str) -> bool {
        self.fixed.contains_key(name)
    }

    /// Path of the settings file.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// Why the file cannot be used, if it cannot.
    pub(crate) fn problem(&self) -> Option<String> {
        self.state().problem.clone()
    }

    /// Reads the file again. Returns the settings in effect if they changed.
    pub(crate) fn reload(&self) -> Option<Settings> {
        let mut state = self.state();
        let read = read(&self.file).and_then(|saved| {
            let effective = self.effective(&saved).map_err(|error| error.to_string())?;
            Ok((saved, effective))
        });
        match read {
            Ok((saved, effective)) => {
                let is_new = effective != state.effective;
                *state = State { saved, effective: effective.clone(), problem: None };
                is_new.then_some(effective)
            }
            Err(problem) => {
                state.problem = Some(problem);
                None
            }
        }
    }

    /// Saves changes. Returns the settings in effect afterwards.
    pub(crate) fn change(&self, changes: &Map<String, Value>) -> Result<Settings, SettingsError> {
        // An edit of the file that was not noticed yet must not be overwritten.
        self.reload();
        let mut state = self.state();
        let file = || self.file.clone();
        if let Some(problem) = state.problem.clone() {
            return Err(SettingsError::Broken { file: file(), problem });
        }
        let saved = state.saved.with(changes).map_err(SettingsError::Invalid)?;
        let effective = self.effective(&saved)?;
        let text = serde_json::to_string_pretty(&saved.changes())
            .map_err(|error| SettingsError::Invalid(error.to_string()))?;
        replace(&self.file, &(text + "\n")).map_err(|source| SettingsError::Io { file: file(), source })?;
        (state.saved, state.effective) = (saved, effective.clone());
        Ok(effective)
    }

    fn effective(&self, saved: &Settings) -> Result<Settings, SettingsError> {
        saved.with(&self.fixed).map_err(SettingsError::Invalid)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

/// What the settings mean for the adapter.
pub(crate) fn adapting(settings: &Settings) -> Adapting {
    let mode = match settings.adapt {
        Adapt::On => Mode::On,
        Adapt::All => Mode::All,
        Adapt::Advertised => Mode::Advertised,
        Adapt::Off => Mode::Off,
    };
    Adapting { mode, suspend: settings.suspend }
}

/// What the settings mean for stored calls.
pub(crate) fn retention(settings: &Settings) -> Policy {
    Policy {
        age: settings.keep_days.map(|days| Duration::from_secs(days.saturating_mul(DAY_SECONDS))),
        count: settings.keep_calls,
        bytes: settings.keep_mb.map(|megabytes| megabytes.saturating_mul(1_000_000)),
    }
}

fn read(file: &Path) -> Result<Settings, String> {
    let text = read_text(file).map_err(|error| error.to_string())?;
    let Some(text) = text else { return Ok(Settings::default()) };
    let changes: Map<String, Value> =
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| error.to_string())?;
    Settings::default().with(&changes)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn map(value: Value) -> Map<String, Value> {
        let Value::Object(map) = value else { panic!("not an object") };
        map
    }

    #[test]
    fn command_line_takes_precedence_and_file_keeps_its_values() {
        let dir = tempfile::tempdir().unwrap();
        let live = LiveSettings::open(dir.path(), map(json!({"cut_after": 3}))).unwrap();
        assert_eq!(live.now().cut_after, 3);
        let now = live.change(&map(json!({"cut_after": 20, "keep_days": 7}))).unwrap();
        assert_eq!((now.cut_after, now.keep_days), (3, Some(7)));
        let next = LiveSettings::open(dir.path(), Map::new()).unwrap();
        assert_eq!((next.now().cut_after, next.now().keep_days), (20, Some(7)));
        next.change(&map(json!({"cut_after": null}))).unwrap();
        assert_eq!(std::fs::read_to_string(live.file()).unwrap(), "{\n  \"keep_days\": 7\n}\n");
    }

    #[test]
    fn invalid_file_is_left_unchanged_and_previous_settings_stay() {
        let dir = tempfile::tempdir().unwrap();
        let live = LiveSettings::open(dir.path(), Map::new()).unwrap();
        live.change(&map(json!({"keep_days": 7}))).unwrap();
        for broken in ["{\"keep_days\": 3,", "{\"keep_days\": \"3\"}", "{\"keep_day\": 3}", "[]"] {
            std::fs::write(live.file(), broken).unwrap();
            assert_eq!(live.reload(), None);
            assert_eq!(live.now().keep_days, Some(7));
            assert!(live.problem().is_some());
            let error = live.change(&map(json!({"keep_days": 1}))).unwrap_err();
            assert!(matches!(error, SettingsError::Broken { .. }), "{error}");
            assert_eq!(std::fs::read_to_string(live.file()).unwrap(), broken);
        }
        std::fs::write(live.file(), "{\"keep_days\": 3}").unwrap();
        assert_eq!(live.reload().unwrap().keep_days, Some(3));
        assert_eq!(live.problem(), None);
    }
}
