//! What the user set: `settings.json`, and what the command line sets for a run.
//!
//! Owns: the file, and what is in force. A file that cannot be used is left as it is; what was in force before
//! stays so. Refuses to know: what settings do.

mod tuning;
mod values;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};

use crate::files::{read_text, replace};

pub(crate) use tuning::{Tuning, adapting, retention};
pub(crate) use values::{Adapt, AutoPromote, Settings};

/// In the data directory.
const FILE: &str = "settings.json";

/// Why settings do not change.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// They are wrong.
    #[error("{0}")]
    Invalid(String),
    /// The file was broken by hand: it is not written over.
    #[error("{} cannot be used: {problem}; mend it, or remove it", file.display())]
    Broken {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// The file system refused.
    #[error("{} cannot be written: {source}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
}

/// The settings of an engine.
#[derive(Debug)]
pub(crate) struct LiveSettings {
    file: PathBuf,
    /// Set by the command line.
    fixed: Map<String, Value>,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// What the file says, or said when it could be used last.
    written: Settings,
    in_force: Settings,
    problem: Option<String>,
}

impl LiveSettings {
    /// Reads the file; without one all is as by default. What the command line set is in force whatever it says.
    pub(crate) fn open(dir: &Path, fixed: Map<String, Value>) -> Result<Self, SettingsError> {
        let live = Self { file: dir.join(FILE), fixed, known: Mutex::default() };
        let in_force = live.in_force(&Settings::default())?;
        live.known().in_force = in_force;
        live.reload();
        Ok(live)
    }

    /// Those in force.
    pub(crate) fn now(&self) -> Settings {
        self.known().in_force.clone()
    }

    /// Whether the command line set it.
    pub(crate) fn is_fixed(&self, name: &str) -> bool {
        self.fixed.contains_key(name)
    }

    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// Why the file cannot be used, if so.
    pub(crate) fn problem(&self) -> Option<String> {
        self.known().problem.clone()
    }

    /// Reads the file again. Those in force now, if they are others than before.
    pub(crate) fn reload(&self) -> Option<Settings> {
        let mut known = self.known();
        let read = read(&self.file).and_then(|written| {
            let in_force = self.in_force(&written).map_err(|error| error.to_string())?;
            Ok((written, in_force))
        });
        match read {
            Ok((written, in_force)) => {
                let is_new = in_force != known.in_force;
                *known = Known { written, in_force: in_force.clone(), problem: None };
                is_new.then_some(in_force)
            }
            Err(problem) => {
                known.problem = Some(problem);
                None
            }
        }
    }

    /// Writes changes, and gives the settings in force then.
    pub(crate) fn change(&self, changes: &Map<String, Value>) -> Result<Settings, SettingsError> {
        // An edit by hand that nobody has told us of yet is not written over.
        self.reload();
        let mut known = self.known();
        let file = || self.file.clone();
        if let Some(problem) = known.problem.clone() {
            return Err(SettingsError::Broken { file: file(), problem });
        }
        let written = known.written.with(changes).map_err(SettingsError::Invalid)?;
        let in_force = self.in_force(&written)?;
        let text = serde_json::to_string_pretty(&written.changes())
            .map_err(|error| SettingsError::Invalid(error.to_string()))?;
        replace(&self.file, &(text + "\n")).map_err(|source| SettingsError::Io { file: file(), source })?;
        (known.written, known.in_force) = (written, in_force.clone());
        Ok(in_force)
    }

    fn in_force(&self, written: &Settings) -> Result<Settings, SettingsError> {
        written.with(&self.fixed).map_err(SettingsError::Invalid)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
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
    fn the_command_line_comes_before_the_file_and_the_file_keeps_what_it_says() {
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
    fn a_broken_file_is_left_as_it_is_and_what_held_before_still_does() {
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
