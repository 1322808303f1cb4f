//! All command-line tools: their entries, states, and what is served of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use schemascope_api::CliRequest;
use schemascope_helptext::{Definition, Positional, mark, mark_as};
use schemascope_model::Timestamp;
use schemascope_program::{find, system_folder_of};
use schemascope_proxy::{BuiltIn, Config, ServerEntry};

use super::cache::{Cache, ProgramFile};
use super::entry::CliEntry;
use super::file::{self, FileError};
use super::probe::{ProbeError, Probed, probe};
use super::requests::{Requests, Wish};
use super::served::{Folders, Served};
use crate::config::watched::{FileChanges, FileWatcher};

/// Folder in the data directory for the working directories of confined calls.
const WORK: &str = "cli-work";

/// Where an entry comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The file.
    File,
    /// `--cli` of the command line, for this run.
    CommandLine,
    /// A request of an agent that a person approved, for this run.
    Approved,
}

/// State of an entry.
#[derive(Clone)]
pub(crate) enum State {
    /// Its tools are served.
    Ready(Arc<Served>),
    /// Its help is being read.
    Reading,
    /// Switched off in the file.
    Disabled,
    /// It cannot be used. Says why.
    Failed(String),
}

/// An entry with its state.
#[derive(Clone)]
pub(crate) struct Row {
    pub(crate) entry: CliEntry,
    pub(crate) origin: Origin,
    pub(crate) state: State,
    /// What the proxy serves; the same object as long as nothing changes.
    serving: Option<BuiltIn>,
}

/// The command-line tools of an engine.
pub(crate) struct CliTools {
    path: PathBuf,
    data: PathBuf,
    /// Entries of the command line.
    fixed: Vec<CliEntry>,
    /// Approved requests that are not in the file.
    approved: Mutex<Vec<CliEntry>>,
    /// Requests that await a decision.
    pub(crate) requests: Requests,
    rows: RwLock<BTreeMap<String, Row>>,
    /// Why the file cannot be used.
    problem: RwLock<Option<String>>,
    cache: Mutex<Cache>,
    /// Held while the file is read or changed, so that neither undoes the other.
    using_file: Mutex<()>,
}

impl CliTools {
    /// Reads the file and takes the entries whose programs were probed before. Also returns the changes of the file.
    pub(crate) fn open(
        data: &Path,
        path: PathBuf,
        fixed: Vec<CliEntry>,
        watcher: &FileWatcher,
    ) -> (Self, FileChanges) {
        let changes = watcher.watch(&path);
        let tools = Self {
            path,
            // Values are searched for it as text, in which a relative path would be any word.
            data: std::path::absolute(data).unwrap_or_else(|_| data.to_owned()),
            fixed,
            approved: Mutex::default(),
            requests: Requests::open(data),
            rows: RwLock::default(),
            problem: RwLock::default(),
            cache: Mutex::new(Cache::open(data)),
            using_file: Mutex::default(),
        };
        tools.read();
        (tools, changes)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn problem(&self) -> Option<String> {
        self.problem.read().clone()
    }

    /// All entries, by alias.
    pub(crate) fn rows(&self) -> Vec<(String, Row)> {
        self.rows.read().iter().map(|(alias, row)| (alias.clone(), row.clone())).collect()
    }

    /// The entry of an alias.
    pub(crate) fn row(&self, alias: &str) -> Option<Row> {
        self.rows.read().get(alias).cloned()
    }

    /// Values of the entries' environments, which may be secrets, and secrets among their arguments.
    pub(crate) fn values(&self) -> Vec<(String, String)> {
        self.rows.read().values().flat_map(|row| row.entry.values()).collect()
    }

    /// Reads the file again. The last good entries stay if it cannot be used. Whether something changed.
    pub(crate) fn read(&self) -> bool {
        let _alone = self.using_file.lock();
        let read = match file::read(&self.path) {
            Ok(read) => {
                *self.problem.write() = None;
                read
            }
            Err(error) => {
                let problem = format!("{error}. The previous entries stay in effect");
                let is_new = self.problem.read().as_ref() != Some(&problem);
                if is_new {
                    tracing::warn!(file = %self.path.display(), %problem, "the file of command-line tools cannot be used");
                    *self.problem.write() = Some(problem);
                }
                return is_new;
            }
        };
        let mut now: BTreeMap<String, Row> = BTreeMap::new();
        let fixed = self.fixed.iter().cloned().map(|entry| (Ok(entry), Origin::CommandLine));
        let approved = self.approved.lock().clone().into_iter().map(|entry| (Ok(entry), Origin::Approved));
        for (entry, origin) in
            fixed.chain(approved).chain(read.into_iter().map(|entry| (entry, Origin::File)))
        {
            let (alias, row) = match entry {
                Ok(entry) => (entry.alias.clone(), self.row_of(entry, origin)),
                Err((name, problem)) => {
                    let entry = CliEntry { alias: name.clone(), ..CliEntry::default() };
                    (name, Row { entry, origin, state: State::Failed(problem), serving: None })
                }
            };
            match now.get_mut(&alias) {
                None => {
                    now.insert(alias, row);
                }
                Some(earlier) if earlier.origin != Origin::File => {}
                Some(earlier) => {
                    let problem = "the alias is used more than once; give each entry its own".to_owned();
                    (earlier.state, earlier.serving) = (State::Failed(problem), None);
                }
            }
        }
        let mut rows = self.rows.write();
        let is_change = rows.len() != now.len()
            || rows
                .iter()
                .zip(&now)
                .any(|((one, before), (other, after))| one != other || before.entry != after.entry);
        *rows = now;
        is_change
    }

    fn row_of(&self, entry: CliEntry, origin: Origin) -> Row {
        let fresh = |state: State, serving| Row { entry: entry.clone(), origin, state, serving };
        if !entry.enabled {
            return fresh(State::Disabled, None);
        }
        if let Some(problem) = entry.problem().or_else(|| self.reaches_data(&entry)) {
            return fresh(State::Failed(problem), None);
        }
        if let Some(known) = self.rows.read().get(&entry.alias).filter(|known| known.entry == entry)
            && matches!(known.state, State::Ready(_))
        {
            return Row { origin, ..known.clone() };
        }
        let program = match find(&entry.command, std::env::var_os("PATH").as_deref()) {
            Ok(program) => program,
            Err(problem) => {
                return fresh(State::Failed(format!("command {:?} {problem}", entry.command)), None);
            }
        };
        let by_hand = entry.definition.clone().filter(|_| entry.provider_type.as_deref() == Some("custom"));
        let known = match by_hand {
            Some(mut definition) => ProgramFile::look(&program).map(|file| {
                entry.program_name().clone_into(&mut definition.command);
                let tools = vec![(Vec::new(), definition)];
                (file, Probed { program: program.clone(), tools, notes: Vec::new(), is_late: false })
            }),
            None => self.cache.lock().get(&entry, &program),
        };
        match known {
            Some((file, probed)) => self.ready(entry, origin, file, probed),
            None => fresh(State::Reading, None),
        }
    }

    /// Says that a confined call could read or write the data directory, and with it decide for the user.
    fn reaches_data(&self, entry: &CliEntry) -> Option<String> {
        let data = self.data.canonicalize().unwrap_or_else(|_| self.data.clone());
        if let Some(system) = system_folder_of(&data).filter(|_| entry.is_confined()) {
            return Some(format!(
                "a confined program can read all of {system}, and with it Schemascope's own data; use another data directory"
            ));
        }
        let written = entry.roots.iter().chain(&entry.cwd).filter(|_| entry.is_confined());
        let reaching = written.into_iter().find(|folder| {
            let folder = folder.canonicalize().unwrap_or_else(|_| (*folder).clone());
            data.starts_with(&folder) || folder.starts_with(&data)
        })?;
        Some(format!(
            "{} holds Schemascope's own data; choose another \"cwd\" or \"roots\"",
            reaching.display()
        ))
    }

    fn ready(&self, entry: CliEntry, origin: Origin, file: ProgramFile, probed: Probed) -> Row {
        let folders = Folders { data: self.data.clone(), work: self.data.join(WORK).join(&entry.alias) };
        let served = Arc::new(Served::new(entry.clone(), file, probed, folders));
        let serving = Some(BuiltIn::new(Arc::clone(&served) as _));
        Row { entry, origin, state: State::Ready(served), serving }
    }

    /// The entries whose help has to be read.
    pub(crate) fn unread(&self) -> Vec<CliEntry> {
        let rows = self.rows.read();
        let unread = rows.values().filter(|row| matches!(row.state, State::Reading));
        unread.map(|row| row.entry.clone()).collect()
    }

    /// Reads the help of an entry's program, and takes what it says. Whether the entry still exists.
    pub(crate) async fn probe(&self, entry: CliEntry) -> bool {
        let path = std::env::var_os("PATH");
        let before = find(&entry.command, path.as_deref()).ok().and_then(|file| ProgramFile::look(&file));
        let found = probe(&entry, true).await;
        let mut row = match found {
            Ok(probed) => match ProgramFile::look(&probed.program) {
                Some(file) if before.as_ref() != Some(&file) => failed(&entry, CHANGED.to_owned()),
                Some(file) => {
                    // What was too slow is asked again at the next start.
                    if !probed.is_late {
                        self.cache.lock().put(&entry, file.clone(), probed.clone());
                    }
                    self.ready(entry.clone(), Origin::File, file, probed)
                }
                None => failed(&entry, "the program is gone".to_owned()),
            },
            Err(ProbeError::Nothing) => match minimal(&entry) {
                Some((file, _)) if before.as_ref() != Some(&file) => failed(&entry, CHANGED.to_owned()),
                Some((file, probed)) => self.ready(entry.clone(), Origin::File, file, probed),
                None => failed(&entry, ProbeError::Nothing.to_string()),
            },
            Err(error) => failed(&entry, error.to_string()),
        };
        let mut rows = self.rows.write();
        match rows.get_mut(&entry.alias).filter(|known| known.entry == entry) {
            Some(known) => {
                // The file may have changed meanwhile, so that its help was read twice: calls of the first go on.
                if matches!(known.state, State::Reading) {
                    row.origin = known.origin;
                    *known = row;
                }
                true
            }
            None => false,
        }
    }

    /// Forgets what an entry's program said, so that it is asked again.
    pub(crate) fn forget(&self, alias: &str) -> bool {
        let mut rows = self.rows.write();
        let Some(row) = rows.get_mut(alias).filter(|row| row.entry.enabled && row.entry.problem().is_none())
        else {
            return false;
        };
        if let Ok(program) = find(&row.entry.command, std::env::var_os("PATH").as_deref()) {
            self.cache.lock().forget(&row.entry, &program);
        }
        row.state = State::Reading;
        true
    }

    /// Takes an approved entry for this run.
    pub(crate) fn approve(&self, entry: CliEntry) {
        self.approved.lock().push(entry);
    }

    /// Forgets an approved entry. Whether there was one.
    pub(crate) fn withdraw(&self, alias: &str) -> bool {
        let mut approved = self.approved.lock();
        let before = approved.len();
        approved.retain(|entry| entry.alias != alias);
        approved.len() < before
    }

    /// Takes a request of an agent, or says why it is rejected.
    pub(crate) fn request(&self, wish: Wish, now: Timestamp, config: &Config) -> Result<CliRequest, String> {
        let is_taken = |alias: &str| self.clashes(config, alias) || self.rows.read().contains_key(alias);
        self.requests.add(wish, now, is_taken)
    }

    /// Writes an entry into the file.
    pub(crate) fn put(&self, entry: &CliEntry) -> Result<(), FileError> {
        let _alone = self.using_file.lock();
        file::put(&self.path, entry)
    }

    /// Removes an entry from the file. Whether there was one.
    pub(crate) fn remove(&self, alias: &str) -> Result<bool, FileError> {
        let _alone = self.using_file.lock();
        file::remove(&self.path, alias)
    }

    /// A configuration with the command-line tools as further servers. Servers of the configuration come first.
    pub(crate) fn added_to(&self, config: &Config) -> Config {
        let mut all = config.clone();
        for (alias, row) in self.rows.read().iter() {
            if all.servers.contains_key(alias) || alias == schemascope_proxy::OWN_SERVER {
                continue;
            }
            let entry = match (&row.state, &row.serving) {
                (State::Ready(_), Some(serving)) => ServerEntry::CommandLine(serving.clone()),
                (State::Disabled, _) => ServerEntry::Disabled,
                (State::Reading, _) => ServerEntry::Invalid("its help is being read".to_owned()),
                (State::Failed(reason), _) => ServerEntry::Invalid(reason.clone()),
                (State::Ready(_), None) => ServerEntry::Invalid("it is not served".to_owned()),
            };
            all.servers.insert(alias.clone(), entry);
        }
        all
    }

    /// Whether a server of the configuration has this name.
    pub(crate) fn clashes(&self, config: &Config, alias: &str) -> bool {
        config.servers.contains_key(alias) || alias == schemascope_proxy::OWN_SERVER
    }
}

/// Why a program is not served that was replaced in the meantime.
const CHANGED: &str = "the program changed while its help was read; run `schemascope cli refresh`";

/// A program that says nothing of itself takes words, of which none begins with `-`.
fn minimal(entry: &CliEntry) -> Option<(ProgramFile, Probed)> {
    let program = find(&entry.command, std::env::var_os("PATH").as_deref()).ok()?;
    let words = Positional {
        property: "arguments".to_owned(),
        name: "arguments".to_owned(),
        repeated: true,
        ..Positional::default()
    };
    let note = "its help says nothing that could be understood, so it takes words that do not begin with \"-\", and may \
                run what they name; a \"definition\" of your own replaces this";
    let mut definition = Definition {
        command: entry.program_name().to_owned(),
        positionals: vec![words],
        notes: vec![note.to_owned()],
        ..Definition::default()
    };
    mark(&mut definition);
    if let Some(target) = entry.target() {
        mark_as(&mut definition, &target);
    }
    let file = ProgramFile::look(&program)?;
    Some((file, Probed { program, tools: vec![(Vec::new(), definition)], notes: Vec::new(), is_late: false }))
}

fn failed(entry: &CliEntry, problem: String) -> Row {
    Row { entry: entry.clone(), origin: Origin::File, state: State::Failed(problem), serving: None }
}
