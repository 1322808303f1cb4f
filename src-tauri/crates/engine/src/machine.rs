//! Notices that a data directory was copied, and gives the copy a machine number of its own.
//!
//! Beside the number, a file notes when the number's file was created. A copy of that file was created later. A
//! directory that is moved within a file system keeps its number; one that is restored from a backup gets a new one,
//! which is harmless: calls from before keep the old number in their ids. Where the directory was tells whether the
//! original is still there.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use schemascope_model::Timestamp;
use schemascope_registry::exchange::machine_name;
use serde::{Deserialize, Serialize};

use crate::data::{DataDir, DataDirError};
use crate::files::{read_text, write_whole};

/// Name of the file that describes the number's file.
const FILE: &str = "machine.json";
/// Earlier numbers that are remembered.
const MAX_EARLIER: usize = 64;

#[derive(Default, Serialize, Deserialize)]
struct Machine {
    /// What the number's file looked like.
    created: String,
    /// Numbers that the directory had before it was copied, oldest first.
    #[serde(default)]
    earlier: Vec<String>,
    /// The directory.
    #[serde(default)]
    path: Option<PathBuf>,
    /// When stored data was redacted last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    redacted: Option<Timestamp>,
}

/// A change of the number.
pub(crate) struct Renumbered {
    pub(crate) from: String,
    pub(crate) to: String,
    /// The directory that this one is a copy of, if it is still there.
    pub(crate) original: Option<PathBuf>,
}

impl DataDir {
    /// Makes sure that no other data directory counts under this machine's number.
    pub(crate) fn settle_node(&self) -> Result<Option<Renumbered>, DataDirError> {
        let node = machine_name(self.node()?);
        let path = self.path().join(FILE);
        let own = std::path::absolute(self.path()).unwrap_or_else(|_| self.path().to_owned());
        let io = |error| DataDirError::Io { path: path.clone(), error };
        let created = created(&self.path().join("node")).map_err(io)?;
        // A damaged file is replaced, which costs at most a new number.
        let text = read_text(&path).map_err(io)?;
        let known = text.map(|text| serde_json::from_str::<Machine>(&text).unwrap_or_default());
        let Some(mut machine) = known else {
            self.write_machine(&Machine { created, path: Some(own), ..Machine::default() })?;
            return Ok(None);
        };
        if machine.created == created {
            if machine.path.as_ref() != Some(&own) {
                self.write_machine(&Machine { path: Some(own), ..machine })?;
            }
            return Ok(None);
        }
        let number = std::fs::read(self.path().join("node")).map_err(io)?;
        let is_there = |other: &PathBuf| {
            *other != own && std::fs::read(other.join("node")).is_ok_and(|same| same == number)
        };
        let original = machine.path.take().filter(is_there);
        self.renew_node()?;
        let to = machine_name(self.node()?);
        if machine.earlier.len() >= MAX_EARLIER {
            // The first one stays.
            machine.earlier.remove(1);
        }
        machine.earlier.push(node.clone());
        self.write_machine(&Machine { created, path: Some(own), ..machine })?;
        Ok(Some(Renumbered { from: node, to, original }))
    }

    /// The number of calls that were counted before states said whose they are: the first that this directory had.
    pub(crate) fn first_node(&self) -> Result<u64, DataDirError> {
        let first = self.machine()?.and_then(|machine| machine.earlier.into_iter().next());
        match first.and_then(|first| u64::from_str_radix(&first, 16).ok()) {
            Some(first) => Ok(first),
            None => self.node(),
        }
    }

    /// Asks for a new number at the next start: another directory counts under this one.
    pub(crate) fn renew_node_at_start(&self) -> Result<(), DataDirError> {
        let machine = self.machine()?.unwrap_or_default();
        self.write_machine(&Machine { created: "copied".into(), ..machine })
    }

    /// Notes that stored data was redacted.
    pub(crate) fn note_redaction(&self, at: Timestamp) -> Result<(), DataDirError> {
        // Without the file no engine ran here, so that nothing was shared.
        let Some(machine) = self.machine()? else { return Ok(()) };
        self.write_machine(&Machine { redacted: Some(at), ..machine })
    }

    /// When stored data was redacted last.
    pub(crate) fn redacted(&self) -> Result<Option<Timestamp>, DataDirError> {
        Ok(self.machine()?.and_then(|machine| machine.redacted))
    }

    fn machine(&self) -> Result<Option<Machine>, DataDirError> {
        let path = self.path().join(FILE);
        let text = read_text(&path).map_err(|error| DataDirError::Io { path, error })?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    fn write_machine(&self, machine: &Machine) -> Result<(), DataDirError> {
        let path = self.path().join(FILE);
        let text = serde_json::to_string(machine).unwrap_or_default();
        write_whole(&path, text.as_bytes()).map_err(|error| DataDirError::Io { path, error })
    }
}

/// What distinguishes a file from its copies: when it was created, or its number where the file system does not say.
fn created(path: &Path) -> std::io::Result<String> {
    let metadata = std::fs::metadata(path)?;
    let since = metadata.created().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    Ok(since.map_or_else(|| inode(&metadata), |since| format!("at {}", since.as_nanos())))
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> String {
    format!("inode {}", std::os::unix::fs::MetadataExt::ino(metadata))
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> String {
    "unknown".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copy_gets_a_number_of_its_own_and_a_moved_directory_keeps_it() {
        let scratch = tempfile::tempdir().unwrap();
        let [here, moved, copy] = ["here", "moved", "copy"].map(|name| scratch.path().join(name));
        let number = |path: &Path| {
            let data = DataDir::own(path).unwrap();
            let renumbered = data.settle_node().unwrap();
            let original = renumbered.as_ref().and_then(|change| change.original.clone());
            let names = renumbered.map(|change| (change.from, change.to));
            assert_eq!(original, names.is_some().then(|| moved.clone()).filter(|original| original.exists()));
            (data.node().unwrap(), data.first_node().unwrap(), names)
        };
        let (node, first, renumbered) = number(&here);
        assert_eq!((first, renumbered), (node, None));
        std::fs::rename(&here, &moved).unwrap();
        assert_eq!(number(&moved), (node, node, None));
        std::fs::create_dir(&copy).unwrap();
        for file in ["node", FILE] {
            std::fs::copy(moved.join(file), copy.join(file)).unwrap();
        }
        let (other, first, renumbered) = number(&copy);
        assert_ne!(other, node);
        let names = (machine_name(node), machine_name(other));
        assert_eq!((first, renumbered), (node, Some(names)));
        assert_eq!(number(&copy), (other, node, None));
        DataDir::own(&copy).unwrap().renew_node_at_start().unwrap();
        // Neither is a copy of another directory: one that counts under a number twice, one whose original is gone.
        std::fs::remove_dir_all(&moved).unwrap();
        let (third, first, renumbered) = number(&copy);
        assert!(third != other && first == node && renumbered.is_some());
    }
}
